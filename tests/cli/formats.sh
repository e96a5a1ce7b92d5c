#!/bin/sh
# formats.sh BUILD-FOLDER: output of `lal parse` as other programs read it: JSON against its schema.
. "$(dirname "$0")/harness.sh"
make_toy
schema=$root/docs/parse.schema.json

# python PACKAGE...: sets $python to an interpreter that has the packages; fails if there is none.
python() {
    for python in python3 /usr/bin/python3; do
        ok=1
        for package in "$@"; do "$python" -c "import $package" 2>/dev/null || ok=0; done
        [ $ok -eq 1 ] && return 0
    done
    return 1
}
python || { echo 'skipped: there is no python3'; exit 0; }
python jsonschema || python
check="$python $root/tests/cli/check_json.py $schema"

# ---- JSON
# json NAME INPUT OPTIONS...: parses INPUT and checks the output.
json() {
    name=$1 input=$2; shift 2
    checks=$((checks + 1))
    "$lal" parse --model toy.lal --format json "$@" "$input" >json.out 2>err || { complain 'it failed'; cat err; }
    case "$*" in *brackets* | *conll*) input= ;; esac
    $check json.out $input >out 2>err || { complain 'wrong JSON'; tail -n 1 err; }
    [ "$(wc -l <json.out)" -gt 0 ] || complain 'no sentences'
}
json 'JSON' text
[ "$(cut -d ' ' -f 2- out)" = sentences ] || echo 'formats: the schema is not checked, there is no python3-jsonschema'
grep -q '"text": "It never (really) sees\\nthe river!"' json.out || complain 'text should be as in the file'
grep -q '"head": -1, "type": "root"' json.out || complain 'the root should have the head -1'
json 'JSON with --why' text --why
json 'JSON with Universal Dependencies' text --deps ud
grep -q '"deps": "UD v2"' json.out || complain 'the scheme should be named'
grep -q '"p": ' json.out || complain 'no probabilities of arcs'
json 'JSON of pieces' text --max-words 3 --why
grep -q '"pieces": ' json.out || complain 'no sentence in pieces'
json 'JSON of trees' dev.trees --input brackets
json 'JSON of CoNLL' dev.conllx --input conll --tags given
printf 'a b c\n\nd\n' >lines
json 'JSON of tokens' lines --pretokenized
grep -q '"text": "", "tokens": \[\]}' json.out || complain 'an empty line should be a sentence without tokens'
{
    printf 'Caf\303\251 \360\237\230\200\360\237\217\275 \344\270\226\347\225\214 \033[1m "q\\" \302\205 '
    printf '\342\200\250 \342\200\251 x\177y e\314\201.\r\n\r\nB.'
} >odd
json 'JSON of odd characters' odd
json 'JSON of odd tokens' odd --pretokenized
[ "$(LC_ALL=C tr -d '\n' <json.out | LC_ALL=C tr -d ' -~\200-\377' | tr -d '\177' | wc -c)" -eq 0 ] ||
    complain 'control characters in JSON'
expect 'JSON of tokens that are not parsed' 0 "$lal" tokenize --format json text
cp out json.out
$check json.out text >/dev/null || complain 'wrong JSON'

# ---- the best parses
for options in '' '--max-words 3' '--deps stanford' '--why'; do
    json "JSON of the best parses $options" text --kbest 4 $options
    grep -q '"kbest": ' json.out || complain 'there should be several'
done
json 'JSON of the best parses of trees' dev.trees --input brackets --kbest 20 --deps stanford
json 'JSON of the best parses with given heads' dev.conllx --input conll --arcs given --kbest 3 --deps stanford
"$python" - json.out <<'END' || complain 'given heads should be those of all parses'
import json, sys
for line in open(sys.argv[1]):
    s = json.loads(line)
    assert all(b["heads"] == s["kbest"][0]["heads"] for b in s["kbest"])
END
json 'JSON of the best parses with given phrases' dev.trees --input brackets --spans given --kbest 3 --deps stanford
"$python" - json.out <<'END' || complain 'given phrases should be those of all parses'
import json, sys
for line in open(sys.argv[1]):
    s = json.loads(line)
    assert all(b["tree"] == s["tree"] for b in s["kbest"])
END
sed 's/([^ ()]*S/(OTHER/' dev.trees >other.trees
json 'JSON of the best parses with other labels' other.trees --input brackets --spans partial --kbest 3 --deps stanford
"$lal" parse --model toy.lal text >one.trees
expect 'the best trees' 0 "$lal" parse --model toy.lal --kbest 3 text
awk 'BEGIN { first = 1 } first { print } { first = !NF }' out | cmp -s - one.trees || complain 'first the best one'
[ "$(grep -c '^$' out)" -eq "$(wc -l <one.trees)" ] || complain 'an empty line after each sentence'
expect 'many trees' 0 "$lal" parse --model toy.lal --kbest 40 text
repeated=$(awk '!NF { delete seen } NF && seen[$0]++' out | wc -l)
[ "$repeated" -eq 0 ] || complain "$repeated trees are written twice"
"$lal" parse --model toy.lal --format conllu text >one.conllu
expect 'the best parses in CoNLL-U' 0 "$lal" parse --model toy.lal --format conllu --kbest 3 text
prints '# sent_id = 2.3'
"$python" - out one.conllu <<'END' || complain 'first the best one, and three of each'
import re, sys
out, one = (open(path).read().split("\n\n") for path in sys.argv[1:])
best = [re.sub(r"# (kbest|score|unary_of) = .*\n", "", x.replace(".1\n", "\n", 1)) for x in out if "# kbest = 1\n" in x]
assert best == one[:-1] and len(out) == 3 * len(best) + 1
END
expect 'the best parses for a person' 0 env LC_ALL=C "$lal" parse --model toy.lal -f pretty --draw tree --kbest 2 text
prints '2.2 ('
expect 'the best parses of soft targets' 2 "$lal" parse --model toy.lal --format soft --kbest 2 text
says '--kbest: expected --format brackets, conllu, conllx, json, pretty or svg'

# ---- how sure the model is
json 'JSON' text
cp json.out plain.json
for options in '' '--max-words 3' '--kbest 3' '--kbest 3 --max-words 3' '--deps stanford --why'; do
    json "JSON of confidence $options" text --confidence $options
    [ "$(grep -c '"confidence": {"p_tree": [0-9.e-]*, "expected_f1": [0-9.]*, "expected_las": [0-9.]*[,}]' json.out)" \
        -eq "$(wc -l <json.out)" ] || complain 'all three numbers of each sentence'
    [ -n "$options" ] || sed 's/"confidence": {[^}]*}, //; s/, "p_joint": [0-9.]*//g' json.out |
        cmp -s - plain.json || complain 'else as without'
done
json 'JSON of confidence' text --confidence
cp json.out sure.json
expect 'confidence in CoNLL-U' 0 "$lal" parse --model toy.lal --format conllu --confidence text
cp out sure.conllu
expect 'the best parses with confidence' 0 "$lal" parse --model toy.lal --format conllu --confidence --kbest 2 text
[ "$(grep -c '^# p_tree = ' out)" -eq "$(wc -l <sure.json)" ] || complain 'only the best one has it'
expect 'confidence alone' 0 "$lal" parse --model toy.lal --format json --confidence --fields id,confidence text
cp out some.json
for below in 1e-30 0.01 1; do
    expect "sentences below $below" 0 "$lal" parse --model toy.lal --format json --confidence --below $below text
    cp out below.$below
done
"$python" - <<'END' || complain 'other numbers or sentences than in JSON'
import json, re
all = [json.loads(line) for line in open("sure.json")]
names = "p_tree", "expected_f1", "expected_las"
text = re.findall("".join("# %s = (.*)\n" % name for name in names), open("sure.conllu").read())
assert [[float(x) for x in t] for t in text] == [[s["confidence"][name] for name in names] for s in all]
assert [json.loads(line) for line in open("some.json")] == [{k: s[k] for k in ("id", "confidence")} for s in all]
for below in "1e-30", "0.01", "1":
    want = [s for s in all if s["confidence"]["p_tree"] < float(below)]
    assert [json.loads(line) for line in open("below." + below)] == want, below
    assert (below == "1e-30") == (not want)
# what is expected of a sentence is the mean of what its parts have
for s in all:
    f1 = [c["p_joint"] for c in s["constituents"] if "p_joint" in c]
    las = [t["p_joint"] for t in s["tokens"]]
    if s["deps"].startswith("UD") or not f1:
        continue
    assert abs(sum(f1) / len(f1) - s["confidence"]["expected_f1"]) < 2e-4
    assert s["confidence"]["expected_las"] <= sum(las) / len(las) + 2e-4
END
expect 'trees below' 0 "$lal" parse --model toy.lal --below 1 text
[ "$(wc -l <out)" -eq "$(wc -l <below.1)" ] || complain 'as many as in JSON'
expect 'confidence in brackets' 2 "$lal" parse --model toy.lal --confidence text
says '--confidence: expected --format conllu or json'
expect 'a bound that is no probability' 2 "$lal" parse --model toy.lal --below 2 text
says 'below'

# ---- some members of JSON
cat >some.py <<'END'
import glob, json, sys
schema = json.load(open(sys.argv[1]))
try:
    import jsonschema
    validate = jsonschema.Draft202012Validator(schema).validate
except ImportError:
    validate = lambda s: None
known = set(schema["$defs"]["token"]["properties"])
def some(x, names):
    return {k: v for k, v in x.items() if k in names}
for path in glob.glob("some/*"):
    names = path[5:].split(",")
    of_tokens = known if "tokens" in names else names
    for a, b in zip(open("whole.json"), open(path), strict=True):
        s, t = json.loads(a), json.loads(b)
        validate(t)
        if "why" not in names:
            for c in s["constituents"]:
                for name in "chain", "score", "why":
                    c.pop(name, None)
        want = some(s, names)
        if set(of_tokens) & known - {"begin", "end"}:
            want["tokens"] = [some(x, of_tokens) for x in s["tokens"]]
        assert t == want, (path, t, want)
        assert list(t) == [k for k in s if k in t], (path, list(t))
END
for options in --why '--deps stanford'; do
    rm -rf some; mkdir some
    "$lal" parse --model toy.lal --format json $options text lines >whole.json
    for fields in id document,line,paragraph,pieces text begin,end begin,form deps,head,type tree score,constituents \
        tokens tokens,form tokens,text,tree form,tag lemma upos,feats bytes why,constituents why,head; do
        "$lal" parse --model toy.lal --format json $options --fields $fields text lines >"some/$fields"
    done
    expect "--fields $options" 0 $python some.py "$schema"
done
expect 'probabilities' 0 "$lal" parse --model toy.lal --format json --deps stanford --fields p text
grep -q '^{"tokens": \[{"p": [01][.][0-9]*}, {"p": ' out || complain 'only p'
expect 'a member that JSON has not' 2 "$lal" parse --model toy.lal --format json --fields text,haed text
says "fields: found 'haed', expected some of id, document, line,"
says "did you mean 'head'?"
expect 'no member' 2 "$lal" parse --model toy.lal --format json --fields text, text
says "fields: found '', expected some of id,"
expect 'members of another format' 2 "$lal" parse --model toy.lal --fields text text
says '--fields: expected --format json'

expect 'lemmas in JSON' 0 "$lal" parse --format json "$root/examples/news.txt"
prints '"form": "approved", "begin": 14, "end": 22, "bytes": [14, 22], "tag": "VBD", "lemma": "approve", "upos": "VERB"'

# ---- pretty
expect 'pretty in a pipe' 0 env -u COLUMNS "$lal" parse --model toy.lal --format pretty --input brackets dev.trees
[ "$(head -n 1 out)" = '(TOP' ] || complain 'trees should be in brackets'
awk 'length > 80 { exit 1 }' out || complain 'lines of more than 80 columns'
"$lal" parse --model toy.lal --input brackets dev.trees >plain
"$lal" convert out | cmp -s - plain || complain 'the trees read back differ'
expect 'the width of COLUMNS' 0 env COLUMNS=9999 "$lal" parse --model toy.lal --format pretty --input brackets dev.trees
grep '^(' out | cmp -s - plain || complain 'with 9999 columns trees should be on one line'
# drawing NAME INPUT OPTIONS...: draws INPUT in several widths and checks the drawings.
drawing() {
    name=$1 input=$2; shift 2
    "$lal" parse --model "${model:-toy.lal}" --format json "$@" "$input" >json.out 2>/dev/null
    for width in 20 40 80 120 200; do
        checks=$((checks + 1))
        LC_ALL=C.UTF-8 COLUMNS=$width "$lal" parse --model "${model:-toy.lal}" --format pretty --draw both "$@" \
            "$input" >drawn 2>err || { complain 'it failed'; cat err; }
        "$python" "$root/tests/cli/check_drawing.py" $width drawn json.out >out 2>&1 ||
            { complain "in $width columns"; cat out; }
    done
}
drawing 'drawings' text
drawing 'drawings of odd characters' odd
drawing 'drawings of deep trees' dev.trees --input brackets
model=$root/models/en-small.lal drawing 'drawings of news' "$root/examples/news.txt"
expect 'drawings in ASCII' 0 env LC_ALL=C "$lal" parse --model toy.lal --format pretty --draw both --input conll \
    dev.conllx
[ "$(LC_ALL=C tr -d '\n -~' <out | wc -c)" -eq 0 ] || complain 'there are characters beyond ASCII'
prints ' ^ '
expect 'colours in a pipe' 0 "$lal" parse --model toy.lal --format pretty --color always text
prints "$(printf '\033[0;1m')"
expect 'no colours' 0 "$lal" parse --model toy.lal --format pretty --draw both text
grep -q "$(printf '\033')" out && complain 'there are escape sequences in a pipe'
expect 'only arcs' 0 env LC_ALL=C "$lal" parse --model toy.lal --format pretty --draw arcs text
grep -q SBAR out && complain 'there is a tree'
# In a terminal of 50 columns: in_terminal NAME=VALUE... COMMAND...
in_terminal() {
    expect 'a terminal' 0 "$python" -c '
import fcntl, os, pty, struct, sys, termios
child, screen = pty.fork()
if child == 0:
    fcntl.ioctl(1, termios.TIOCSWINSZ, struct.pack("HHHH", 25, 50, 0, 0))
    os.execvp("env", ["env"] + sys.argv[1:])
data = b""
while True:
    try:
        more = os.read(screen, 4096)
    except OSError:
        break
    if not more:
        break
    data += more
sys.stdout.buffer.write(data.replace(b"\r\n", b"\n"))' "$@"
}
in_terminal LC_ALL=C.UTF-8 TERM=xterm COLUMNS=200 "$lal" parse --model toy.lal --format pretty text
prints "$(printf '\033[0;1m')"
sed 's/\x1b\[[0-9;]*m//g' out >drawn
"$lal" parse --model toy.lal --format json text >json.out
"$python" "$root/tests/cli/check_drawing.py" 50 drawn json.out >out 2>&1 || { complain 'in 50 columns'; cat out; }
for plain in NO_COLOR=1 TERM=dumb; do
    in_terminal LC_ALL=C.UTF-8 TERM=xterm $plain "$lal" parse --model toy.lal --format pretty text
    prints '▲'
    grep -q "$(printf '\033')" out && complain "$plain: there are escape sequences"
done
in_terminal LC_ALL=C TERM=xterm NO_COLOR=1 "$lal" parse --model toy.lal --format pretty --color always text
prints "$(printf '\033[0;1m')"
in_terminal LC_ALL=C TERM=xterm "$lal" parse --model toy.lal --format pretty --draw none --color never text
prints '(TOP'

# safe NAME: nothing in ./out changes the state of a terminal: C0 but newlines and tabs, DEL, C1, marks of direction.
safe() {
    LC_ALL=C grep -q "$(printf '[\001-\010\013-\037\177]\|\302[\200-\237]\|\342\200\256\|\330\234')" out &&
        complain "$1 has control characters"
}
printf 'A \033[31mred\033]0;title\007 \342\200\256word\330\234 x\302\233y \177z .\n' >hostile
for format in brackets conllu conllx json pretty; do
    in_terminal LC_ALL=C.UTF-8 TERM=xterm NO_COLOR=1 "$lal" parse --model toy.lal --quiet --format $format --draw none \
        --input tokens hostile
    safe "$format on a terminal"
    prints '<U+202E>word<U+061C>'
    "$lal" parse --model toy.lal --quiet --format $format --draw none --input tokens hostile >out
    prints "$(printf '\342\200\256word')" # bytes of a file stay as they are
done
"$lal" parse --model toy.lal --quiet --format brackets --input tokens hostile >hostile.trees
for command in "convert --to tokens" "convert --to pretty" "stats"; do
    in_terminal "$lal" $command hostile.trees
    safe "$command on a terminal"
done

# ---- names and words of files in messages
mkdir dir
bad=$(printf 'dir/\033[2Jb\377\342\200\256c')
cp text "$bad"
printf '1\ta\t_\t_\tA\t_\t\033]0;x\007\302\233\344\270\255\t_\t_\t_\n' >"$bad.conll"
expect 'a hostile file' 1 "$lal" convert "$bad.conll"
says 'dir/<U+001B>[2Jb\xff<U+202E>c.conll:1:13: found '\''<U+001B>]0;x<U+0007><U+009B>'
LC_ALL=C tr -d '\n -~\200-\377' <err | grep -q . && complain 'control characters in a message'
"$lal" tokenize "$bad" "$bad.none" 2>err >out
says 'lal tokenize: dir/<U+001B>[2Jb\xff<U+202E>c.none: cannot open'
"$lal" "$(printf 'a\033b')" 2>err
says "unknown command 'a<U+001B>b'"
"$lal" evalb -p "$(printf 'a\033b')" dev.trees dev.trees >out 2>err
says "Can't open parameter file (a<U+001B>b)"
head -n 3 dev.trees >"$bad.mrg"
expect 'a note with the name of a file' 0 "$lal" parse --model toy.lal "$bad.mrg"
says 'dir/<U+001B>[2Jb\xff<U+202E>c.mrg: warning: this looks like trees'
expect 'JSON of files with hostile names' 0 "$lal" parse --model toy.lal --format json "$bad" text
$check out >err 2>&1 || { complain 'wrong JSON'; tail -n 1 err; }
expect 'CoNLL-U of a file with a hostile name' 0 "$lal" parse --model toy.lal --format conllu "$bad"
prints '# newdoc id = dir/<U+001B>[2Jb\xff<U+202E>c'
cp out named.conllu
expect 'it is read' 0 "$lal" parse --model toy.lal --input conll named.conllu
awk 'BEGIN { printf "{\"a\": "; for (i = 0; i < 40; i++) printf "\344\270\255" }' >cut.json
"$lal" train --config cut.json --train dev.trees --out none.lal 2>err
iconv -f UTF-8 -t UTF-8 err >/dev/null || complain 'a message is cut inside a character'
grep -q '\\xe4' err && complain 'a message is cut inside a character'

# ---- treebanks given as text: few lines, of which long sentences are made
head -n 3 dev.trees >few.trees
head -n 20 dev.conllx >few.conllx
expect 'trees given as text' 0 "$lal" parse --model toy.lal few.trees
says 'few.trees: warning: this looks like trees in brackets, but is read as text; --input brackets reads its words'
[ "$(grep -c warning err)" -eq 1 ] || complain 'one warning is enough'
expect 'trees given as tokens' 0 "$lal" parse --model toy.lal --pretokenized few.trees
says 'is read as tokens; --input brackets'
"$lal" parse --model toy.lal --format conllu text >parsed.conllu
for file in few.conllx parsed.conllu; do
    expect "$file given as text" 0 "$lal" parse --model toy.lal "$file"
    says "$file: warning: this looks like a CoNLL file, but is read as text; --input conll reads its words"
done
"$lal" parse --model toy.lal --format json text >parsed.json
head -n 1 parsed.json >few.json
expect 'JSON given as text' 0 "$lal" parse --model toy.lal few.json
says 'few.json: warning: this looks like JSON, but is read as text;'
says '--input json reads lines of lal parse --format json'
echo 'Это предложение, as we say.' >russian
expect 'text of another script' 0 "$lal" parse --model toy.lal russian
says 'russian: warning: most letters of this text are Cyrillic, but the model (english) knows Latin'
expect 'JSON' 0 "$lal" parse --model toy.lal --input json parsed.json
grep warning err && complain 'this is what it looks like'
cp out of_json
expect 'the words of JSON' 0 "$lal" parse --model toy.lal --input conll parsed.conllu
cmp -s out of_json || complain 'the words of CoNLL have other trees'
expect 'tags of JSON' 0 "$lal" parse --model toy.lal --input json --tags given --format conllx parsed.json
expect 'something else as JSON' 1 "$lal" parse --model toy.lal --input json text
says 'text:1:1: found'
expect 'quiet' 0 "$lal" parse --model toy.lal --quiet few.trees
grep warning err && complain 'it should be quiet'
expect 'trees from a pipe' 0 sh -c "cat few.trees | \"$lal\" parse --model toy.lal"
says '-: warning: this looks like trees in brackets'
expect 'trees given as text to inspect' 0 "$lal" inspect --model toy.lal few.trees
says '--input brackets'
for file in text odd /dev/null; do
    expect "no warning for $file" 0 "$lal" parse --model toy.lal "$file"
    grep warning err && complain 'this is text'
done
expect 'no warning for a treebank' 0 "$lal" parse --model toy.lal --input brackets dev.trees
grep warning err && complain 'this is what it looks like'

# ---- models without arcs
"$lal" train --train train.trees --dev dev.trees --name toy $tiny --epochs 1 --out trees.lal >/dev/null 2>&1 ||
    complain 'training without arcs'
expect 'JSON without arcs' 0 "$lal" parse --model trees.lal --format json text
grep -qE '"(head|type|p)":' out && complain 'arcs of a model without arcs'
prints '"constituents": [{"label": '
cp out json.out
$check json.out text >/dev/null || complain 'wrong JSON'
expect 'CoNLL-U without arcs' 0 "$lal" parse --model trees.lal --format conllu text
awk -F'\t' 'NF == 10 && ($7 != "_" || $8 != "_") { exit 1 }' out || complain 'arcs of a model without arcs'

expect 'confidence without arcs' 0 "$lal" parse --model trees.lal --format json --confidence text
grep -q '"confidence": {"expected_f1": 0[.][0-9]*}' out || complain 'only the expected F1'
expect 'the best parses without arcs' 2 "$lal" parse --model trees.lal --kbest 2 text
says '--kbest: the model does not find phrases and dependencies together'

expect 'drawings without arcs' 0 env LC_ALL=C "$lal" parse --model trees.lal --format pretty --draw both text
grep -q '\^' out && complain 'arcs of a model without arcs'

finish
