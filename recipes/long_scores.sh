#!/bin/sh
# recipes/long_scores.sh MODEL DATA [SPLITS]: F1 / LAS of sentences of more than 60 and 100 words by --max-words, the
# maximum length of the pieces they are parsed in. The sentences are those of the dev sets (or SPLITS: "dev test") of
# the folders craft and genia in DATA. The default of --max-words was chosen on the dev sets. The program is build/lal.
set -eu
model=$1 data=$2 splits=${3:-dev}
lal=$(dirname "$0")/../build/lal
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
. "$(dirname "$0")/values.sh"
limits='60 80 90 100 110 120 150 200 400'
select_long() { # SET WORDS: sentences of more than WORDS words, to $tmp/long.trees and $tmp/long.conllx
    for split in $splits; do
        awk -v most="$2" -v RS= -v FS='\n' 'NF > most { print NR }' "$data/$1/$split.conllx" > "$tmp/numbers"
        awk 'NR == FNR { want[$1] = 1; next } NF && ++n in want' "$tmp/numbers" "$data/$1/$split.trees"
    done > "$tmp/long.trees"
    for split in $splits; do
        awk -v most="$2" -v RS= -v FS='\n' -v ORS='\n\n' 'NF > most' "$data/$1/$split.conllx"
    done > "$tmp/long.conllx"
}
printf '| sentences'; for n in $limits; do printf ' | %s' "$n"; done; echo ' |'
printf '|---'; for n in $limits; do printf '|--:'; done; echo '|'
for set in craft genia; do
    for words in 60 100; do
        select_long $set $words
        printf '| %s, %d of more than %d words' $set "$(wc -l < "$tmp/long.trees")" $words
        for n in $limits; do
            "$lal" eval --products f32 --model "$model" --treebank $set --max-words $n --format json \
                --gold "$tmp/long.trees" --gold-deps "$tmp/long.conllx" > "$tmp/scores"
            printf ' | '
            values f1 las_nopunct <"$tmp/scores" | sed 's: | : / :' | tr -d '\n'
        done
        echo ' |'
    done
done
