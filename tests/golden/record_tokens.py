#!/usr/bin/env python3
"""record_tokens.py OUT [FOLDERS [SEED]]: records pieces of random lines by random tokenizers, for encoder_parity OUT.

Half of the folders have a WordPiece tokenizer.json with random rules and added pieces, half a SentencePiece model with
random options, scores that tie, and XLNet's word rule. Needs the packages tokenizers (0.15) and sentencepiece (0.1.99);
make test does not run it, because the results of a few tiny models are in tests/golden/encoders.
"""
import io
import json
import os
import random
import struct
import sys
import unicodedata

import sentencepiece
from tokenizers import AddedToken, Tokenizer
from tokenizers.models import WordPiece
from tokenizers.normalizers import BertNormalizer
from tokenizers.pre_tokenizers import BertPreTokenizer

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..')
SPECIAL = ' \t\n\r\u00a0\u3000\u200b\u00ad\u0301\u0307\u0130\u03a3\u00df\u302e\u2581\ufdfa\uff8a\u2460\u00bd\ufb01' \
          '\U0001d165\U0001d16d\u1100\uac01\u0f73\u0345'
ADDED = ['[MASK]', '[UNK]', '<mask>', 'Foo', 'foo bar', '\u00e9', 'a', 'ab', '<unk>', '3,', '1,', '\ufb01', '\u2581']


def character(r):
    kind = r.random()
    if kind < .3:
        return chr(r.randrange(32, 127))
    if kind < .4:
        return chr(r.randrange(0, 0x250))
    if kind < .5:
        return r.choice(SPECIAL)
    if kind < .6:
        first = r.choice([0x300, 0x590, 0xac00, 0x4e00, 0xff00, 0x2000])
        return chr(r.randrange(first, first + 0x70))
    while True:  # but what Unicode 15 added with a decomposition, which Python may not know
        c = r.randrange(0x110000 if r.random() < .3 else 0x20000)
        if not (0xd800 <= c < 0xe000 or 0x1e030 <= c < 0x1e090 or 0x1e4ec <= c < 0x1e4f0 or 0x10efd <= c < 0x10f00
                or 0x11f41 <= c < 0x11f43):
            return chr(c)


def line(r, words):
    def part():
        kind = r.random()
        if kind < .35:
            return r.choice(words)
        if kind < .5:
            return r.choice(ADDED)
        if kind < .6:
            return r.choice(['12,', '\u0663,', '\u2776,', "``", "''", '<s>'])
        return ' ' if kind < .75 else character(r)
    return ''.join(part() for _ in range(r.randrange(1, 40)))


def bytes_of(text, places):
    """Places of characters as places of bytes."""
    at = [0]
    for c in text:
        at.append(at[-1] + len(c.encode()))
    return [[at[a], at[b]] for a, b in places]


def write(path, rows):
    with open(path, 'w', encoding='ascii') as f:
        f.writelines(json.dumps(row) + '\n' for row in rows)


def wordpiece(r, folder, texts, words):
    vocabulary = {}
    for piece in ['[UNK]'] + [w.lower() for w in words] + [w[:3] for w in words] + ['##' + w[1:4] for w in words] + \
            [mark + chr(c) for c in range(33, 127) for mark in ('', '##')]:
        if piece not in ('', '##') and r.random() < .7 or piece == '[UNK]':
            vocabulary.setdefault(piece, len(vocabulary))
    coin = lambda: r.random() < .5
    t = Tokenizer(WordPiece(vocabulary, unk_token='[UNK]', continuing_subword_prefix='##',
                            max_input_chars_per_word=r.choice([100, 5, 20])))
    t.normalizer = BertNormalizer(clean_text=r.random() < .8, handle_chinese_chars=coin(),
                                  strip_accents=r.choice([None, True, False]), lowercase=coin())
    t.pre_tokenizer = BertPreTokenizer()
    for a in r.sample(ADDED, r.randrange(6)):
        added = AddedToken(a, single_word=r.random() < .3, lstrip=r.random() < .4, rstrip=r.random() < .4,
                           normalized=coin())
        (t.add_special_tokens if coin() else t.add_tokens)([added])
    t.save(folder + '/tokenizer.json')
    rows = []
    for text in texts:
        e = t.encode(text, add_special_tokens=False)
        rows.append({'text': text, 'ids': e.ids, 'pieces': e.tokens, 'offsets': bytes_of(text, e.offsets),
                     'by_word': [t.encode(w, add_special_tokens=False).ids for w in text.split(' ')]})
    write(folder + '/tokens.jsonl', rows)


def varint(data, at):
    value = shift = 0
    while True:
        c = data[at]
        at, value, shift = at + 1, value | (c & 127) << shift, shift + 7
        if c < 128:
            return value, at


def with_ties(model, r):
    """The model with scores of normal pieces from a few values: many ways through a text have the same sum."""
    model, at = bytearray(model), 0
    while at < len(model):
        key, at = varint(model, at)
        size, at = varint(model, at)  # every field of the outer message is a message
        end, score, normal = at + size, 0, True
        while key >> 3 == 1 and at < end:
            inner, at = varint(model, at)
            if inner == 2 << 3 | 5:
                score, at = at, at + 4
            else:
                value, at = varint(model, at)
                normal = normal and inner != 3 << 3
                at += value if inner & 7 == 2 else 0
        if score and normal:
            value = r.choice([-1.1, -2.2, -3.3, -.7, -1.4, -2.1]) * r.randrange(1, 4)
            model[score:score + 4] = struct.pack('<f', value)
        at = end
    return bytes(model)


def xlnet(model, word):
    text = ' '.join(word.split()).replace('``', '"').replace("''", '"')
    text = ''.join(c for c in unicodedata.normalize('NFKD', text) if not unicodedata.combining(c))
    pieces = []
    for p in model.encode(text, out_type=str):
        if len(p) < 2 or p[-1] != ',' or not p[-2].isdigit():
            pieces.append(p)
            continue
        parts = model.encode(p[:-1].replace('\u2581', ''), out_type=str)
        if p[0] != '\u2581' and parts and parts[0][0] == '\u2581':
            parts[:1] = [parts[0][1:]] if len(parts[0]) > 1 else []
        pieces += parts + [',']
    return pieces


def unigram(r, folder, texts, corpus):
    out = io.BytesIO()
    options = {}
    defined = r.sample([a for a in ADDED if a != '<unk>'], r.randrange(1, 5))
    for name, value, often in (('user_defined_symbols', defined, .5),
                               ('byte_fallback', True, .3), ('remove_extra_whitespaces', False, .3),
                               ('add_dummy_prefix', False, .3), ('treat_whitespace_as_suffix', True, .2),
                               ('control_symbols', ['<sep>', '<cls>'], .3)):
        if r.random() < often:
            options[name] = value
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(corpus), model_writer=out, model_type='unigram', vocab_size=r.choice([500, 700]),
        hard_vocab_limit=False, character_coverage=r.choice([1.0, .98]), minloglevel=2,
        normalization_rule_name=r.choice(['nmt_nfkc', 'nfkc', 'nmt_nfkc_cf', 'nfkc_cf', 'identity']), **options)
    data = out.getvalue() if r.random() < .5 else with_ties(out.getvalue(), r)
    with open(folder + '/spiece.model', 'wb') as f:
        f.write(data)
    model = sentencepiece.SentencePieceProcessor(model_proto=data)
    rows, xlnet_rows = [], []
    for text in texts:
        p = model.encode(text, out_type='immutable_proto').pieces
        rows.append({'text': text, 'ids': [x.id for x in p], 'pieces': [x.piece for x in p],
                     'offsets': bytes_of(text, [(x.begin, x.end) for x in p]),
                     'by_word': [model.encode(w) for w in text.split(' ')]})
        words = [xlnet(model, w) for w in text.split(' ')]
        xlnet_rows.append({'text': text, 'by_word': [[model.piece_to_id(x) for x in w] for w in words],
                           'pieces_by_word': words})
    write(folder + '/sentencepiece.jsonl', rows)
    write(folder + '/xlnet-tokens.jsonl', xlnet_rows)


def main():
    if not 2 <= len(sys.argv) <= 4:
        sys.exit(__doc__)
    out = sys.argv[1]
    folders, seed = (int(x) for x in (sys.argv[2:] + ['20', '1'][len(sys.argv) - 2:]))
    corpus = []
    for name in ('README.md', 'docs/ARCHITECTURE.md', 'docs/FORMATS.md'):
        with open(os.path.join(ROOT, name), encoding='utf-8') as f:
            corpus += [x.strip() for x in f if x.strip()]
    words = sorted({w for x in corpus for w in x.split()})
    for k in range(folders):
        r = random.Random(1000 * seed + k)
        folder = os.path.join(out, '%s-%03d' % ('unigram' if k % 2 else 'wordpiece', k))
        os.makedirs(folder, exist_ok=True)
        texts = [line(r, words) for _ in range(400)]
        with open(folder + '/config.json', 'w', encoding='ascii') as f:
            json.dump({}, f)
        if k % 2:
            unigram(r, folder, texts, r.sample(corpus, 300))
        else:
            wordpiece(r, folder, texts, r.sample(words, 800))


main()
