#!/bin/sh
# bench.sh BUILD-FOLDER: the measurements of lal bench, and its counts of a GPU by the program with the emulated device.
. "$(dirname "$0")/harness.sh"
make_toy
cat >tiny.json <<'END'
{"about": "tiny", "model": {"d_model": 32, "n_layers": 1, "n_heads": 2, "d_kv": 16, "d_ff": 48, "n_label_heads": 6,
 "lal_d_kv": 8, "lal_d_proj": 8, "d_label_hidden": 24, "d_arc": 24, "d_type": 12, "d_tag_hidden": 16,
 "affix_buckets": 50, "word_min_count": 1}, "train": {"batch_size": 4, "subbatch_tokens": 100}}
END
cat >check.py <<'END'
import json, sys
for line in open("out"):
    x = json.loads(line)
    assert x["words_per_s"] > 0 and x["words"] > 0 and x["seconds"] > 0, line
    if sys.argv[1] == "cpu":
        assert "gpu" not in x, line
        continue
    g = x["gpu"]
    # the emulator's kernels take a millisecond
    assert abs(g["kernel_seconds"] - g["launches"] / 1000) < 1e-3, line
    assert abs(g["product_share"] - g["products"] / g["launches"]) < 1e-3, line
    assert 0 < g["products"] < g["launches"] and g["product_tflops"] > 0, line
    assert g["uploaded_mib"] > 0 and g["downloaded_mib"] > 0 and 0 < g["peak_mib"] <= g["reserved_mib"], line
    assert sum(k["launches"] for k in g["kernels"]) <= g["launches"] and len(g["kernels"]) == 8, line
END
train="--only train --preset tiny.json --train train.trees --train-deps train.conllx --seconds 0.1 --threads 1"
parse="--only parse-shipped -m toy.lal --text text --seconds 0.1"
TMPDIR=$work/folders
export TMPDIR
mkdir folders
# measured NAME CPU-OR-GPU LINES COMMAND...
measured() {
    what=$1 device=$2 n=$3
    shift 3

    expect "$what" 0 "$@"
    lines "$n"
    python3 check.py "$device" || complain 'other members expected'
}
measured 'training' cpu 1 "$lal" bench $train
measured 'parsing' cpu 2 "$lal" bench $parse
emulated=$build/tests/cuda/lal
if [ -x "$emulated" ]; then
    measured 'training on a GPU' gpu 1 "$emulated" bench --device cuda $train
    measured 'parsing on a GPU' gpu 2 "$emulated" bench --device cuda $parse
fi
expect 'no such preset' 1 "$lal" bench $train --preset none.json
says 'none.json: cannot open'
expect 'dependencies of other sentences' 1 "$lal" bench $train --train dev.trees --train-deps train.conllx
[ -z "$(ls folders)" ] || complain "$(ls folders) was not removed"
finish
