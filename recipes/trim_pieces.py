#!/usr/bin/env python3
"""trim_pieces.py DIR OUT [--positions N] [--text FILE --least N]: a smaller BERT or MPNet for English.

DIR is a folder with config.json, vocab.txt, tokenizer_config.json and model.safetensors, as lal model import reads it;
OUT gets the same without the pieces that no English text needs: [unused...] and those with letters that are neither
Latin nor Greek, which become the unknown piece. --positions N keeps the first N positions: longer sentences are read in
windows. --text, which may be repeated, also drops pieces of several letters that these texts have less than --least
times: words with them are cut into shorter pieces. All other vectors stay as they are, so text of other pieces has the
same states. Uses the standard library only.
"""
import argparse
import collections
import json
import os
import re
import shutil
import struct
import unicodedata

SIZES = {"F64": 8, "F32": 4, "F16": 2, "BF16": 2, "I64": 8, "I32": 4}


def is_special(piece):
    return len(piece) > 2 and (piece[0] + piece[-1] in ("[]", "<>"))


def is_kept(piece):
    if is_special(piece):
        return not piece.startswith("[unused")
    letters = [c for c in piece if unicodedata.category(c)[0] in "LM"]
    return all(unicodedata.name(c, "").startswith(("LATIN", "GREEK", "MICRO", "COMBINING")) for c in letters)


def pieces_of(word, vocab):
    """Greedy longest match; [] for a word that has no pieces."""
    pieces, at = [], 0
    while at < len(word):
        end = len(word)
        while end > at and ("##" if at else "") + word[at:end] not in vocab:
            end -= 1
        if end == at:
            return []
        pieces.append(("##" if at else "") + word[at:end])
        at = end
    return pieces


def as_tokenized(line, lower):
    """In lower case without accents, if the tokenizer of the encoder does that."""
    if not lower:
        return line
    return "".join(c for c in unicodedata.normalize("NFD", line.lower()) if unicodedata.category(c) != "Mn")


def count(files, vocab, lower):
    """How often texts have each piece."""
    words = collections.Counter()
    for file in files:
        with open(file, encoding="utf-8") as f:
            for line in f:
                words.update(re.findall(r"\w+|[^\w\s]", as_tokenized(line, lower).replace("_", " _ ")))
    times = collections.Counter()
    for word, n in words.items():
        for piece in pieces_of(word, vocab):
            times[piece] += n
    return times


def main():
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    p.add_argument("dir")
    p.add_argument("out")
    p.add_argument("--positions", type=int, default=0)
    p.add_argument("--text", action="append", default=[])
    p.add_argument("--least", type=int, default=1)
    a = p.parse_args()
    with open(os.path.join(a.dir, "vocab.txt"), encoding="utf-8") as f:
        vocab = f.read().split("\n")[:-1]
    with open(os.path.join(a.dir, "config.json"), encoding="utf-8") as f:
        config = json.load(f)
    kept = [k for k, piece in enumerate(vocab) if is_kept(piece)]
    if a.text:
        with open(os.path.join(a.dir, "tokenizer_config.json"), encoding="utf-8") as f:
            times = count(a.text, set(vocab), json.load(f).get("do_lower_case", True))
        kept = [k for k in kept if times[vocab[k]] >= a.least or len(vocab[k].removeprefix("##")) == 1 or
                is_special(vocab[k])]
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
