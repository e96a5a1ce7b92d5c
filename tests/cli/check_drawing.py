#!/usr/bin/env python3
"""check_drawing.py WIDTH DRAWING JSON: checks a file of `lal parse --format pretty --draw both` without colours against
the JSON output of the same sentences: every word is there, whole and in order; lines of the drawing are at most WIDTH
columns wide unless a block is one word; every line that leaves a character goes on in the next one. Prints the number
of blocks."""

import json
import re
import sys
import unicodedata

CONTROL = re.compile("[\x00-\x1f\x7f-\x9f]")  # replaced in drawings
UP, DOWN, LEFT, RIGHT = 1, 2, 4, 8
LINES = {"\u2502": UP | DOWN, "\u2500": LEFT | RIGHT, "\u256d": DOWN | RIGHT, "\u256e": DOWN | LEFT,
         "\u2570": UP | RIGHT, "\u256f": UP | LEFT, "\u252c": LEFT | RIGHT | DOWN, "\u2534": LEFT | RIGHT | UP,
         "\u251c": UP | DOWN | RIGHT, "\u2524": UP | DOWN | LEFT, "\u253c": UP | DOWN | LEFT | RIGHT}


def width(char):
    if unicodedata.combining(char) or unicodedata.category(char) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1


def columns(line):
    """A character for each column; "" for the second one of a wide character."""
    cells = []
    for char in line:
        cells += ["", [char], [char, ""]][width(char)]
    return cells


def check_lines(rows, where):
    grid = [columns(r) for r in rows]

    def at(r, c):
        return grid[r][c] if 0 <= r < len(grid) and 0 <= c < len(grid[r]) else " "

    for r, row in enumerate(grid):
        for c, char in enumerate(row):
            ends = LINES.get(char, 0)
            for end, r2, c2, back in ((UP, r - 1, c, DOWN), (DOWN, r + 1, c, UP), (RIGHT, r, c + 1, LEFT)):
                other = at(r2, c2)
                if not ends & end or LINES.get(other, 0) & back:
                    continue
                after = at(r, c2 + 1)
                if end == RIGHT and (c2 >= len(row) or after not in (" ", *LINES) or other not in (" ", *LINES)):
                    continue  # the edge, or a label after a blank
                if end != RIGHT and other != " " and other not in LINES:
                    continue  # a word, a label or an arrow
                if end == UP and any(at(r2, c2 + d) not in (" ", *LINES) for d in (-1, 1)):
                    continue  # beside a short type
                sys.exit(f"{where}: the line at row {r + 1}, column {c + 1} ends\n" + "\n".join(rows))


def check_sentence(blocks, words, limit, where):
    at = 0
    for rows in blocks:
        check_lines(rows, where)
        found = [r.split() for r in rows if r.split() == words[at:at + len(r.split())]]
        if not found:
            sys.exit(f"{where}: expected {words[at]}\n" + "\n".join(rows))
        at += len(found[0])
        if len(found[0]) > 1 and max(len(columns(r)) for r in rows) > limit:
            sys.exit(f"{where}: wider than {limit} columns\n" + "\n".join(rows))
    if at != len(words):
        sys.exit(f"{where}: found {at} words, expected {len(words)}")


def main():
    limit = int(sys.argv[1])
    groups = open(sys.argv[2], encoding="utf-8", newline="").read().split("\n\n")
    sentences = [s for s in map(json.loads, open(sys.argv[3], encoding="utf-8")) if s["tokens"]]
    starts = [k for k, g in enumerate(groups) if g.startswith(tuple("123456789"))]
    if len(starts) != len(sentences):
        sys.exit(f"found {len(starts)} sentences, expected {len(sentences)}")
    n = 0
    for s, first, end in zip(sentences, starts, starts[1:] + [len(groups) - 1]):
        blocks = [g.split("\n") for g in groups[first:end]]
        heading = 1 + sum(1 for line in blocks[0][1:] if heading_goes_on(line, blocks[0], s))
        blocks[0] = blocks[0][heading:]
        check_sentence(blocks, [CONTROL.sub("\ufffd", t["form"]) for t in s["tokens"]], limit, f"sentence {s['id']}")
        n += len(blocks)
    print(n, "blocks")


def heading_goes_on(line, block, s):
    """Is the line a part of the heading, which is the text of the sentence in several lines?"""
    indent = len(str(s["id"])) + 2
    text = CONTROL.sub("\ufffd", " ".join(s["text"].split()))
    k = block.index(line)
    so_far = " ".join(x[indent:].strip() for x in block[:k + 1])
    return line.startswith(" " * indent) and text.startswith(so_far)


main()
