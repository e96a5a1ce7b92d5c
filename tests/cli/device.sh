#!/bin/sh
# device.sh BUILD-FOLDER: --device of each command that computes, and lal model info --devices, on a machine without a
# GPU that this program can use; with one, only --device cpu and the messages are tested (tests/cuda/run does the rest).
. "$(dirname "$0")/harness.sh"
make_toy
unset CUDA_VISIBLE_DEVICES
expect 'the list of devices' 0 "$lal" model info --devices
prints 'cpu       '
prints 'products by '
gpu=no
grep -q '^cuda:0' out && gpu=yes
[ $gpu = yes ] || prints 'cuda      none: '
expect 'as JSON' 0 "$lal" model info --devices --format json
prints '{"devices": [{"device": "cpu", "threads": '
python3 -m json.tool out >/dev/null || complain 'no JSON'
expect 'devices of a model' 2 "$lal" model info --devices -m toy.lal
says '--devices: found the model toy.lal, expected none'

printf '{"variants": {"plain": {}, "other": {"model": {"d_ff": 16}}}, "reference": "plain", "seeds": [1]}\n' >plan.json
# each NAME STATUS DEVICE: a command with --device
each() {
    expect "$1: parse" "$2" "$lal" parse -m toy.lal --device "$3" text
    cp err parse.err
    cp out parse.out
    [ $# -eq 4 ] || return 0
    for command in "eval -m toy.lal --gold dev.trees --gold-deps dev.conllx" \
        "train $data $tiny --max-updates 1 --out new.lal" "inspect -m toy.lal text" \
        "inspect heads -m toy.lal --gold dev.trees --gold-deps dev.conllx --importance none" \
        "bench -m toy.lal --only sgemm" "model prune -m toy.lal --gold dev.trees --out pruned.lal" \
        "ablate plan.json $data --test dev.trees --out runs" \
        "classify -m toy.lal text" "train --task classify --train dev.trees" "train --task detect --train text"; do
        expect "$1: $command" "$2" "$lal" $command --device "$3"
        says "$4"
    done
}
each 'an unknown device' 2 gpu "--device: found 'gpu', expected cpu, cuda, cuda:N or auto"
each 'no number' 2 cuda:x "--device: found 'cuda:x', expected cpu, cuda, cuda:N or auto"
if [ $gpu = no ]; then
    each 'no GPU' 1 cuda '--device cuda: '
    each 'no GPU 3' 1 cuda:3 '--device cuda:3: '
    absent new.lal
    absent pruned.lal
    each 'a GPU or the CPU' 0 auto
    [ "$(grep -c '^the CPU computes: ' parse.err)" -eq 1 ] || { complain 'it should say why, once'; cat parse.err; }
    cp parse.out auto
    each 'the CPU' 0 cpu
    cmp -s auto parse.out || complain 'auto parses otherwise than cpu'
else
    each 'no GPU 99' 1 cuda:99 '--device cuda:99: '
fi
expect 'products that the CPU lacks' 1 "$lal" parse -m toy.lal --products tf32 text
says 'products in tf32: the CPU has none, a GPU has'

# ---- products that nobody chose: bf16 where the CPU is fast with it, and f32 to explain
parsed() { # FILE OPTIONS...
    to=$1; shift
    expect "parse $*" 0 "$lal" parse -m toy.lal --format json "$@" text
    cp out "$to"
}
parsed auto
for p in f32 bf16 int8; do # without oneDNN there is f32 alone
    [ $p = f32 ] || "$lal" model info --devices | grep -q oneDNN || continue
    parsed $p --products $p
done
fast=f32
"$lal" model info --devices --format json | grep -q '"bf16": true' && fast=bf16
cmp -s auto $fast || complain "not those of $fast"
[ $fast = f32 ] || ! cmp -s auto f32 || complain 'bf16 changed no number'
parsed why --why
parsed why.f32 --why --products f32
cmp -s why why.f32 || complain 'not explained in f32'
finish
