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

# ---- products that nobody chose: of a file in 8 bits int16, of others bf16 where the CPU has it; and f32 to explain
parsed() { # FILE OPTIONS...
    to=$1; shift
    expect "parse $*" 0 "$lal" parse -m toy.lal --format json --deps stanford "$@" text
    cp out "$to"
}
"$lal" model info --devices --format json >devices || complain 'model info --devices'
levels=$(sed -n 's/.*"levels": \[\([^]]*\)\].*/\1/p' devices | tr -d '",')
[ "$levels" ] || complain 'no levels'
fast=f32
case $(sed -n 's/.*"level": "\([^"]*\)".*/\1/p' devices) in *bf16* | *amx*) fast=bf16 ;; esac
parsed auto
for p in f32 $fast int16 int8; do parsed $p --products $p; done
cmp -s auto $fast || complain "not those of $fast"
for p in $fast int16 int8; do [ $p = f32 ] || ! cmp -s $p f32 || complain "$p changed no number"; done
"$lal" model quantize -m toy.lal -o eight.lal >/dev/null || complain 'quantize'
plain=${levels##* } # a level without bf16; products of bytes, which not all levels have, change more printed digits
case " $levels " in *' x86-64-v3 '*) plain=x86-64-v3 ;; esac
for p in auto f32; do
    expect "8 bits, $p" 0 env LAL_CPU=$plain "$lal" parse -m eight.lal --format json --products $p \
        --deps stanford --input brackets dev.trees
    cp out eight.$p
done
! cmp -s eight.auto eight.f32 || complain 'a file in 8 bits is not parsed in whole numbers'

expect 'bf16 on a processor without it' 1 env LAL_CPU=$plain "$lal" parse -m toy.lal --products bf16 text
says ', expected x86-64-v4-bf16 or a GPU; --products f32 needs neither'

# ---- levels: each one that the processor has parses alike, another one is refused
for level in $levels; do
    expect "on $level" 0 env LAL_CPU="$level" "$lal" parse -m toy.lal --products f32 --format brackets text
    [ -e trees ] || cp out trees
    cmp -s trees out || complain "other trees on $level"
    env LAL_CPU="$level" "$lal" model info --devices | grep -q "kernels for $level" || complain "not on $level"
done
expect 'a level that there is not' 1 env LAL_CPU=x86-64-v9 "$lal" parse -m toy.lal text
says "LAL_CPU: found 'x86-64-v9', expected "
parsed auto
parsed why --why
parsed why.f32 --why --products f32
cmp -s why why.f32 || complain 'not explained in f32'
finish
