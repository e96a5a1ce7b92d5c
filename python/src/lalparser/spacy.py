"""spaCy's interfaces: the component "lal", `nlp.add_pipe("lal")`, and a tokenizer. Phrases are in
`doc.spans["constituents"]`; `span._.parse_string`, `labels`, `constituents`, `parent` and `children` are made from it,
so programs for benepar change one line. `doc._.search(pattern)` finds phrases and tokens."""
import ctypes
import hashlib
import json
import os
import re
import warnings
from bisect import bisect_left
from itertools import accumulate, repeat
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
from ._native import LAL_NONE, VERSION, LalPhrase, LalSentence, LalToken
from .options import make_options
from .parser import Parser, split
from .result import Result, brackets
from .search import Match, Pattern, sentences

KEY = "constituents"
DEPS = ("ud", "model")
ARCS = ("DEP", "HEAD", "SENT_START")
Kinds = List[Union[int, str]]  # "TAG", ...: attributes of tokens
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


class _Numbers(Dict[Optional[bytes], int]):
    """Numbers of texts in vocabularies; 0: there is none. stores: their `strings` or their `morphology`."""

    def __init__(self, stores: List[Any]) -> None:
        super().__init__({None: 0})
        self._stores = stores

    def add(self, text: str) -> int:
        return [int(store.add(text)) for store in self._stores][0]

    def __missing__(self, text: bytes) -> int:
        self[text] = number = self.add(text.decode("utf-8"))
        return number

    def of(self, addresses: Any) -> Any:
        """Of the texts at these addresses in a Result."""
        texts = (ctypes.c_char_p * len(addresses)).from_buffer_copy(addresses.tobytes())
        return numpy.fromiter(map(self.__getitem__, texts[:]), "u8", len(addresses))


class _Batch:
    """The tokens of some documents, one after another; of these, `words` are parsed: those that are no white space.
    known: of each document [tokens, 3], ORTH, IS_SPACE and SENT_START, which is 1 where a sentence begins."""

    def __init__(self, docs: List[Doc], known: List[Any]) -> None:
        self.docs = docs
        self.orths, space, start = numpy.concatenate(known).T
        self.n = len(space)
        self.offsets = [0, *numpy.cumsum([len(doc) for doc in docs]).tolist()]  # of the documents
        self.is_word = space == 0
        self.words = numpy.flatnonzero(self.is_word)
        self.starts = numpy.flatnonzero(start == 1)  # of the sentences
        counts = numpy.diff(numpy.searchsorted(self.words, numpy.append(self.starts, self.n)))
        self.counts = counts[counts > 0]  # words of the sentences that have any
        self.ends = numpy.cumsum(self.counts)
        self.first = numpy.repeat(self.ends - self.counts, self.counts)  # word of the sentence, of each word

    def sentences(self) -> List[List[str]]:
        forms: List[str] = []
        known: Dict[int, str] = {}
        orths = self.orths.tolist()
        for doc, offset in zip(self.docs, self.offsets):
            for i in range(len(doc)):
                form = known.get(orths[offset + i])
                if form is None:
                    form = _word(doc[i])
                    if len(doc[i].text.split()) < 2:  # others have a norm of their own
                        known[orths[offset + i]] = form
                forms.append(form)
        words = [forms[i] for i in self.words.tolist()]
        return [words[end - n:end] for end, n in zip(self.ends.tolist(), self.counts.tolist())]

    def heads(self, heads: Any) -> Any:
        """The tokens that all tokens depend on, of those that words do, within their sentences; negative: a root. A
        second root depends on the first one, white space on the word before it, or the first one."""
        index = numpy.arange(self.n)
        out = index.copy()
        if len(self.words):
            k = numpy.arange(len(self.words))
            roots = numpy.minimum.reduceat(numpy.where(heads < 0, k, len(k)), self.ends - self.counts)
            out[self.words] = self.words[numpy.where(heads < 0, numpy.repeat(roots, self.counts), self.first + heads)]
        if len(self.words) < self.n:
            sizes = numpy.diff(numpy.append(self.starts, self.n))
            first = numpy.minimum.reduceat(numpy.where(self.is_word, index, self.n), self.starts)
            first = numpy.repeat(numpy.where(first < self.n, first, self.starts), sizes)
            last = numpy.maximum.accumulate(numpy.where(self.is_word, index, -1))
            out = numpy.where(self.is_word, out, numpy.maximum(last, first))
        return out


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
        batch = _Batch(docs, [self._known(doc) for doc in docs])
        self._write(batch, self.parser.parse_words(batch.sentences()))

    def _known(self, doc: Doc) -> Any:
        """As _Batch has it."""
        known = doc.to_array(["ORTH", "IS_SPACE", "SENT_START"])
        known[:1, 2] = 1
        if not known[:, 2].all():
            found = self._starts(doc)
            for i in numpy.flatnonzero(known[:, 2] == 0).tolist():
                known[i, 2] = i in found
        return known

    def _starts(self, doc: Doc) -> Set[int]:
        """The tokens with which sentences of the text begin, without the first one."""
        begins = [token.idx for token in doc]
        return {bisect_left(begins, sentence.begin_char)
                for sentence in self.parser.split(doc.text.replace("\0", "\ufffd"), markup="none")[1:]}

    def _write(self, batch: _Batch, result: Result) -> None:
        vocabs = list({id(doc.vocab): doc.vocab for doc in batch.docs}.values())
        strings = _Numbers([vocab.strings for vocab in vocabs])
        kinds, values = self._values(batch, result, strings, _Numbers([vocab.morphology for vocab in vocabs]))
        phrases, counts = result._rows("phrases")
        first = numpy.repeat(batch.ends - batch.counts, counts)
        begins = batch.words[first + phrases["begin"]]
        ends = batch.words[first + phrases["end"] - 1] + 1
        labels = strings.of(phrases["label"]).tolist()
        places = numpy.searchsorted(begins, batch.offsets).tolist()
        for k, doc in enumerate(batch.docs):
            begin, end = batch.offsets[k:k + 2]
            if begin < end:
                self._set(doc, kinds, values[:, begin:end])
                if self.deps == "ud":
                    doc.noun_chunks_iterator = noun_chunks  # type: ignore[attr-defined]
            if self.overwrite or KEY not in doc.spans:
                of_doc = slice(*places[k:k + 2])
                doc.spans[KEY] = list(map(Span, repeat(doc), (begins[of_doc] - begin).tolist(),
                                          (ends[of_doc] - begin).tolist(), labels[of_doc]))

    def _values(self, batch: _Batch, result: Result, strings: _Numbers, morphs: _Numbers) -> Tuple[Kinds, Any]:
        """What tokens take: its kinds and the values [kinds, tokens]. Without arcs sentences are among them."""
        tokens, _ = result._rows("tokens")
        if self.deps == "ud":
            heads, types = tokens["ud_head"], strings.of(tokens["ud_relation"])
            if (types[tokens["type"] != 0] == 0).any():
                raise ValueError('deps: found "ud" and a model without Universal Dependencies, expected "model"')
        else:
            heads, types = tokens["head"], strings.of(tokens["type"])
        root = strings.add("ROOT")
        types[(heads < 0) & (types != 0)] = root
        space, index = ~batch.is_word, numpy.arange(batch.n)
        values: Dict[str, Any] = {}
        for kind, of_words, of_space in (
                ("TAG", strings.of(tokens["tag"]), strings.add("_SP")),
                ("POS", strings.of(tokens["upos"]), strings.add("SPACE")),
                ("LEMMA", strings.of(tokens["lemma"]), batch.orths[space]),
                ("MORPH", morphs.of(tokens["feats"]), morphs.add("")), ("DEP", types, strings.add("dep"))):
            if of_words.any() or not len(of_words):
                values[kind] = numpy.empty(batch.n, "u8")
                values[kind][batch.words], values[kind][space] = of_words, of_space
        if "DEP" in values:  # sentences follow from them
            to = batch.heads(heads)
            values["DEP"][space & (to == index)] = root
            values["HEAD"] = (to - index).view("u8")
        else:
            values["SENT_START"] = numpy.where(numpy.isin(index, batch.starts), 1, -1).view("u8")
        return list(values), numpy.stack(list(values.values()))

    def _set(self, doc: Doc, kinds: Kinds, values: Any) -> None:
        if not self.overwrite:
            if doc.has_annotation("DEP"):
                values = values[[kind not in ARCS for kind in kinds]]
                kinds = [kind for kind in kinds if kind not in ARCS]
            old = doc.to_array(kinds).reshape(len(doc), len(kinds)).T
            arcs = numpy.array([kind in ARCS for kind in kinds], bool)
            values = numpy.where((old == 0) | arcs[:, None], values, old)
        if kinds:
            doc.from_array(kinds, values.T)

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
    component = Component(name, model=model, deps=deps, overwrite=overwrite, batch_size=batch_size, threads=threads,
                          treebank=treebank)
    language = component.parser.language
    if language and nlp.lang not in (language, "xx"):
        warnings.warn("lal: found a pipeline of the language %r, expected %r, that of the model %r" % (
            nlp.lang, language, model))
    if deps == "ud":  # also of documents that another process has parsed
        nlp.vocab.get_noun_chunks = noun_chunks  # type: ignore[assignment]
    return component


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
        places: List[int] = []  # of lal's tokens
        norms: Dict[int, str] = {}
        at = 0
        result = split(text.replace("\0", "\ufffd"), **self.options)
        tokens, counts = result._rows("tokens")
        for begin, end, form in zip(*(tokens[name].tolist() for name in ("begin_char", "end_char", "form"))):
            if begin > at:
                self._between(text[at:begin], words, spaces)
            word = text[begin:end]
            if len(word) > 1 and not word.isalnum():
                norm = ctypes.string_at(form).decode("utf-8")
                if norm != word:
                    norms[len(words)] = norm
            places.append(len(words))
            words.append(word)
            spaces.append(False)
            at = end
        self._between(text[at:], words, spaces)
        doc = Doc(self.vocab, words=words, spaces=spaces)
        if words:
            starts = numpy.full(len(words), -1, "i8")
            starts[[0, *(places[k] for k in accumulate(counts) if k < len(places))]] = 1
            array: Any = starts.view("u8")
            doc.from_array(["SENT_START"], array)
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


# ---- doc.noun_chunks: spaCy's own know its labels of English, not those of Universal Dependencies

NOMINAL = {"nsubj", "obj", "iobj", "obl", "nmod", "appos", "vocative", "dislocated", "xcomp", "ccomp", "csubj", "advcl",
           "acl", "parataxis", "root", "ROOT"}  # what a noun is whose phrase is a chunk
BEFORE = {"det", "amod", "nummod", "compound", "nmod", "flat", "advmod", "cc:preconj", "appos", "acl"}
AFTER = {"flat", "fixed", "goeswith"}


def _relation(token: SpacyToken) -> str:
    """Without the subtype, unless that makes it something else."""
    label = token.dep_
    return label if label.endswith((":unmarked", ":preconj")) else label.partition(":")[0]


def _is_nominal(token: SpacyToken) -> bool:
    while token.dep_ == "conj" and token.head.i != token.i:
        token = token.head
    return _relation(token) in NOMINAL and token.dep_ not in ("nmod:poss", "nmod:desc")


def noun_chunks(doclike: Union[Doc, Span]) -> Iterator[Tuple[int, int, int]]:
    """The noun phrases without what follows their nouns, of a Doc or Span with Universal Dependencies, as
    `doc.noun_chunks_iterator`: begin, end and label."""
    label = doclike.doc.vocab.strings.add("NP")
    last = -1  # token of the chunk before
    for word in doclike:
        if word.pos_ not in ("NOUN", "PROPN", "PRON") or not _is_nominal(word):
            continue
        begin, end = word.i, word.i + 1
        predicate = any(child.dep_ == "cop" for child in word.lefts)
        for child in reversed(list(word.lefts)):
            relation = _relation(child)
            if relation in BEFORE and not (predicate and relation == "advmod"):
                begin = child.left_edge.i
            elif relation != "punct":
                break
        for child in word.rights:
            if child.i != end or child.dep_.partition(":")[0] not in AFTER:
                break
            end = child.right_edge.i + 1
        if begin > last:
            last = end - 1
            yield begin, end, label


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
    words = [token for token in span.doc[start:end] if not token.is_space]
    places = {token.i: n for n, token in enumerate(words)}
    phrases = []
    while k < len(group) and group[k].start < end:
        phrase = group[k]
        phrases.append((places[phrase.start], places[phrase.end - 1] + 1, phrase.label_.encode("utf-8")))
        k += 1
    tokens = (LalToken * len(words))()
    for token, to in zip(words, tokens):
        to.form, to.tag = _word(token).encode("utf-8"), token.tag_.encode("utf-8") or None
    return brackets(tokens, len(words), phrases)


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


# ---- search

def _sentence(words: List[SpacyToken], spans: List[Span]) -> LalSentence:
    """Words, that are no white space, and phrases of a sentence."""
    places = {token.i: n for n, token in enumerate(words)}
    tokens: Any = (LalToken * len(words))()
    for token, to in zip(words, tokens):
        to.form, to.tag = _word(token).encode("utf-8"), token.tag_.encode("utf-8") or None
        to.lemma, to.upos = token.lemma_.encode("utf-8") or None, token.pos_.encode("utf-8") or None
        to.feats, to.probability, to.joint_probability = str(token.morph).encode("utf-8"), float("nan"), -1
        to.begin_char, to.end_char = token.idx, token.idx + len(token)
        to.head = to.ud_head = LAL_NONE if token.head.i == token.i else places.get(token.head.i, LAL_NONE)
        root = to.head == LAL_NONE and token.dep_ == "ROOT"
        to.type = to.ud_relation = b"root" if root else token.dep_.encode("utf-8") or None
    phrases: Any = (LalPhrase * len(spans))()
    for span, to in zip(spans, phrases):
        to.begin, to.end, to.label = places[span.start], places[span.end - 1] + 1, span.label_.encode("utf-8")
        to.probability = to.joint_probability = -1
    return LalSentence(tokens=tokens, n_tokens=len(words), phrases=phrases, n_phrases=len(spans), probability=-1,
                       p_tree=-1, expected_f1=-1, calibrated_f1=-1, expected_las=-1)


def search(doc: Doc, pattern: Union[str, Pattern], **options: Any) -> Iterator[Match]:
    """The matches of a pattern, or of Pattern(pattern, **options); their sentences and nodes are spans, which have the
    labels of nodes. Semgrex searches the dependencies that tokens have."""
    if not isinstance(pattern, Pattern):
        pattern = Pattern(pattern, **options)
    return pattern._run(_sources(doc))


def _sources(doc: Doc) -> Iterator[Any]:
    group, k = list(doc.spans[KEY]) if KEY in doc.spans else [], 0
    for sent in doc.sents if len(doc) else ():
        words, first = [token for token in sent if not token.is_space], k
        while k < len(group) and group[k].start < sent.end:
            k += 1
        if words:
            yield _source(doc, sent, words, group[first:k])


def _source(doc: Doc, sent: Span, words: List[SpacyToken], spans: List[Span]) -> Any:
    def span_of(node: Any, tree: Optional[str], _: Any) -> Span:
        label = (node.label or b"").decode("utf-8")
        return Span(doc, words[node.begin].i, words[node.end - 1].i + 1, label=label)

    return sentences(ctypes.pointer(_sentence(words, spans)), 1, lambda found: sent, span_of)


if not Doc.has_extension("search"):
    Doc.set_extension("search", method=search)
for _getter in (labels, parse_string, constituents, children, parent):
    if not Span.has_extension(_getter.__name__):
        Span.set_extension(_getter.__name__, getter=_getter, force=False)

__all__ = ["Component", "Tokenizer", "noun_chunks", "search"]
