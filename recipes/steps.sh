# recipes/steps.sh: sourced by the recipes that train models in steps of hours. The variable lal is the program.
# shellcheck shell=sh

# trained MODEL OPTIONS...: lal train writes MODEL, a path that ends in .lal, and its log beside it. A model that is
# there is not trained again, and a run that was interrupted is continued.
trained() {
    model=$1 new=${1%.lal}.new.lal log=${1%.lal}.jsonl
    shift
    [ ! -e "$model" ] || return 0
    echo "== $model" >&2
    if [ -e "$new.ckpt" ]; then "$lal" train --resume "$new.ckpt"
    else
        rm -f "$log"
        "$lal" train "$@" --out "$new" --log "$log"
    fi
    mv "$new" "$model"
    rm -f "$new.ckpt"
}
