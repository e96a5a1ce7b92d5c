#!/usr/bin/env python3
"""check-parameters.py: of the parameters of the functions that headers declare, fewer than one in ten has a name of
one letter. Lists them by file, most first, and fails if there are more. Letters are for indices and counts (i, n), for
the formulas of kernels (x, w), and for two things of one type (a, b); all others have words."""
import collections
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
DECLARED = re.compile(r"^(?!typedef|return|else)[A-Za-z_][\w *]*?[ *]\w+\(((?:[^()]|\([^()]*\))*)\)\s*"
                      r"(?:__attribute__\s*\(\(.*?\)\)\s*)?[;{]", re.M)


def parameters(header):
    """The names of the parameters of the functions that a header declares."""
    text = re.sub(r"/\*.*?\*/", " ", header.read_text(encoding="utf-8"), flags=re.S)
    text = re.sub(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", "", text, flags=re.M)
    for function in DECLARED.finditer(text):
        for one in re.split(r",(?![^(]*\))", function.group(1)):
            name = re.search(r"\(\*(\w+)\)|(\w+)\s*$", re.sub(r"\[[^\]]*\]", "", one))
            if name and one.strip() != "void":
                yield name.group(1) or name.group(2)


def main():
    letters, total = collections.Counter(), 0
    for header in sorted(ROOT.rglob("*.h")):
        file = header.relative_to(ROOT)
        if file.parts[0] in ("tests", "examples", "build"):
            continue
        for name in parameters(header):
            total += 1
            letters[str(file)] += len(name) == 1
    most = sum(letters.values())
    if total < 1000 or most * 10 >= total:
        for file, n in letters.most_common(20):
            print(file, n)
        sys.exit(f"found {most} one-letter names of {total} parameters, expected fewer than a tenth")


main()
