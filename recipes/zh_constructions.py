#!/usr/bin/env python3
"""zh_constructions.py [--seed N] [--each N] [--not FILE]... PATTERNS > OUT.trees

Makes N sentences (default 400) of each of the constructions of PATTERNS, zh_constructions.txt, a tree on each
line; of equal ones one, and none of FILE, a file of trees. Equal arguments make equal output. Standard library only.
"""
import argparse
import random
import re
import sys

from conventions import is_word, leaves, load_trees, read_trees, show


def read(path):
    """name -> patterns, each as often as it is to come: texts and names of other patterns, in turn."""
    rules = {}
    for line in re.sub(r"\n +", " ", re.sub(r"#.*\n", "", open(path, encoding="utf-8").read())).split("\n"):
        name, sign, rest = re.fullmatch(r"(?:([a-z0-9]+)(:| =) )?(.*)", line).groups()
        if sign == ":":
            tag, *words = rest.split()
            rules[name] = [["(%s %s)" % (tag, word)] for word in words]
        elif sign:
            rules[name] = []
            for pattern in rest.split("|"):
                times, pattern = re.fullmatch(r" *(?:(\d+)\*)? *(.*?) *", pattern).groups()
                rules[name] += int(times or 1) * [re.split(r"\{(\w+)\}", pattern)]
        elif line:
            sys.exit("%s: found %r, expected NAME: TAG WORD... or NAME = PATTERN | ..." % (path, line))
    missing = {part for patterns in rules.values() for p in patterns for part in p[1::2] if part not in rules}
    if missing:
        sys.exit("%s: no line explains %s" % (path, ", ".join(sorted(missing))))
    return rules


def text(rules, name, chance, depth=0):
    """A random text of a name, of its shortest patterns where names are deep in each other."""
    patterns = rules[name]
    if depth > 7:
        fewest = min(len(p) for p in patterns)
        patterns = [p for p in patterns if len(p) == fewest]
    pattern = chance.choice(patterns)
    return "".join(text(rules, part, chance, depth + 1) if k % 2 else part for k, part in enumerate(pattern))


def plain(node):
    """A phrase in nothing but a phrase of its label is one; what stands before a verb phrase is flat beside it."""
    if is_word(node):
        return node
    node = [node[0]] + [plain(child) for child in node[1:]]
    last = node[-1]
    if last[0] == node[0] and (len(node) == 2 or node[0] == "VP" and modifiers(node) and modifiers(last)):
        node[-1:] = last[1:]
    return node


def modifiers(node):
    """Whether a phrase has a verb phrase, and what modifies it before it."""
    return len(node) > 2 and node[-1][0] == "VP" and all(
        child[0] in ("ADVP", "DVP", "PP", "LCP") or child[0] == "NP" and child[1][0] == "NT" for child in node[1:-1])


def ended(sentence):
    """了 at the end of a sentence is a particle of its last clause; in a clause that a verb has it is left out."""
    marks = len(sentence)
    while sentence[marks - 1][0] == "PU":
        marks -= 1
    last = sentence[marks - 1]
    if last[0] == "IP":
        sentence[marks - 1] = ended(last)
    elif last[0] == "SP" and take_le(sentence[1]) == "clause" and last[1] != "了":
        sentence[2:2] = [["SP", "了"]]
    elif last[0] == "VP":
        of = take_le(last)
        if of == "clause":
            return ["CP", sentence[:marks], ["SP", "了"]] + sentence[marks:]
    return sentence


def take_le(node):
    """Takes away 了 at the end of a phrase, and says whether it was of its clause or of one within; else None."""
    of = "clause"
    while not is_word(node[-1]):
        inner = node[-1]
        if inner[0] in ("IP", "CP") and node[1][0] not in ("BA", "LB"):
            of = "inner"
        node = inner
    if node[-1] != ["AS", "了"] or len(node) < 3:
        return None
    del node[-1]
    return of


def spelt(sentence):
    return "".join(word for _, word in leaves(sentence))


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("\n", 1)[0])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--each", type=int, default=400)
    parser.add_argument("--not", dest="excluded", action="append", default=[])
    parser.add_argument("patterns")
    args = parser.parse_args()
    rules, chance = read(args.patterns), random.Random(args.seed)
    made = {spelt(tree) for name in args.excluded for tree in load_trees(name)}
    for construction in rules["sentence"]:
        n = 0
        while n < args.each:
            tree = ended(plain(read_trees(text(rules, construction[1], chance))[0]))
            if spelt(tree) not in made and len(leaves(tree)) <= 32:
                made.add(spelt(tree))
                print("(TOP %s)" % show(tree))
                n += 1


main()
