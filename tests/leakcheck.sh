#!/bin/sh
# leakcheck.sh BUILD-FOLDER: valgrind's memcheck on a parse with the shipped model, on two training updates, and on an
# imported encoder under a parser: training, its probabilities, and a pupil that learns from them.
set -eu
build=$(cd "$1" && pwd)
cd "$(dirname "$0")/.."
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
grind="valgrind -q --error-exitcode=9 --leak-check=full"
grind="$grind --show-leak-kinds=definite,indirect --errors-for-leak-kinds=definite,indirect"
export OPENBLAS_CORETYPE=Nehalem OPENBLAS_NUM_THREADS=1
head -n 2 examples/news.txt > "$work/text"
$grind "$build/lal" parse --why --threads 2 --format json "$work/text" > "$work/out"
echo "parse: $(wc -l < "$work/out") sentences, no error"
"$build/tests/support/make_treebank" 8 1 "$work/t"
small="--d-model 16 --n-layers 1 --n-heads 2 --d-kv 8 --d-ff 16 --n-label-heads 3 --lal-d-kv 4 --lal-d-proj 4
    --d-label-hidden 8 --d-arc 8 --d-type 4 --d-tag-hidden 8 --affix-buckets 10 --batch-size 4 --epochs 1
    --checks-per-epoch 1 --threads 2"
gold="--train $work/t.trees --train-deps $work/t.conllx --dev $work/t.trees --dev-deps $work/t.conllx"

# check NAME COMMAND...: shows what COMMAND says only if it fails.
check() {
    name=$1 status=0
    shift
    $grind "$build/lal" "$@" >"$work/out" 2>"$work/err" || status=$?
    [ $status -eq 0 ] || { cat "$work/err"; exit $status; }
    echo "$name: no error"
}
check 'train, 2 updates' train $gold $small --use-chars lstm --d-char 6 --out "$work/m"
check 'import' model import tests/golden/encoders/mpnet-tiny --out "$work/encoder"
check 'train on an encoder' train $gold $small --pretrained "$work/encoder" --pretrained-mix --store i8 \
    --out "$work/t.lal"
check 'probabilities' parse -m "$work/t.lal" --format soft -o "$work/soft" "$work/text"
head -n 4 tests/golden/seed-tasks/random.jsonl >"$work/mentions"
check 'coreference' inspect coref -m "$work/t.lal" "$work/mentions"
check 'a pupil' train --soft "$work/soft" --init "$work/m" --batch-size 4 --epochs 1 --threads 2 --out "$work/p"
