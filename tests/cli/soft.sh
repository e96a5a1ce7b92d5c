#!/bin/sh
# soft.sh BUILD-FOLDER: `lal parse --format soft` and `lal train --soft`: probabilities, training on them, its messages.
. "$(dirname "$0")/harness.sh"
make_toy

# ---- what a teacher writes
expect 'probabilities' 0 "$lal" parse --model toy.lal --format soft --span-temperature 0.5 --out raw.soft text
expect 'probabilities with a thread' 0 "$lal" parse --model toy.lal --format soft --span-temperature 0.5 --threads 1 \
    text
cmp out raw.soft || complain 'another number of threads gives other numbers'
[ "$(wc -l <raw.soft)" -eq 3 ] || complain 'a line for each sentence'
python3 - raw.soft <<'END' || complain 'lines that are not as documented'
import json, sys
for line in open(sys.argv[1], encoding='utf-8'):
    x = json.loads(line)
    n = len(x['words'])
    assert list(x) == ['words', 'tags', 'heads', 'types', 'spans'], list(x)
    for name in 'tags', 'heads', 'types':
        assert len(x[name]) == n
        for row in x[name]:
            assert len(row) % 2 == 0 and 0 < sum(row[1::2]) < 1.01, row
            assert len(set(row[::2])) == len(row) // 2
            assert row[3::2] == sorted(row[3::2], reverse=True) and all(p >= 0.01 for p in row[3::2])
    assert [row[0] for row in x['heads']].count(0) == 1
    assert x['spans'][0][:2] == [0, n]
    for begin, end, label, p in x['spans']:
        assert 0 <= begin < end <= n and 0 < p <= 1
        assert not (label == '<H>' and end - begin in (1, n))
END
echo 'Yes' >one
expect 'one word' 0 "$lal" parse --model toy.lal --format soft --soft-min 0.5 --treebank toy one
lines 1
prints '{"treebank":"toy","words":["Yes"],"tags":[["'
prints '"heads":[[0,1]]'
prints '"spans":[[0,1,"'
: >empty
expect 'no words' 0 "$lal" parse --model toy.lal --format soft empty
silent
expect 'a sentence that is too long' 0 "$lal" parse --model toy.lal --format soft --max-words 3 text
says 'text:1: a sentence of 7 words was left out, it would be parsed in 3 pieces (--max-words 3'
expect 'dependencies of another kind' 2 "$lal" parse --model toy.lal --format soft --deps ud text
says '--deps: expected --format conllu, conllx, json, pretty or svg'
expect 'explanations' 2 "$lal" parse --model toy.lal --format soft --why text

# ---- how far it can be believed
calibration="eval --model toy.lal --gold dev.trees --gold-deps dev.conllx --calibration"
expect 'calibration' 0 "$lal" $calibration --threads 2
prints 'temperature    loss   error     loss   error     loss   error'
[ "$(grep -c '^[0-9.]* .*[0-9]$' out)" -eq 15 ] || complain 'a row for each temperature'
[ "$(grep -o '[*]' out | wc -l)" -eq 3 ] || complain 'a mark for each kind'
mv out two
expect 'with a thread' 0 "$lal" $calibration --threads 1
cmp out two || complain 'another number of threads gives other numbers'
expect 'as JSON' 0 "$lal" $calibration --format json
mv out calibration.json
expect 'the probabilities themselves' 0 "$lal" parse --model toy.lal --input brackets --format soft --soft-min 0.0001 \
    --temperature 1 dev.trees
python3 - out calibration.json dev.conllx <<'END' || complain 'other probabilities than those of --format soft'
import json, math, sys
soft = [json.loads(line) for line in open(sys.argv[1], encoding='utf-8')]
x = json.load(open(sys.argv[2], encoding='utf-8'))['calibration']
gold = [[]]
for line in open(sys.argv[3], encoding='utf-8'):
    if line.strip(): gold[-1].append(line.split('\t'))
    else: gold.append([])
assert x['left_out'] == 0 and all(len(x[k]['loss']) == 15 for k in ('tags', 'arcs', 'spans'))
one, words = x['temperature'].index(1), sum(len(s) for s in gold)
for kind, rows, column, value in ('tags', 'tags', 4, str), ('arcs', 'heads', 6, int):
    loss = 0
    for s, g in zip(soft, gold):
        for row, line in zip(s[rows], g):
            loss -= math.log(dict(zip(row[::2], row[1::2])).get(value(line[column]), 0.0001))
    assert x[kind]['gold'] == words
    assert abs(loss / words - x[kind]['loss'][one]) < 0.01, (kind, loss / words, x[kind]['loss'][one])
END
expect 'calibration of files' 2 "$lal" eval --gold dev.trees --pred dev.trees --calibration
says '--calibration: found files to score, expected a model, which has probabilities'

# ---- training on it
expect 'more text' 0 "$lal" parse --model toy.lal --input brackets --format soft --treebank toy --out more.soft \
    train.trees
expect 'gold and a teacher' 0 "$lal" train $data --soft more.soft --soft-name teacher $tiny --mix teacher=0.5 \
    --mix toy=0.25 --soft-weight 0.5 --out both.lal --log both.jsonl --threads 2
says '160 sentences'
says '60 sentences in each epoch'
says '80 sentences with soft targets'
grep -q '"soft": {"span": [0-9.]*, "arc": [0-9.]*, "type": [0-9.]*, "tag": [0-9.]*}' both.jsonl ||
    complain 'the log lacks the losses of soft targets'
expect 'the model' 0 "$lal" model info -m both.lal
prints 'treebanks   1: toy'
expect 'its parse' 0 "$lal" parse --model both.lal text
expect 'stopping' 1 "$lal" train $data --soft more.soft --soft-name teacher $tiny --mix teacher=0.5 --mix toy=0.25 \
    --soft-weight 0.5 --out part.lal --stop-at-step 4 --threads 1
expect 'resuming' 0 "$lal" train --resume part.lal.ckpt --threads 2
for m in both part; do "$lal" parse --model $m.lal --input brackets --format soft dev.trees >$m.out; done
name='a resumed run'; cmp both.out part.out || complain 'parses differently from an uninterrupted one'
expect 'a teacher alone' 0 "$lal" train --soft raw.soft --soft more.soft $tiny --epochs 1 --dev dev.trees --name toy \
    --out alone.lal
says '83 sentences'
expect 'its parse' 0 "$lal" parse --model alone.lal --treebank toy text
expect 'a share of no file' 2 "$lal" train $data --soft more.soft --soft-name teacher $tiny --mix teach=2 --out no.lal
says "--mix: found 'teach=2', expected the name of a training treebank before the =; did you mean 'teacher'?"
expect 'folds' 2 "$lal" train $data --soft more.soft $tiny --folds 2 --fold-parses f.conllx --out no.lal
says '--folds: found --soft, expected gold sentences alone'
expect 'no file' 1 "$lal" train $data --soft none.soft $tiny --out no.lal
says 'none.soft: cannot open'
{ cat more.soft; echo '{"words": ["a"], "tags": [["X", 2]]}'; } >bad.soft
expect 'a fault at the end' 1 "$lal" train $data --soft bad.soft $tiny --out no.lal
says 'bad.soft:81:33: found 2, expected a probability from 0.0001 to 1'
sed 's/"NP"/"XP"/g' more.soft >other.soft
expect 'a model that goes on learning' 0 "$lal" train --init toy.lal --soft other.soft --epochs 1 --batch-size 20 \
    --out init.lal
says '  new: 1 label (XP)'
expect 'other soft targets than before' 2 "$lal" train --resume part.lal.ckpt --soft other.soft --out no.lal
says '--resume: found other sentences in other.soft, expected those the run began with'
absent no.lal
absent no.lal.ckpt
no_leftovers
finish
