#!/bin/sh
# cuda.sh BUILD-FOLDER: the commands with --device cuda, by a lal whose GPU is emulated (tests/cuda/emulator.h), against
# --device cpu: words are the same, numbers alike; and what it writes is the same in every order of the GPU's threads.
. "$(dirname "$0")/harness.sh"
make_toy
emulated=$build/tests/cuda/lal
if [ ! -x "$emulated" ]; then # a build for real GPUs
    echo 'skipped: no emulated CUDA in this build'
    finish
    exit
fi

# Emulation is slow.
few="--train few.trees --train-deps few.conllx --dev few.trees --dev-deps few.conllx --name few"
"$build/tests/support/make_treebank" 6 3 few || exit 1

cat >alike.py <<'END'
import re, sys
number = re.compile(r'(-?\d+\.?\d*(?:e[-+]?\d+)?)')
a, b = (number.split(open(f).read()) for f in sys.argv[1:])
assert a[::2] == b[::2], 'other words'
off = max([abs(x - y) / (1 + abs(x)) for x, y in zip(map(float, a[1::2]), map(float, b[1::2]))] + [0])
assert off < 1e-3, f'a number differs by {off}'
END

# alike NAME COMMAND...: the same output on the CPU and on CUDA
alike() {
    what=$1; shift
    expect "$what on the CPU" 0 "$lal" "$@" --device cpu
    mv out cpu
    expect "$what on CUDA" 0 "$emulated" "$@" --device cuda
    [ -s out ] || complain 'no output'
    python3 alike.py cpu out || complain 'other output than on the CPU'
}
expect 'the devices' 0 "$emulated" model info --devices
prints 'cuda:0    '
alike 'parse' parse --products f32 -m toy.lal --format conllu text
alike 'why' parse -m toy.lal --format json --why text
alike 'eval' eval --products f32 -m toy.lal --gold few.trees --gold-deps few.conllx
alike 'inspect' inspect -m toy.lal text
alike 'heads' inspect heads -m toy.lal --gold few.trees --gold-deps few.conllx
for m in small base; do alike "$m" parse --products f32 -m "$root/models/en-$m.lal" -f json --deps stanford text; done
expect 'a GPU if there is one' 0 "$emulated" parse -m toy.lal --device auto text
[ -s err ] && complain 'it has one and should say nothing'

# same_weights A B: what follows the JSON that a file of safetensors begins with, in which the seconds of training are.
tensors() { tail -c +$(($(od -An -tu8 -N8 "$1" | tr -d ' ') + 9)) "$1"; }
same_weights() {
    tensors "$1" >tensors.1
    tensors "$2" >tensors.2
    [ -s tensors.1 ] && cmp -s tensors.1 tensors.2
}

# trained NAME SEED COMMAND...: with threads of the GPU in another order
trained() {
    what=$1 EMULATOR_SEED=$2; shift 2
    export EMULATOR_SEED
    expect "$what" "$status_wanted" "$emulated" "$@"
}
small="$tiny --batch-size 3 --subbatch-tokens 30"
status_wanted=0
trained 'training' 1 train $few $small --max-updates 4 --out a.lal --device cuda
trained 'in another order' 2 train $few $small --max-updates 4 --threads 1 --out b.lal --device cuda
same_weights a.lal b.lal || complain 'another model'
status_wanted=1
trained 'stopping' 3 train $few $small --max-updates 4 --out c.lal --stop-at-step 2 --device cuda
status_wanted=0
trained 'resuming' 4 train --resume c.lal.ckpt --device cuda
same_weights a.lal c.lal || complain 'another model'
alike 'the model' parse --products f32 -m a.lal text
printf 'a\tThe old river .\nb\tThe new code .\n' >classes.tsv
# What memory is needed is known before the first update.
status_wanted=1
export EMULATOR_MEMORY=33 # of which 32 are a thread's workspace
trained 'training in 33 MiB' 1 train $few $small --max-updates 1 --threads 1 --out little.lal --device cuda
says 'out of memory on cuda before the first update: sub-batches need '
says ' MiB are free; lower --threads, --subbatch-tokens or --max-train-words'
[ -e little.lal ] && complain 'a model was written'
trained 'two threads' 1 train $few $small --max-updates 1 --threads 2 --out little.lal --device cuda
says 'out of memory on cuda: each thread needs 32 MiB for products; lower --threads'
unset EMULATOR_MEMORY
status_wanted=0
trained 'a classifier' 1 train --task classify --train classes.tsv $small --epochs 1 --out classes.lal --device cuda
alike 'classes' classify -m classes.lal --format json text
trained 'an encoder' 1 train --task detect --train text $small --epochs 1 --out pretrained.lal --device cuda
trained 'beginning with it' 1 train $few --init pretrained.lal --batch-size 6 --max-updates 1 --out d.lal --device cuda
printf '{"encoder_options": {"gates": {"kind": "constant", "constant": [1, 0]}}}' >gates.json
trained 'with gates' 1 train $few $small --max-updates 1 --encoder-options gates.json --out gates.lal --device cuda

# ---- every kind of option: the losses of a run
cat >everything.json <<'END'
{"encoder_options": {
  "heads": [{"heads": [0], "pattern": "next", "use": "guide"},
    {"heads": [1], "pattern": ["seprat", "rel_pos"], "use": "mask"},
    {"stack": "label", "heads": [0], "pattern": "rare_w", "use": "mask"},
    {"stack": "label", "heads": [1], "pattern": "delim", "use": "guide"},
    {"stack": "pal", "heads": [0], "pattern": "prev", "use": "fixed"}],
  "gates": {"kind": "hard_concrete", "stacks": ["self", "label"], "log_alpha_init": 0.5},
  "pal": {"layers": "all", "width": 8, "heads": 2}}}
END
for d in cpu cuda; do
    trained "options on $d" 1 train $few $small --max-updates 4 --encoder-options everything.json --out e.$d.lal \
        --log $d.jsonl --device $d
    grep -o '"loss": {[^}]*}' $d.jsonl >$d.losses
done
[ -s cpu.losses ] || complain 'no losses in the log'
python3 alike.py cpu.losses cuda.losses || complain 'other losses than on the CPU'
alike 'pruning' model prune -m gates.lal --gold few.trees --gold-deps few.conllx --out pruned.lal
prints ' the same parses'
finish
