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

finish
