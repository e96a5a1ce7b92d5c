#!/usr/bin/env python3
"""PYTHONPATH=python/src texts.py [FILE [MODEL [ROUNDS]]]: words a processor second of the Python package: one call for
the text of FILE eight times over, pipe over its sentences as texts, and parse of one after the other. Medians over
rounds, in each of which each runs once, and of the share of the one call of the same round."""
import statistics
import sys
import time
from pathlib import Path

import lalparser

ROOT = Path(__file__).resolve().parents[2]


def seconds(work):
    begin = time.process_time()
    work()
    return time.process_time() - begin


def main():
    file, model, rounds = (sys.argv[1:] + ["", "", ""][len(sys.argv) - 1:])[:3]
    text = Path(file or ROOT / "examples/declaration.txt").read_text(encoding="utf-8") * 8
    parser = lalparser.load(model or "small")
    result = parser.parse(text)
    words, texts = len(result.tokens), [sentence.text for sentence in result]
    ways = {"one call": lambda: parser.parse(text),
            "and its trees": lambda: [sentence.tree for sentence in parser.parse(text)],
            "pipe": lambda: list(parser.pipe(texts)),
            "parse, parse, ...": lambda: [parser.parse(text) for text in texts]}
    taken = {name: [] for name in ways}
    for _ in range(int(rounds or 9)):
        for name, work in ways.items():
            taken[name].append(seconds(work))
    print("%d words in %d sentences" % (words, len(texts)))
    for name, times in taken.items():
        shares = [one / other for one, other in zip(taken["one call"], times)]
        print("%-18s %6.0f words/s  %.2f (%.2f to %.2f)" % (name, words / statistics.median(times),
                                                            statistics.median(shares), min(shares), max(shares)))


if __name__ == "__main__":
    main()
