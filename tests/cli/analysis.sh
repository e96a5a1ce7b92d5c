#!/bin/sh
# analysis.sh BUILD-FOLDER: "analysis" of a configuration: read with places, kept by models, defaults of `lal inspect
# heads`.
. "$(dirname "$0")/harness.sh"

# refused NAME JSON PLACE MESSAGE: JSON is the value of "analysis", in a file of --encoder-options and in a preset.
refused() {
    name=$1
    printf '{"analysis": %s}\n' "$2" >a.json
    for by in --encoder-options --preset; do
        checks=$((checks + 1))
        "$lal" train --train nowhere.trees --out out.lal $by a.json >out 2>err </dev/null
        status=$?
        [ $status -eq 2 ] || complain "$by: exit status $status, expected 2"
        says "lal train: a.json:$3: $4"
        absent out.lal
    done
}

refused 'unknown key' '{"importanse": "gate"}' 1:15 \
    'analysis: unknown key "importanse"; did you mean "importance"?'
refused 'unknown key of a section' '{"gr": {"row": "words"}}' 1:22 \
    'analysis.gr: unknown key "row"; did you mean "rows"?'
refused 'a key of a section outside' '{"rows": "words"}' 1:15 'analysis: unknown key "rows"'
refused 'a section by its flat name' '{"gr_rows": "words"}' 1:15 'analysis: unknown key "gr_rows"'
refused 'no object' '7' 1:14 'analysis: found another value, expected an object'
refused 'no section' '{"relevance": "frozen"}' 1:28 'analysis.relevance: found another value, expected an object'
refused 'another measure' '{"importance": "taylor"}' 1:29 \
    "analysis.importance: found 'taylor', expected one of taylor_param|taylor_group|gate|gate_token|none"
refused 'another normalisation' '{"normalise": 3}' 1:28 "analysis.normalise: found '3', expected one of raw|layer_l2"
refused 'other rows' '{"gr": {"rows": "all"}}' 1:30 "analysis.gr.rows: found 'all', expected one of words|tokens"
refused 'no patterns' '{"gr": {"patterns": "next"}}' 1:34 \
    'analysis.gr.patterns: expected an array of strings, or "all"'
refused 'an unknown pattern' '{"gr": {"patterns": ["next", "nexxt"]}}' 1:43 \
    'analysis.gr.patterns: unknown pattern "nexxt"; one of self, next, prev, '
refused 'another rule' '{"relevance": {"rule": "epsilon"}}' 1:37 \
    "analysis.relevance.rule: found 'epsilon', expected one of frozen"
refused 'another epsilon' '{"relevance": {"epsilon": 0.01}}' 1:40 \
    'analysis.relevance.epsilon: epsilon has no effect with rule "frozen"'
refused 'nothing to explain' '{"relevance": {"explain": []}}' 1:40 \
    'analysis.relevance.explain: found nothing, expected spans, arcs or both'
refused 'something else to explain' '{"relevance": {"explain": ["spans", "types"]}}' 1:40 \
    "analysis.relevance.explain: found 'types', expected spans or arcs"

# ---- a model keeps it, and its values are the defaults of lal inspect heads
make_toy
cat >preset.json <<END
{"analysis": {"importance": "none", "gr": {"patterns": ["prev"], "rows": "tokens"}}}
END
cat >a.json <<END
{"encoder_options": {"gates": {"kind": "constant", "constant": [1, 0]}},
 "analysis": {"importance": "gate", "normalise": "layer_sum", "gr": {"patterns": ["next", "rel_pos/window=5"]},
              "relevance": {"rule": "frozen", "explain": ["arcs"], "epsilon": 1e-6}}}
END
kept='{"importance": "gate", "normalise": "layer_sum", "gr": {"patterns": ["next", "rel_pos/window=5"], "rows": '
kept="$kept"'"tokens"}, "relevance": {"rule": "frozen", "explain": ["arcs"], "epsilon": 1e-06}}'
expect 'a run that is stopped' 1 "$lal" train $data $tiny --preset preset.json --encoder-options a.json --out a.lal \
    --stop-at-step 3
rm preset.json a.json
expect 'the rest of it' 0 "$lal" train --resume a.lal.ckpt
expect 'the model' 0 "$lal" model info -m a.lal
prints "analysis    $kept"
expect 'the model as JSON' 0 "$lal" model info -f json -m a.lal
prints "\"oracle\": false, \"analysis\": $kept, \"training\": {"
expect 'without its closed head' 0 "$lal" model prune --model a.lal --gold dev.trees --gold-deps dev.conllx \
    --out small.lal
expect 'the smaller model' 0 "$lal" model info -m small.lal
prints "analysis    $kept"
heads="--model a.lal --gold dev.trees --gold-deps dev.conllx --most 4"
expect 'defaults of the model' 0 "$lal" inspect heads $heads
head -n 1 out | grep -q ' gate ' || complain 'not its importance'
prints 'label:6'
[ "$(awk '$1 ~ /^1:/ { sum += $3 } END { print sum }' out)" = 1 ] || complain 'not its normalisation'
grep -q '^next  ' out && grep -q '^rel_pos/window=5  ' out || complain 'not its patterns'
grep -q '^prev  ' out && complain 'other patterns'
[ "$(awk '$1 ~ /:/ && $4 == "-" && $5 ~ /%/' out | wc -l)" -eq 8 ] || complain 'not arcs alone'
expect 'values of the command line' 0 "$lal" inspect heads $heads --importance taylor_group --gr prev \
    --explain 'spans arcs'
head -n 1 out | grep -q ' taylor_group ' || complain 'not the importance of the command line'
grep -q '^prev  ' out || complain 'not the pattern of the command line'
grep -q '^next  ' out && complain 'a pattern of the model'
[ "$(awk '$1 ~ /:/ && $4 ~ /%/ && $5 ~ /%/' out | wc -l)" -eq 8 ] || complain 'not both'
expect 'all patterns' 0 "$lal" inspect heads $heads --gr all
grep -q '^dep_head  ' out || complain 'not all'
expect 'rows of tokens' 0 "$lal" inspect heads $heads --format tsv
cut -f 1,26 out >tokens
head -n 1 out | tr '\t' '\n' | grep -q '^relevance_spans' && complain 'spans were not asked for'
expect 'rows of words' 0 "$lal" inspect heads $heads --format tsv --gr-rows words
cut -f 1,26 out | cmp -s - tokens && complain 'the same relevance of patterns'
expect 'nothing to explain' 2 "$lal" inspect heads $heads --explain ''
says '--explain: found nothing, expected spans, arcs or both'
expect 'something else to explain' 2 "$lal" inspect heads $heads --explain types
says "--explain: found 'types', expected spans or arcs"
expect 'a page' 0 "$lal" inspect heads $heads --html pages
grep -q 'relevance_share_spans' pages/data/heads.js && complain 'spans were not asked for'
expect 'a model without' 0 "$lal" model info -f json -m toy.lal
prints '"analysis": null'
expect 'its heads' 0 "$lal" inspect heads --model toy.lal --gold dev.trees --most 3
head -n 1 out | grep -q ' taylor_param ' || complain 'not the importance of lal inspect heads'

# ---- null and lists replace
printf '{"analysis": {"gr": {"patterns": ["prev"], "rows": "tokens"}, "normalise": "raw"}}' >preset.json
printf '{"analysis": {"gr": {"patterns": "all"}, "normalise": null}}' >a.json
expect 'over a preset' 0 "$lal" train $data $tiny --epochs 1 --preset preset.json --encoder-options a.json --out b.lal
expect 'what is left' 0 "$lal" model info -m b.lal
prints 'analysis    {"importance": "taylor_param", "normalise": "minmax", "gr": {"patterns": "all", "rows": "tokens"}'
printf '{"analysis": {"gr": null}}' >a.json
expect 'a section set to its defaults' 0 "$lal" train $data $tiny --epochs 1 --preset preset.json \
    --encoder-options a.json --out b.lal
expect 'what is left of it' 0 "$lal" model info -m b.lal
prints '"normalise": "raw", "gr": {"patterns": "all", "rows": "words"}'
no_leftovers
finish
