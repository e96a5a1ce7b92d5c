#!/usr/bin/env python3
"""cut_heads.py FOLDER OUT HEADS CASE...: writes cases of a folder of recorded numbers (manifest.json,
tests/golden/reference_parity.c) with the first HEADS of their label heads alone to the folder OUT, and prints what its
manifest needs. Standard library only.

Label heads do not depend on each other, so what is recorded up to `out/lal` stays true of the heads that are left, and
files are small. What comes after them is left out: scorers are of the least size, with weights of some of the record.
"""
import json
import struct
import sys

NARROW = {"d_label_hidden": 2, "d_biaffine": 2, "lal_pwff": False}
LABELS, TYPES = 3, 2  # of the scorers


def read(path):
    with open(path, "rb") as f:
        header = json.loads(f.read(struct.unpack("<Q", f.read(8))[0]))
        data = f.read()
    return {name: (t["dtype"], t["shape"], data[slice(*t["data_offsets"])])
            for name, t in header.items() if name != "__metadata__"}


def cut(tensor, sizes):
    """The first rows, columns, ... of a tensor of four-byte numbers."""
    kind, shape, data = tensor
    if len(shape) > 1:
        step = len(data) // shape[0]
        data = b"".join(cut((kind, shape[1:], data[k * step:(k + 1) * step]), sizes[1:])[2] for k in range(sizes[0]))
    return kind, sizes, data[:4 * sizes[0]] if len(shape) == 1 else data


def sizes_of(name, shape, heads, width, tokens):
    """What is left of a tensor; None: nothing."""
    label, hidden, arc = LABELS, NARROW["d_label_hidden"], NARROW["d_biaffine"]
    scorers = {"f_label.0.weight": [hidden, width], "f_label.3.weight": [label - 1, hidden],
               "f_label.3.bias": [label - 1], "dep_score.attention.dep_weight": [arc + 1, arc + 1],
               "dep_score.bilinear.U": [TYPES, hidden, hidden], "dep_score.bilinear.bias": [TYPES],
               "dep_score.bilinear.W_l": [TYPES, hidden], "dep_score.bilinear.W_r": [TYPES, hidden]}
    kind, _, what = name.partition("/")
    if name == "param/embedding.position_table":
        return [tokens] + shape[1:]
    if kind == "input" or name in ("out/embedding", "out/encoder_layer0", "out/encoder_layer1"):
        return shape
    if name == "out/lal":
        return [shape[0], width]
    if name == "out/lal_attention" or what.startswith("encoder.attn_2.w_"):
        return [heads] + shape[1:] if kind in ("out", "param") else None
    if kind != "param" or what.startswith("encoder.ff_2."):
        return None
    if what in scorers:
        return scorers[what]
    if what.startswith("dep_score."):
        narrow = arc if ".arc_" in what else hidden
        return [narrow, width] if what.endswith("weight") else [narrow]
    return [hidden] if what.startswith("f_label.") else shape


def write(path, tensors):
    header, at = {}, 0
    for name, (kind, shape, data) in tensors.items():
        header[name] = {"dtype": kind, "shape": shape, "data_offsets": [at, at + len(data)]}
        at += len(data)
    text = json.dumps(header).encode()
    with open(path, "wb") as f:
        f.write(struct.pack("<Q", len(text)) + text + b"".join(data for _, _, data in tensors.values()))


def main():
    folder, out, heads, names = sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4:]
    with open(f"{folder}/manifest.json", encoding="utf-8") as f:
        cases = {case["name"]: case for case in json.load(f)["cases"]}
    for name in names:
        case, tensors = cases[name], read(f"{folder}/{name}.safetensors")
        width, tokens = heads * case["hparams"]["lal_d_proj"], case["n"] + 2
        kept = {n: (t, sizes_of(n, t[1], heads, width, tokens)) for n, t in tensors.items()}
        write(f"{out}/{name}-cut.safetensors", {n: cut(t, sizes) for n, (t, sizes) in kept.items() if sizes})
        print(json.dumps({"name": f"{name}-cut", "n": case["n"], "words": case["words"], "tags": case["tags"],
                          "hparams": {**case["hparams"], **NARROW, "sentence_max_len": tokens}, "label_heads": heads,
                          "sizes": {**case["sizes"], "labels": LABELS, "types": TYPES}, "training_pass": False,
                          "note": "made by cut_heads.py"}, ensure_ascii=False))


main()
