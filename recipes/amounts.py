#!/usr/bin/env python3
"""amounts.py NAME OUT [--only] [--keep-arcs]: brackets amounts as the Penn Treebank does. Standard library only.

Reads NAME.trees and NAME.conllx (Stanford dependencies), writes OUT.trees and OUT.conllx. Amounts of several words
("$ 5 million", "35.2 billion", "about $ 3 million") are rare in open treebanks, and parsers that were trained on them
bracket them in any way. Here each becomes a QP, by the bracketing guidelines (Bies et al. 1995, section 11.3.4), with
an ADJP around it before a noun that it modifies, and the number hangs on the word of scale, that on the sign (under a
quantifier both on the sign, as the Stanford converter has them); other words that hung on one of these hang on the head
of the amount. A phrase that is the amount alone becomes an NP unless it is one, an ADJP or a QP.

Rates ("$ 5 a share", "3 times a week") become an NP of two NPs by the same guidelines, and their last noun hangs on the
head of the first NP, as tmod or npadvmod if it hung elsewhere.

An amount or a rate that a phrase crosses stays as it is. --only: writes only sentences with amounts or rates, all of
them right or made right. --keep-arcs: arcs stay, and a tree does if it would need others.
"""
import re
import sys

TOKEN = re.compile(r"\(|\)|[^\s()]+")
SCALES = {"hundred", "thousand", "million", "billion", "trillion"}
TIMES = {"second", "minute", "hour", "day", "night", "week", "month", "quarter", "season", "semester", "year"}
UNITS = TIMES | {"acre", "barrel", "bottle", "bushel", "copy", "dozen", "foot", "gallon", "head", "kilo", "kilogram",
                 "kilometer", "litre", "liter", "megawatt", "mile", "ounce", "package", "passenger", "person", "piece",
                 "pint", "plate", "pop", "pound", "quart", "seat", "share", "ticket", "ton", "unit", "vote"}
QUANTIFIERS = {"about", "almost", "approximately", "around", "nearly", "over", "roughly", "some"}


class Node:
    """A phrase (children) or a word (word); [begin, end) are its words."""

    def __init__(self, label, children=(), word=None, begin=0):
        self.label, self.children, self.word, self.begin = label, list(children), word, begin

    @property
    def end(self):
        return self.begin + 1 if self.word is not None else self.children[-1].end

    def __str__(self):
        return "(%s %s)" % (self.label, self.word if self.word is not None else " ".join(map(str, self.children)))

    def leaves(self):
        return [self] if self.word is not None else [w for c in self.children for w in c.leaves()]


def read_tree(line):
    stack, n = [[]], 0
    tokens = TOKEN.findall(line)
    at = 0
    while at < len(tokens):
        if tokens[at] == "(":
            stack.append([tokens[at + 1]])
            at += 2
            if tokens[at] not in "()":
                stack[-1] = Node(stack[-1][0], word=tokens[at], begin=n)
                n += 1
                at += 1
        else:
            done = stack.pop()
            if isinstance(done, list):
                done = Node(done[0], done[1:], begin=done[1].begin)
            stack[-1].append(done)
            at += 1
    return stack[0][0]


def phrase(label, children):
    return Node(label, children, begin=children[0].begin)


def find_amounts(words):
    """[begin, end) of each sign, number and word of scale."""
    at = 0
    while at < len(words):
        begin = at
        if words[at].label in ("$", "#"):
            at += 1
        numbers = at
        while at < len(words) and words[at].label == "CD":
            at += 1
        if at - numbers == 2 and words[at - 1].word.lower() in SCALES:
            yield begin, at
        at = max(at, begin + 1)


def quantifiers(node, first):
    """How many children of node before the child `first` belong to the amount."""
    def is_word(k, words):
        return k >= 0 and node.children[k].word is not None and node.children[k].word.lower() in words
    if is_word(first - 1, {"than"}) and is_word(first - 2, {"more", "less"}):
        return 2
    return 1 if is_word(first - 1, QUANTIFIERS) else 0


def bracket(root, begin, end):
    """The words of the QP of the amount [begin, end), or None if a phrase crosses it."""
    node = root
    while True:
        inside = [c for c in node.children if c.begin <= begin and end <= c.end]
        if not inside or inside[0].word is not None:
            break
        node = inside[0]
    if any(c.begin < begin < c.end or c.begin < end < c.end for c in node.children):
        return None
    words = [w for c in node.children for w in c.leaves() if begin <= w.begin < end]
    first = next(k for k, c in enumerate(node.children) if c.begin == begin)
    last = next(k for k, c in enumerate(node.children) if c.end == end) + 1
    more = quantifiers(node, first)
    words = node.children[first - more:first] + words
    first -= more
    if node.label == "QP":
        node.children[first:last] = words
        return words
    amount = phrase("QP", words)
    if first == 0 and last == len(node.children):
        if node.label == "ADJP" and words[more].label == "CD":
            node.label, node.children = "QP", words
            return words
        if node.label not in ("NP", "ADJP"):
            node.label = "NP"
        node.children = [amount]
        return words
    after = node.children[last] if last < len(node.children) else None
    if node.label == "NP" and words[more].label in ("$", "#") and after is not None and after.label[0] in "NJ":
        if after.label != "NP":
            amount = phrase("ADJP", [amount])
    node.children[first:last] = [amount]
    return words


def hang(rows, words, more):
    """Sets the arcs of the QP `words`, of which the first `more` are quantifiers."""
    at = [w.begin for w in words[more:]]
    head = at[0] if len(at) == 3 else at[-1]
    number, scale = at[-2:]
    own = {w.begin for w in words}
    out = [k for k in sorted(own) if int(rows[k][6]) - 1 not in own]
    if not out:
        sys.exit("the arcs of %s form a cycle" % " ".join(w.word for w in words))
    top = head if head in out else min(out, key=lambda k: (k != scale, k))
    arc = rows[top][6:8]
    for k, row in enumerate(rows):
        if k not in own and int(row[6]) - 1 in own:
            row[6] = str(head + 1)
    for k in own:
        if k < at[0]:
            rows[k][6:8] = [str(head + 1), "quantmod"]
    if head == scale:
        rows[number][6:8] = [str(scale + 1), "number"]
    elif more:
        rows[number][6:8] = rows[scale][6:8] = [str(head + 1), "number"]
    else:
        rows[number][6:8] = [str(scale + 1), "number"]
        rows[scale][6:8] = [str(head + 1), "num"]
    rows[head][6:8] = arc


def find_rates(words):
    """The head of what is counted, the article and the unit of each rate: $ 5 a share, 3 times a week."""
    for at in range(2, len(words) - 1):
        if words[at].word not in ("a", "an") or words[at + 1].label != "NN" or words[at + 1].word not in UNITS:
            continue
        head = at - 1
        if words[head].label in ("NN", "NNS"):
            if words[head - 1].label == "CD":
                yield head, at, at + 1
            continue
        while head > 0 and words[head].label == "CD":
            head -= 1
        if head < at - 1 and words[head].label in ("$", "#"):
            yield head, at, at + 1


def bracket_rate(root, head, article, unit):
    """Whether what ends before the article and the unit are two NPs in one, or could be made so."""
    node = root
    while True:
        inside = [c for c in node.children if c.begin <= head and unit < c.end]
        if not inside:
            break
        node = inside[0]
    middle = [k for k, c in enumerate(node.children) if c.begin == article]
    last = [k for k, c in enumerate(node.children) if c.end == unit + 1]
    if not middle or not last:
        return False
    middle, last = middle[0], last[0] + 1
    first = 0 if node.label == "NP" else middle - 1
    before, after = node.children[first:middle], node.children[middle:last]
    if node.label == "NP" and last < len(node.children):
        return len(before) == len(after) == 1 and before[0].label == after[0].label == "NP"
    if node.label != "NP" and (before[0].label != "NP" or before[0].begin > head):
        return False
    halves = [c[0] if len(c) == 1 and c[0].label == "NP" else phrase("NP", c) for c in (before, after)]
    node.children[first:last] = halves if node.label == "NP" else [phrase("NP", halves)]
    return True


def hang_rate(rows, head, article, unit):
    """Sets the arcs of a rate; False if they would form a cycle."""
    rows[article][6:8] = [str(unit + 1), "det"]
    if int(rows[unit][6]) - 1 == head:
        return True
    if int(rows[head][6]) - 1 == unit:
        rows[head][6:8] = rows[unit][6:8]
    rows[unit][6:8] = [str(head + 1), "tmod" if rows[unit][1] in TIMES else "npadvmod"]
    at, steps = head, 0
    while at >= 0 and steps <= len(rows):
        at, steps = int(rows[at][6]) - 1, steps + 1
    return at < 0


def mend(root, rows):
    """True if the sentence has an amount or a rate and each one could be bracketed."""
    amounts, rates = list(find_amounts(root.leaves())), list(find_rates(root.leaves()))
    good = bool(amounts or rates)
    for begin, end in amounts:
        words = bracket(root, begin, end)
        if words is not None:
            hang(rows, words, len(words) - (end - begin))
        good = good and words is not None
    for rate in rates:
        good = bracket_rate(root, *rate) and hang_rate(rows, *rate) and good
    return good


def main():
    args = [a for a in sys.argv[1:] if not a.startswith("--")]
    options = [a for a in sys.argv[1:] if a.startswith("--")]
    if len(args) != 2 or not set(options) <= {"--only", "--keep-arcs"}:
        sys.exit("usage: amounts.py NAME OUT [--only] [--keep-arcs]")
    name, out = args
    with open(name + ".trees", encoding="utf-8") as f:
        trees = [line for line in f.read().splitlines() if line]
    with open(name + ".conllx", encoding="utf-8") as f:
        sentences = [[r.split("\t") for r in s.split("\n")] for s in f.read().strip("\n").split("\n\n") if s]
    if len(trees) != len(sentences):
        sys.exit("%s: found %d trees and %d sentences, expected as many" % (name, len(trees), len(sentences)))
    changed = written = 0
    with open(out + ".trees", "w", encoding="utf-8") as t, open(out + ".conllx", "w", encoding="utf-8") as d:
        for line, rows in zip(trees, sentences):
            root = read_tree(line)
            if [w.word for w in root.leaves()] != [r[1] for r in rows]:
                sys.exit("%s: the words of a tree are not those of its sentence: %s" % (name, line))
            given = [r[:] for r in rows]
            good = mend(root, rows)
            if "--keep-arcs" in options and rows != given:
                root, rows, good = read_tree(line), given, False
            changed += str(root) != line
            if good or "--only" not in options:
                written += 1
                t.write("%s\n" % root)
                d.write("\n".join("\t".join(r) for r in rows) + "\n\n")
    print("%s: %d sentences, %d trees changed" % (out, written, changed))


if __name__ == "__main__":
    main()
