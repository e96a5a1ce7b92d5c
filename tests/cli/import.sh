#!/bin/sh
# import.sh BUILD-FOLDER: `lal model import`, and training, parsing and information with a pretrained encoder.
. "$(dirname "$0")/harness.sh"
make_toy
tiny_folder=$root/tests/golden/encoders/mpnet-tiny

# ---- the file
expect 'a folder' 0 "$lal" model import "$tiny_folder" --out enc.lal
silent
says 'enc.lal: mpnet, 2 layers of width 32, 4 heads, '
says ' pieces of lower-cased text, '
expect 'half precision, quietly' 0 "$lal" model import "$tiny_folder" --out half.lal --store f16 --quiet
[ -s err ] && complain 'it should say nothing'
[ "$(wc -c <half.lal)" -lt "$(wc -c <enc.lal)" ] || complain 'f16 is not smaller'
expect 'information' 0 "$lal" model info -m enc.lal
prints 'task        encode'
prints 'pretrained  mpnet, 2 layers of width 32, 4 heads, at most 512 of'
expect 'information as JSON' 0 "$lal" model info --format json -m enc.lal
prints '"format": 4'
prints '"pretrained": {"model_type": "mpnet", "num_hidden_layers": 2,'
expect 'parsing with it' 1 "$lal" parse -m enc.lal text
says 'enc.lal: found an encoder without a parser (lal model import), expected a model that parses (lal parse)'

# ---- PyTorch's files of the same numbers, also of matrices that lie column by column
for kind in bert mpnet xlnet; do
    mkdir torch
    cp "$root/tests/golden/encoders/$kind-tiny"/* torch
    chmod u+w torch/*
    expect "$kind: from safetensors" 0 "$lal" model import torch --out safe.lal --quiet
    mv torch/model.safetensors .
    for form in 'zip' 'zip64' 'legacy' 'python2' 'zip columns'; do
        "$root/tests/support/torch_file.py" model.safetensors torch/pytorch_model.bin $form
        expect "$kind: from $form" 0 "$lal" model import torch --out torch.lal --quiet
        cmp safe.lal torch.lal || complain 'the files differ'
    done
    expect "$kind: a part of it" 0 "$lal" model import torch --out torch.lal --quiet --layers 1 --keep-pieces text
    mv model.safetensors torch
    expect "$kind: the same part" 0 "$lal" model import torch --out safe.lal --quiet --layers 1 --keep-pieces text
    cmp safe.lal torch.lal || complain 'the files differ'
    rm -r torch
done

# ---- a parser on it
expect 'training on it' 0 "$lal" train $data $tiny --pretrained enc.lal --pretrained-layers 1 --pretrained-mix \
    --pretrained-pieces mean --pretrained-lr 0.2 --pretrained-decay 0.9 --pretrained-warmup 4 --pretrained-d-ff 40 \
    --out on.lal
says 'toy F1 '
expect 'its information' 0 "$lal" model info -m on.lal
prints 'pretrained  mpnet, 1 layer of width 32, 4 heads, at most 512 of'
expect 'its configuration' 0 "$lal" model info -f json -m on.lal
prints '"pretrained_layers": 1, "pretrained_d_ff": 40, "pretrained_pieces": "mean", "pretrained_mix": true'
prints '"intermediate_size": 40'
expect 'rounding it' 0 "$lal" model quantize -m on.lal --out rounded.lal
expect 'parsing with that' 0 "$lal" parse -m rounded.lal text
expect 'parsing' 0 "$lal" parse -m on.lal text
awk 'BEGIN { for (i = 0; i < 300; i++) printf "unintelligibly "; print "." }' >long
expect 'a long sentence' 0 "$lal" parse -m on.lal --max-words 400 --batch-tokens 500 long
says 'long:1: the pretrained encoder read a sentence of 301 words in '
says ' overlapping windows of at most 512 word pieces'
expect 'stopping' 1 "$lal" train $data $tiny --pretrained enc.lal --pretrained-freeze 1 --out s.lal --stop-at-step 5
says 'continue with --resume s.lal.ckpt'
expect 'resuming' 0 "$lal" train --resume s.lal.ckpt
expect 'the whole run' 0 "$lal" train $data $tiny --pretrained enc.lal --pretrained-freeze 1 --out w.lal
for m in s w; do "$lal" parse -m $m.lal -f conllx dev.conllx --input conll >$m.out 2>/dev/null; done
name='resumed and not'; cmp -s s.out w.out || complain 'they parse otherwise'
expect 'an encoder of a parser' 0 "$lal" train $data $tiny --pretrained on.lal --epochs 1 --out again.lal

# ---- the presets of published encoders
small="--d-model 32 --n-heads 2 --d-kv 16 --d-ff 48 --d-label-hidden 24 --d-arc 24 --d-type 12 --batch-size 20
       --max-updates 6 --warmup 1 --lr 0.01"
for kind in bert xlnet; do
    expect "$kind: import" 0 "$lal" model import "$root/tests/golden/encoders/$kind-tiny" --out $kind.lal
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

# ---- an encoder for a parser
begin="$data --init toy.lal --pretrained enc.lal --epochs 1 --average 0"
expect 'a parser that gets an encoder' 0 "$lal" train $begin --lr 0 --out both.lal
says 'begins with toy.lal (parse): '
says 'pretrained.piece.weight'
for m in toy both; do "$lal" parse -m $m.lal -f json --deps stanford --input conll dev.conllx >$m.out 2>/dev/null; done
name='before the first update'; cmp -s toy.out both.out || complain 'it should parse as without the encoder'
expect 'training it' 0 "$lal" train $begin --lr 0.01 --out both.lal
"$lal" parse -m both.lal -f json --deps stanford --input conll dev.conllx >both.out 2>/dev/null
name='after it'; cmp -s toy.out both.out && complain 'it should parse otherwise'
expect 'an encoder for a parser that has one' 2 "$lal" train $data --init on.lal --pretrained enc.lal --out no.lal
says '--pretrained: found enc.lal, expected none: the run begins with a model that has a pretrained encoder, on.lal'

# ---- a part of an encoder
size() { wc -c <"$1"; }
cut -f 2 train.conllx dev.conllx >words
expect 'the pieces of a text' 0 "$lal" model import "$tiny_folder" --keep-pieces words --positions 300 --out small.lal
says 'small.lal: mpnet, 2 layers of width 32, 4 heads, '
expect 'information on it' 0 "$lal" model info -m small.lal
prints 'at most 300 of'
expect 'frequent ones, from a pipe' 0 sh -c \
    "yes unintelligible | head -n 3 | '$lal' model import '$tiny_folder' --keep-pieces - --keep-least 3 --out three.lal"
expect 'none that is as frequent' 0 sh -c \
    "yes unintelligible | head -n 3 | '$lal' model import '$tiny_folder' --keep-pieces - --keep-least 4 --out none.lal"
[ "$(size small.lal)" -lt "$(size enc.lal)" ] || complain '--keep-pieces has no effect'
[ "$(size none.lal)" -lt "$(size three.lal)" ] || complain '--keep-least has no effect'
expect 'fewer layers' 0 "$lal" model import "$tiny_folder" --layers 1 --out one.lal
says 'one.lal: mpnet, 1 layers of width 32, 4 heads, 600 wordpiece pieces of lower-cased text, '
for m in enc small; do
    expect "a parser on $m.lal" 0 "$lal" train $data $tiny --pretrained $m.lal --max-updates 1 --lr 0 --out on-$m.lal
    "$lal" parse -m on-$m.lal -f json --deps stanford --input conll dev.conllx >$m.out 2>/dev/null
done
name='whole and small'; [ -s enc.out ] && cmp -s enc.out small.out || complain 'they parse otherwise'

# ---- the tokenizer of XLM-R
many=$root/tests/golden/encoders/xlmr-tiny
expect 'an encoder of many languages' 0 "$lal" model import "$many" --out many.lal
says 'many.lal: bert, 3 layers of width 16, 2 heads, '
says ' xlm-roberta pieces, '
expect 'its information' 0 "$lal" model info -m many.lal
prints ' xlm-roberta pieces'
expect 'as JSON' 0 "$lal" model info --format json -m many.lal
prints '"tokenizer": "xlm-roberta"'
expect 'a part of it' 0 "$lal" model import "$many" --keep-pieces words --layers 2 --out few.lal
says 'few.lal: bert, 2 layers of width 16, 2 heads, '
for m in many few; do
    expect "a parser on $m.lal" 0 "$lal" train $data $tiny --pretrained $m.lal --pretrained-layers 2 --max-updates 1 \
        --lr 0 --out on-$m.lal
    "$lal" parse -m on-$m.lal -f json --deps stanford --input conll dev.conllx >$m.out 2>/dev/null
done
name='many languages and few'; [ -s many.out ] && cmp -s many.out few.out || complain 'they parse otherwise'
mkdir odd; cp "$many/config.json" "$many/model.safetensors" odd
head -c 5000 "$many/sentencepiece.bpe.model" >odd/sentencepiece.bpe.model
expect 'a truncated tokenizer' 1 "$lal" model import odd --out no.lal
says 'odd/sentencepiece.bpe.model: byte '
rm -r odd

# ---- messages
expect 'a text that is missing' 1 "$lal" model import "$many" --keep-pieces missing.txt --out no.lal
says 'missing.txt: cannot open: No such file or directory'
expect 'a folder as text' 1 "$lal" model import "$many" --keep-pieces . --out no.lal
printf 'a\nb \377\n' >bad
expect 'a text that is none' 1 "$lal" model import "$many" --keep-pieces bad --out no.lal
says 'bad:2:3: found bytes that are not UTF-8, expected text'
expect 'no layers' 2 "$lal" model import "$many" --layers 0 --out no.lal
says '--layers: found 0, expected a value from 1 to 512'
expect 'how often, and no text' 2 "$lal" model import "$many" --keep-least 2 --out no.lal
says 'found --keep-least and no --keep-pieces, expected both'
expect 'no folder' 2 "$lal" model import --out no.lal
says 'found no folder, expected DIR --out FILE'
expect 'no file' 2 "$lal" model import "$tiny_folder"
says 'found no --out, expected DIR --out FILE'
expect 'a missing folder' 1 "$lal" model import missing --out no.lal
says 'missing/config.json: cannot open: No such file or directory'
for f in config.json tokenizer.json tokenizer_config.json model.safetensors; do
    mkdir -p broken; cp "$tiny_folder"/*.json "$tiny_folder"/model.safetensors broken; chmod u+w broken/*
    rm broken/$f
    [ $f = tokenizer_config.json ] || expect "without $f" 1 "$lal" model import broken --out no.lal
done
: >broken/pytorch_model.bin
expect 'no PyTorch file' 1 "$lal" model import broken --out no.lal
says 'broken/pytorch_model.bin: byte 0: found another beginning than that of PyTorch'
cp "$tiny_folder/model.safetensors" broken; chmod u+w broken/*
sed 's/"vocab_size": *[0-9]*/"vocab_size": 40000/' "$tiny_folder/config.json" >broken/config.json
expect 'a vocabulary of another size' 1 "$lal" model import broken --out no.lal
says ', expected 40000, the vocab_size of config.json'
sed 's/"intermediate_size": *[0-9]*/"intermediate_size": 7/' "$tiny_folder/config.json" >broken/config.json
expect 'another shape' 1 "$lal" model import broken --out no.lal
says 'tensor encoder.layer.0.intermediate.dense.weight: found '
cp "$tiny_folder/config.json" broken
head -c 5000 "$tiny_folder/model.safetensors" >broken/model.safetensors
expect 'a truncated file' 1 "$lal" model import broken --out no.lal
says 'broken/model.safetensors: '
cp "$tiny_folder/model.safetensors" broken
sed 's/"hidden_size": 32/"hidden_size": 4096/; s/"num_hidden_layers": 2/"num_hidden_layers": 12/' \
    "$tiny_folder/config.json" >broken/config.json
case $build in
*address*) ;; # AddressSanitizer reserves more address space than any limit
*)  expect 'a configuration of 3 GB' 1 sh -c "ulimit -v 1000000; \"$lal\" model import broken --out no.lal"
    says 'tensor embeddings.word_embeddings.weight: found 19200 numbers, first dimension 600, expected 600 x 4096' ;;
esac

# ---- pipes and devices in place of files, which are neither waited for nor read
mkfifo fifo
parts='config.json model.safetensors tokenizer.json tokenizer_config.json vocab.txt spiece.model'
parts="$parts sentencepiece.bpe.model"
for folder in mpnet-tiny xlnet-tiny xlmr-tiny; do
    for f in $parts; do
        [ -e "$root/tests/golden/encoders/$folder/$f" ] || continue
        for other in ../fifo /dev/zero; do
            rm -rf odd; mkdir odd
            for part in $parts; do
                [ -e "$root/tests/golden/encoders/$folder/$part" ] && cp "$root/tests/golden/encoders/$folder/$part" odd
            done
            [ $f = vocab.txt ] && rm odd/tokenizer.json # which comes first
            ln -sf $other odd/$f
            expect "$other as $f of $folder" 1 "$lal" model import odd --out no.lal
            says "odd/$f: found a "
            says ', expected a regular file'
        done
    done
done
rm -rf odd; cp -r "$tiny_folder" odd; chmod -R u+w odd; rm odd/tokenizer.json
truncate -s 40M odd/vocab.txt
expect 'a large vocabulary' 1 "$lal" model import odd --out no.lal
says 'odd/vocab.txt: found more than 33554432 bytes, expected at most that'
for f in fifo /dev/zero .; do
    expect "$f as encoder" 1 "$lal" train $data $tiny --pretrained $f --out no.lal
    says ', expected a regular file'
    expect "$f as checkpoint" 1 "$lal" train --resume $f
    says ', expected a regular file'
    expect "$f as model to begin with" 1 "$lal" train $data --init $f --out no.lal
    says ', expected a regular file'
    for command in 'model info' 'parse text' 'classify text' 'eval --gold dev.trees' 'inspect heads --gold dev.trees' \
        'inspect text' 'model quantize --out no.lal' 'model prune --gold dev.trees --out no.lal'; do
        expect "lal $command $f" 1 "$lal" $command -m $f
        says ', expected a regular file'
    done
done
expect 'a folder that cannot be written' 1 "$lal" model import "$tiny_folder" --out missing/no.lal
says 'missing/no.lal'
expect 'a parser without an encoder' 1 "$lal" train $data $tiny --pretrained toy.lal --out no.lal
says 'toy.lal: found a model without a pretrained encoder, expected a file of lal model import'
expect 'too many layers' 1 "$lal" train $data $tiny --pretrained enc.lal --pretrained-layers 3 --out no.lal
says 'enc.lal: found a pretrained encoder of 2 layers, expected at least 3'
expect 'layers of nothing' 2 "$lal" train $data $tiny --pretrained-layers 3 --out no.lal
says 'found --pretrained-layers 3 and no pretrained encoder, expected --pretrained FILE'
absent no.lal
expect 'heads of an encoder alone' 0 "$lal" inspect heads -m enc.lal --gold dev.conllx --gr next --format json
prints '{"head": "pretrained:2:'
prints '"losses": 0'
says '20 sentences, '
no_leftovers
finish
