#!/bin/sh
# recipes/zh.sh [--mini] DATA ENCODERS WORDS VARIANTS OUT [TEXT...]: Chinese models, zh-base and from it zh-small, whose
# 64 label heads are those of Mrini et al. (2020) for Chinese.
#
# DATA has the folders zh-mctb (trees), zh-gsd and zh-hkcfl (train.conllx: arcs with tags of the Chinese Treebank; dev
# and test of zh-gsd). ENCODERS has the published files of bge-small-zh-v1.5, whose pieces are characters, and of
# multilingual-e5-small in bge-small-zh and multilingual-e5-small. WORDS is a list of words with their counts, the file
# dict.txt of jieba. VARIANTS has traditional characters, each with the simplified one that it is read as, the file
# TSCharacters.txt of OpenCC. With TEXT, files of raw text with a paragraph on each line (recipes/raw_text.py --language
# zh), two models are made first, one over each encoder; zh-base is the one over bge-small-zh, which cuts words itself,
# after it has learnt on from the trees that the other one finds under the arcs, and from what both believe of TEXT, and
# zh-small learns words and all else from what zh-base believes of it. OUT gets zh-small.lal, zh-base.lal and steps.md:
# what each step gave, and how long it took. A step that stands there is not repeated, and one that was interrupted is
# continued.
# --mini: tiny networks and a few updates, which show in a minute whether everything is there.
#
# The variable STEPS names the steps to make (default: all, in this order): sets base silver small. The program is
# build/lal, or LAL.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
lal=${LAL:-$here/../build/lal}
. "$here/steps.sh"
fail() { echo "$0: $*" >&2; exit 1; }
mini=
if [ "${1:-}" = --mini ]; then mini=1; shift; fi
usage() { sed -n '2s/^# \([^:]*\):.*/usage: \1/p' "$0" >&2; exit 2; }
case ${1:--} in -*) usage ;; esac
[ $# -ge 5 ] || usage
treebanks=$1 encoders=$2 words=$3 variants=$4
mkdir -p "$5"
out=$(cd "$5" && pwd)
data=$out/data
shift 5
if [ $# -gt 0 ]; then cat "$@" >"$out/text"; else rm -f "$out/text" "$out/soft/text.jsonl"; fi
for file in "$treebanks/zh-mctb/train.trees" "$treebanks/zh-gsd/train.conllx" "$treebanks/zh-hkcfl/train.conllx" \
    "$encoders/bge-small-zh/vocab.txt" "$encoders/multilingual-e5-small/sentencepiece.bpe.model" "$words" \
    "$variants"; do
    [ -f "$file" ] || fail "$file: no such file"
done
# ---- CoNLL-U of all sets: parts of speech by the tags of the Chinese Treebank, as UD Chinese-GSD has them most often
tags='AD=ADV AS=AUX BA=ADP CC=CCONJ CD=NUM CS=SCONJ DEC=SCONJ DEG=PART DER=PART DEV=SCONJ DT=DET ETC=NOUN FW=X IC=X
    IJ=INTJ JJ=ADJ LB=AUX LC=ADP M=NOUN MSP=PART NN=NOUN NR=PROPN NT=NOUN OD=NUM ON=INTJ P=ADP PN=PRON PU=PUNCT SB=AUX
    SP=PART URL=X VA=ADJ VC=AUX VE=VERB VV=VERB'
with_upos() { # CONLL
    awk -F '\t' -v OFS='\t' -v tags="$tags" '
        BEGIN { n = split(tags, t, " "); for (k = 1; k <= n; k++) { split(t[k], p, "="); upos[p[1]] = p[2] } }
        { gsub(/-LRB-/, "(", $2); gsub(/-RRB-/, ")", $2) }
        NF { $3 = $2; $4 = ($5 in upos) ? upos[$5] : "X"; $10 = "SpaceAfter=No" }
        { print }' "$1"
}
make_sets() {
    mkdir -p "$data"
    for split in train dev test; do
        for set in zh-mctb zh-gsd zh-hkcfl; do
            trees=$treebanks/$set/$split.trees arcs=$treebanks/$set/$split.conllx
            if [ -f "$trees" ]; then
                arcs=$out/mctb.conllx
                "$lal" convert --to conllx --deps chinese-ud.rules --out "$arcs" "$trees"
                cp "$trees" "$data/$set.$split.trees"
            fi
            [ ! -f "$arcs" ] || with_upos "$arcs" >"$data/$set.$split.conllu"
        done
    done
    rm "$out/mctb.conllx"
    awk '$2 >= 10' "$words" >"$out/words" # rare words do harm (docs/LANGUAGES.md)
    # words, variants of Taiwan and Hong Kong and quotation marks, then single characters
    awk '!/^#/ && NF && !seen[$1]++' "$here/zh_variants.txt" "$variants" >"$out/variants"
    { cut -f 2 "$data"/*.train.conllu; sed 's/ .*//' "$out/words"; } | sort -u >"$out/forms"
    cat "$data"/*.train.conllu | grep -c '^1	' | sed 's/$/ sentences/'
}

# ---- training
common="--language trained --treebank zh-mctb --word-list $out/words --variants $out/variants
    --store f16 $products
    --name zh-mctb --train $data/zh-mctb.train.trees --train-deps $data/zh-mctb.train.conllu
    --dev-name zh-mctb --dev $data/zh-mctb.dev.trees --dev-deps $data/zh-mctb.dev.conllu
    --dev-name zh-gsd --dev none --dev-deps $data/zh-gsd.dev.conllu"
arcs="--name zh-gsd --train none --train-deps $data/zh-gsd.train.conllu
    --name zh-hkcfl --train none --train-deps $data/zh-hkcfl.train.conllu"
trees="--name zh-gsd --train $data/zh-gsd.train.trees --train-deps $data/zh-gsd.train.conllu
    --name zh-hkcfl --train $data/zh-hkcfl.train.trees --train-deps $data/zh-hkcfl.train.conllu"
with_encoder='--word-min-count 1000000 --freeze pretrained.piece --pretrained-lr 0.1 --pretrained-decay 0.9'
# over ENCODER LAYERS MODEL OPTIONS...: MODEL, over the lowest layers of an encoder, learns from gold trees and arcs.
over() {
    # rounded as in the end, for vectors of pieces are not trained
    [ -e "$out/$1.lal" ] || "$lal" model import "$encoders/$1" --layers "$(tiny "$2" 2)" --keep-pieces "$out/forms" \
        --store i8 --out "$out/$1.lal" >&2
    encoder=$out/$1.lal to=$3
    shift 3
    trained "$to" --preset small $common $arcs $(tiny_network) --pretrained "$encoder" --pretrained-pieces mean \
        --pretrained-mix $with_encoder --n-layers 2 --lr 0.002 --epochs 16 --batch-size 8 "$@" $(tiny_run) >&2
}
rounded='--store i4 --rounded' # in the end, as the file will be
under_arcs() { # MODEL
    for set in zh-gsd zh-hkcfl; do
        "$lal" parse --quiet -m "$1" --treebank zh-mctb --input conll --arcs given --tags given --max-words 200 \
            --out "$data/$set.train.trees" "$data/$set.train.conllu" >&2
    done
}
believes() { # MODEL OUT OPTIONS...
    model=$1 to=$2
    shift 2
    [ -e "$to" ] || "$lal" parse --quiet -m "$model" --treebank zh-mctb --format soft --temperature 1 \
        --span-temperature 0.3 --out "$to" "$@" >&2
}
# The words and sentences that a model finds in the raw text, a sentence on each line.
cut_text() { # MODEL OUT
    [ -e "$2" ] || "$lal" tokenize -m "$1" --newline paragraph --out "$2" "$out/text"
}
make_base() {
    if [ ! -e "$out/text" ]; then over bge-small-zh 3 "$out/base.lal" --characters
    elif [ ! -e "$out/base.lal" ]; then
        # side by side, for small batches gain little from threads
        over multilingual-e5-small 6 "$out/base1.lal" --threads 1 --seed 2 &
        over bge-small-zh 3 "$out/base2.lal" --threads 1 --characters
        wait $!
        under_arcs "$out/base1.lal"
        soft=
        cut_text "$out/base2.lal" "$out/text2.words"
        for k in 1 2; do
            believes "$out/base$k.lal" "$out/text$k.jsonl" --input tokens "$out/text2.words"
            soft="$soft --soft $out/text$k.jsonl --soft-name text$k --mix text$k=$(share 8800 "$out/text$k.jsonl")"
        done
        trained "$out/base.lal" --init "$out/base2.lal" $common $trees $soft $with_encoder \
            --characters --epochs 6 --lr 0.0009 --batch-size 16 $(tiny_run) >&2
    fi
    trained "$out/rounded.lal" --init "$out/base.lal" $common $arcs $with_encoder --characters $rounded \
        --epochs 2 --lr 0.0004 --batch-size 16 $(tiny_run) >&2
    finished "$out/rounded.lal" zh-base i4 "$data/zh-mctb.dev"
    gave "$out/rounded.lal"
}
# Trees of zh-base under the arcs, and what it believes of all sentences.
make_silver() {
    mkdir -p "$out/soft"
    under_arcs "$out/base.lal"
    for set in zh-mctb zh-gsd zh-hkcfl; do
        believes "$out/base.lal" "$out/soft/$set.jsonl" --input conll "$data/$set.train.conllu"
    done
    if [ -e "$out/text" ]; then
        cut_text "$out/base.lal" "$out/text.words"
        believes "$out/base.lal" "$out/soft/text.jsonl" --input tokens "$out/text.words"
        awk '{ for (k = 1; k <= NF; k++) print k "\t" $k "\t_\t_\t_\t_\t" k - 1 "\tdep\t_\tSpaceAfter=No"; print "" }' \
            "$out/text.words" >"$out/text.conllu"
    fi
    cat "$out"/soft/*.jsonl | wc -l | sed 's/$/ sentences/'
}
# zh-small, over the lowest layer of zh-base's encoder, begins with its weights and learns from it, also the words of
# raw text; then from gold trees and arcs alone, with two thirds of the hidden units and more of the arcs of zh-gsd.
make_small() {
    soft='' known=''
    for set in zh-mctb zh-gsd zh-hkcfl; do soft="$soft --soft $out/soft/$set.jsonl --soft-name soft"; done
    if [ -e "$out/soft/text.jsonl" ]; then
        soft="$soft --soft $out/soft/text.jsonl --soft-name text --mix text=$(share 17600 "$out/soft/text.jsonl")"
        known="--word-text $out/text.conllu --mix zh-mctb-characters=$(share 8800 "$out/soft/text.jsonl")"
    fi
    trained "$out/taught.lal" --preset small $common $(tiny_network) --start-from "$out/base.lal" \
        --pretrained-layers 1 --n-layers 2 $soft $trees $known --characters $with_encoder --epochs 16 --lr 0.0015 \
        --batch-size 16 $(tiny_run) >&2
    trained "$out/small.lal" --init "$out/taught.lal" $common $arcs --mix zh-gsd=1.5 --characters $with_encoder \
        $(tiny '--pretrained-d-ff 1365' '') $rounded --epochs 6 --lr 0.0006 --batch-size 16 $(tiny_run) >&2
    finished "$out/small.lal" zh-small i4 "$data/zh-mctb.dev"
    gave "$out/small.lal"
}
run_steps sets base silver small
