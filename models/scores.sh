#!/bin/sh
# models/scores.sh MODEL DATA: the table of scores of models/README.md, a row for each set of the folders craft, genia,
# gum-open, ewt, pud and nltk-wsj-sample in DATA that is there. A model that knows a folder's name as a treebank follows
# its conventions, else those of its default treebank. Sets without trees have dependencies only. The program is
# build/lal.
set -eu
model=$1 data=$2
lal=$(dirname "$0")/../build/lal
known=$("$lal" info "$model" --format json)
echo '| set | sentences | F1 | precision | recall | complete | UAS | LAS | tags |'
echo '|---|--:|--:|--:|--:|--:|--:|--:|--:|'
row() { # NAME FOLDER SPLIT
    name=$1 folder=$2 gold=$data/$2/$3
    [ -e "$gold.conllx" ] || return 0
    set -- --gold-deps "$gold.conllx"
    [ ! -e "$gold.trees" ] || set -- "$@" --gold "$gold.trees"
    case $known in *"\"$folder\""*) set -- "$@" --treebank "$folder" ;; esac
    "$lal" eval --model "$model" "$@" --format json |
        awk -v name="$name" '
        function value(key,  from) {
            from = length(key) + 4
            return match($0, "\"" key "\": [0-9.]+") ? substr($0, RSTART + from, RLENGTH - from) : "-"
        }
        {
            printf "| %s | %s ", name, value("sentences")
            printf "| %s | %s | %s | %s ", value("f1"), value("precision"), value("recall"), value("complete")
            printf "| %s | %s | %s |\n", value("uas_nopunct"), value("las_nopunct"), value("tag_accuracy")
        }'
}
for set in craft genia gum-open ewt; do
    for split in dev test; do row "$set $split" "$set" "$split"; done
done
for split in dev-agree test-agree; do row "ewt $split" ewt "$split"; done
row 'PUD test' pud test
for split in dev test; do row "WSJ sample $split" nltk-wsj-sample "$split"; done
