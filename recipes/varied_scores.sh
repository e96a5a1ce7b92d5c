#!/bin/sh
# recipes/varied_scores.sh MODEL NAME [TREEBANK]: the treebank NAME (.trees, .conllx) as it is and in the ways of
# recipes/vary.py, a row for each. TREEBANK: whose conventions are followed. The program is build/lal.
set -eu
model=$1 gold=$2 treebank=${3:+--treebank $3}
here=$(dirname "$0")
. "$here/values.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
echo '| as | F1 | UAS | LAS | tags |'
echo '|---|--:|--:|--:|--:|'
for kind in plain lower upper title final quotes curly; do
    name=$gold
    if [ $kind != plain ]; then
        python3 "$here/vary.py" $kind "$gold" "$work/$kind"
        name=$work/$kind
    fi
    "$here/../build/lal" eval --products f32 --model "$model" $treebank --gold "$name.trees" \
        --gold-deps "$name.conllx" --format json >"$work/scores"
    echo "| $kind | $(values f1 uas_nopunct las_nopunct tag_accuracy <"$work/scores") |"
done
