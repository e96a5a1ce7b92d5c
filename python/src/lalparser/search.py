"""Patterns of Tregex and Semgrex over parses and treebanks (docs/SEARCH.md has their language)."""
from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any, Callable, Dict, Iterable, Iterator, List, Literal, Optional, Tuple, Union

from . import _native
from ._library import ArgumentError, library, raise_error, take_text
from .options import c_string, make_pattern_options
from .parser import _encoded, _shown
from .result import Phrase, Result, Sentence, Token, _text

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from .options import PatternOptions

Format = Literal["brackets", "conllu", "json"]


class SearchedSentence:
    """A sentence of a text that was searched, without a parse: its number `i`, from 0, the line where it begins, from
    1, its text and its words."""

    __slots__ = ("i", "line", "text", "words")

    def __init__(self, found: Any) -> None:
        self.i, self.line = int(found.sentence), int(found.line) or None
        self.text = str(_text(found.text))
        self.words = [found.words[k].decode("utf-8") for k in range(found.n_words)]

    def __repr__(self) -> str:
        return "<SearchedSentence %r>" % self.text


class Node:
    """A node of a match: tokens begin_token .. end_token - 1 of its sentence, code points begin_char .. end_char - 1 of
    the text (None: not known). node: its number in the tree, the top is 0, tags and words count, so that
    tree[tree.treepositions()[node]] is it in an nltk.Tree; tree: it in brackets; both None: not of the tree. id: of a
    word of the graph, as CoNLL-U has it, "5", or "8.1" of an empty node. In a parse, phrase or token is it."""

    __slots__ = ("label", "text", "begin_token", "end_token", "begin_char", "end_char", "node", "tree", "id", "phrase",
                 "token")

    def __init__(self, of: Any, tree: Optional[str], sentence: Any) -> None:
        self.label, self.text = _text(of.label), str(_text(of.text))
        self.begin_token, self.end_token = int(of.begin), int(of.end)
        known = of.end_char > 0
        self.begin_char = int(of.begin_char) if known else None
        self.end_char = int(of.end_char) if known else None
        self.node, self.tree = None if of.node < 0 else int(of.node), tree
        self.id = _text(of.id)
        self.phrase: Optional[Phrase] = None
        self.token: Optional[Token] = None
        if isinstance(sentence, Sentence):
            if of.phrase >= 0:
                self.phrase = Phrase(sentence, of.phrase)
            elif of.node > 0:
                self.token = Token(sentence, of.begin)
            if of.token >= 0:
                self.token = Token(sentence, of.token)

    def __repr__(self) -> str:
        return "<Node %s %r>" % (self.label, self.text)


class Match:
    """What a pattern found: node, with which it begins; match["np"] is the node of a name, nodes has all that are set;
    variables of Tregex (%x), relations and edges of Semgrex that have names. sentence: a Sentence, or, of a text, a
    SearchedSentence, or the nltk.Tree that was searched."""

    __slots__ = ("sentence", "node", "nodes", "variables", "relations", "edges")

    def __init__(self, sentence: Any, match: Any, node: Callable[[Any], Any]) -> None:
        self.sentence, self.node = sentence, node(match.node)
        self.nodes = {named.name.decode("utf-8"): node(named) for named in match.named[:match.n_named]}
        self.variables = _values(match.variables, match.n_variables)
        self.relations = _values(match.relations, match.n_relations)
        self.edges: Dict[str, Tuple[str, str, str]] = {
            edge.name.decode("utf-8"): (edge.governor.decode(), edge.dependent.decode(), edge.relation.decode("utf-8"))
            for edge in match.edges[:match.n_edges]}

    def __getitem__(self, name: str) -> Any:
        return self.nodes[name]

    def __contains__(self, name: str) -> bool:
        return name in self.nodes

    def __repr__(self) -> str:
        return "<Match %r%s>" % (self.node, "".join(" %s=%r" % item for item in self.nodes.items()))


def _values(array: Any, n: int) -> Dict[str, str]:
    return {array[k].name.decode("utf-8"): array[k].value.decode("utf-8") for k in range(n)}


def _is_tree(value: object) -> bool:
    """Is it an nltk.Tree?"""
    return hasattr(value, "label") and hasattr(value, "leaves")


def _brackets(tree: Any) -> str:
    """An nltk.Tree; its words may be escaped or not."""
    if not _is_tree(tree):
        return str(tree).replace("(", "-LRB-").replace(")", "-RRB-")
    return "(%s)" % " ".join([str(tree.label()), *map(_brackets, tree)])


def _format(text: str) -> str:
    """Of a text, by its beginning."""
    first = text.lstrip()[:1]
    if first in ("(", "<", "*", ""):
        return "brackets"
    if first == "{":
        return "json"
    if first == "#" or first.isdigit():
        return "conllu"
    raise ArgumentError("found the text %s, expected trees in brackets, CoNLL-U or JSON lines, or a parse of it" %
                        _shown(text))


class Pattern:
    """A pattern of Tregex or, if it begins with a brace, of Semgrex; with semgrex="..." one of each, whose matches are
    joined: a name that both have is a phrase and the token that heads it. May be used by any number of threads."""

    def __init__(self, text: str, **options: Unpack[PatternOptions]) -> None:
        self.text, self.options = text, options
        self._text, self._options = c_string("pattern", text), make_pattern_options(options)
        library.lal_pattern_free(self._compile())

    def __reduce__(self) -> Any:
        return _pattern, (self.text, self.options)

    def __repr__(self) -> str:
        return "Pattern(%s)" % ", ".join([repr(self.text), *("%s=%r" % item for item in self.options.items())])

    def _compile(self) -> Any:
        error = _native.LalError()
        handle = library.lal_pattern_compile(self._text, self._options, error)
        if not handle:
            raise_error(error)
        return handle

    def search(self, what: Any, *, format: Optional[Format] = None) -> Iterator[Match]:
        """The matches in a Result or a Sentence; in a text, a str or bytes, of trees in brackets, CoNLL-U or lines of
        JSON, told apart by their beginning unless format says it; in an nltk.Tree; or in an iterable of any of these,
        such as parser.pipe(texts). They come as they are found."""
        if isinstance(what, (str, bytes)) or _is_tree(what) or isinstance(what, (Result, Sentence)):
            items: Iterable[Any] = [what]
        elif hasattr(what, "__iter__"):
            items = what
        else:
            raise TypeError("found %s, expected a parse, a text or a list of them" % _shown(what))
        return self._run(_source(item, format) for item in items)

    def _run(self, sources: Iterable[Source]) -> Iterator[Match]:
        error = _native.LalError()
        handle = self._compile()
        try:
            for begin, sentence_of, node_of in sources:
                if begin(handle, error) != _native.LAL_OK:
                    raise_error(error)
                while True:
                    found = library.lal_search_next(handle, error)
                    if not found:
                        break
                    yield from _matches(handle, found.contents, sentence_of, node_of)
                if error.code != _native.LAL_OK:
                    raise_error(error)
        finally:
            library.lal_pattern_free(handle)


# What begins to search something: begin(pattern, error); the sentence of a LalFound; and what a Match has of a LalNode,
# its tree and its sentence.
Source = Tuple[Callable[[Any, Any], int], Callable[[Any], Any], Callable[[Any, Optional[str], Any], Any]]


def _source(item: Any, format: Optional[str]) -> Source:
    if isinstance(item, Result):
        return sentences(item._r.sentences, len(item), lambda found: item[found.sentence])
    if isinstance(item, Sentence):
        return sentences(ctypes.pointer(item._s), 1, lambda found: item)
    if _is_tree(item):
        return _text_source(_brackets(item), "brackets", lambda found: item)
    if isinstance(item, (str, bytes)):
        return _text_source(item, format, SearchedSentence)
    raise TypeError("found %s, expected a parse or a text" % _shown(item))


def sentences(array: Any, n: int, sentence_of: Callable[[Any], Any],
              node_of: Callable[[Any, Optional[str], Any], Any] = Node) -> Source:
    """Of n LalSentences."""
    return lambda handle, error: int(library.lal_search_sentences(handle, array, n, error)), sentence_of, node_of


def _text_source(text: Union[str, bytes], format: Optional[str], sentence_of: Callable[[Any], Any]) -> Source:
    data, shown = _encoded(text)
    name = c_string("format", format or _format(shown))
    return (lambda handle, error: int(library.lal_search_text(handle, data, len(data), name, error)), sentence_of,
            Node)


def _matches(handle: Any, found: Any, sentence_of: Callable[[Any], Any],
             node_of: Callable[[Any, Optional[str], Any], Any]) -> List[Match]:
    if not found.n_matches:
        return []
    sentence = sentence_of(found)
    return [Match(sentence, match, lambda of: node_of(of, _tree(handle, of.node), sentence))
            for match in found.matches[:found.n_matches]]


def _tree(handle: Any, node: int) -> Optional[str]:
    if node < 0:
        return None
    error = _native.LalError()
    address = library.lal_search_tree(handle, node, 0, error)
    return take_text(address, error)


def _pattern(text: str, options: Any) -> Pattern:
    return Pattern(text, **options)
