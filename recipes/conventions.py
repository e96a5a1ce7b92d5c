#!/usr/bin/env python3
"""conventions.py NAME OUT [--counts]: brackets a treebank as the Wall Street Journal part of the Penn Treebank does.

Reads NAME.trees and NAME.conllx, writes OUT.trees and OUT.conllx. Trees that parsers wrote (GUM, EWT), and the Penn
Treebank's own annotation of other text (MASC), have other brackets in places; each rule below is one such difference.
Words and arcs stay, but for marks and quantifiers that hang on the head of a new phrase; tags are those of the trees.
--counts: prints how many nodes each rule changes, and writes nothing (NAME.trees is enough). Standard library only.
"""
import re
import sys

TOKEN = re.compile(r"\(|\)|[^\s()]+")
NEGATIONS = {"not", "n't", "n’t", "nt"}
ASIDES = {"you know", "i think", "i mean", "i guess", "i suppose", "i believe"}
QUANTIFIERS = {"about", "almost", "approximately", "around", "nearly", "over", "roughly"}
MARKS = {",", ".", ":", "``", "''", "-LRB-", "-RRB-", "SYM"}
AUXILIARIES = {"VBD", "VBZ", "VBP", "MD"}
NEGATIVES = {"never", "nor", "neither", "rarely", "seldom", "hardly", "nowhere", "only"}


# A tree is a list: a label and its children, or a tag and its word.
def read_trees(text):
    stack = [[]]
    for token in TOKEN.findall(text):
        if token == "(":
            stack.append([])
        elif token == ")":
            done = stack.pop()
            stack[-1].append(done)
        else:
            stack[-1].append(token)
    return stack[0]


def load_trees(path):
    """The trees of a file, each under TOP."""
    try:
        with open(path, encoding="utf-8") as f:
            text = f.read()
    except OSError as e:
        sys.exit("%s: %s" % (path, e.strerror))
    if text.count("(") != text.count(")"):
        sys.exit("%s: found %d opening and %d closing brackets" % (path, text.count("("), text.count(")")))
    trees = [["TOP"] + t if isinstance(t[0], list) else t for t in read_trees(text)]
    return [t if t[0] == "TOP" else ["TOP", t] for t in trees]


def is_word(tree):
    return len(tree) == 2 and isinstance(tree[1], str)


def leaves(tree):
    return [tree] if is_word(tree) else [w for c in tree[1:] for w in leaves(c)]


def show(tree):
    return "(%s %s)" % (tree[0], tree[1] if is_word(tree) else " ".join(map(show, tree[1:])))


def labels(tree):
    return [c[0] for c in tree[1:]]


def word(tree):
    return tree[1].lower() if is_word(tree) else ""


def is_phrase(tree, *names):
    return tree[0] in names and not is_word(tree)


# A rule takes a phrase whose phrases were rewritten already, changes it, and returns how often it did.
def interjection(tree):
    """(ADVP (UH Well)), (NP (UH Yes)) and a bare (UH Oh): an INTJ, one for neighbours."""
    if tree[0] == "INTJ":
        return 0
    if tree[0] in ("ADVP", "NP", "X") and set(labels(tree)) == {"UH"}:
        tree[0] = "INTJ"
        return 1
    changed, at = 0, 1
    while at < len(tree):
        end = at
        while end < len(tree) and tree[end][0] == "UH":
            end += 1
        if end > at:
            tree[at:end] = [["INTJ"] + tree[at:end]]
            changed += 1
        at += 1
    return changed


def adverb(tree):
    """A bare adverb in an S: an ADVP, unless it is a negation or links two clauses ("so")."""
    if tree[0] != "S":
        return 0
    changed = 0
    for at, child in enumerate(tree[1:], 1):
        linking = at + 1 < len(tree) and tree[at + 1][0] == "S"
        if child[0] in ("RB", "RBR", "RBS") and word(child) not in NEGATIONS and not linking:
            tree[at] = ["ADVP", child]
            changed += 1
    return changed


def particle(tree):
    """(ADVP (RP out)) is a PRT, (PRT (RB back)) an ADVP: tags are gold, labels are not."""
    changed = 0
    for child in tree[1:]:
        wanted = {"ADVP": ["RP"], "PRT": ["RB"]}.get(child[0])
        if tree[0] == "VP" and labels(child) == wanted:
            child[0] = "PRT" if child[0] == "ADVP" else "ADVP"
            changed += 1
    return changed


def quotation_marks(tree):
    """Straight marks that open are ``, those that close are '': by turns, where a sentence has pairs or begins or ends
    with one."""
    words = leaves(tree) if tree[0] == "TOP" else []
    marks = [w for w in words if w[1] == '"' and w[0] in ("``", "''")]
    opens = len(marks) % 2 == 0 or words[0] in marks
    if not marks or not opens and [w for w in words if w[0] != "."][-1] is not marks[-1]:
        return 0
    changed = 0
    for mark in marks:
        tag = "``" if opens else "''"
        changed += mark[0] != tag
        mark[0], opens = tag, not opens
    return changed


def parenthesis(tree):
    """Round brackets and what they enclose beside other words: a PRN."""
    if tree[0] in ("PRN", "LST", "TOP"):
        return 0
    changed = 0
    for child in tree[1:]:
        if is_phrase(child, "NP") and len(child) > 3 and word(child[1]) == "-lrb-" and word(child[-1]) == "-rrb-" \
                and tree[0] == "NP":
            inside = child[2:-1]
            child[:] = ["PRN", child[1], inside[0] if len(inside) == 1 and not is_word(inside[0])
                        else ["NP"] + inside, child[-1]]
            changed += 1
    begin = [at for at, c in enumerate(tree) if at and word(c) == "-lrb-"]
    end = [at for at, c in enumerate(tree) if at and word(c) == "-rrb-"]
    if len(begin) != 1 or len(end) != 1 or not begin[0] + 1 < end[0]:
        return changed
    begin, end = begin[0], end[0]
    if begin == 1 and all(label in (".", ":", ",") for label in labels(tree)[end:]):
        return changed
    inside = tree[begin + 1:end]
    if all(is_word(c) for c in inside):
        nominal = inside[-1][0] in ("NN", "NNS", "NNP", "NNPS", "CD")
        inside = [["NP"] + inside] if nominal else inside
    tree[begin:end + 1] = [["PRN", tree[begin]] + inside + [tree[end]]]
    return changed + 1


def aside(tree):
    """"You know", "I think" beside a clause: a PRN, as is every PRN of a clause with the commas around it."""
    if tree[0] not in ("S", "SQ", "SINV", "VP", "NP", "PP", "SBAR"):
        return 0
    changed = 0
    for at, child in enumerate(tree[1:], 1):
        near = labels(tree)[max(at - 2, 0):at + 1]
        if is_phrase(child, "S") and " ".join(w[1].lower() for w in leaves(child)) in ASIDES and "," in near \
                and "CC" not in near and tree[0] == "S":
            tree[at] = ["PRN", child]
            changed += 1
    at = 2
    while at + 1 < len(tree):
        child = tree[at]
        if is_phrase(child, "PRN") and len(child) == 2 and child[1][0] in ("S", "SINV") and tree[at - 1][0] == "," \
                and tree[at + 1][0] == "," and at > 2:
            tree[at - 1:at + 2] = [["PRN", tree[at - 1], child[1], tree[at + 1]]]
            changed += 1
        at += 1
    return changed


def list_mark(tree):
    """The number of an item: an LST."""
    if tree[0] == "LST":
        return 0
    if tree[0] == "X" and labels(tree) == ["LS"]:
        tree[0] = "LST"
        return 1
    changed = 0
    for at, child in enumerate(tree[1:], 1):
        if child[0] == "LS" and len(tree) > 2:
            tree[at] = ["LST", child]
            changed += 1
    return changed


def comparative(tree):
    """(ADJP (JJR better) (PP than ...)), (ADVP (RB as) (RB soon) (SBAR as ...)): the words before are a phrase."""
    if tree[0] not in ("ADJP", "ADVP") or len(tree) < 3 or not is_phrase(tree[-1], "PP", "SBAR"):
        return 0
    link, before = word(tree[-1][1]), tree[1:-1]
    than = link == "than" and any(c[0] in ("JJR", "RBR") for c in before)
    equal = link == "as" and word(before[0]) == "as" and len(before) > 1 and word(before[-1]) != "well"
    if not (than or equal) or not all(map(is_word, before)):
        return 0
    tree[1:-1] = [[tree[0]] + before]
    return 1


def quantity(tree):
    """(NP (RB about) (CD 1940)): the quantifier and the number are a QP."""
    changed, at = 0, 1
    while tree[0] == "NP" and at + 1 < len(tree):
        if word(tree[at]) in QUANTIFIERS and tree[at + 1][0] == "CD":
            tree[at:at + 2] = [["QP", tree[at], tree[at + 1]]]
            changed += 1
        at += 1
    return changed


def shared_determiner(tree):
    """(NP (DT a) (NX ...) (CC or) (NX ...)): the conjuncts are one NX."""
    at = [k for k, c in enumerate(tree) if k and c[0] == "NX"]
    if tree[0] != "NP" or len(at) < 2 or at[-1] != len(tree) - 1:
        return 0
    between = tree[at[0]:at[-1] + 1]
    if not {c[0] for c in between} <= {"NX", "CC", "CONJP", ","} or "CC" not in [c[0] for c in between]:
        return 0
    tree[at[0]:] = [["NX"] + between]
    return 1


def imperative(tree):
    """(FRAG (VB See)), (S (VB Twist) (. !)): an S with a VP."""
    if tree[0] not in ("FRAG", "S") or labels(tree)[0] != "VB":
        return 0
    end = len(tree) - 1 if tree[-1][0] == "." and len(tree) > 2 else len(tree)
    if any(label in ("S", ",", "CC") for label in labels(tree)[:end]):
        return 0
    tree[:] = ["S", ["VP"] + tree[1:end]] + tree[end:]
    return 1


def inversion(tree):
    """An auxiliary before its subject in a statement: a SINV after a negation, and in a condition without "if"."""
    if tree[0] == "SBAR" and len(tree) == 2 and is_phrase(tree[1], "S", "SQ") and word(tree[1][1]) in \
            ("had", "were", "should") and labels(tree[1])[1:2] == ["NP"]:
        tree[1][0] = "SINV"
        return 1
    names = labels(tree)
    first = leaves(tree)[0][1].lower()
    if tree[0] == "S" and first in NEGATIVES and len(names) > 2 and names[1] in AUXILIARIES and names[2] == "NP":
        tree[0] = "SINV"
        return 1
    changed = 0
    for at, child in enumerate(tree[1:], 1):
        if tree[0] == "S" and is_phrase(child, "S", "SINV") and word(child[1]) in ("had", "were", "should") \
                and labels(child)[1:2] == ["NP"] and len(child) > 3:
            tree[at] = ["SBAR", ["SINV"] + child[1:]]
            changed += 1
    return changed


def closing_comma(tree):
    """The comma after an apposition or relative clause of a subject belongs to its phrase."""
    changed, at = 0, 1
    while tree[0] == "S" and at + 2 < len(tree):
        child = tree[at]
        if is_phrase(child, "NP") and tree[at + 1][0] == "," and tree[at + 2][0] == "VP" \
                and len(child) == 4 and labels(child)[:2] == ["NP", ","]:
            child.append(tree.pop(at + 1))
            changed += 1
        at += 1
    return changed


RULES = [interjection, adverb, particle, quotation_marks, parenthesis, aside, list_mark, comparative, quantity,
         shared_determiner, imperative, inversion, closing_comma]


def harmonise(tree, counts=None):
    """Rewrites a tree in place by all rules; adds to counts how often each did something."""
    if is_word(tree):
        return
    for child in tree[1:]:
        harmonise(child, counts)
    for rule in RULES if tree[0] != "TOP" else [quotation_marks]:
        changed = rule(tree)
        if counts is not None:
            counts[rule.__name__] = counts.get(rule.__name__, 0) + changed


def hang(tree, rows, begin=0):
    """Hangs the marks of a phrase that have another head outside on its head, and the words of an INTJ or a QP on one
    of them; returns the end of the phrase."""
    if is_word(tree):
        return begin + 1
    end = begin
    for child in tree[1:]:
        end = hang(child, rows, end)
    words = leaves(tree)
    out = [k for k in range(begin, end) if not begin < int(rows[k][6]) <= end]
    heads = [k for k in out if words[k - begin][0] not in MARKS]
    if tree[0] == "QP":
        for k in heads[:-1]:
            rows[k][7] = "quantmod"
        heads = heads[-1:]
    if tree[0] == "INTJ":
        heads = heads[:1]
    if len(heads) == 1 and not above(rows, heads[0]) & set(out):
        for k in out:
            if k != heads[0]:
                rows[k][6] = str(heads[0] + 1)
    return end


def above(rows, at):
    """The words that govern a word, directly or not."""
    found = set()
    while rows[at][6] != "0":
        at = int(rows[at][6]) - 1
        if at in found:
            sys.exit("the arcs of %s form a cycle" % " ".join(r[1] for r in rows))
        found.add(at)
    return found


def main():
    args = [a for a in sys.argv[1:] if a != "--counts"]
    counting = len(args) < len(sys.argv) - 1
    if len(args) != (1 if counting else 2) or any(a.startswith("--") for a in args):
        sys.exit("usage: conventions.py NAME OUT, or conventions.py NAME --counts")
    name = args[0]
    trees = load_trees(name + ".trees")
    given, counts = [show(t) for t in trees], {rule.__name__: 0 for rule in RULES}
    for tree in trees:
        harmonise(tree, counts)
    changed = sum(show(t) != g for t, g in zip(trees, given))
    if counting:
        for rule in RULES:
            print("%-18s %5d" % (rule.__name__.replace("_", "-"), counts[rule.__name__]))
        print("%-18s %5d of %d" % ("trees", changed, len(trees)))
        return
    with open(name + ".conllx", encoding="utf-8") as f:
        sentences = [[row.split("\t") for row in s.split("\n")] for s in f.read().strip("\n").split("\n\n") if s]
    if len(trees) != len(sentences):
        sys.exit("%s: found %d trees and %d sentences, expected as many" % (name, len(trees), len(sentences)))
    with open(args[1] + ".trees", "w", encoding="utf-8") as t, open(args[1] + ".conllx", "w", encoding="utf-8") as d:
        for tree, before, rows in zip(trees, given, sentences):
            words = leaves(tree)
            if [w[1] for w in words] != [r[1] for r in rows]:
                sys.exit("%s: the words of a tree are not those of its sentence: %s" % (name, show(tree)))
            for w, row in zip(words, rows):
                row[3:5] = w[0], w[0]
            if show(tree) != before:
                hang(tree, rows)
            t.write(show(tree) + "\n")
            d.write("".join("\t".join(row) + "\n" for row in rows) + "\n")
    print("%s: %d sentences, %d trees changed" % (args[1], len(trees), changed))


if __name__ == "__main__":
    main()
