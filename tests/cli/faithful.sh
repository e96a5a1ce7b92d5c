#!/bin/sh
# faithful.sh BUILD-FOLDER: `lal inspect faithful`.
. "$(dirname "$0")/harness.sh"
make_toy

# trained NAME OPTIONS...: a model
trained() {
    name=$1; shift
    "$lal" train $data $tiny --quiet "$@" --out "$name.lal" >/dev/null 2>err || complain "training $name"
}
trained piecewise --epochs 1 --lal-form words --lal-pwff
trained words --lal-form words
trained phrases
trained plain --epochs 1 --no-use-lal
trained joined --epochs 1 --lal-form words --lal-combine-as-self
trained gates --epochs 1 --lal-form words --encoder-options \
    '{"encoder_options": {"gates": {"kind": "constant", "stacks": ["label"], "constant": [1, 0, 1, 1, 0, 1]}}}'

expect 'outputs that no head has' 1 "$lal" inspect faithful --model piecewise.lal text
says 'piecewise.lal: found a feed-forward after the label heads (lal_pwff)'
for m in plain joined; do
    expect "no label heads in $m" 1 "$lal" inspect faithful --model $m.lal text
    says "$m.lal: the model has no label heads with a query of their own"
done

for form in words phrases; do
    expect "tables, $form" 0 "$lal" inspect faithful --model $form.lal --input brackets dev.trees
    for kind in spans arcs types; do
        grep -Eq "^$kind: [0-9]+ decisions, mean margin -?[0-9.]+, 20 sentences$" out || complain "no $kind"
    done
    prints 'parse: 20 sentences'
    [ "$(grep -c '^  random ' out)" -eq 17 ] || complain 'five tables of three kinds and two of the parse'
    grep -q ' $' out && complain 'blanks at the end of a line'
done
grep -Eq '^  exact .* 1\.000 ±0\.000$' out || complain 'contributions should be the best order of arcs'

expect 'as a table' 0 "$lal" inspect faithful --model words.lal --input brackets -f tsv --threads 1 dev.trees
prints "$(echo kind ranking measure heads n value low high above_exact above_low above_high | tr ' ' '\t')"
awk -F'\t' 'NF != 11 || (NR > 1 && !($7 <= $6 && $6 <= $8)) { exit 1 }' out || complain 'a value outside its interval'
awk -F'\t' '$2 == "exact" && $9 != 0 { exit 1 }' out || complain 'exact differs from itself'
cp out one
"$lal" inspect faithful --model words.lal --input brackets -f tsv --threads 3 dev.trees >two 2>/dev/null
cmp one two || complain 'threads changed the table'

expect 'as JSON, of arcs' 0 "$lal" inspect faithful --model words.lal --input brackets -f json --what arcs \
    --sentences 7 --out seven.json dev.trees
silent
python3 - seven.json <<'END' || complain 'other values in JSON'
import json, sys
x = json.load(open(sys.argv[1]))
assert x["sentences"] == 7 and x["heads"] == 6
by = {(v["kind"], v["ranking"], v["measure"], v.get("heads")): v for v in x["values"]}
assert {k[0] for k in by} == {"arcs", "parse"}
assert {k[1] for k in by} == {"exact", "paper", "attention", "relevance", "mean", "random"}
for ranking in "exact", "random":
    value = lambda *key: by[(key[0], ranking) + key[1:]]["value"]
    assert 0 <= value("arcs", "naopc", None) <= 1
    assert abs(value("arcs", "sufficiency", 6)) < 1e-4
    assert 0 <= value("arcs", "flips", 4) <= 1
    assert 0 <= value("parse", "f1", 4) <= 100
    assert by["arcs", ranking, "exchange", 1]["n"] < by["arcs", ranking, "aopc", None]["n"]
END
head -n 7 dev.trees >seven
expect 'the same sentences' 0 "$lal" inspect faithful --model words.lal --input brackets -f json --what arcs seven
cmp out seven.json || complain '--sentences 7 should read the first seven'
expect 'raw text' 0 "$lal" inspect faithful --model words.lal text
prints 'spans: '
expect 'sentences in pieces' 0 "$lal" inspect faithful --model words.lal --max-words 3 --input brackets -f tsv seven
lines 1
expect 'nothing' 0 "$lal" inspect faithful --model words.lal /dev/null
silent
expect 'gates' 0 "$lal" inspect faithful --model gates.lal --input brackets --what spans seven
grep -q '^  gates ' out || complain 'gates should rank'
expect 'pruned' 0 "$lal" model prune -m gates.lal --gold dev.trees -o pruned.lal
expect 'heads that are left' 0 "$lal" inspect faithful --model pruned.lal --input brackets -f json seven
prints '"heads": 4'

expect 'no such file' 1 "$lal" inspect faithful --model words.lal nowhere
says 'nowhere: '
echo '(S (NP' >broken
expect 'a broken tree' 1 "$lal" inspect faithful --model words.lal --input brackets broken
says 'broken:'
expect 'no such number' 2 "$lal" inspect faithful --model words.lal --sentences -1 text
says '--sentences'
expect 'no such format' 2 "$lal" inspect faithful --model words.lal -f html text
says '--format'

finish
