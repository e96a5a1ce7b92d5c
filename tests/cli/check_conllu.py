#!/usr/bin/env python3
"""check_conllu.py FILE...: checks CoNLL-U files as levels 1 and 2 of Universal Dependencies' validation do
(https://universaldependencies.org/contributing/validation-rules.html), and of level 3 which relations may stand below
which, and on which side. Prints each fault, and the number of sentences and multiword tokens; status 1 if there are
faults. With the package conllu, that package must read the files, too."""
import re
import sys

UPOS = set('ADJ ADP ADV AUX CCONJ DET INTJ NOUN NUM PART PRON PROPN PUNCT SCONJ SYM VERB X'.split())
RELATIONS = set(
    'root acl acl:relcl advcl advcl:relcl advmod amod appos aux aux:pass case cc cc:preconj ccomp compound '
    'compound:prt conj cop csubj csubj:outer csubj:pass dep det det:predet discourse dislocated expl fixed flat '
    'goeswith iobj list mark nmod nmod:desc nmod:poss nmod:unmarked nsubj nsubj:outer nsubj:pass nummod obj obl '
    'obl:agent obl:unmarked orphan parataxis punct reparandum vocative xcomp '
    'clf compound:ext flat:name mark:adv mark:rel nmod:tmod obl:patient'.split())  # these of Chinese
LEAVES = {'mark': 'advmod obl goeswith fixed reparandum conj cc punct',
          'aux': 'goeswith fixed reparandum conj cc punct',
          'fixed': 'goeswith reparandum conj punct', 'cc': 'goeswith fixed reparandum conj punct', 'punct': ''}
LEAVES['case'], LEAVES['cop'] = LEAVES['mark'], LEAVES['aux']
FEATURE = re.compile(r'[A-Z][A-Za-z0-9]*=[A-Z0-9][A-Za-z0-9]*')
ARC = re.compile(r'[a-z]+(:[a-z]+)?(:[a-z]+(_[a-z]+)*)?(:[a-z]+)?')
faults = 0


def fault(path, line, what):
    global faults
    faults += 1
    if faults <= 20:
        print(f'{path}:{line}: {what}')


def check_row(c):
    """Columns of a row, whatever it is."""
    if len(c) != 10:
        return f'{len(c)} columns'
    for k, value in enumerate(c):
        if not value:
            return f'column {k + 1} is empty'
        if value != value.strip() or '  ' in value:
            return f'blanks in column {k + 1}'
        if k not in (1, 2, 9) and ' ' in value:
            return f'a blank in column {k + 1}'
    if '-' in c[0] and c[2:9] != ['_'] * 7:
        return 'a range with annotation'
    return None


def check_features(features):
    if features == '_':
        return None
    items = features.split('|')
    names = [item.split('=')[0].lower() for item in items]
    if not all(FEATURE.fullmatch(item) for item in items):
        return f'features {features}'
    return None if names == sorted(set(names)) else f'order of features {features}'


def check_word(words, w):
    c = words[w]
    head = int(c[6]) if c[6].isdigit() else -1
    if c[3] not in UPOS:
        return f'UPOS {c[3]}'
    if c[7] not in RELATIONS:
        return f'relation {c[7]}'
    if not 0 <= head <= len(words) or head == w + 1:
        return f'head {c[6]}'
    if (head == 0) != (c[7] == 'root'):
        return f'{c[7]} at {head}'
    if head == 0:
        return check_features(c[5])
    base, above = c[7].split(':')[0], words[head - 1][7].split(':')[0]
    if base not in LEAVES.get(above, base).split():
        return f'{c[7]} below {above}'
    if base in ('conj', 'appos', 'flat', 'fixed', 'goeswith') and head > w + 1:
        return f'{c[7]} to the left'
    if (c[3] == 'PUNCT') != (base == 'punct'):
        return f'{c[3]} as {c[7]}'
    return check_features(c[5])


def fits_mark(heads, p):
    """All words between a mark and its head are below the head, and no arc goes across the mark alone, without its head
    ("punct-is-nonproj" and "punct-causes-nonproj" of UD's validator)."""
    def above(w):
        while w:
            yield w
            w = heads[w]
    h, over = heads[p], set(above(p))
    if any(h not in above(w) for w in range(min(p, h) + 1, max(p, h))):
        return False
    for w in range(1, len(heads)):
        low, high = sorted((w, heads[w]))
        if low < p < high and heads[w] not in over and heads[w] and not low < h < high:
            return False
    return True


def check_tree(words):
    heads = [0] + [int(c[6]) for c in words]
    if heads[1:].count(0) != 1:
        return 'roots'
    for w in range(1, len(heads)):
        seen, v = set(), w
        while v and v not in seen:
            seen.add(v)
            v = heads[v]
        if v:
            return f'a cycle at word {w}'
    for p, c in enumerate(words, 1):
        if c[7] == 'punct' and not fits_mark(heads, p):
            return f'mark {p} makes arcs cross'
    return None


def check_graph(words):
    """Enhanced graphs, where the file has them: order, heads, names of relations, and that all is below the root."""
    if all(c[8] == '_' for c in words):
        return None
    heads = {}
    for w, c in enumerate(words, 1):
        arcs = [(int(h), r) if h.isdigit() else (-1, r) for h, _, r in (a.partition(':') for a in c[8].split('|'))]
        if arcs != sorted(set(arcs)) or not all(ARC.fullmatch(r) for _, r in arcs):
            return f'graph {c[8]}'
        heads[w] = [h for h, _ in arcs]
        if not all(0 <= h <= len(words) and h != w and (h == 0) == (r == 'root') for h, r in arcs):
            return f'heads of graph {c[8]}'
    reached, new = set(), {0}
    while new:
        reached |= new
        new = {w for w in heads if w not in reached and reached & set(heads[w])}
    return None if len(reached) > len(words) else 'a graph that is not below the root'


def check_text(comments, tokens):
    texts = [c[9:] for c in comments if c.startswith('# text = ')]
    if len(texts) != 1:
        return 'no "# text = "'
    spelt = ''.join(form + ('' if 'SpaceAfter=No' in misc.split('|') else ' ') for form, misc in tokens)
    return None if spelt.strip() == texts[0] else f'text {texts[0]!r}, tokens {spelt!r}'


def check_sentence(path, line, comments, rows, ids):
    words, tokens, end, ranges = [], [], 0, 0
    for row in rows:
        what = check_row(row)
        if what:
            fault(path, line, what)
            return 0
        if '-' in row[0]:
            first, last = map(int, row[0].split('-'))
            if first != len(words) + 1 or last <= first or first <= end:
                fault(path, line, f'range {row[0]}')
            end, ranges = last, ranges + 1
            tokens.append((row[1], row[9]))
            continue
        words.append(row)
        if row[0] != str(len(words)):
            fault(path, line, f'word {row[0]}, expected {len(words)}')
        if len(words) > end:
            tokens.append((row[1], row[9]))
        elif 'SpaceAfter' in row[9]:
            fault(path, line, 'SpaceAfter within a range')
    sent_id = [c for c in comments if c.startswith('# sent_id = ')]
    if len(sent_id) != 1 or sent_id[0] in ids:
        fault(path, line, 'sent_id')
    ids.update(sent_id)
    whats = [check_word(words, w) for w in range(len(words))]
    whats += [check_tree(words), check_graph(words), check_text(comments, tokens)]
    for what in filter(None, whats):
        fault(path, line, what)
    return ranges


def check_file(path):
    with open(path, encoding='utf-8', newline='') as f:
        data = f.read()
    if not data.endswith('\n\n') or '\r' in data or '\n\n\n' in data:
        fault(path, 0, 'ends of lines or sentences')
    ids, line, ranges, sentences = set(), 1, 0, data.split('\n\n')[:-1]
    for block in sentences:
        lines = block.split('\n')
        comments = [x for x in lines if x.startswith('#')]
        rows = [x.split('\t') for x in lines[len(comments):]]
        if comments != lines[:len(comments)] or not rows:
            fault(path, line, 'comments')
        else:
            ranges += check_sentence(path, line, comments, rows, ids)
        line += len(lines) + 1
    try:
        import conllu
        if len(conllu.parse(data)) != len(sentences):
            fault(path, 0, 'the package conllu reads another number of sentences')
    except ImportError:
        pass
    print(f'{path}: {len(sentences)} sentences, {ranges} multiword tokens')


for file in sys.argv[1:]:
    check_file(file)
if faults > 20:
    print(f'{faults} faults')
sys.exit(faults > 0)
