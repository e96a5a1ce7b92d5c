#!/bin/sh
# leakcheck.sh BUILD-FOLDER: valgrind's memcheck on a parse with the shipped model and on two training updates.
set -eu
build=$(cd "$1" && pwd)
cd "$(dirname "$0")/.."
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
grind="valgrind -q --error-exitcode=9 --leak-check=full"
grind="$grind --show-leak-kinds=definite,indirect --errors-for-leak-kinds=definite,indirect"
export OPENBLAS_CORETYPE=Nehalem OPENBLAS_NUM_THREADS=1
head -n 4 examples/news.txt > "$work/text"
$grind "$build/lal" parse --why --threads 2 --format json "$work/text" > "$work/out"
echo "parse: $(wc -l < "$work/out") sentences, no error"
"$build/tests/support/make_treebank" 8 1 "$work/t"
status=0
$grind "$build/lal" train --train "$work/t.trees" --train-deps "$work/t.conllx" --dev "$work/t.trees" \
    --dev-deps "$work/t.conllx" --out "$work/m" --d-model 16 --n-layers 1 --n-heads 2 --d-kv 8 --d-ff 16 \
    --n-label-heads 3 --lal-d-kv 4 --lal-d-proj 4 --d-label-hidden 8 --d-arc 8 --d-type 4 --d-tag-hidden 8 \
    --affix-buckets 10 --use-chars lstm --d-char 6 --batch-size 4 --epochs 1 --checks-per-epoch 1 --threads 2 \
    2> "$work/err" || status=$?
[ $status -eq 0 ] || { cat "$work/err"; exit $status; }
echo "train: 2 updates, no error"
