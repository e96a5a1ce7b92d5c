#!/bin/sh
# recipes/zh.sh [--mini] DATA ENCODERS WORDS VARIANTS OUT [TEXT...]: the Chinese model, zh-base.
#
# DATA has the folders zh-mctb (trees), zh-gsd and zh-hkcfl (train.conllx: arcs with tags of the Chinese Treebank; dev
# and test of zh-gsd). ENCODERS has the published files of bge-small-zh-v1.5, whose pieces are characters, and of
# multilingual-e5-small in bge-small-zh and multilingual-e5-small. WORDS is a list of words with their counts, the file
# dict.txt of jieba. VARIANTS has traditional characters, each with the simplified one that it is read as, the file
# TSCharacters.txt of OpenCC. With TEXT, files of raw text with a paragraph on each line (recipes/raw_text.py --language
# zh), two models are made first, one over each encoder; zh-base is the one over bge-small-zh, which cuts words itself,
# after it has learnt on from the trees that the other one finds under the arcs, from what both believe of TEXT, and in
# the end from sentences of zh_constructions.txt. OUT gets zh-base.lal and steps.md: what each step gave, and how long
# it took. A step that stands there is not repeated, and one that was interrupted is continued.
# --mini: tiny networks and a few updates, which show in a minute whether everything is there.
#
# The variable STEPS names the steps to make (default: all, in this order): sets base. The program is build/lal, or LAL.
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
if [ $# -gt 0 ]; then cat "$@" >"$out/text"; else rm -f "$out/text"; fi
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
    python3 "$here/zh_constructions.py" --each "$(tiny 1000 3)" --not "$here/../tests/chinese/open.trees" \
        --not "$here/../tests/chinese/held-back.trees" "$here/zh_constructions.txt" >"$out/made.trees"
    "$lal" convert --to conllx --deps chinese-ud.rules --out "$out/made.conllx" "$out/made.trees"
    with_upos "$out/made.conllx" >"$out/made.conllu"
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
made="--name zh-mctb --train $out/made.trees --train-deps $out/made.conllu" # sentences of hard constructions
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
make_base() {
    soft='' sets=$arcs
    if [ ! -e "$out/text" ]; then over bge-small-zh 3 "$out/base.lal" --characters
    else
        # side by side, for small batches gain little from threads
        over multilingual-e5-small 6 "$out/base1.lal" --threads 1 --seed 2 &
        over bge-small-zh 3 "$out/base2.lal" --threads 1 --characters
        wait $!
        for set in zh-gsd zh-hkcfl; do
            "$lal" parse --quiet -m "$out/base1.lal" --treebank zh-mctb --input conll --arcs given --tags given \
                --max-words 200 --out "$data/$set.train.trees" "$data/$set.train.conllu" >&2
        done
        [ -e "$out/text.words" ] ||
            "$lal" tokenize -m "$out/base2.lal" --newline paragraph --out "$out/text.words" "$out/text"
        for k in 1 2; do
            [ -e "$out/text$k.jsonl" ] || "$lal" parse --quiet -m "$out/base$k.lal" --treebank zh-mctb --format soft \
                --temperature 1 --span-temperature 0.3 --input tokens --out "$out/text$k.jsonl" "$out/text.words"
            soft="$soft --soft $out/text$k.jsonl --soft-name text$k --mix text$k=$(share 8800 "$out/text$k.jsonl")"
        done
        sets="--name zh-gsd --train $data/zh-gsd.train.trees --train-deps $data/zh-gsd.train.conllu --name zh-hkcfl
            --train $data/zh-hkcfl.train.trees --train-deps $data/zh-hkcfl.train.conllu $soft"
        trained "$out/base.lal" --init "$out/base2.lal" $common $sets $with_encoder --characters --epochs 6 \
            --lr 0.0009 --batch-size 16 $(tiny_run) >&2
    fi
    # rounded as the file will be
    trained "$out/rounded.lal" --init "$out/base.lal" $common $made $sets $with_encoder --characters --store i4 \
        --rounded --epochs 6 --lr 0.0009 --batch-size 16 $(tiny_run) >&2
    finished "$out/rounded.lal" zh-base i4 "$data/zh-mctb.dev"
    gave "$out/rounded.lal"
}
run_steps sets base
