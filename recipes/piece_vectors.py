#!/usr/bin/env python3
"""piece_vectors.py FOLDER OUT [WIDTH [TEXT]]: word-piece vectors for lal train --vectors.

FOLDER holds model.safetensors of a pretrained encoder and its pieces: vocab.txt (of all-MiniLM-L6-v2, Apache-2.0) or
sentencepiece.bpe.model (of multilingual-e5-small, MIT). Its table of embeddings is reduced to WIDTH dimensions (default
64) by principal components. With TEXT, words separated by white space, there are the pieces that stand within one of
them, and single Chinese characters; without it those in Latin and Greek script. Needs numpy. The program composes words
from these pieces (embeddings/word_vectors.h); a piece of SentencePiece within a word also begins one where its script
has no blanks.
"""
import json
import os
import struct
import sys

import numpy as np

BLANK = "\u2581"  # of SentencePiece, in front of a word
TYPES = {"F16": "<f2", "F32": "<f4"}


def table(path):
    with open(path, "rb") as f:
        size = struct.unpack("<Q", f.read(8))[0]
        header = json.loads(f.read(size))
        name = next(k for k in header if k.endswith("word_embeddings.weight"))
        begin, end = header[name]["data_offsets"]
        f.seek(8 + size + begin)
        x = np.frombuffer(f.read(end - begin), dtype=TYPES[header[name]["dtype"]])
        return x.reshape(header[name]["shape"])


def fields(data):
    """Fields of a protobuf message: number and value, bytes where they have a length."""
    def number(at):
        value = shift = 0
        while True:
            value |= (data[at] & 127) << shift
            shift, at = shift + 7, at + 1
            if data[at - 1] < 128:
                return value, at
    at = 0
    while at < len(data):
        key, at = number(at)
        if key & 7 == 0:
            value, at = number(at)
        else:
            size, at = number(at) if key & 7 == 2 else ((4 if key & 7 == 5 else 8), at)
            value, at = data[at:at + size], at + size
        yield key >> 3, value


def wordpieces(folder):
    """Pieces by row, as WordPiece writes them: a word's beginning, or "##" and what follows; several or none a row."""
    if os.path.exists(f"{folder}/vocab.txt"):
        with open(f"{folder}/vocab.txt", encoding="utf-8") as f:
            return [[] if p[0] == "[" and len(p) > 1 else [p] for p in f.read().split("\n")[:-1]]
    with open(f"{folder}/sentencepiece.bpe.model", "rb") as f:
        entries = [dict(fields(value)) for number, value in fields(f.read()) if number == 1]
    rows = [[]] * 4  # <s>, <pad>, </s>, <unk>
    for piece in (e[1].decode() for e in entries[3:]):
        inside = piece.lstrip(BLANK)
        if not inside:
            rows.append([])
        elif piece != inside:
            rows.append([inside])
        else:
            rows.append(["##" + piece] + ([piece] if all(ord(c) >= 0x2E80 for c in piece) else []))
    return rows


def body(piece):
    return piece[2:] if piece.startswith("##") and len(piece) > 2 else piece


def wanted(text):
    """Whether a piece is to be kept, as a function."""
    if not text:
        return lambda p: all(ord(c) < 0x250 or 0x370 <= ord(c) < 0x400 or 0x2000 <= ord(c) < 0x2300 for c in p)
    with open(text, encoding="utf-8") as f:
        words = set(f.read().split())
    parts = {w[i:j] for w in words for i in range(len(w)) for j in range(i + 1, len(w) + 1)}
    return lambda p: p in parts or (len(p) == 1 and "\u3400" <= p <= "\u9fff")


def main():
    folder, out = sys.argv[1:3]
    width = int(sys.argv[3]) if len(sys.argv) > 3 else 64
    keep = wanted(sys.argv[4] if len(sys.argv) > 4 else None)
    rows = {i: row for i, row in enumerate(wordpieces(folder)) if row and keep(body(row[0]))}
    x = table(f"{folder}/model.safetensors")[list(rows)].astype(np.float64)
    x -= x.mean(0)
    scale, axes = np.linalg.eigh(x.T @ x)  # ascending
    kept = scale[-width:].sum() / scale.sum()
    print(f"{len(rows)} pieces, {kept:.3f} of the variance kept", file=sys.stderr)
    written = set()
    with open(out, "w", encoding="utf-8") as f:
        for row, y in zip(rows.values(), x @ axes[:, :-width - 1:-1]):
            for p in (p for p in row if p not in written):
                f.write(p + " " + " ".join(f"{v:.4g}" for v in y) + "\n")
            written.update(row)


if __name__ == "__main__":
    main()
