"""Options of parses and patterns: their names and types, and structures of the library of them."""
import ctypes
import functools
import operator
import os
from typing import Any, Dict, Literal, Mapping, Optional, Sequence, Tuple, TypedDict, Union, get_args

from . import _native
from ._library import ArgumentError, library, raise_error


class Options(TypedDict, total=False):
    """Options of load and of calls; docs/PYTHON.md and include/lalparser.h say what they do."""

    newlines: Literal["auto", "sentence", "paragraph", "space"]
    markup: Literal["auto", "none", "markdown", "html", "srt", "latex"]
    sentences: Literal["find", "line", "all"]
    tokens: Literal["find", "space"]
    deps: Literal["auto", "ud", "model"]
    hyphens: Literal["model", "split", "keep"]
    invalid: Literal["error", "replace", "skip"]
    rules: Union[None, str, "os.PathLike[str]", Sequence[str]]
    treebank: Optional[str]
    probabilities: bool
    contributions: bool
    confidence: bool
    why: bool
    ranges: bool
    k_best: int
    batch_tokens: int
    max_words: int
    max_memory: float


class PatternOptions(TypedDict, total=False):
    """Options of Pattern; docs/PYTHON.md and include/lalparser.h say what they do."""

    kind: Literal["auto", "tregex", "semgrex"]
    semgrex: Optional[str]
    where: Optional[str]
    heads: Optional[str]
    top: Optional[str]
    ignore_case: bool
    graph: Literal["auto", "enhanced", "basic"]
    deps: Literal["auto", "ud", "model"]
    repeats: bool
    most_steps: int
    most_matches: int


KINDS: Dict[str, Any] = dict(Options.__annotations__)
PATTERN_KINDS: Dict[str, Any] = dict(PatternOptions.__annotations__)
INT_MAX = 2 ** 31 - 1


def markup_of(path: Union[str, "os.PathLike[str]"]) -> Any:
    """The option markup by the name of a file, as lal parse reads it; "auto": the name says nothing."""
    return get_args(KINDS["markup"])[library.lal_markup_of(os.fsencode(path))]


def type_name(value: object) -> str:
    return type(value).__name__


def whole_number(name: str, value: object) -> int:
    """A number that an int of C holds; the library knows its range."""
    try:
        if isinstance(value, bool):
            raise TypeError
        number = operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        raise TypeError("%s: found %r, a %s, expected a whole number" % (name, value, type_name(value))) from None
    if not -INT_MAX <= number <= INT_MAX:
        raise ArgumentError("%s: found %d, expected at most %d" % (name, number, INT_MAX))
    return number


def c_string(name: str, value: object) -> bytes:
    """A str as the library takes it: UTF-8 without NUL."""
    if not isinstance(value, str):
        raise TypeError("%s: found %r, a %s, expected a str" % (name, value, type_name(value)))
    if "\0" in value:
        raise ArgumentError("%s: found %r, expected a str without NUL" % (name, value))
    try:
        return value.encode("utf-8")
    except UnicodeEncodeError:
        raise ArgumentError("%s: found %r, expected a str without lone surrogates" % (name, value)) from None


class _Rules:
    """Rules of a file, or of lines."""

    def __init__(self, path: Optional[str], lines: Tuple[str, ...]) -> None:
        error = _native.LalError()
        text = b"" if path else "\n".join(lines).encode("utf-8")
        self.handle = library.lal_rules_load(os.fsencode(path), error) if path else library.lal_rules_new(
            text, len(text), error)
        if not self.handle:
            raise_error(error)

    def __del__(self) -> None:
        if getattr(self, "handle", None):
            library.lal_rules_free(self.handle)


@functools.lru_cache(maxsize=16)
def _read_rules(path: Optional[str], lines: Tuple[str, ...], changed: int) -> _Rules:
    return _Rules(path, lines)


def _rules(value: object) -> Optional[_Rules]:
    """Those of a file are read again when it has changed."""
    if value is None:
        return None
    if isinstance(value, (str, os.PathLike)):
        path = os.fspath(value)
        c_string("rules", path)
        return _read_rules(path, (), os.stat(path).st_mtime_ns if os.path.exists(path) else 0)
    if isinstance(value, bytes) or not hasattr(value, "__iter__"):
        raise TypeError("rules: found %r, a %s, expected the path of a file or a list of rules" % (
            value, type_name(value)))
    lines = tuple(value)
    for k, line in enumerate(lines):
        c_string("rules[%d]" % k, line)
    return _read_rules(None, lines, 0)


def _value(kinds: Dict[str, Any], name: str, value: object) -> Union[None, int, float, bytes]:
    """The member of a structure."""
    if name not in kinds:
        raise TypeError("found the option %r, expected one of %s" % (name, ", ".join(sorted(kinds))))
    choices = get_args(kinds[name])
    if kinds[name] == Optional[str]:
        return None if value is None else c_string(name, value)
    if choices:
        if value not in choices:
            raise ArgumentError("%s: found %r, expected %s" % (name, value, " or ".join(choices)))
        return choices.index(value)
    if kinds[name] is bool:
        if not isinstance(value, bool):
            raise TypeError("%s: found %r, a %s, expected True or False" % (name, value, type_name(value)))
        return value
    if kinds[name] is int:
        return whole_number(name, value)
    if isinstance(value, (bool, str, bytes)) or not hasattr(value, "__float__"):
        raise TypeError("%s: found %r, a %s, expected a number" % (name, value, type_name(value)))
    return float(value)


def make_options(values: Mapping[str, Any]) -> _native.LalOptions:
    options = _native.LalOptions()
    library.lal_options_init(options, ctypes.sizeof(options))
    for name, value in values.items():
        if name == "rules":
            options.rules_read = _rules(value)  # lives as long as the options
            options.rules = options.rules_read and options.rules_read.handle
        else:
            setattr(options, name, _value(KINDS, name, value))
    return options


def make_pattern_options(values: Mapping[str, Any]) -> _native.LalPatternOptions:
    return _native.LalPatternOptions(size=ctypes.sizeof(_native.LalPatternOptions),
                                     **{name: _value(PATTERN_KINDS, name, value) for name, value in values.items()})
