#!/bin/sh
# pretrained_options.sh BUILD-FOLDER: encoder options in a pretrained encoder: the example of docs/OPTIONS.md, resuming,
# saving, windows of long sentences, parses as masks, and messages.
. "$(dirname "$0")/harness.sh"
make_toy
for kind in bert mpnet xlnet; do
    expect "$kind" 0 "$lal" model import "$root/tests/golden/encoders/$kind-tiny" --out $kind.lal --quiet
done

# ---- the example, for each architecture
sed -n '/^## In a pretrained encoder/,/^## Messages/p' "$root/docs/OPTIONS.md" | sed -n '/^```json/,/^```$/p' |
    sed '/^```/d' >example.json
grep -q '"pretrained_layers": "all", "width": 256' example.json || complain 'docs/OPTIONS.md has no example'
sed 's/"width": 256/"width": 16/' example.json >pal.json
train() { # NAME KIND OPTIONS...
    name=$1 kind=$2
    shift 2
    expect "$name" 0 "$lal" train $data $tiny --pretrained $kind.lal "$@"
}
for kind in bert mpnet xlnet; do
    train "$kind with the example" $kind --encoder-options pal.json --out $kind-pal.lal --log $kind.jsonl
    says 'toy F1 '
    grep -q '"guidance": 0\.' $kind.jsonl || complain 'the log has no guidance'
    expect "parsing with $kind" 0 "$lal" parse -m $kind-pal.lal text
    lines 3
done
expect 'its information' 0 "$lal" model info -m bert-pal.lal
prints '{"stack": "pretrained_pal", "layers": "all", "heads": [2], "pattern": "prev", "use": "fixed"}'
prints '"share": false, "init_std": 0.02, "layers": [], "pretrained_layers": "all"}'
expect 'as JSON' 0 "$lal" model info --format json -m bert-pal.lal
prints '{"stack": "pretrained", "layers": [1], "heads": [0], "pattern": "dep_head", "use": "guide"}'
for n in down q k v up; do
    for f in weight bias; do
        grep -q "\"pretrained.pal_1.$n.$f\"" bert-pal.lal || complain "no tensor pretrained.pal_1.$n.$f"
    done
done

# ---- saving, resuming, --init
parses() { "$lal" parse -m "$1" -f json --deps stanford --input conll dev.conllx 2>/dev/null; }
expect 'storing' 0 "$lal" model quantize -m mpnet-pal.lal --out again.lal --dtype f32
name='the same parses after storing it again'
parses mpnet-pal.lal >one
parses again.lal >two
[ -s one ] && cmp -s one two || complain 'they differ'
expect 'stopping' 1 "$lal" train $data $tiny --pretrained mpnet.lal --encoder-options pal.json --out s.lal \
    --stop-at-step 5 --threads 1
says 'continue with --resume s.lal.ckpt'
expect 'resuming' 0 "$lal" train --resume s.lal.ckpt
name='resumed and not'
parses s.lal >two
cmp -s one two || complain 'they parse otherwise'
expect 'beginning with it' 0 "$lal" train $data --init mpnet-pal.lal --epochs 1 --batch-size 20 --out further.lal
expect 'what it began with' 0 "$lal" model info -m further.lal
prints '"pretrained_layers": "all"}'
train 'its encoder alone' mpnet-pal --epochs 1 --out plain.lal
expect 'the encoder is plain' 0 "$lal" model info -m plain.lal
grep -q 'pretrained_pal' out && complain 'it has options'
expect 'its lowest layer' 0 "$lal" train $data $tiny --start-from plain.lal --pretrained-layers 1 --epochs 1 \
    --out lowest.lal
expect 'one layer is left' 0 "$lal" model info -m lowest.lal
prints ', 1 layer of width '

# ---- at first projected attention changes nothing
for options in '{}' '{"pal": {"pretrained_layers": "all", "width": 8, "heads": 2}}'; do
    printf '{"encoder_options": %s}\n' "$options" >o.json
    train "one update with $options" bert --encoder-options o.json --max-updates 1 --lr 0 --out "first-${#options}.lal"
done
name='the first model'
parses first-2.lal >one
parses "first-${#options}.lal" >two
[ -s one ] && cmp -s one two || complain 'projected attention changes it'
prints_tensor() { grep -q "$1" "first-${#options}.lal" || complain "no tensor $1"; }
prints_tensor pretrained.pal_0.up.weight

# ---- windows, and masks that read parses
cat >masks.json <<'END'
{"encoder_options": {"heads": [
  {"stack": "pretrained", "layers": [0], "heads": [0], "pattern": "dep_syn", "use": "mask"},
  {"stack": "pretrained", "layers": "all", "heads": [1], "pattern": ["rel_pos", "rare_w"], "use": "mask"},
  {"stack": "pretrained", "layers": [1], "heads": [2], "pattern": "next", "use": "fixed"},
  {"stack": "pretrained", "layers": [1], "heads": [3], "pattern": "dep_head", "use": "guide", "source": "gold"}],
  "syntax": {"source": "self"}}}
END
train 'masks' mpnet --encoder-options masks.json --out masks.lal
awk 'BEGIN { for (i = 0; i < 100; i++) printf "unintelligibly "; print "." }' >long
expect 'a long sentence' 0 "$lal" parse -m masks.lal --max-words 400 --batch-tokens 500 long
says 'long:1: the pretrained encoder read a sentence of 101 words in '
expect 'explanations' 0 "$lal" inspect -m masks.lal text
expect 'heads of the parser' 0 "$lal" inspect heads --model masks.lal --gold dev.trees --gold-deps dev.conllx
says '20 sentences, '
grep -q '^pretrained:1:1 .*\[mask dep_syn\]' out || complain 'no mask of a head of the encoder'
grep -q '^pretrained:2:3 .*\[fixed next\]' out || complain 'no fixed head of the encoder'
grep -q '^pretrained:2:4 .*\[guide dep_head\]' out || complain 'no guided head of the encoder'
prints 'global relevance of patterns, heads of the pretrained encoder'
expect 'their names' 0 "$lal" inspect heads --model masks.lal --gold train.trees --importance none --gr next \
    --name-heads named.lal
expect 'a head of the encoder' 0 "$lal" inspect heads --model masks.lal --gold dev.trees --mask 2 --gr prev \
    --show pretrained:2:3 --html pages --out table
of_page pages/data/heads.js '[l["group"] for l in x["layers"]].count("pretrained") == 2' ||
    complain 'no row of the encoder in the maps'
of_page pages/data/heads.js 'x["report"]["heads"][x["attention"][0]["head"]]["head"] == "pretrained:2:3"' ||
    complain 'no attention of the encoder'
expect 'scores' 0 "$lal" eval -m masks.lal --gold dev.trees --gold-deps dev.conllx
prints 'F1 '
train 'an oracle' bert --encoder-options masks.json \
    --encoder-options '{"encoder_options":{"syntax":{"source":"gold"}}}' --out oracle.lal
says 'ORACLE run: masks read gold syntax (heads[0])'
expect 'text for an oracle' 1 "$lal" parse -m oracle.lal text
says 'this model reads gold syntax (oracle) and cannot parse text'

# ---- messages: more are in tests/golden/encoder_options.txt
expect 'an encoder that is missing' 1 "$lal" train --train nowhere.trees --encoder-options masks.json \
    --pretrained missing.lal
says 'missing.lal: cannot open: No such file or directory'
no_leftovers
finish
