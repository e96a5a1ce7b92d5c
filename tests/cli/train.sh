#!/bin/sh
# train.sh BUILD-FOLDER: `lal train`: what it trains and saves, how it is resumed and interrupted, and its messages.
. "$(dirname "$0")/harness.sh"
make_toy
rm toy.lal # trained here

expect 'training' 0 "$lal" train $data $tiny --out toy.lal --log toy.jsonl
says '80 sentences'
says 'toy F1'
says 'joint spans: 0 groups left flat'
grep 'marks depend' err && complain 'the marks of these trees depend on heads of phrases'
[ "$(wc -l <toy.jsonl)" -eq 2 ] || complain 'the log should hold a line for each check'
expect 'training again on one thread' 0 "$lal" train $data $tiny --out one.lal --threads 1
expect 'a long warm-up' 1 "$lal" train $data $tiny --out long.lal --warmup 10 --stop-at-step 1
says '--warmup 10 shortened to 1: the run has 8 updates'
expect 'stopping' 1 "$lal" train $data $tiny --out part.lal --stop-at-step 5 --threads 2
says 'continue with --resume part.lal.ckpt'
expect 'resuming' 0 "$lal" train $data $tiny --out part.lal --resume part.lal.ckpt --threads 1
[ "$(grep -c '^--resume:' err)" -eq 1 ] || complain 'it should name the options that are new, and no other'
says '--resume: threads changes from 2 to 1'
expect 'resuming with other options' 0 "$lal" train $data $tiny --out more.lal --resume part.lal.ckpt --epochs 3 \
    --d-ff 40
says '--resume: epochs changes from 2 to 3'
says '--resume: d_ff stays 48, found 40; model options are fixed'
expect 'parameter groups' 1 "$lal" train $data $tiny --out groups.lal --stop-at-step 5 --freeze embedding. \
    --freeze f_tag. --group encoder.=0.5 --weight-decay 0.01
expect 'resuming with parameter groups' 0 "$lal" train $data $tiny --out groups.lal --resume groups.lal.ckpt \
    --group encoder.=2 --weight-decay 0.02
says '--resume: weight_decay changes from 0.01 to 0.02'
says '--resume: group changes from ["encoder.=0.5"] to ["encoder.=2"]'
expect 'resuming without the frozen parameters' 2 "$lal" train $data $tiny --out groups.lal --resume groups.lal.ckpt \
    --freeze embedding.
says '--resume: found other --freeze options, expected those the run began with: ["embedding.","f_tag."]'
echo '{"train": {"weight_decay": 0.1, "freeze": ["encoder.", "f_tag."]}}' > frozen.json
expect 'a preset with parameter groups' 0 "$lal" train $data --preset frozen.json $tiny --epochs 1 --freeze dep_score. \
    --out frozen.lal
expect 'its summary' 0 "$lal" model info --format json -m frozen.lal
prints '"weight_decay": 0.1, "rounded": false, "freeze": ["encoder.", "f_tag.", "dep_score."], "group": []'
echo '{"train": {"freeze": "f_tag."}}' > bad.json
expect 'a preset with text for a list' 1 "$lal" train $data --preset bad.json --out none.lal
says 'bad.json: "freeze": expected an array of strings'
expect 'one file for model and checkpoint' 2 "$lal" train $data $tiny --out same.lal --checkpoint ./same.lal
says "--out and --checkpoint: found the same file, './same.lal', expected two"
absent same.lal
awk -F '\t' 'BEGIN { OFS = FS } NF { split("3 4 0", head, " "); $7 = $1 in head ? head[$1] : 3 } 1' train.conllx \
    >crossed.conllx
cross="--train-deps crossed.conllx --dev-deps crossed.conllx $tiny --lr 0.01"
expect 'arcs that cross' 0 "$lal" train $cross --epochs 20 --out crossed.lal
says ' sentences with arcs that cross'
expect 'how they are found' 0 "$lal" model info -m crossed.lal
prints 'decode="arcs"'
expect 'arcs that cross' 0 "$lal" parse -m crossed.lal --input conll --format conllx crossed.conllx
expect 'arcs that cross, found jointly' 0 "$lal" train $cross --epochs 1 --decode joint --out joint.lal
expect 'how they are found jointly' 0 "$lal" model info -m joint.lal
prints 'decode="joint"'
for f in train dev; do
    sed 's/([,.!] \([,.!]\))/(PM \1)/g' $f.trees >marks-$f.trees
    awk -F '\t' 'BEGIN { OFS = FS } $2 ~ /^[,.!]$/ { $5 = "PM"; $7 = $1 - 1 } 1' $f.conllx >marks-$f.conllx
done
expect 'marks that depend on the word before them' 0 "$lal" train --train marks-train.trees --train-deps \
    marks-train.conllx --dev marks-dev.trees --dev-deps marks-dev.conllx $tiny --lr 0.01 --epochs 60 --out marks.lal
says ' marks depend on words in phrases, but not on their heads'
expect 'how their heads are found' 0 "$lal" model info -m marks.lal
prints 'decode="marks"'
expect 'resuming on other data' 2 "$lal" train --train dev.trees --train-deps dev.conllx $tiny --out part.lal \
    --resume one.lal.ckpt
says '--resume: found other sentences in dev.trees and dev.conllx, expected those the run began with'
for m in toy one part; do
    "$lal" parse -m $m.lal --input brackets -f json --deps stanford dev.trees >$m.json || complain "parsing by $m.lal"
done
name='another number of threads'; cmp toy.json one.json || complain 'training gave another model'
name='a resumed run'; cmp one.json part.json || complain 'parses differently from an uninterrupted one'
expect 'training on trees and head rules' 0 "$lal" train --train train.trees --train dev.trees \
    --train-deps english.rules $tiny --epochs 1 --out rules.lal
says '100 sentences'
says 'joint spans: 0 groups left flat, 0 phrases with more than one head'
expect 'a treebank without trees beside one with trees' 0 "$lal" train --name toy --train train.trees \
    --train-deps train.conllx --name arcs --train none --train-deps dev.conllx --dev-name toy --dev dev.trees \
    --dev-deps dev.conllx --dev-name arcs --dev none --dev-deps dev.conllx $tiny --epochs 1 --mix toy=0.5 --mix arcs=2 \
    --vary-case 0.2 --vary-final 0.2 --vary-quotes 0.2 --out mixed.lal
says '100 sentences'
says '80 sentences in each epoch'
says '20 sentences without a tree, 0 without dependencies'
expect 'the mixed model' 0 "$lal" parse --model mixed.lal --treebank arcs --input brackets dev.trees
expect 'stopping a mixed run' 1 "$lal" train --train train.trees --train-deps train.conllx --name toy $tiny \
    --mix toy=0.55 --vary-final 0.5 --out mix.lal --stop-at-step 3 --threads 2
expect 'resuming a mixed run' 0 "$lal" train --train train.trees --train-deps train.conllx --name toy $tiny \
    --mix toy=0.55 --vary-final 0.5 --out mix.lal --resume mix.lal.ckpt --threads 1
expect 'a mixed run without a stop' 0 "$lal" train --train train.trees --train-deps train.conllx --name toy $tiny \
    --mix toy=0.55 --vary-final 0.5 --out mix2.lal --threads 2
for m in mix mix2; do "$lal" parse --model $m.lal --input brackets -f json --deps stanford dev.trees > $m.json; done
name='a resumed mixed run'; cmp mix.json mix2.json || complain 'parses differently from an uninterrupted one'
expect 'a share of no treebank' 2 "$lal" train $data $tiny --mix other=2 --out no.lal
says "--mix: found 'other=2', expected the name of a training treebank before the ="
expect 'neither trees nor dependencies' 2 "$lal" train --train none $tiny --out no.lal
says 'found --train none and no --train-deps file'
expect 'a file without sentences' 1 "$lal" train --train /dev/null $tiny --out no.lal
says '/dev/null:1:1: found no sentence, expected trees'
absent no.lal
expect 'an unknown preset' 2 "$lal" train $data --preset huge --out no.lal
says "--preset: found 'huge'"
expect 'training into a missing folder' 1 "$lal" train $data $tiny --epochs 1 --out nowhere/x.lal
says 'nowhere/x.lal: cannot write: No such file or directory'
grep -q 'sentences' err && complain 'the error should be reported before training begins'
expect 'a log that cannot be written' 1 "$lal" train $data $tiny --epochs 1 --out x.lal --log nowhere/log
says 'nowhere/log: cannot write: No such file or directory'
absent x.lal
expect 'a disk that is full while saving' 1 "$lal" train $data $tiny --epochs 1 --out /dev/full --checkpoint full.ckpt
says '/dev/full: cannot write: No space left on device'
expect 'one file too few' 2 "$lal" train --train train.trees --train dev.trees --train-deps train.conllx $tiny \
    --out no.lal
says 'found 2 --train and 1 --train-deps files, expected the same number'
expect 'widths that do not fit' 1 "$lal" train $data $tiny --d-kv 15 --out no.lal
says 'd_kv'
absent no.lal
name="interrupted training"; checks=$((checks + 1))
"$lal" train $data $tiny --epochs 100000 --out int.lal 2>err & pid=$!
n=0; while [ ! -e int.lal.ckpt ] && [ $n -lt 300 ]; do sleep 0.05; n=$((n + 1)); done
kill -INT $pid; sleep 0.005; kill -INT $pid 2>/dev/null # one signal twice, as timeout(1) sends it
wait $pid; status=$?
[ $status -eq 75 ] || complain "exit status $status, expected 75"
says 'continue with --resume int.lal.ckpt'
expect 'the state of an interrupted run' 0 "$lal" model info -m int.lal.ckpt
no_leftovers

finish
