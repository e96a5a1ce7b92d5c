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

times = {"median_ms", "p95_ms", "longest_ms"}
speed = {"threads", "words_per_s", "words", "seconds"}
parse = speed | {"sentences_per_s", "sentences"}
products = {"gemm_share", "gemm_gflops"}
members = {
    "tokenize": {"mb_per_s", "mb", "tokens", "sentences", "seconds"},
    "load": {"model", "seconds", "parameters"},
    "start": {"model", "starts"} | times,
    "sentence": {"model", "sentences"} | times,
    "parse-shipped": {"model"} | parse,
    "why": {"model", "phrases", "arcs", "phrases_and_arcs", "rounds"},
    "parse-paper": parse,
    "train": {"preset", "batch_size"} | speed,
    "sgemm": {"gflops"},
    "decode": {"n", "ms", "mean_ms", "mib", "marginals_ms", "mean_marginals_ms"},
}
device, levels, models = sys.argv[1], sys.argv[2].split(","), sys.argv[3].split(",")
found = []
for line in open("out"):
    x = json.loads(line)
    found.append((x["level"], x["name"], x.get("model")))
    more = {"name", "level", "products", "peak_mib"}
    if device == "gpu":
        more.add("gpu")
    elif x["name"].startswith("parse-") and x["threads"] == 1:
        more |= products
    assert set(x) == members[x["name"]] | more, line
    assert all(v > 0 for v in x.values() if isinstance(v, (int, float))), line
    assert x["products"] == ("f32" if x["name"] in ("sgemm", "train") else "auto"), line
    if "median_ms" in x:
        assert x["median_ms"] <= x["p95_ms"] <= x["longest_ms"], line
    if device == "gpu":
        g = x["gpu"]
        # the emulator's kernels take a millisecond
        assert abs(g["kernel_seconds"] - g["launches"] / 1000) < 1e-3, line
        assert abs(g["product_share"] - g["products"] / g["launches"]) < 1e-3, line
        assert 0 < g["products"] < g["launches"] and g["product_tflops"] > 0, line
        assert g["uploaded_mib"] > 0 and g["downloaded_mib"] > 0 and 0 < g["peak_mib"] <= g["reserved_mib"], line
        assert sum(k["launches"] for k in g["kernels"]) <= g["launches"] and len(g["kernels"]) == 8, line
# one line after the other: each level, in it each measurement, of it each model
lines = []
for level in levels:
    for name in sys.argv[4:]:
        lines += [(level, name, model if "model" in members[name] else None)
                  for model in (models if "model" in members[name] else [None])]
distinct = [f for k, f in enumerate(found) if k == 0 or f != found[k - 1]]
assert distinct == lines, "%s, expected %s" % (distinct, lines)
END
train="--only train --preset tiny.json --train train.trees --train-deps train.conllx --seconds 0.1 --threads 1"
parse="--only parse-shipped -m toy.lal --text text --seconds 0.1"
TMPDIR=$work/folders
export TMPDIR
mkdir folders
levels=$("$lal" model info --devices -f json | python3 -c '
import json, sys
cpu = json.load(sys.stdin)["devices"][0]
print(cpu["level"], ",".join(cpu["levels"]))')
level=${levels% *} levels=${levels#* }
# measured LINES CPU-OR-GPU LEVELS MODELS MEASUREMENTS COMMAND...
measured() {
    n=$1 device=$2 at=$3 models=$4 measurements=$5
    shift 5
    expect "$measurements on the $device" 0 "$@"
    lines "$n"
    python3 check.py "$device" "$at" "$models" $measurements || complain 'other lines or members expected'
}
measured 1 cpu "$level" toy.lal train "$lal" bench $train
measured 2 cpu "$level" toy.lal parse-shipped "$lal" bench $parse
measured 3 cpu "$level" small,base,large sentence "$lal" bench --only sentence --text text --seconds 0.01
measured 3 cpu "$level" small,base,large start "$lal" bench --only start --seconds 0.01
measured 1 cpu "$level" toy.lal tokenize "$lal" bench --only tokenize --text text --seconds 0.01
n=$(echo "$levels" | tr , '\n' | wc -l)
measured $((2 * n)) cpu "$levels" toy.lal parse-shipped "$lal" bench $parse --levels
expect 'a level that is named' 0 env "LAL_CPU=${levels##*,}" LAL_MODEL=toy.lal "$lal" bench --only start --seconds 0.01
python3 check.py cpu "${levels##*,}" toy.lal start || complain 'other lines or members expected'
emulated=$build/tests/cuda/lal
if [ -x "$emulated" ]; then
    measured 1 gpu "$level" toy.lal train "$emulated" bench --device cuda $train
    measured 2 gpu "$level" toy.lal parse-shipped "$emulated" bench --device cuda $parse
    measured 1 gpu "$level" toy.lal parse-paper env LAL_MODEL=toy.lal "$emulated" bench --device cuda \
        --only parse-paper --text text --threads 1 --seconds 0.01
fi
measured 13 cpu "$level" toy.lal 'tokenize load start sentence parse-shipped why parse-paper train sgemm decode' \
    "$lal" bench -m toy.lal --text text --threads 1 --seconds 0.01 --preset tiny.json --train train.trees \
    --train-deps train.conllx
expect 'a process that fails' 1 "$lal" bench -m none.lal --text text --seconds 0.01
says 'lal bench: none.lal: cannot open'
says 'lal bench: a process of lal bench ended with status 1'
lines 1
: >empty
expect 'a text without sentences' 1 "$lal" bench --only sentence -m toy.lal --text empty
says 'empty: found no sentence'
expect 'no such preset' 1 "$lal" bench $train --preset none.json
says 'none.json: cannot open'
expect 'dependencies of other sentences' 1 "$lal" bench $train --train dev.trees --train-deps train.conllx
mkdir -p engines/bin
printf '#!/bin/sh\n[ "$2" = onnxruntime ] && echo 9.9 0.5 0.5\n' >engines/bin/python
chmod +x engines/bin/python
expect 'versus: a level that the processor lacks, an engine that is not there' 0 \
    python3 "$root/tests/bench/versus.py" "$lal" auto "x86-64-v9 $level" 1 text '' engines
says 'x86-64-v9: this processor is not; left out'
says 'OpenVINO, int8: does not run; left out'
prints "| en-base, auto, $level | 2 |"
prints '| all-MiniLM-L6-v2 alone, onnxruntime 9.9, f32 | 1 |'
[ -z "$(ls folders)" ] || complain "$(ls folders) was not removed"
finish
