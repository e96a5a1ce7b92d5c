"""spaCy's interfaces: the component "lal", `nlp.add_pipe("lal")`, and a tokenizer. Phrases are in
`doc.spans["constituents"]`; `span._.parse_string`, `labels`, `constituents`, `parent` and `children` are made from it,
so programs for benepar change one line."""
import hashlib
import json
import os
import re
import warnings
from bisect import bisect_left
from pathlib import Path
from typing import Any, Callable, Dict, Iterable, Iterator, List, Optional, Sequence, Set, Tuple, Union

import numpy
from spacy.language import Language
from spacy.pipeline import Pipe
from spacy.tokens import Doc, Span
from spacy.tokens import Token as SpacyToken
from spacy.util import minibatch, registry
from spacy.vocab import Vocab

from ._library import model_path
from ._native import VERSION
from .parser import Parser, make_options, split
from .result import ESCAPES, Sentence

KEY = "constituents"
DEPS = ("ud", "model")
DEFAULTS: Dict[str, Any] = {"model": "small", "deps": "ud", "overwrite": True, "batch_size": 64, "threads": 1,
                            "treebank": None}


def _word(token: SpacyToken) -> str:
    """What is parsed: the norm of a word that a line break breaks, and no NUL."""
    text = token.text
    if text.isalnum():
        return text
    if len(text.split()) > 1:
        norm = token.norm_
        text = norm if len(norm.split()) == 1 else " ".join(text.split())
    return text.replace("\0", "\ufffd")


class _Strings:
    """Texts of the library as numbers of a vocabulary; of few texts, which come often."""

    def __init__(self, add: Callable[[str], int]) -> None:
        self._add = add
        self._known: Dict[Optional[bytes], int] = {None: 0}

    def __getitem__(self, text: Optional[bytes]) -> int:
        number = self._known.get(text)
        if number is None:
            assert text is not None
            number = self._known[text] = self._add(text.decode("utf-8"))
        return number


class Component(Pipe):
    """Parses the tokens of a Doc. Its sentences are kept where they are known, as those of Tokenizer are; others are
    found. deps: "ud", Universal Dependencies, or "model", those of the model. overwrite: False: what tokens have stays.
    batch_size: documents in one call of the library at most; threads that parse their sentences."""

    def __init__(self, name: str = "lal", *, model: str = "small", deps: str = "ud", overwrite: bool = True,
                 batch_size: int = 64, threads: int = 1, treebank: Optional[str] = None) -> None:
        if deps not in DEPS:
            raise ValueError("deps: found %r, expected %s" % (deps, " or ".join(DEPS)))
        if batch_size < 1:
            raise ValueError("batch_size: found %d, expected 1 or more" % batch_size)
        self.name, self.model, self.deps, self.overwrite, self.batch_size = name, model, deps, overwrite, batch_size
        self.parser = Parser(model, threads=threads, treebank=treebank)

    def __call__(self, doc: Doc) -> Doc:
        for _ in self._parsed([doc]):
            pass
        return doc

    def pipe(self, stream: Iterable[Doc], *, batch_size: Optional[int] = None) -> Iterator[Doc]:
        batches: Any = minibatch  # has no types
        for docs in batches(stream, min(batch_size or self.batch_size, self.batch_size)):
            yield from self._parsed(docs)

    def _parsed(self, docs: List[Doc]) -> Iterator[Doc]:
        """The documents without those that cannot be parsed."""
        try:
            self._parse(docs)
        except Exception as error:
            if len(docs) == 1:
                self.get_error_handler()(self.name, self, docs, error)
                return
            for doc in docs:
                yield from self._parsed([doc])
        else:
            yield from docs

    def _parse(self, docs: List[Doc]) -> None:
        sentences = [self._sentences(doc) for doc in docs]
        result = iter(self.parser.parse_words(
            [_word(doc[i]) for i in words] for doc, known in zip(docs, sentences) for _, words in known if words))
        for doc, known in zip(docs, sentences):
            self._write(doc, [(tokens, words, next(result) if words else None) for tokens, words in known])

    def _sentences(self, doc: Doc) -> List[Tuple[range, List[int]]]:
        """The tokens of each sentence, and those that are no white space."""
        if not len(doc):
            return []
        given = doc.to_array(["SENT_START"]).reshape(-1).astype("i8")
        given[0] = 1
        if not given.all():
            found = self._starts(doc)
            given[given == 0] = [1 if i in found else -1 for i in numpy.flatnonzero(given == 0).tolist()]
        starts = numpy.flatnonzero(given == 1).tolist()
        ranges = [range(begin, end) for begin, end in zip(starts, starts[1:] + [len(doc)])]
        return [(tokens, [i for i in tokens if not doc[i].is_space]) for tokens in ranges]

    def _starts(self, doc: Doc) -> Set[int]:
        """The tokens with which sentences of the text begin, without the first one."""
        begins = [token.idx for token in doc]
        return {bisect_left(begins, sentence.begin)
                for sentence in self.parser.split(doc.text.replace("\0", "\ufffd"), markup="none")[1:]}

    def _write(self, doc: Doc, sentences: Sequence[Tuple[range, List[int], Optional[Sentence]]]) -> None:
        add, add_morph = doc.vocab.strings.add, doc.vocab.morphology.add
        text, morph = _Strings(add), _Strings(add_morph)
        root, ud = add("ROOT"), self.deps == "ud"
        tags, pos, lemmas, morphs, types, heads = ([0] * len(doc) for _ in range(6))
        phrases: List[Span] = []
        for _, words, sentence in sentences:
            roots: List[int] = []
            for i, t in zip(words, sentence._s.tokens if sentence else ()):
                tags[i], pos[i], morphs[i] = text[t.tag], text[t.upos], morph[t.feats]
                lemmas[i] = add(t.lemma.decode("utf-8")) if t.lemma else 0
                head, types[i] = (t.ud_head, text[t.ud_relation]) if ud else (t.head, text[t.type])
                if t.type and not types[i]:
                    raise ValueError('deps: found "ud" and a model without Universal Dependencies, expected "model"')
                if head < 0:
                    roots.append(i)
                    types[i] = root if types[i] else 0
                heads[i] = words[head] if head >= 0 else roots[0]
            for k in range(sentence._s.n_phrases if sentence else 0):
                p = sentence._s.phrases[k]  # type: ignore[union-attr]
                phrases.append(Span(doc, words[p.begin], words[p.end - 1] + 1, label=text[p.label]))
        arcs = any(types) or not any(words for _, words, _ in sentences)
        for tokens, words, _ in sentences:
            if len(words) < len(tokens):
                known, last = set(words), words[0] if words else tokens[0]
                for i in tokens:
                    if i in known:
                        last = i
                        continue
                    tags[i], pos[i], morphs[i], lemmas[i] = add("_SP"), add("SPACE"), add_morph(""), doc[i].orth
                    heads[i], types[i] = last, add("dep") if last != i else root
        values = {"TAG": tags, "POS": pos, "LEMMA": lemmas, "MORPH": morphs}
        columns = {kind: numpy.array(column, "u8") for kind, column in values.items() if any(column)}
        if not self.overwrite:
            for kind, column in columns.items():
                old = doc.to_array([kind]).reshape(-1)
                columns[kind] = numpy.where(old == 0, column, old)
        if self.overwrite or not doc.has_annotation("DEP"):
            if arcs:  # sentences follow from them
                columns["DEP"] = numpy.array(types, "u8")
                columns["HEAD"] = (numpy.array(heads, "i8") - numpy.arange(len(doc))).view("u8")
            else:
                starts = numpy.full(len(doc), -1, "i8")
                starts[[tokens[0] for tokens, _, _ in sentences]] = 1
                columns["SENT_START"] = starts.view("u8")
        if len(doc):
            array: Any = numpy.stack(list(columns.values()), 1)
            doc.from_array(list(columns), array)
        if self.overwrite or KEY not in doc.spans:
            doc.spans[KEY] = phrases

    # ---- kept with a pipeline: which model it is, not its weights

    def _state(self) -> Dict[str, Optional[str]]:
        path = model_path(self.model) or os.environ.get("LAL_MODEL")
        digest = None
        if path:
            sha256 = hashlib.sha256()
            with open(path, "rb") as f:
                for part in iter(lambda: f.read(1 << 20), b""):
                    sha256.update(part)
            digest = sha256.hexdigest()
        return {"model": self.model, "version": VERSION, "sha256": digest}

    def to_bytes(self, **options: Any) -> bytes:
        return json.dumps(self._state()).encode("utf-8")

    def from_bytes(self, data: bytes, **options: Any) -> "Component":
        state, here = json.loads(data), self._state()
        for key, value in here.items():
            if value and state.get(key) and state[key] != value:
                warnings.warn("lal: found %s %s, expected %s, with which the pipeline was saved" % (
                    key, value, state[key]))
        return self

    def to_disk(self, path: Union[str, Path], **options: Any) -> None:
        Path(path).write_bytes(self.to_bytes())

    def from_disk(self, path: Union[str, Path], **options: Any) -> "Component":
        return self.from_bytes(Path(path).read_bytes())


@Language.factory("lal", default_config=DEFAULTS, assigns=[
    "token.tag", "token.pos", "token.dep", "token.head", "token.lemma", "token.morph", "doc.spans", "doc.sents"])
def make(nlp: Language, name: str, model: str, deps: str, overwrite: bool, batch_size: int, threads: int,
         treebank: Optional[str]) -> Component:
    return Component(name, model=model, deps=deps, overwrite=overwrite, batch_size=batch_size, threads=threads,
                     treebank=treebank)


class Tokenizer:
    """Tokens and sentences of lal: `nlp.tokenizer = Tokenizer(nlp.vocab)`, or "lal.Tokenizer.v1" in the configuration.
    Options are newlines, markup, sentences and tokens as those of lalparser.split, but for markup="none": a Doc has all
    of its text. The norm of a word that a line break breaks is the word."""

    def __init__(self, vocab: Vocab, **options: Any) -> None:
        self.vocab, self.options = vocab, {"markup": "none", **options}
        make_options(self.options)  # errors

    def __call__(self, text: str) -> Doc:
        words: List[str] = []
        spaces: List[bool] = []
        starts: List[Union[bool, int, None]] = []
        norms: Dict[int, str] = {}
        at = 0
        for sentence in split(text.replace("\0", "\ufffd"), **self.options):
            for token in sentence:
                begin, end = token.begin, token.end
                self._between(text[at:begin], words, spaces)
                if text[begin:end] != token.form:
                    norms[len(words)] = token.form
                starts += [False] * (len(words) - len(starts)) + [token.i == 0 and at > 0]
                words.append(text[begin:end])
                spaces.append(False)
                at = end
        self._between(text[at:], words, spaces)
        starts += [False] * (len(words) - len(starts))
        starts[:1] = [True] * len(starts[:1])
        doc = Doc(self.vocab, words=words, spaces=spaces, sent_starts=starts)
        for i, norm in norms.items():
            doc[i].norm_ = norm.replace("\ufffd", "\0")
        return doc

    @staticmethod
    def _between(text: str, words: List[str], spaces: List[bool]) -> None:
        """Tokens of what is between two tokens of lal: white space but for a blank, and what is left out as markup."""
        if text == " " and words:
            spaces[-1] = True
            return
        for piece in re.findall(r"\s+|\S+", text):
            if piece[0] == " " and words:
                spaces[-1] = True
                piece = piece[1:]
            if piece:
                words.append(piece)
                spaces.append(False)

    def pipe(self, texts: Iterable[str], **options: Any) -> Iterator[Doc]:
        for text in texts:
            yield self(text)

    def to_bytes(self, **options: Any) -> bytes:
        return json.dumps(self.options).encode("utf-8")

    def from_bytes(self, data: bytes, **options: Any) -> "Tokenizer":
        self.options = json.loads(data)
        make_options(self.options)
        return self

    def to_disk(self, path: Union[str, Path], **options: Any) -> None:
        Path(path).write_bytes(self.to_bytes())

    def from_disk(self, path: Union[str, Path], **options: Any) -> "Tokenizer":
        return self.from_bytes(Path(path).read_bytes())


@registry.tokenizers("lal.Tokenizer.v1")  # type: ignore[untyped-decorator]
def make_tokenizer(newlines: str = "auto", markup: str = "none", sentences: str = "find",
                   tokens: str = "find") -> Callable[[Language], Tokenizer]:
    def tokenizer(nlp: Language) -> Tokenizer:
        return Tokenizer(nlp.vocab, newlines=newlines, markup=markup, sentences=sentences, tokens=tokens)

    return tokenizer


# ---- extensions: from doc.spans alone, which has a phrase before those in it

class _Starts(Sequence[int]):
    def __init__(self, group: Any) -> None:
        self.group = group

    def __len__(self) -> int:
        return len(self.group)

    def __getitem__(self, k: Any) -> Any:
        return self.group[k].start


def _place(span: Span) -> Tuple[Any, int, int, int]:
    """The phrases, the place among them of the outermost one over these tokens, or of the first one in this token, and
    the tokens without white space around them."""
    doc, start, end = span.doc, span.start, span.end
    if KEY not in doc.spans:
        raise ValueError('found no doc.spans["%s"], expected a Doc that the component "lal" has parsed' % KEY)
    while start < end and doc[start].is_space:
        start += 1
    while start < end and doc[end - 1].is_space:
        end -= 1
    group = doc.spans[KEY]
    k = bisect_left(_Starts(group), start)
    while k < len(group) and group[k].start == start and group[k].end > end:
        k += 1
    if end - start > 1 and not (k < len(group) and (group[k].start, group[k].end) == (start, end)):
        raise ValueError("found %r, expected a phrase or a token" % span.text)
    return group, k, start, end


def labels(span: Span) -> Tuple[str, ...]:
    """Of the phrases over these tokens, from the outermost one; (): a token that is no phrase by itself."""
    group, k, start, end = _place(span)
    out = []
    while k < len(group) and (group[k].start, group[k].end) == (start, end):
        out.append(group[k].label_)
        k += 1
    return tuple(out)


def parse_string(span: Span) -> str:
    """The tree in brackets."""
    group, k, start, end = _place(span)
    out: List[str] = []
    ends: List[int] = []  # of the phrases that are open
    for i in range(start, end):
        if span.doc[i].is_space:
            continue
        word = ""
        while k < len(group) and group[k].start == i:
            word += "(%s " % group[k].label_
            ends.append(group[k].end)
            k += 1
        form = _word(span.doc[i])
        word += "(%s %s)" % (span.doc[i].tag_ or "XX", ESCAPES.get(form, form))
        while ends and ends[-1] == i + 1:
            word += ")"
            ends.pop()
        out.append(word)
    return " ".join(out)


def constituents(span: Span) -> Iterator[Span]:
    """This one and all phrases and tokens in it, each before what is in it; phrases over the same tokens are one."""
    group, k, start, end = _place(span)
    for i in range(start, end):
        last = start
        while k < len(group) and group[k].start == i:
            if group[k].end != last:
                yield group[k]
                last = group[k].end
            k += 1
        if last != i + 1 and not span.doc[i].is_space:
            yield span.doc[i:i + 1]


def children(span: Span) -> Iterator[Span]:
    """The phrases and tokens directly in this one."""
    group, k, start, end = _place(span)
    while k < len(group) and (group[k].start, group[k].end) == (start, end):
        k += 1
    at = start
    while at < end and end - start > 1:
        if k < len(group) and group[k].start == at:
            yield group[k]
            at = group[k].end
            while k < len(group) and group[k].start < at:
                k += 1
            continue
        if not span.doc[at].is_space:
            yield span.doc[at:at + 1]
        at += 1


def parent(span: Span) -> Optional[Span]:
    """The phrase that this one is directly in."""
    group, k, start, end = _place(span)
    if start == end:
        return None
    first = span.doc[start].sent.start
    for j in range(k - 1, -1, -1):
        if group[j].start < first:
            break
        if group[j].end >= end:
            return next(constituents(group[j]))
    return None


for _getter in (labels, parse_string, constituents, children, parent):
    if not Span.has_extension(_getter.__name__):
        Span.set_extension(_getter.__name__, getter=_getter, force=False)

__all__ = ["Component", "Tokenizer"]
