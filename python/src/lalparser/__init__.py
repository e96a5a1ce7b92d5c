"""English text to phrase structure trees, dependencies, lemmas and Universal Dependencies.

    import lalparser
    parser = lalparser.load("small")
    for sentence in parser.parse("I saw her duck."):
        print(sentence.tree)
"""
from __future__ import annotations

import os
from typing import TYPE_CHECKING, Union

from ._library import ArgumentError, Error, FileError, LimitError, Stopped, TextError
from ._native import VERSION as __version__
from .options import Options
from .parser import FORMATS, Parser, split
from .result import Phrase, Result, Sentence, Token
from .search import Match, Node, Pattern, SearchedSentence

if TYPE_CHECKING:
    from typing_extensions import Unpack

__all__ = ["ArgumentError", "Error", "FORMATS", "FileError", "LimitError", "Match", "Node", "Options", "Parser",
           "Pattern", "Phrase", "Result", "SearchedSentence", "Sentence", "Stopped", "TextError", "Token",
           "__version__", "load", "split"]


def load(model: Union[str, "os.PathLike[str]"] = "small", *, threads: int = 1, **options: Unpack[Options]) -> Parser:
    """A parser with the model small, base, large or zh, or of a file. Options, with their defaults: newlines="auto"
    (sentence, paragraph, space), markup="auto" (none, markdown, html, srt, latex), sentences="find" (line, all),
    tokens="find" (space), treebank=None, probabilities=False, contributions=False, confidence=False, why=False,
    deps="auto" (ud, model), hyphens="model" (split, keep), invalid="error" (replace, skip), rules=None,
    ranges=False, k_best=0, max_words=120, batch_tokens=600, max_memory=2e9; calls take them, too, but not threads=1,
    which parse the sentences of one call."""
    return Parser(model, threads=threads, **options)
