#!/bin/sh
# score.sh BUILD-FOLDER: lal train --check, --start-from and --score, lal eval --measure counts, and the open heads of
# lal model info.
. "$(dirname "$0")/harness.sh"
make_toy
# member EXPRESSION: of the JSON in ./out, as t
member() { python3 -c "import json; t = json.load(open('out')); x = $1; print(x)"; }
is() { [ "$(member "$1")" = "$2" ] || complain "$1 is $(member "$1"), expected $2"; }

# ---- the options of a run
expect 'options alone' 0 "$lal" train --check --d-model 48 --lr 0.5
is "t['task'], t['model']['d_model'], t['train']['lr'], t['plain'], t['oracle'], 'data' in t" \
    "('parse', 48, 0.5, True, False, False)"
expect 'options and data' 0 "$lal" train --check $data $tiny
is "t['data']['train']['sentences'], t['data']['dev']['sentences'], t['data']['rho']" '(80, 20, None)'
hash=$(member "t['data']['train']['hash']")
cp train.trees other.trees
expect 'the same data' 0 "$lal" train --check --train other.trees --train-deps train.conllx --name toy $tiny
is "t['data']['train']['hash']" "$hash"
expect 'other data' 0 "$lal" train --check --train dev.trees --train-deps dev.conllx --name toy $tiny
[ "$(member "t['data']['train']['hash']")" != "$hash" ] || complain 'the hash should be another one'
masks='{"encoder_options": {"heads": [{"heads": [0], "pattern": "self", "use": "mask"}]}}'
expect 'masks' 0 "$lal" train --check $data $tiny --encoder-options "$masks"
is "0.4 < t['data']['rho'] < 0.5, t['plain']" '(True, False)'
expect 'hidden words' 0 "$lal" train --check --task mask --replace 0.25
is "t['replace']['rate'], t['replace']['most_words']" '(0.25, 20000)'
expect 'a width that cannot be' 1 "$lal" train --check --d-model 33
says 'd_model 33 must be even'
expect 'data that are not there' 1 "$lal" train --check --train none.trees
says 'none.trees: cannot open'
expect 'dev data alone' 2 "$lal" train --check --dev dev.trees
says 'found no --train'
absent my.lal

# ---- weights to begin with
expect 'from a model' 0 "$lal" train $data $tiny --lr 0 --average 0 --epochs 1 --start-from toy.lal --out same.lal
for m in toy same; do
    "$lal" parse -m $m.lal text >$m.parses 2>/dev/null || complain "no parses of $m"
done
cmp toy.parses same.parses || complain 'a rate of 0 should leave the weights'
expect 'other shapes' 1 "$lal" train $data $tiny --d-arc 40 --start-from toy.lal --out no.lal
says 'toy.lal: tensor '
for other in --init --pretrained; do
    expect "a model to begin with and $other" 2 "$lal" train $data $tiny --start-from toy.lal $other toy.lal \
        --out no.lal
    says "found --start-from and $other, expected one of them"
done
absent no.lal

# ---- counts of sentences
expect 'counts' 0 "$lal" train --score toy.lal --dev dev.trees --dev-deps dev.conllx --dev-name toy
says '20 units scored in '
lines 21
cp out a.tsv
expect 'the same scores' 0 "$lal" eval -m toy.lal --products f32 --treebank toy --gold dev.trees \
    --gold-deps dev.conllx --format json
scores=$(member "'%.2f %.2f %.2f' % (t['f1'], t['uas_nopunct'], t['las_nopunct'])")
expect 'scores of counts' 0 "$lal" eval --measure counts --pred a.tsv --format json
[ "$(member "'%.2f %.2f %.2f' % (t['f1'], t['uas'], t['las'])")" = "$scores" ] || complain "expected $scores"
expect 'scores for a person' 0 "$lal" eval --measure counts --pred a.tsv
prints 'sentences  20'
"$lal" train --quiet --score same.lal --dev dev.trees --dev-deps dev.conllx --dev-name other >b.tsv 2>err
[ -s err ] && complain '--quiet should be quiet'
expect 'two models' 0 "$lal" eval --measure counts --pred a.tsv --pred b.tsv --samples 100 --format json
is "[c['las']['p_randomisation'] for c in t['comparisons']][0] <= 1" True
expect 'runs of two settings' 0 "$lal" eval --measure counts --runs 2 --pred a.tsv --pred b.tsv --pred b.tsv \
    --pred a.tsv
prints 'a: a.tsv, b: b.tsv'
expect 'nothing to score' 2 "$lal" train --score toy.lal
says '--score: found no --dev'
expect 'a model of another task' 1 "$lal" train --task classify --score toy.lal --dev dev.trees
says 'toy.lal: '
expect 'counts of nothing' 2 "$lal" eval --measure counts
says '--measure: found no --pred'
expect 'counts with gold' 2 "$lal" eval --measure counts --pred a.tsv --gold dev.trees
says 'found --measure and --gold, expected --pred alone'
expect 'counts as TSV' 2 "$lal" eval --measure counts --pred a.tsv --format tsv
says 'found --measure and --format tsv, expected --pred alone'
expect 'no counts' 1 "$lal" eval --measure counts --pred text
says 'text:1:1: found no names of numbers'
# bad NAME LINE COMMAND: a.tsv after a command of sed
bad() {
    sed "$3" a.tsv >bad.tsv
    expect "$1" 1 "$lal" eval --measure counts --pred a.tsv --pred bad.tsv
    says "bad.tsv:$2:1: found "
}
bad 'a word' 3 '3s/^[0-9]*/x/'
bad 'a negative number' 4 '4s/^/-/'
bad 'an empty column' 6 '6s/\t[0-9]*\t/\t\t/'
bad 'a number too few' 5 '5s/\t[0-9]*$//'
bad 'a number too many' 5 '5s/$/\t1/'
bad 'a line too few' 20 '$d'
printf 'sentences\tright\n1\t1\n' >classes.tsv
expect 'other numbers' 1 "$lal" eval --measure counts --pred a.tsv --pred classes.tsv
says 'classes.tsv:1:1: found other numbers, expected those of a.tsv'

# ---- open heads
expect 'heads without gates' 0 "$lal" model info -m toy.lal --format json
is "t['open_heads'], len(t['checksum'])" "({'gated': [], 'self': 2, 'label': 6}, 16)"
gates='{"encoder_options": {"gates": {"kind": "constant", "constant": [0, 1]}}}'
expect 'gates' 0 "$lal" train $data $tiny --epochs 1 --encoder-options "$gates" --out gated.lal
expect 'heads with gates' 0 "$lal" model info -m gated.lal --format json
is "t['open_heads']" "{'gated': [0, 1], 'self': 1, 'label': 6}"
"$lal" model import "$root/tests/golden/encoders/mpnet-tiny" --out enc.lal 2>/dev/null
expect 'an encoder' 0 "$lal" model info -m enc.lal --format json
is "t['open_heads']" None
finish
