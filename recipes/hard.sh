#!/bin/sh
# recipes/hard.sh english|chinese open|held-back [MODEL...]: scores on a part of tests/english or tests/chinese, as the
# tables of docs/ENGLISH.md and docs/CHINESE.md have them, of the open part by construction: of each model (default:
# small, base and large; zh) the trees that are wholly right, F1 of brackets, and LAS of Universal Dependencies,
# punctuation included. Words are given, tags are predicted, in f32. The program is build/lal, or LAL.
set -eu
case ${1:-}/${2:-} in
    english/open | english/held-back) models='small base large' deps='--deps ud' ;;
    chinese/open | chinese/held-back) models=zh deps= ;;
    *) echo "usage: recipes/hard.sh english|chinese open|held-back [MODEL...]" >&2; exit 2 ;;
esac
root=$(cd "$(dirname "$0")/.." && pwd)
lal=${LAL:-$root/build/lal}
name=$2 part=$root/tests/$1/$2; shift 2
[ $# -gt 0 ] || set -- $models
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
sed -n 's/^# sent_id = \(.*\)-[0-9]*$/\1/p' "$part.conllu" >"$work/names"
if [ "$name" = open ]; then uniq "$work/names"; fi >"$work/constructions" # nothing is to be chosen by those held back
echo all >>"$work/constructions"

# split FOLDER TREES CONLLU: the sentences of each construction, and all.
split() {
    mkdir "$1"
    paste "$work/names" "$2" | awk -F '\t' -v d="$1/" '{ print $2 >(d $1 ".trees"); print $2 >(d "all.trees") }'
    awk -v RS= -v d="$1/" 'FILENAME != last { last = FILENAME; n++ }
        n == 1 { for (i = 1; i <= NF; i++) name[i] = $i; next }
        { k++; printf "%s\n\n", $0 >(d name[k] ".conllu"); printf "%s\n\n", $0 >(d "all.conllu") }' "$work/names" "$3"
}

split "$work/gold" "$part.trees" "$part.conllu"
header='| construction | sentences |' line='|---|--:|' k=0
for model in "$@"; do
    k=$((k + 1)) header="$header $(basename "$model" .lal): right | F1 | LAS |" line="$line--:|--:|--:|"
    # shellcheck disable=SC2086 # deps are words
    "$lal" parse --quiet --products f32 --model "$model" --input conll --format json $deps "$part.conllu" >"$work/json"
    "$lal" convert --from json --to brackets --out "$work/trees" "$work/json"
    "$lal" convert --from json --to conllx --out "$work/conllx" "$work/json"
    split "$work/$k" "$work/trees" "$work/conllx"
done
printf '%s\n%s\n' "$header" "$line"
while read -r name; do
    printf '| %s | %d |' "$name" "$(wc -l <"$work/gold/$name.trees")"
    for i in $(seq $k); do
        "$lal" eval --gold "$work/gold/$name.trees" --gold-deps "$work/gold/$name.conllu" --format json \
            --pred "$work/$i/$name.trees" --pred-deps "$work/$i/$name.conllu"
    done >"$work/scores"
    awk -v RS=, -F ': ' '
        { gsub(/[{"} ]/, "", $1); value[$1] = $2 }
        $1 == "las" { printf " %.0f | %.1f | %.1f |", value["complete"] * value["sentences"] / 100, value["f1"], $2 }
        ' "$work/scores"
    echo
done <"$work/constructions"
