#!/bin/sh
# resume.sh BUILD-FOLDER: `lal train --resume FILE` alone continues a run; options given with it; what a run says of
# itself: progress, checks, its end.
. "$(dirname "$0")/harness.sh"
make_toy
rm toy.lal

# ---- a run with values of every kind that are not the defaults
command="$data $tiny --dev train.trees --dev-deps english.rules --dev-name toy --dev-name rules --threads 2 --epochs 3
    --checks-per-epoch 2 --average 0.9 --no-partitioned --schedule plateau --mix toy=0.9 --vary-case 0.3 --store f16
    --group encoder.=0.5 --freeze f_tag. --treebank toy --seed 7"
expect 'the whole run' 0 "$lal" train $command --out whole.lal --log whole.jsonl
says 'trained 3 epochs in '
says '; best at epoch '
says '; written to whole.lal'
expect 'a part of it' 1 "$lal" train $command --out part.lal --log part.jsonl --stop-at-step 5
says 'interrupted after 1.'
says 'continue with --resume part.lal.ckpt'
cp part.lal.ckpt copy.ckpt
expect 'the rest of it' 0 "$lal" train --resume part.lal.ckpt
grep -q '^--resume' err && { complain 'no option has changed'; cat err; }
says 'trained 3 epochs in '
says '; written to part.lal'
for m in whole part; do
    "$lal" parse -m $m.lal --input brackets -f json --deps stanford dev.trees >$m.json || complain "parsing with $m.lal"
    "$lal" model info -f json -m $m.lal | grep -o '"config": .*' |
        sed 's/"seconds": [0-9]*/"seconds"/; s/"checksum": "[^"]*"//' >$m.config
    sed 's/"seconds": [0-9]*//; s/"sentences_per_s": [0-9.]*//; s/"check_s": [0-9.]*//' $m.jsonl >$m.log
done
name='a resumed run'; cmp whole.json part.json || complain 'parses differently from an uninterrupted one'
name='its options'; cmp whole.config part.config || complain 'they differ'
name='its log'; cmp whole.log part.log || complain 'it differs'
expect 'a run that is done' 0 "$lal" train --resume part.lal.ckpt
says 'trained 3 epochs in '
says '; no better model since the run was resumed'

# ---- options given with it
expect 'a new option of each table' 0 "$lal" train --resume copy.ckpt --out new.lal --epochs 4 --dev dev.trees \
    --dev-deps dev.conllx --dev-name dev --d-ff 99 --log new.jsonl
says '--resume: out changes from "part.lal" to "new.lal"'
says '--resume: dev changes from ["dev.trees", "train.trees"] to ["dev.trees"]'
says '--resume: log changes from "part.jsonl" to "new.jsonl"'
says '--resume: epochs changes from 3 to 4'
says '--resume: d_ff stays 48, found 99; model options are fixed'
[ "$(grep -c '^--resume' err)" -eq 7 ] || { complain 'seven options have changed'; grep '^--resume' err; }
says 'trained 4 epochs'
[ -s new.lal.ckpt ] || complain 'the checkpoint should be named by the new model'
expect 'its own options, in turn' 0 "$lal" train --resume new.lal.ckpt --quiet
[ -s err ] && { complain 'standard error is not empty'; cat err; }
expect 'a list is replaced' 2 "$lal" train --resume copy.ckpt --freeze embedding.
says 'found other --freeze options, expected those the run began with: ["f_tag."]'
expect 'another preset' 0 "$lal" train --resume copy.ckpt --preset paper --epochs 3 --freeze f_tag. --batch-size 20 \
    --out paper.lal
says '--resume: preset changes from "small" to "paper"'
says '--resume: average changes from 0.9 to 0'
says '--resume: d_model stays 32, found 1024; model options are fixed'
expect 'files that are gone' 1 sh -c "mkdir elsewhere; cd elsewhere; '$lal' train --resume ../copy.ckpt"
says 'train.trees: cannot open'
"$lal" parse -m part.lal text >/dev/null
expect 'a model' 1 "$lal" train --resume part.lal
says 'part.lal: found a model without training state, expected a checkpoint'
expect 'a model, with files' 1 "$lal" train --resume part.lal --train train.trees
says 'part.lal: found a model without training state, expected a checkpoint'
expect 'no checkpoint' 1 "$lal" train --resume nowhere.ckpt
says 'nowhere.ckpt: cannot open'

# ---- the data: their content counts, not their names
mkdir here
cp train.trees train.conllx dev.trees dev.conllx here
sets() { echo "--train $1/train.trees --train-deps $1/train.conllx --dev $1/dev.trees --dev-deps $1/dev.conllx"; }
changed() { # NAME FILE...
    expect "$1" 2 "$lal" train --resume data.lal.ckpt
    says "--resume: found other sentences in $2, expected those the run began with"
}
{
expect 'a run with files of a folder' 0 "$lal" train $(sets here) $tiny --epochs 3 --out kept.lal
expect 'a part of it' 1 "$lal" train $(sets here) $tiny --epochs 3 --out data.lal --stop-at-step 6
sed '0,/(NN /s//(NNS /' dev.trees >here/dev.trees
changed 'dev trees with another tag' 'here/dev.trees and here/dev.conllx'
cp dev.trees here
sed '0,/	dobj	/s//	iobj	/' train.conllx >here/train.conllx
cmp -s train.conllx here/train.conllx && complain 'it should be changed'
changed 'a dependency of another type' 'here/train.trees and here/train.conllx'
(sed 1d train.trees; sed 1q train.trees) >here/train.trees
(sed '1,/^$/d' train.conllx; sed '/^$/q' train.conllx) >here/train.conllx
changed 'sentences in another order' 'here/train.trees and here/train.conllx'
cp train.trees train.conllx here
mv here there
expect 'files that were moved' 0 "$lal" train --resume data.lal.ckpt $(sets there)
for m in kept data; do
    "$lal" parse -m $m.lal --input brackets -f json --deps stanford dev.trees >$m.json || complain "parsing with $m.lal"
    "$lal" model info -f json -m $m.lal |
        sed 's/"seconds": [0-9]*/"seconds"/; s/"\(path\|checksum\)": "[^"]*"//g' >$m.info
done
cmp kept.json data.json || complain 'it parses differently from the run that was not moved'
cmp kept.info data.info || complain 'it differs from the run that was not moved'
}

# ---- what a run says
expect 'trees alone' 0 env LAL_PROGRESS=0 "$lal" train --train train.trees --dev dev.trees $tiny --epochs 6 -o t.lal
grep -E 'UAS|LAS|arc |type |joint' err && complain 'it should say nothing of dependencies'
line='^train: [0-9]+ %, epoch [0-9.]+/6, [0-9]+ sentences/s, losses span [0-9.]+ tag [0-9.]+, lr [0-9.e-]+, .* left'
grep -qE "$line" err || { complain 'it lacks progress'; cat err; }
expect 'dependencies alone' 0 env LAL_PROGRESS=0 "$lal" train --train-deps train.conllx --dev-deps dev.conllx $tiny \
    --epochs 6 -o d.lal
grep -E 'F1|span|joint' err && complain 'it should say nothing of trees'
grep -qE 'losses arc [0-9.]+ type [0-9.]+ tag [0-9.]+, lr' err || { complain 'it lacks progress'; cat err; }
expect 'a run that is stopped early' 0 "$lal" train $data $tiny --lr 0 --epochs 20 --stop-after 2 -o early.lal
says 'stopped early after 3 epochs, 2 of them without a better score in '
says '; best at epoch 1.00: toy F1 '
expect 'a run without a dev set' 0 "$lal" train --train train.trees $tiny --epochs 1 -o nodev.lal
says '; no dev set, the model is that of epoch 1.00; written to nodev.lal'
expect 'a quiet run' 0 env LAL_PROGRESS=0 "$lal" train $data $tiny -q -o quiet.lal
[ -s err ] && { complain 'standard error is not empty'; cat err; }
expect 'a treebank that is meant' 2 "$lal" train $data $tiny --treebank tyo -o no.lal
says "did you mean 'toy'?"
expect 'a treebank that is meant, with its share' 2 "$lal" train $data $tiny --mix tyo=0.5 -o no.lal
says "did you mean 'toy'?"

expect 'one file for log and model' 2 "$lal" train $data $tiny -o same --log same
says '--out and --log: found the same file'
no_leftovers

finish
