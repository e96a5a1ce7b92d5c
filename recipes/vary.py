#!/usr/bin/env python3
"""vary.py KIND NAME OUT: a treebank (NAME.trees, NAME.conllx) as people write, to OUT.trees and OUT.conllx.

KIND: lower (no capitals), upper (capitals), title (a capital on each word), final (no final . ! ?), quotes (each
sentence in double quotes), curly (typographic apostrophes and quotes). Standard library only. The sentences are those
that lal train shows with --vary-case, --vary-final and --vary-quotes, but all of them, each in one way.
"""
import re
import sys

LEAF = re.compile(r"\(([^\s()]+) ([^\s()]+)\)")


def recase(kind, word):
    if word in ("-LRB-", "-RRB-"):
        return word
    if kind == "lower":
        return word.lower()
    return word.upper() if kind == "upper" else word[:1].upper() + word[1:]


def vary_words(change, tree, rows):
    words = [change(r[1], r[4]) for r in rows]
    at = iter(words)
    tree = LEAF.sub(lambda m: "(%s %s)" % (m.group(1), next(at)), tree)
    return tree, [[r[0], w] + r[2:] for r, w in zip(rows, words)]


def curly(word, tag):
    if tag in ("``", "''"):
        return "“" if tag == "``" else "”"
    return word.replace("'", "’")


def drop_final(tree, rows):
    last = rows[-1]
    if len(rows) < 2 or last[1] not in (".", "!", "?") or last[6] == "0" or any(r[6] == last[0] for r in rows):
        return tree, rows
    leaf = list(LEAF.finditer(tree))[-1]
    tree = tree[:leaf.start()].rstrip() + tree[leaf.end():]
    while re.search(r"\s*\([^\s()]+\)", tree):  # a phrase that had nothing else
        tree = re.sub(r"\s*\([^\s()]+\)", "", tree)
    return tree, rows[:-1]


def quote(tree, rows):
    m = re.fullmatch(r"\(TOP (\([^\s()]+) (\(.*)\)\)", tree)
    if not m:
        return tree, rows
    root = next(int(r[0]) for r in rows if r[6] == "0") + 1
    out = [["1", "``", "_", "``", "``", "_", str(root), "punct", "_", "_"]]
    out += [[str(int(r[0]) + 1)] + r[1:6] + [str(int(r[6]) + 1 if r[6] != "0" else 0)] + r[7:] for r in rows]
    out.append([str(len(rows) + 2), "''", "_", "''", "''", "_", str(root), "punct", "_", "_"])
    return "(TOP %s (`` ``) %s ('' '')))" % m.groups(), out


def vary(kind, tree, rows):
    if kind in ("lower", "upper", "title"):
        return vary_words(lambda word, tag: recase(kind, word), tree, rows)
    return {"curly": lambda: vary_words(curly, tree, rows), "final": lambda: drop_final(tree, rows),
            "quotes": lambda: quote(tree, rows)}[kind]()


def main():
    kind, name, out = sys.argv[1:]
    with open(name + ".trees", encoding="utf-8") as f:
        trees = f.read().splitlines()
    with open(name + ".conllx", encoding="utf-8") as f:
        sentences = [[row.split("\t") for row in s.splitlines()] for s in f.read().strip().split("\n\n")]
    with open(out + ".trees", "w", encoding="utf-8") as t, open(out + ".conllx", "w", encoding="utf-8") as c:
        for tree, rows in zip(trees, sentences, strict=True):
            tree, rows = vary(kind, tree, rows)
            t.write(tree + "\n")
            c.write("".join("\t".join(r) + "\n" for r in rows) + "\n")


if __name__ == "__main__":
    main()
