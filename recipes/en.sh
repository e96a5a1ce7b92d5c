#!/bin/sh
# recipes/en.sh [--mini] [--from MODELS] DATA ENCODERS OUT [SOURCES]: the shipped English models from treebanks,
# pretrained encoders and raw text alone (models/README.md).
#
# DATA has the folders craft, genia, gum-open, masc, ewt and childes, as recipes/silver.sh reads them, ENCODERS the
# published files of all-MiniLM-L6-v2 and all-mpnet-base-v2 in minilm and mpnet, SOURCES what recipes/raw_text.py reads;
# without it raw text is that of DATA. OUT gets en-small.lal, en-base.lal and en-large.lal, which is one of their two
# teachers in 4 bits, and steps.md: what each step gave, and how long it took. A step that stands there is not repeated,
# and one that was interrupted is continued; to repeat one, remove its line and its files, and those of the steps after
# it.
# --from MODELS: en-small.lal and en-base.lal of MODELS learn on, and this en-base finds the trees under arcs, without a
# first parser.
# --mini: tiny networks and a few updates, which show in a minute whether everything is there.
#
# The variable STEPS names the steps to make (default: all, in this order): raw sets first silver teacher soft small
# base. DEVICE is what computes: cpu, the default, or cuda. PYTHON is a python3 with numpy. The program is build/lal, or
# LAL.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
lal=${LAL:-$here/../build/lal}
export LAL="$lal"
python=${PYTHON:-python3}
. "$here/steps.sh"
fail() { echo "$0: $*" >&2; exit 1; }
mini='' from='' steps='raw sets first silver teacher soft small base'
if [ "${1:-}" = --mini ]; then mini=1; shift; fi
if [ "${1:-}" = --from ] && [ $# -gt 1 ]; then from=$2 steps='raw sets silver teacher soft small base'; shift 2; fi
case $#${1:-} in 3[!-]* | 4[!-]*) ;; *) sed -n '2s/^# \([^:]*\):.*/usage: \1/p' "$0" >&2; exit 2 ;; esac
for folder; do case $folder in *[[:space:]]*) fail "found a blank in $folder, expected none" ;; esac; done
treebanks=$1 encoders=$2 sources=${4:-/nonexistent}
mkdir -p "$3"
out=$(cd "$3" && pwd)
for file in "$treebanks/gum-open/train.trees" "$treebanks/masc/train.trees" "$treebanks/ewt/train-agree.trees" \
    "$treebanks/childes/train.conllx" "$encoders/minilm/vocab.txt" "$encoders/mpnet/vocab.txt" \
    ${from:+"$from/en-small.lal" "$from/en-base.lal"}; do
    [ -f "$file" ] || fail "$file: no such file"
done
"$python" -c 'import numpy' 2>/dev/null || fail "$python: found no numpy, expected one (PYTHON names another python3)"
data=$out/data
fitted_to=$data/gum-open/dev # of the conventions that all trees are parsed in
vary='--vary-case 0.05 --vary-final 0.05 --vary-quotes 0.03'
with_encoder='--pretrained-pieces mean --pretrained-decay 0.9 --freeze pretrained.piece'

# ---- raw text: all of it, which says what pieces of words English needs, and the part that is parsed, in words
shares='ewt=180000 gum-open=110000 childes=20000 craft=150000 genia=150000 masc=480000 state_union=250000
    inaugural=100000 wiki-split=460000 product_reviews_1=62000 product_reviews_2=72000 pros_cons=40000
    movie_reviews=350000 taskmaster=60000 dstc8=100000'
make_raw() {
    others=
    wsj=$treebanks/nltk-wsj-sample/train.trees
    [ ! -f "$wsj" ] || others="--held-out $wsj"
    "$python" "$here/raw_text.py" "$sources" "$treebanks" "$out/raw-all" $others >&2
    "$python" "$here/raw_text.py" "$sources" "$treebanks" "$out/raw" $others $(printf -- '--share %s ' $shares) >&2
    cat "$out"/raw/*.txt | wc -w | sed 's/$/ words/'
}

# ---- treebanks with the brackets of the Penn Treebank, and sentences of rare constructions
sentences() { cat "$@" | grep -c . || true; }
make_sets() {
    rm -rf "$data"
    for folder in craft genia gum-open masc ewt childes; do
        mkdir -p "$data/$folder"
        for file in "$treebanks/$folder"/*; do ln -sf "$(realpath "$file")" "$data/$folder"; done
    done
    for set in gum-open/train masc/train ewt/train-agree; do
        rm "$data/$set.trees" "$data/$set.conllx"
        "$python" "$here/conventions.py" "$treebanks/$set" "$data/$set" >&2
    done
    # Whole sentences with a rare label want more of their kind than a bracket within a sentence does.
    phrases="$data/gum-open/train.trees $data/ewt/train-agree.trees $data/masc/train.trees"
    lone=gapping,right-node-raising,correlative-comparative,tag-question,fragment # no arcs (docs/history/english.md)
    lone=$lone,small-clause,infinitive
    short=dateline,colon
    rare=quotative-inversion,negative-inversion,locative-inversion,conditional-inversion,comparative,garden-path
    rare=$rare,attachment,nx,ucp,extraposition,reduced-relative,broken-quotation,interposed-clause,headline,quoted-title
    made() { # SEED EACH WHICH...
        seed=$1 each=$(tiny "$2" 1)
        shift 2
        "$python" "$here/constructions.py" --seed "$seed" --each "$each" "$@" \
            --not "$here/../tests/english/open.trees" --not "$here/../tests/english/held-back.trees" $phrases
    }
    made 21 90 --without $lone,$short >"$out/made.trees"
    made 22 150 --only $rare >>"$out/made.trees"
    made 23 220 --only $lone >"$out/lone.trees"
    made 24 100 --only $short >>"$out/lone.trees"
    "$lal" convert --to conllx --deps english.rules --out "$out/made.conllx" "$out/made.trees"
    echo "$(sentences "$data"/gum-open/train.trees "$data"/masc/train.trees "$data"/ewt/train-agree.trees) sentences" \
        "with conventions, $(sentences "$out/made.trees" "$out/lone.trees") of constructions"
}

# ---- training
# sets FOLDER: options of lal train for the sets of recipes/silver.sh in FOLDER and what is in OUT.
sets() {
    cat "$1/OPTIONS.txt"
    echo "--name gum-open --train $out/made.trees --train-deps $out/made.conllx"
    echo "--name gum-open --train $out/lone.trees --train-deps none"
    if [ -s "$1/amounts.trees" ]; then
        for name in ewt gum-open gum-open; do
            echo "--name $name --train $1/amounts.trees --train-deps $1/amounts.conllx"
        done
    fi
    echo "--treebank gum-open --store f16 $products"
}
# large MODEL FOLDER EPOCHS SEED: two layers of the parser on all-mpnet-base-v2 learn from the sets of FOLDER.
large() {
    [ -e "$out/mpnet.lal" ] || cat "$out"/raw-all/*.txt "$data"/*/train.conllx |
        "$lal" model import "$encoders/mpnet" --keep-pieces - --keep-least 10 --positions "$(tiny 256 40)" \
            --out "$out/mpnet.lal" --store f16 >&2
    trained "$1" --preset small --pretrained "$out/mpnet.lal" --pretrained-lr 0.07 --d-model 512 --n-layers 2 \
        --d-ff 1024 --d-arc 256 --d-type 64 --d-label-hidden 250 $(tiny_network) $(sets "$2") $with_encoder \
        --mix craft=0.5 --mix genia=0.5 --mix childes=0.3 --epochs "$3" --seed "$4" --warmup 200 --batch-size 64 \
        --subbatch-tokens 400 --vary-final 0.03 --vary-quotes 0.03 $(tiny_run) >&2
    gave "$1"
}
make_first() {
    "$here/silver.sh" "$data" none "$out/silver-none" >&2
    large "$out/first.lal" "$out/silver-none" 2 1
}
make_silver() {
    texts='' annotator=$out/first.lal
    [ ! "$from" ] || annotator=$from/en-base.lal
    for name in ewt gum-open masc movie_reviews state_union wiki-split dstc8 taskmaster product_reviews_1 \
        product_reviews_2 pros_cons inaugural; do
        [ ! -s "$out/raw/$name.txt" ] || texts="$texts $out/raw/$name.txt"
    done
    grep -qE '[0-9]' $texts /dev/null || texts=
    "$here/silver.sh" "$data" "$annotator" "$out/silver" $texts >"$out/silver.md"
    awk -F '|' 'NR > 2 { with += $5; without += $6 }
        END { print with " sentences with trees, " without " without" }' "$out/silver.md"
}
make_teacher() {
    large "$out/teacher1.lal" "$out/silver" 6 1
    printf '; '
    large "$out/teacher2.lal" "$out/silver" 6 2
    finished "$out/teacher1.lal" en-large i4 "$fitted_to"
}

# ---- what the teachers believe of raw text; phrases of amounts are left out, for they bracket half of them otherwise
make_soft() {
    for k in 1 2; do
        mkdir -p "$out/soft$k"
        for text in "$out"/raw/*.txt; do
            to=$out/soft$k/$(basename "$text" .txt).jsonl
            if [ -e "$to" ] || ! [ -s "$text" ]; then continue; fi
            echo "== $to" >&2
            "$lal" parse $device --quiet --model "$out/teacher$k.lal" $products --newline paragraph \
                --treebank ewt --format soft --temperature 1 --span-temperature 0.3 --out "$to.all" "$text"
            sed -E '/"(hundred|thousand|million|billion|trillion|\$)"/s/,"spans":\[.*\]\]\}$/}/' "$to.all" >"$to.new"
            mv "$to.new" "$to"
            rm "$to.all"
        done
    done
    cat "$out"/soft[12]/*.jsonl | wc -l | sed 's/$/ sentences/'
}
soft() { # options of lal train: a sentence is in two sets, one of each teacher
    for file in "$out"/soft[12]/*.jsonl; do
        [ -e "$file" ] || continue
        k=${file#"$out/soft"} k=${k%%/*}
        case $file in */craft.jsonl | */genia.jsonl) name=softbio$k share=0.25 ;; *) name=soft$k share=0.3 ;; esac
        echo "--soft $file --soft-name $name --mix $name=$share"
    done
}
# pupil NAME FIRST THEN OPTIONS: en-NAME learns from all sets and the teachers with FIRST, then from the sets alone with
# THEN, each with OPTIONS, too.
pupil() {
    name=$1 first=$2 then=$3
    shift 3
    set -- "$@" $(sets "$out/silver") $vary --grammar 0.1 --mix craft=0.6 --mix genia=0.6 --mix childes=0.2 \
        --warmup 150 $(tiny_run)
    trained "$out/$name-taught.lal" $first $(soft) "$@" >&2
    trained "$out/$name.lal" --init "$out/$name-taught.lal" $then "$@" >&2
    finished "$out/$name.lal" "en-$name" i8 "$fitted_to"
    gave "$out/$name.lal"
}
make_small() {
    begins="--init $from/en-small.lal --lr 0.0009"
    if [ ! "$from" ]; then
        "$python" "$here/piece_vectors.py" "$encoders/minilm" "$out/vectors.txt" "$(tiny 64 8)" >&2
        begins="--preset small $(tiny '--n-layers 4' '') --vectors $out/vectors.txt $(tiny_network)"
    fi
    pupil small "$begins --epochs 28" '--epochs 3 --lr 0.0003 --mix masc=1.5' --word-min-count "$(tiny 8 1)" \
        --batch-size 48 --subbatch-tokens 600
}
# The four lowest layers of the encoder, with three quarters of their hidden units, and three of the parser.
make_base() {
    begins="--init $from/en-base.lal"
    if [ ! "$from" ]; then
        cat "$out"/raw-all/*.txt | "$lal" model import "$encoders/minilm" --keep-pieces - --keep-least 4 \
            --positions "$(tiny 256 40)" --out "$out/minilm.lal" --store f16 >&2
        begins="--init $out/small.lal --pretrained $out/minilm.lal --d-vectors 0"
    fi
    pupil base "$begins --epochs 16 --lr 0.0008" '--epochs 3 --lr 0.0003 --mix masc=1.5' $with_encoder \
        --pretrained-lr 0.15 $(tiny '--pretrained-layers 4 --pretrained-d-ff 1152 --n-layers 3' '') \
        --word-min-count 1000000 --batch-size 96 --subbatch-tokens 600
}

run_steps $steps
