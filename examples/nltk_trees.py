"""Trees of lal in NLTK: prints the noun phrases that have no noun phrase in them.

    lal parse news.txt | python3 nltk_trees.py                    # a tree on each line
    lal parse --format pretty news.txt | python3 nltk_trees.py    # or on several lines
"""

import sys

from nltk import Tree
from nltk.tokenize import SExprTokenizer


def trees(text):
    """The trees of a text in brackets, one for each sentence."""
    return [Tree.fromstring(t) for t in SExprTokenizer().tokenize(text) if t.strip()]


def is_base(tree):
    return tree.label() == "NP" and not any(t.label() == "NP" for child in tree for t in child.subtrees())


if __name__ == "__main__":
    for tree in trees(sys.stdin.read()):
        print(" | ".join(" ".join(phrase.leaves()) for phrase in tree.subtrees(is_base)))
