"""Parses of lal as a Doc of spaCy, with phrases in doc.spans["constituents"]: prints words, tags, heads and phrases.

    lal parse --format json news.txt | python3 spacy_doc.py
"""

import json
import sys


def doc_values(sentences):
    """What spacy.tokens.Doc takes for these sentences. Heads are tokens of the document, the root is its own head."""
    starts = [sum(len(s["tokens"]) for s in sentences[:k]) for k in range(len(sentences))]
    tokens = [(start, k, t) for start, s in zip(starts, sentences) for k, t in enumerate(s["tokens"])]
    ends = [t.get("begin") for _, _, t in tokens[1:]] + [None]
    values = {"words": [t["form"] for _, _, t in tokens],
              "spaces": [t.get("end") is None or t["end"] != end for (_, _, t), end in zip(tokens, ends)],
              "heads": [start + (t["head"] if t["head"] >= 0 else k) for start, k, t in tokens],
              "deps": ["ROOT" if t["head"] < 0 else t["type"] for _, _, t in tokens]}
    for value, name in (("tags", "tag"), ("lemmas", "lemma"), ("pos", "upos"), ("morphs", "feats")):
        if any(name in t for _, _, t in tokens):
            values[value] = [t.get(name, "") for _, _, t in tokens]
    return values


def spans(sentences):
    """(begin, end, label) of the phrases, in tokens of the document."""
    start = 0
    for s in sentences:
        yield from ((start + c["begin"], start + c["end"], c["label"]) for c in s.get("constituents", []))
        start += len(s["tokens"])


if __name__ == "__main__":
    import spacy
    from spacy.tokens import Doc, Span

    parsed = [json.loads(line) for line in sys.stdin]
    doc = Doc(spacy.blank("en").vocab, **doc_values(parsed))
    doc.spans["constituents"] = [Span(doc, *span) for span in spans(parsed)]
    for sentence in doc.sents:
        print(sentence)
        print("  " + " ".join(f"{t.text}/{t.tag_}/{t.dep_}->{t.head.text}" for t in sentence))
    print(", ".join(f"{span.label_}: {span}" for span in doc.spans["constituents"] if len(span) < 4))
