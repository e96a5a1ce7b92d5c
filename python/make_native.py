#!/usr/bin/env python3
"""make_native.py HEADER [--check]: declarations of include/lalparser.h for ctypes, to standard output.

With --check: a C program that prints the size of every structure and the offset of every member, as
python/tests/test_native.py compares them with those of ctypes. Knows the C of that header, and stops where it finds
another one. Standard library only.
"""
import re
import textwrap
import sys

PLAIN = {"int": "c_int", "long": "c_long", "size_t": "c_size_t", "double": "c_double", "float": "c_float",
         "char": "c_char", "void": "None"}


def declarations(text):
    """The header's declarations, without comments and the preprocessor, split at semicolons outside of braces."""
    text = re.sub(r"/\*.*?\*/", " ", text, flags=re.S)
    text = "\n".join(line for line in text.splitlines() if not line.lstrip().startswith("#"))
    text = text.replace('extern "C" {', " ")
    out, depth, start = [], 0, 0
    for i, c in enumerate(text):
        depth += (c == "{") - (c == "}")
        if c == ";" and depth <= 0:
            out.append(" ".join(text[start:i].split()))
            start = i + 1
    return [d.strip("} ") if d.startswith("}") else d for d in out if d.strip("} ")]


class Header:
    def __init__(self, text):
        self.constants, self.structs, self.functions, self.callbacks = [], {}, [], {}
        self.enums, self.opaque = set(), set()
        for d in declarations(text):
            self.take(d)

    def take(self, d):
        enum = re.fullmatch(r"(?:typedef )?enum ?(\w*) \{(.*)\} ?(\w*)", d)
        struct = re.fullmatch(r"typedef struct (\w+) \{(.*)\} \1", d)
        opaque = re.fullmatch(r"typedef struct \w+ (\w+)", d)
        callback = re.fullmatch(r"typedef (\w+) \(\*(\w+)\)\((.*)\)", d)
        function = re.fullmatch(r"LAL_API (.*?)(\w+)\((.*)\)", d)
        if enum:
            self.take_enum(enum.group(1), enum.group(2))
        elif struct:
            self.structs[struct.group(1)] = [m for part in struct.group(2).split(";") for m in self.members(part)]
        elif opaque:
            self.opaque.add(opaque.group(1))
        elif callback:
            kinds = self.signature(callback.group(1), callback.group(3))
            self.callbacks[callback.group(2)] = kinds.replace("c_char_p", "c_void_p")  # bytes with a length
        elif function:
            self.functions.append((function.group(2), self.signature(function.group(1), function.group(3))))
        else:
            sys.exit("make_native.py: found '%s', expected a declaration that it knows" % d)

    def take_enum(self, name, body):
        value = -1
        if name:
            self.enums.add(name)
        for item in filter(None, (x.strip() for x in body.split(","))):
            key, _, given = item.partition("=")
            value = int(given) if given.strip() else value + 1
            self.constants.append((key.strip(), value))

    def type(self, text):
        """The ctypes expression of a type such as `const char *const *`."""
        words = text.replace("*", " * ").split()
        stars = words.count("*")
        base = [w for w in words if w not in ("const", "struct", "*")]
        if len(base) != 1:
            sys.exit("make_native.py: found the type '%s', expected one that it knows" % text)
        name = base[0]
        if name in self.opaque or name == "void":
            return {0: "None", 1: "c_void_p"}[stars]
        if name == "char" and stars:
            if "const" not in words:  # to be freed
                return "c_void_p"
            name, stars = "c_char_p", stars - 1
        name = "c_int" if name in self.enums else PLAIN.get(name, name)
        return "POINTER(" * stars + name + ")" * stars

    def members(self, part):
        part = part.strip()
        if not part:
            return []
        function = re.fullmatch(r"(\w+) \(\*(\w+)\)\((.*)\)", part)
        if function:
            return [(function.group(2), self.signature(function.group(1), function.group(3)))]
        first, *others = [x.strip() for x in part.split(",")]
        base, name = re.fullmatch(r"(.*?[ *])(\w+(?:\[\w+\])?)", first).groups()
        out = []
        for name in [name] + others:
            if not re.fullmatch(r"\w+(\[\w+\])?", name):
                sys.exit("make_native.py: found '%s', expected names without asterisks of their own" % part)
            array = re.fullmatch(r"(\w+)\[(\w+)\]", name)
            kind = self.type(base)
            out.append((array.group(1), "%s * %s" % (kind, array.group(2))) if array else (name, kind))
        return out

    def signature(self, result, arguments):
        types = []
        for argument in arguments.split(","):
            argument = argument.strip()
            if argument != "void":
                types.append(self.type(re.fullmatch(r"(.*?[ *])(\w+)", argument).group(1)))
        return "CFUNCTYPE(%s)" % ", ".join([self.type(result)] + types)


def write_python(header, version, out):
    out.write('"""Made from include/lalparser.h by python/make_native.py; not to be changed by hand."""\n')
    out.write("from ctypes import (CFUNCTYPE, POINTER, Structure, c_char, c_char_p, c_double, c_float, c_int, c_long,\n"
              "                    c_size_t, c_void_p)\nfrom typing import Any, Dict\n\n")
    out.write('VERSION = "%s"\n' % version)
    for key, value in header.constants:
        out.write("%s = %d\n" % (key, value))
    for name, members in header.structs.items():
        own = any(name in kind for _, kind in members)  # a pointer to its own kind
        start = "    pass\n\n\n%s._fields_ = [\n" % name if own else "    _fields_ = [\n"
        margin = "" if own else "    "
        out.write("\n\nclass %s(Structure):\n%s" % (name, start))
        for member, kind in members:
            out.write('%s    ("%s", %s),\n' % (margin, member, kind))
        out.write(margin + "]\n")
    out.write("\n\n")
    for name, kind in header.callbacks.items():
        out.write("%s = %s\n" % (name, kind))
    out.write("\nFUNCTIONS: Dict[str, Any] = {\n")
    for name, kind in header.functions:
        result, _, arguments = kind[len("CFUNCTYPE("):-1].partition(", ")
        line = '"%s": (%s, [%s]),' % (name, result, arguments)
        out.write("\n".join(textwrap.wrap(line, 120, initial_indent="    ", subsequent_indent=" " * 8)) + "\n")
    out.write("}\n\n\ndef declare(library: Any) -> Any:\n"
              '    """Gives the functions of a loaded library their types."""\n'
              "    for name, (result, arguments) in FUNCTIONS.items():\n"
              "        function = getattr(library, name)\n"
              "        function.restype, function.argtypes = result, arguments\n"
              "    return library\n")


def write_check(header, out):
    out.write("#include <lalparser.h>\n#include <stdio.h>\n\nint main(void)\n{\n")
    for name, members in header.structs.items():
        out.write('    printf("%s %%zu\\n", sizeof(%s));\n' % (name, name))
        for member, _ in members:
            out.write('    printf("%s.%s %%zu\\n", offsetof(%s, %s));\n' % (name, member, name, member))
    out.write("    return 0;\n}\n")


def main():
    with open(sys.argv[1], encoding="utf-8") as f:
        text = f.read()
    header = Header(text)
    if "--check" in sys.argv:
        write_check(header, sys.stdout)
    else:
        write_python(header, re.search(r'#define LAL_VERSION "(.*)"', text).group(1), sys.stdout)


if __name__ == "__main__":
    main()
