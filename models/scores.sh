#!/bin/sh
# models/scores.sh MODEL DATA: the table of scores of models/README.md, a row for each set of the folders craft, genia
# and gum-open in DATA, and for the WSJ sample if it is there (with the model's default treebank). The program is
# build/lal.
set -eu
model=$1 data=$2
lal=$(dirname "$0")/../build/lal
echo '| set | sentences | F1 | precision | recall | complete | UAS | LAS | tags |'
echo '|---|--:|--:|--:|--:|--:|--:|--:|--:|'
row() { # NAME GOLD-WITHOUT-ENDING [OPTIONS...]
    name=$1 gold=$2; shift 2
    "$lal" eval --model "$model" "$@" --gold "$gold.trees" --gold-deps "$gold.conllx" --format json |
        awk -v name="$name" '
        function value(key,  from) {
            from = length(key) + 4
            return match($0, "\"" key "\": [0-9.]+") ? substr($0, RSTART + from, RLENGTH - from) : "?"
        }
        {
            printf "| %s | %s ", name, value("sentences")
            printf "| %s | %s | %s | %s ", value("f1"), value("precision"), value("recall"), value("complete")
            printf "| %s | %s | %s |\n", value("uas_nopunct"), value("las_nopunct"), value("tag_accuracy")
        }'
}
for set in craft genia gum-open; do
    for split in dev test; do row "$set $split" "$data/$set/$split" --treebank "$set"; done
done
for split in dev test; do
    if [ -e "$data/nltk-wsj-sample/$split.trees" ]; then row "WSJ sample $split" "$data/nltk-wsj-sample/$split"; fi
done
