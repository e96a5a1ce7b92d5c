#!/bin/sh
# models/ud_scores.sh MODEL DATA: scores from raw text by the measures of the CoNLL 2018 shared task
# (docs/EVALUATION.md), F1, a row for each test set. DATA has folders ewt and gum-open with test.conllu (gold), docs.tsv
# (columns split and document, in the order of the gold file), raw/test/DOCUMENT.txt and for gum-open also
# raw/test-flat/DOCUMENT.txt, without paragraph breaks. The program is build/lal. SPLIT=dev: the dev sets instead. GOLD
# and OUT may name a gold file of EWT (en_ewt-ud-test.conllu of a release of UD, whose features and multiword
# rows test.conllu lacks) and a folder that keeps the output.
set -eu
model=$1 data=$2 split=${SPLIT:-test}
lal=$(cd "$(dirname "$0")/.." && pwd)/build/lal
work=${OUT:-$(mktemp -d)}
[ -n "${OUT:-}" ] || trap 'rm -rf "$work"' EXIT
measures='tokens sentences words upos xpos ufeats alltags lemmas uas las clas mlas blex'
printf '| raw text |'
for m in $measures; do printf ' %s |' "$m"; done
printf '\n|---|'
for m in $measures; do printf -- '--:|'; done
echo
row() { # NAME SET FOLDER GOLD
    name=$1 set=$2 folder=$3 gold=$4
    awk -F '\t' -v split_="$split" -v folder="$data/$set/raw/$folder" '
        $1 == split_ { print folder "/" $2 ".txt" }' "$data/$set/docs.tsv" >"$work/files"
    # shellcheck disable=SC2046
    "$lal" parse --model "$model" --format conllu $(cat "$work/files") >"$work/$folder-$set.conllu"
    "$lal" eval --align --gold-deps "$gold" --pred-deps "$work/$folder-$set.conllu" --format tsv |
        awk -F '\t' -v name="$name" -v measures="$measures" '
            { f1[$1] = $7 }
            END {
                printf "| %s |", name
                n = split(measures, m, " ")
                for (k = 1; k <= n; k++) printf " %s |", m[k] in f1 ? f1[m[k]] : "-"
                print ""
            }'
}
row "EWT $split" ewt "$split" "${GOLD:-$data/ewt/$split.conllu}"
row "GUM-open $split" gum-open "$split" "$data/gum-open/$split.conllu"
row "GUM-open $split, no paragraphs" gum-open "$split-flat" "$data/gum-open/$split.conllu"
