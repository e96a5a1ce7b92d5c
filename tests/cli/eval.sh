#!/bin/sh
# eval.sh BUILD-FOLDER: `lal eval`: invalid treebanks, scores, reports, comparisons.
. "$(dirname "$0")/harness.sh"
make_toy

# ---- invalid treebanks
bad() { # NAME FILE MESSAGE
    expect "$1" 1 "$lal" eval --model toy.lal --gold "$2"
    says "$3"
}
printf '(TOP (S (A a)\n' > t; bad 'unbalanced brackets' t 't:1:6: found the end of the file'
printf '(TOP (S (A a)))\n(TOP ())\n' > t; bad 'empty brackets' t 't:2:6: found empty brackets'
printf '' > t; bad 'an empty treebank' t 't:1:1: found no sentence'
printf '(TOP (S (A a) (B b)))\n' > t
deps() { # NAME ROWS MESSAGE
    printf "$2" > d
    expect "$1" 1 "$lal" eval --model toy.lal --gold t --gold-deps d
    says "$3"
}
deps 'other words' '1\ta\t_\tA\tA\t_\t0\troot\t_\t_\n2\tc\t_\tB\tB\t_\t1\tdep\t_\t_\n' \
    "d:2: found word 2 'c', expected 'b' as in sentence 1 at t:1"
deps 'a cycle' '1\ta\t_\tA\tA\t_\t2\tdep\t_\t_\n2\tb\t_\tB\tB\t_\t1\tdep\t_\t_\n' 'd:1: found '
deps 'two roots' '1\ta\t_\tA\tA\t_\t0\troot\t_\t_\n2\tb\t_\tB\tB\t_\t0\troot\t_\t_\n' 'd:2: found a second root'

# ---- scores
sed -n 1,20p train.trees > train20
expect 'gold against itself' 0 "$lal" eval --gold dev.trees --gold-deps dev.conllx --pred dev.trees \
    --pred-deps dev.conllx --format json
prints '"f1": 100.00, "complete": 100.00, "uas": 100.00, "las": 100.00'
expect 'a model against gold' 0 "$lal" eval --gold dev.trees --gold-deps dev.conllx --model toy.lal --format json
for key in sentences words precision recall f1 complete uas las uas_nopunct las_nopunct tag_accuracy; do
    prints "\"$key\": "
done
lines 1
expect 'a report' 0 "$lal" eval --gold dev.trees --gold-deps dev.conllx --model toy.lal --report
prints 'brackets by label'
prints 'gold type -> predicted type, with the correct head'
expect 'a report as JSON' 0 "$lal" eval --gold dev.trees --gold-deps dev.conllx --model toy.lal --report --format json
lines 1
prints '"report": {"label": {'
"$lal" parse --model toy.lal --input brackets dev.trees --out toy.trees
expect 'a comparison' 0 "$lal" eval --gold dev.trees --pred dev.trees --pred toy.trees --samples 200
prints 'F1           100.00 '
expect 'a comparison as JSON' 0 "$lal" eval --gold dev.trees --model toy.lal --pred dev.trees --samples 200 \
    --format json --report
prints '"comparisons": [{"a": "toy.lal", "b": "dev.trees", "f1": {"a": '
prints '"report": {'
lines 1
expect 'a comparison with too few trees' 1 "$lal" eval --gold dev.trees --pred dev.trees --pred train.trees
says 'train.trees: found 80 sentences, expected 20 as in gold'

# ---- several models: the scores of each alone, and its comparison with the first
"$lal" train $data $tiny --epochs 1 --out other.lal --quiet
gold="--gold dev.trees --gold-deps dev.conllx"
expect 'two models' 0 "$lal" eval -m toy.lal -m other.lal $gold --samples 100
[ "$(grep -c '^comparison ' out)" -eq 1 ] || complain 'one comparison expected'
prints 'a: toy.lal, b: other.lal'
for m in toy other; do
    "$lal" eval -m $m.lal $gold --format json >$m.alone
    awk -v m=$m.lal '$1 == m { print $2, $3, $4, $5 }' out >$m.row
    grep -oE '"(f1|[ul]as_nopunct|tag_accuracy)": [0-9.]+' $m.alone | sed 's/.* //' | tr '\n' ' ' | sed 's/ $/\n/' |
        diff - $m.row || complain "$m.lal: the row is not that of the model alone"
done
expect 'three models as JSON' 0 "$lal" eval -m toy.lal -m other.lal -m toy.lal $gold --samples 100 --format json
for m in toy other; do
    grep -qF "{\"name\": \"$m.lal\", $(sed 's/^{//' $m.alone)" out || complain "$m.lal: other scores than alone"
done
[ "$(grep -o '"p_bootstrap": ' out | wc -l)" -eq 6 ] || complain 'two comparisons of three scores expected'
grep -qE '"b": "toy.lal", "f1": [^}]*"high": 0.000, "p_bootstrap": 1.00000, "p_randomisation": 1.00000' out ||
    complain 'a model does not differ from itself'
expect 'runs of two settings' 0 "$lal" eval -m toy.lal -m other.lal -m other.lal -m toy.lal --runs 2 $gold --samples 100
[ "$(awk '/\.lal / { print $2, $3 }' out | sort -u | wc -l)" -eq 1 ] || complain 'the means should be equal'
grep -qE '^F1 .* \+0.00 .* 1.0000$' out || complain 'the settings do not differ'
expect 'tables of both' 0 "$lal" eval -m toy.lal -m other.lal $gold --report --samples 100
[ "$(grep -c 'brackets by label' out)" -eq 2 ] || complain 'each should have its tables'
expect 'TSV of both' 2 "$lal" eval -m toy.lal -m other.lal $gold --format tsv
says '--format tsv: found 2 systems, expected one'
expect 'probabilities of files' 2 "$lal" eval $gold --pred dev.trees --calibration
says '--calibration: found files to score'

# ---- risk and coverage
expect 'risk and coverage' 0 "$lal" eval -m toy.lal $gold --risk-coverage
for row in 'mean risk of the surest sentences' '1 - F1 ' '1 - LAS ' 'not exact ' 'expected F1 ' 'p_tree ' 'random ' \
    'words in sentences to correct'; do
    prints "$row"
done
sed -n '/^mean risk/,$p' out >risk.one
expect 'of two models' 0 "$lal" eval -m toy.lal -m other.lal $gold --risk-coverage --samples 100 --threads 2
sed -n '/^mean risk/,$p' out | head -n "$(wc -l <risk.one)" | cmp -s - risk.one ||
    complain 'as of one, and with two threads'
expect 'risk and coverage as JSON' 0 "$lal" eval -m toy.lal $gold --risk-coverage --format json
mv out risk.json
expect 'the same sentences' 0 "$lal" parse -m toy.lal --input conll dev.conllx --format json --confidence \
    --deps stanford
python3 - risk.json out dev.conllx <<'END' || complain 'other numbers than those of the parses'
import json, sys
x = json.load(open(sys.argv[1]))["risk_coverage"]
parses = [json.loads(line) for line in open(sys.argv[2])]
gold = [[g.split("\t") for g in s.split("\n") if g] for s in open(sys.argv[3]).read().split("\n\n") if s.strip()]
assert x["coverage"] == [100, 90, 80, 70, 60, 50]
for kind in "f1", "las", "exact":
    t = x[kind]
    rows = {k: v for k, v in t.items() if k != "sentences"}
    assert list(rows) == ["expected_f1", "expected_las", "p_tree", "arcs", "length", "random", "ideal"], list(rows)
    assert t["sentences"] == len(parses)
    assert all(r["risk"][0] == t["random"]["risk"][0] for r in rows.values())
    assert all(r["area"] >= t["ideal"]["area"] for r in rows.values())
    assert set(t["random"]["risk"]) == {round(t["random"]["area"], 3)}
risks = []
for p, g in zip(parses, gold, strict=True):
    right = sum(t["head"] + 1 == int(c[6]) and t["type"] == c[7] for t, c in zip(p["tokens"], g, strict=True))
    risks.append((-p["confidence"]["expected_las"], 1 - right / len(g)))
risks.sort()
sums = [sum(r for _, r in risks[:k]) / k for k in range(1, len(risks) + 1)]
assert abs(100 * sums[-1] - x["las"]["expected_las"]["risk"][0]) < 0.001
assert abs(100 * sum(sums) / len(sums) - x["las"]["expected_las"]["area"]) < 0.5 # four digits: other ties
mean = 100 * sum(p["confidence"]["expected_f1"] for p in parses) / len(parses)
assert abs(mean - x["expected_f1"]["expected"]) < 0.02 and x["expected_f1"]["sentences"] == len(parses)
assert abs(x["expected_f1"]["found"] - (100 - x["f1"]["random"]["area"])) < 0.002
effort = x["effort"]
assert effort["f1"] == [92, 94, 96, 98, 99]
for row in (v for k, v in effort.items() if k not in ("now", "f1")):
    assert row == sorted(row) and all(a >= b for a, b in zip(row, effort["ideal"]))
    assert effort["now"] < 92 or row[0] == 0
END
expect 'risk of files' 2 "$lal" eval $gold --pred dev.trees --risk-coverage
says '--risk-coverage: found files to score'

expect 'a report as TSV' 0 "$lal" eval --gold dev.trees --pred dev.trees --format tsv
prints "section	key	gold"
"$lal" convert --to tokens dev.trees |
    "$lal" parse --model toy.lal --format conllu --deps stanford > raw.conllu 2>/dev/null
words=$(grep -c . dev.conllx)
# ---- Universal Dependencies with the gold words
{ printf '1\tIt\tit\tPRON\t_\tCase=Nom\t2\tnsubj\t_\t_\n'
  printf '2\tbarks\tbark\tVERB\t_\tNumber=Sing\t0\troot\t_\t_\n'
  printf '3\t-LRB-\t(\tPUNCT\t_\t_\t4\tpunct\t_\t_\n'
  printf '4\ttoday\ttoday\tADV\t_\t_\t2\tadvmod\t_\t_\n\n'; } >gold.conllu
sed 's/-LRB-/(/; s/^3\(.*\)4\tpunct/3\12\tpunct/; s/ADV/NOUN/; s/Case=Nom/_/' gold.conllu >a.conllu
sed 's/\tbark\t/\tbarks\t/' a.conllu >b.conllu
sed 's/\t[A-Z]*\t_\t[^\t]*\t\([0-9]\)/\t_\t_\t_\t\1/; s/^\([^\t]*\t[^\t]*\t\)[^\t]*/\1_/' gold.conllu >bare.conllu
expect 'columns of CoNLL-U' 0 "$lal" eval --gold-deps gold.conllu --pred-deps a.conllu
prints 'arcs       UAS 75.00  LAS 75.00'
prints 'no punct.  UAS 100.00  LAS 100.00'
prints 'columns    UPOS 75.00  UFeats 75.00  AllTags 50.00  Lemmas 100.00'
prints 'content    CLAS 100.00  MLAS 33.33  BLEX 100.00'
grep -q '^tags' out && complain 'there are no tags'
expect 'columns as JSON' 0 "$lal" eval --gold-deps gold.conllu --pred-deps a.conllu --format json
prints '"tag_accuracy": null'
prints '"upos": 75.00, "xpos": null, "ufeats": 75.00, "alltags": 50.00, "lemmas": 100.00, "clas": 100.00, "mlas": 33.33'
gzip -k a.conllu
expect 'columns of several systems' 0 "$lal" eval --gold-deps gold.conllu --pred-deps a.conllu.gz \
    --pred-deps b.conllu --pred-deps bare.conllu
prints 'system            UAS       LAS      UPOS    UFeats    Lemmas      CLAS      MLAS      BLEX'
prints 'b.conllu       100.00    100.00     75.00     75.00     75.00    100.00     33.33     66.67'
prints 'bare.conllu    100.00    100.00         -         -         -    100.00         -         -'
prints 'Lemmas       100.00    75.00   +25.00 '
[ "$(grep -c '^UPOS ' out)" -eq 1 ] || complain 'columns that a system lacks are not compared'
expect 'the same as JSON' 0 "$lal" eval --gold-deps gold.conllu --pred-deps a.conllu --pred-deps b.conllu --format json
prints '"lemmas": {"a": 100.00, "b": 75.00, '
expect 'of several runs' 0 "$lal" eval --gold-deps gold.conllu --pred-deps a.conllu --pred-deps b.conllu --runs 2
prints 'Lemmas     87.50 (standard deviation 17.68)'
cp a.conllu a.conll
expect 'a file of another name' 0 "$lal" eval --gold-deps gold.conllu --pred-deps a.conll
says 'a.conll: UPOS, features and lemmas are not scored: the name of the file does not end in .conllu'
expect 'another punctuation' 0 "$lal" eval --gold-deps gold.conllu --pred-deps a.conllu --punct none
prints 'no punct.  UAS 75.00'

expect 'words that differ' 0 "$lal" eval --align --gold-deps dev.conllx --pred-deps raw.conllu --format json
prints '"words": {"gold": '
prints '"f1": 100.00}, "upos": null, "xpos": {'
expect 'measures as a table' 0 "$lal" eval --align --gold-deps dev.conllx --pred-deps raw.conllu
lines 16
prints 'UFeats            -  no features in dev.conllx'
prints 'CLAS              -  no Universal Dependencies in dev.conllx'
prints 'ELAS '
grep -q '^LAS  *[0-9]* .*[0-9]$' out || complain 'no LAS'
expect 'measures as TSV' 0 "$lal" eval --align --gold-deps dev.conllx --pred-deps dev.conllx --format tsv
prints "las	$words	$words	$words	100.00	100.00	100.00	$words	100.00"
expect 'no dependencies' 1 "$lal" eval --align --gold-deps dev.conllx --pred-deps /dev/null
says '/dev/null:1:1: found no sentence'
expect 'another text' 1 "$lal" eval --align --gold-deps dev.conllx --pred-deps train.conllx
says "lal eval: train.conllx:1: found '"
expect 'nothing to align' 2 "$lal" eval --align --gold-deps dev.conllx
head -n 3 dev.trees > few
{ sed -n 1p dev.trees; echo '(TOP (S (NN other) (NN words)))'; sed -n 3,20p dev.trees; } > other
expect 'a sentence of other words' 1 "$lal" eval --gold dev.trees --pred other
says 'other:2: sentence 2 is not scored: found'
says 'lal eval: 1 of 20 sentences were not scored'
prints 'sentences  19'
prints 'not scored 1 sentences'
expect 'no sentence that can be scored' 1 "$lal" eval --gold dev.trees --pred train20 --format json
[ "$(grep -c 'is not scored' err)" -eq 10 ] || complain 'ten sentences should be named'
says 'train20: more sentences are not scored'
prints '"sentences": 0, "words": 0, "unscored": 20'
expect 'too few trees' 1 "$lal" eval --gold dev.trees --pred few
says 'few: found 3 sentences, expected 20 as in gold'

finish
