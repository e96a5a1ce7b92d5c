#!/bin/sh
# recipes/words.sh MODEL FILE...: F1 of words and sentences that a model of a language without blanks finds in raw text,
# for each FILE and for all, as in the CoNLL 2018 shared task. A FILE has a sentence on each line, with blanks between
# the words, two where the text has one, and an empty line between paragraphs. The program is build/lal, or LAL.
set -eu
[ $# -gt 1 ] || { echo 'usage: recipes/words.sh MODEL FILE...' >&2; exit 2; }
root=$(cd "$(dirname "$0")/.." && pwd)
lal=${LAL:-$root/build/lal}
model=$1; shift
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
score() { # NAME FILE...: a row of the table
    row=$1; shift
    # The text, a paragraph on each line, then an empty one; and the words, below the first one of their sentence.
    awk -F '[ ]' -v text="$work/text" -v gold="$work/gold.conllu" '
        !NF || (FNR == 1 && NR > 1) { printf "\n\n" >text }
        !NF { next }
        { sentences++; n = 0 }
        { for (k = 1; k <= NF; k += 1 + blank) { # an empty field is a blank of the text
              blank = $(k + 1) == "" && k < NF; n++; words++
              printf "%s%s", $k, blank ? " " : "" >text
              printf "%d\t%s\t_\t_\t_\t_\t%d\t%s\t_\t%s\n", n, $k, (n > 1), (n > 1 ? "dep" : "root"),
                  blank ? "_" : "SpaceAfter=No" >gold } }
        { print "" >gold }
        END { print "" >text; print sentences, words }' "$@" >"$work/count"
    "$lal" parse --quiet --model "$model" --format conllu --out "$work/pred.conllu" "$work/text"
    "$lal" eval --align --gold-deps "$work/gold.conllu" --pred-deps "$work/pred.conllu" >"$work/scores"
    awk -v row="$row" -v count="$(cat "$work/count")" '
        { f1[$1] = $NF }
        END { split(count, n, " ")
              printf "| %s | %d | %d | %s | %s |\n", row, n[1], n[2], f1["Words"], f1["Sentences"] }
        ' "$work/scores"
}
echo '| text | sentences | words | F1 of words | of sentences |'
echo '|---|--:|--:|--:|--:|'
for file in "$@"; do score "$(basename "$file" .txt)" "$file"; done
score all "$@"
