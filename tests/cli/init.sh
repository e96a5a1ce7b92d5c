#!/bin/sh
# init.sh BUILD-FOLDER: --init: the example of docs/FINETUNE.md, what is printed, messages, files that are damaged.
. "$(dirname "$0")/harness.sh"
make_toy

run="--batch-size 20 --warmup 10 --average 0 --epochs 1"
mine="--train mine.trees --train-deps train.conllx --name mine"
sed 's/(PP /(STEP /' train.trees >mine.trees

# ---- the example
mkdir example
cp -r "$root/examples" example
ln -s "$root/models" example/models
awk '/^    lal train --init models\/en-small.lal --name recipes/, /--out recipes.lal$/ { sub(/^    /, ""); print }' \
    "$root/docs/FINETUNE.md" >example/command
[ "$(wc -l <example/command)" -ge 3 ] || complain 'docs/FINETUNE.md has no example'
expect 'the example' 0 sh -c "cd example && lal() { '$lal' \"\$@\"; } && . ./command"
says 'begins with models/en-small.lal (parse): '
says 'new: 2 treebanks (recipes, news), 1 label (STEP::S)'
says 'default treebank: recipes'
echo 'Add the pears to the batter.' >step
expect 'a sentence as a recipe has it' 0 "$lal" parse --model example/recipes.lal --format brackets step
prints '(TOP (STEP (S (VP (VB Add)'
expect 'the same as news have it' 0 "$lal" parse --model example/recipes.lal --format brackets --treebank news step
prints '(TOP (S (VP (VB Add)'

# ---- from a parser to a parser
expect 'new labels' 0 "$lal" train $mine --init toy.lal $run --out my.lal --log my.jsonl
says 'begins with toy.lal (parse): '
says 'new: 1 treebank (mine), 1 label (STEP)'
says 'default treebank: mine'
grep -q '"labels": {"taken": [0-9]*, "added": 1, "first_added": \["STEP"\]}' my.jsonl ||
    complain 'the log lacks the label'
expect 'what the model says of it' 0 "$lal" model info -m my.lal
prints 'treebanks   2: toy mine'
prints 'default     mine'
prints 'own labels  1: STEP mine'
prints ', from toy.lal'
sed 's/\tdobj\t/\tobj\t/' train.conllx >other.conllx
expect 'heads inside phrases, linked' 0 "$lal" train $data $tiny --lal-form phrases --lal-arcs --lal-linked --epochs 1 \
    --out linked.lal
expect 'new types for them' 0 "$lal" train --train train.trees --train-deps other.conllx --name other \
    --init linked.lal $run --out other.lal
says 'new: 1 treebank (other), 1 type (obj)'
expect 'nothing new and no update' 0 "$lal" train $data --init toy.lal $run --lr 0 --out same.lal
grep -q '^  ' err && complain 'nothing is new, dropped or changed'
for m in toy same; do "$lal" parse --model $m.lal --input brackets -f json --deps stanford dev.trees >$m.json; done
cmp toy.json same.json || complain 'it should parse as before'
expect 'arcs alone' 0 "$lal" train --train none --train-deps train.conllx --name mine --init toy.lal $run --out arcs.lal
says 'the training data have no trees: their scorer is that of the model'
expect 'trees of it' 0 "$lal" parse --model arcs.lal --format brackets text
prints '(TOP'
expect 'arcs alone, without trees' 0 "$lal" train --train none --train-deps train.conllx --name mine --init toy.lal \
    --no-trees $run --out arcs.lal
expect 'what it predicts' 0 "$lal" model info -m arcs.lal
prints ' trees=false'
expect 'without a tagger' 0 "$lal" train $mine --init toy.lal $run --d-tag-hidden 0 --out no-tags.lal
says 'dropped: 6 tensors of scorers (f_tag.0.weight, '
says ' switched off by options'
expect 'a treebank of the model' 0 "$lal" train $mine --init toy.lal $run --treebank toy --out toy2.lal
says 'default treebank: toy'
expect 'stopping' 1 "$lal" train $mine --init toy.lal $run --out part.lal --stop-at-step 2
mv toy.lal away.lal
expect 'resuming without the model' 0 "$lal" train --resume part.lal.ckpt
mv away.lal toy.lal
for m in my part; do "$lal" parse --model $m.lal --input brackets -f json --deps stanford dev.trees >$m.json; done
cmp my.json part.json || complain 'a resumed run gives another model'

# ---- messages
refused() { # NAME STATUS MESSAGE OPTIONS...
    what=$1 code=$2 message=$3; shift 3
    expect "$what" "$code" "$lal" train $mine $run --out no.lal "$@"
    says "$message"
    absent no.lal
    absent no.lal.ckpt
}
refused 'another width' 2 \
    'd_model: found 64, expected 32, that of the model that the run begins with, toy.lal (--init)' \
    --init toy.lal --d-model 64
refused 'other heads of the same width' 2 'n_heads: found 4, expected 2' --init toy.lal --n-heads 4 --d-kv 8
refused 'vectors' 2 'found --init and --vectors' --init toy.lal --vectors text
refused 'an unknown treebank' 2 "--treebank: found 'mines', expected the name of a training treebank" --init toy.lal \
    --treebank mines
refused 'no such file' 1 'missing.lal: cannot open' --init missing.lal
refused 'no model' 1 'text: ' --init text
head -c 20000 toy.lal >half.lal
refused 'half a file' 1 'half.lal: ' --init half.lal
{ head -c 30000 toy.lal; printf 'x'; tail -c +30002 toy.lal; } >damaged.lal
refused 'a damaged file' 1 'damaged.lal: the checksum does not match: the file is damaged' --init damaged.lal
expect 'the model itself as output' 2 "$lal" train $mine $run --init toy.lal --out ./toy.lal
says "--init and --out: found the same file, './toy.lal', expected two"
"$lal" parse --model toy.lal --input brackets -f json --deps stanford dev.trees | cmp -s - toy.json ||
    complain 'the model has changed'
expect 'another model for a run that is resumed' 2 "$lal" train --resume part.lal.ckpt --init my.lal
says '--init: found my.lal and --resume, expected one of them: the run began with toy.lal'
no_leftovers
finish
