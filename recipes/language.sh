#!/bin/sh
# recipes/language.sh [--mini] TREEBANK OUT [ENCODER [TEXT...]]: a model of a treebank, as it is released, and its
# scores (docs/LANGUAGES.md).
#
# TREEBANK is a folder with the files train, dev and test (or *-train, *-dev, *-test) with the ending .conllu or
# .trees, or both of the same sentences; trees alone get their arcs by the head rules that lie beside them (*.rules), if
# there are any. ENCODER has the published files of multilingual-e5-small; without it, or where it is '', the model
# learns from the treebank alone. With TEXT, files of raw text, two models are made first, which differ in layers and
# seed; the second one learns on from the treebank and from what both believe of TEXT. OUT gets NAME.lal, of the name of
# the folder, NAME.jsonl, which says how it learnt, and NAME.md, its scores. What stands there is not made again, and
# training that was interrupted is continued.
# --mini: a tiny network and a few updates, which show in seconds whether everything is there.
#
# EPOCHS (17), LAYERS of the encoder (6) and OPTIONS of lal train may be set. The program is build/lal, or LAL.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
lal=${LAL:-$here/../build/lal}
. "$here/steps.sh"
fail() { echo "$0: $*" >&2; exit 1; }
usage() { sed -n '2s/^# \([^:]*\):.*/usage: \1/p' "$0" >&2; exit 2; }
mini=
if [ "${1:-}" = --mini ]; then mini=1; shift; fi
case ${1:--} in -*) usage ;; esac
[ $# -ge 2 ] || usage
bank=$(cd "$1" && pwd) || fail "$1: no such folder"
name=$(basename "$bank") encoder=${3:-}
mkdir -p "$2"
out=$(cd "$2" && pwd)
shift $(($# > 3 ? 3 : $#)) # what is left are the files of text
model=$out/$name.lal
# file SPLIT ENDING: the file of the treebank; nothing where it has none.
file() {
    for f in "$bank/$1.$2" "$bank"/*-"$1.$2"; do
        if [ -f "$f" ]; then echo "$f"; return; fi
    done
}
rules=$(ls "$bank"/*.rules 2>/dev/null | head -n 1)
# data SPLIT PREFIX: options of lal train for the files of a split.
data() {
    trees=$(file "$1" trees) arcs=$(file "$1" conllu)
    if [ ! "$trees" ]; then echo "--${2}conllu $arcs"
    else echo "--${3:-train} $trees --${3:-train}-deps ${arcs:-${rules:-none}}"
    fi
}
[ "$(file train trees)$(file train conllu)" ] || fail "$bank: found no train.conllu and no train.trees, expected one"

# text FILE: the raw text of a treebank, its sentences in one line unless it says otherwise.
text() {
    case $1 in
    *.conllu) awk '
        /^# new(par|doc)/ && n { print ""; n = 0 }
        sub(/^# text = /, "") { printf "%s%s", n++ ? " " : "", $0 }
        END { print "" }' "$1" ;;
    *) "$lal" convert --to tokens "$1" ;;
    esac
}

# ranges FILE: CoNLL-U with rows of multiword tokens. Where the file has none, they are what "# text" has in the place
# of words that touch each other and together are something else ("du" for "de", "le").
ranges() {
    if grep -q '^[0-9]*-[0-9]' "$1"; then cat "$1"; return; fi
    awk -F '\t' '
        function starts(c, x) { return substr(c, 1, length(x)) == x }
        function chunk(i, j, c,  first, last) { # the words i to j and their text
            first = i
            last = j
            while (i < j && starts(c, form[i])) c = substr(c, length(form[i++]) + 1)
            while (i < j && length(c) > length(form[j]) && substr(c, length(c) - length(form[j]) + 1) == form[j])
                c = substr(c, 1, length(c) - length(form[j--]))
            if (i == j && c != form[i] && j < last) c = c form[++j]
            else if (i == j && c != form[i] && i > first) c = form[--i] c
            if (i < j && c != "") range[i] = i "-" j "\t" c "\t_\t_\t_\t_\t_\t_\t_\t_"
        }
        function sentence(  k, i, c) {
            for (k = 1; k <= n; k++) {
                for (i = k; k < n && row[k] ~ /SpaceAfter=No/;) k++
                c = text
                sub(/ .*/, "", c)
                text = substr(text, length(c) + 2)
                chunk(i, k, c)
            }
            for (k = 1; k <= n; k++) {
                if (k in range) print range[k]
                print row[k]
            }
            delete range
            n = 0
        }
        /^#/ { print; if (sub(/^# text = /, "")) text = $0; next }
        NF { form[++n] = $2; row[n] = $0; next }
        { sentence(); print }' "$1"
}

pretrained=
if [ "$encoder" ] && [ ! -e "$model" ]; then
    for f in $(file train conllu) $(file train trees); do text "$f"; done >"$out/$name.words"
    [ $# -eq 0 ] || cat "$@" >>"$out/$name.words"
    "$lal" model import "$encoder" --keep-pieces "$out/$name.words" --layers "${LAYERS:-6}" --store f16 \
        --out "$out/$name.encoder.lal"
    pretrained="--pretrained $out/$name.encoder.lal --pretrained-pieces mean --pretrained-lr 0.15
        --pretrained-decay 0.9"
fi
# The number of sentences in the treebank.
size() {
    files=$(file train conllu)
    [ "$files" ] || files=$(file train trees)
    case $files in *.conllu) grep -c '^1	' "$files" ;; *) wc -l <"$files" ;; esac
}
# learn MODEL OPTIONS...: a model that learns from the treebank.
learn() {
    to=$1
    shift
    trained "$to" --language trained --name "$name" --treebank "$name" $(data train '' train) $(data dev dev- dev) \
        --batch-size 8 --warmup 200 --store f16 $products "$@" $(tiny_run)
}
# from_scratch MODEL OPTIONS...: the same, from new weights.
from_scratch() {
    to=$1
    shift
    learn "$to" --preset small --epochs "${EPOCHS:-17}" $pretrained "$@" $(tiny_network) ${OPTIONS:-}
}
if [ $# -eq 0 ]; then from_scratch "$model"
elif [ ! -e "$model" ]; then
    from_scratch "$out/$name.1.lal"
    from_scratch "$out/$name.2.lal" --n-layers 2 --lr 0.0016 --seed 2
    soft=
    for k in 1 2; do
        to=$out/$name.soft$k.jsonl
        [ -e "$to" ] || {
            "$lal" parse --quiet -m "$out/$name.$k.lal" --format soft --temperature 1 --span-temperature 0.3 \
                --max-words 100 --out "$to.new" "$@"
            mv "$to.new" "$to"
        }
        soft="$soft --soft $to --soft-name soft$k --mix soft$k=$(share $(($(size) * 19 / 10)) "$to")"
    done
    learn "$model" --init "$out/$name.2.lal" $soft --word-min-count 3 --epochs 7 --lr 0.001 --batch-size 16
    rm -f "$out/$name".soft[12].jsonl
fi
rm -f "$out/$name.encoder.lal" "$out/$name.words"

# ---- scores
gold=$(file test conllu) trees=$(file test trees)
{
    echo "## $name"
    echo
    if [ "$gold" ]; then
        text "$gold" >"$out/$name.txt"
        "$lal" parse --quiet -m "$model" --format conllu --out "$out/$name.raw.conllu" "$out/$name.txt"
        echo "From raw text, by the measures of the CoNLL 2018 shared task:"
        echo
        ranges "$gold" >"$out/$name.gold.conllu"
        "$lal" eval --align --gold-deps "$out/$name.gold.conllu" --pred-deps "$out/$name.raw.conllu"
        echo
        rm "$out/$name.txt" "$out/$name.raw.conllu" "$out/$name.gold.conllu"
    fi
    echo "With the words of the treebank:"
    echo
    "$lal" eval -m "$model" $(data test '' gold | sed 's/--conllu/--gold-deps/; s/--gold-deps none//')
} >"$out/$name.md"
cat "$out/$name.md"
