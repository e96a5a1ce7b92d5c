"""Parsed texts: views of the memory of the library, which a Result frees when nobody has it any more. They cannot be
changed, so a copy is the same object; they compare by what they say, and can be pickled."""
from __future__ import annotations

import ctypes
import html
import json
import weakref
from functools import lru_cache
from typing import Any, Dict, Iterator, List, Mapping, Optional, Sequence, Tuple, Union, overload

from . import _native
from ._library import library, take_text
from .options import c_string, make_options

KEPT = ("deps", "ranges", "sentences", "tokens", "newlines")  # options that lal_sentence_as reads
SHOWN = 20  # sentences of a Result that a notebook shows


def _written(sentence: Any, number: int, data: Optional[bytes], format: bytes, options: Any) -> str:
    """A LalSentence in a format. Without a function that is called back: an interrupt would be lost in it."""
    error = _native.LalError()
    address = library.lal_sentence_as(sentence, number, data, len(data or b""), format, options, error)
    return take_text(address, error)


def brackets(tokens: Any, n: int, phrases: Sequence[Tuple[int, int, bytes]]) -> str:
    """The tree of n LalTokens, an array or pointer, without TOP around it; phrases in pre-order."""
    kind: Any = _native.LalPhrase * len(phrases)
    array = kind(*phrases)
    sentence = _native.LalSentence(tokens=tokens, n_tokens=n, phrases=array, n_phrases=len(phrases))
    tree = _written(sentence, 1, None, b"brackets", None)
    return tree[len("(TOP "):-len(")\n")]


def _text(value: Optional[bytes]) -> Optional[str]:
    return None if value is None else value.decode("utf-8")


def _share(number: float) -> Optional[float]:
    return None if number < 0 else float(number)


def _known(number: int) -> Optional[int]:
    return None if number == _native.LAL_NONE else int(number)


def _count(structure: Any, member: str) -> int:
    """Items of the array that a member of LalResult or LalSentence points to."""
    if member == "phrase_parts":
        return int(structure.n_phrases * (structure.n_heads + 1))
    if member == "arc_parts":
        return int(structure.n_tokens * (structure.n_heads + 1))
    return int(getattr(structure, "n_" + member))


def _plain(structure: Any) -> Tuple[Any, ...]:
    """The members of a structure of the library as tuples, numbers and bytes."""
    out = []
    for member, _ in structure._fields_:
        value = getattr(structure, member)
        if isinstance(value, ctypes._Pointer):
            items = value[:_count(structure, member)] if value else []
            value = tuple(map(_plain, items)) if items and isinstance(items[0], ctypes.Structure) else tuple(items)
        out.append(value)
    return tuple(out)


def _structure(kind: Any, plain: Tuple[Any, ...]) -> Any:
    """The structure again, which keeps what it points to."""
    values = []
    for (_, member), value in zip(kind._fields_, plain):
        if issubclass(member, ctypes._Pointer):
            item = member._type_
            made = [_structure(item, x) for x in value] if issubclass(item, ctypes.Structure) else value
            value = (item * len(value))(*made) if value else None
        values.append(value)
    return kind(*values)


def _result(version: str, plain: Tuple[Any, ...], text: Optional[str], options: Dict[str, Any]) -> "Result":
    if version != _native.VERSION:
        raise ValueError("found a result of version %s, expected %s" % (version, _native.VERSION))
    return Result(ctypes.pointer(_structure(_native.LalResult, plain)), text, options, own=True)


class _Value:
    """An object that cannot be changed."""

    __slots__ = ("__weakref__",)

    def __copy__(self) -> Any:
        return self

    def __deepcopy__(self, memo: Any) -> Any:
        return self


class _Part(_Value):
    """A token or a phrase: part `i` of a sentence."""

    __slots__ = ("sentence", "i")
    sentence: "Sentence"
    i: int

    def __reduce__(self) -> Any:
        return type(self), (self.sentence, self.i)

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and isinstance(other, _Part) and (
            self.i == other.i and self.sentence == other.sentence)

    def __hash__(self) -> int:
        return hash((type(self), self.i, self.sentence))


@lru_cache(maxsize=None)
def _layout(structure: Any, texts: bool = False) -> Any:
    """The numbers of a structure as a type of numpy; texts: the addresses of texts, too."""
    import numpy

    kinds = {ctypes.c_size_t: "u8", ctypes.c_int: "i4", ctypes.c_double: "f8"}
    if texts:
        kinds[ctypes.c_char_p] = "u8"
    fields = [(name, kinds[kind]) for name, kind in structure._fields_ if kind in kinds]
    return numpy.dtype({"names": [name for name, _ in fields], "formats": [kind for _, kind in fields],
                        "offsets": [getattr(structure, name).offset for name, _ in fields],
                        "itemsize": ctypes.sizeof(structure)})


class Token(_Part):
    """A token of a sentence. Offsets count code points of the text, as Python does."""

    __slots__ = ("_t",)

    def __init__(self, sentence: "Sentence", i: int) -> None:
        self.sentence, self.i, self._t = sentence, i, sentence._s.tokens[i]

    @property
    def form(self) -> str:
        return str(self._t.form.decode("utf-8"))

    @property
    def text(self) -> str:
        """As the text has it: with the line break that is inside the word, say; of given tokens the form."""
        text = self.sentence.result.text
        return self.form if text is None else text[self.begin_char:self.end_char]

    @property
    def begin_char(self) -> int:
        return int(self._t.begin_char)

    @property
    def end_char(self) -> int:
        return int(self._t.end_char)

    @property
    def bytes(self) -> Tuple[int, int]:
        """Offsets in UTF-8."""
        return int(self._t.begin), int(self._t.end)

    @property
    def tag(self) -> Optional[str]:
        return _text(self._t.tag)

    @property
    def tag_probability(self) -> Optional[float]:
        return _share(self._t.tag_probability)

    @property
    def head(self) -> Optional[int]:
        """The token of the sentence that this one depends on, in the scheme of the model; None: the root."""
        return _known(self._t.head)

    @property
    def type(self) -> Optional[str]:
        """The type of this dependency; None: the model has no dependencies."""
        return _text(self._t.type)

    @property
    def probability(self) -> float:
        """Of the head."""
        return float(self._t.probability)

    @property
    def joint_probability(self) -> Optional[float]:
        """Share of all parses of the sentence that have this head; None: confidence was not asked for."""
        return _share(self._t.joint_probability)

    @property
    def lemma(self) -> Optional[str]:
        return _text(self._t.lemma)

    @property
    def upos(self) -> Optional[str]:
        return _text(self._t.upos)

    @property
    def feats(self) -> Dict[str, str]:
        feats = _text(self._t.feats)
        return dict(pair.split("=", 1) for pair in feats.split("|")) if feats else {}

    @property
    def ud_head(self) -> Optional[int]:
        """As head, in Universal Dependencies."""
        return _known(self._t.ud_head)

    @property
    def ud_relation(self) -> Optional[str]:
        return _text(self._t.ud_relation)

    @property
    def enhanced(self) -> List[Tuple[Optional[int], str]]:
        """Its heads in the enhanced graph and how it depends on each: [(1, "nsubj"), (3, "nsubj")]. A head of None: the
        root. Empty: no rules make the graph."""
        return [(head, relation) for token, head, relation in self.sentence.enhanced if token == self.i]

    @property
    def ud_probability(self) -> float:
        """Of ud_head: the product over the dependencies of the model that lead to it."""
        return float(self._t.ud_probability)

    @property
    def phrase(self) -> Optional["Phrase"]:
        """The smallest phrase that has the token."""
        k = _known(self._t.phrase)
        return None if k is None else Phrase(self.sentence, k)

    def __repr__(self) -> str:
        return "<Token %r>" % self.form


class Phrase(_Part):
    """A phrase: tokens begin_token .. end_token - 1 of its sentence, code points begin_char .. end_char - 1 of the
    text."""

    __slots__ = ("_p",)

    def __init__(self, sentence: "Sentence", i: int) -> None:
        self.sentence, self.i, self._p = sentence, i, sentence._s.phrases[i]

    @property
    def label(self) -> str:
        return str(self._p.label.decode("utf-8"))

    @property
    def begin_token(self) -> int:
        return int(self._p.begin)

    @property
    def end_token(self) -> int:
        return int(self._p.end)

    @property
    def begin_char(self) -> int:
        return int(self.sentence._s.tokens[self._p.begin].begin_char)

    @property
    def end_char(self) -> int:
        return int(self.sentence._s.tokens[self._p.end - 1].end_char)

    @property
    def text(self) -> str:
        """As the text has it; of given tokens, these with blanks between them."""
        return self.sentence._between(self.begin_token, self.end_token)

    @property
    def tree(self) -> str:
        """This phrase in brackets, "(NP (PRP$ her) (NN duck))"."""
        rows, k = [], self.i
        phrases, n = self.sentence._s.phrases, self.sentence._s.n_phrases
        while k < n and phrases[k].begin < self._p.end:
            rows.append((phrases[k].begin - self._p.begin, phrases[k].end - self._p.begin, phrases[k].label))
            k += 1
        first = self.sentence._s.tokens[self._p.begin]
        return brackets(ctypes.pointer(first), self._p.end - self._p.begin, rows)

    @property
    def probability(self) -> Optional[float]:
        return _share(self._p.probability)

    @property
    def joint_probability(self) -> Optional[float]:
        """With confidence=True: share of all parses of the sentence that have this phrase."""
        return _share(self._p.joint_probability)

    @property
    def parent(self) -> Optional["Phrase"]:
        k = _known(self._p.parent)
        return None if k is None else Phrase(self.sentence, k)

    @property
    def phrases(self) -> List["Phrase"]:
        """The phrases directly in it."""
        out, k = [], _known(self._p.first_child)
        while k is not None:
            out.append(Phrase(self.sentence, k))
            k = _known(out[-1]._p.next)
        return out

    @property
    def children(self) -> List[Union["Phrase", Token]]:
        """Phrases and tokens directly in it, in the order of the text."""
        out: List[Union[Phrase, Token]] = []
        at = self.begin_token
        for phrase in self.phrases:
            out += [Token(self.sentence, k) for k in range(at, phrase.begin_token)]
            out.append(phrase)
            at = phrase.end_token
        return out + [Token(self.sentence, k) for k in range(at, self.end_token)]

    @property
    def tokens(self) -> List[Token]:
        return [Token(self.sentence, k) for k in range(self.begin_token, self.end_token)]

    def __repr__(self) -> str:
        return "<Phrase %s %r>" % (self.label, self.text)


class Sentence(_Value):
    """A sentence of a Result, which it keeps in memory."""

    __slots__ = ("result", "i", "rank", "_s")

    def __init__(self, result: "Result", i: int, rank: Optional[int] = None) -> None:
        self.result, self.i, self.rank, self._s = result, i, rank, result._r.sentences[i]
        if rank is not None:
            self._s = self._s.best[rank]

    def __reduce__(self) -> Any:
        return Sentence, (self.result, self.i, self.rank)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Sentence):
            return NotImplemented
        return self.result is other.result and (self.i, self.rank) == (other.i, other.rank) or (
            self.text == other.text and _plain(self._s) == _plain(other._s))

    def __hash__(self) -> int:
        return hash((self.text, self.begin_char, len(self)))

    def __len__(self) -> int:
        return int(self._s.n_tokens)

    def __iter__(self) -> Iterator[Token]:
        return iter(self.tokens)

    @property
    def tokens(self) -> List[Token]:
        return [Token(self, k) for k in range(self._s.n_tokens)]

    @property
    def phrases(self) -> List[Phrase]:
        """A phrase before those in it."""
        return [Phrase(self, k) for k in range(self._s.n_phrases)]

    @property
    def root(self) -> Optional[Phrase]:
        return Phrase(self, 0) if self._s.n_phrases else None

    @property
    def multiwords(self) -> List[Tuple[int, int, str]]:
        """Tokens begin .. end - 1 that are written as one, and how: (1, 3, "don't")."""
        words = self._s.multiwords
        return [(words[k].begin, words[k].end, words[k].form.decode("utf-8")) for k in range(self._s.n_multiwords)]

    @property
    def enhanced(self) -> List[Tuple[int, Optional[int], str]]:
        """The enhanced graph of Universal Dependencies: token, its head (None: the root), relation; by token. Empty: no
        rules make it."""
        arcs = self._s.enhanced
        return [(arcs[k].token, _known(arcs[k].head), arcs[k].relation.decode("utf-8"))
                for k in range(self._s.n_enhanced)]

    @property
    def score(self) -> float:
        return float(self._s.score)

    @property
    def probability(self) -> Optional[float]:
        """Of this parse among all of the sentence, with k_best; None: not asked for, or not known."""
        return _share(self._s.probability)

    @property
    def p_tree(self) -> Optional[float]:
        """With confidence=True: the probability of the whole parse; None: not asked for, or not known."""
        return _share(self._s.p_tree)

    @property
    def expected_f1(self) -> Optional[float]:
        """With confidence=True: the mean probability of the phrases."""
        return _share(self._s.expected_f1)

    @property
    def calibrated_f1(self) -> Optional[float]:
        """With confidence=True: the F1 to expect, by the map of `lal model calibrate`; None: the model has none."""
        return _share(self._s.calibrated_f1)

    @property
    def expected_las(self) -> Optional[float]:
        """With confidence=True: the mean over tokens of the probability of the head and its relation."""
        return _share(self._s.expected_las)

    @property
    def best(self) -> List["Sentence"]:
        """With k_best=K: the K best parses, this one first."""
        return [Sentence(self.result, self.i, rank) for rank in range(self._s.n_best)]

    @property
    def line(self) -> int:
        return int(self._s.line)

    @property
    def new_paragraph(self) -> bool:
        return bool(self._s.new_paragraph)

    @property
    def pieces(self) -> int:
        """1; more: too long, parsed in so many pieces."""
        return int(self._s.pieces)

    @property
    def begin_char(self) -> int:
        return int(self._s.tokens[0].begin_char) if self._s.n_tokens else 0

    @property
    def end_char(self) -> int:
        return int(self._s.tokens[self._s.n_tokens - 1].end_char) if self._s.n_tokens else 0

    @property
    def text(self) -> str:
        """As the text has it; of given tokens, these with blanks between them."""
        return self._between(0, len(self))

    def _between(self, begin: int, end: int) -> str:
        """The text of tokens begin .. end - 1."""
        tokens, text = self._s.tokens, self.result.text
        if text is None or begin == end:
            return " ".join(tokens[k].form.decode("utf-8") for k in range(begin, end))
        return text[tokens[begin].begin_char:tokens[end - 1].end_char]

    @property
    def tree(self) -> str:
        """The tree in brackets, `(TOP (S ...))`, as `lal parse` writes it; "": there are no words."""
        one = _native.LalSentence.from_buffer_copy(self._s)
        one.n_best = 0
        return _written(one, 1, None, b"brackets", None)[:-1]

    def format(self, format: str = "conllu", **options: Any) -> str:
        """The sentence in a format of `lal parse`, one of FORMATS; options: deps, ranges, in place of those of the
        parse."""
        return _written(self._s, self.i + 1, self.result._bytes, c_string("format", format),
                        make_options({**self.result._options, **options}))

    def to_conllu(self) -> str:
        return self.format("conllu")

    def to_json(self) -> str:
        """An object with the members that `lal parse -f json` writes."""
        return self.format("json").rstrip("\n")

    def to_dict(self) -> Dict[str, Any]:
        """to_json as a dict."""
        members: Dict[str, Any] = json.loads(self.to_json())
        return members

    def _repr_svg_(self) -> Optional[str]:
        """For notebooks: the tree, and dependencies as arcs."""
        return self.format("svg") if self._s.n_tokens and self._s.tokens[0].tag else None

    @property
    def array(self) -> Any:
        """The tokens as a structured array of numpy, without a copy and read-only: array["head"], array["begin_char"].
        Members that are texts are left out."""
        return self._view(self._s.tokens, (len(self),), _layout(_native.LalToken))

    @property
    def phrase_parts(self) -> Any:
        """With contributions=True: what each label head contributes to the score of each phrase, an array of numpy
        [phrases, heads + 1] without a copy; the last column is what no head gave, so rows sum to scores. None: parsed
        in pieces, or not asked for."""
        return self._parts(self._s.phrase_parts, self._s.n_phrases)

    @property
    def arc_parts(self) -> Any:
        """As phrase_parts, of the arcs from tokens to their heads: [tokens, heads + 1]."""
        return self._parts(self._s.arc_parts, self._s.n_tokens)

    def _parts(self, pointer: Any, rows: int) -> Any:
        import numpy

        if not pointer:
            return None
        return self._view(pointer, (rows, self._s.n_heads + 1), numpy.dtype("f4"))

    def _view(self, pointer: Any, shape: Tuple[int, ...], dtype: Any) -> Any:
        import numpy

        count = 1
        for n in shape:
            count *= n
        if not count:
            return numpy.empty(shape, dtype)
        buffer = (ctypes.c_char * (count * dtype.itemsize)).from_address(ctypes.addressof(pointer.contents))
        setattr(buffer, "_keeps", self.result)
        array = numpy.frombuffer(buffer, dtype).reshape(shape)
        array.flags.writeable = False
        return array

    def __repr__(self) -> str:
        return "<Sentence %r>" % self.text


class Result(Sequence[Sentence]):
    """The sentences of a text."""

    def __init__(self, pointer: Any, text: Optional[str] = None, options: Optional[Mapping[str, Any]] = None,
                 own: bool = False) -> None:
        """pointer: to a LalResult of the library; own: of Python."""
        self._pointer, self._r = pointer, pointer.contents
        self.text = text if self._r.text is None else _text(self._r.text)
        self._data: Optional[bytes] = None
        self._options = {name: value for name, value in (options or {}).items() if name in KEPT}
        if not own:
            weakref.finalize(self, library.lal_result_free, pointer)

    def __reduce__(self) -> Any:
        return _result, (_native.VERSION, _plain(self._r), self.text, self._options)

    def __copy__(self) -> "Result":
        return self

    def __deepcopy__(self, memo: Any) -> "Result":
        return self

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Result):
            return NotImplemented
        return self is other or self.text == other.text and _plain(self._r) == _plain(other._r)

    def __hash__(self) -> int:
        return hash((self.text, len(self)))

    @property
    def invalid(self) -> List[Tuple[int, int]]:
        """With invalid="replace" or "skip": line and column, from 1, of what was replaced or left out of the text that
        was given; the column counts bytes. Offsets are those of `text`, in which it is not."""
        places = self._r.invalid
        return [(places[k].line, places[k].column) for k in range(self._r.n_invalid)]

    @property
    def _bytes(self) -> Optional[bytes]:
        """The text as the library knows it."""
        if self._data is None and self.text is not None:
            self._data = self.text.encode("utf-8")
        return self._data

    def __len__(self) -> int:
        return int(self._r.n_sentences)

    @overload
    def __getitem__(self, k: int) -> Sentence: ...
    @overload
    def __getitem__(self, k: slice) -> List[Sentence]: ...

    def __getitem__(self, k: Union[int, slice]) -> Union[Sentence, List[Sentence]]:
        if isinstance(k, slice):
            return [Sentence(self, i) for i in range(*k.indices(len(self)))]
        i = k + len(self) if k < 0 else k
        if not 0 <= i < len(self):
            raise IndexError("sentence %d of %d" % (k, len(self)))
        return Sentence(self, i)

    @property
    def tokens(self) -> List[Token]:
        return [token for sentence in self for token in sentence]

    def format(self, format: str = "conllu", **options: Any) -> str:
        """All sentences in a format of `lal parse`, one of FORMATS, as it writes them; options: deps, ranges."""
        return "".join(sentence.format(format, **options) for sentence in self)

    def to_conllu(self) -> str:
        return self.format("conllu")

    def to_json(self) -> str:
        """An object whose member "sentences" has what Sentence.to_json gives; format("json") is a line of each."""
        return '{"sentences":[%s]}' % ",".join(sentence.to_json() for sentence in self)

    def to_dict(self) -> Dict[str, Any]:
        """to_json as a dict."""
        members: Dict[str, Any] = json.loads(self.to_json())
        return members

    def _repr_html_(self) -> str:
        """For notebooks: the first sentences, drawn."""
        parts = [sentence._repr_svg_() or "<p>%s</p>" % html.escape(sentence.text) for sentence in self[:SHOWN]]
        if len(self) > SHOWN:
            parts.append("<p>and %d more sentences</p>" % (len(self) - SHOWN))
        return "\n".join(parts)

    def _rows(self, member: str) -> Tuple[Any, List[int]]:
        """member: "tokens" or "phrases". Those of all sentences as a structured array of numpy, a copy in which texts
        are addresses in the memory of the result; and how many each sentence has."""
        import numpy

        kind: Any = {"tokens": _native.LalToken, "phrases": _native.LalPhrase}[member]
        sentences = self._r.sentences[:len(self)] if len(self) else []
        counts = [getattr(s, "n_" + member) for s in sentences]
        rows = [ctypes.string_at(getattr(s, member), n * ctypes.sizeof(kind)) for s, n in zip(sentences, counts) if n]
        return numpy.frombuffer(b"".join(rows), _layout(kind, True)), counts

    def __repr__(self) -> str:
        return "<Result of %d sentences>" % len(self)
