#!/bin/sh
# corpus.sh BUILD-FOLDER: `lal parse` on many files: compressed ones, folders, patterns, --out-dir, and what a pipe and
# a signal see of a run.
. "$(dirname "$0")/harness.sh"
make_toy
export LAL_MODEL=toy.lal

# ---- compressed input
gzip -c text >text.gz
"$lal" parse text >text.trees
expect 'a compressed file' 0 "$lal" parse text.gz
cmp -s out text.trees || complain 'its trees should be those of the text'
expect 'compressed standard input' 0 sh -c "gzip -c text | \"$lal\" parse"
cmp -s out text.trees || complain 'its trees should be those of the text'
expect 'its name' 0 "$lal" parse -f conllu text.gz
prints '# newdoc id = text.gz'
gzip -c dev.trees >dev.trees.gz
expect 'a compressed treebank' 0 "$lal" convert --to tokens dev.trees.gz
"$lal" convert --to tokens dev.trees | cmp -s - out || complain 'its words should be those of the treebank'
expect 'compressed text in tokens' 0 "$lal" tokenize text.gz
lines 3
head -c 60 text.gz >cut.gz
expect 'a compressed file that ends too early' 1 "$lal" parse cut.gz
says 'lal parse: cut.gz: found the end of the file inside compressed data (gzip), expected the rest of them'
(head -c 40 text.gz; echo damaged; tail -c +49 text.gz) >damaged.gz
expect 'a damaged one' 1 "$lal" parse damaged.gz
says 'lal parse: damaged.gz: found damaged compressed data (gzip: '
for k in $(seq 2000); do echo "Reader $k sees the tree. It is the head $k of"; done >many
gzip -c many | head -c 6000 >many.gz
expect 'text in one paragraph that ends too early' 1 "$lal" tokenize --newline space many.gz
n=$(gzip -dc many.gz 2>/dev/null | grep -c 'tree\.')
[ $(($(grep -c 'tree \.' out) - n)) -ge -1 ] || complain "$(grep -c 'tree \.' out) sentences of $n"
(gzip -c text; head -c 1000 /dev/zero) >padded.gz
expect 'zeros after compressed data' 0 "$lal" tokenize padded.gz
cp out plain
"$lal" tokenize text | cmp -s - plain || complain 'not the same'
(gzip -c text; echo more) >more.gz
expect 'other bytes after compressed data' 1 "$lal" tokenize more.gz
cmp -s plain out || complain 'not the same'
says 'more.gz: found other bytes after compressed data (gzip), expected their end'
expect 'compressed output' 0 "$lal" tokenize -o made.gz text
gzip -dc made.gz | cmp -s - plain || complain 'not the same'
expect 'a compressed model' 1 "$lal" parse -m text.gz text

# ---- folders and patterns
mkdir -p texts/b/deep texts/.hidden 'odd [name]' empty elsewhere
for t in b.txt b/deep/z.txt b/a.txt c.txt .left; do echo "This is $t." >texts/$t; done
echo 'Not seen.' >texts/.hidden/x.txt
gzip texts/c.txt
echo 'A link.' >elsewhere/target
ln -s ../elsewhere/target texts/d.txt
ln -s .. texts/loop
mkfifo texts/pipe
cp text 'odd [name]/text'
expect 'a folder' 0 "$lal" parse -f conllu texts
[ "$(sed -n 's/^# newdoc id = //p' out | tr '\n' ' ')" = \
    'texts/b/a.txt texts/b/deep/z.txt texts/b.txt texts/c.txt.gz texts/d.txt ' ] || { complain 'its files'; cat out; }
expect 'a folder with a slash, and a file' 0 "$lal" tokenize -f json texts/b/ text
prints '"document": "texts/b/deep/z.txt"'
prints '"document": "text"'
expect 'a folder without files' 1 "$lal" parse empty
says 'lal parse: empty: found a folder without files, expected at least one'
expect 'a pattern' 0 "$lal" parse -f conllu 'texts/b*.t?t' 'texts/[b]'
[ "$(sed -n 's/^# newdoc id = //p' out | tr '\n' ' ')" = 'texts/b.txt texts/b/a.txt texts/b/deep/z.txt ' ] ||
    { complain 'its files'; cat out; }
expect 'a pattern that nothing matches' 1 "$lal" parse 'texts/*.none'
says 'texts/*.none: cannot open: No such file or directory'
expect 'a name that is no pattern' 0 "$lal" parse 'odd [name]'
lines 3

# ---- a file for each input
expect 'a folder of outputs' 0 "$lal" parse --out-dir made/trees -f json --quiet texts text
[ ! -s out ] && [ ! -s err ] || complain 'it should print nothing'
[ "$(cd made/trees && find . -type f | LC_ALL=C sort | tr '\n' ' ')" = \
    './b.json ./b/a.json ./b/deep/z.json ./c.json ./d.json ./text.json ' ] || { complain 'its files'; find made; }
"$lal" parse -f json texts/b/deep/z.txt | cmp -s - made/trees/b/deep/z.json || complain 'a file should be as alone'
"$lal" parse -f json text | cmp -s - made/trees/text.json || complain 'the last file should be as alone'
expect 'trees' 0 "$lal" parse --out-dir made text
cmp -s made/text.trees text.trees || complain 'made/text.trees'
expect 'outputs inside the folder of inputs' 0 "$lal" parse --out-dir texts/out texts
expect 'again' 0 "$lal" parse --out-dir texts/out texts
[ "$(find texts/out -type f | wc -l)" -eq 5 ] || complain 'outputs were read as inputs'
rm -r texts/out
rm made/trees/c.json; echo kept >made/trees/b.json
expect 'the rest of a run' 0 "$lal" parse --out-dir made/trees --skip-existing -f json texts
says '4 of 5 inputs are left out: their outputs exist'
[ "$(cat made/trees/b.json)" = kept ] && [ -s made/trees/c.json ] || complain 'it should write c.json alone'
printf 'bad \377\n' >texts/bad.txt
expect 'a file that cannot be read' 1 "$lal" parse --out-dir some texts
says 'lal parse: texts/bad.txt:1:5: found bytes that are not UTF-8'
says 'lal parse: 1 of 6 files could not be read'
[ -s some/d.trees ] || complain 'the files after it should be parsed'
absent some/bad.trees
no_leftovers
cp text b.txt
expect 'one output of two inputs' 2 "$lal" parse --out-dir other texts/b.txt b.txt
says '--out-dir: found texts/b.txt and b.txt, which would both be written to other/b.trees, expected names that differ'
expect 'an output that is an input' 2 "$lal" parse --input brackets --out-dir . dev.trees
says '--out-dir: found ./dev.trees, which is an input, in place of the output of dev.trees'
expect 'standard input' 2 "$lal" parse --out-dir other
says '--out-dir: found standard input, expected files'
expect 'two places' 2 "$lal" parse --out-dir other --out x text
says '--out-dir: found --out, expected one of both'
expect 'nothing to continue' 2 "$lal" parse --skip-existing text
says '--skip-existing: expected --out-dir FOLDER'
absent other
expect 'a file in place of the folder' 1 "$lal" parse --out-dir text/x b.txt
says 'text: cannot make the folder: Not a directory'

# ---- a pipe: each line is answered before the next one is written
# has FILE N: waits until the file has N lines.
has() {
    n=0
    while [ "$(wc -l <"$1")" -lt "$2" ] && [ $n -lt 1200 ]; do sleep 0.05; n=$((n + 1)); done
    [ $n -lt 1200 ] || complain "$1 has $(wc -l <"$1") lines, expected $2"
}
for command in parse tokenize; do
    name="lal $command in a pipe"
    rm -f questions; mkfifo questions
    : >answers
    "$lal" $command --newline sentence questions >answers 2>err &
    pid=$!
    exec 8>questions
    for k in 1 2 3; do
        echo "The dog sees cat $k." >&8
        has answers $k
    done
    exec 8>&-
    wait $pid || complain 'it failed'
    [ "$(wc -l <answers)" -eq 3 ] || complain 'three lines'
done
printf 'A dog.\nA cat. A cow.\n\n\nA bird.\n' >short
expect 'paragraphs of lines' 0 "$lal" tokenize -f json --newline sentence short
[ "$(sed 's/.*"line": \([0-9]\).*"paragraph": \([a-z]*\),.*/\1 \2/' out | tr '\n' ' ')" = \
    '1 true 2 false 2 false 5 true ' ] || { complain 'lines and paragraphs'; cat out; }

# ---- signals end the program after a whole sentence
for signal in 'INT 130' 'TERM 143' 'HUP 129'; do
    for to in file pipe; do
        name="$signal, output to a $to"
        checks=$((checks + 1))
        rm -f flow sink stopped; mkfifo flow sink
        : >stopped
        target=stopped; [ $to = pipe ] && { target=sink; cat sink >stopped & cat=$!; }
        yes 'The dog (really) sees the river.' >flow 2>/dev/null &
        env --default-signal "$lal" parse -q -f json --newline sentence flow >$target 2>err &
        pid=$!
        has stopped 100
        kill -s "${signal% *}" $pid
        wait $pid
        status=$?
        [ $status -eq "${signal#* }" ] || { complain "exit status $status"; cat err; }
        [ $to = file ] || wait $cat
        [ "$(tail -c 2 stopped)" = '}' ] && [ "$(grep -vc '^{"id": .*}$' stopped)" -eq 0 ] ||
            { complain 'the output ends inside a sentence'; tail -c 200 stopped; }
    done
done
name='a signal while a file of many is written'
rm -f flow; mkfifo flow
yes 'The dog sees the river.' >flow 2>/dev/null &
env --default-signal "$lal" parse -q --out-dir half --newline sentence text flow 2>err &
pid=$! n=0
while [ -z "$(find half -name 'flow.*' 2>/dev/null)" ] && [ $n -lt 1200 ]; do sleep 0.05; n=$((n + 1)); done
kill -s INT $pid
wait $pid
[ "$(ls half)" = text.trees ] || { complain 'only complete files should be left'; ls half; }
expect 'it goes on' 0 "$lal" parse --out-dir half --skip-existing text b.txt
[ "$(ls half | tr '\n' ' ')" = 'b.trees text.trees ' ] || complain 'the other file'

# ---- nothing but errors on standard error
printf '{"tokens": [{"form": "a"}]}\n' >tokens.json
(cat text; i=0; while [ $i -lt 200 ]; do printf 'word '; i=$((i + 1)); done) >long
expect 'notes' 0 env LAL_PROGRESS=0 "$lal" parse long tokens.json
[ "$(wc -l <err)" -ge 3 ] || { complain 'it should say several things'; cat err; }
expect 'no notes' 0 env LAL_PROGRESS=0 "$lal" parse -q long tokens.json
[ ! -s err ] || { complain 'it should say nothing'; cat err; }
expect 'arcs that no tree has' 0 sh -c "printf '1\\ta\\t_\\t_\\tA\\t_\\t2\\t_\\n2\\tb\\t_\\t_\\tA\\t_\\t1\\t_\\n' |
    \"$lal\" parse -q --input conll --arcs given"
[ ! -s err ] || { complain 'it should say nothing'; cat err; }
expect 'errors' 1 "$lal" parse -q texts/bad.txt
says 'texts/bad.txt:1:5: found bytes that are not UTF-8'

finish
