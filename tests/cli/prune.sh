#!/bin/sh
# prune.sh BUILD-FOLDER: `lal prune`: the smaller model is the same parser, keeps its options, and is not written where
# nothing can be pruned.
. "$(dirname "$0")/harness.sh"

make_toy
train() { # NAME OPTIONS-JSON
    printf '{"encoder_options": %s}\n' "$2" >o.json
    # shellcheck disable=SC2086
    expect "train $1" 0 "$lal" train $data $tiny --n-layers 2 --out "$1.lal" --encoder-options o.json --quiet
}
dev='--dev dev.trees --dev-deps dev.conllx --out small.lal'
prune() { # NAME STATUS MODEL
    # shellcheck disable=SC2086
    expect "$1" "$2" "$lal" prune --model "$3.lal" $dev
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
expect 'parse with the gates' 0 "$lal" parse --model some.lal --input brackets dev.trees
cp out gated
expect 'parse without' 0 "$lal" parse --model small.lal --input brackets dev.trees
cmp -s gated out || complain 'the smaller model parses otherwise'
[ "$(wc -c <small.lal)" -lt "$(wc -c <some.lal)" ] || complain 'the smaller model is not smaller'
expect 'the smaller model' 0 "$lal" info --format json small.lal
prints '"format": 2'
prints '"pattern": "rel_pos"'
prints '"kind": "none"'
prints '"kept_heads": [[0], []], '
expect 'as text' 0 "$lal" info small.lal
prints 'kept heads  [[0], []]'
expect 'its heads' 0 "$lal" heads --model small.lal --trees dev.trees --deps dev.conllx --mask 2
says ', 7 heads, '
prints '1:1'
grep -qE '(^|[^0-9])(1:2|2:[12])([^0-9]|$)' out && complain 'heads that were pruned'

# ---- twice
cp small.lal once.lal
prune 'pruned twice' 1 once
says 'lal prune: the model has no gates on self-attention heads, expected one trained with gates'
cmp -s once.lal small.lal || complain 'a file was written'

# ---- gates of label heads stay
train label '{"gates": {"kind": "hard_concrete", "stacks": ["self", "label"], "log_alpha_init": 3}}'
rm -f small.lal
prune 'self-attention alone' 0 label
expect 'gates that stay' 0 "$lal" info --format json small.lal
prints '"stacks": ["label"]'

# ---- constant gates of label heads stay too, and the others move up in the list and in the layer
train both '{"heads": [{"heads": [0, 1], "pattern": "rel_pos", "use": "mask"}], "gates": {"kind": "constant",
             "stacks": ["self", "label"], "constant": [0, 1, 0, 0,  1, 0, 1, 1, 0, 1]}}'
prune 'the second head' 0 both
prints 'layer 0 keeps  1'
expect 'lists' 0 "$lal" info --format json small.lal
prints '"constant": [1, 0, 1, 1, 0, 1]'
expect 'heads by their numbers' 0 "$lal" heads --model small.lal --trees dev.trees --deps dev.conllx
prints '1:2'
grep -qE '(^|[^0-9])(1:1|2:[12])([^0-9]|$)' out && complain 'heads that were pruned'

# ---- the rule of --gates-eval is that of the smaller model
train half '{"gates": {"kind": "hard_concrete", "stacks": ["self", "label"], "log_alpha_init": 0.5, "lambda": 0}}'
for rule in clip binary; do
    dev="--dev dev.trees --dev-deps dev.conllx --out small.lal --gates-eval $rule"
    prune "by $rule" 0 half
    expect "gates by $rule" 0 "$lal" info --format json small.lal
    prints "\"eval\": \"$rule\""
done

# ---- a plain model, and wrong command lines
# shellcheck disable=SC2086
expect 'train plain' 0 "$lal" train $data $tiny --out plain.lal --quiet
rm -f small.lal
prune 'no gates' 1 plain
absent small.lal
expect 'no model' 2 "$lal" prune --dev dev.trees --out small.lal
says 'found no --model, expected --model, --out and --dev'
expect 'no sentences' 2 "$lal" prune --model some.lal --out small.lal
expect 'no file' 1 "$lal" prune --model none.lal --dev dev.trees --out small.lal
says 'none.lal'
absent small.lal
no_leftovers
finish
