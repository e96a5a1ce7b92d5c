#!/bin/sh
# pretrain.sh BUILD-FOLDER: `lal train --task detect`: input, training, resuming, trainings that begin with the encoder,
# messages.
. "$(dirname "$0")/harness.sh"
make_toy

small="--d-model 32 --n-layers 2 --n-heads 2 --d-kv 16 --d-ff 48 --n-label-heads 6 --lal-d-kv 8 --lal-d-proj 8
    --affix-buckets 50 --word-min-count 1 --batch-size 20 --subbatch-tokens 60 --warmup 10 --lr 0.01 --average 0"
run="--batch-size 20 --warmup 10 --average 0"
from_treebank="--train train.trees --dev dev.conllx --input treebank"

# ---- training
expect 'training on a treebank' 0 "$lal" train --task detect $from_treebank $small --epochs 4 --out a.lal \
    --log a.jsonl --threads 2
silent
says '80 sentences (0 longer than 150 words left out), '
says 'dev.conllx accuracy '
says ' baseline '
says 'written to a.lal'
scores='"dev": {"dev.conllx": {"words": [0-9]*, "accuracy": [0-9.]*, "baseline": [0-9.]*, "loss": '
[ "$(grep -c "$scores" a.jsonl)" -eq 4 ] || complain 'a line for each check'
grep -q '"loss": {"replaced": 0\.' a.jsonl || complain 'the log lacks the loss'
expect 'one thread' 0 "$lal" train --task detect $from_treebank $small --epochs 4 --out one.lal --log one.jsonl \
    --threads 1
# shellcheck disable=SC2216
{ "$lal" train --task detect $from_treebank $small --epochs 1 --out pipe.lal 2>&1 >/dev/null; echo $? >code; } | sleep 0
name='training whose reader ends'; [ "$(cat code)" = 0 ] && [ -s pipe.lal ] || complain "status $(cat code), expected 0"
expect 'stopping' 1 "$lal" train --task detect $from_treebank $small --epochs 4 --out part.lal --log part.jsonl \
    --stop-at-step 9
says 'continue with --resume part.lal.ckpt'
expect 'resuming' 0 "$lal" train --resume part.lal.ckpt --threads 2
for m in one part; do
    name="the run of $m"; checks=$((checks + 1))
    for log in a $m; do tail -n 1 $log.jsonl | sed 's/.*"score"/"score"/' >$log.last; done
    cmp -s a.last $m.last || complain 'it ends with other scores'
done
expect 'raw text' 0 "$lal" train --task detect --train text $small --epochs 1 --quiet
[ -s my.lal ] || complain 'the default name is my.lal'
[ -s err ] && complain 'it should say nothing'
"$lal" tokenize text >tokens
expect 'what heads do' 0 "$lal" inspect heads -m a.lal --gold dev.conllx --gr next
says '20 sentences, '
expect 'trees as text' 0 "$lal" train --task detect --train train.trees $small --epochs 1 --out as-text.lal
says 'train.trees:1: note: this looks like trees in brackets, but is read as text; --input treebank reads its words'
expect 'tokens' 0 "$lal" train --task detect --train tokens --train tokens --input tokens $small --epochs 1 --out b.lal
says '6 sentences'
expect 'the end after some updates' 0 "$lal" train --task detect $from_treebank $small --epochs 9 --max-updates 6 \
    --out b.lal
says 'trained 1.5 epochs'
echo '{"encoder_options": {"heads": [{"heads": [0], "pattern": "next", "use": "guide"}]}}' >guide.json
expect 'guided heads' 0 "$lal" train --task detect $from_treebank $small --epochs 2 --encoder-options guide.json \
    --out guided.lal --log guided.jsonl
grep -q '"loss": {"replaced": [0-9.]*, "guidance": [0-9.]*}' guided.jsonl || complain 'the log lacks guidance'
expect 'a picture of the log' 0 "$root/recipes/plot_log.py" a.jsonl

# ---- hidden words
expect 'hidden words' 0 "$lal" train --task mask $from_treebank $small --most-words 5 --epochs 2 --out mask.lal \
    --log mask.jsonl
says 'dev.conllx accuracy '
grep -q '"loss": {"masked": [0-9]' mask.jsonl || complain 'the log lacks the loss'
expect 'info' 0 "$lal" model info -m mask.lal
prints 'task        mask'
expect 'info as JSON' 0 "$lal" model info --format json -m mask.lal
prints '"mask": {"rate": 0.15, "words": 5}'
expect 'a parser that begins with it' 0 "$lal" train $data --init mask.lal $run --epochs 1 --out p.lal
says 'begins with mask.lal (mask): '
expect 'parsing with it' 1 "$lal" parse -m mask.lal text
says 'mask.lal: found a model that guesses hidden words (lal train --task mask), expected a model that parses'
expect 'an option of hidden words' 2 "$lal" train --task detect $from_treebank $small --most-words 5
says '--most-words: found --task detect, expected --task mask'
expect 'an option of both' 2 "$lal" train $data $small --replace 0.2
says '--replace: found --task parse, expected --task detect'

# ---- the file
expect 'info' 0 "$lal" model info -m a.lal
prints 'task        detect'
expect 'info as JSON' 0 "$lal" model info --format json -m a.lal
prints '"replace": {"rate": 0.15, "power": 1}'
prints '"format": 3'
prints '"task": "detect"'
expect 'parsing with it' 1 "$lal" parse -m a.lal text
says 'a.lal: found a model that finds replaced words (lal train --task detect), expected a model that parses'
expect 'classifying with it' 1 "$lal" classify -m a.lal text
says 'a.lal: found a model that finds replaced words (lal train --task detect), expected a model that classifies'
expect 'resuming as another task' 2 "$lal" train --task classify --resume part.lal.ckpt
says '--task: found classify and --resume, expected the task of the run, detect'

# ---- trainings that begin with it
expect 'a parser' 0 "$lal" train $data --init a.lal $run --epochs 1 --out p.lal --log p.jsonl
says 'begins with a.lal (detect): '
grep -q '"init": {"model": "a.lal", "task": "detect", "tensors": {"taken": [0-9]*[,}]' p.jsonl ||
    complain 'the log lacks what was loaded'
expect 'its parses' 0 "$lal" parse -m p.lal text
expect 'its training' 0 "$lal" model info -f json -m p.lal
prints '"init": {"model": "a.lal", "task": "detect", '
prints '"n_layers": 2'
expect 'a parser after guidance' 0 "$lal" train $data --init guided.lal $run --epochs 1 --out p.lal
expect 'its options' 0 "$lal" model info --format json -m p.lal
prints '"encoder_options": null'
expect 'a parser from a parser' 0 "$lal" train $data --init p.lal $run --epochs 1 --out q.lal
says 'begins with p.lal (parse): '
awk '{ print (NR % 2 ? "odd" : "even") "\t" $0 }' tokens >classes.tsv
expect 'a classifier' 0 "$lal" train --task classify --train classes.tsv --init a.lal $run --epochs 1 --out c.lal
says 'begins with a.lal (detect): '
expect 'more pretraining' 0 "$lal" train --task detect --train text --init a.lal $run --epochs 1 --out more.lal
says 'begins with a.lal (detect): '
expect 'another shape' 2 "$lal" train $data --init a.lal --d-ff 40 --out no.lal
says 'd_ff: found 40, expected 48, that of the model that the run begins with, a.lal (--init)'
expect 'vectors beside it' 2 "$lal" train $data --init a.lal --vectors text --out no.lal
says 'found --init and --vectors, expected one of them: a model has its own'
absent no.lal

# ---- messages
expect 'no text' 2 "$lal" train --task detect $small
says 'found no --train file, expected at least one'
expect 'an argument' 2 "$lal" train --task detect text
says "found 'text', expected only options"
expect 'a rate above 1' 2 "$lal" train --task detect --train text --replace 1.5
says '--replace'
: >nothing
expect 'an empty file' 1 "$lal" train --task detect --train nothing $small --out no.lal
says 'nothing:1:1: found no sentence, expected one at least'
expect 'no such file' 1 "$lal" train --task detect --train missing $small --out no.lal
says 'missing: cannot open: No such file or directory'
absent no.lal

# ---- recipes/pretrain.sh: tables, and a second run that trains nothing
mkdir -p copy/recipes copy/build data/gum-open
cp "$root/recipes/pretrain.sh" "$root/recipes/steps.sh" "$root/recipes/values.sh" copy/recipes
ln -s "$lal" copy/build/lal
for f in train.trees train.conllx dev.trees dev.conllx; do ln -s "../../$f" data/gum-open; done
ln -s dev.trees data/gum-open/test.trees
ln -s dev.conllx data/gum-open/test.conllx
expect 'the script' 0 copy/recipes/pretrain.sh data 1 12 1 --d-model 32 --n-heads 2 --d-kv 16 --d-ff 48 \
    --n-label-heads 6 --lal-d-kv 8 --lal-d-proj 8 --affix-buckets 50 --word-min-count 1 --quiet
prints 'Pretraining, 12 updates'
for row in '| 1 | no | 0.' '| 1 | yes | 0.' '| 1 | scratch | ' '| 1 | plain | ' '| 1 | guided | '; do
    prints "$row"
done
lines 14
mv out table
expect 'the script again' 0 copy/recipes/pretrain.sh data 1 12 1
[ -s err ] && complain 'it should train nothing'
cmp -s out table || complain 'it should print the same table'
no_leftovers
finish
