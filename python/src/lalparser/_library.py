"""The shared library: where it is, and its errors as exceptions."""
from __future__ import annotations

import ctypes
import ctypes.util
import os
from pathlib import Path
from typing import Any, Iterator, Optional

from . import _native

HERE = Path(__file__).resolve().parent


class Error(Exception):
    """What the library refused: `code` is a LalStatus, `line` and `column` are of a text or file (0: none)."""

    def __init__(self, message: str, code: int, line: int = 0, column: int = 0) -> None:
        super().__init__(message)
        self.code, self.line, self.column = code, line, column

    def __reduce__(self) -> Any:
        return type(self), (str(self), self.code, self.line, self.column)


class TextError(Error, ValueError):
    """A text that is not UTF-8 or has a NUL byte, or a file that is no model."""


class ArgumentError(Error, ValueError):
    """An option outside its range."""


class FileError(Error, OSError):
    """A file that cannot be read."""


class Stopped(Error):
    """The parse was stopped (the `stop` of a call)."""


KINDS = {_native.LAL_ERROR_FORMAT: TextError, _native.LAL_ERROR_ARGUMENT: ArgumentError,
         _native.LAL_ERROR_IO: FileError, _native.LAL_STOPPED: Stopped}


def raise_error(error: _native.LalError) -> None:
    message = error.message.decode("utf-8", "replace")
    if error.code == _native.LAL_ERROR_MEMORY:
        raise MemoryError(message)
    raise KINDS.get(error.code, Error)(message, error.code, error.line, error.column)


def _candidates() -> Iterator[str]:
    given = os.environ.get("LALPARSER_LIBRARY")
    if given:
        yield given
        return
    yield str(HERE / "lib" / "liblalparser.so")  # of the wheel
    yield str(HERE.parents[2] / "build" / "default" / "liblalparser.so")  # of a source tree
    found = ctypes.util.find_library("lalparser")
    if found:
        yield found


def _load() -> Any:
    tried = []
    for path in _candidates():
        tried.append(path)
        if os.sep in path and not os.path.exists(path):
            continue
        library = _native.declare(ctypes.CDLL(path))
        version = library.lal_version().decode()
        if version != _native.VERSION:
            raise ImportError("%s: found version %s, expected %s" % (path, version, _native.VERSION))
        return library
    raise ImportError("found no shared library in %s; LALPARSER_LIBRARY names one" % (", ".join(tried) or "the system"))


library = _load()


def model_path(name: str) -> Optional[str]:
    """The file of a model: a path, or small, base or large; None: that of the library (LAL_MODEL, or its data)."""
    if name not in ("small", "base", "large"):
        return name
    file = "en-%s.lal" % name
    folders = [HERE / "models", HERE.parents[2] / "models", Path("/usr/local/share/lalparser"),
               Path("/usr/share/lalparser")]
    for folder in folders:
        if (folder / file).exists():
            return str(folder / file)
    if name == "small":
        return None
    raise FileError("%s: found in none of %s" % (file, ", ".join(map(str, folders))), _native.LAL_ERROR_IO)
