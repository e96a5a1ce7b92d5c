#!/bin/sh
# readers.sh BUILD-FOLDER: other programs read the output of `lal parse`: the examples in Python, with the packages that
# are installed (LAL_TEST_PYTHON may name an interpreter that has more). The last line names the packages that are not.
. "$(dirname "$0")/harness.sh"
skipped=
export PYTHONDONTWRITEBYTECODE=1 # importing an example must not add a folder beside it

# python PACKAGE...: sets $python to an interpreter that has the packages; fails if there is none.
python() {
    for python in "${LAL_TEST_PYTHON:-python3}" python3 /usr/bin/python3; do
        ok=1
        for package in "$@"; do "$python" -c "import $package" >/dev/null 2>&1 || ok=0; done
        [ $ok -eq 1 ] && return 0
    done
    skipped="$skipped $*"
    return 1
}
python sys || { echo 'skipped: there is no python3'; exit 0; }
for format in brackets pretty json conllu; do
    "$lal" parse --quiet --format $format "$root/examples/news.txt" >"news.$format" || complain "parsing to $format"
done
"$lal" parse --quiet --format json --deps stanford "$root/examples/news.txt" >news.stanford

# example NAME INPUT: runs examples/NAME.py.
example() { expect "examples/$1.py, $2" 0 sh -c "\"$python\" \"$root/examples/$1.py\" <\"$2\""; }

if python nltk; then
    for format in brackets pretty; do
        example nltk_trees news.$format
        lines 4
        prints 'The committee | the new budget'
    done
fi
if python pandas; then
    example pandas_tokens news.json
    prints 'IN '
    prints '   id label  words'
fi
if python conllu; then
    example conllu_relations news.conllu
    lines 4
    prints '3 found Scientists'
fi

# What the example gives to Doc is checked also without spaCy.
python sys
cat >values.py <<'END'
import json, sys
sys.path.insert(0, sys.argv[1])
import spacy_doc
text = open(sys.argv[3], encoding="utf-8").read()
sentences = [json.loads(line) for line in open(sys.argv[2], encoding="utf-8")]
v = spacy_doc.doc_values(sentences)
n = sum(len(s["tokens"]) for s in sentences)
assert n > 60 and all(len(x) == n for x in v.values()), {k: len(x) for k, x in v.items()}
assert sorted(v) == ["deps", "heads", "lemmas", "morphs", "pos", "spaces", "tags", "words"], sorted(v)
joined = "".join(w + " " * s for w, s in zip(v["words"], v["spaces"]))
assert joined.split() == text.split(), joined
roots = [k for k, h in enumerate(v["heads"]) if h == k]
assert len(roots) == len(sentences) and all(v["deps"][k] == "ROOT" for k in roots), roots
start = 0
for s in sentences:
    end = start + len(s["tokens"])
    assert all(start <= h < end for h in v["heads"][start:end])
    start = end
phrases = list(spacy_doc.spans(sentences))
assert len(phrases) == sum(len(s["constituents"]) for s in sentences)
assert all(0 <= b < e <= n for b, e, _ in phrases)
b, e, label = next(p for p in phrases if p[2] == "NP")
assert " ".join(v["words"][b:e]) == "The committee", v["words"][b:e]
END
for output in news.json news.stanford; do
    expect "values for spaCy, $output" 0 "$python" values.py "$root/examples" $output "$root/examples/news.txt"
done
if python spacy; then
    for output in news.json news.stanford; do
        example spacy_doc $output
        prints "The committee approved the new budget on Tuesday, but several members said they weren't convinced."
        prints 'committee/NN/nsubj->approved'
        prints 'NP: The committee'
    done
fi

[ -z "$skipped" ] || echo "skipped: the readers of$skipped"
echo "$checks runs, $failed complaints"
[ $failed -eq 0 ]
