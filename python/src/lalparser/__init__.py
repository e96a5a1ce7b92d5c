"""English text to phrase structure trees, dependencies, lemmas and Universal Dependencies.

    import lalparser
    parser = lalparser.load("small")
    for sentence in parser.parse("I saw her duck."):
        print(sentence.tree)
"""
from __future__ import annotations

from typing import Any

from ._library import ArgumentError, Error, FileError, Stopped, TextError
from ._native import VERSION as __version__
from .parser import FORMATS, Parser, split
from .result import Phrase, Result, Sentence, Token

__all__ = ["ArgumentError", "Error", "FORMATS", "FileError", "Parser", "Phrase", "Result", "Sentence", "Stopped",
           "TextError", "Token", "__version__", "load", "split"]


def load(model: str = "small", **options: Any) -> Parser:
    """A parser with the model small, base or large, or of a file. Options, with their defaults: newlines="auto"
    (sentence, paragraph, space), markup="auto" (none, markdown), sentences="find" (line, all), tokens="find" (space),
    treebank=None, probabilities=False, contributions=False, why=False, deps="auto", hyphens="model",
    ranges=False, max_words=120, batch_tokens=600, max_memory=2e9; calls take them, too, but not threads=1, which parse
    the sentences of one call."""
    return Parser(model, **options)
