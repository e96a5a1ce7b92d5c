#!/bin/sh
# recipes/scores.sh MODEL DATA: scores of a model on each set of the folders craft, genia, gum-open, masc, ewt, pud
# and nltk-wsj-sample in DATA that is there, dev and test, a row for each set.
# recipes/scores.sh dev|test DATA MODEL...: a row for each model, with speed, memory and size.
#
# In the second form F1 of ewt is that of its sentences with trees (dev-agree, test-agree), and pud is a test set alone.
# Speed and memory are those of lal bench --only parse-shipped --threads 1: nothing else should run then; BENCH=no
# leaves them out. A model that knows a folder's name as a treebank follows its conventions, else those of its default
# treebank. Sets without trees have dependencies only. The program is build/lal, or LAL.
set -eu
lal=${LAL:-$(dirname "$0")/../build/lal}
usage() { sed -n '2,4s/^# //p' "$0" >&2; exit 2; }

. "$(dirname "$0")/values.sh"

there() { [ -e "$data/$1/$2.conllx" ]; } # FOLDER SPLIT

# scores FOLDER SPLIT KEY...: these scores of the model.
scores() {
    folder=$1 gold=$data/$1/$2
    shift 2
    keys=$*
    set -- --gold-deps "$gold.conllx"
    [ ! -e "$gold.trees" ] || set -- "$@" --gold "$gold.trees"
    case $known in *"\"$folder\""*) set -- "$@" --treebank "$folder" ;; esac
    json=$("$lal" eval --quiet --products f32 --model "$model" "$@" --format json)
    echo "$json" | values $keys
}

row() { # NAME FOLDER SPLIT
    there "$2" "$3" || return 0
    cells=$(scores "$2" "$3" sentences f1 precision recall complete uas_nopunct las_nopunct tag_accuracy)
    echo "| $1 | $cells |"
}

by_set() {
    echo '| set | sentences | F1 | precision | recall | complete | UAS | LAS | tags |'
    echo '|---|--:|--:|--:|--:|--:|--:|--:|--:|'
    for set in craft genia gum-open masc ewt; do
        for split in dev test; do row "$set $split" "$set" "$split"; done
    done
    for split in dev-agree test-agree; do row "ewt $split" ewt "$split"; done
    row 'PUD test' pud test
    for split in dev test; do row "WSJ sample $split" nltk-wsj-sample "$split"; done
}

# cell FOLDER: F1 / UAS / LAS / tags, or - where DATA has no such set.
cell() {
    arcs='uas_nopunct las_nopunct tag_accuracy'
    there "$1" "$split" || { echo -; return; }
    case $1 in
    ewt) if there ewt "$split-agree"; then f1=$(scores ewt "$split-agree" f1); else f1=-; fi ;;
    pud) f1='' ;;
    *) f1='' arcs="f1 $arcs" ;;
    esac
    arcs=$(scores "$1" "$split" $arcs)
    echo "${f1:+$f1 | }$arcs" | sed 's: | : / :g'
}

by_model() { # MODEL...
    echo "| model, $split | CRAFT | GENIA | GUM-open | MASC | EWT | PUD (UAS / LAS / tags) | WSJ sample | words/s |" \
        'MiB | bytes |'
    echo '|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|'
    for model; do
        name=${model##*/}
        known=$("$lal" model info -m "$model" --format json)
        printf '| %s ' "${name%.lal}"
        for set in craft genia gum-open masc ewt pud nltk-wsj-sample; do
            cells=$(cell $set)
            printf '| %s ' "$cells"
        done
        speed='- | -'
        if [ "${BENCH:-yes}" != no ]; then
            speed=$("$lal" bench --model "$model" --only parse-shipped --threads 1)
            speed=$(echo "$speed" | values words_per_s peak_mib)
        fi
        echo "| $speed | $(wc -c <"$model") |"
    done
}

[ $# -ge 2 ] || usage
data=$2
[ -d "$data" ] || { echo "$0: $data: no such folder" >&2; exit 1; }
case $1 in
dev | test)
    [ $# -ge 3 ] || usage
    split=$1
    shift 2
    by_model "$@"
    ;;
*)
    [ $# -eq 2 ] || usage
    model=$1
    known=$("$lal" model info -m "$model" --format json)
    by_set
    ;;
esac
