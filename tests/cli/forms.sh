#!/bin/sh
# forms.sh BUILD-FOLDER: models whose label heads attend inside phrases and are linked to categories are trained, parse,
# are explained, pruned, stored in fewer bits and trained further; combinations that mean nothing are refused.
. "$(dirname "$0")/harness.sh"
make_toy
tiny="$tiny --lal-arcs --lal-linked --link-weight 0.3 --n-label-heads 20 --quiet"

# sums FILE: of each decision the parts of all heads, the rest and the bias add up to its score.
sums() {
    python3 - "$1" <<'END' || complain 'parts do not add up to a score'
import json, sys
for s in map(json.loads, open(sys.argv[1])):
    for d in s["decisions"] + [s["second"]]:
        parts = sum(h["part"] for h in d["heads"]) if "heads" in d else sum(d["input"]) + d["limits"]
        parts += d.get("rest", 0) + d["bias"] + d.get("grammar", 0)
        score = d["score"] if "score" in d else d["margin"]
        assert abs(parts - score) < 1e-3 * (1 + abs(score) + abs(d["bias"])), (s["id"], d)
END
}

for form in phrases both; do
    gates='{"encoder_options": {"gates": {"kind": "constant", "stacks": ["label"], "constant":
        [1, 1, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0]}}}'
    expect "train $form" 0 "$lal" train $data $tiny --lal-form $form --out a.lal --log log --encoder-options "$gates"
    grep -q '"link": ' log || complain 'the log lacks the loss of the link'
    expect "what is said of the model ($form)" 0 "$lal" model info -m a.lal
    prints "lal_form=\"$form\""
    first=$(sed -n 's/^linked *1:\([A-Z]*\) .*/\1/p' out)
    [ -n "$first" ] || complain 'the linked heads are not listed'
    expect "its heads ($form)" 0 "$lal" model info -f json -m a.lal
    prints "\"head_categories\": {\"label:1\": \"$first\", \"label:2\": "

    expect "parse ($form)" 0 "$lal" parse -m a.lal --products f32 --input brackets dev.trees
    cp out trees
    expect "why, in JSON ($form)" 0 "$lal" parse -m a.lal --why -f json text
    prints ", \"category\": \""
    python3 "$root/tests/cli/check_json.py" "$root/docs/parse.schema.json" out text >/dev/null || complain 'the schema'
    expect "why, in CoNLL-U ($form)" 0 "$lal" parse -m a.lal --why -f conllu text
    grep -qE 'Why=([0-9]+(/[A-Z]+)?:[+-][0-9.]+,?)+(\||$)' out || complain 'no heads of arcs'
    grep -q ':+0.000,.*:+0.000,.*:+0.000' out && complain 'heads that contribute nothing'

    expect "contributions ($form)" 0 "$lal" inspect -m a.lal --what all --top 0 --words --input brackets dev.trees
    sums out
    named=$(python3 - out <<'END'
import json, sys
right = [d for s in map(json.loads, open(sys.argv[1])) for d in s["decisions"] if d["kind"] == "span" and d["right"]]
print(sum(d["heads"][0].get("category") in d["label"].split("::") for d in right))
END
)
    prints '"category": "'
    case $form in
    phrases) prints '"rest": '; grep -q '"own": ' out && complain 'own words of heads' ;;
    both) prints '"own": '; grep -q '"rest": ' out && complain "what is no head's" ;;
    esac
    expect "sums ($form)" 0 "$lal" inspect -m a.lal -f text --input brackets dev.trees
    grep -qE "^  head +1 · $first" out || complain 'linked heads have no names'
    prints '; it is the head of the phrase'
    prints 'Heads have no names but those of the categories that they are linked to: these sentences have '
    expect "measures of heads ($form)" 0 "$lal" inspect heads -m a.lal --gold dev.trees --gold-deps dev.conllx --mask 2
    grep -qE "^label:1 · $first" out || complain 'label:1 has no name'
    expect "as JSON ($form)" 0 "$lal" inspect heads -m a.lal --gold dev.trees --gold-deps dev.conllx -f json
    python3 - out <<'END' || complain 'label heads have no part in anything'
import json, sys
heads = [h for h in json.load(open(sys.argv[1]))["heads"] if h["head"] in ("label:1", "label:2")]
assert all(h["category"] and h[m] for h in heads
           for m in ("gate", "gate_token", "taylor_group", "relevance_spans", "relevance_arcs"))
END
    expect "pages ($form)" 0 "$lal" inspect -m a.lal --what all --html "$form" --input brackets dev.trees
    expect "their page of heads ($form)" 0 "$lal" inspect heads -m a.lal --gold dev.trees --html "$form"
    of_page "$form/data/overview.js" "x['form'] == '$form' and x['names'][0] == '$first'" || complain 'an overview'
    of_page "$form/data/overview.js" "x['looks']['right']['named'] == $named > 0" || complain 'phrases that heads name'

    expect "prune ($form)" 0 "$lal" model prune -m a.lal --gold dev.trees --gold-deps dev.conllx --out small.lal
    prints 'label heads    0, 1, 3, 4, '
    prints 'equal on 20 sentences: the same parses'
    expect "the smaller model ($form)" 0 "$lal" parse -m small.lal --products f32 --input brackets dev.trees
    cmp -s trees out || complain 'it parses otherwise'
    expect "its contributions ($form)" 0 "$lal" inspect -m small.lal --what all --top 0 --input brackets dev.trees
    sums out
    prints '"rest": '
    grep -q '"label:3"' out && complain 'a head that was pruned'
    expect "its heads ($form)" 0 "$lal" model info -m small.lal
    grep -qE '^linked .* 3:' out && complain 'a head that was pruned is linked'
    expect "fewer bits ($form)" 0 "$lal" model quantize -m small.lal --out q.lal
    expect "parse with fewer bits ($form)" 0 "$lal" parse -m q.lal --input brackets dev.trees
    lines 20
    expect "products of whole numbers ($form)" 0 "$lal" parse -m a.lal --products int8 --input brackets dev.trees
    lines 20

    all_closed=$(echo "$gates" | tr 1 0)
    expect "train without open heads ($form)" 0 "$lal" train $data $tiny --lal-form $form --out none.lal \
        --encoder-options "$all_closed"
    expect "prune all label heads ($form)" 0 "$lal" model prune -m none.lal --gold dev.trees --gold-deps dev.conllx \
        --out no-heads.lal
    prints 'equal on 20 sentences: the same parses'

    expect "train further ($form)" 0 "$lal" train $data $tiny --lal-form $form --init a.lal --epochs 1 --out b.lal
    expect "without the gates ($form)" 0 "$lal" train $data $tiny --lal-form $form --start-from small.lal --epochs 1 \
        --out b.lal
    expect "a part ($form)" 1 "$lal" train $data $tiny --lal-form $form --out part.lal --stop-at-step 3
    expect "the rest ($form)" 0 "$lal" train --resume part.lal.ckpt
done

# ---- what means nothing
while IFS='|' read -r status options message; do
    # shellcheck disable=SC2086
    expect "$options" "$status" "$lal" train --check $data $tiny $options
    says "$message"
done <<END
1|--lal-form phrases --lal-q-as-matrix|lal_form phrases: found lal_q_as_matrix, expected label heads with a query
1|--lal-form both --lal-combine-as-self|lal_form both: found lal_combine_as_self, expected label heads with a
1|--lal-form phrases --lal-own-reduce|lal_own_reduce: found lal_form phrases, expected words or both
END
expect 'other heads than those of the model that it begins with' 2 "$lal" train $data $tiny --lal-form words \
    --n-label-heads 6 --init toy.lal
says 'lal_form: found "words", expected "phrases", that of the model that the run begins with, toy.lal (--init)'
expect 'fewer heads than categories' 0 "$lal" train $data $tiny --lal-form phrases --n-label-heads 2 --out few.lal
expect 'the first ones have a head' 0 "$lal" model info -m few.lal
grep -qE '^linked +1:[A-Z]+ 2:[A-Z]+$' out || complain 'not the first two categories'
no_leftovers
finish
