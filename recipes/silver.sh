#!/bin/sh
# recipes/silver.sh DATA MODEL [OUT [TEXT...]]: training sets of general English, with trees for treebanks of arcs.
# recipes/silver.sh --check [OUT]: whether the sets of OUT are whole and their trees agree with their arcs.
# recipes/silver.sh --conventions DATA MODEL: F1 of trees under gold arcs by the treebank whose conventions they follow.
#
# DATA has the folders ewt (train-agree .trees and .conllx, train-rest.conllx, train-silver.conllx; dev-agree for
# --conventions), childes (train.conllx) and, where it is there, eslspok (train.conllx). MODEL finds the trees of
# train-rest, train-silver, childes and eslspok under the given arcs and tags (docs/ANNOTATE.md); none: they stay
# without trees. They follow the conventions of the treebank ewt, or TREEBANK; amounts ("$ 5 million") and rates ("$ 5 a
# share") are bracketed by recipes/amounts.py, which needs python3. eslspok, whose tags and arcs are made as those of
# ewt, is trained on by that name. With files of raw text there is one set more, amounts: their sentences that have one
# of these, as MODEL parses them apart from it. OUT is build/silver by default, and gets
#   SET.trees, SET.conllx  sentences with trees; the arcs are those given, and every phrase agrees with them
#   SET.arcs.conllx        if there are any, sentences without trees: arcs that cross, or of more than 200 words.
#                          Sentences whose arcs are no tree (a cycle, several roots) are left out
#   SET.notes              which arcs these are, as lal parse reports them
#   OPTIONS.txt            options of lal train for these sets and for craft, genia, gum-open and masc of DATA:
#                          lal train --preset small --out NEW.lal $(cat OUT/OPTIONS.txt)
# A set that was made of the same files is not made again; an interrupted command leaves whole sets. The program is
# build/lal, or LAL.
set -eu
here=$(dirname "$0")
lal=${LAL:-$here/../build/lal}
. "$here/values.sh"
treebank=${TREEBANK:-ewt}
sets='ewt-agree ewt-rest ewt-silver childes'
# A line of raw text with an amount or, perhaps, a rate
some='[0-9]|one|two|three|four|five|six|seven|eight|nine|ten|twenty|hundred'
amount="[0-9] (million|billion|trillion)|([\$][0-9.,]+|($some) [a-z]+) an? [a-z]"
fail() { echo "$0: $*" >&2; exit 1; }
usage() { sed -n '2,4s/^# //p' "$0" >&2; exit 2; }
readable() { for file; do [ -f "$file" ] || fail "$file: no such file"; done; }

# Sentences and words of a CoNLL file.
size() {
    awk '
    !NF { inside = 0 }
    NF && !/^#/ { sentences += !inside; inside = 1; words++ }
    END { print sentences + 0, words + 0 }' "$1"
}

# under_arcs TREEBANK CONLL TREES NOTES: the best trees that have the arcs. A limit above 120 words keeps a sentence of
# up to 200 in one piece, in which no arc is lost.
under_arcs() {
    "$lal" parse --model "$model" --treebank "$1" --input conll --arcs given --tags given --max-words 200 \
        --out "$3" "$2" 2>"$4" || { cat "$4" >&2; exit 1; }
}

conventions() { # DATA MODEL
    model=$2
    gold=$1/ewt/dev-agree
    readable "$model" "$gold.trees" "$gold.conllx"
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
    echo '| conventions | precision | recall | F1 | complete |'
    echo '|---|--:|--:|--:|--:|'
    "$lal" model info -m "$model" \
        --format json | sed 's/.*"treebanks": \[\([^]]*\)\].*/\1/; s/[",]/ /g' >"$work/treebanks"
    # shellcheck disable=SC2013
    for name in $(cat "$work/treebanks"); do
        under_arcs "$name" "$gold.conllx" "$work/trees" "$work/notes"
        "$lal" eval --gold "$gold.trees" --pred "$work/trees" --format json >"$work/scores"
        echo "| $name | $(values precision recall f1 complete <"$work/scores") |"
    done
}

check() { # OUT
    out=$1
    for set in eslspok amounts; do [ ! -e "$out/$set.made" ] || sets="$sets $set"; done
    for set in $sets; do
        readable "$out/$set.made" "$out/$set.trees" "$out/$set.conllx"
        found=$(cksum <"$out/$set.trees"; cksum <"$out/$set.conllx")
        [ "$(sed 1d "$out/$set.made")" = "$found" ] || fail "$out/$set: the files are not those that were written"
        # The given trees of ewt-agree may disagree with their arcs where punctuation is.
        if [ "$set" = ewt-agree ] || ! [ -s "$out/$set.trees" ]; then continue; fi
        "$lal" convert check "$out/$set.trees" --deps "$out/$set.conllx" >&2
    done
    echo "$out: trees and arcs agree"
}

# split NOTES CONLL TREES: sentences to $work/set.conllx and $work/set.trees. Where a line FILE:LINE: of the notes says
# that an arc is left free, to $work/set.arcs.conllx if the arcs are a tree with one root, else nowhere.
split() {
    : >"$work/set.conllx"
    : >"$work/set.trees"
    : >"$work/set.arcs.conllx"
    sed -n 's/.*:\([0-9][0-9]*\): the arc of word .* is left free: .*/\1/p' "$1" >"$work/lines"
    awk -v trees="$3" -v lines="$work/lines" -v to="$work/set" '
    BEGIN { while ((getline line < lines) == 1) lost[line] = 1 }
    function is_tree(  w, v, steps, roots) {
        for (w = 1; w <= n; w++) {
            roots += head[w] == 0
            for (v = w; v != 0 && steps <= n; steps++) v = head[v]
            if (v != 0) return 0
            steps = 0
        }
        return roots == 1
    }
    function put(  tree) {
        if (!n) return
        if ((getline tree < trees) != 1) exit failed = 1
        if (!free) print tree >(to ".trees")
        if (!free || is_tree()) print text >(to (free ? ".arcs.conllx" : ".conllx"))
        n = free = 0; text = ""
    }
    !NF { put(); next }
    !/^#/ { head[++n] = $7; text = text $0 "\n"; if (FNR in lost) free = 1 }
    END {
        if (!failed) put()
        exit failed || (getline tree < trees) > 0
    }' "$2" || fail "$2: the number of trees is not that of its sentences"
}

# bracket_amounts [--only]: of the sentences of $work/set.
bracket_amounts() {
    python3 "$here/amounts.py" "$work/set" "$work/right" "$@" >&2
    mv "$work/right.trees" "$work/set.trees"
    mv "$work/right.conllx" "$work/set.conllx"
}

make_amounts() { # TEXT...
    key="$treebank $model_key $amounts_key $(cat "$@" | cksum)"
    if [ -e "$out/amounts.made" ] && [ "$(sed -n 1p "$out/amounts.made")" = "$key" ]; then return 0; fi
    echo "== $out/amounts" >&2
    : >"$work/lines"
    : >"$work/set.arcs.conllx"
    # A backslash is spelt otherwise in trees than in CoNLL.
    cat "$@" | grep -E "$amount" | sed '/\\/d' >"$work/text"
    [ -s "$work/text" ] || fail "$*: found no amount"
    for format in brackets 'conllx --deps stanford'; do
        "$lal" parse --model "$model" --treebank "$treebank" --newline paragraph --format $format \
            --out "$work/set.${format%% *}" "$work/text" 2>"$work/notes" || { cat "$work/notes" >&2; exit 1; }
    done
    mv "$work/set.brackets" "$work/set.trees"
    bracket_amounts --only
    install amounts "$key"
}

row() { # SET SOURCE: a row of the table
    read -r sentences words <<END
$(size "$2.conllx")
END
    with=$(grep -c . "$out/$1.trees" || true) without=0 arcs=0
    if [ -e "$out/$1.arcs.conllx" ]; then without=$(size "$out/$1.arcs.conllx" | cut -d ' ' -f 1); fi
    if [ -e "$out/$1.notes" ]; then arcs=$(grep -c ' is left free: ' "$out/$1.notes"); fi
    echo "| $1 | $sentences | $words | $with | $without | $((sentences - with - without)) | $arcs |"
}

# install SET KEY: moves the files of $work to OUT; KEY says what they were made of, and comes last.
install() {
    rm -f "$out/$1.made" "$out/$1.arcs.conllx" "$out/$1.notes"
    mv "$work/set.trees" "$out/$1.trees"
    mv "$work/set.conllx" "$out/$1.conllx"
    if [ -s "$work/set.arcs.conllx" ]; then mv "$work/set.arcs.conllx" "$out/$1.arcs.conllx"; fi
    if [ -s "$work/lines" ]; then mv "$work/notes" "$out/$1.notes"; fi
    { echo "$2"; cksum <"$out/$1.trees"; cksum <"$out/$1.conllx"; } >"$work/made"
    mv "$work/made" "$out/$1.made"
}

make_set() { # SET SOURCE: SOURCE.conllx, with SOURCE.trees for ewt-agree
    if [ "$1" = ewt-agree ]; then key=$(cksum <"$2.trees"; cksum <"$2.conllx")
    else key="$treebank $model_key $amounts_key $(cksum <"$2.conllx")"
    fi
    key=$(echo "$key" | tr '\n' ' ')
    if [ -e "$out/$1.made" ] && [ "$(sed -n 1p "$out/$1.made")" = "$key" ]; then return 0; fi
    echo "== $out/$1" >&2
    : >"$work/lines"
    if [ "$1" = ewt-agree ]; then
        cp "$2.trees" "$work/set.trees"
        cp "$2.conllx" "$work/set.conllx"
        [ "$(size "$2.conllx" | cut -d ' ' -f 1)" -eq "$(grep -c . "$2.trees")" ] ||
            fail "$2: the number of trees is not that of its sentences"
    elif [ "$model" = none ]; then
        : >"$work/set.trees"
        : >"$work/set.conllx"
        cp "$2.conllx" "$work/set.arcs.conllx"
    else
        under_arcs "$treebank" "$2.conllx" "$work/trees" "$work/notes"
        split "$work/notes" "$2.conllx" "$work/trees"
        bracket_amounts --keep-arcs
    fi
    chmod u+w "$work"/set.*
    install "$1" "$key"
}

options() { # of lal train
    for name in craft genia gum-open masc; do
        [ -e "$data/$name/train.trees" ] || continue
        echo "--name $name --train $data/$name/train.trees --train-deps $data/$name/train.conllx"
    done
    for set in $sets; do
        name=${set%%-*}
        case $set in eslspok | amounts) name=ewt ;; esac
        [ ! -s "$out/$set.trees" ] || echo "--name $name --train $out/$set.trees --train-deps $out/$set.conllx"
        [ ! -e "$out/$set.arcs.conllx" ] || echo "--name $name --train none --train-deps $out/$set.arcs.conllx"
    done
    for name in craft genia gum-open masc; do
        [ -e "$data/$name/dev.trees" ] || continue
        echo "--dev-name $name --dev $data/$name/dev.trees --dev-deps $data/$name/dev.conllx"
    done
    [ ! -e "$data/ewt/dev.conllx" ] || echo "--dev-name ewt --dev none --dev-deps $data/ewt/dev.conllx"
}

absolute() { (cd "$1" && pwd); }
case ${1:-} in
--check)
    [ $# -le 2 ] || usage
    check "${2:-$here/../build/silver}"
    exit ;;
--conventions)
    [ $# -eq 3 ] || usage
    conventions "$2" "$3"
    exit ;;
-*) usage ;;
esac
[ $# -ge 2 ] || usage
[ -d "$1" ] || fail "$1: no such folder"
data=$(absolute "$1") model=$2 out=${3:-$here/../build/silver}
if [ $# -gt 3 ]; then (shift 3 && readable "$@") || exit 1; fi
readable "$data/ewt/train-agree.trees" "$data/ewt/train-agree.conllx" "$data/ewt/train-rest.conllx" \
    "$data/ewt/train-silver.conllx" "$data/childes/train.conllx"
model_key=none
if [ "$model" != none ]; then
    readable "$model"
    model_key=$(cksum <"$model")
fi
mkdir -p "$out"
out=$(absolute "$out")
case $data$out in *[[:space:]]*) fail "found a blank in $data or $out, expected none, for OPTIONS.txt" ;; esac
work=$(mktemp -d "$out/new.tmpXXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
amounts_key=$(cksum <"$here/amounts.py")
sources() { # COMMAND: COMMAND SET SOURCE for each set
    for part in agree rest silver; do "$1" ewt-$part "$data/ewt/train-$part"; done
    "$1" childes "$data/childes/train"
    [ ! -e "$data/eslspok/train.conllx" ] || "$1" eslspok "$data/eslspok/train"
}
[ ! -e "$data/eslspok/train.conllx" ] || sets="$sets eslspok"
sources make_set
if [ $# -gt 3 ]; then
    shift 3
    make_amounts "$@"
    sets="$sets amounts"
fi
options >"$work/options"
mv "$work/options" "$out/OPTIONS.txt"
echo '| set | sentences | words | with trees | without | left out | arcs left free |'
echo '|---|--:|--:|--:|--:|--:|--:|'
sources row
case $sets in *amounts) row amounts "$out/amounts" ;; esac
