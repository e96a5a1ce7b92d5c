"""The shared library: where it is, and its errors as exceptions."""
from __future__ import annotations

import ctypes
import ctypes.util
import importlib.util
import os
from pathlib import Path
from typing import Any, Dict, Iterator, Optional

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
    """A text that is not UTF-8, or has a NUL byte or a lone surrogate, or a file that is no model."""


class ArgumentError(Error, ValueError):
    """An option outside its range."""

    def __init__(self, message: str, code: int = _native.LAL_ERROR_ARGUMENT, line: int = 0, column: int = 0) -> None:
        super().__init__(message, code, line, column)


class FileError(Error, OSError):
    """A file that cannot be read."""


class LimitError(Error):
    """A search took more steps than it may."""


class Stopped(Error):
    """The parse was stopped (the `stop` of a call)."""


KINDS = {_native.LAL_ERROR_FORMAT: TextError, _native.LAL_ERROR_ARGUMENT: ArgumentError,
         _native.LAL_ERROR_IO: FileError, _native.LAL_ERROR_LIMIT: LimitError, _native.LAL_STOPPED: Stopped}


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
    for end in ("so", "dylib"):
        yield str(HERE.parents[2] / "build" / "default" / ("liblalparser." + end))  # of a source tree
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


def shipped_models() -> Dict[str, Any]:
    """The models that come with lal, by their names, the default first."""
    models: Dict[str, Any] = {}
    while True:
        model = library.lal_models(len(models))
        if not model:
            return models
        models[model.contents.name.decode()] = model.contents


FOLDERS = (HERE / "models", HERE.parents[2] / "models", Path("/usr/local/share/lalparser"),
           Path("/usr/share/lalparser"))


def model_path(name: str) -> Optional[str]:
    """The file of a model: a path, or one that comes with lal; None: that of the library (LAL_MODEL, or its data)."""
    models = shipped_models()
    if name not in models:
        if os.sep in name or os.path.exists(name):
            return name
        raise FileError("found no model %r, expected %s or the path of a file" % (name, ", ".join(models)),
                        _native.LAL_ERROR_IO)
    file = models[name].file.decode()
    wheel = importlib.util.find_spec("lalparser_" + name)  # of that model alone
    for folder in (*map(Path, (wheel and wheel.submodule_search_locations) or ()), *FOLDERS):
        if (folder / file).exists():
            return str(folder / file)
    if name == next(iter(models)):
        return None
    raise FileError("found no %s, the model %r, in %s: install the wheel lalparser-%s, put the file into one of these "
                    "folders, or give its path. The source of lal has its models in models/, and `make install` "
                    "installs them" % (file, name, ", ".join(map(str, FOLDERS)), name), _native.LAL_ERROR_IO)


def take_text(address: Optional[int], error: _native.LalError) -> str:
    """The text of a function that returns a string to be freed; raises the error where it returns none."""
    if not address:
        raise_error(error)
    try:
        return ctypes.string_at(address).decode("utf-8")
    finally:
        library.lal_string_free(address)
