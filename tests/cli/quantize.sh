#!/bin/sh
# quantize.sh BUILD-FOLDER: `lal model quantize`, and `--store i8` of `lal train`: files of another number format are
# the same model.
. "$(dirname "$0")/harness.sh"

make_toy
size() { wc -c <"$1"; }
quantize() { # NAME STATUS FROM TO DTYPE
    expect "$1" "$2" "$lal" model quantize -m "$3" --out "$4" --dtype "$5"
}
parses() { # MODEL: to MODEL.json
    expect "parses of $1" 0 "$lal" parse --products f32 --model "$1" --input brackets -f json --deps stanford dev.trees
    cp out "$1.json"
}

# ---- smaller, and the same parses but for rounding
quantize 'to i8' 0 toy.lal i8.lal i8
grep -qE '^toy.lal: [0-9]+ bytes, F32 [0-9]+$' out || { complain 'no line of the first file'; cat out; }
prints "i8.lal: $(size i8.lal) bytes, F16 "
grep -qE '^weights differ by at most 0\.[0-9]+, root mean square 0\.0[0-9]+ \([1-9]\.[0-9]+ % of the weights' out ||
    { complain 'no difference, or a large one'; cat out; }
quantize 'to f16' 0 toy.lal f16.lal f16
[ $(($(size i8.lal) * 10)) -lt $(($(size f16.lal) * 8)) ] || complain 'i8.lal is not smaller than f16.lal'
expect 'scores of both' 0 "$lal" eval -m toy.lal -m i8.lal --gold dev.trees --gold-deps dev.conllx --samples 100
awk '/^(F1|UAS|LAS) / && ($4 >= 3 || $4 <= -3) { exit 1 }' out || { complain 'other scores'; cat out; }

quantize 'to i4' 0 toy.lal i4.lal i4
prints "i4.lal: $(size i4.lal) bytes, F16 "
[ "$(size i4.lal)" -lt "$(size i8.lal)" ] || complain 'i4.lal is not smaller than i8.lal'
quantize 'i4 again' 0 i4.lal again.lal i4
cmp -s i4.lal again.lal || complain 'other bytes'
parses i4.lal

# ---- stored again, also as exact numbers in between, nothing changes
quantize 'again' 0 i8.lal again.lal i8
prints 'weights differ by at most 0, root mean square 0 (0 % of the weights'
cmp -s i8.lal again.lal || complain 'other bytes'
quantize 'to f32' 0 i8.lal f32.lal f32
prints 'weights differ by at most 0,'
parses i8.lal
parses f32.lal
cmp -s i8.lal.json f32.lal.json || complain 'f32.lal parses otherwise'
quantize 'in place' 0 f32.lal f32.lal i8
cmp -s i8.lal f32.lal || complain 'other bytes'
quantize 'f32 to f32' 0 toy.lal same.lal f32
cmp -s toy.lal same.lal || complain 'not the same file'

# ---- lal model info
expect 'info' 0 "$lal" model info -m i8.lal
prints "stored      $(size i8.lal) bytes, F16 "
expect 'info as JSON' 0 "$lal" model info --format json -m i8.lal
prints "\"bytes\": $(size i8.lal), \"stored\": {\"F16\": "
cp out narrow
expect 'info of the first file' 0 "$lal" model info --format json -m toy.lal
for f in out narrow; do # all else is the same
    sed -E 's/"(path|checksum)": "[^"]*"//g; s/"bytes": [0-9]+, "stored": \{[^}]*\}//' "$f" >"$f.rest"
done
cmp -s out.rest narrow.rest || complain 'another model'

# ---- training writes what lal model quantize writes, and the checkpoint stays exact
expect 'train' 0 "$lal" train $data $tiny --out trained.lal --store i8 --quiet
cmp -s trained.lal i8.lal || { # the summary has the time
    expect 'info of it' 0 "$lal" model info --format json -m trained.lal
    sed -E 's/"(path|checksum)": "[^"]*"//g; s/"bytes".*//' out >trained.rest
    sed -E 's/"bytes".*//' narrow | sed -E 's/"path": "[^"]*"//' | cmp -s - trained.rest || complain 'another model'
}
parses trained.lal
cmp -s i8.lal.json trained.lal.json || complain 'trained.lal parses otherwise'
# rounded weights are what the network learns with and what is scored, so the log has the scores of the file
expect 'train rounded' 0 "$lal" train $data $tiny --out rounded.lal --store i4 --rounded --log rounded.jsonl --quiet
logged=$(grep '"best": true' rounded.jsonl | sed -n '$s/.*"f1": \([0-9.]*\).*/\1/p')
expect 'scores of the file' 0 "$lal" eval -m rounded.lal --gold dev.trees --gold-deps dev.conllx --treebank toy \
    --products f32
prints "F1 $logged "
expect 'rounded to nothing' 1 "$lal" train $data $tiny --out none.lal --rounded --quiet
says 'rounded: found weights stored as f32 (--store), expected fewer bits'
absent none.lal
expect 'train without rounding' 0 "$lal" train $data $tiny --out exact.lal --store i4 --quiet
cmp -s rounded.lal exact.lal && complain 'the weights were not rounded'
quantize 'a checkpoint' 1 trained.lal.ckpt x.lal i8
says 'lal model quantize: trained.lal.ckpt: found a checkpoint, which stays exact, expected a model'
absent x.lal

# ---- errors leave the file as it was
cp i8.lal before.lal
expect 'no model' 2 "$lal" model quantize --out x.lal
says 'found no --model, expected --model and --out'
expect 'no output' 2 "$lal" model quantize -m toy.lal
says 'found no --out'
quantize 'an unknown format' 2 toy.lal i8.lal i5
quantize 'no file' 1 none.lal i8.lal i8
head -c 3000 toy.lal >cut.lal
quantize 'a file that was cut' 1 cut.lal i8.lal i8
says 'cut.lal: found the first 3000 bytes of a model, expected more than '
cmp -s i8.lal before.lal || complain 'the output was changed'
quantize 'a folder' 1 toy.lal none/x.lal i8
no_leftovers
# Weights of joint trees, fitted to gold.
fit() { expect "weights, $*" 0 "$lal" model calibrate -m toy.lal --gold dev.trees --gold-deps dev.conllx "$@"; }
fit --out fitted.lal
cp out weights
awk '/^span / { found = $2 > 0 && $4 > 0 && $6 == 20 && $9 > 0 } /^-log p/ { less = $6 + 0 < $10 + 0 }
    END { exit !(found && less) }' out || complain 'the likelihood should rise'
fit --threads 3 --out three.lal
cmp out weights || complain 'weights depend on the number of threads'
expect 'weights in the file' 0 "$lal" model info -m fitted.lal
prints "joint trees weights of spans $(sed -n 's/^span \([0-9.]*\), arc \([0-9.]*\),.*/\1 and arcs \2/p' weights)"
prints 'fitted to 20 sentences'
prints 'calibrated F1 fitted to 20 sentences'
expect 'calibrated F1' 0 "$lal" parse -m fitted.lal --input brackets -f json --confidence --fields confidence dev.trees
[ "$(grep -c '"expected_f1": [0-9.]*, "calibrated_f1": [0-9.]*, "expected_las"' out)" -eq 20 ] ||
    complain 'calibrated F1 of each sentence'
expect 'and in CoNLL-U' 0 "$lal" parse -m fitted.lal --input brackets -f conllu --confidence dev.trees
[ "$(grep -c '^# calibrated_f1 = ' out)" -eq 20 ] || complain 'calibrated F1 of each sentence'
expect 'as a measure' 0 "$lal" eval -m fitted.lal --gold dev.trees --gold-deps dev.conllx --risk-coverage \
    --products f32
[ "$(sed -n 's/^calibrated F1 .*calibration error \([0-9.]*\),.*/\1/p' out)" = \
    "$(sed -n 's/^calibration error of F1 \([0-9.]*\), .*/\1/p' weights)" ] || complain 'the error that the fit reports'
for m in toy fitted; do "$lal" parse -m $m.lal --input brackets -f soft dev.trees >$m.soft; done
cmp toy.soft fitted.soft || complain 'all else in the file should stay'
expect 'weights of a smaller file' 0 "$lal" model quantize -m fitted.lal --out fitted8.lal
expect 'they stay' 0 "$lal" model info -m fitted8.lal
prints 'fitted to 20 sentences'
expect 'weights of a model that has some' 0 "$lal" model calibrate -m fitted.lal --gold dev.trees \
    --gold-deps dev.conllx --out again.lal
for f in weights out; do sed 's/ in [0-9]* steps//; s/\(\.[0-9]\)[0-9]*/\1/g' $f >$f.short; done
cmp out.short weights.short || complain 'the weights depend on where the search begins'
expect 'no file to write' 2 "$lal" model calibrate -m toy.lal --gold dev.trees --gold-deps dev.conllx
says 'found no --out, expected --model, --gold, --gold-deps and --out'
expect 'another treebank' 2 "$lal" model calibrate -m toy.lal --gold dev.trees --gold-deps dev.conllx --treebank no \
    --out no.lal
says "--treebank: found 'no', which the model does not know"
"$lal" train --train train.trees --train-deps train.conllx $tiny --epochs 1 --grammar 0.1 --out grammar.lal >log 2>&1
for trees in train dev; do
    expect "a grammar of $trees.trees" 0 "$lal" model calibrate -m grammar.lal --gold dev.trees --gold-deps dev.conllx \
        --count $trees.trees --out $trees.lal
    "$lal" parse -m $trees.lal --input brackets -f conllu --kbest 3 dev.trees >$trees.best
done
"$lal" parse -m grammar.lal --input brackets -f conllu --kbest 3 dev.trees | cmp - train.best ||
    complain 'the same trees give the same grammar'
! cmp -s train.best dev.best || complain 'other trees give another one'
"$lal" train --train none --train-deps train.conllx $tiny --epochs 1 --out arcs.lal >/dev/null 2>&1
expect 'a model without phrases' 1 "$lal" model calibrate -m arcs.lal --gold dev.trees --gold-deps dev.conllx \
    --out no.lal
says 'found a model without joint trees, expected phrases and arcs in one'
absent no.lal
finish
