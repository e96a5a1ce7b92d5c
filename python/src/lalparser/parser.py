"""Parsers: a model, options, and as many parsers of the library as threads use at the same time."""
from __future__ import annotations

import ctypes
import os
import queue
from collections import deque
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any, Callable, Deque, Dict, Iterable, Iterator, List, Optional, Sequence, Tuple, Union

from . import _native
from ._library import library, model_path, raise_error
from .result import Result

Text = Union[str, bytes]
CHOICES = {
    "newlines": ("auto", "sentence", "paragraph", "space"),
    "markup": ("auto", "none", "markdown"),
    "sentences": ("find", "line", "all"),
    "tokens": ("find", "space"),
    "deps": ("auto", "ud", "model"),
    "hyphens": ("model", "split", "keep"),
}
NUMBERS = ("batch_tokens", "max_words", "max_memory", "probabilities", "contributions", "why", "ranges", "k_best",
           "confidence")
FORMATS = ("brackets", "conllu", "conllx", "json", "pretty", "svg")


def make_options(values: Dict[str, Any]) -> _native.LalOptions:
    """LalOptions of keyword arguments: those of CHOICES by their names, treebank, and NUMBERS."""
    options = _native.LalOptions()
    library.lal_options_init(options, ctypes.sizeof(options))
    for name, value in values.items():
        if name in CHOICES:
            if value not in CHOICES[name]:
                raise ValueError("%s: found %r, expected %s" % (name, value, " or ".join(CHOICES[name])))
            setattr(options, name, CHOICES[name].index(value))
        elif name == "treebank":
            options.treebank = None if value is None else value.encode("utf-8")
        elif name in NUMBERS:
            setattr(options, name, value)
        else:
            raise TypeError("found the option %r, expected one of %s" % (
                name, ", ".join(sorted([*CHOICES, "treebank", *NUMBERS]))))
    return options


def _encoded(text: Text) -> Tuple[bytes, str]:
    return (text, text.decode("utf-8", "replace")) if isinstance(text, bytes) else (text.encode("utf-8"), text)


def _strings(texts: List[str]) -> Any:
    for text in texts:
        if "\0" in text:
            raise ValueError("found %r, expected a text without NUL" % text)
    return (ctypes.c_char_p * len(texts))(*[text.encode("utf-8") for text in texts])


class Parser:
    """Parses with one model. May be used by any number of threads; other threads of Python run meanwhile. A process
    that is forked, or unpickles a parser, loads the model again."""

    def __init__(self, model: str = "small", *, threads: int = 1, **options: Any) -> None:
        self._model_name, self._threads, self._options = model, threads, options
        self._start()

    def _start(self) -> None:
        error = _native.LalError()
        path = model_path(self._model_name)
        make_options(self._options)  # errors before the model is loaded
        self._pid = os.getpid()
        self._model = library.lal_model_default(error) if path is None else library.lal_model_load(
            os.fsencode(path), error)
        if not self._model:
            raise_error(error)
        self._idle: "queue.SimpleQueue[Any]" = queue.SimpleQueue()

    def __reduce__(self) -> Any:
        return _load, (self._model_name, {**self._options, "threads": self._threads})

    def __del__(self) -> None:
        if getattr(self, "_model", None) and self._pid == os.getpid():
            while not self._idle.empty():
                library.lal_parser_free(self._idle.get())
            library.lal_model_free(self._model)

    @property
    def treebanks(self) -> List[str]:
        """The treebanks whose conventions the model can follow (the option treebank)."""
        out: List[str] = []
        while True:
            name = library.lal_model_treebank(self._model, len(out))
            if name is None:
                return out
            out.append(name.decode("utf-8"))

    @contextmanager
    def _handle(self, options: Dict[str, Any], stop: Optional[Callable[[], bool]]) -> Iterator[Any]:
        if self._pid != os.getpid():
            self._start()
        values = make_options({**self._options, **options})
        values.threads = self._threads
        if stop is not None:
            members: Any = dict(_native.LalOptions._fields_)  # type: ignore[arg-type]
            values.stop = members["stop"](lambda _: int(bool(stop())))
        error = _native.LalError()
        try:
            handle = self._idle.get_nowait()
            refused = library.lal_parser_set_options(handle, values, error)
        except queue.Empty:
            handle = library.lal_parser_new(self._model, values, error)
            refused = not handle
        try:
            if refused:
                raise_error(error)
            yield handle
        finally:
            if handle:
                self._idle.put(handle)

    def parse(self, text: Text, *, stop: Optional[Callable[[], bool]] = None, **options: Any) -> Result:
        """Parses a text. options are those of load, for this call; stop() is asked from time to time, true: Stopped."""
        data, shown = _encoded(text)
        error = _native.LalError()
        with self._handle(options, stop) as handle:
            pointer = library.lal_parse_text(handle, data, len(data), error)
        if not pointer:
            raise_error(error)
        return Result(pointer, shown)

    def parse_words(self, sentences: Iterable[Sequence[str]], *, tags: Optional[Iterable[Sequence[str]]] = None,
                    stop: Optional[Callable[[], bool]] = None, **options: Any) -> Result:
        """Parses sentences whose words, and perhaps tags, are known."""
        words = [list(sentence) for sentence in sentences]
        known = None if tags is None else [list(sentence) for sentence in tags]
        if known is not None and [len(s) for s in known] != [len(s) for s in words]:
            raise ValueError("found other numbers of tags than of words")
        array = (_native.LalWords * len(words))()
        for k, sentence in enumerate(words):
            array[k].words = _strings(sentence)
            if known is not None:
                array[k].tags = _strings(known[k])
            array[k].n = len(sentence)
        error = _native.LalError()
        with self._handle(options, stop) as handle:
            pointer = library.lal_parse_tokens(handle, array, len(words), error)
        if not pointer:
            raise_error(error)
        return Result(pointer)

    def split(self, text: Text, **options: Any) -> Result:
        """Sentences and tokens of a text in the language of the model, without parsing."""
        if self._pid != os.getpid():
            self._start()
        return _split(self._model, {**self._options, **options}, text)

    def parse_file(self, path: Union[str, "os.PathLike[str]"], **options: Any) -> Result:
        with open(path, "rb") as f:
            return self.parse(f.read(), **options)

    def pipe(self, texts: Iterable[Any], *, as_tuples: bool = False, threads: int = 1,
             **options: Any) -> Iterator[Any]:
        """Results of many texts, in their order. as_tuples: of pairs (text, context), pairs (result, context)."""
        def work(item: Any) -> Any:
            return (self.parse(item[0], **options), item[1]) if as_tuples else self.parse(item, **options)

        if threads <= 1:
            yield from map(work, texts)
            return
        with ThreadPoolExecutor(threads) as pool:
            waiting: Deque["Future[Any]"] = deque()
            try:
                for item in texts:
                    waiting.append(pool.submit(work, item))
                    if len(waiting) > 4 * threads:
                        yield waiting.popleft().result()
                while waiting:
                    yield waiting.popleft().result()
            finally:
                for future in waiting:
                    future.cancel()

    def format(self, text: Text, format: str = "conllu", *, stop: Optional[Callable[[], bool]] = None,
               **options: Any) -> str:
        """The text in a format of lal parse: brackets, conllu, conllx or json."""
        data, _ = _encoded(text)
        parts: List[bytes] = []

        def take(_: Any, address: int, size: int) -> int:
            parts.append(ctypes.string_at(address, size))
            return 0

        write = _native.LalWrite(take)
        error = _native.LalError()
        with self._handle(options, stop) as handle:
            code = library.lal_parse_text_as(handle, data, len(data), format.encode("utf-8"), write, None, error)
        if code != _native.LAL_OK:
            raise_error(error)
        return b"".join(parts).decode("utf-8")


def _load(model: str, options: Dict[str, Any]) -> Parser:
    return Parser(model, **options)


def _split(model: Any, options: Dict[str, Any], text: Text) -> Result:
    data, shown = _encoded(text)
    error = _native.LalError()
    pointer = library.lal_split_text(model, make_options(options), data, len(data), error)
    if not pointer:
        raise_error(error)
    return Result(pointer, shown)


def split(text: Text, **options: Any) -> Result:
    """Sentences and tokens of an English text, without parsing; options: newlines, markup, sentences, tokens."""
    return _split(None, options, text)
