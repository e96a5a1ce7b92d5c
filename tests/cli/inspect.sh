#!/bin/sh
# inspect.sh BUILD-FOLDER: `lal inspect`, `lal inspect heads` and `lal parse --why`.
. "$(dirname "$0")/harness.sh"
make_toy

head -n 3 dev.trees > three
expect 'why' 0 "$lal" inspect --model toy.lal --input brackets --what all --top 0 --words three
lines 3
says '3 sentences explained, completeness_error '
prints '"kind": "span", "begin": 0'
prints '"kind": "arc", "word": 0'
prints '"kind": "type"'
prints '"attention": {"label:1": ['
prints '"right": true'
python3 - out <<'END' || complain 'the second parse: parts that do not add up to its margin, or another tree'
import json, sys
for s in map(json.loads, open(sys.argv[1])):
    x = s["second"]
    parts = sum(h["part"] for h in x["heads"]) + x.get("grammar", 0) + x["bias"] + x.get("rest", 0)
    assert x["margin"] >= 0 and abs(parts - x["margin"]) < 1e-3 * (1 + x["margin"]), s["id"]
    phrases = {(d["begin"], d["end"]) for d in s["decisions"] if d["kind"] == "span"}
    turned = phrases - {(d["begin"], d["end"]) for d in x["lost"] if d["kind"] == "span"}
    turned |= {(d["begin"], d["end"]) for d in x["gained"] if d["kind"] == "span"}
    assert x["lost"] or x["gained"]
    assert x["tree"].count("(") - len(s["tokens"]) >= len(turned), s["id"] # a unary chain is one
    arcs = [{d["word"] for d in x[k] if d["kind"] == "arc"} for k in ("lost", "gained")]
    assert arcs[0] == arcs[1]
END
python3 - out <<'END' || complain 'contrasts: parts that do not add up, a reason with other numbers, or none'
import json, re, sys
contrasts = 0
for s in map(json.loads, open(sys.argv[1])):
    for d in s["decisions"] + s["missed"]:
        if d["kind"] == "tag":
            assert abs(sum(d["input"]) + d["limits"] + d["bias"] - d["score"]) < 1e-2 * (1 + abs(d["bias"])), d
            assert abs(d["score"] - d["rival"]["score"] - d["lead"]["score"]) < 1e-3 or d.get("right") is False
        if "contrast" not in d: continue
        x, contrasts = d["contrast"], contrasts + 1
        parts = [x[k] for k in ("phrases", "groups", "arcs")] + [x.get("grammar", 0)]
        assert abs(sum(parts) - x["margin"]) < 1e-4 * (1 + abs(x["margin"])) and x["completeness_error"] < 1e-4
        known = parts + [x["margin"]] + [h["part"] for h in x["heads"]] + x["words"]
        known += [t["p"] for t in s["decisions"]] + [x.get("probability", 0)]
        known += [t["p"] * 2.718281828 ** (t["rival"]["score"] - t["score"]) for t in s["decisions"] if "rival" in t]
        text = re.sub("“[^”]*”", "", x["reason"])
        for number in re.findall(r"[+-]?[0-9]+\.[0-9]+", text):
            assert any(abs(abs(float(number)) - abs(k)) < 0.0061 for k in known), (number, x)
        assert text.count(" With") <= len(x.get("flips", [])) <= 3
assert contrasts
END
head -n 2 "$root/examples/news.txt" >text
expect 'Universal Dependencies' 0 "$lal" inspect --model small text
cp out inspected
expect 'of lal parse' 0 "$lal" parse --model small --products f32 -f conllx --deps ud text
python3 - inspected out <<'END' || complain 'the Universal Dependencies are not those of lal parse'
import json, sys
rows = [[line.split("\t") for line in block.split("\n")] for block in open(sys.argv[2]).read().strip().split("\n\n")]
found = [json.loads(line) for line in open(sys.argv[1])]
assert [[int(r[6]) - 1 for r in s] for s in rows] == [s["ud"]["governors"] for s in found]
assert [[r[7] for r in s] for s in rows] == [s["ud"]["types"] for s in found]
other = [d["contrast"]["ud"] for s in found for d in s["decisions"] if "contrast" in d]
assert other and all({"word", "governor", "type"} == set(x) for list in other for x in list)
END
expect 'a difference has no second parse' 0 "$lal" inspect --model toy.lal --input brackets --against NP three
grep -q '"second"' out && complain 'of a difference'
expect 'a table of heads' 0 "$lal" inspect --model toy.lal --input brackets --format tsv dev.trees
columns='category decisions with_gold right head leads leads_right mean_share mean_part'
columns="$columns mean_share_right mean_part_right mean_share_wrong mean_part_wrong completeness_error"
prints "$(echo "$columns" | tr ' ' '\t')"
awk -F'\t' 'NR > 1 { n[$1] = $2; leads[$1] += $6; share[$1] += $8 }
    END { for (c in n) if (leads[c] != n[c] || share[c] < 0.999 || share[c] > 1.001) exit 1 }' out ||
    complain 'leaders should be as many as decisions, shares should add up to 1'
cp out one
"$lal" inspect --model toy.lal --input brackets --format tsv --threads 1 dev.trees > two 2>/dev/null
cmp one two || complain 'threads changed the table'
expect 'as text' 0 "$lal" inspect --model toy.lal --format text --method paper --top 2 text
prints 'confidence of the heads'
prints 'Heads have numbers only, no names: these sentences have '
grep -q ' · ' out && complain 'names from a few words'
prints 'completeness_error '
expect 'names' 0 "$lal" inspect --model toy.lal --input brackets --format text --top 2 train.trees
[ "$(grep -Ec '^  head +[0-9]+ · [a-z]' out)" -ge 8 ] || complain 'heads lack names'
grep -q 'Heads have numbers only' out && complain 'there should be names'
expect 'a model with names of its heads' 0 "$lal" inspect heads --model toy.lal --gold train.trees --importance none \
    --gr next --name-heads named.lal --out heads.txt
first=$(sed -n 's/^label:1 · \([a-z, ]*[a-z]\)  .*/\1/p' heads.txt)
expect 'what it says of them' 0 "$lal" model info -m named.lal
grep -q '^head names  of [0-9]* heads, from a text of [0-9]* words$' out || complain 'no names'
expect 'names in few words' 0 "$lal" inspect --model named.lal --format text text
prints 'Names of heads are those that the model has, from a text of '
grep -q "^ *1 · $first  " out || complain "head 1 should be named '$first'"
expect 'names in pages of few words' 0 "$lal" inspect --model named.lal --html named text
of_page named/data/overview.js "x['names'][0] == '$first'" || complain "the page should have '$first'"
for m in toy named; do "$lal" parse --model $m.lal --format json text >$m.json; done
cmp toy.json named.json || complain 'it parses otherwise'
expect 'fewer bits' 0 "$lal" model quantize -m named.lal -o narrow.lal
expect 'their names' 0 "$lal" model info -m narrow.lal
prints 'head names  of '
expect 'trained further' 0 "$lal" train $data --init named.lal --max-updates 1 --out further.lal
expect 'other weights' 0 "$lal" model info -m further.lal
grep -q '^head names' out && complain 'names of other weights were kept'
expect 'names from few words' 1 "$lal" inspect heads --model toy.lal --gold dev.trees --importance none --gr next \
    --name-heads few.lal
says '--name-heads: found sentences of '
says ' words, expected at least 1000'
absent few.lal
expect 'confusions' 0 "$lal" inspect --model toy.lal --input brackets --format text dev.trees
prints 'phrases: the leading head attends most to a word inside in'
prints 'missed phrases (gold has them, the parse does not, or with another label), and the heads that lead'
prints '  words attended to:  '
grep -Eq '^[0-9]+ missed phrases: the leading head attends most' out || complain 'where heads look in missed phrases'
prints 'heads that lead most often in several categories'
prints 'confused labels (predicted for gold), and the heads that lead the difference of their scores:'
expect 'one span' 0 "$lal" inspect --model toy.lal --input brackets --span 1-2 --label NP --against VP three
prints '"begin": 0, "end": 2, "label": "NP", "against": "VP"'
expect 'a span out of range' 1 "$lal" inspect --model toy.lal --input brackets --span 1-99 --label NP three
says 'three:1: sentence 1: found words 1 to 99, expected a span of words 1 to'
expect 'an unknown label' 1 "$lal" inspect --model toy.lal --input brackets --span 1-2 --label KLINGON three
says "found label 'KLINGON', which the model does not know"
expect 'an invalid span' 2 "$lal" inspect --model toy.lal --span 2-1 --label NP three
says "--span: found '2-1', expected a range of words such as 2-5"
expect 'a label without a span' 2 "$lal" inspect --model toy.lal --label NP three
says '--label: expected --span as well'
"$lal" train $data $tiny --epochs 1 --no-use-lal --out plain.lal >/dev/null 2>&1 ||
    complain 'training without label heads'
expect 'a model without label heads' 1 "$lal" inspect --model plain.lal three
says 'plain.lal: the model has no label heads with a query of their own'
expect 'heads' 0 "$lal" inspect heads --model toy.lal --gold dev.trees --gold-deps dev.conllx --train train.trees \
    --train-deps train.conllx
says '20 sentences, '
says 'conservation_error '
prints 'label:6'
prints 'taylor_param depends on the basis of queries and keys'
prints 'global relevance of patterns'
prints 'rare_w '
prints 'distances of dependents from their heads in these sentences'
grep -Eq '^nsubj +[0-9]+( +[0-9.]+){12}$' out || complain 'twelve distances of subjects'
# ---- baselines of functions: of training, else of the sentences themselves; never 0 because there is none
heads="--model toy.lal --gold train.trees --gold-deps train.conllx --importance none --gr next"
for trained in "--train train.trees --train-deps train.conllx" "--train train.trees" "" "--train dev.trees"; do
    expect "baselines: $trained" 0 "$lal" inspect heads $heads $trained --format json
    grep -o '"relations": {[^]]*"rare' out | sed 's/}}.*/}}/' >relations
    [ -e all.relations ] || cp relations all.relations
    cmp -s relations all.relations || complain 'the arcs are the same, and so are the baselines'
    grep -q '"rarest": null' out || [ "$trained" ] || complain 'there are no counts of words'
    expect "functions: $trained" 0 "$lal" inspect heads $heads $trained
    grep -o '[a-z]* to [a-z]* [0-9]* % (baseline .*)' out | sort >functions
    [ -e all.functions ] || cp functions all.functions
    cmp -s functions all.functions || complain 'a head has other functions'
done
prints 'Baselines of syntactic functions are those of these sentences, not of training (--train-deps).'
expect 'baselines of training' 0 "$lal" inspect heads $heads --train dev.trees --train-deps dev.conllx
grep -q '^Baselines' out && complain 'they are of training'
expect 'no arcs' 0 "$lal" inspect heads --model toy.lal --gold dev.trees --importance none --gr next --format json
prints '"nsubj_to_head": {"queries": 0, "offset": null, "baseline": null}'
prints '"nsubj_to_head": null'
prints '"taylor_param": null'
sed 's/\tamod\t/\tnn\t/' train.conllx >less.conllx
expect 'a relation that training lacks' 0 "$lal" inspect heads $heads --train train.trees --train-deps less.conllx \
    --format json
grep -o '"relations": {[^]]*"rare' out | sed 's/}}.*/}}/' | cmp -s - all.relations ||
    complain 'it should have the baseline of the sentences'
expect 'a relation that these sentences lack' 0 "$lal" inspect heads --model toy.lal --gold train.trees \
    --gold-deps less.conllx --importance none --gr next --format json
prints '"amod_to_head": {"queries": 0, "offset": null, "baseline": null}'

expect 'the same model again' 0 "$lal" inspect heads -m toy.lal --against toy.lal --gold dev.trees --format tsv
lines 9
tail -n +2 out | awk -F '\t' '$1 != $2 || $3 != 0 || $4 != 0 || $6 <= 0 { exit 1 }' || complain 'a head is its nearest'
expect 'another seed' 0 "$lal" train $data $tiny --epochs 1 --seed 9 --out seed.lal
expect 'against it' 0 "$lal" inspect heads -m toy.lal --against seed.lal --gold dev.trees
prints 'divergence of attention (Jensen-Shannon, bits, mean over words)'
grep -Eq '^label +6 +0\.[0-9]+ +0\.[0-9]+ +0\.[0-9]+ +0\.[0-9]+$' out || complain 'means of the label heads'
says ' words compared'
expect 'as JSON' 0 "$lal" inspect heads -m toy.lal --against seed.lal --gold dev.trees --format json --most 2
prints '{"sentences": 2, "words": '
prints '"layers": [{"layer": "1", "heads": 2, "same_number": '
expect 'no page of it' 2 "$lal" inspect heads -m toy.lal --against seed.lal --gold dev.trees --html site
says '--against: found --html, expected text, tsv or json'
expect 'layer-wise rules' 0 "$lal" inspect heads -m toy.lal --gold dev.trees --gold-deps dev.conllx --importance none \
    --gr next --relevance alpha_beta --most 2
says 'conservation_error '
expect 'another rule' 2 "$lal" inspect heads -m toy.lal --gold dev.trees --relevance best
says "found 'best', expected one of frozen|alpha_beta"

expect 'heads taken out of the model' 0 "$lal" inspect heads --model toy.lal --gold dev.trees --gold-deps dev.conllx \
    --mask 3
prints 'removal of single heads (3 sentences'
expect 'heads as numbers' 0 "$lal" inspect heads --model toy.lal --gold dev.trees --gr next --gr rel_pos/window=5 \
    --importance none --format tsv
prints 'gr:next	gr:rel_pos/window=5'
lines 9
expect 'heads as JSON' 0 "$lal" inspect heads --model toy.lal --gold dev.trees --gold-deps english.rules \
    --format json --most 3
prints '"nsubj_to_head": {"queries": '
prints '"distances": {"nsubj": ['
[ "$(grep -o '"offsets": \[[^]]*\]' out | head -n 1 | tr , '\n' | wc -l)" = 11 ] || complain 'eleven offsets expected'
expect 'attention of heads' 0 "$lal" inspect heads --model toy.lal --gold train.trees --importance none --gr next \
    --show 1:2 --show label:3
grep -Eq '^1:2 · .+ in sentence 1:' out || complain 'attention of a head with its name'
grep -Eq '^label:3 · .+ in sentence 5:' out || complain 'attention of a label head with its name'
grep -q 'in sentence 6' out && complain 'five sentences are enough'
expect 'heads without names' 0 "$lal" inspect heads --model toy.lal --gold dev.trees --importance none --gr next \
    --most 6
grep -Eq '^Heads have numbers only, no names: these sentences have [0-9]+ words' out || complain 'it should say so'
grep -q '^label:3 ·' out && complain 'names from a few words'
expect 'a page of heads' 0 "$lal" inspect heads --model toy.lal --gold dev.trees --gr next --most 6 --html heads
silent
[ -s heads/data/heads.js ] && [ -s heads/index.html ] && [ -s heads/style.css ] || complain 'the page is missing'
expect 'a page of heads and a table' 0 "$lal" inspect heads --model toy.lal --gold dev.trees --gr next --most 6 \
    --html heads --format tsv --out table
[ "$(head -n 1 table | cut -f 1)" = head ] || complain 'the table was not written'
expect 'a page of heads without label heads' 0 "$lal" inspect heads --model plain.lal --gold dev.trees --gr next \
    --most 6 --html plainheads
of_page plainheads/data/heads.js '{l["group"] for l in x["layers"]} == {"layer"}' || complain 'the page is incomplete'
expect 'a page in a missing folder' 1 "$lal" inspect heads --model toy.lal --gold dev.trees --gr next --most 6 \
    --html nowhere/heads
says 'nowhere/heads: cannot make the folder: No such file or directory'
expect 'an invalid head' 2 "$lal" inspect heads --model toy.lal --gold dev.trees --show 7:1
says "--show: found '7:1', expected a head of the model, such as 1:2 or label:1"
expect 'an unknown pattern' 2 "$lal" inspect heads --model toy.lal --gold dev.trees --gr klingon
says 'unknown pattern "klingon"; one of self, next, prev'
expect 'heads of nothing' 2 "$lal" inspect heads --model toy.lal
says 'found no --gold and no --gold-deps'
expect 'why in CoNLL-U' 0 "$lal" parse --model toy.lal --why --format conllu text
prints 'SpaceAfter=No|Why='
expect 'why in JSON' 0 "$lal" parse --model toy.lal --why --format json text
prints '"parent": -1, "chain": "'
prints '"why": [{"head": "label:'
cp out one; "$lal" parse --model toy.lal --why --format json --threads 1 text > two; cmp one two ||
    complain "threads changed why"
expect 'the cost of why' 0 "$lal" bench --model toy.lal --text text --only why --seconds 0.01
prints '"phrases_and_arcs": '
expect 'why in pieces' 0 "$lal" parse --model toy.lal --why --format conllu --max-words 3 text
prints 'Why='
expect 'why in brackets' 2 "$lal" parse --model toy.lal --why text
says '--why: expected --format conllu or json'
expect 'why without label heads' 1 "$lal" parse --model plain.lal --why --format json text
says 'the model has no label heads'
expect 'nothing to explain' 0 "$lal" inspect --model toy.lal /dev/null
silent

expect 'judged by trees and dependencies' 0 "$lal" inspect --model toy.lal --input brackets --gold-deps dev.conllx \
    --what all --format tsv dev.trees
awk -F'\t' '$1 == "arc" && $3 == $2 && $2 > 0 { found = 1 } END { exit !found }' out ||
    complain 'every arc should have been judged'
cp out one
expect 'judged by head rules' 0 "$lal" inspect --model toy.lal --input brackets --gold-deps english.rules --what arcs \
    --format tsv dev.trees
expect 'dependencies of other sentences' 1 "$lal" inspect --model toy.lal --input brackets --gold-deps train.conllx \
    dev.trees
says 'train.conllx:1'
expect 'dependencies without trees' 2 "$lal" inspect --model toy.lal --gold-deps dev.conllx text
says '--gold-deps: expected --input brackets'
expect 'one file of dependencies for two of trees' 2 "$lal" inspect --model toy.lal --input brackets \
    --gold-deps dev.conllx dev.trees dev.trees
says '--gold-deps: found 2 files of trees, expected one'
# Decisions that a pattern finds: the phrases of three's own trees, and arcs to the words of a tag
expect 'decisions of a pattern' 0 "$lal" inspect --quiet --model toy.lal --input brackets --match 'NP > S' three
python3 - out <<'END' || complain 'the decisions are not those of the pattern'
import json, sys
for s in map(json.loads, open(sys.argv[1])):
    assert s["decisions"] and {d["label"] for d in s["decisions"]} <= {"NP", "NP::NP"}, s["decisions"]
END
expect 'arcs of a pattern' 0 "$lal" inspect --quiet --model toy.lal --input brackets --what arcs --match '{tag:DT}' \
    three
python3 - out <<'END' || complain 'the arcs are not those of the pattern'
import json, sys
for s in map(json.loads, open(sys.argv[1])):
    assert [d["word"] for d in s["decisions"]] == [k for k, t in enumerate(s["tags"]) if t == "DT"]
END
expect 'a bad pattern' 1 "$lal" inspect --model toy.lal --match 'NP <' three
says "pattern:1:5: found the end of the pattern"

expect 'a lead of a label over itself' 2 "$lal" inspect --model toy.lal --span 1-2 --label NP --against NP text
says '--against: found the label of --span'
expect 'gold phrases that are missing' 0 "$lal" inspect --model toy.lal --input brackets three
prints '"missed": [{"kind": "span"'
prints '"p": '
expect 'a site' 0 "$lal" inspect --model toy.lal --input brackets --html site three
silent
for f in index.html style.css script.js data/overview.js data/1.js data/3.js; do
    [ -s "site/$f" ] || complain "site/$f is missing"
done
absent site/data/4.js
grep -rhoE "https?://[^\"' ]*" site | grep -v '^http://www.w3.org/' && complain 'pages name other places'
expect 'a page of one file' 0 "$lal" inspect --model toy.lal --input brackets --html site.html three
grep -oE '<script[^>]*>' site.html >elements
printf '<script type="application/json" id="data-%s">\n' 1 2 3 overview >expected
echo '<script>' >>expected
cmp elements expected || complain 'one file should have all documents and the scripts'
grep -E '(src|href)="[^#]' site.html | grep -v 'href="data:,"' && complain 'one file should load nothing'
expect 'heads in one file' 0 "$lal" inspect heads --model toy.lal --gold three --importance none --gr next \
    --html one.html
grep -q 'id="data-heads">{"model":"toy.lal"' one.html || complain 'the document is missing'
expect 'a site and a table' 0 "$lal" inspect --model toy.lal --input brackets --html site --format tsv \
    --out table three
[ "$(head -n 1 table | cut -f 1)" = category ] || complain 'the table was not written'
"$lal" train $data $tiny --epochs 1 --seed 7 --out other.lal >/dev/null 2>&1 || complain 'training a second model'
expect 'two models' 0 "$lal" inspect --model toy.lal --input brackets --what all --html pair \
    --against-model other.lal three
grep -q '"other":{' pair/data/3.js || complain 'the parse by the other model'
of_page pair/data/overview.js 'x["compare"]["models"][1]["name"] == "other.lal"' || complain 'the names of the models'
"$lal" inspect --model toy.lal --input brackets --gold-deps dev.conllx --what all --html pair \
    --against-model other.lal dev.trees 2>/dev/null
for model in toy other; do
    "$lal" eval --products f32 --model $model.lal --gold dev.trees --gold-deps dev.conllx --report --format tsv \
        2>/dev/null |
        awk -F'\t' '$1 == "label" || $1 == "type" { printf "%s %d %.1f %d\n", $2, $3, $8, $3 + $4 - 2 * $5 }' |
        sort >$model.rows
done
join -a 1 -a 2 -e 0 -o 0,1.2,1.3,2.3,1.4,2.4 toy.rows other.rows >rows # name, in gold, F1 and errors of both
[ "$(wc -l <rows)" -gt 5 ] || complain 'no rows to compare with'
python3 - rows pair/data/overview.js <<'END' || complain 'errors by label and type'
import json, re, sys
text = open(sys.argv[2]).read()
models = json.loads(text[text.index(",") + 1:text.rindex(")")])["compare"]["models"]
for row in map(str.split, open(sys.argv[1])):
    for model, f1, errors in zip(models, row[2:4], row[4:6]):
        found = {**model["report"]["label"], **model["report"]["type"]}.get(row[0])
        if not found:
            assert errors == "0", row
            continue
        assert found["gold"] == int(row[1]) and abs(found["f1"] - float(f1)) < 0.15, row
        assert found["gold"] + found["predicted"] - 2 * found["matched"] == int(errors), row
END
cp toy.lal copy.lal
expect 'a model and its copy' 0 "$lal" inspect --model toy.lal --html same --against-model copy.lal text
of_page same/data/overview.js 'x["compare"]["differences"] == 0' || complain 'a copy should parse alike'
of_page same/data/overview.js 'not x["gold"]' && of_page pair/data/overview.js 'x["gold"]' ||
    complain 'columns of gold only where there is gold'
expect 'heads beside two models' 0 "$lal" inspect heads --model toy.lal --gold three --importance none --gr next \
    --html pair
of_page pair/data/overview.js '"compare" in x' && [ -s pair/data/heads.js ] || complain 'both should be there'
expect 'the same folder without a second model' 0 "$lal" inspect --model toy.lal --input brackets --html pair three
of_page pair/data/overview.js '"compare" in x' && complain 'an old comparison'
[ -s pair/data/heads.js ] || complain 'the report on heads should stay'
expect 'two models without pages' 2 "$lal" inspect --model toy.lal --against-model other.lal three
says '--against-model: expected --html FOLDER as well'
expect 'a second model without label heads' 1 "$lal" inspect --model toy.lal --html pair --against-model plain.lal three
says 'plain.lal: '
expect 'a site in a missing folder' 1 "$lal" inspect --model toy.lal --html nowhere/site text
says 'nowhere/site: cannot make the folder: No such file or directory'
expect 'a site without a name' 2 "$lal" inspect --model toy.lal --html '' text
says '--html: expected the name of a folder'
expect 'a site of leads, which gold does not judge' 0 "$lal" inspect --model toy.lal --input brackets --against NP \
    --html leads three
of_page leads/data/overview.js 'not x["gold"] and x["decisions"][0]["number"] >= 0' ||
    complain 'leads should be listed'
expect 'a site of nothing' 0 "$lal" inspect --model toy.lal --html empty /dev/null
of_page empty/data/overview.js 'x["sentences"] == 0' || complain 'an empty input should have an empty site'
for threads in 1 3; do
    "$lal" inspect --model toy.lal --input brackets --what all --threads $threads \
        --html site$threads dev.trees 2>/dev/null
done
name='threads and sites'; diff -r site1 site3 >/dev/null || complain 'the site depends on the number of threads'

# ---- coreference by single heads
mentions=$root/tests/golden/seed-tasks/random.jsonl
expect 'heads that attend to antecedents' 0 "$lal" inspect coref --model toy.lal --model named.lal "$mentions"
prints 'rules  '
prints ' (104)'
prints 'toy.lal, '
[ "$(grep -c '^words  ' out)" -eq 2 ] || complain 'a row for each model'
grep '^  p  *1[.]0000' out >/dev/null || complain 'a model with names should answer as without'
expect 'heads that another file chooses, as JSON' 0 "$lal" inspect coref -m toy.lal --dev "$mentions" -f json \
    "$mentions"
python3 - out <<'END' || complain 'other numbers in JSON'
import json, sys
x = json.load(open(sys.argv[1]))
assert x["mentions"]["all"] == sum(x["mentions"][k] for k in ("pronominal", "proper", "nominal")) == 104
one = x["models"][0]
for measure in "words", "candidates":
    for c in one[measure].values():
        assert c["head"] == c["best"] and 0 <= c["accuracy"] == c["best_accuracy"] <= 100 and "p" not in c
json.dump({m: one[m]["all"] for m in ("words", "candidates")}, open("best.json", "w"))
END
expect 'a row for each head' 0 "$lal" inspect coref -m toy.lal --format tsv "$mentions"
python3 - out <<'END' || complain 'the rows have other best heads'
import csv, json, sys
rows = list(csv.DictReader(open(sys.argv[1]), delimiter="\t"))
for measure, c in json.load(open("best.json")).items():
    best = max((r for r in rows if r["measure"] == measure), key=lambda r: float(r["all"]))
    assert best["head"] == c["head"] and abs(float(best["all"]) - c["accuracy"]) < 1e-3
END
expect 'an encoder alone' 0 "$lal" inspect coref -q -m "$root/tests/fuzz/seeds/model/xlnet" "$mentions"
prints 'pretrained:1:1'
expect 'texts that an encoder cannot take' 1 "$lal" inspect coref -m "$root/tests/fuzz/seeds/model/bert" "$mentions"
says 'found no mention with an antecedent in pieces that are short enough'
# A piece that only the first model can take counts for neither.
mention='"type": "nominal", "antecedents":'
printf '{"words": ["a", "b"], "mentions": [{"begin": 0, "end": 1, "head": 0, %s []},
    {"begin": 1, "end": 2, "head": 1, %s [0]}]}' "$mention" "$mention" | tr -d '\n' >mentions.jsonl
echo >>mentions.jsonl
cat "$mentions" >>mentions.jsonl
expect 'a text that one of two can take' 0 "$lal" inspect coref -m toy.lal -m "$root/tests/fuzz/seeds/model/bert" \
    mentions.jsonl
prints 'all (1) '
says 'pieces left out, which are too long for a pretrained encoder'
printf '{"words": ["a"], "mentions": 3}\n' >wrong.jsonl
expect 'other mentions' 1 "$lal" inspect coref -m toy.lal wrong.jsonl
says 'wrong.jsonl:1:30: found no list mentions'
expect 'no file' 2 "$lal" inspect coref -m toy.lal
says 'found no FILE'

finish
