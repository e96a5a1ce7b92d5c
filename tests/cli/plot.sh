#!/bin/sh
# plot.sh BUILD-FOLDER: pictures of training runs.
. "$(dirname "$0")/harness.sh"
make_toy

expect 'training with a log' 0 "$lal" train $data $tiny --epochs 3 --out run.lal --log run.jsonl
expect 'its picture' 0 "$lal" convert draw --log run.jsonl
prints '<title>training, run.jsonl</title>'
prints '3 checks up to epoch 3'
prints '>toy LAS</text>'
expect 'its picture in a file' 0 "$lal" convert draw --log run.jsonl -o run.svg
cmp -s out run.svg && complain 'it should not be on standard output'
"$lal" convert draw --log run.jsonl | cmp -s - run.svg || complain 'the file should hold the picture'
expect 'no log' 1 "$lal" convert draw --log dev.trees -o none.svg
says 'dev.trees:1: found no object with an epoch, expected a log of lal train'
absent none.svg
expect 'a log and sentences' 2 "$lal" convert draw --log run.jsonl dev.trees
no_leftovers

finish
