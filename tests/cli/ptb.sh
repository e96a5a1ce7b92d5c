#!/bin/sh
# ptb.sh BUILD-FOLDER: recipes/ptb.sh --mini: from files of trees named as LDC's to scores of both encoders.
. "$(dirname "$0")/harness.sh"
make_toy

# Trees with function tags and traces in sections 02 to 23; those that are not asked for have none.
for section in 00 01 24; do
    mkdir -p wsj/$section
    echo '(' >wsj/$section/wsj_${section}01.mrg
done
sed 's/^(TOP \(.*\))$/( (S (NP-SBJ-1 (-NONE- *)) \1) )/' train.trees | "$lal" convert --to pretty --top empty \
    --functions keep --traces keep >all.mrg
awk '/^\(/ { section = sprintf("%02d", 2 + n++ % 22); system("mkdir -p wsj/" section) }
    { print >("wsj/" section "/wsj_" section "01.mrg") }' all.mrg
name='the trees of the test'
grep -q '(NP-SBJ-1 (-NONE- \*))' wsj/23/wsj_2301.mrg || complain 'there should be traces'
export LAL="$lal" DEVICE=cpu
ptb="$root/recipes/ptb.sh --mini wsj"
encoders=$root/tests/golden/encoders

expect 'the first steps' 0 env STEPS='sections tags' $ptb "$encoders/xlnet-tiny" made
prints '| sections | 0 | 74 sentences of 39832 |'
prints '| tags | 0 | right tags, %: train '
cat made/gold/*.trees | grep -E 'SBJ|NONE' && complain 'function tags and traces should be gone'
for part in train dev test; do
    cut -f 2 made/arcs/$part.conllx | grep . >words
    grep -oE '[^() ]+\)' made/gold/$part.trees | tr -d ')' | cmp - words || complain 'arcs of other words'
    cut -f 5 made/tags/$part.conllx | grep . >tags
    grep -oE '\([^() ]+ [^() ]' made/tagged/$part.trees | sed 's/(\(.*\) .*/\1/' | cmp - tags || complain 'other tags'
    for trees in gold tagged; do sed -E 's/\([^() ]+ ([^() ]+)\)/\1/g' made/$trees/$part.trees >$trees; done
    cmp gold tagged || complain 'more than tags was changed'
    cmp -s made/gold/$part.trees made/tagged/$part.trees && complain 'no tag was changed'
done
expect 'a parser on XLNet' 0 $ptb "$encoders/xlnet-tiny" made
prints '| xlnet | 0 | 22: ptb '
grep -qE '^\| xlnet-large, .* \| [0-9.]+ \| [0-9.]+ \| [0-9.]+ \| 96.38 / 97.42 / 96.26 \|$' out ||
    complain 'there should be scores'
! grep -q 'bert-large' out || complain 'there should be no scores of the other parser'
cp made/xlnet.lal once.lal
expect 'a parser on BERT, with the same trees' 0 $ptb "$encoders/bert-tiny" made
lines 11
prints '| bert-large, Zhou and Zhao 2019 | '
! grep -q '==== [st]' err || complain 'a step that was done was repeated'
sed -i '/^| xlnet /d' made/steps.md
expect 'a step again' 0 $ptb "$encoders/xlnet-tiny" made
cmp once.lal made/xlnet.lal || complain 'a model that is there was trained again'
sed 's/nsubj/dep/' made/arcs/train.conllx >train.conllx
cp made/arcs/dev.conllx made/arcs/test.conllx .
expect 'with other arcs' 0 env STEPS=sections $ptb "$encoders/xlnet-tiny" other .
cmp train.conllx other/arcs/train.conllx || complain 'the arcs given should be used'

expect 'another encoder' 1 $ptb "$encoders/mpnet-tiny" made
says 'mpnet-tiny/config.json: found another encoder, expected xlnet or bert'
rm -r wsj/22
expect 'a section is missing' 1 $ptb "$encoders/xlnet-tiny" made
says 'wsj/22: no such folder'
expect 'nothing' 2 "$root/recipes/ptb.sh"
says 'usage: recipes/ptb.sh [--mini] WSJ ENCODER OUT [ARCS]'
no_leftovers
finish
