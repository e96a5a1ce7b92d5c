#!/usr/bin/env python3
"""macho.py FILE: what a library of macOS says of itself: the libraries that it needs, the oldest system, a signature
(64-bit ARM runs nothing without one)."""
import struct
import sys

LC_LOAD_DYLIB, LC_CODE_SIGNATURE, LC_VERSION_MIN, LC_BUILD_VERSION = 0xC, 0x1D, 0x24, 0x32

with open(sys.argv[1], "rb") as file:
    data = file.read()
magic, machine, _, _, commands = struct.unpack_from("<5I", data)
if magic != 0xFEEDFACF:
    sys.exit("%s: found no 64-bit Mach-O" % sys.argv[1])
print("machine", {0x01000007: "x86_64", 0x0100000C: "arm64"}[machine])
place = 32
for _ in range(commands):
    kind, size, first, second = struct.unpack_from("<4I", data, place)
    if kind == LC_LOAD_DYLIB:
        print("needs", data[place + first:place + size].split(b"\0")[0].decode())
    elif kind == LC_CODE_SIGNATURE:
        print("signed")
    elif kind in (LC_VERSION_MIN, LC_BUILD_VERSION):
        version = second if kind == LC_BUILD_VERSION else first
        print("macos %d.%d" % (version >> 16, version >> 8 & 255))
    place += size
