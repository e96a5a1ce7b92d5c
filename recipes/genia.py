#!/usr/bin/env python3
"""genia.py [FILE...]: the GENIA Treebank's XML as bracketed trees, one on each line of standard output. Standard
library only.

A file has <sentence> with <cons cat="NP" role="SBJ"> phrases and <tok cat="NN"> words (Tateisi et al. 2005, "Syntax
annotation for the GENIA corpus"); what is outside of sentences is skipped. Tags become those of the Penn Treebank
(COMMA is ","), blanks inside a token are dropped, attributes are function tags (NP-SBJ), and null elements are traces.
Commands that read trees drop function tags and traces, and `lal convert --functions keep --traces keep` keeps them.
"""
import gzip
import re
import sys
from xml.parsers import expat

TAGS = {"PERIOD": ".", "COMMA": ",", "COLON": ":", "LRB": "-LRB-", "RRB": "-RRB-", "LQT": "``", "RQT": "''",
        "PRPP": "PRP$", "WPP": "WP$", "HASH": "#", "DOLLAR": "$", "PERCENT": "%"}
FUNCTIONS = ("role", "func", "adv", "null", "syn")
# What a reader of trees would take for something else (docs/FORMATS.md).
MISREAD = re.compile(r"[()\\]|-(?=[LR][RSC]B-|U\+)|^/(?=.$)")
ESCAPES = {"(": "-LRB-", ")": "-RRB-", "\\": "-U+005C-", "-": "-U+002D-", "/": "-U+002F-"}


def escape(text):
    return MISREAD.sub(lambda found: ESCAPES[found[0]], text)


def shown(text):
    return "".join(c if c.isprintable() else f"<U+{ord(c):04X}>" for c in text[:40])


class Reader:
    """Passes the events of one file to a stack of open phrases, each the list of its label and its written parts."""

    def __init__(self, path):
        self.path = path
        self.open = []  # the sentence and its phrases; empty outside of sentences
        self.tag = None  # of the open <tok>
        self.word = ""
        self.is_null = False  # the innermost phrase is a null element without content so far
        self.xml = expat.ParserCreate()
        self.xml.StartElementHandler = self.begin
        self.xml.EndElementHandler = self.end
        self.xml.CharacterDataHandler = self.characters

    def fail(self, what):
        sys.exit(f"{self.path}:{self.xml.CurrentLineNumber}:{self.xml.CurrentColumnNumber + 1}: {what}")

    def begin(self, name, attributes):
        if name == "sentence":
            if self.open:
                self.fail("found a sentence inside a sentence")
            self.open = [["TOP"]]
        elif self.tag is not None:
            self.fail("found an element inside <tok>, expected its word")
        elif self.open and name == "cons":
            self.begin_phrase(attributes)
        elif self.open and name == "tok":
            self.tag, self.word, self.is_null = attributes.get("cat", ""), "", False

    def begin_phrase(self, attributes):
        label = "-".join([attributes.get("cat", "")] + [attributes[f] for f in FUNCTIONS if f in attributes])
        if "cat" not in attributes:
            self.fail("found a phrase without a label")
        if re.search(r"[ \t\r\n()]", label) or "" in label.split("::"):
            self.fail(f"found '{shown(label)}' as label of a phrase, expected one without blanks, brackets and empty "
                      "parts")
        self.open.append([label])
        self.is_null = "null" in attributes

    def end(self, name):
        if name == "tok" and self.tag is not None:
            self.end_word(TAGS.get(self.tag, self.tag))
            self.tag = None
        elif name == "cons" and self.open:
            if self.is_null:
                self.open[-1].append("(-NONE- *)")
            self.is_null = False
            self.end_phrase()
        elif name == "sentence":
            if len(self.open[0]) == 1:
                self.fail("found a tree without words, expected at least one")
            print("(" + " ".join(self.open.pop()) + ")")

    def end_word(self, tag):
        if not tag:
            self.fail("found a word without a tag")
        if not self.word:
            self.fail("found a tag without a word")
        if re.search(r"[ \t\r\n]", tag):
            self.fail(f"found '{shown(tag)}' as tag, expected one without blanks")
        tag = tag if tag in ("-LRB-", "-RRB-") else escape(tag)
        self.open[-1].append(f"({tag} {escape(self.word)})")

    def end_phrase(self):
        phrase = self.open.pop()
        if len(phrase) > 1:
            self.open[-1].append("(" + " ".join(phrase) + ")")

    def characters(self, text):
        text = re.sub(r"[ \t\r\n]", "", text)
        if self.tag is not None:
            self.word += text
        elif text and self.open:
            self.fail("found text outside <tok>")

    def read(self, file):
        try:
            self.xml.ParseFile(file)
        except expat.ExpatError as error:
            self.fail(f"found invalid XML: {expat.ErrorString(error.code)}")


def main():
    sys.stdout.reconfigure(encoding="utf-8")
    for path in sys.argv[1:] or ["-"]:
        if path == "-":
            Reader(path).read(sys.stdin.buffer)
        else:
            try:
                with (gzip.open if path.endswith(".gz") else open)(path, "rb") as file:
                    Reader(path).read(file)
            except OSError as error:
                sys.exit(f"{path}: cannot open: {error.strerror}")


main()
