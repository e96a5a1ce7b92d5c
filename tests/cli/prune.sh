#!/bin/sh
# prune.sh BUILD-FOLDER: `lal model prune`: the smaller model is the same parser, keeps its options, and is not written
# where nothing can be pruned.
. "$(dirname "$0")/harness.sh"

make_toy
tiny="$tiny --lal-form words" # forms.sh prunes heads that attend inside phrases
train() { # NAME OPTIONS-JSON
    printf '{"encoder_options": %s}\n' "$2" >o.json
    expect "train $1" 0 "$lal" train $data $tiny --n-layers 2 --out "$1.lal" --encoder-options o.json --quiet ${extra-}
}
dev='--gold dev.trees --gold-deps dev.conllx --out small.lal'
at_output='--no-lal-pwff --encoder-options {"encoder_options":{"gates":{"label_at":"output"}}}'
prune() { # NAME STATUS MODEL
    expect "$1" "$2" "$lal" model prune --model "$3.lal" $dev
}

# ---- closed by a list: layer 1 keeps no head
train some '{"heads": [{"heads": [0], "layers": [0], "pattern": "rel_pos", "use": "mask"}],
             "gates": {"kind": "constant", "constant": [1, 0, 0, 0]}}'
prune 'prune' 0 some
prints 'gates, clip     1 of 4 heads open, 0 gates between 0 and 1'
prints 'layer 0 keeps  0'
prints 'layer 1 keeps  no head'
prints 'equal on 20 sentences: the same parses'
prints 'parameters'
expect 'parse with the gates' 0 "$lal" parse --products f32 --model some.lal --input brackets dev.trees
cp out gated
expect 'parse without' 0 "$lal" parse --products f32 --model small.lal --input brackets dev.trees
cmp -s gated out || complain 'the smaller model parses otherwise'
[ "$(wc -c <small.lal)" -lt "$(wc -c <some.lal)" ] || complain 'the smaller model is not smaller'
expect 'the smaller model' 0 "$lal" model info --format json -m small.lal
prints '"format": 2'
prints '"pattern": "rel_pos"'
prints '"kind": "none"'
prints '"kept_heads": [[0], []], '
expect 'as text' 0 "$lal" model info -m small.lal
prints 'kept heads  [[0], []]'
expect 'its heads' 0 "$lal" inspect heads --model small.lal --gold dev.trees --gold-deps dev.conllx --mask 2
says ', 7 heads, '
prints '1:1'
grep -qE '(^|[^0-9])(1:2|2:[12])([^0-9]|$)' out && complain 'heads that were pruned'

# ---- twice
cp small.lal once.lal
prune 'pruned twice' 1 once
says 'lal model prune: once.lal: the model has no gates on its heads, expected one trained with gates'
cmp -s once.lal small.lal || complain 'a file was written'

# ---- label heads: the second of two self-attention heads, and label heads 1, 3, 4 and 6 (of 6) are left
for form in --no-lal-pwff --lal-combine-as-self; do
    options='{"heads": [{"heads": [0, 1], "pattern": "rel_pos", "use": "mask"},
        {"stack": "label", "heads": [1, 2], "pattern": "rare_w", "use": "mask"}],
        "gates": {"kind": "constant", "stacks": ["self", "label"], "constant": [0, 1, 0, 0,  1, 0, 1, 1, 0, 1]}}'
    extra=$form
    train both "$options"
    extra=
    prune "both stacks ($form)" 0 both
    prints 'layer 0 keeps  1'
    prints 'label heads    0, 2, 3, 5'
    prints 'equal on 20 sentences: the same parses'
    expect "lists ($form)" 0 "$lal" model info --format json -m small.lal
    prints '"kind": "none"'
    prints '"kept_heads": [[1], []], "kept_label_heads": [0, 2, 3, 5], '
    prune "pruned twice ($form)" 1 small
    expect "heads by their numbers ($form)" 0 "$lal" inspect heads --model small.lal --gold dev.trees \
        --gold-deps dev.conllx --mask 1
    prints '1:2'
    grep -qE '(^|[^0-9])(1:1|2:[12])([^0-9]|$)' out && complain 'heads that were pruned'
    [ $form = --no-lal-pwff ] || continue
    prints 'label:4'
    grep -qE 'label:[25]([^0-9]|$)' out && complain 'label heads that were pruned'
done

# ---- explanations name label heads by the same numbers: model small.lal has label heads 1, 3, 4 and 6
extra=--no-lal-pwff
train both '{"gates": {"kind": "constant", "stacks": ["label"], "constant": [1, 0, 1, 1, 0, 1]}}'
extra=
prune 'label heads alone' 0 both
prints 'layer 0 keeps  0, 1'
prints 'label heads    0, 2, 3, 5'
look() { expect "$1" 0 "$lal" inspect --model small.lal --input brackets --format "$2" dev.trees; }
expect 'why' 0 "$lal" parse --model small.lal --input brackets --why --format json dev.trees
prints '"label:6"'
grep -q '"label:[25]"' out && complain 'label heads that were pruned are named'
look 'explanations' json
prints '"head": "label:6"'
grep -q '"label:[25]"' out && complain 'label heads that were pruned are named'
look 'sums' tsv
[ "$(cut -f 5 out | sort -u | tr '\n' ' ')" = '1 3 4 6 head ' ] || complain 'heads of the table'
look 'text' text
prints '  6  0.'
grep -qE '^  +[25]  ' out && complain 'heads that were pruned'
expect 'pages' 0 "$lal" inspect --model small.lal --input brackets --html pages dev.trees
of_page pages/data/overview.js 'x["confidence"][1] is None' || complain 'a row of a head that was pruned'
of_page pages/data/overview.js 'x["confidence"][2] > 0' || complain 'no head 3'
of_page pages/data/1.js '"rest" in x["sentence"]["decisions"][0]' || complain 'the part of pruned heads is not shown'
grep -q 'id="term-pruned"' pages/index.html || complain 'pruned heads are not explained'
expect 'page of heads' 0 "$lal" inspect heads --model small.lal --gold dev.trees --gold-deps dev.conllx --html pages
of_page pages/data/heads.js '"label:3" in [h["head"] for h in x["report"]["heads"]]' || complain 'no head label:3'
of_page pages/data/heads.js 'sum(layer["heads"] for layer in x["layers"]) - len(x["report"]["heads"]) == 2' ||
    complain 'maps should have a cross for each of two pruned heads'
expect 'one head' 0 "$lal" inspect heads --model small.lal --gold dev.trees --show label:3
prints 'label:3'
expect 'a head that was pruned' 2 "$lal" inspect heads --model small.lal --gold dev.trees --show label:2

# ---- training goes on, with gates that close more heads
sed 's/1, 0, 1, 1, 0, 1/1, 0, 0, 1, 0, 1/' o.json >more.json
expect 'train on' 0 "$lal" train $data $tiny --n-layers 2 --no-lal-pwff --encoder-options more.json \
    --encoder-options '{"encoder_options": {"gates": {"start_from": "small.lal"}}}' --out more.lal --quiet
prune 'pruned further' 0 more
prints 'label heads    0, 3, 5'
prints 'equal on 20 sentences: the same parses'

# ---- no label head is left
options='{"gates": {"kind": "constant", "stacks": ["label"], "constant": [0, 0, 0, 0, 0, 0]}}'
extra=--no-lal-pwff train closed "$options"
extra=
prune 'no label head' 0 closed
prints 'label heads    no head'
prints 'equal on 20 sentences: the same parses'
expect 'its heads' 0 "$lal" inspect heads --model small.lal --gold dev.trees --gold-deps dev.conllx
expect 'why' 1 "$lal" parse --model small.lal --input brackets --why --format json dev.trees
says 'a head that pruning has left'
expect 'nothing to inspect' 1 "$lal" inspect --model small.lal --input brackets dev.trees
says 'a head that pruning has left'
extra="$at_output" train nothing "$options"
extra=
rm -f small.lal
prune 'no label head at outputs' 1 nothing
says 'the gates have closed all label heads at their outputs, expected one that is open'
absent small.lal

# ---- projected attention: a layer keeps one head at least, and all with a projection that is shared
train pal '{"pal": {"layers": "all", "width": 12, "heads": 3}, "heads": [
    {"stack": "pal", "layers": "all", "heads": [1], "pattern": "prev", "use": "fixed"},
    {"stack": "pal", "layers": [0], "heads": [2], "pattern": "rel_pos", "use": "mask"}],
    "gates": {"kind": "constant", "stacks": ["self", "pal"], "constant": [1, 0, 1, 1,  0, 0, 1,  0, 0, 0]}}'
prune 'projected attention' 0 pal
prints 'layer 0 keeps  0'
prints 'pal 0 keeps    2'
prints 'pal 1 keeps    0'
prints 'equal on 20 sentences: the same parses'
expect 'its heads' 0 "$lal" model info --format json -m small.lal
prints '"kept_pal_heads": [[2], [0]], '
prints '"kind": "none"'
expect 'its heads as text' 0 "$lal" model info -m small.lal
prints 'pal heads   [[2], [0]]'
prune 'pruned twice' 1 small
says 'the model has no gates on its heads'
printf '{"encoder_options": {"pal": {"layers": "all", "width": 12, "heads": 3}, "heads": [
    {"stack": "pal", "layers": [0], "heads": [1], "pattern": "prev", "use": "fixed"}],
    "gates": {"kind": "free", "start_from": "small.lal"}}}\n' >o.json
expect 'a head that was pruned' 2 "$lal" train $data $tiny --n-layers 2 --out no.lal --encoder-options o.json
says 'o.json:2:47: encoder_options.heads[0].heads: pal layer 0 head 1 was pruned from this model; kept: 2'
sed 's/"heads": \[1\]/"heads": [2]/; s/"prev", "use": "fixed"/"rel_pos", "use": "mask"/' o.json >kept.json
expect 'train on' 0 "$lal" train $data $tiny --n-layers 2 --out on.lal --encoder-options kept.json --quiet
expect 'its heads after that' 0 "$lal" model info --format json -m on.lal
prints '"kept_pal_heads": [[2], [0]], '
sed 's/"width": 12/"width": 24/' kept.json >o.json
expect 'another width' 1 "$lal" train $data $tiny --n-layers 2 --out no.lal --encoder-options o.json
says 'small.lal: found a pruned model whose projected attention had 3 heads in a width of 12, expected the 3 in 24'
train shared '{"pal": {"layers": "all", "width": 8, "heads": 2, "share": true},
    "gates": {"kind": "constant", "stacks": ["self", "pal"], "constant": [1, 0, 1, 1,  0, 1,  1, 1]}}'
prune 'a shared projection' 0 shared
prints 'equal on 20 sentences: the same parses'
expect 'gates that stay' 0 "$lal" model info --format json -m small.lal
prints '"kept_pal_heads": null'
prints '"stacks": ["pal"]'
prints '"constant": [0, 1, 1, 1]'
rm -f small.lal
train shared '{"pal": {"layers": "all", "width": 8, "heads": 2, "share": true},
    "gates": {"kind": "free", "stacks": ["pal"]}}'
prune 'a shared projection alone' 1 shared
says 'the model has gates only on projected attention with pal.share'
absent small.lal

# ---- the rule of --gates-eval is that of the smaller model
train half '{"pal": {"layers": "all", "width": 8, "heads": 2},
    "gates": {"kind": "hard_concrete", "stacks": ["self", "label", "pal"], "log_alpha_init": 0.5, "lambda": 0}}'
for rule in clip binary; do
    dev="--gold dev.trees --gold-deps dev.conllx --out small.lal --gates-eval $rule"
    prune "by $rule" 0 half
    expect "gates by $rule" 0 "$lal" model info --format json -m small.lal
    prints "\"eval\": \"$rule\""
    prints '"kind": "none"'
done

# ---- a model that classifies: by its last word, with and without a shared block
awk 'BEGIN {
    split("river code song", last); split("nature science art", class)
    for (k = 0; k < 60; k++) print class[k % 3 + 1] "\t" (k % 2 ? "the" : "a") " old " last[k % 3 + 1] " ."
}' >classes.tsv
small='--d-model 32 --n-layers 1 --n-heads 2 --d-kv 16 --d-ff 48 --n-label-heads 6 --lal-d-kv 8 --lal-d-proj 8
    --affix-buckets 50 --word-min-count 1 --batch-size 20 --warmup 5 --lr 0.01 --average 0 --epochs 8'
printf '{"encoder_options": {"heads": [{"heads": [1], "pattern": "rel_pos", "use": "mask"}],
    "gates": {"kind": "constant", "stacks": ["self", "label"], "constant": [0, 1, 0, 1, 1, 0, 1, 0]}}}\n' >o.json
for form in --lal-pwff --no-lal-pwff; do
    expect "train a classifier ($form)" 0 "$lal" train --task classify --train classes.tsv $small \
        --encoder-options o.json $form --out class.lal --quiet
    expect "prune it ($form)" 0 "$lal" model prune --model class.lal --gold classes.tsv --out small.lal
    prints 'gates, clip     4 of 8 heads open'
    prints 'accuracy '
    prints 'label heads    1, 2, 4'
    prints 'equal on 50 sentences: the same classes, vectors and scores differ by at most '
    [ "$(wc -c <small.lal)" -lt "$(wc -c <class.lal)" ] || complain 'it is not smaller'
    for m in class small; do
        expect "the classes by $m ($form)" 0 "$lal" eval --model $m.lal --gold classes.tsv --format json
        cp out $m.out
    done
    cmp -s class.out small.out || complain 'the smaller model classifies otherwise'
done
cut -f 1 classes.tsv >classes
cut -f 2 classes.tsv | sed 's/[^ ]*/(N &)/g; s/.*/(S &)/' >classes.trees
expect 'classes of a treebank' 0 "$lal" model prune --model class.lal --gold classes.trees --gold-classes classes \
    --out small.lal
prints 'equal on 50 sentences: the same classes'
rm -f small.lal
expect 'dependencies for a classifier' 2 "$lal" model prune --model class.lal --gold classes.tsv \
    --gold-deps dev.conllx --out small.lal
says 'found --gold-deps, expected gold of a model that classifies sentences (lal classify)'
expect 'classes for a parser' 2 "$lal" model prune --model some.lal --gold dev.trees --gold-classes classes \
    --out small.lal
says 'found --gold-classes, expected gold of a model that parses (lal parse)'
expect 'trees for a classifier' 1 "$lal" model prune --model class.lal --gold dev.trees --out small.lal
says 'dev.trees:1:1: found a line without a tab'
expect 'an encoder' 0 "$lal" model import "$root/tests/golden/encoders/bert-tiny" --out enc.lal
expect 'pruning an encoder' 1 "$lal" model prune --model enc.lal --gold dev.trees --out small.lal
says 'enc.lal: found a model of the task encode, expected one that parses or classifies sentences'
absent small.lal

# ---- a parser on a pretrained encoder
expect 'on an encoder' 0 "$lal" train $data $tiny --pretrained enc.lal --encoder-options o.json --out on.lal --quiet
prune 'prune it' 0 on
prints 'equal on 20 sentences: the same parses'

# ---- a plain model, and wrong command lines
expect 'train plain' 0 "$lal" train $data $tiny --out plain.lal --quiet
rm -f small.lal
prune 'no gates' 1 plain
absent small.lal
expect 'no model' 2 "$lal" model prune --gold dev.trees --out small.lal
says 'found no --model, expected --model, --out and --gold'
expect 'no sentences' 2 "$lal" model prune --model some.lal --out small.lal
expect 'no file' 1 "$lal" model prune --model none.lal --gold dev.trees --out small.lal
says 'none.lal'
absent small.lal
no_leftovers
finish
