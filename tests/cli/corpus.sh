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

finish
