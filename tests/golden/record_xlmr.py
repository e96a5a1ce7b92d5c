#!/usr/bin/env python3
"""record_xlmr.py OUT [MODEL TEXT]: pieces of XLM-R's tokenizer, and states of BERT over them, for encoder_parity.

OUT alone: the folder gets a tiny encoder with random weights, with its recorded pieces and states; xlmr-tiny in
tests/golden/encoders was made so. With MODEL, a sentencepiece.bpe.model, and TEXT: OUT gets the pieces of the lines of
TEXT; the folder of MODEL, as $LAL_ENCODERS/NAME for an OUT that ends with NAME, is what encoder_parity compares with.
Needs numpy, safetensors, protobuf and sentencepiece (0.2.0, where ties break as in 0.1.99).
"""
import io
import json
import os
import sys
import unicodedata

import numpy as np
import sentencepiece
from safetensors.numpy import save_file
from sentencepiece import sentencepiece_model_pb2

TEXTS = """The old bridge across the river was closed for three days.
She didn't say why, but everybody knew (more or less) what had happened.
Le chat de l'école dort près de la fenêtre, où il fait très chaud.
Aujourd'hui, on n'a vu que «quelques» élèves : c'est l'été !
Gamli maðurinn þekkti ekki ána, en hún ýtti bátnum út á vatnið.
Der größte Fluß fließt über die weiten Äcker – „schön“, sagte er.
Η γάτα κοιμάται κάτω από το παλιό τραπέζι, όταν βρέχει.
Старый мост через реку закрыли на три дня, и никто не знал почему.
الجسر القديم فوق النهر مغلق منذ ثلاثة أيام، ولا أحد يعرف السبب.
הגשר הישן מעל הנהר היה סגור שלושה ימים, ואיש לא ידע מדוע.
पुराना पुल तीन दिन से बंद है, और किसी को कारण पता नहीं।
สะพานเก่าข้ามแม่น้ำปิดมาสามวันแล้ว ไม่มีใครรู้ว่าทำไม
河上的老桥关了三天，没有人知道为什么。
她说：“这本书很有意思！”但是我还没有看完（真的）。
古い橋は三日間閉まっていて、誰も理由を知らなかった。カタカナも読む。
강을 건너는 오래된 다리가 사흘 동안 닫혀 있었고, 아무도 이유를 몰랐다.
ＡＢＣ１２３ ﬁnal ½ ① ｶﾞ ㈱ … and\tso\u00a0on\u3000then\u200b stop.
  two  blanks   before and after  
<s> a </s> <unk> <pad> <mask> ▁ x\u0301 q̃ 🙂 😀👍 \u202eabc
e\u0301te\u0301 Å ﷺ Ⅷ ™ ² 10,000.50 % a/b a-b -- ’s ”x …y #tag @you &c. "q" [x] {y}""".split('\n')
GLUED = [(0xE00, 0x109F), (0x1780, 0x17FF), (0x2E80, 0x312F), (0x31A0, 0x9FFF), (0xF900, 0xFAFF), (0xFE30, 0xFE4F),
         (0xFF00, 0xFF9F), (0x20000, 0x3FFFF)]


def rules():
    """The rules of nmt_nfkc for the characters of a few blocks, so that the file is small."""
    def row(before, after):
        return ' '.join('%X' % ord(c) for c in before) + '\t' + ' '.join('%X' % ord(c) for c in after)
    rows = [row(c, ' ') for c in '\t\n\r\u00a0\u2009\u3000\u200b\u200e\u200f\ufeff'] + \
           [row(chr(c), '') for c in list(range(1, 9)) + list(range(0xE, 0x20)) + [0x7F]]
    for first, past in ((0xA1, 0x180), (0x300, 0x400), (0x2100, 0x2190), (0x2026, 0x2027), (0x2460, 0x2474),
                        (0x3200, 0x3240), (0xFB00, 0xFB07), (0xFDFA, 0xFDFB), (0xFF01, 0xFFA0)):
        for c in map(chr, range(first, past)):
            if unicodedata.normalize('NFKC', c) != c:
                rows.append(row(c, unicodedata.normalize('NFKC', c)))
    for base in 'aeiounAEIOU':
        for mark in '\u0300\u0301\u0302\u0303\u0308':
            if len(unicodedata.normalize('NFKC', base + mark)) == 1:
                rows.append(row(base + mark, unicodedata.normalize('NFKC', base + mark)))
    return '\n'.join(rows) + '\n'


def train(folder):
    made = io.BytesIO()
    path = os.path.join(folder, 'rules.tsv')
    with open(path, 'w', encoding='ascii') as f:
        f.write(rules())
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(TEXTS * 3), model_writer=made, model_type='unigram', vocab_size=480,
        hard_vocab_limit=False, character_coverage=.99, minloglevel=2, normalization_rule_tsv=path, num_threads=1)
    os.remove(path)
    with open(os.path.join(folder, 'sentencepiece.bpe.model'), 'wb') as f:
        f.write(made.getvalue())
    return made.getvalue()


class Tokenizer:
    """XLM-R's ids; the pieces of a word alone as embeddings/xlmr_words.h has them."""

    def __init__(self, model):
        self.whole = sentencepiece.SentencePieceProcessor(model_proto=model)
        glued = sentencepiece_model_pb2.ModelProto.FromString(model)
        glued.normalizer_spec.add_dummy_prefix = False
        self.glued = sentencepiece.SentencePieceProcessor(model_proto=glued.SerializeToString())

    def id(self, index):
        return {0: 3, 1: 0, 2: 2}.get(index, index + 1)

    def word(self, text):
        glued = text and (text[0] in "!%'),-./:;?]}\u2019\u201d\u2026" or
                          any(a <= ord(text[0]) <= b for a, b in GLUED))
        pieces = (self.glued if glued else self.whole).encode(text, out_type='immutable_proto').pieces
        return [self.id(p.id) for p in pieces], [p.piece for p in pieces]


def record(t, texts, folder):
    def write(name, rows):
        with open(os.path.join(folder, name), 'w', encoding='ascii') as f:
            f.writelines(json.dumps(row) + '\n' for row in rows)
    bare, words = [], []
    for text in texts:
        p = t.whole.encode(text, out_type='immutable_proto').pieces
        bare.append({'text': text, 'ids': [x.id for x in p], 'pieces': [x.piece for x in p],
                     'offsets': [[len(text[:at].encode()) for at in (x.begin, x.end)] for x in p]})
        found = [t.word(w) for w in text.split(' ')]
        words.append({'text': text, 'by_word': [f[0] for f in found], 'pieces_by_word': [f[1] for f in found]})
    write('sentencepiece.jsonl', bare)
    write('xlmr-tokens.jsonl', words)


# ---- BERT

CONFIG = {'model_type': 'bert', 'hidden_size': 16, 'num_hidden_layers': 3, 'num_attention_heads': 2,
          'intermediate_size': 24, 'max_position_embeddings': 40, 'type_vocab_size': 2, 'hidden_act': 'gelu',
          'layer_norm_eps': 1e-12}


def weights(pieces):
    r = np.random.default_rng(7)
    d, wide = CONFIG['hidden_size'], CONFIG['intermediate_size']
    shapes = {'embeddings.word_embeddings': (pieces, d), 'embeddings.position_embeddings': (40, d),
              'embeddings.token_type_embeddings': (2, d), 'embeddings.LayerNorm': (d,)}
    for l in range(CONFIG['num_hidden_layers']):
        at = 'encoder.layer.%d.' % l
        for name, shape in (('attention.self.query', (d, d)), ('attention.self.key', (d, d)),
                            ('attention.self.value', (d, d)), ('attention.output.dense', (d, d)),
                            ('attention.output.LayerNorm', (d,)), ('intermediate.dense', (wide, d)),
                            ('output.dense', (d, wide)), ('output.LayerNorm', (d,))):
            shapes[at + name] = shape
    w = {}
    for name, shape in shapes.items():
        w[name + '.weight'] = r.normal(float('Norm' in name), .3, shape).astype(np.float16)
        if '_embeddings' not in name:
            w[name + '.bias'] = r.normal(0, .3, shape[:1]).astype(np.float16)
    return w


def states(w, ids):
    """The embedding and each layer in double precision, and the attention of the first layer."""
    from math import erf
    w = {k: v.astype(np.float64) for k, v in w.items()}
    heads = CONFIG['num_attention_heads']

    def linear(x, name):
        return x @ w[name + '.weight'].T + w[name + '.bias']

    def norm(x, name):
        x = x - x.mean(1, keepdims=True)
        return x / np.sqrt((x * x).mean(1, keepdims=True) + 1e-12) * w[name + '.weight'] + w[name + '.bias']
    x = w['embeddings.word_embeddings.weight'][ids] + w['embeddings.position_embeddings.weight'][:len(ids)] + \
        w['embeddings.token_type_embeddings.weight'][0]
    out = {'hidden0': norm(x, 'embeddings.LayerNorm')}
    for l in range(CONFIG['num_hidden_layers']):
        at, x = 'encoder.layer.%d.' % l, out['hidden%d' % l]
        q, k, v = (linear(x, at + 'attention.self.' + n).reshape(len(ids), heads, -1).transpose(1, 0, 2)
                   for n in ('query', 'key', 'value'))
        a = np.exp(q @ k.transpose(0, 2, 1) / np.sqrt(q.shape[2]))
        a /= a.sum(2, keepdims=True)
        out.setdefault('attention0', a)
        c = (a @ v).transpose(1, 0, 2).reshape(len(ids), -1)
        x = norm(x + linear(c, at + 'attention.output.dense'), at + 'attention.output.LayerNorm')
        h = linear(x, at + 'intermediate.dense')
        h = h * .5 * (1 + np.vectorize(erf)(h / np.sqrt(2)))
        out['hidden%d' % (l + 1)] = norm(x + linear(h, at + 'output.dense'), at + 'output.LayerNorm')
    return {k: v.astype(np.float32) for k, v in out.items()}


CASES = [['The', 'old', 'bridge', ',', "n't", '(', '…'], ['她', '说', '：', '“', '这', '本', '书', '！', '”', '橋', '𠀋'],
         ['สะพาน', 'เก่า', 'Ⅷ', '🙂', '\u00ad', "l'", 'école', '.']]


def main():
    if len(sys.argv) not in (2, 4):
        sys.exit(__doc__)
    out = sys.argv[1]
    os.makedirs(out, exist_ok=True)
    if len(sys.argv) == 4:
        with open(sys.argv[2], 'rb') as f, open(sys.argv[3], encoding='utf-8') as lines:
            record(Tokenizer(f.read()), lines.read().rstrip('\n').split('\n'), out)
        return
    model = train(out)
    t = Tokenizer(model)
    record(t, TEXTS, out)
    pieces = t.whole.get_piece_size() + 2 + 5  # five rows without a piece, as published tables have some
    w = weights(pieces)
    save_file(w, os.path.join(out, 'model.safetensors'))
    with open(os.path.join(out, 'config.json'), 'w', encoding='ascii') as f:
        json.dump(dict(CONFIG, vocab_size=pieces), f, indent=1)
    with open(os.path.join(out, 'cases.json'), 'w', encoding='ascii') as f:
        json.dump(CASES, f)
    for k, words in enumerate(CASES):
        ids, last = [0], []
        for word in words:
            ids += t.word(word)[0] or [3]
            last.append(len(ids) - 1)
        ids.append(2)
        save_file({'ids': np.array(ids, np.int32), 'word_last_piece': np.array(last, np.int32),
                   **(states(w, ids) if k != 1 else {})}, os.path.join(out, 'case%d.safetensors' % k))


main()
