#!/bin/sh
# recipes/ptb.sh [--mini] WSJ ENCODER OUT [ARCS]: the published parsers on the Penn Treebank, for its owners
# (recipes/ptb.md).
#
# WSJ is LDC's folder parsed/mrg/wsj, whose folders 00 to 24 have .mrg files. ENCODER is the published folder of
# xlnet-large-cased (Mrini et al. 2020) or bert-large-uncased (Zhou and Zhao 2019). ARCS has train.conllx, dev.conllx
# and test.conllx of the Stanford converter; without it arcs are made by english.rules. OUT gets gold/, the trees of
# sections 02-21, 22 and 23, arcs/, tagged/, the same trees with the tags of a tagger that had not learnt from them, a
# parser, xlnet.lal or bert.lal, and steps.md. A step that stands there is not repeated, and one that was interrupted is
# continued; the other encoder goes on from the same OUT. At the end comes the table of scores on section 23.
# --mini: tiny networks and a few updates, which show in minutes whether everything is there; in an OUT of its own.
#
# The variable STEPS names the steps to make (default: all, in this order): sections tags xlnet (or bert). DEVICE is
# what computes: by default cuda, if there is a GPU (make CUDA=1), else cpu. The program is build/lal, or LAL.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
lal=${LAL:-$here/../build/lal}
case $("$lal" model info --devices) in *'cuda:0'*) : "${DEVICE:=cuda}" ;; esac
. "$here/steps.sh"
. "$here/values.sh"
fail() { echo "$0: $*" >&2; exit 1; }
mini=
if [ "${1:-}" = --mini ]; then mini=1; shift; fi
case $#${1:-} in 3[!-]* | 4[!-]*) ;; *) sed -n '2s/^# \([^:]*\):.*/usage: \1/p' "$0" >&2; exit 2 ;; esac
for folder; do case $folder in *[[:space:]]*) fail "found a blank in $folder, expected none" ;; esac; done
wsj=$1 encoder=$2 given=${4:-}
for folder in 02 21 22 23; do [ -d "$wsj/$folder" ] || fail "$wsj/$folder: no such folder"; done
case $(cat "$encoder/config.json") in
    *'"xlnet"'* | *'"XLNet'*) kind=xlnet ;;
    *'"bert"'* | *'"Bert'*) kind=bert ;;
    *) fail "$encoder/config.json: found another encoder, expected xlnet or bert" ;;
esac
mkdir -p "$3"
out=$(cd "$3" && pwd)

# ---- trees without function tags and traces, and their arcs
sections() { # SPLIT SECTION...
    split=$1
    shift
    for section; do ls "$wsj/$section"/*.[mM][rR][gG]; done >"$out/files"
    xargs "$lal" convert --out "$out/gold/$split.trees" <"$out/files"
    rm "$out/files"
    if [ "$given" ]; then cp "$given/$split.conllx" "$out/arcs"
    else "$lal" convert --to conllx --deps english.rules --out "$out/arcs/$split.conllx" "$out/gold/$split.trees"
    fi
}
make_sections() {
    mkdir -p "$out/gold" "$out/arcs"
    sections train 02 03 04 05 06 07 08 09 10 11 12 13 14 15 16 17 18 19 20 21
    sections dev 22
    sections test 23
    wc -l <"$out/gold/train.trees" | tr '\n' ' '
    echo 'sentences of 39832'
}

# ---- tags of taggers that have not learnt from the sentence
# tagged SPLIT: the trees of a part with the tags of tags/SPLIT.conllx; prints how many are those of the treebank.
tagged() {
    awk -v found="$out/tags/$1.conllx" -v name="$1" -v trees="$out/tagged/$1.trees" '
        function tag_of(word,  line, cell) {
            do if ((getline line <found) <= 0) line = "\t?"; while (line == "")
            split(line, cell, "\t")
            if (cell[2] != word) { print found ": found " cell[2] ", expected " word >"/dev/stderr"; exit 1 }
            return cell[5]
        }
        {
            done = ""
            while (match($0, /\([^() ]+ [^() ]+\)/)) {
                split(substr($0, RSTART + 1, RLENGTH - 2), leaf, " ")
                tag = tag_of(leaf[2])
                same += tag == leaf[1]
                n++
                done = done substr($0, 1, RSTART) tag " " leaf[2] ")"
                $0 = substr($0, RSTART + RLENGTH)
            }
            print done $0 >trees
        }
        END { printf " %s %.2f", name, 100 * same / n }' "$out/gold/$1.trees"
}
make_tags() {
    mkdir -p "$out/tags" "$out/tagged"
    tagger="--preset small $(tiny_network) --epochs 8 $(tiny_run) --name ptb
        --train $out/gold/train.trees --train-deps $out/arcs/train.conllx
        --dev $out/gold/dev.trees --dev-deps $out/arcs/dev.conllx"
    [ -e "$out/tags/train.conllx" ] ||
        "$lal" train $device $tagger --folds "$(tiny 10 2)" --fold-parses "$out/tags/train.conllx" >&2
    trained "$out/tags/tagger.lal" $tagger >&2
    for split in dev test; do
        "$lal" parse --quiet $device -m "$out/tags/tagger.lal" --input brackets --format conllx --deps stanford \
            --out "$out/tags/$split.conllx" "$out/gold/$split.trees" >&2
    done
    printf 'right tags, %%:'
    for split in train dev test; do tagged $split; done
}

# ---- parsers
part() { echo "--$1 $out/tagged/$2.trees --$1-deps $out/arcs/$2.conllx"; } # OPTION SPLIT
parser() { # PRESET OPTIONS...
    [ -e "$out/$kind.encoder.lal" ] || "$lal" model import "$encoder" --out "$out/$kind.encoder.lal" >&2
    trained "$out/$kind.lal" --preset "$@" --pretrained "$out/$kind.encoder.lal" $products --name ptb \
        $(part train train) $(part dev dev) $(tiny '' '--pretrained-layers 1') $(tiny_run) >&2
    "$lal" eval --quiet $device ${products:---products f32} -m "$out/$kind.lal" --tags given $(part gold test) \
        --format json >"$out/$kind.json"
    echo "22: $(gave "$out/$kind.lal")"
}
small='--d-model 32 --n-heads 2 --d-kv 16 --d-ff 48 --d-label-hidden 24 --d-arc 24 --d-type 12'
make_xlnet() {
    parser xlnet-large $(tiny '' "$small --n-label-heads 6 --lal-d-kv 8 --lal-d-proj 8")
}
make_bert() {
    parser bert-large $(tiny '' "$small")
}

row() { # KIND NAME PUBLISHED
    [ ! -e "$out/$1.json" ] || echo "| $2 | $(values f1 uas_nopunct las_nopunct <"$out/$1.json") | $3 |"
}
run_steps sections tags $kind
echo
echo '| section 23 | F1 | UAS | LAS | as published |'
echo '|---|--:|--:|--:|--:|'
row xlnet 'xlnet-large, Mrini et al. 2020' '96.38 / 97.42 / 96.26'
row bert 'bert-large, Zhou and Zhao 2019' '95.84 / 97.00 / 95.43'
