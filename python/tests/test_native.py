"""The declarations are those of the header, and ctypes lays structures out as the C compiler does."""
import ctypes
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from lalparser import _native

ROOT = Path(__file__).resolve().parents[2]
MAKE = [sys.executable, str(ROOT / "python/make_native.py"), str(ROOT / "include/lalparser.h")]


class Native(unittest.TestCase):
    def test_declarations_are_made_from_the_header(self):
        made = subprocess.run(MAKE, stdout=subprocess.PIPE, check=True).stdout.decode()
        self.assertEqual(made, (ROOT / "python/src/lalparser/_native.py").read_text())

    def test_layout_is_that_of_the_compiler(self):
        source = subprocess.run(MAKE + ["--check"], stdout=subprocess.PIPE, check=True).stdout
        with tempfile.TemporaryDirectory() as folder:
            program = os.path.join(folder, "check")
            subprocess.run([os.environ.get("CC", "cc"), "-x", "c", "-", "-I", str(ROOT / "include"), "-o", program],
                           input=source, check=True)
            lines = subprocess.run([program], stdout=subprocess.PIPE, check=True).stdout.decode().splitlines()
        self.assertGreater(len(lines), 60)
        for line in lines:
            name, number = line.split()
            struct, _, member = name.partition(".")
            kind = getattr(_native, struct)
            found = getattr(kind, member).offset if member else ctypes.sizeof(kind)
            self.assertEqual(found, int(number), name)

    def test_what_the_generator_does_not_know_is_refused(self):
        with tempfile.NamedTemporaryFile("w", suffix=".h") as f:
            f.write('#define LAL_VERSION "1"\nunion X { int a; };\n')
            f.flush()
            run = subprocess.run(MAKE[:2] + [f.name], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.assertEqual(run.returncode, 1)
        self.assertIn(b"found 'union X { int a; }', expected a declaration", run.stderr)


if __name__ == "__main__":
    unittest.main()
