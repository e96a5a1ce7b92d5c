#!/bin/sh
# scores.sh BUILD-FOLDER: recipes/scores.sh: a row for each set, a row for each model.
. "$(dirname "$0")/harness.sh"
make_toy

export LAL="$lal" BENCH=no
for set in craft/dev craft/test ewt/test-agree nltk-wsj-sample/test; do
    mkdir -p "data/${set%/*}"
    cp dev.trees "data/$set.trees"
    cp dev.conllx "data/$set.conllx"
done
mkdir data/pud
cp dev.conllx data/pud/test.conllx
cp dev.conllx data/ewt/test.conllx
cp toy.lal other.lal
"$lal" eval --products f32 --model toy.lal --gold dev.trees --gold-deps dev.conllx --format json >scores.json
value() { sed "s/.*\"$1\": \([0-9.]*\).*/\1/" scores.json; }
arcs="$(value uas_nopunct) / $(value las_nopunct) / $(value tag_accuracy)"
all="$(value f1) / $arcs"
bytes=$(wc -c <toy.lal)

expect 'sets' 0 "$root/recipes/scores.sh" toy.lal data
lines 8
prints "| craft dev | 20 | $(value f1) | $(value precision) | $(value recall) | $(value complete) | $(echo "$arcs" |
    sed 's| / | \| |g') |"
prints "| PUD test | 20 | - | - | - | - | "
expect 'models' 0 "$root/recipes/scores.sh" test data toy.lal other.lal
lines 4
for model in toy other; do prints "| $model | $all | - | - | - | $all | $arcs | $all | - | - | $bytes |"; done
expect 'dev' 0 "$root/recipes/scores.sh" dev data toy.lal
prints "| toy | $all | - | - | - | - | - | - | - | - | $bytes |"
expect 'a set with trees of other sentences' 1 sh -c "cp train.trees data/craft/dev.trees &&
    '$root/recipes/scores.sh' dev data toy.lal"
says 'lal eval: '
expect 'no such model' 1 "$root/recipes/scores.sh" test data toy.lal missing.lal
says 'missing.lal'
expect 'no such folder' 1 "$root/recipes/scores.sh" test nowhere toy.lal
says 'nowhere: no such folder'
expect 'no model' 2 "$root/recipes/scores.sh" test data
says 'recipes/scores.sh dev|test DATA MODEL...'
BENCH=yes
expect 'speed' 0 "$root/recipes/scores.sh" dev data/ewt toy.lal
grep -q '^| toy | - | - | - | - | - | - | - | [0-9]* | [0-9]* | [0-9]* |$' out || { complain 'no speed'; cat out; }
finish
