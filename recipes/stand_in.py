#!/usr/bin/env python3
"""stand_in.py KIND DIR: a folder with the files and shapes of a published encoder, and random numbers.

KIND is bert-large or xlnet-large. DIR gets config.json, model.safetensors and the tokenizer (vocab.txt and
tokenizer_config.json; spiece.model), for lal model import. A parser on it shows what memory and time training takes
(docs/PRETRAINED.md), not how well a parser on the published weights parses.
"""
import argparse
import array
import collections
import itertools
import json
import os
import random
import string
import struct
import sys

KINDS = {"bert-large": (24, 1024, 30522), "xlnet-large": (24, 1024, 32000)}  # layers, width, pieces
BERT_SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
XLNET_SPECIAL = ["<unk>", "<s>", "</s>", "<cls>", "<sep>", "<pad>", "<mask>", "<eod>", "<eop>"]
CHARACTERS = string.digits + string.ascii_letters + string.punctuation
BLANK = "\u2581"  # begins a word in SentencePiece
PERIOD = 1000003  # random numbers repeat after so many; a prime, so that no two rows of a table are alike


# ---- pieces

def whole_words(path):
    """The words of a text, split at blanks and punctuation, the most frequent ones first; then made-up ones."""
    counts = collections.Counter()
    if path:
        with open(path, encoding="utf-8", errors="replace") as f:
            for line in f:
                counts.update("".join(c if c.isalnum() else " " for c in line).split())
    yield from (w for w, _ in counts.most_common())
    for n in itertools.count(2):
        yield from ("".join(w) for w in itertools.product(string.ascii_lowercase, repeat=n))


def fill(pieces, words, n):
    """Adds words to the pieces until there are n."""
    if len(pieces) > n:
        sys.exit(f"--pieces: found {n}, expected at least {len(pieces)}")
    known = set(pieces)
    while len(pieces) < n:
        word = next(words)
        if word not in known:
            known.add(word)
            pieces.append(word)
    return pieces


def write_bert_tokenizer(folder, text, n):
    words = (w.lower() for w in whole_words(text))
    small = [c for c in CHARACTERS if not c.isupper()]
    pieces = fill(BERT_SPECIAL + small + ["##" + c for c in small], words, n)
    with open(os.path.join(folder, "vocab.txt"), "w", encoding="utf-8") as f:
        f.writelines(p + "\n" for p in pieces)
    write_json(folder, "tokenizer_config.json", {"tokenizer_class": "BertTokenizer", "do_lower_case": True})


def field(number, wire, data):
    """A field of a protocol buffer: wire type 0 is a number, 2 bytes, 5 four bytes."""
    return varint(number << 3 | wire) + (varint(len(data)) if wire == 2 else b"") + data


def varint(x):
    out = b""
    while x > 127:
        out, x = out + bytes([x & 127 | 128]), x >> 7
    return out + bytes([x])


def write_xlnet_tokenizer(folder, text, n):
    """SentencePiece's ModelProto: 1 pieces (1 text, 2 score, 3 type), 2 trainer_spec (3 model_type), 3 normalizer_spec
    (3 add_dummy_prefix, 4 remove_extra_whitespaces, 5 escape_whitespaces)."""
    words = (BLANK + w for w in whole_words(text))
    pieces = fill(XLNET_SPECIAL + [BLANK] + list(CHARACTERS), words, n)
    out = []
    for k, piece in enumerate(pieces):
        kind = 2 if k == 0 else 3 if k < len(XLNET_SPECIAL) else 1  # unknown, control, normal
        score = 0.0 if kind > 1 else -20.0 if len(piece) == 1 else -5.0 - k / n
        inner = field(1, 2, piece.encode()) + field(2, 5, struct.pack("<f", score)) + field(3, 0, varint(kind))
        out.append(field(1, 2, inner))
    out.append(field(2, 2, field(3, 0, varint(1))))
    out.append(field(3, 2, b"".join(field(k, 0, varint(1)) for k in (3, 4, 5))))
    with open(os.path.join(folder, "spiece.model"), "wb") as f:
        f.writelines(out)
    write_json(folder, "tokenizer_config.json", {"tokenizer_class": "XLNetTokenizer", "do_lower_case": False})


# ---- weights: (name, shape, value), where the value None stands for random numbers

def norm(name, d):
    return [(name + ".weight", [d], 1.0), (name + ".bias", [d], 0.0)]


def linear(name, inputs, outputs):
    return [(name + ".weight", [outputs, inputs], None), (name + ".bias", [outputs], 0.0)]


def bert_tensors(layers, d, pieces):
    out = [("embeddings.word_embeddings.weight", [pieces, d], None),
           ("embeddings.position_embeddings.weight", [512, d], None),
           ("embeddings.token_type_embeddings.weight", [2, d], None)] + norm("embeddings.LayerNorm", d)
    for k in range(layers):
        p = f"encoder.layer.{k}."
        for name in ("query", "key", "value"):
            out += linear(p + "attention.self." + name, d, d)
        out += linear(p + "attention.output.dense", d, d) + norm(p + "attention.output.LayerNorm", d)
        out += linear(p + "intermediate.dense", d, 4 * d) + linear(p + "output.dense", 4 * d, d)
        out += norm(p + "output.LayerNorm", d)
    return [("bert." + name, shape, value) for name, shape, value in out]


def xlnet_tensors(layers, d, pieces):
    heads = count_heads(d)
    width = d // heads
    out = [("word_embedding.weight", [pieces, d], None), ("mask_emb", [1, 1, d], None)]
    for k in range(layers):
        p = f"layer.{k}."
        out += [(p + "rel_attn." + name, [d, heads, width], None) for name in "qkvor"]
        out += [(p + f"rel_attn.r_{name}_bias", [heads, width], None) for name in "wrs"]
        out += [(p + "rel_attn.seg_embed", [2, heads, width], None)] + norm(p + "rel_attn.layer_norm", d)
        out += linear(p + "ff.layer_1", d, 4 * d) + linear(p + "ff.layer_2", 4 * d, d) + norm(p + "ff.layer_norm", d)
    return [("transformer." + name, shape, value) for name, shape, value in out]


def count(shape):
    n = 1
    for x in shape:
        n *= x
    return n


def write_weights(folder, tensors, seed):
    header, at = {}, 0
    for name, shape, _ in tensors:
        header[name] = {"dtype": "F32", "shape": shape, "data_offsets": [at, at + 4 * count(shape)]}
        at += 4 * count(shape)
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    source = random.Random(seed)
    numbers = array.array("f", (source.gauss(0, 0.02) for _ in range(PERIOD)))
    if sys.byteorder == "big":
        numbers.byteswap()
    block, place = memoryview(numbers.tobytes()), 0
    with open(os.path.join(folder, "model.safetensors"), "wb") as f:
        f.write(struct.pack("<Q", len(text)) + text)
        for _, shape, value in tensors:
            left = 4 * count(shape)
            if value is not None:
                f.write(struct.pack("<f", value) * (left // 4))
                continue
            while left:
                part = block[place:place + left]
                f.write(part)
                left -= len(part)
                place = (place + len(part)) % len(block)


# ---- the folder

def count_heads(d):
    return max(1, d // 64)


def write_json(folder, name, x):
    with open(os.path.join(folder, name), "w", encoding="utf-8") as f:
        json.dump(x, f, indent=2)
        f.write("\n")


def config(kind, layers, d, pieces):
    if kind == "bert-large":
        return {"model_type": "bert", "architectures": ["BertModel"], "vocab_size": pieces, "hidden_size": d,
                "num_hidden_layers": layers, "num_attention_heads": count_heads(d), "intermediate_size": 4 * d,
                "hidden_act": "gelu", "max_position_embeddings": 512, "type_vocab_size": 2, "layer_norm_eps": 1e-12,
                "hidden_dropout_prob": 0.1, "attention_probs_dropout_prob": 0.1}
    return {"model_type": "xlnet", "architectures": ["XLNetModel"], "vocab_size": pieces, "d_model": d,
            "n_layer": layers, "n_head": count_heads(d), "d_head": d // count_heads(d), "d_inner": 4 * d,
            "ff_activation": "gelu", "untie_r": True, "attn_type": "bi", "bi_data": False, "same_length": False,
            "clamp_len": -1, "layer_norm_eps": 1e-12, "dropout": 0.1}


def main():
    p = argparse.ArgumentParser(description="A folder with the shapes of a published encoder and random numbers.")
    p.add_argument("kind", choices=KINDS)
    p.add_argument("dir", help="a new folder")
    p.add_argument("--layers", type=int, help="default: as published")
    p.add_argument("--width", type=int, help="default: as published; a head for each 64")
    p.add_argument("--pieces", type=int, help="size of the vocabulary; default: as published")
    p.add_argument("--text", metavar="FILE", help="pieces are the most frequent words of FILE, then made-up ones; "
                   "so its words are about as many pieces as with the published vocabulary")
    p.add_argument("--seed", type=int, default=1)
    a = p.parse_args()
    layers, width, pieces = (x or y for x, y in zip((a.layers, a.width, a.pieces), KINDS[a.kind]))
    heads = count_heads(width)
    if layers < 1 or width < 2 or width % 2 or width % heads:
        sys.exit(f"found {layers} layers of width {width}, expected at least 1, of an even width; heads: "
                 f"found {heads}, expected a divisor of the width")
    if os.path.exists(os.path.join(a.dir, "config.json")):
        sys.exit(f"{a.dir}: found config.json, expected a new folder")
    os.makedirs(a.dir, exist_ok=True)
    bert = a.kind == "bert-large"
    (write_bert_tokenizer if bert else write_xlnet_tokenizer)(a.dir, a.text, pieces)
    tensors = (bert_tensors if bert else xlnet_tensors)(layers, width, pieces)
    write_weights(a.dir, tensors, a.seed)
    write_json(a.dir, "config.json", config(a.kind, layers, width, pieces))  # the last, for a folder that is whole


if __name__ == "__main__":
    try:
        main()
    except OSError as e:
        sys.exit(f"{e.filename}: {e.strerror}")
