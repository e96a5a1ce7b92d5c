#!/usr/bin/env python3
"""trim_pieces.py DIR OUT [--positions N]: a smaller BERT or MPNet for English. Standard library only.

DIR is a folder with config.json, vocab.txt, tokenizer_config.json and model.safetensors, as lal import reads it; OUT
gets the same without the pieces that no English text needs: [unused...] and those with letters that are neither Latin
nor Greek, which become the unknown piece. --positions N keeps the first N positions: longer sentences are read in
windows. All other vectors stay as they are, so text of other pieces has the same states.
"""
import argparse
import json
import os
import shutil
import struct
import unicodedata

SIZES = {"F64": 8, "F32": 4, "F16": 2, "BF16": 2, "I64": 8, "I32": 4}


def is_kept(piece):
    if piece.startswith("[") and piece.endswith("]") and len(piece) > 2:
        return not piece.startswith("[unused")
    letters = [c for c in piece if unicodedata.category(c)[0] in "LM"]
    return all(unicodedata.name(c, "").startswith(("LATIN", "GREEK", "MICRO", "COMBINING")) for c in letters)


def main():
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    p.add_argument("dir")
    p.add_argument("out")
    p.add_argument("--positions", type=int, default=0)
    a = p.parse_args()
    with open(os.path.join(a.dir, "vocab.txt"), encoding="utf-8") as f:
        vocab = f.read().split("\n")[:-1]
    with open(os.path.join(a.dir, "config.json"), encoding="utf-8") as f:
        config = json.load(f)
    kept = [k for k, piece in enumerate(vocab) if is_kept(piece)]
    # MPNet's position 0 and 1 are not of words, so it has two rows more than positions.
    more = config["max_position_embeddings"] - 512 if config["model_type"] == "mpnet" else 0
    positions = a.positions + more if a.positions else config["max_position_embeddings"]
    rows = {"word_embeddings.weight": kept, "position_embeddings.weight": range(positions)}

    os.makedirs(a.out, exist_ok=True)
    with open(os.path.join(a.dir, "model.safetensors"), "rb") as f:
        size = struct.unpack("<Q", f.read(8))[0]
        header, base = json.loads(f.read(size)), 8 + size
        data, new = [], {}
        at = 0
        for name, t in header.items():
            if name == "__metadata__" or name.endswith("position_ids"):
                continue
            f.seek(base + t["data_offsets"][0])
            value = f.read(t["data_offsets"][1] - t["data_offsets"][0])
            keep = next((r for end, r in rows.items() if name.endswith(end)), None)
            shape = list(t["shape"])
            if keep is not None:
                width = shape[1] * SIZES[t["dtype"]]
                value = b"".join(value[k * width:(k + 1) * width] for k in keep)
                shape[0] = len(keep)
            new[name] = {"dtype": t["dtype"], "shape": shape, "data_offsets": [at, at + len(value)]}
            at += len(value)
            data.append(value)
    config.update(vocab_size=len(kept), max_position_embeddings=positions)
    new = json.dumps(new).encode()
    with open(os.path.join(a.out, "model.safetensors"), "wb") as f:
        f.write(struct.pack("<Q", len(new)) + new)
        f.writelines(data)
    with open(os.path.join(a.out, "vocab.txt"), "w", encoding="utf-8") as f:
        f.writelines(vocab[k] + "\n" for k in kept)
    with open(os.path.join(a.out, "config.json"), "w", encoding="utf-8") as f:
        json.dump(config, f, indent=2)
    for name in ("tokenizer_config.json", "special_tokens_map.json"):
        if os.path.exists(os.path.join(a.dir, name)):
            shutil.copy(os.path.join(a.dir, name), a.out)
    print("%s: %d of %d pieces, %d positions" % (a.out, len(kept), len(vocab), positions))


if __name__ == "__main__":
    main()
