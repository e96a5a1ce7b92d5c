#!/usr/bin/env python3
"""sinica.py [FILE...]: trees of the Sinica Treebank with their dependencies as JSON, one sentence on each line of
standard output, for `lal convert`, its group and `lal parse --input json`. Standard library only.

A tree is one line, phrases and words with semantic roles, and a mark after the tree: #3:3.[39029]
S(theme:NP(Head:Nhaa:我們)|Head:V_11:是|range:NP(Head:Nab:鄰居))#，(COMMACATEGORY) (Chen et al. 2003, "Sinica Treebank:
design criteria, representational issues and implementation"). Features ("[+ASP]") of categories are removed, and the
mark becomes the last word of the top phrase. Dependencies follow from the roles: the head of a phrase is its child with
the role Head; if several children have it, or none, it is the last of them in phrases N... and D..., else the first.
The other children depend on it with their role as type, other Heads as "cohead", the mark as "punct".

    recipes/sinica.py FILE > FILE.json; lal convert FILE.json > FILE.trees; lal convert --to conllx FILE.json
"""
import gzip
import json
import re
import sys
from typing import NamedTuple

# One to three names with ":" between them; a word may have further ones.
ITEM = re.compile(r"([^:(|)]*)(?::([^:(|)]*)(?::([^(|)]*))?)?")
MARK = re.compile(r"#([^(]*)\((.*)\)$")
BLANK = re.compile(r"[ \t\r\n]")


def shown(text):
    return "".join(c if c.isprintable() else f"<U+{ord(c):04X}>" for c in text[:40])


class Fault(Exception):
    """What is wrong, and where in the line."""

    def __init__(self, at, what):
        super().__init__(what)
        self.at = at


class Child(NamedTuple):
    word: int  # its head word
    role: str


class Phrase(NamedTuple):
    role: str
    label: str
    children: list
    span: dict  # as it is written


class Tree:
    """Reads one line."""

    def __init__(self, line):
        self.line = line
        self.at = line.find(" ") + 1 if line.startswith("#") else 0
        self.tokens, self.spans, self.open = [], [], []
        self.top = Phrase("", "", [], {})

    def read(self):
        self.read_item()
        if not self.open:
            raise Fault(self.at, "found a word, expected a phrase")
        while self.open:
            after = self.line[self.at:self.at + 1]
            opened = self.line[self.at - 1] == "("
            if not opened and after == ")":
                self.close()
                self.at += 1
            elif not opened and after != "|":
                raise Fault(self.at, "found other text after ')', expected '|' or ')'" if after else
                            "found the end of the line, expected ')'")
            else:
                self.at += not opened
                self.read_item()
        root = self.top.children[0].word
        self.tokens[root].update(head=-1, type="root")
        if self.at < len(self.line):
            self.read_mark(root)
        for token in self.tokens:
            token["type"] = token["type"] or "_"
            if BLANK.search(token["type"]):
                raise Fault(self.at, "found a role with blanks, expected one without")
        return {"tokens": self.tokens, "constituents": self.spans}

    def read_item(self):
        start, item = self.at, ITEM.match(self.line, self.at)
        parts = [part for part in item.groups() if part is not None]
        self.at = item.end()
        if self.line[self.at:self.at + 1] == "(":
            self.at += 1
            if len(parts) == 3:
                raise Fault(self.at, "found '(' after a word, expected '|' or ')'")
            self.begin(start, "" if len(parts) == 1 else parts[0], parts[-1].partition("[")[0])
        elif len(parts) == 3:
            self.add_word(start, *parts)
        else:
            raise Fault(start, "found an incomplete item, expected ROLE:CATEGORY(...) or ROLE:CATEGORY:WORD")

    def begin(self, start, role, label):
        if not label:
            raise Fault(start, "found a phrase without a label")
        if BLANK.search(label):
            raise Fault(start, f"found '{shown(label)}' as label of a phrase, expected one without blanks, brackets "
                        "and empty parts")
        span = {"label": label, "begin": len(self.tokens), "end": 0}
        self.spans.append(span)
        self.open.append(Phrase(role, label, [], span))

    def add_word(self, start, role, tag, word):
        tag = tag.partition("[")[0]
        if not tag:
            raise Fault(start, "found a word without a tag")
        if not word:
            raise Fault(start, "found a tag without a word")
        if BLANK.search(tag):
            raise Fault(start, f"found '{shown(tag)}' as tag, expected one without blanks")
        if not word.strip(" ") or "\t" in word or "\r" in word:
            raise Fault(start, "found a word of blanks, or with a tab or a line break")
        (self.open or [self.top])[-1].children.append(Child(len(self.tokens), role))
        self.tokens.append({"form": word, "tag": tag, "head": -1, "type": ""})

    def close(self):
        phrase = self.open.pop()
        candidates = [child for child in phrase.children if child.role == "Head"] or phrase.children
        head = candidates[-1 if phrase.label[0] in "ND" else 0]
        for child in phrase.children:
            if child is not head:
                self.tokens[child.word].update(head=head.word, type="cohead" if child.role == "Head" else child.role)
        phrase.span["end"] = len(self.tokens)
        (self.open or [self.top])[-1].children.append(Child(head.word, phrase.role))

    def read_mark(self, root):
        if self.line[self.at] != "#":
            raise Fault(self.at, "found text after the tree, expected '#'")
        mark = MARK.match(self.line, self.at)
        if not mark:
            raise Fault(self.at, "found other text after the tree, expected #MARK(CATEGORY)")
        self.add_word(self.at, "punct", mark[2], mark[1])
        self.tokens[-1].update(head=root, type="punct")
        self.spans[0]["end"] = len(self.tokens)


def read_file(path, file):
    for number, line in enumerate(file, 1):
        line = line.rstrip(b"\n").removesuffix(b"\r")
        try:
            text = line.decode("utf-8-sig" if number == 1 else "utf-8")
            if text:
                print(json.dumps(Tree(text).read(), ensure_ascii=False))
        except UnicodeDecodeError as error:
            sys.exit(f"{path}:{number}:{error.start + 1}: found bytes that are not UTF-8")
        except Fault as fault:
            sys.exit(f"{path}:{number}:{len(text[:fault.at].encode()) + 1}: {fault}")


def main():
    sys.stdout.reconfigure(encoding="utf-8")
    for path in sys.argv[1:] or ["-"]:
        if path == "-":
            read_file(path, sys.stdin.buffer)
        else:
            try:
                with (gzip.open if path.endswith(".gz") else open)(path, "rb") as file:
                    read_file(path, file)
            except OSError as error:
                sys.exit(f"{path}: cannot open: {error.strerror}")


main()
