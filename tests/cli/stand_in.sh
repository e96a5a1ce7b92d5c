#!/bin/sh
# stand_in.sh BUILD-FOLDER: recipes/stand_in.py: folders that lal model import reads, and parsers of both presets on
# them.
. "$(dirname "$0")/harness.sh"
make_toy
stand_in="python3 $root/recipes/stand_in.py"
small="--d-model 32 --n-heads 2 --d-kv 16 --d-ff 48 --d-label-hidden 24 --d-arc 24 --d-type 12 --batch-size 20
       --max-updates 6 --warmup 1 --lr 0.01"

for kind in bert xlnet; do
    expect "$kind: a folder" 0 $stand_in $kind-large $kind --layers 2 --width 32 --pieces 200 --text text
    silent
    expect "$kind: import" 0 "$lal" model import $kind --out $kind.lal
    says "$kind.lal: $kind, 2 layers of width 32, 1 heads, 200 "
    label_heads=
    [ $kind = xlnet ] && label_heads='--n-label-heads 6 --lal-d-kv 8 --lal-d-proj 8'
    expect "$kind: a parser" 0 "$lal" train --preset $kind-large $small $label_heads $data --pretrained $kind.lal \
        --out $kind-parser.lal
    says '80 sentences'
    grep -o 'F1 [0-9.]*' err | tail -1 >trained
    expect "$kind: its options" 0 "$lal" model info -f json -m $kind-parser.lal
    prints '"use_words": false'
    prints '"pretrained_pieces": "last"'
    # tags are input where a model has no tagger, also while it is trained
    expect "$kind: its score" 0 "$lal" eval --products f32 -m $kind-parser.lal --gold dev.trees --gold-deps dev.conllx \
        --tags given
    prints "$(cat trained)"
    expect "$kind: parsing" 0 "$lal" parse -m $kind-parser.lal text
done
grep -q '^F1 [0-9]' trained || complain 'the training should print F1'
expect 'explanations through the encoder' 0 "$lal" inspect -m xlnet-parser.lal text
expect 'without tags' 0 "$lal" eval --products f32 -m xlnet-parser.lal --gold dev.trees --gold-deps dev.conllx
! grep -qF "$(cat trained)" out || complain 'tags have no effect'

# ---- messages
expect 'an old folder' 1 $stand_in bert-large bert
says 'bert: found config.json, expected a new folder'
expect 'another kind' 2 $stand_in mpnet other
expect 'an odd width' 1 $stand_in xlnet-large other --width 33
says 'found 24 layers of width 33, expected at least 1, of an even width'
expect 'few pieces' 1 $stand_in bert-large other --pieces 10
says '--pieces: found 10, expected at least '
expect 'a text that is missing' 1 $stand_in bert-large other --text missing
says 'missing: No such file'
absent other/config.json
finish
