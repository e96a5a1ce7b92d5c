#!/bin/sh
# plot.sh BUILD-FOLDER: recipes/plot_log.py: pictures of training runs.
. "$(dirname "$0")/harness.sh"
make_toy
plot=$root/recipes/plot_log.py

# draws NAME: the picture of ./log, in ./out, which is well-formed XML.
draws() {
    expect "$1" 0 "$plot" log
    python3 -c 'import xml.etree.ElementTree as x; x.parse("out")' || complain 'it is no XML'
}
lacks() { ! grep -qF -- "$1" out || complain "standard output has: $1"; }
counts() { [ "$(grep -o -- "$2" out | wc -l)" -eq "$1" ] || complain "$(grep -o -- "$2" out | wc -l) times $2"; }

# check EPOCH BEST F1 LAS: a line of a log.
loss='"loss": {"span": 8, "arc": 4, "type": 2, "tag": 1}'
check() {
    echo "{\"epoch\": $1, $loss, \"best\": $2, \"dev\": {\"a<b\": {\"f1\": $3, \"las_nopunct\": $4}}}"
}
# run NAME EPOCH: a line of a run with a name, which is also that of its dev set.
run() { echo "{\"epoch\": $2, \"run\": \"$1\", $loss, \"dev\": {\"$1\": {\"f1\": 50}}}"; }

expect 'training with a log' 0 "$lal" train $data $tiny --epochs 3 --out run.lal --log run.jsonl
cp run.jsonl log
draws 'its picture'
prints '<title>training, log</title>'
prints '3 checks up to epoch 3'
prints '>toy LAS</text>'

{ check 1 true 60 50; check 2 true 80.25 70; check 3 false 79 69; } >log
draws 'curves with the best check'
prints '3 checks up to epoch 3, the best at epoch 2'
prints '>a&lt;b F1</text>'
prints '>80.25</text>' # the legend has the values of the best check
prints 'a&lt;b LAS 69, epoch 3</title>'
prints 'prefers-color-scheme:dark'
counts 18 '<circle'
counts 2 'class="best"'
{ check 1 true 60 50; check 2 true 61 51; check 3 true 62 52; check 2 true 71 61; } >log
draws 'a resumed run'
prints '2 checks up to epoch 2, the best at epoch 2'
prints '>71.00</text>'
lacks 'a&lt;b F1 61,'
lacks 'a&lt;b F1 62,'
{ check 1 true 60 50; check 2 true 61 51; check 1 true 30 20; } >log
draws 'a new run in its log'
prints '1 checks up to epoch 1, the best at epoch 1'
lacks 'a&lt;b F1 60,'
# Each epoch is after the one before it, so epochs alone do not tell the runs apart.
{ run killed 0.25; run killed 0.5; run last 1; run last 2; } >log
draws 'a run after one that was killed'
prints '2 checks up to epoch 2'
prints '>last F1</text>'
lacks killed
{ check 1 true 60 50; run last 2; run last 3; } >log
draws 'a run after one of a version without runs'
prints '2 checks up to epoch 3'
{ check 1 true 60 50; printf '{"epoch": 2, "los'; } >log
draws 'a line that is being written'
prints '1 checks up to epoch 1'
{ check 1 true 60 null; check 2 true 61 null; } >log
draws 'trees alone'
prints 'a&lt;b F1'
lacks LAS
echo '{"epoch": 0.5, "loss": {"span": 0, "arc": 4, "type": null, "tag": 1e-9}, "best": true, "dev": {}}' >log
draws 'no dev set, with which every check is called the best'
for part in 'dev scores' 'class="best"' '>span<'; do lacks "$part"; done
prints '>arc<'
prints 'last, epoch 0.5'
seq 300 | sed 's/.*/{"epoch": &, "loss": {"arc": 4}, "best": true, "dev": {"d0": {"f1": &}}}/' >log
draws 'many checks'
prints '>d0 F1</text>'
counts 0 '<circle' # too close to each other

: >empty
check 1 true 60 50 | cat - dev.trees >trees
echo '[1]' >array
echo >line
while IFS='|' read -r file message; do
    expect "the log $file" 1 "$plot" "$file"
    says "$message"
    silent
done <<'END'
empty|empty: found no check, expected a log of lal train
trees|trees:2: found no object with an epoch, expected a log of lal train
array|array:1: found no object with an epoch, expected a log of lal train
line|line:1: found no object with an epoch, expected a log of lal train
none|none: cannot open: No such file or directory
END

finish
