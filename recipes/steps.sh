# recipes/steps.sh: sourced by the recipes that train models, in steps of hours. Of their variables lal is the program,
# out the folder of results, DEVICE what computes (default: cpu), and mini is not empty where tiny networks and a few
# updates are to show in seconds whether everything is there.
# shellcheck shell=sh disable=SC2034,SC2154
device="--device ${DEVICE:-cpu}"
products='--products bf16' # not of processors that lack it
case ${DEVICE:-}$("$lal" model info --devices) in
*'kernels for x86-64-v4-bf16'* | *'kernels for x86-64-v4-amx'* | cuda*) ;;
*) products= ;;
esac

# trained MODEL OPTIONS...: lal train writes MODEL, a path that ends in .lal, and its log beside it. A model that is
# there is not trained again, and a run that was interrupted is continued.
trained() {
    trains=$1 new=${1%.lal}.new.lal log=${1%.lal}.jsonl
    shift
    [ ! -e "$trains" ] || return 0
    echo "== $trains" >&2
    if [ -e "$new.ckpt" ]; then "$lal" train $device --resume "$new.ckpt"
    else
        rm -f "$log"
        "$lal" train $device --checkpoint-every 10 "$@" --out "$new" --log "$log"
    fi
    mv "$new" "$trains"
    rm -f "$new.ckpt"
}

# tiny FULL TINY: what a run of --mini has in place of FULL.
tiny() { if [ "$mini" ]; then echo "$2"; else echo "$1"; fi; }
# Options of lal train, nothing but with --mini.
tiny_run() { tiny '' '--max-updates 6 --batch-size 20 --warmup 2'; }
tiny_network() {
    tiny '' '--d-model 32 --n-layers 1 --n-heads 2 --d-kv 16 --d-ff 48 --n-label-heads 6 --lal-d-kv 8 --lal-d-proj 8
        --d-label-hidden 24 --d-arc 24 --d-type 12 --d-tag-hidden 16 --affix-buckets 50'
}

# share N FILE: the part of the lines of FILE that N lines are, at most all of them.
share() { awk -v n="$1" 'END { x = NR ? n / NR : 1; print x < 1 ? x : 1 }' "$2"; }

# gave MODEL: F1 and LAS of each dev set at the best check.
gave() {
    grep '"best": true' "${1%.lal}.jsonl" | sed -n '$s/.*"dev": {//p' |
        grep -oE '"[a-z-]+": \{|"f1": [0-9.]+|"las_nopunct": [0-9.]+' |
        sed 's/"f1": //; s/"las_nopunct": \(.*\)/ \1,/; s/"\(.*\)": {/ \1 /' | tr -d '\n' | sed 's/^ //; s/,$//'
}

# finished MODEL NAME BITS SET [TREES...]: OUT/NAME.lal is MODEL in few bits, with names of its heads
# (OUT/NAME.heads.txt) and with what lal model calibrate fits, of the dev set SET.trees and SET.conllx or, without it,
# SET.conllu, whose conventions are the model's, and of the sets of the variable fitted_also, each by the conventions
# that its folder names; its grammar is counted in TREES.
finished() {
    "$lal" model quantize -m "$1" --dtype "$3" --out "$out/unnamed.lal" >&2
    stored=$2 gold=$4.trees deps=$4.conllx
    [ -e "$deps" ] || deps=$4.conllu
    shift 4
    "$lal" inspect heads --quiet -m "$out/unnamed.lal" --gold "$gold" --gold-deps "$deps" --importance none \
        --name-heads "$out/unfitted.lal" --out "$out/$stored.heads.txt"
    counted='' also=''
    for trees; do counted="$counted --count $trees"; done
    for set in ${fitted_also:-}; do also="$also --gold $set.trees --gold-deps $set.conllx"; done
    "$lal" model calibrate -m "$out/unfitted.lal" --gold "$gold" --gold-deps "$deps" $also $counted \
        --out "$out/$stored.lal" >&2
    rm "$out/unnamed.lal" "$out/unfitted.lal"
}

# run_steps STEP...: make_STEP of each, or of the steps that the variable STEPS names, that is not in out/steps.md yet,
# which gets a line with what it prints.
run_steps() {
    [ -s "$out/steps.md" ] || printf '| step | minutes | what it gave |\n|---|--:|---|\n' >"$out/steps.md"
    for step in ${STEPS:-"$@"}; do
        ! grep -q "^| $step |" "$out/steps.md" || continue
        echo "==== $step" >&2
        began=$(date +%s)
        what=$("make_$step")
        echo "| $step | $((($(date +%s) - began + 30) / 60)) | $what |" >>"$out/steps.md"
    done
    cat "$out/steps.md"
}
