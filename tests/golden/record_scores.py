"""record_scores.py OUT [--seed S] [--size N]: records scores of random translations, summaries and segmentations,
sets of patterns in random documents, answers to who is meant by random mentions, and subwords of random lines, for
seed_parity. Needs sacrebleu 2.6.0, rouge_score 0.1.2 and nltk 3.8; OUT/*.json and OUT/random.jsonl are written
(seed-tasks/README.md)."""
import argparse
import json
import math
import os
import random
import unicodedata
from collections import Counter

from nltk.metrics.segmentation import pk, windowdiff
from rouge_score.rouge_scorer import RougeScorer
from sacrebleu.metrics import BLEU
from sacrebleu.tokenizers.tokenizer_13a import Tokenizer13a

WORDS = 'the a of to and in is was he for it with as his on be at by i this had not are but from or have an they'
WORDS = WORDS.split()
ODD = ['3.5', '1,000', '.5', '5.', 'a.b', 'U.S.', '1-2', 'x-y', '3-', "don't", '“so”', '&quot;', '&amp;lt;',
       '<skipped>', '$5', '50%', '(b)', '...', '?!', 'Straße', 'É', 'I', '\u0130x', '\u212aelvin', '\u00a0', '\u2003',
       '\u200b', '\ufeff', '日本語', '。', '\t', '\x1c', '\U0001f600', 'e\u0301', ',,', '.,1', '1.,', '-\n', '{[', '~^']
SCORES = ['rouge1', 'rouge2', 'rougeL', 'rougeLsum']


def line(rng, most, odd=0.15):
    out = ''
    for _ in range(rng.randrange(most + 1)):
        word = rng.choice(ODD) if rng.random() < odd else rng.choice(WORDS)
        out += (word.capitalize() if rng.random() < 0.1 else word) + ('' if rng.random() < 0.05 else ' ')
    return out.strip(' ') if rng.random() < 0.8 else out


def changed(rng, text, much):
    words = [w for w in text.split(' ') if rng.random() > much / 3]
    for k in range(len(words)):
        if rng.random() < much / 2:
            words[k] = rng.choice(WORDS + ODD)
        if k and rng.random() < much / 3:
            words[k - 1], words[k] = words[k], words[k - 1]
    return ' '.join(words)


def counts(score):
    return {'bleu': score.score, 'counts': score.counts, 'totals': score.totals, 'output_length': score.sys_len,
            'reference_length': score.ref_len}


def corpus(rng, name, lines, n_references, much, most=14):
    first = [line(rng, most) for _ in range(lines)]
    references = [first] + [[changed(rng, x, 0.5) for x in first] for _ in range(n_references - 1)]
    output = [changed(rng, x, much) for x in first]
    whole, single = BLEU(), BLEU(effective_order=True)
    score = whole.corpus_score(output, references)
    sentences = [counts(single.sentence_score(output[k], [r[k] for r in references])) for k in range(lines)]
    return {'name': name, 'output': output, 'references': references, 'signature': str(whole.get_signature()),
            'precisions': score.precisions, 'bp': score.bp, **counts(score), 'sentences': sentences}


def bleu(rng, size):
    lines = [line(rng, 12, 0.6) for _ in range(8 * size)]
    single = BLEU(effective_order=True)
    single.sentence_score('a', ['a'])
    return {'tokens_13a': [[x, Tokenizer13a()(x.rstrip())] for x in lines],
            'sentence_signature': str(single.get_signature()),
            'corpora': [corpus(rng, 'light', 2 * size, 1, 0.2), corpus(rng, 'heavy', 2 * size, 1, 1),
                        corpus(rng, 'three references', size, 3, 0.4), corpus(rng, 'short', size, 1, 0.3, 3),
                        corpus(rng, 'other lines', 3, 1, 3), corpus(rng, 'one line', 1, 1, 0.3)]}


def rouge_of(scorer, reference, output):
    return {k: [s.precision, s.recall, s.fmeasure] for k, s in scorer.score(reference, output).items()}


def rouge(rng, size):
    scorer = RougeScorer(SCORES, use_stemmer=False)
    out = []
    for _ in range(4 * size):
        reference = '\n'.join(line(rng, 12).replace('\n', '') for _ in range(rng.randrange(6)))
        sentences = reference.split('\n')
        rng.shuffle(sentences)
        output = '\n'.join(changed(rng, x.replace('-\n', ''), rng.random()) for x in sentences).replace('-\n', '-')
        out.append({'output': output, 'reference': reference, 'plain': rouge_of(scorer, reference, output)})
    return out


def bits(rng, n, p):
    return ''.join('1' if rng.random() < p else '0' for _ in range(n))


def segmentation(rng, size):
    out = []
    for _ in range(5 * size):
        n = rng.choice([2, 3, 4, 6, 10, 25, 60])
        reference = bits(rng, n - 1, rng.choice([0, 0.1, 0.4]))
        output = reference if rng.random() < 0.1 else bits(rng, n - 1, rng.choice([0, 0.1, 0.4, 1]))
        segments = reference.count('1') + 1
        k = max(2, (n + segments) // (2 * segments))
        case = {'reference': reference, 'output': output, 'k': k, 'found': output.count('1'),
                'expected': reference.count('1'), 'true': sum(a == b == '1' for a, b in zip(reference, output)),
                'p_k': pk(reference, output, k) if k < n else None,
                'window_diff': windowdiff(reference, output, k) if k < n else None}
        for other in (2, 3, 7):
            if other < n:
                case['k=%d' % other] = [pk(reference, output, other), windowdiff(reference, output, other)]
        out.append(case)
    return out


def f_of(scorer, summary, sentences):
    return {k: s.fmeasure for k, s in scorer.score('\n'.join(summary), '\n'.join(sentences)).items()}


def oracle(scorer, sentences, summary, most):
    chosen, value = [], 0.0
    while len(chosen) < most:
        best = None
        for k in range(len(sentences)):
            if k in chosen:
                continue
            f = f_of(scorer, summary, [sentences[i] for i in sorted(chosen + [k])])
            if f['rouge1'] + f['rouge2'] > value:
                best, value = k, f['rouge1'] + f['rouge2']
        if best is None:
            break
        chosen.append(best)
    return sorted(chosen), value


def trigrams(sentence):
    words = ''.join(c if c in 'abcdefghijklmnopqrstuvwxyz0123456789' else ' ' for c in sentence.lower()).split()
    return set(zip(words, words[1:], words[2:]))


def choose(sentences, scores, most, block):
    chosen, seen = [], set()
    for k in sorted(range(len(sentences)), key=lambda k: (-scores[k], k)):
        if len(chosen) == most or (block and seen & trigrams(sentences[k])):
            continue
        chosen.append(k)
        seen |= trigrams(sentences[k])
    return sorted(chosen)


def selection(rng, size):
    plain, all_of = RougeScorer(['rouge1', 'rouge2'], use_stemmer=False), RougeScorer(SCORES, use_stemmer=False)
    out = []
    for d in range(size):
        n = rng.randrange(1, 13)
        sentences = [line(rng, 12).replace('\n', '') for _ in range(n)]
        for k in range(1, n):
            if rng.random() < 0.3:
                sentences[k] = changed(rng, sentences[rng.randrange(k)], 0.3).replace('\n', '')
        taken = rng.sample(sentences, rng.randrange(1, min(n, 4) + 1))
        summary = [changed(rng, s, 0.6).replace('\n', '') for s in taken]
        scores, most = [rng.randrange(10) / 10 for _ in range(n)], rng.randrange(1, 7)
        best, value = oracle(plain, sentences, summary, most)
        case = {'id': 'random/%d' % d, 'sentences': sentences, 'summary': summary, 'scores': scores, 'most': most,
                'oracle': best, 'oracle_value': value}
        for name, block in (('chosen', False), ('chosen_blocked', True)):
            picked = choose(sentences, scores, most, block)
            f = f_of(all_of, summary, [sentences[k] for k in picked])
            case[name] = {'sentences': picked, **{k: f[k] for k in ('rouge1', 'rouge2', 'rougeLsum')}}
        out.append(case)
    return out


def documents(rng, size):
    out = []
    for d in range(size):
        sentences = [[rng.choice(WORDS).capitalize() if rng.random() < 0.2 else rng.choice(WORDS)
                      for _ in range(rng.randrange(1, 9))] for _ in range(rng.randrange(2, 6))]
        words = [w.lower() for s in sentences for w in s]
        part = [0] + [k for k, s in enumerate(sentences) for _ in s] + [len(sentences) - 1]
        m, after = len(part), rng.randrange(len(sentences) - 1)
        every = range(m)
        same = [[j for j in every if part[i] == part[j]] for i in every]
        match = [[j for j in range(1, m - 1) if 0 < i < m - 1 and i != j and words[i - 1] == words[j - 1]]
                 for i in every]
        side = [list(every)] + [[j for j in range(1, m) if (part[i] > after) == (part[j] > after)]
                                for i in range(1, m)]
        seen = sum(len(row) for row in same) + sum(len(row) or m for row in match) + 2 * (m - 1 + m)
        out.append({'id': 'random/%d' % d, 'sentences': sentences, 'intra_span/source=sentence': same,
                    'match_token': match, 'boundary_after': after, 'intra_span/source=side': side,
                    'rho_4_of_8_heads': 1 - (seen + 4 * m * m) / (8 * m * m)})
    return out


def random_piece(rng, name):
    words = [rng.choice(WORDS) if rng.random() < 0.8 else rng.choice(WORDS).capitalize()
             for _ in range(rng.randrange(1, 30))]
    mentions = []
    for _ in range(rng.randrange(len(words) + 1)):
        begin = rng.randrange(len(words))
        end = min(len(words), begin + rng.choice([1, 1, 1, 2, 3, 5]))
        mentions.append({'begin': begin, 'end': end, 'head': rng.randrange(begin, end), 'entity': rng.randrange(6),
                         'type': rng.choice(['pronominal', 'proper', 'nominal']),
                         'number': rng.choice(['', 'Sing', 'Plur']), 'gender': rng.choice(['', 'Masc', 'Fem']),
                         'person': rng.choice(['', '', '1', '3'])})
    mentions.sort(key=lambda m: (m['head'], m['begin'], -m['end']))
    for m in mentions:
        m['antecedents'] = [k for k in candidates(mentions, m) if mentions[k]['entity'] == m['entity']]
    return {'id': name, 'words': words, 'mentions': mentions}


def candidates(mentions, m):
    return [k for k, x in enumerate(mentions)
            if x['head'] < m['head'] and (x['end'] <= m['begin'] or x['begin'] >= m['end'])]


def baselines(piece, m):
    """The mention, or the word, that each baseline takes."""
    words, mentions = [w.lower() for w in piece['words']], piece['mentions']
    text = lambda x: words[x['begin']:x['end']]
    agree = lambda x: not any(x[f] and m[f] and x[f] != m[f] for f in ('number', 'gender', 'person'))
    near = candidates(mentions, m)
    head = [k for k in near if words[mentions[k]['head']] == words[m['head']]]
    rules = [k for k in near if text(mentions[k]) == text(m)] or head or [k for k in near if agree(mentions[k])] or near
    return {'nearest': near[-1:], 'head_match': (head or near)[-1:], 'rules': rules[-1:]}


def coref(rng, size):
    """Also writes the mentions."""
    pieces = [random_piece(rng, 'random:%d' % k) for k in range(4 * size)]
    with open(os.path.join(args.out, 'random.jsonl'), 'w', encoding='utf-8') as f:
        f.writelines(json.dumps(p) + '\n' for p in pieces)
    heads, right = [{} for _ in range(5)], {}
    for p in pieces:
        for m in p['mentions']:
            inside = [p['mentions'][k] for k in m['antecedents']]
            in_antecedent = lambda w: any(a['begin'] <= w < a['end'] for a in inside)
            if not inside:
                continue
            found = {name: bool(k) and k[0] in m['antecedents'] for name, k in baselines(p, m).items()}
            found['previous_word'] = m['head'] == m['begin'] and in_antecedent(m['head'] - 1)
            for column in ('all', m['type']):
                for name, ok in found.items():
                    n = right.setdefault(name, {}).setdefault(column, [0, 0])
                    n[0] += ok
                    n[1] += 1
            for h, head in enumerate(heads):
                i = m['head'] + 1
                key = lambda w: (2 * math.sin(1.7 * h + 0.61 * i + 1.13 * (w + 1) + 0.37 * i * (w + 1)), -w)
                outside = [w for w in range(len(p['words'])) if not m['begin'] <= w < m['end']]
                place = max((p['mentions'][k]['head'] for k in candidates(p['mentions'], m)), key=key)
                for column in ('all', m['type']):
                    n = head.setdefault(column, {'mentions': 0, 'words': 0, 'candidates': 0})
                    n['mentions'] += 1
                    n['words'] += in_antecedent(max(outside, key=key))
                    n['candidates'] += any(a['head'] == place for a in inside)
    return {'file': 'random', 'documents': [p['id'] for p in pieces],
            'weight': 'exp(2 sin(1.7 h + 0.61 i + 1.13 j + 0.37 i j)), not normalised', 'heads': heads,
            'baselines': {'random': right}}


def units_of(text):
    units, glued = [], False
    for c in text:
        space = c.isspace() or c in '\u200b\ufeff'
        letter = unicodedata.category(c)[0] in 'LN'
        if not space and not glued:
            units.append('\u2581' + c)
        elif not space and letter and in_run:
            units[-1] += c
        elif not space:
            units.append(c)
        glued, in_run = not space, letter
    return units


def joined(symbols, left, right):
    out = []
    for s in symbols:
        if out and out[-1] == left and s == right and not out_is_new:
            out[-1], out_is_new = left + right, True
        else:
            out.append(s)
            out_is_new = False
    return out


def bpe(rng, size):
    """All pairs of all units are counted again for each merge."""
    lines = [line(rng, 14, 0.3) for _ in range(16 * size)]
    units = [[list(u), n] for u, n in Counter(u for x in lines for u in units_of(x)).items()]
    characters = sorted({c for u, _ in units for c in u})
    merges = []
    while len(merges) < 20 * size:
        pairs = Counter()
        for u, n in units:
            for pair in zip(u, u[1:]):
                pairs[pair] += n
        best = min(pairs, key=lambda p: (-pairs[p], p))
        if pairs[best] < 2:
            break
        merges.append([*best, pairs[best]])
        units = [[joined(u, *best), n] for u, n in units]
    texts = [line(rng, 10, 0.4) for _ in range(8 * size)] + ['', ' ', '\u2581x', 'zzz 9', 'a\u0308_\u0308b']
    encoded = []
    for text in texts:
        pieces = []
        for u in units_of(text):
            u = [c if c in characters else '<unk>' for c in u]
            for left, right, _ in merges:
                u = joined(u, left, right)
            pieces += u
        encoded.append([text, pieces])
    return {'lines': lines, 'characters': characters, 'merges': merges, 'encoded': encoded,
            'units': [[text, units_of(text)] for text in texts]}


def rounded(x):
    if isinstance(x, float):
        return float('%.12g' % x)
    if isinstance(x, dict):
        return {k: rounded(v) for k, v in x.items()}
    return [rounded(v) for v in x] if isinstance(x, (list, tuple)) else x


parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument('out')
parser.add_argument('--seed', type=int, default=1)
parser.add_argument('--size', type=int, default=5)
args = parser.parse_args()
os.makedirs(args.out, exist_ok=True)
for k, record in enumerate((bleu, rouge, segmentation, selection, documents, coref, bpe)):
    with open(os.path.join(args.out, record.__name__ + '.json'), 'w', encoding='utf-8') as f:
        json.dump(rounded(record(random.Random(args.seed * 10 + k), args.size)), f, ensure_ascii=False, indent=0)
        f.write('\n')
