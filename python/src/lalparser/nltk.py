"""NLTK's interfaces: nltk.Tree of a parse, and parsers with the calls of NLTK's CoreNLPParser and
CoreNLPDependencyParser, so that programs change one line."""
from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Any, Dict, Generator, Iterable, Iterator, Optional, Sequence

from nltk.parse.api import ParserI  # type: ignore
from nltk.parse.dependencygraph import DependencyGraph  # type: ignore
from nltk.tree import Tree  # type: ignore

from . import parser as _parser
from .result import Sentence


def tree(sentence: Sentence) -> Tree:
    """The tree with TOP above it. Words are written as in Sentence.tree, "(" as "-LRB-", so that Tree.fromstring reads
    what str of the tree writes."""
    return Tree.fromstring(sentence.tree) if len(sentence) else Tree("TOP", [])


def graph(sentence: Sentence, ud: bool = False) -> DependencyGraph:
    """The dependencies; ud: Universal Dependencies."""
    lines = []
    for i, token in enumerate(sentence):
        head, kind = (token.ud_head, token.ud_relation) if ud else (token.head, token.type)
        tag = token.tag or "XX"
        number = 0 if head is None else head + 1
        lines.append("\t".join([str(i + 1), token.form, token.lemma or "_", token.upos or tag, tag, "_", str(number),
                                "ROOT" if head is None else kind or "dep", "_", "_"]))
    return DependencyGraph("\n".join(lines), top_relation_label="ROOT", cell_separator="\t")


class _Base(ParserI):  # type: ignore[misc]
    def __init__(self, model: str = "small", parser: Optional[_parser.Parser] = None, **options: Any) -> None:
        self.parser = parser or _parser.Parser(model, **options)

    def make(self, sentence: Sentence) -> Any:
        raise NotImplementedError

    def _parses(self, sentence: Sentence) -> Iterator[Any]:
        """Each once, the best first; several with the option k_best."""
        made: Dict[str, Any] = {}
        for one in map(self.make, sentence.best or [sentence]):
            made.setdefault(one.to_conll(10) if isinstance(one, DependencyGraph) else str(one), one)
        return iter(made.values())

    def grammar(self) -> Any:
        raise NotImplementedError("the grammar is a network")

    def parse_sents(self, sents: Iterable[Sequence[str]], *args: Any, **options: Any) -> Generator[Any, None, None]:
        """An iterator of parses for each tokenized sentence."""
        for sentence in self.parser.parse_words(sents):
            yield self._parses(sentence)

    def raw_parse(self, sentence: str, *args: Any, **options: Any) -> Iterator[Any]:
        """The parses of the first sentence of a text."""
        for first in self.parser.parse(sentence)[:1]:
            yield from self._parses(first)

    def raw_parse_sents(self, sentences: Iterable[str], *args: Any, **options: Any) -> Iterator[Iterator[Any]]:
        """As raw_parse, for several texts, each of which is one sentence."""
        for text in sentences:
            yield chain.from_iterable(map(self._parses, self.parser.parse(text, sentences="all")))

    def parse_text(self, text: str, *args: Any, **options: Any) -> Iterator[Any]:
        """The best parses of all sentences of a text."""
        for sentence in self.parser.parse(text):
            yield self.make(sentence)

    def tokenize(self, text: str) -> Iterator[str]:
        for sentence in _parser.split(text):
            for token in sentence:
                yield token.form


class LalParser(_Base):
    """Phrase structure as nltk.Tree."""

    def make(self, sentence: Sentence) -> Tree:
        return tree(sentence)


class LalDependencyParser(_Base):
    """Dependencies as DependencyGraph; ud: Universal Dependencies (default), else those of the model."""

    def __init__(self, model: str = "small", ud: bool = True, **options: Any) -> None:
        super().__init__(model, **options)
        self.ud = ud

    def make(self, sentence: Sentence) -> DependencyGraph:
        return graph(sentence, self.ud)


__all__ = ["LalDependencyParser", "LalParser", "graph", "tree"]
