#!/bin/sh
# recipes/given_scores.sh MODEL DATA: what given arcs and given phrases do to the other half of a parse (the table of
# docs/ANNOTATE.md): F1 of the dev sets of the folders craft, genia, gum-open and nltk-wsj-sample in DATA without and
# with the gold arcs, UAS and LAS (without punctuation) without and with the gold phrases. A model that knows a folder's
# name as a treebank follows its conventions, else those of its default treebank. The program is build/lal.
set -eu
model=$1 data=$2
lal=$(dirname "$0")/../build/lal
known=$("$lal" model info -m "$model" --format json)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
. "$(dirname "$0")/values.sh"
echo '| set | F1 | with arcs | UAS | with phrases | LAS | with phrases |'
echo '|---|--:|--:|--:|--:|--:|--:|'
for set in craft genia gum-open nltk-wsj-sample; do
    gold=$data/$set/dev
    [ -e "$gold.trees" ] || continue
    set -- --model "$model" --quiet
    case $known in *"\"$set\""*) set -- "$@" --treebank "$set" ;; esac
    "$lal" parse "$@" --input conll "$gold.conllx" > "$work/trees"
    "$lal" parse "$@" --input conll --format conllx --deps stanford "$gold.conllx" > "$work/arcs"
    "$lal" parse "$@" --input conll --arcs given "$gold.conllx" > "$work/trees.given" 2> /dev/null
    "$lal" parse "$@" --input brackets --spans given --format conllx --deps stanford "$gold.trees" \
        > "$work/arcs.given" 2> /dev/null
    for kind in '' .given; do
        "$lal" eval --gold "$gold.trees" --pred "$work/trees$kind" --gold-deps "$gold.conllx" \
            --pred-deps "$work/arcs$kind" --format json > "$work/scores$kind"
    done
    printf '| %s dev ' "$set"
    for key in f1 uas_nopunct las_nopunct; do
        printf '| %s | %s ' "$(values $key <"$work/scores")" "$(values $key <"$work/scores.given")"
    done
    echo '|'
done
