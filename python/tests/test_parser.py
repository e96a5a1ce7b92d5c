"""Parsing: results, offsets, options, threads, processes, errors."""
import gc
import os
import pickle
import subprocess
import sys
import threading
import unittest

import lalparser

TEXT = "I saw her duck \U0001F602. It doesn't (really) matter!\n\nCaf\u00e9s closed."
LAL = os.environ.get("LAL")


class Results(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.parser = lalparser.load("small")

    def test_offsets_count_code_points(self):
        result = self.parser.parse(TEXT)
        self.assertEqual([s.text for s in result], ["I saw her duck \U0001F602.", "It doesn't (really) matter!",
                                                    "Caf\u00e9s closed."])
        for token in result.tokens:
            self.assertEqual(TEXT[token.begin:token.end], token.form)
            begin, end = token.bytes
            self.assertEqual(TEXT.encode()[begin:end].decode(), token.form)
        self.assertEqual([s.new_paragraph for s in result], [True, False, True])
        self.assertEqual(result[1].multiwords, [(1, 3, "doesn't")])
        self.assertEqual([s.text for s in result[1:]], [result[-2].text, result[-1].text])
        with self.assertRaises(IndexError):
            result[3]

    def test_a_sentence_has_a_tree_and_dependencies(self):
        s = self.parser.parse("The old dog sleeps.")[0]
        self.assertEqual(s.tree, "(TOP (S (NP (DT The) (JJ old) (NN dog)) (VP (VBZ sleeps)) (. .)))")
        self.assertEqual([t.head for t in s], [2, 2, 3, None, 3])
        self.assertEqual([t.ud_relation for t in s], ["det", "amod", "nsubj", "root", "punct"])
        self.assertEqual([t.lemma for t in s], ["the", "old", "dog", "sleep", "."])
        self.assertEqual(s.tokens[2].feats, {"Number": "Sing"})
        self.assertEqual(s.tokens[4].feats, {})
        self.assertTrue(0.5 < s.tokens[2].probability <= 1)
        self.assertEqual(s.root.label, "S")
        np = s.root.phrases[0]
        self.assertEqual((np.label, np.begin, np.end, np.parent.label), ("NP", 0, 3, "S"))
        self.assertEqual([getattr(x, "label", None) or x.form for x in s.root.children], ["NP", "VP", "."])
        self.assertEqual(s.tokens[1].phrase.label, "NP")
        self.assertEqual([t.form for t in np.tokens], ["The", "old", "dog"])
        self.assertIsNone(s.tokens[0].tag_probability)
        self.assertIsNone(np.probability)

    def test_probabilities_on_request(self):
        s = self.parser.parse("The old dog sleeps.", probabilities=True)[0]
        self.assertTrue(all(0.5 < t.tag_probability <= 1 for t in s))
        self.assertTrue(0.5 < s.root.probability <= 1)

    def test_the_best_parses_on_request(self):
        s = self.parser.parse("I saw the man with the telescope.", k_best=3)[0]
        trees = self.parser.format("I saw the man with the telescope.", "brackets", k_best=3)
        self.assertEqual("".join(x.tree + "\n" for x in s.best) + "\n", trees)
        self.assertEqual(s.best[0].tree, s.tree)
        self.assertTrue(s.score == s.best[0].score > s.best[1].score > s.best[2].score)
        self.assertTrue(1 > s.best[0].probability > s.best[1].probability > 0)
        s = self.parser.parse("It rains.")[0]
        self.assertEqual((s.best, s.probability), ([], None))

    def test_confidence_on_request(self):
        s = self.parser.parse("I saw the man with the telescope.", confidence=True)[0]
        self.assertTrue(0 < s.p_tree < s.expected_f1 < 1)
        self.assertTrue(0.5 < s.expected_las < 1)
        self.assertTrue(all(s.p_tree <= t.joint_probability <= 1 for t in s))
        s = self.parser.parse("It rains.")[0]
        self.assertEqual((s.p_tree, s.expected_f1, s.calibrated_f1, s.expected_las), (None, None, None, None))
        self.assertIsNone(s.tokens[0].joint_probability)

    def test_brackets_are_escaped_as_the_program_does(self):
        trees = self.parser.format(TEXT, "brackets").splitlines()
        self.assertEqual([s.tree for s in self.parser.parse(TEXT)], trees)

    def test_words_and_tags_are_taken_as_they_are(self):
        result = self.parser.parse_words([["It", "rain(s)", "."], []], tags=[["PRP", "FW", "."], []])
        self.assertEqual([t.tag for t in result[0]], ["PRP", "FW", "."])
        self.assertEqual(result[0].text, "It rain(s) .")
        self.assertEqual((len(result), len(result[1]), result[1].tree), (2, 0, "(TOP )"))
        with self.assertRaises(ValueError):
            self.parser.parse_words([["a"]], tags=[["NN", "NN"]])
        with self.assertRaises(lalparser.ArgumentError):
            self.parser.parse_words([["a", ""]])
        with self.assertRaisesRegex(ValueError, "without NUL"):
            self.parser.parse_words([["a\0b"]])

    def test_options_are_those_of_the_call(self):
        lines = self.parser.parse("It rains. It pours.\nStop", sentences="line")
        self.assertEqual([len(s) for s in lines], [6, 1])
        given = self.parser.parse("do n't (go)", sentences="all", tokens="space")
        self.assertEqual([t.form for t in given[0]], ["do", "n't", "(go)"])
        self.assertEqual(len(self.parser.parse("It rains. It pours.")), 2)
        self.assertIn("ewt", self.parser.treebanks)
        self.assertEqual(len(lalparser.load("small", sentences="all").parse("It rains. It pours.")), 1)
        for options, message in (({"newlines": "x"}, "newlines: found 'x'"), ({"treebank": "x"}, "treebank"),
                                 ({"max_words": 0}, "max_words: found 0")):
            with self.assertRaisesRegex(ValueError, message):
                self.parser.parse("x", **options)
        with self.assertRaisesRegex(TypeError, "found the option 'nope'"):
            lalparser.load("small", nope=1)

    def test_splitting_alone(self):
        result = lalparser.split(TEXT)
        self.assertEqual([[t.form for t in s] for s in result], [[t.form for t in s] for s in self.parser.parse(TEXT)])
        self.assertIsNone(result[0].tokens[0].tag)
        self.assertIsNone(result[0].root)
        own = self.parser.split(TEXT)
        self.assertEqual([t.form for t in own.tokens], [t.form for t in result.tokens])
        self.assertEqual(len(lalparser.load("small", sentences="all").split(TEXT)), 1)

    def test_views_keep_the_result(self):
        token = self.parser.parse(TEXT)[0].tokens[1]
        phrases = self.parser.parse(TEXT)[0].phrases
        gc.collect()
        for _ in range(20):
            self.parser.parse("Other words fill the memory. " * 20)
        self.assertEqual((token.form, token.lemma, phrases[0].label), ("saw", "see", "S"))

    def test_array_without_a_copy(self):
        try:
            import numpy
        except ImportError:
            self.skipTest("no numpy")
        array = self.parser.parse(TEXT)[0].array
        gc.collect()
        self.parser.parse("Other words. " * 100)
        result = self.parser.parse(TEXT)
        self.assertEqual(array["head"].tolist(), [-1 if t.head is None else t.head for t in result[0]])
        self.assertEqual(array["begin_char"].tolist(), [t.begin for t in result[0]])
        self.assertTrue(numpy.allclose(array["probability"], [t.probability for t in result[0]]))
        with self.assertRaises(ValueError):
            array["head"][0] = 1
        self.assertEqual(len(self.parser.parse_words([[]])[0].array), 0)

    def test_contributions_sum_to_scores(self):
        try:
            import numpy
        except ImportError:
            self.skipTest("no numpy")
        s = self.parser.parse("The old dog sleeps.", contributions=True)[0]
        self.assertEqual(s.phrase_parts.shape, (len(s.phrases), 65))
        self.assertEqual(s.arc_parts.shape, (5, 65))
        same = self.parser.parse("The old dog sleeps.")[0]
        self.assertIsNone(same.arc_parts)
        again = self.parser.parse("Cats. The old dog sleeps.", contributions=True)[1]
        self.assertTrue(numpy.allclose(s.arc_parts.sum(1), again.arc_parts.sum(1), atol=1e-3))
        self.assertGreater(numpy.abs(s.arc_parts[:, :64]).max(), 0.1)

    def test_a_long_sentence(self):
        s = self.parser.parse_words([["("] * 2000])[0]
        self.assertEqual((len(s), s.tree.count(" -LRB-)")), (2000, 2000))
        self.assertGreater(s.pieces, 1)

    def test_formats_are_those_of_the_program(self):
        if not LAL:
            self.skipTest("LAL names no program")
        for name in lalparser.FORMATS:
            run = subprocess.run([LAL, "parse", "-q", "-m", "small", "-f", name, "-"], input=TEXT.encode(),
                                 stdout=subprocess.PIPE, check=True)
            self.assertEqual(self.parser.format(TEXT, name), run.stdout.decode(), name)
        with self.assertRaisesRegex(lalparser.ArgumentError, "found 'xml', expected brackets"):
            self.parser.format(TEXT, "xml")

    def test_errors_are_exceptions(self):
        with self.assertRaises(lalparser.TextError) as caught:
            self.parser.parse(b"one\ntwo \xff")
        self.assertEqual((caught.exception.line, caught.exception.column), (2, 5))
        again = pickle.loads(pickle.dumps(caught.exception))
        self.assertEqual((str(again), again.line), (str(caught.exception), 2))
        with self.assertRaises(ValueError):
            self.parser.parse("a\0b")
        with self.assertRaises(OSError):
            lalparser.load("/nowhere/model.lal")
        with self.assertRaises(lalparser.TextError):
            lalparser.load(__file__)

    def test_a_parse_can_be_stopped(self):
        calls = []
        with self.assertRaises(lalparser.Stopped):
            self.parser.parse("It rains. " * 2000, stop=lambda: calls.append(1) or len(calls) > 2)
        self.assertEqual(len(calls), 3)
        self.assertEqual(len(self.parser.parse("It rains.")), 1)

    def test_pipe_keeps_order_and_context(self):
        texts = ["It rains %d times. " % k * (k % 7) for k in range(60)]
        want = [[s.tree for s in self.parser.parse(t)] for t in texts]
        for threads in (1, 3):
            got = [[s.tree for s in r] for r in self.parser.pipe(texts, threads=threads)]
            self.assertEqual(got, want)
        pairs = list(self.parser.pipe(zip(texts, range(60)), as_tuples=True, threads=2))
        self.assertEqual([context for _, context in pairs], list(range(60)))
        stream = self.parser.pipe(iter(["One.", b"\xff", "Two."]), threads=2)
        self.assertEqual(len(next(stream)), 1)
        with self.assertRaises(lalparser.TextError):
            next(stream)

    def test_threads_share_a_parser(self):
        want = [s.tree for s in self.parser.parse(TEXT)]
        wrong = []

        def work():
            for _ in range(10):
                if [s.tree for s in self.parser.parse(TEXT)] != want:
                    wrong.append(1)

        threads = [threading.Thread(target=work) for _ in range(4)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        self.assertEqual(wrong, [])

    def test_threads_of_a_call_give_the_same(self):
        text = "It rains. Dogs (often) bark. " * 30
        parser = pickle.loads(pickle.dumps(lalparser.load("small", threads=2)))
        self.assertEqual([s.tree for s in parser.parse(text)], [s.tree for s in self.parser.parse(text)])
        with self.assertRaisesRegex(ValueError, "threads"):
            lalparser.load("small", threads=0).parse("It rains.")

    def test_a_parser_is_pickled_and_forked(self):
        again = pickle.loads(pickle.dumps(lalparser.load("small", sentences="all")))
        self.assertEqual(len(again.parse("It rains. It pours.")), 1)
        read, write = os.pipe()
        child = os.fork()
        if not child:
            os.write(write, self.parser.parse("It rains.")[0].tree.encode())
            os._exit(0)
        os.close(write)
        with os.fdopen(read) as f:
            self.assertEqual(f.read(), self.parser.parse("It rains.")[0].tree)
        self.assertEqual(os.waitpid(child, 0)[1], 0)

    def test_a_library_of_another_version_is_refused(self):
        code = ("import lalparser._native as n; n.VERSION = '9'\n"
                "try:\n    import lalparser.parser\nexcept ImportError as e: print(e)\n")
        # lalparser/__init__ imports the library, so the package is made by hand
        package = "import sys, types; p = types.ModuleType('lalparser'); sys.modules['lalparser'] = p\n"
        code = package + "p.__path__ = [%r]\n" % os.path.dirname(lalparser.__file__) + code
        run = subprocess.run([sys.executable, "-c", code], stdout=subprocess.PIPE, check=True)
        self.assertIn(b"found version %s, expected 9" % lalparser.__version__.encode(), run.stdout)


if __name__ == "__main__":
    unittest.main()
