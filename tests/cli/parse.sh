#!/bin/sh
# parse.sh BUILD-FOLDER: `lal parse`: input, output, spelling, threads, and invalid input and models.
. "$(dirname "$0")/harness.sh"
make_toy

expect 'brackets' 0 "$lal" parse --model toy.lal text
lines 3
grep -q -- '-LRB-' out || complain 'brackets are not escaped'
[ "$(grep -c '^(TOP (' out)" -eq 3 ] || complain 'not three trees'
expect 'CoNLL-U' 0 "$lal" parse --model toy.lal --format conllu text
prints '# text = It never (really) sees the river!'
prints 'SpaceAfter=No'
prints '# newpar'
prints '# deps = UD v2'
expect 'Stanford dependencies in CoNLL-U' 0 "$lal" parse --model toy.lal --format conllu --deps stanford text
prints '# deps = Stanford basic 3.3.0'
grep -q 'obl' out && complain 'relations of UD'
cp out parsed.conllu
expect 'CoNLL-U reads as dependencies' 0 "$lal" eval --model toy.lal --gold-deps parsed.conllu
prints 'LAS 100.00'
expect 'dependencies in trees' 2 "$lal" parse --model toy.lal --deps ud text
says '--deps: expected --format conllu, conllx, json, pretty or svg'
expect 'contributions to arcs that the model does not score' 2 \
    "$lal" parse --model toy.lal --format conllu --why --deps ud text
says '--why: found --deps ud, expected --deps stanford'
expect 'JSON' 0 "$lal" parse --model toy.lal --format json text
prints '"form": "(", "begin": 42, "end": 43, "bytes": [43, 44]'
prints '"p": '
prints '"deps": "UD v2"'
prints '"tree": "(TOP ('
expect 'JSON of the dependencies of the model' 0 "$lal" parse --model toy.lal --format json --deps stanford text
prints '"p": '
prints '"deps": "Stanford basic 3.3.0"'
prints '"tree": "(TOP ('
for threads in 1 2 5; do
    "$lal" parse --model toy.lal --format json --threads $threads dev.trees --input brackets > json.$threads
done
name='threads'; cmp json.1 json.2 && cmp json.1 json.5 || complain 'the output depends on the number of threads'
printf 'a b c\n\nd\n' > lines
expect 'pretokenised text' 0 "$lal" parse --model toy.lal --pretokenized lines
lines 3
[ -z "$(sed -n 2p out)" ] || complain 'the empty line was lost'
expect 'given tags' 0 "$lal" parse --model toy.lal --input conll --tags given --format conllx dev.conllx
cut -f 5 out > tags.out; cut -f 5 dev.conllx > tags.gold
cmp tags.out tags.gold || complain 'the tags are not those given'
expect 'tags without tagged input' 2 "$lal" parse --model toy.lal --tags given text
expect 'an empty file' 0 "$lal" parse --model toy.lal /dev/null
silent
expect 'standard input' 0 sh -c "\"$lal\" parse --model toy.lal - < text"
lines 3
expect 'several files, order kept' 0 "$lal" parse --model toy.lal text text
lines 6
expect 'documents in CoNLL-U' 0 "$lal" parse --model toy.lal --format conllu text lines text
[ "$(grep '^# newdoc' out)" = "$(printf '# newdoc id = text\n# newdoc id = lines\n# newdoc id = text')" ] ||
    complain 'each file should be a document'
expect 'a document without a name' 0 sh -c "\"$lal\" parse --model toy.lal --format conllu - < text"
[ "$(grep '^# newdoc' out)" = '# newdoc' ] || complain 'standard input is a document'
expect 'documents in JSON' 0 "$lal" parse --model toy.lal --format json text lines
[ "$(grep -c '"document": "text"' out) $(grep -c '"document": "lines"' out)" = '3 2' ] ||
    complain 'each sentence should name its file'
expect 'documents of tokens' 0 "$lal" tokenize --format json text lines
prints '"document": "lines", "line": 3, "paragraph": true'
printf '*x*x*\n*x* (C) x *x*\n( (S (NP (NN -LCB-a]) (CD 1\\/2)) (VP (VBZ is) (NN -LRB-))) )\n( (S (-NONE- *)) )\n' > ptb
expect 'words as spelled in the treebank' 0 "$lal" parse --model toy.lal --input brackets ptb
prints ' -LCB-a])'
prints ' 1\/2)'
prints ' -LRB-)'
says 'ptb:1: note: skipped the header (lines that begin with *x*)'
says 'ptb:4: note: skipped a tree that has only traces'
expect 'all brackets escaped' 0 "$lal" parse --model toy.lal --input brackets --escape all ptb
prints ' -LCB-a-RSB-)'
prints ' 1/2)'
expect 'round brackets escaped' 0 "$lal" parse --model toy.lal --input brackets --escape round --format conllx ptb
prints '	{a]	'
expect 'spelling of CoNLL-X' 0 "$lal" parse --model toy.lal --input brackets --format conllx ptb
prints '	-LCB-a]	'
sed -n 3p ptb > ptb.gold
expect 'evalb on words as spelled in the treebank' 0 sh -c \
    "\"$lal\" parse --model toy.lal --input brackets ptb > ptb.out 2>/dev/null; \"$lal\" evalb ptb.gold ptb.out"
prints 'Number of Valid sentence  =      1'
expect 'convert with words as spelled in the treebank' 0 "$lal" convert --escape input --top empty ptb
prints '( (S (NP (NN -LCB-a]) (CD 1\/2)) (VP (VBZ is) (NN -LRB-))))'
rm -f in.pipe; mkfifo in.pipe
name='a paragraph from a pipe'; checks=$((checks + 1))
"$lal" parse --model toy.lal < in.pipe 2>err | cat > slow & pid=$!
exec 9> in.pipe
printf 'The first is here.\n\nThe second' >&9
n=0; while [ ! -s slow ] && [ $n -lt 300 ]; do sleep 0.1; n=$((n + 1)); done
[ "$(wc -l <slow)" -eq 1 ] || complain 'its tree should come before the next paragraph ends'
exec 9>&-
wait $pid
[ "$(wc -l <slow)" -eq 2 ] || complain 'the last paragraph was lost'

# ---- model files that change while they are used
sed 's/$/\n/' "$root/examples/news.txt" >rest
{ printf 'The first is here.\n\n'; cat rest; } >all
"$lal" parse --model toy.lal --quiet all >whole
for how in overwritten shortened emptied longer renamed permitted; do
    for when in early late; do cp toy.lal $how-$when.lal; done
done
sleep 2.1 # a file that was changed a moment ago is copied, and may change
change() {
    case $1 in
    overwritten) dd if=/dev/urandom of="$2" bs=1000 seek=5 count=50 conv=notrunc 2>/dev/null ;;
    shortened) truncate -s 10000 "$2" ;;
    emptied) : >"$2" ;;
    longer) echo >>"$2" ;;
    renamed) echo no model >other && mv other "$2" ;;
    permitted) chmod 400 "$2" && ln "$2" "$2.link" ;;
    esac
}
# while_parsing HOW WHEN OUTPUT: the model changes when the program waits for text (early), or when it has answered the
# first sentence (late); leaves trees in ./slow or, with the option, in ./written, messages in ./err.
while_parsing() {
    name="a model that is $1 $2" checks=$((checks + 1))
    rm -f in.pipe out.pipe; mkfifo in.pipe out.pipe
    cat out.pipe >slow & reader=$!
    "$lal" parse --model "$1-$2.lal" --threads 2 --quiet $3 in.pipe >out.pipe 2>err & pid=$!
    exec 9>in.pipe # goes on when the program has opened it
    if [ "$2" = late ]; then
        head -n 2 all >&9
        n=0; while [ ! -s slow ] && [ $n -lt 300 ]; do sleep 0.1; n=$((n + 1)); done
        change "$1" "$1-$2.lal"
        cat rest >&9
    else
        change "$1" "$1-$2.lal"
        cat all >&9
    fi
    exec 9>&-
    wait $pid
    status=$?
    wait $reader
}
for how in overwritten shortened emptied longer; do
    for when in early late; do
        while_parsing $how $when ''
        [ $status -eq 1 ] || complain "exit status $status, expected 1"
        says "lal parse: $how-$when.lal: the model file was changed while it was read"
        [ $when = early ] && head -n 0 whole >expected
        [ $when = late ] && head -n 1 whole >expected
        cmp -s slow expected || complain "$(wc -l <slow) trees, expected $(wc -l <expected)"
    done
done
for how in renamed permitted; do
    for when in early late; do
        while_parsing $how $when ''
        [ $status -eq 0 ] && cmp -s slow whole || complain 'it should parse as before'
        [ -s err ] && { complain 'it should say nothing'; cat err; }
    done
done
cp toy.lal emptied-early.lal; sleep 2.1; echo old >written
while_parsing emptied early '--out written'
[ $status -eq 1 ] && [ "$(cat written)" = old ] || complain 'the old output should stay'
no_leftovers

expect 'output to a file' 0 "$lal" parse --model toy.lal --out trees text
silent
[ "$(wc -l <trees)" -eq 3 ] || complain 'the file lacks trees'
yes 'tree' | head -n 2000 | tr '\n' ' ' > long
expect 'a sentence of 2000 words' 0 "$lal" parse --model toy.lal --pretokenized --max-words 150 long text
says 'a sentence of 2000 words was parsed in'
[ "$(wc -l <out)" -ge 2 ] || complain 'the rest of the input was lost'
head -c 100000 /dev/zero | tr '\0' 'x' > line
expect 'a line of 100000 bytes' 0 "$lal" parse --model toy.lal line
lines 1
printf 'good\nbad \377 byte\n' > invalid
expect 'invalid UTF-8' 1 "$lal" parse --model toy.lal invalid
says 'invalid:2:5: '
silent
printf 'nul \000 byte\n' > nul
expect 'a NUL byte' 1 "$lal" parse --model toy.lal nul
says 'nul:1:5: '
expect 'a missing file' 1 "$lal" parse --model toy.lal nothing
says 'nothing: cannot open: No such file or directory'
expect 'a path without characters' 1 "$lal" parse --model toy.lal ''
says "lal parse: '': cannot open: No such file or directory"
for kind in 'PDF file:%%PDF-1.4\n%%\342\343' 'zip archive:PK\003\004\000' \
    'text in UTF-16:\377\376a\000' 'text in UTF-16:\376\377\000a'; do
    printf "${kind#*:}" >binary
    expect "a file that is no text: ${kind%%:*}" 1 "$lal" parse --model toy.lal binary
    says 'lal parse: binary: found '
    says "${kind%%:*}"
    says ', expected text in UTF-8'
done
printf '%%PDF-1.4 begins a file.\n' >text_of_pdf
expect 'text that begins like a PDF file' 0 "$lal" parse --model toy.lal text_of_pdf
expect 'a full disk' 1 "$lal" parse --model toy.lal --out /dev/full text
says '/dev/full: cannot write: No space left on device'
expect 'a full standard output' 1 sh -c "\"$lal\" parse --model toy.lal text > /dev/full"
says 'cannot write: No space left on device'
expect 'a closed pipe' 0 sh -c \
    "(\"$lal\" parse --model toy.lal --input brackets train.trees train.trees; echo \$? > code) | head -n 1 > /dev/null"
[ "$(cat code)" -eq 141 ] || complain "exit status $(cat code) of the writer, expected 141 (SIGPIPE)"
expect 'a missing output folder' 1 "$lal" parse --model toy.lal --out nowhere/trees text
says 'nowhere/trees: cannot write: No such file or directory'
expect 'a failing run keeps the old file' 1 "$lal" parse --model toy.lal --out trees text nothing
[ "$(wc -l <trees)" -eq 3 ] || complain 'the old output was destroyed'
no_leftovers
if [ "$(id -u)" -ne 0 ]; then
    mkdir locked; chmod a-w locked
    expect 'a folder without permission' 1 "$lal" parse --model toy.lal --out locked/trees text
    says 'Permission denied'
fi

# ---- invalid model files
head -c 3000 toy.lal > cut.lal
expect 'a truncated model' 1 "$lal" parse --model cut.lal text
says 'cut.lal: found the first 3000 bytes of a model, expected more than '
head -c 20000 toy.lal > cut.lal
expect 'a model without its end' 1 "$lal" parse --model cut.lal text
says "cut.lal: found the first 20000 bytes of a model, expected $(wc -c <toy.lal): the file is cut off"
{ head -c 20000 toy.lal; printf '\001\002\003'; tail -c +20004 toy.lal; } > flipped.lal
expect 'a damaged model' 1 "$lal" parse --model flipped.lal text
says 'flipped.lal: the checksum does not match: the file is damaged'
sed 's/"lal.format": "1"/"lal.format": "9"/' toy.lal > newer.lal
expect 'a model of a newer format' 1 "$lal" parse --model newer.lal text
says 'newer.lal: found model format 9, this program reads up to 4'
expect 'a text as model' 1 "$lal" parse --model text text
says 'text: found a text, expected a model of this program'
expect 'an empty file as model' 1 "$lal" eval --model /dev/null --gold dev.trees
says '/dev/null: found a device, expected a regular file'
mkdir folder.lal
for command in parse 'model info' serve classify tokenize; do
    expect "a folder as model of $command" 1 "$lal" $command --model folder.lal
    says 'folder.lal: found a folder, expected a regular file'
done
expect 'a missing model' 1 "$lal" parse --model none.lal text
says 'none.lal: cannot open'
case $build in
*address*) ;; # AddressSanitizer reserves more address space than any limit
*)  # a file of 5 KB whose configuration has 3.6 GB of weights
    expect 'a configuration larger than its file' 1 sh -c \
        "ulimit -v 1000000; \"$lal\" model info -m \"$root/tests/fuzz/seeds/model/giant\""
    says 'giant: tensor dep_score.arc_h.weight: found shape [4, 1], expected [4, 30000] by the configuration' ;;
esac
expect 'an unknown treebank' 2 "$lal" parse --model toy.lal --treebank wsj text
says "--treebank: found 'wsj'"

finish
