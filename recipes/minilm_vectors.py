#!/usr/bin/env python3
"""minilm_vectors.py FOLDER OUT [WIDTH]: word-piece vectors for lal train --vectors.

FOLDER holds model.safetensors and vocab.txt of sentence-transformers/all-MiniLM-L6-v2 (Apache-2.0). Its table of
word-piece embeddings is reduced to WIDTH dimensions (default 64) by principal components; pieces in scripts other than
Latin and Greek are left out. Needs numpy. The program composes words from these pieces (embeddings/word_vectors.h).
"""
import json
import struct
import sys

import numpy as np


def table(path):
    with open(path, "rb") as f:
        size = struct.unpack("<Q", f.read(8))[0]
        header = json.loads(f.read(size))
        name = next(k for k in header if k.endswith("word_embeddings.weight"))
        begin, end = header[name]["data_offsets"]
        f.seek(8 + size + begin)
        return np.frombuffer(f.read(end - begin), dtype="<f4").reshape(header[name]["shape"]).astype(np.float64)


def wanted(piece):
    body = piece[2:] if piece.startswith("##") and len(piece) > 2 else piece
    special = piece.startswith("[") and len(piece) > 1
    return not special and all(ord(c) < 0x250 or 0x370 <= ord(c) < 0x400 or 0x2000 <= ord(c) < 0x2300 for c in body)


def main():
    folder, out = sys.argv[1:3]
    width = int(sys.argv[3]) if len(sys.argv) > 3 else 64
    with open(f"{folder}/vocab.txt", encoding="utf-8") as f:
        pieces = [line.rstrip("\n") for line in f]
    rows = [i for i, piece in enumerate(pieces) if wanted(piece)]
    x = table(f"{folder}/model.safetensors")[rows]
    x -= x.mean(0)
    _, scale, axes = np.linalg.svd(x, full_matrices=False)
    kept = (scale[:width] ** 2).sum() / (scale ** 2).sum()
    print(f"{len(rows)} pieces, {kept:.3f} of the variance kept", file=sys.stderr)
    with open(out, "w", encoding="utf-8") as f:
        for i, y in zip(rows, x @ axes[:width].T):
            f.write(pieces[i] + " " + " ".join(f"{v:.4g}" for v in y) + "\n")


if __name__ == "__main__":
    main()
