"""Parsed texts: views of the memory of the library, which a Result frees when nobody has it any more."""
from __future__ import annotations

import ctypes
import weakref
from functools import lru_cache
from typing import Any, Dict, Iterator, List, Optional, Sequence, Tuple, Union, overload

from . import _native
from ._library import library


def _text(value: Optional[bytes]) -> Optional[str]:
    return None if value is None else value.decode("utf-8")


def _share(number: float) -> Optional[float]:
    return None if number < 0 else float(number)


def _known(number: int) -> Optional[int]:
    return None if number == _native.LAL_NONE else int(number)


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


class Token:
    """A token of a sentence. Offsets count code points of the text, as Python does."""

    __slots__ = ("sentence", "i", "_t")

    def __init__(self, sentence: "Sentence", i: int) -> None:
        self.sentence, self.i, self._t = sentence, i, sentence._s.tokens[i]

    @property
    def form(self) -> str:
        return str(self._t.form.decode("utf-8"))

    @property
    def begin(self) -> int:
        return int(self._t.begin_char)

    @property
    def end(self) -> int:
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


class Phrase:
    """A phrase: tokens begin .. end - 1 of its sentence."""

    __slots__ = ("sentence", "i", "_p")

    def __init__(self, sentence: "Sentence", i: int) -> None:
        self.sentence, self.i, self._p = sentence, i, sentence._s.phrases[i]

    @property
    def label(self) -> str:
        return str(self._p.label.decode("utf-8"))

    @property
    def begin(self) -> int:
        return int(self._p.begin)

    @property
    def end(self) -> int:
        return int(self._p.end)

    @property
    def probability(self) -> Optional[float]:
        return _share(self._p.probability)

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
        at = self.begin
        for phrase in self.phrases:
            out += [Token(self.sentence, k) for k in range(at, phrase.begin)]
            out.append(phrase)
            at = phrase.end
        return out + [Token(self.sentence, k) for k in range(at, self.end)]

    @property
    def tokens(self) -> List[Token]:
        return [Token(self.sentence, k) for k in range(self.begin, self.end)]

    def __repr__(self) -> str:
        return "<Phrase %s %d-%d>" % (self.label, self.begin, self.end)


ESCAPES = {"(": "-LRB-", ")": "-RRB-"}


class Sentence:
    """A sentence of a Result, which it keeps in memory."""

    __slots__ = ("result", "i", "_s")

    def __init__(self, result: "Result", i: int, rank: Optional[int] = None) -> None:
        self.result, self.i, self._s = result, i, result._r.sentences[i]
        if rank is not None:
            self._s = self._s.best[rank]

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
    def begin(self) -> int:
        return int(self._s.tokens[0].begin_char) if self._s.n_tokens else 0

    @property
    def end(self) -> int:
        return int(self._s.tokens[self._s.n_tokens - 1].end_char) if self._s.n_tokens else 0

    @property
    def text(self) -> str:
        """As the text has it; of given tokens, these with blanks between them."""
        if self.result.text is None:
            return " ".join(token.form for token in self)
        return self.result.text[self.begin:self.end]

    @property
    def tree(self) -> str:
        """The tree in brackets, `(TOP (S ...))`, as `lal parse` writes it."""
        # No recursion: trees may be deeper than Python's stack.
        out: List[str] = []
        ends: List[int] = []  # of the phrases that are open
        k = 0
        for token in self:
            word = ""
            while k < self._s.n_phrases and self._s.phrases[k].begin == token.i:
                word += "(%s " % Phrase(self, k).label
                ends.append(self._s.phrases[k].end)
                k += 1
            word += "(%s %s)" % (token.tag or "XX", ESCAPES.get(token.form, token.form))
            while ends and ends[-1] == token.i + 1:
                word += ")"
                ends.pop()
            out.append(word)
        return "(TOP %s)" % " ".join(out)

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

    def __init__(self, pointer: Any, text: Optional[str] = None) -> None:
        self._r = pointer.contents
        self.text = text
        self._free = weakref.finalize(self, library.lal_result_free, pointer)

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
