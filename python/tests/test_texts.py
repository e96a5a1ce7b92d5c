"""Many texts, interrupts, models by name, the command, types."""
import json
import os
import signal
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

import lalparser
from lalparser import _library

LAL = os.environ.get("LAL")
TEXTS = ["It rains %d times. Dogs  bark! " % k * (k % 4) for k in range(600)]
# A parse of hours, which another process interrupts once it runs.
LONG = """
import lalparser, os, signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background jobs ignore it
parser = lalparser.load("small", threads=int(sys.argv[2]))
text = "It rains in the garden of the king. " * 1000
def texts():
    for k in range(10 ** 6):
        if k == 3: print("runs", flush=True)
        yield text
def stop():
    print("runs", flush=True)
try:
    if sys.argv[1] == "parse": parser.parse(text * 300, stop=stop)
    elif sys.argv[1] == "trees":
        result = parser.parse(text)
        stop()
        while True: [s.tree for s in result]
    elif sys.argv[1] == "words": parser.parse_words([["It", "rains"] * 20] * 10 ** 4, stop=stop)
    else: [None for _ in parser.pipe(texts(), threads=int(sys.argv[2]))]
except KeyboardInterrupt:
    print(parser.parse("It rains.")[0].text)
"""


class Texts(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.parser = lalparser.load("small")

    def test_results_are_those_of_each_text(self):
        want = [self.parser.parse(text) for text in TEXTS]
        calls = []
        parse_texts = self.parser._parse_texts
        with mock.patch.object(self.parser, "_parse_texts", lambda *a: calls.append(1) or parse_texts(*a)):
            self.assertEqual(list(self.parser.pipe(iter(TEXTS))), want)
        self.assertLess(len(calls), 10)
        for k in range(0, 600, 50):
            self.assertEqual([s.to_dict() for s in want[k]],
                             [json.loads(s) for s in self.parser.format(TEXTS[k], "json").splitlines()])
        self.assertEqual(list(self.parser.pipe(TEXTS[:100], threads=3, k_best=2)),
                         [self.parser.parse(text, k_best=2) for text in TEXTS[:100]])
        self.assertEqual([k for _, k in self.parser.pipe(zip(TEXTS, range(600)), as_tuples=True, threads=2)],
                         list(range(600)))
        self.assertEqual(list(self.parser.pipe([])), [])
        self.assertEqual([len(r) for r in self.parser.pipe(["", b"It rains.", "\n", "It. Is."])], [0, 1, 0, 2])

    def test_every_row_of_a_column_is_accounted_for(self):
        rows = ["It rains %d times." % k for k in range(2000)]
        bad = {3: None, 4: float("nan"), 5: b"no \xff UTF-8", 777: b"\0", 778: 3.5, 900: ["a"], 1200: "\ud800",
               1201: "a\0b", 1202: b"a\nb\xe2\x82", 1500: None, 1999: float("nan")}
        for k, row in bad.items():
            rows[k] = row
        try:
            import pandas
        except ImportError:
            column = rows
        else:
            column = pandas.Series(rows, dtype=object)
        results = list(self.parser.pipe(column, errors="return"))
        self.assertEqual(len(results), 2000)
        for k, result in enumerate(results):
            if k in bad:
                self.assertIsInstance(result, (TypeError, lalparser.TextError))
                self.assertRegex(str(result), r"^texts\[%d\]:" % k)
            else:
                self.assertEqual(result.text, rows[k])
                self.assertEqual(len(result), 1)
        self.assertRegex(str(results[1202]), r"^texts\[1202\]:2:2: found bytes that are not UTF-8")
        self.assertEqual((results[1202].line, results[1202].column), (2, 2))
        kept = list(self.parser.pipe(zip(column, range(2000)), as_tuples=True, errors="skip", threads=2))
        self.assertEqual([k for _, k in kept], [k for k in range(2000) if k not in bad])
        paired = list(self.parser.pipe(zip(column, range(2000)), as_tuples=True, errors="return"))
        self.assertEqual([k for _, k in paired], list(range(2000)))
        self.assertEqual([str(r) for r, k in paired if k in bad], [str(results[k]) for k in bad])
        seen = []
        with self.assertRaisesRegex(TypeError, r"texts\[3\]: found None, a NoneType, expected a str"):
            for result in self.parser.pipe(column):
                seen.append(result.text)
        self.assertEqual(seen, rows[:3])

    def test_wrong_calls_are_refused_at_once(self):
        for texts in "It rains.", b"It rains.", None, 3:
            with self.assertRaisesRegex(TypeError, "texts: found .*, expected a list"):
                self.parser.pipe(texts)
        with self.assertRaisesRegex(ValueError, "errors: found 'ignore', expected raise or skip or return"):
            self.parser.pipe([], errors="ignore")
        with self.assertRaisesRegex(TypeError, "k_best: found 'a'"):
            self.parser.pipe([], k_best="a")
        for pair in "It", ("a", "b", "c"), None:
            pairs = self.parser.pipe([("It rains.", 1), pair], as_tuples=True, errors="skip")
            if pair == "It":  # two letters
                self.assertEqual([context for _, context in pairs], [1, "t"])
                continue
            with self.assertRaisesRegex(TypeError, r"texts\[1\]: found .*, expected a pair"):
                list(pairs)

    def test_what_stop_raises_comes_out(self):
        class Own(Exception):
            pass

        def stop():
            raise Own("enough")

        for threads in 1, 2:
            parser = lalparser.load("small", threads=threads)
            for text in "It rains.", "It rains. " * 1000:
                for call in (lambda: parser.parse(text, stop=stop), lambda: parser.format(text, stop=stop),
                             lambda: parser.parse_words([text.split()], stop=stop),
                             lambda: list(parser.pipe([text] * 3, stop=stop)),
                             lambda: list(parser.pipe([text] * 3, stop=stop, threads=2, errors="skip"))):
                    with self.assertRaisesRegex(Own, "enough"):
                        call()
                with self.assertRaises(lalparser.Stopped):
                    parser.parse(text, stop=lambda: True)
                self.assertGreater(len(parser.parse(text, stop=lambda: False)), 0)
        with self.assertRaises(SystemExit):
            self.parser.parse("It rains.", stop=sys.exit)

    def test_an_interrupt_ends_a_parse(self):
        for what, threads in (("trees", "1"), ("parse", "1"), ("parse", "2"), ("words", "1"), ("pipe", "1"),
                              ("pipe", "2")):
            run = subprocess.Popen([sys.executable, "-c", LONG, what, threads], stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE)
            try:
                self.assertEqual(run.stdout.readline(), b"runs\n")
                run.send_signal(signal.SIGINT)
                out, err = run.communicate(timeout=60)
            finally:
                run.kill()
            self.assertEqual((out.split(b"runs\n")[-1], err, run.returncode), (b"It rains.\n", b"", 0), (what, threads))


class Models(unittest.TestCase):
    def test_names_are_those_of_the_library(self):
        self.assertEqual(list(_library.shipped_models())[:2], ["small", "base"])
        for name, model in _library.shipped_models().items():
            try:
                path = _library.model_path(name)
            except lalparser.FileError:
                continue
            if path is not None:
                self.assertEqual(Path(path).name, model.file.decode())
        self.assertEqual(lalparser.load("small").language, "en")
        self.assertEqual(lalparser.load(Path(_library.model_path("small"))).language, "en")

    def test_a_model_may_have_a_wheel_of_its_own(self):
        with tempfile.TemporaryDirectory() as folder, mock.patch.object(sys, "path", [folder, *sys.path]):
            file = Path(folder, "lalparser_large", "en-large.lal")
            file.parent.mkdir()
            file.touch()
            self.assertEqual(_library.model_path("large"), str(file))

    def test_a_model_that_is_not_there_is_explained(self):
        with mock.patch.object(_library, "FOLDERS", (Path("/nowhere"),)):
            for name, file in ("base", "en-base.lal"), ("large", "en-large.lal"), ("zh", "zh-base.lal"):
                with self.assertRaisesRegex(lalparser.FileError, "found no %s, the model '%s', in /nowhere: "
                                            "install the wheel lalparser-%s, put" % (file, name, name)):
                    lalparser.load(name)
        with self.assertRaisesRegex(lalparser.FileError, "found no model 'bse', expected small, base, .* or the path"):
            lalparser.load("bse")
        with self.assertRaisesRegex(ValueError, "model: found 'sma.x00ll'"):
            lalparser.load("sma\0ll")
        for wrong in None, 3, ["small"]:
            with self.assertRaises(TypeError):
                lalparser.load(wrong)


class Command(unittest.TestCase):
    def run_it(self, *arguments, text=b""):
        return subprocess.run([sys.executable, "-m", "lalparser", *arguments], input=text, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE)

    def test_it_writes_what_lal_parse_writes(self):
        text = "The (old) dog sleeps.\nCaf\u00e9s closed."
        parser = lalparser.load("small")
        run = self.run_it(text=text.encode())
        self.assertEqual((run.stdout.decode(), run.stderr, run.returncode), (parser.format(text, "brackets"), b"", 0))
        with tempfile.NamedTemporaryFile("w", encoding="utf-8") as f:
            f.write(text)
            f.flush()
            run = self.run_it("-f", "json", f.name, f.name)
            self.assertEqual(run.stdout.decode(), 2 * parser.format(text, "json"))
        if LAL:
            run = self.run_it("-m", "small", "-f", "conllu", text=text.encode())
            want = subprocess.run([LAL, "parse", "-q", "-m", "small", "-f", "conllu"], input=text.encode(),
                                  stdout=subprocess.PIPE).stdout
            self.assertEqual(run.stdout, want)

    def test_errors(self):
        for arguments, text, status, message in (
                (["missing.txt"], b"", 1, b"lalparser: [Errno 2] No such file or directory: 'missing.txt'\n"),
                ([], b"a\xff", 1, b"lalparser: text:1:2: found bytes that are not UTF-8\n"),
                (["-m", "nope"], b"", 1, b"lalparser: found no model 'nope'"), (["-f", "xml"], b"", 2, b"usage: "),
                (["--nope"], b"", 2, b"usage: ")):
            run = self.run_it(*arguments, text=text)
            self.assertEqual((run.returncode, run.stdout), (status, b""))
            self.assertTrue(run.stderr.startswith(message), run.stderr)


class Types(unittest.TestCase):
    def test_a_misspelt_option_is_found(self):
        try:
            from mypy import api
        except ImportError:
            self.skipTest("no mypy")
        good = 'import lalparser\nx: str = lalparser.load("small", k_best=3).parse("a", markup="none")[0].tree\n'
        bad = 'import lalparser\nlalparser.load("small", k_bst=3)\nlalparser.load().parse("a", markup="no")\n'
        package = str(Path(lalparser.__file__).parents[1])
        with tempfile.TemporaryDirectory() as folder, mock.patch.dict(os.environ, MYPYPATH=package):
            for code, errors in (good, []), (bad, ['"k_bst"', '"Literal[\'no\']"']):
                out, _, status = api.run(["--strict", "--cache-dir", folder, "-c", code])
                self.assertEqual(status, bool(errors), out)
                for error in errors:
                    self.assertIn(error, out)


if __name__ == "__main__":
    unittest.main()
