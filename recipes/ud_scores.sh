#!/bin/sh
# recipes/ud_scores.sh MODEL DATA [RELEASES]: scores from raw text by the measures of the CoNLL 2018 shared task
# (docs/EVALUATION.md), F1, a row for each test set. The program is build/lal, or LAL.
#   DATA      folders ewt and gum-open with test.conllu (gold), docs.tsv (columns split and document, in the order of
#             the gold file), raw/test/DOCUMENT.txt and for gum-open also raw/test-flat/DOCUMENT.txt, without paragraph
#             breaks
#   RELEASES  en_ewt-ud-test.conllu and en_gum-ud-test.conllu of a release of UD: the gold annotation of the same
#             documents, with features and multiword rows, which those of DATA lack. Other documents are left out; the
#             characters must be those of the raw text.
# SPLIT=dev: the dev sets instead. OUT may name a folder that keeps the output and the gold files.
set -eu
model=$1 data=$2 releases=${3:-} split=${SPLIT:-test}
lal=${LAL:-$(cd "$(dirname "$0")/.." && pwd)/build/lal}
work=${OUT:-$(mktemp -d)}
[ -n "${OUT:-}" ] || trap 'rm -rf "$work"' EXIT

# The documents of the set, one on each line.
documents() { awk -F '\t' -v split_="$split" '$1 == split_ { print $2 }' "$data/$1/docs.tsv"; }

# gold SET RELEASE: prints the name of the gold file.
gold() {
    [ -n "$releases" ] || { echo "$data/$1/$split.conllu"; return; }
    documents "$1" | awk '
        NR == FNR { wanted[$0] = 1; n++; next }
        sub(/^# newdoc id = /, "") { inside = $0 in wanted; found += inside; $0 = "# newdoc id = " $0 }
        inside
        END {
            if (found == n) exit
            printf "%s: found %d of %d documents\n", FILENAME, found, n > "/dev/stderr"
            exit 1
        }' - "$releases/$2-ud-$split.conllu" >"$work/gold-$1.conllu"
    echo "$work/gold-$1.conllu"
}

row() { # NAME SET FOLDER GOLD [OPTIONS]
    name=$1 set=$2 folder=$3 gold=$4
    shift 4
    documents "$set" | sed "s|.*|$data/$set/raw/$folder/&.txt|" >"$work/files"
    "$lal" parse --quiet --products f32 --model "$model" --format conllu "$@" $(cat "$work/files") \
        >"$work/$folder-$set.conllu"
    "$lal" eval --align --gold-deps "$gold" --pred-deps "$work/$folder-$set.conllu" --format tsv >"$work/scores"
    awk -F '\t' -v name="$name" -v measures="$measures" '
        { f1[$1] = $7 }
        END {
            printf "| %s |", name
            n = split(measures, m, " ")
            for (k = 1; k <= n; k++) printf " %s |", m[k] in f1 ? f1[m[k]] : "-"
            print ""
        }' "$work/scores"
}
ewt=$(gold ewt en_ewt)
gum=$(gold gum-open en_gum)
measures='tokens sentences words upos xpos ufeats alltags lemmas uas las clas mlas blex'
printf '| raw text |'
for m in $measures; do printf ' %s |' "$m"; done
printf '\n|---|'
for m in $measures; do printf -- '--:|'; done
echo
row "EWT $split" ewt "$split" "$ewt"
row "EWT $split, --treebank ewt" ewt "$split" "$ewt" --treebank ewt
row "GUM-open $split" gum-open "$split" "$gum"
row "GUM-open $split, no paragraphs" gum-open "$split-flat" "$gum"
