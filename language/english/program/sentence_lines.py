#!/usr/bin/env python3
"""Writes the text of treebanks for segment-train: one sentence per line, an empty line between paragraphs, a line with
a form feed after a document. A sentence without white space before the next one ends in a tab.

    sentence_lines.py GOLD.conllu[:RAW_FOLDER]... > LINES

RAW_FOLDER/DOCUMENT.txt has the paragraphs; a document is all sentences whose ids are equal up to the last "-". Without
RAW_FOLDER, every 40 sentences are a document of one paragraph. The words of files without information on white space
(.conllx) are joined by rules. Uses the standard library only.
"""
import os
import re
import sys

GLUED_LEFT = re.compile(r"^([,.;:?!%)\]}]|n't|'(s|m|d|ll|re|ve|t)|\.\.\.)$", re.I)
GLUED_RIGHT = re.compile(r'^[(\[{$#]$')
BRACKETS = {'-LRB-': '(', '-RRB-': ')', '-LSB-': '[', '-RSB-': ']', '-LCB-': '{', '-RCB-': '}', '``': '"', "''": '"'}


def read_sentences(path):
    """Yields (document, [(form, white space follows, tag)])."""
    name, words = '', []
    with open(path, encoding='utf-8') as f:
        for line in f:
            if line.startswith('# sent_id'):
                name = line.split('=')[1].strip().rsplit('-', 1)[0]
            elif line[:1].isdigit():
                c = line.rstrip('\n').split('\t')
                if c[0].isdigit():
                    misc = dict(x.split('=', 1) for x in c[9].split('|') if '=' in x)
                    words.append((misc.get('OrigForm', c[1]), misc.get('SpaceAfter') != 'No', c[4]))
            elif not line.strip() and words:
                yield name, words
                words = []
    if words:
        yield name, words


def joined(words, by_rules):
    """The text of a sentence, with the white space given in the treebank, or by rules."""
    if not by_rules:
        return ''.join(form + (' ' if space else '') for form, space, _ in words)
    out, quotes, last = '', 0, ''
    for k, (sign, _, tag) in enumerate(words):
        form = BRACKETS.get(sign, sign).replace('-LRB-', '(').replace('-RRB-', ')')
        hyphen = k and 'HYPH' in (tag, words[k - 1][2])
        quoted = sign == "''" or last == '``' or quotes % 2 and '"' in (sign, last)
        glued = not k or hyphen or quoted or GLUED_LEFT.match(form) or GLUED_RIGHT.match(BRACKETS.get(last, last))
        out += ('' if glued else ' ') + form
        quotes += sign == '"'
        last = sign
    return out + ' '


def paragraph_ends(text):
    """The number of characters, without white space, before the end of each paragraph."""
    ends, n = set(), 0
    for piece in re.split(r'\n\s*\n', text):
        n += len(''.join(piece.split()))
        ends.add(n)
    return ends


def write_document(name, sentences, folder):
    ends, n = set(), 0
    if folder:
        with open(os.path.join(folder, name + '.txt'), encoding='utf-8') as f:
            ends = paragraph_ends(f.read())
    for text in sentences:
        n += len(''.join(text.split()))
        print(' '.join(text.split()) + ('' if text.endswith(' ') or n in ends else '\t'))
        if n in ends:
            print()
    print('\f')


def main():
    sys.stdout.reconfigure(encoding='utf-8')
    for arg in sys.argv[1:]:
        path, _, folder = arg.partition(':')
        now, sentences = None, []
        for name, words in read_sentences(path):
            if sentences and (name != now or not folder and len(sentences) == 40):
                write_document(now, sentences, folder)
                sentences = []
            now = name
            sentences.append(joined(words, path.endswith('.conllx')))
        write_document(now, sentences, folder)


if __name__ == '__main__':
    main()
