"""python -m lalparser [-m MODEL] [-f FORMAT] [FILE ...]: parses texts, or standard input, to standard output, in a
format of `lal parse`."""
import argparse
import sys
from typing import List, Optional

from . import FORMATS, Error, __version__, load
from .options import markup_of


def _arguments(arguments: Optional[List[str]]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m lalparser", description="Parses texts to standard output.")
    parser.add_argument("-m", "--model", default="small", help="its name, or the path of its file (default: small)")
    parser.add_argument("-f", "--format", default="brackets", choices=FORMATS, help="default: brackets")
    parser.add_argument("--version", action="version", version=__version__)
    parser.add_argument("files", nargs="*", metavar="FILE", default=["-"], help="default, and -: standard input")
    return parser.parse_args(arguments)


def _read(path: str) -> bytes:
    if path == "-":
        return sys.stdin.buffer.read()
    with open(path, "rb") as f:
        return f.read()


def main(arguments: Optional[List[str]] = None) -> int:
    given = _arguments(arguments)
    try:
        parser = load(given.model)
        for path in given.files:
            text = parser.format(_read(path), given.format, markup=markup_of(path))
            sys.stdout.buffer.write(text.encode("utf-8"))
            sys.stdout.buffer.flush()
    except BrokenPipeError:
        sys.stderr.close()  # nobody reads; nothing is left to write at exit
        return 1
    except (Error, OSError, MemoryError) as error:
        print("lalparser: %s" % error, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
