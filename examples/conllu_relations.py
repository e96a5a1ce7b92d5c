"""CoNLL-U of lal read by the package conllu: prints id, root, subject and object of each sentence.

    lal parse --format conllu news.txt | python3 conllu_relations.py
"""

import sys

from conllu import parse_incr


def relations(sentence):
    """The first word with each relation."""
    found = {}
    for token in sentence:
        if isinstance(token["id"], int):  # not a range of a multiword token
            found.setdefault(token["deprel"], token["form"])
    return found


if __name__ == "__main__":
    for sentence in parse_incr(sys.stdin):
        found = relations(sentence)
        print(sentence.metadata["sent_id"], *(found.get(name, "-") for name in ("root", "nsubj", "obj")))
