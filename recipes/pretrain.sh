#!/bin/sh
# recipes/pretrain.sh DATA [LAYERS [UPDATES [EPOCHS [OPTIONS]]]]: encoders of the preset small, pretrained on the words
# of three treebanks with and without guidance, and parsers that begin with them (docs/PRETRAIN.md). DATA is a folder
# with gum-open, craft and genia in it, each with train.trees, and gum-open also with dev, test and .conllx; treebanks
# other than gum-open may be missing. LAYERS: "2 4 8" by default; UPDATES of each pretraining: 2000; EPOCHS of each
# parser: 4; the warm-up is a tenth of both; OPTIONS go to all trainings, such as --threads 2. The variable ALPHA0 is
# the weight of guidance at the start, 10 by default (0.1 makes it about as large as the loss of replaced words); TASK
# is detect (replaced words, the default) or mask (hidden words). Models, logs and tables are written to build/pretrain,
# or build/pretrain-mask (steps.sh: what is there is not made again): remove the folder to use other numbers. The
# program is build/lal.
set -eu
data=$1 layers=${2:-2 4 8} updates=${3:-2000} epochs=${4:-4}
shift $(($# < 4 ? $# : 4))
lal=$(cd "$(dirname "$0")/../build" && pwd)/lal
task=${TASK:-detect}
case $task in
detect) out=$(dirname "$lal")/pretrain asked=replaced ;;
mask) out=$(dirname "$lal")/pretrain-mask asked=masked ;;
*) echo "$0: TASK: found $task, expected detect or mask" >&2; exit 2 ;;
esac
mkdir -p "$out"

# Heads 0 and 1 of each layer are drawn to the next and the previous word.
guide() { printf '{"layers": "all", "heads": [%s], "pattern": "%s", "use": "guide"}' "$1" "$2"; }
printf '{"encoder_options": {"heads": [%s, %s], "guidance": {"alpha0": %s, "norm": "row", "hold": 0}}}\n' \
    "$(guide 0 next)" "$(guide 1 prev)" "${ALPHA0:-10}" >"$out/guided.json"
echo '{"encoder_options": {}}' >"$out/plain.json"

. "$(dirname "$0")/steps.sh"
. "$(dirname "$0")/values.sh"

# ---- pretraining: about 20 checks
texts='' sentences=0
for name in gum-open craft genia; do
    file=$data/$name/train.trees
    [ -e "$file" ] || continue
    texts="$texts --train $file"
    sentences=$((sentences + $(wc -l <"$file")))
done
checks=$((20 * sentences / 32 / updates))
[ $checks -ge 1 ] || checks=1
for n in $layers; do
    for kind in plain guided; do
        trained "$out/encoder-$n-$kind.lal" --task "$task" $texts --dev "$data/gum-open/dev.trees" --input treebank \
            --n-layers "$n" --encoder-options "$out/$kind.json" --epochs 1000 --max-updates "$updates" \
            --warmup $((updates / 10)) --checks-per-epoch $checks "$@"
    done
done

# ---- parsers
gum=$data/gum-open
warmup=$((epochs * $(wc -l <"$gum/train.trees") / 32 / 10))
parser() { # NAME OPTIONS
    name=$1
    shift
    trained "$out/$name.lal" --train "$gum/train.trees" --train-deps "$gum/train.conllx" --dev "$gum/dev.trees" \
        --dev-deps "$gum/dev.conllx" --epochs "$epochs" --warmup $warmup "$@"
}
for n in $layers; do
    parser "parser-$n-scratch" --n-layers "$n" "$@"
    for kind in plain guided; do parser "parser-$n-$kind" --init "$out/encoder-$n-$kind.lal" "$@"; done
done

# ---- tables

# The losses of a log, means over the updates of the lines that begin in the first fifth, of all, and of those that end
# in the last tenth; the scores of the last line.
losses() {
    awk -v asked=$asked "$value"'
    { at[NR] = value("updates") + 0; a[NR] = value(asked); b[NR] = value("guidance"); line = $0 }
    END {
        for (k = 1; k <= NR; k++) {
            n = at[k] - at[k - 1]
            if (at[k - 1] < at[NR] / 5) { early += n; a1 += n * a[k]; b1 += n * b[k] }
            a2 += n * a[k]; b2 += n * b[k]
            if (at[k] > 0.9 * at[NR]) { late += n; a3 += n * a[k]; b3 += n * b[k] }
        }
        printf "%.4f | %.4f | %.4f | ", a1 / early, a2 / at[NR], a3 / late
        if (b[NR] == "-") printf "- | - | - | "
        else printf "%.4f | %.4f | %.4f | ", b1 / early, b2 / at[NR], b3 / late
        sub(/.*"dev": /, "", line); $0 = line
        printf "%s | %s | %s | %s |\n", value("loss"), value("accuracy"), value("baseline"), value("f1")
    }' "$1"
}
scores() { # MODEL SPLIT
    [ -s "$out/$1.$2.json" ] || "$lal" eval --model "$out/$1.lal" --gold "$gum/$2.trees" --gold-deps "$gum/$2.conllx" \
        --format json --quiet >"$out/$1.$2.json"
    echo " $(values f1 uas_nopunct las_nopunct <"$out/$1.$2.json") |"
}
{
    printf 'Pretraining, %s updates: mean loss of a word (%s) and of a sentence (guidance)\n\n' "$updates" $asked
    echo "| layers | guided | $asked, first fifth | all | last tenth | guidance, first fifth | all | last tenth |" \
        'dev loss | accuracy | never | F1 |'
    echo '|--:|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|'
    for n in $layers; do
        for kind in plain guided; do
            printf '| %s | %s | %s\n' "$n" "$([ $kind = plain ] && echo no || echo yes)" \
                "$(losses "$out/encoder-$n-$kind.jsonl")"
        done
    done
    printf '\nParsers, %s epochs of gum-open\n\n' "$epochs"
    echo '| layers | begins with | dev F1 | UAS | LAS | test F1 | UAS | LAS |'
    echo '|--:|---|--:|--:|--:|--:|--:|--:|'
    for n in $layers; do
        for kind in scratch plain guided; do
            printf '| %s | %s |%s%s\n' "$n" $kind "$(scores "parser-$n-$kind" dev)" "$(scores "parser-$n-$kind" test)"
        done
    done
} | tee "$out/table.md"
