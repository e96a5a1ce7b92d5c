#!/bin/sh
# en.sh BUILD-FOLDER: recipes/en.sh --mini: all steps from treebanks to the three models, interrupted and continued.
. "$(dirname "$0")/harness.sh"
for python in python3 /usr/bin/python3 none; do "$python" -c 'import numpy' 2>/dev/null && break; done
[ $python != none ] || { echo 'skipped: there is no numpy (./setup --tests)'; exit 0; }

# A few trees as all treebanks.
mkdir enc
cp -r "$root/tests/golden/encoders/bert-tiny" enc/e5-small
cp -r "$root/tests/golden/encoders/mpnet-tiny" enc/mpnet
cp "$root/tests/cli/phrases.trees" all.trees
"$lal" convert --to conllx --deps english.rules --out all.conllx all.trees
for set in craft/train genia/train gum-open/train masc/train ewt/train-agree ewt/train-rest ewt/train-silver \
    childes/train eslspok/train gum-open/dev masc/dev ewt/dev; do
    mkdir -p "data/${set%/*}"
    cp all.trees "data/$set.trees"
    cp all.conllx "data/$set.conllx"
done
for kind in trees conllx; do # enough words for names of heads
    for _ in 1 2 3 4 5 6 7 8 9 10 11; do cat all.$kind; done >data/masc/dev.$kind
done
rm data/childes/train.trees data/eslspok/train.trees data/ewt/train-rest.trees
for set in gum-open/raw ewt/raw; do
    mkdir -p data/$set/train
    cp "$root/examples/declaration.txt" data/$set/train/a.txt
done
export LAL="$lal" PYTHON=$python
en="$root/recipes/en.sh --mini data enc made"

expect 'the first steps' 0 env STEPS='raw sets first' $en
lines 5
prints '| raw | '
grep -q '^| first | [0-9]* | gum-open ' out || complain 'no scores of the first model'
cp -p made/first.lal first.lal
cmp -s made/data/masc/train.trees all.trees && complain 'the conventions changed no tree'
expect 'all steps' 0 $en
lines 10
for step in silver large soft base small; do
    grep -q "^| $step | [0-9]* | " out || complain "no row of the step $step"
done
cmp first.lal made/first.lal || complain 'a step that was done was repeated'
[ "$(grep -c '^== .*first.lal' err)" -eq 0 ] || complain 'a step that was done was repeated'
for model in small base large; do
    echo 'The river rose.' >text
    expect "parsing with en-$model" 0 "$lal" parse --model made/en-$model.lal text
    prints '(TOP'
done
beliefs() { "$lal" parse --quiet --model made/base.lal --format soft "$root/examples/declaration.txt"; }
beliefs >once # a model file says how long its training took, so files differ
expect 'how en-large was trained' 0 "$lal" model info -m made/en-large.lal
prints 'from general.lal'
mkdir shipped
cp -r made/raw shipped
cp made/en-large.lal shipped/large-8.lal
expect 'an en-large that is there teaches' 0 env STEPS=soft "$root/recipes/en.sh" --mini data enc shipped
prints '| soft | '
expect 'what is in en-base' 0 "$lal" model info -m made/en-base.lal
prints 'from base-again.lal'
prints 'by treebank:'
prints ' gum-open '
prints 'head names  of '
prints 'treebanks '
sed -i '/^| small /d; /^| base /d' made/steps.md
rm made/base.lal made/base-again.lal made/base-taught.lal
expect 'a step that is repeated' 0 $en
says '/made/base.lal'
beliefs | cmp once - || complain 'the same files should make the same model'
no_leftovers

rm -r data/masc
expect 'a treebank is missing' 1 $en
says 'data/masc/train.trees: no such file'
expect 'a file is missing' 2 "$root/recipes/en.sh" data enc
says 'usage: recipes/en.sh [--mini] DATA ENCODERS OUT [SOURCES]'
expect 'nothing' 2 "$root/recipes/en.sh"
says 'usage: recipes/en.sh [--mini] DATA ENCODERS OUT [SOURCES]'
finish
