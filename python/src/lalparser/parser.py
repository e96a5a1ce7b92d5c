"""Parsers: a model, options, and as many parsers of the library as threads use at the same time."""
from __future__ import annotations

import codecs
import ctypes
import json
import os
import queue
import threading
from collections import deque
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from itertools import count
from typing import (TYPE_CHECKING, Any, Callable, Deque, Dict, Iterable, Iterator, List, Literal, Mapping, Optional,
                    Sequence, Tuple, Union, overload)

from . import _native
from ._library import Error, Stopped, TextError, library, model_path, raise_error
from .options import c_string, make_options, markup_of, type_name, whole_number
from .result import Result

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from .options import Options

Text = Union[str, bytes]
Stop = Optional[Callable[[], bool]]
Errors = Literal["raise", "skip", "return"]
FORMATS = tuple(name.decode() for name in iter(map(library.lal_formats, count()).__next__, None))
ASK = dict(_native.LalOptions._fields_)["stop"]  # type: ignore[arg-type]
# Bytes: a text of fewer is parsed before anybody misses an interrupt.
SHORT = 2000
# Of pipe: texts, and their characters, in one call of the library.
BATCH_TEXTS, BATCH_CHARACTERS = 256, 16000


def _shown(value: object) -> str:
    text = repr(value)
    return "%s, a %s" % (text if len(text) <= 60 else text[:57] + "...", type_name(value))


def _no_bytes(error: UnicodeError) -> Tuple[bytes, int]:
    """Lone surrogates as bytes that no text in UTF-8 has."""
    assert isinstance(error, UnicodeEncodeError)
    return b"\xff" * (error.end - error.start), error.end


codecs.register_error("lalparser", _no_bytes)


def _encoded(text: Text, name: str = "text", *, options: Mapping[str, Any] = {}) -> Tuple[bytes, str]:
    """The bytes of a text, in which may be what the library refuses or, by the option invalid, repairs, and their str.
    name: of the text in messages."""
    if isinstance(text, bytes):
        return text, text.decode("utf-8", "replace")
    if not isinstance(text, str):
        raise TypeError("%s: found %s, expected a str, or bytes in UTF-8" % (name, _shown(text)))
    try:
        return text.encode("utf-8", "strict" if options.get("invalid", "error") == "error" else "lalparser"), text
    except UnicodeEncodeError as error:
        before = text[:error.start].rpartition("\n")
        line, column = text.count("\n", 0, error.start) + 1, len(before[2].encode("utf-8")) + 1
        raise TextError("%s:%d:%d: found the lone surrogate U+%04X, expected Unicode characters" % (
            name, line, column, ord(text[error.start])), _native.LAL_ERROR_FORMAT, line, column) from None


def _words(sentence: object, what: str, name: str) -> List[bytes]:
    """The words, or tags, of a sentence; name: of the sentence in messages."""
    if isinstance(sentence, (str, bytes)) or not hasattr(sentence, "__iter__"):
        raise TypeError("%s: found %s, expected a list of %s" % (name, _shown(sentence), what))
    out = []
    for k, word in enumerate(sentence):
        if not isinstance(word, str):
            raise TypeError("%s[%d]: found %s, expected a str" % (name, k, _shown(word)))
        if "\0" in word:
            raise TextError("%s[%d]: found %r, expected a word without NUL" % (name, k, word), _native.LAL_ERROR_FORMAT)
        out.append(_encoded(word, "%s[%d]" % (name, k))[0])
    return out


def _sentences(sentences: object, what: str, name: str) -> List[List[bytes]]:
    if isinstance(sentences, (str, bytes)) or not hasattr(sentences, "__iter__"):
        raise TypeError("%s: found %s, expected a list of sentences, which are lists of %s" % (
            name, _shown(sentences), what))
    return [_words(sentence, what, "%s[%d]" % (name, k)) for k, sentence in enumerate(sentences)]


class Parser:
    """Parses with one model. May be used by any number of threads; other threads of Python run meanwhile. A process
    that is forked, or unpickles a parser, loads the model again."""

    def __init__(self, model: Union[str, "os.PathLike[str]"] = "small", *, threads: int = 1,
                 **options: Unpack[Options]) -> None:
        self._model_name, self._threads, self._options = os.fspath(model), whole_number("threads", threads), options
        self._start()

    def _start(self) -> None:
        error = _native.LalError()
        c_string("model", self._model_name)
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

    @property
    def language(self) -> Optional[str]:
        """The language of the model, "en"; None: its file does not say."""
        code = library.lal_model_language(self._model)
        return None if code is None else code.decode()

    # ---- calls of the library

    @contextmanager
    def _handle(self, values: _native.LalOptions) -> Iterator[Any]:
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

    def _call(self, work: Callable[[Any], Any], size: int, options: Mapping[str, Any], stop: Stop,
              calls_back: bool = False) -> Any:
        """work(handle), with a parser of the library, for a text of `size` bytes. The main thread of Python waits for
        another one, so that signals end a long parse at once: the library then stops at its next batch. Functions that
        are called back are not called in the main thread either, where an interrupt would be lost in them."""
        if self._pid != os.getpid():
            self._start()
        values = make_options({**self._options, **options})
        values.threads = self._threads
        raised: List[BaseException] = []
        main = threading.current_thread() is threading.main_thread()
        apart = main and (size > SHORT or calls_back or stop is not None)
        cancelled = threading.Event()

        def ask(_: Any) -> int:
            try:
                return int(cancelled.is_set() or (stop is not None and bool(stop())))
            except BaseException as error:
                raised.append(error)
                return 1

        def run() -> Any:
            try:
                with self._handle(values) as handle:
                    return work(handle)
            except Stopped:
                if raised:
                    raise raised[0] from None
                raise

        if stop is not None or apart:
            values.stop = ASK(ask)
        return _in_thread(run, cancelled) if apart else run()

    def parse(self, text: Text, *, stop: Stop = None, **options: Unpack[Options]) -> Result:
        """Parses a text. options are those of load, for this call; stop() is asked from time to time, true: Stopped."""
        data, shown = _encoded(text, options={**self._options, **options})
        return self._parse(data, shown, stop, options)

    def _parse(self, data: bytes, shown: str, stop: Stop, options: Mapping[str, Any]) -> Result:
        def work(handle: Any) -> Result:
            error = _native.LalError()
            pointer = library.lal_parse_text(handle, data, len(data), error)
            if not pointer:
                raise_error(error)
            return Result(pointer, shown, {**self._options, **options})

        result: Result = self._call(work, len(data), options, stop)
        return result

    def parse_words(self, words: Iterable[Sequence[str]], *, tags: Optional[Iterable[Sequence[str]]] = None,
                    stop: Stop = None, **options: Unpack[Options]) -> Result:
        """Parses sentences whose words, and perhaps tags, are known: a list of lists of str."""
        known_words = _sentences(words, "words", "words")
        known_tags = None if tags is None else _sentences(tags, "tags", "tags")
        if known_tags is not None and list(map(len, known_tags)) != list(map(len, known_words)):
            raise ValueError("found other numbers of tags than of words")
        n = len(known_words)
        array = (_native.LalWords * n)()
        for k, sentence in enumerate(known_words):
            strings: Any = ctypes.c_char_p * len(sentence)
            array[k].words = strings(*sentence)
            if known_tags is not None:
                array[k].tags = strings(*known_tags[k])
            array[k].n = len(sentence)

        def work(handle: Any) -> Result:
            error = _native.LalError()
            pointer = library.lal_parse_tokens(handle, array, n, error)
            if not pointer:
                raise_error(error)
            return Result(pointer, None, {**self._options, **options})

        result: Result = self._call(work, 5 * sum(map(len, known_words)), options, stop)
        return result

    def split(self, text: Text, **options: Unpack[Options]) -> Result:
        """Sentences and tokens of a text in the language of the model, without parsing."""
        if self._pid != os.getpid():
            self._start()
        return _split(self._model, {**self._options, **options}, text)

    def parse_file(self, path: Union[str, "os.PathLike[str]"], *, stop: Stop = None,
                   **options: Unpack[Options]) -> Result:
        if {**self._options, **options}.get("markup", "auto") == "auto":
            options["markup"] = markup_of(path)
        with open(path, "rb") as f:
            return self.parse(f.read(), stop=stop, **options)

    # ---- many texts

    @overload
    def pipe(self, texts: Iterable[Text], *, as_tuples: Literal[False] = ..., errors: Literal["raise", "skip"] = ...,
             threads: int = ..., stop: Stop = ..., **options: Unpack[Options]) -> Iterator[Result]: ...
    @overload
    def pipe(self, texts: Iterable[Any], *, as_tuples: bool = ..., errors: Errors = ..., threads: int = ...,
             stop: Stop = ..., **options: Unpack[Options]) -> Iterator[Any]: ...

    def pipe(self, texts: Iterable[Any], *, as_tuples: bool = False, errors: Errors = "raise", threads: int = 1,
             stop: Stop = None, **options: Unpack[Options]) -> Iterator[Any]:
        """Results of many texts, in their order; some texts at a time are taken and parsed together. as_tuples: of
        pairs (text, context), pairs (result, context). errors: what is no text: "raise"; "skip": it is left out;
        "return": its exception is in the place of its result."""
        if errors not in ("raise", "skip", "return"):
            raise ValueError("errors: found %r, expected raise or skip or return" % (errors,))
        if isinstance(texts, (str, bytes)) or not hasattr(texts, "__iter__"):
            raise TypeError("texts: found %s, expected a list, or another iterable, of texts" % _shown(texts))
        make_options({**self._options, **options})
        if whole_number("threads", threads) < 1:
            raise ValueError("threads: found %d, expected 1 or more" % threads)
        return self._pipe(texts, as_tuples, errors, threads, stop, options)

    def _pipe(self, texts: Iterable[Any], as_tuples: bool, errors: str, threads: int, stop: Stop,
              options: Mapping[str, Any]) -> Iterator[Any]:
        batches = self._results(_batches(texts, as_tuples), threads, stop, options)
        for batch, results in batches:
            for (_, _, context), result in zip(batch, results):
                if isinstance(result, Exception):
                    if errors == "raise":
                        raise result
                    if errors == "skip":
                        continue
                yield (result, context) if as_tuples else result

    def _results(self, batches: Iterator[Batch], threads: int, stop: Stop,
                 options: Mapping[str, Any]) -> Iterator[Tuple[Batch, List[Any]]]:
        """Each batch with its results."""
        if threads <= 1:
            for batch in batches:
                yield batch, self._parse_batch(batch, stop, options)
            return
        ended = threading.Event()
        ask: Stop = lambda: ended.is_set() or (stop is not None and stop())
        pool = ThreadPoolExecutor(threads)
        waiting: Deque[Tuple[Batch, Future[List[Any]]]] = deque()
        try:
            for batch in batches:
                waiting.append((batch, pool.submit(self._parse_batch, batch, ask, options)))
                if len(waiting) > 2 * threads:
                    first, future = waiting.popleft()
                    yield first, future.result()
            while waiting:
                first, future = waiting.popleft()
                yield first, future.result()
        finally:
            ended.set()
            for _, future in waiting:
                future.cancel()
            pool.shutdown(wait=False)  # an interrupt does not wait for the batches that are parsed

    def _parse_batch(self, batch: Batch, stop: Stop, options: Mapping[str, Any]) -> List[Any]:
        """The result of each text, or its exception."""
        results: List[Any] = []
        for name, text, _ in batch:
            try:
                results.append(_encoded(text, name, options={**self._options, **options}))
            except (TypeError, TextError) as error:
                results.append(error)
        texts = {k: text for k, text in enumerate(results) if not isinstance(text, Exception)}
        # What the library may refuse is parsed by itself: the others go on, and the error has its place.
        refuses = {**self._options, **options}.get("invalid", "error") == "error"
        together = [k for k, (_, shown) in texts.items() if not refuses or not ("\0" in shown or "\ufffd" in shown)]
        try:
            for k, result in zip(together, self._parse_texts([texts[k] for k in together], stop, options)):
                results[k] = result
        except Stopped:
            raise
        except Error:
            together = []
        for k in texts.keys() - set(together):
            results[k] = self._parse_row(batch[k][0], texts[k], stop, options)
        return results

    def _parse_row(self, name: str, text: Tuple[bytes, str], stop: Stop, options: Mapping[str, Any]) -> Any:
        """The result of a text of this name, or its exception."""
        try:
            return self._parse(*text, stop, options)
        except Stopped:
            raise
        except Error as error:
            message = str(error)
            message = message[len("text"):] if message.startswith("text:") else ": " + message
            return type(error)(name + message, error.code, error.line, error.column)

    def _parse_texts(self, texts: List[Tuple[bytes, str]], stop: Stop, options: Mapping[str, Any]) -> List[Result]:
        n = len(texts)
        kind: Any = _native.LalText * n
        array = kind(*[(data, len(data)) for data, _ in texts])
        pointers: Any = (ctypes.POINTER(_native.LalResult) * n)()

        def work(handle: Any) -> List[Result]:
            error = _native.LalError()
            if library.lal_parse_texts(handle, array, n, pointers, error) != _native.LAL_OK:
                raise_error(error)
            both = {**self._options, **options}
            return [Result(pointers[k], texts[k][1], both) for k in range(n)]

        results: List[Result] = self._call(work, sum(len(data) for data, _ in texts), options, stop)
        return results

    def format(self, text: Text, format: str = "conllu", *, stop: Stop = None, **options: Unpack[Options]) -> str:
        """The text in a format of lal parse, one of FORMATS."""
        data, _ = _encoded(text, options={**self._options, **options})
        return self._written(library.lal_parse_text_as, data, c_string("format", format), stop, options)

    def format_sentences(self, sentences: Iterable[Mapping[str, Any]], format: str = "conllu", *, stop: Stop = None,
                         **options: Unpack[Options]) -> str:
        """Sentences as lines of JSON have them, parsed under the heads, types and phrases that they have and without
        what their `not` names (docs/ANNOTATE.md), in a format of lal parse."""
        return self._written(library.lal_parse_json_as, _lines(sentences), c_string("format", format), stop, options)

    def inspect(self, sentences: Iterable[Mapping[str, Any]], *, top: int = 5, flips: bool = False,
                stop: Stop = None, **options: Unpack[Options]) -> List[Dict[str, Any]]:
        """Why the parser decided so: of each sentence, as for format_sentences, what lal inspect writes, with `top`
        label heads of a decision. flips: also what would change the least certain one."""
        how = _native.LalInspectOptions(size=ctypes.sizeof(_native.LalInspectOptions),
                                        top=whole_number("top", top), flips=bool(flips))
        lines = self._written(library.lal_inspect_json, _lines(sentences), how, stop, options)
        return [json.loads(line) for line in lines.splitlines()]

    def _written(self, function: Any, data: bytes, how: Any, stop: Stop, options: Mapping[str, Any]) -> str:
        """What a function of the library writes."""
        parts: List[bytes] = []

        def take(_: Any, address: int, size: int) -> int:
            parts.append(ctypes.string_at(address, size))
            return 0

        def work(handle: Any) -> None:
            error = _native.LalError()
            if function(handle, data, len(data), how, _native.LalWrite(take), None, error):
                raise_error(error)

        self._call(work, len(data), options, stop, True)
        return b"".join(parts).decode("utf-8")


def _lines(sentences: Iterable[Mapping[str, Any]]) -> bytes:
    return b"".join(json.dumps(sentence).encode("ascii") + b"\n" for sentence in sentences)


Batch = List[Tuple[str, Any, Any]]  # texts with their names in messages and what is beside them


def _batches(texts: Iterable[Any], as_tuples: bool) -> Iterator[Batch]:
    batch: Batch = []
    size = 0
    for k, item in enumerate(texts):
        name, context = "texts[%d]" % k, None
        if as_tuples:
            try:
                item, context = item
            except (TypeError, ValueError):
                raise TypeError("%s: found %s, expected a pair of a text and what is beside it" % (
                    name, _shown(item))) from None
        batch.append((name, item, context))
        size += len(item) if isinstance(item, (str, bytes)) else 0
        if len(batch) >= BATCH_TEXTS or size >= BATCH_CHARACTERS:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def _in_thread(run: Callable[[], Any], cancelled: threading.Event) -> Any:
    """run() in another thread. An exception of this one, KeyboardInterrupt, does not wait for its end."""
    future: Future[Any] = Future()

    def work() -> None:
        try:
            future.set_result(run())
        except BaseException as error:
            future.set_exception(error)

    threading.Thread(target=work, name="lalparser").start()
    try:
        return future.result()
    finally:
        cancelled.set()


def _load(model: str, options: Any) -> Parser:
    return Parser(model, **options)


def _split(model: Any, options: Any, text: Text) -> Result:
    data, shown = _encoded(text, options=options)
    error = _native.LalError()
    pointer = library.lal_split_text(model, make_options(options), data, len(data), error)
    if not pointer:
        raise_error(error)
    return Result(pointer, shown, options)


def split(text: Text, **options: Unpack[Options]) -> Result:
    """Sentences and tokens of an English text, without parsing; options: newlines, markup, sentences, tokens,
    invalid."""
    return _split(None, options, text)
