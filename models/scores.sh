#!/bin/sh
# models/scores.sh MODEL DATA: the table of scores of models/README.md, a row for each set of the folders craft, genia and gum-open in DATA, and the sample of the WSJ if it
# is there (scored under the model's default treebank). The program is build/lal.
set -eu
model=$1 data=$2
lal=$(dirname "$0")/../build/lal
echo '| set | sentences | F1 | precision | recall | complete | UAS | LAS | tags |'
echo '|---|--:|--:|--:|--:|--:|--:|--:|--:|'
row() { # NAME GOLD-WITHOUT-ENDING [OPTIONS...]
    name=$1 gold=$2; shift 2
    "$lal" eval --model "$model" "$@" --gold "$gold.trees" --gold-deps "$gold.conllx" --format json | awk -v name="$name" '
        function value(key) { return match($0, "\"" key "\": [0-9.]+") ? substr($0, RSTART + length(key) + 4, RLENGTH - length(key) - 4) : "?" }
        { printf "| %s | %s | %s | %s | %s | %s | %s | %s | %s |\n", name, value("sentences"), value("f1"), value("precision"), value("recall"), value("complete"),
              value("uas_nopunct"), value("las_nopunct"), value("tag_accuracy") }'
}
for set in craft genia gum-open; do
    for split in dev test; do row "$set $split" "$data/$set/$split" --treebank "$set"; done
done
for split in dev test; do
    if [ -e "$data/nltk-wsj-sample/$split.trees" ]; then row "WSJ sample $split" "$data/nltk-wsj-sample/$split"; fi
done
