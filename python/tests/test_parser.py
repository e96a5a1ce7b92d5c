"""Parsing: results, offsets, options, threads, processes, errors."""
import copy
import gc
import json
import multiprocessing
import os
import pathlib
import pickle
import signal
import subprocess
import sys
import tempfile
import threading
import unittest
import xml.dom.minidom

import lalparser

TEXT = "I saw her duck \U0001F602. It doesn't (really) matter!\n\nCaf\u00e9s closed."
LAL = os.environ.get("LAL")


def tree_of(text):
    """In a process of a pool."""
    return lalparser.load("small").parse(text)


class Results(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.parser = lalparser.load("small")

    def test_offsets_count_code_points(self):
        result = self.parser.parse(TEXT)
        self.assertEqual([s.text for s in result], ["I saw her duck \U0001F602.", "It doesn't (really) matter!",
                                                    "Caf\u00e9s closed."])
        for token in result.tokens:
            self.assertEqual(TEXT[token.begin_char:token.end_char], token.form)
            self.assertEqual(token.text, token.form)
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
        self.assertEqual(s.tokens[2].enhanced, [(3, "nsubj")])
        self.assertEqual(s.enhanced[3], (3, None, "root"))
        shared = self.parser.parse("Dogs bark and bite.")[0]
        self.assertEqual(shared.tokens[0].enhanced, [(1, "nsubj"), (3, "nsubj")])
        self.assertEqual(s.tokens[2].feats, {"Number": "Sing"})
        self.assertEqual(s.tokens[4].feats, {})
        self.assertTrue(0.5 < s.tokens[2].probability <= 1)
        self.assertEqual(s.root.label, "S")
        np = s.root.phrases[0]
        self.assertEqual((np.label, np.begin_token, np.end_token, np.parent.label), ("NP", 0, 3, "S"))
        self.assertEqual((np.begin_char, np.end_char, np.text), (0, 11, "The old dog"))
        self.assertEqual(np.tree, "(NP (DT The) (JJ old) (NN dog))")
        self.assertEqual(s.root.tree, s.tree[len("(TOP "):-1])
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
        different = dict.fromkeys(x.tree for x in s.best)  # a tree is written once
        self.assertEqual("".join(x + "\n" for x in different) + "\n", trees)
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
        text = TEXT + " The Solano(r) range is free :)\n\nA :-( b(c)d f(x) { } -LRB- -U+0020- \\ and a\\\\ or )("
        trees = self.parser.format(text, "brackets").splitlines()
        self.assertEqual([s.tree for s in self.parser.parse(text)], trees)
        self.assertIn(" Solano-LRB-r-RRB-)", "".join(trees))
        for s in self.parser.parse_words([["b(c)", "d", "-LRB-", "(", "a\\"]]):
            for phrase in s.phrases:
                self.assertIn(phrase.tree, s.tree)

    def test_words_and_tags_are_taken_as_they_are(self):
        result = self.parser.parse_words([["It", "rain(s)", "."], []], tags=[["PRP", "FW", "."], []])
        self.assertEqual([t.tag for t in result[0]], ["PRP", "FW", "."])
        self.assertEqual(result[0].text, "It rain(s) .")
        self.assertEqual((len(result), len(result[1]), result[1].tree), (2, 0, ""))
        with self.assertRaises(ValueError):
            self.parser.parse_words([["a"]], tags=[["NN", "NN"]])
        with self.assertRaises(lalparser.ArgumentError):
            self.parser.parse_words([["a", ""]])
        with self.assertRaisesRegex(ValueError, r"words\[0\]\[0\]: found .* without NUL"):
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

    def test_numbers_and_names_are_checked(self):
        for options, kind, message in (
                ({"k_best": 2 ** 32 + 3}, ValueError, "k_best: found 4294967299, expected at most 2147483647"),
                ({"max_words": -2 ** 40}, ValueError, "max_words: found -1099511627776"),
                ({"k_best": -1}, ValueError, "k_best: found -1, expected 0 to 1000"),
                ({"k_best": 1001}, ValueError, "k_best: found 1001"),
                ({"k_best": True}, TypeError, "k_best: found True, a bool, expected a whole number"),
                ({"k_best": 3.0}, TypeError, "k_best: found 3.0, a float"),
                ({"batch_tokens": "600"}, TypeError, "batch_tokens: found '600', a str"),
                ({"max_words": None}, TypeError, "max_words: found None"),
                ({"max_memory": "2e9"}, TypeError, "max_memory: found '2e9', a str, expected a number"),
                ({"max_memory": float("nan")}, ValueError, "max_memory"),
                ({"probabilities": "no"}, TypeError, "probabilities: found 'no', a str, expected True or False"),
                ({"why": 2}, TypeError, "why: found 2, a int"),
                ({"treebank": "ewt\0x"}, ValueError, "treebank: found 'ewt.x00x', expected a str without NUL"),
                ({"treebank": b"ewt"}, TypeError, "treebank: found b'ewt', a bytes, expected a str"),
                ({"treebank": "\ud800"}, ValueError, "treebank: found '.ud800', expected a str without lone"),
                ({"newlines": "auto\0"}, ValueError, "newlines: found"), ({"newlines": 0}, ValueError, "newlines")):
            with self.assertRaisesRegex(kind, message):
                self.parser.parse("x", **options)
        for threads, kind in (0, ValueError), (2 ** 32 + 1, ValueError), (1.0, TypeError), (True, TypeError):
            with self.assertRaisesRegex(kind, "threads: found"):
                lalparser.load("small", threads=threads).parse("x")
            with self.assertRaisesRegex(kind, "threads: found"):
                self.parser.pipe(["x"], threads=threads)
        with self.assertRaisesRegex(ValueError, "format: found 'json.x00'"):
            self.parser.format("x", "json\0")
        self.assertEqual(self.parser.parse("It rains.", max_memory=2000000000)[0].pieces, 1)

    def test_what_is_no_text_is_refused_with_its_place(self):
        for wrong in None, 3, 2.5, float("nan"), ["It rains."], ("a", "b"), {"a": 1}, bytearray(b"a"), object(), True:
            for call in self.parser.parse, self.parser.format, self.parser.split, lalparser.split:
                with self.assertRaisesRegex(TypeError, "text: found .*, a %s, expected a str" % type(wrong).__name__):
                    call(wrong)
        for text, place in ("a\nb \udc80", "text:2:3"), ("\ud83d", "text:1:1"), ("\u00e9\ude00x", "text:1:3"):
            with self.assertRaisesRegex(lalparser.TextError, place + ": found the lone surrogate U[+]") as caught:
                self.parser.parse(text)
            self.assertEqual("text:%d:%d" % (caught.exception.line, caught.exception.column), place)
        for words, message in (
                (["Dogs", "bark"], r"words\[0\]: found 'Dogs', a str, expected a list of words"),
                ("Dogs bark", "words: found 'Dogs bark', a str, expected a list of sentences"),
                (b"Dogs", "words: found b'Dogs', a bytes"), (None, "words: found None, a NoneType"),
                ([["Dogs"], "bark"], r"words\[1\]: found 'bark'"), ([["Dogs", None]], r"words\[0\]\[1\]: found None"),
                ([["Dogs"], [b"bark"]], r"words\[1\]\[0\]: found b'bark', a bytes, expected a str"),
                ([[["Dogs"]]], r"words\[0\]\[0\]: found \['Dogs'\], a list"), ([None], r"words\[0\]: found None"),
                ([3], r"words\[0\]: found 3, a int"), ([["a", float("nan")]], r"words\[0\]\[1\]: found nan, a float")):
            with self.assertRaisesRegex(TypeError, message):
                self.parser.parse_words(words)
        with self.assertRaisesRegex(TypeError, r"tags\[0\]: found 'NNS', a str, expected a list of tags"):
            self.parser.parse_words([["Dogs"]], tags=["NNS"])
        with self.assertRaisesRegex(lalparser.TextError, r"words\[0\]\[1\]:1:2: found the lone surrogate"):
            self.parser.parse_words([["a", "b\ud800"]])

    def test_rules_of_a_user(self):
        text = "By brouwn. Ann of Yahoo! Article 5 holds."
        rules = ["abbreviation brouwn.", "token Yahoo!", "begin Article"]
        for given in rules, tuple(rules):
            self.assertEqual([s.text for s in self.parser.parse(text, rules=given)],
                             ["By brouwn. Ann of Yahoo!", "Article 5 holds."])
        self.assertEqual([t.form for t in self.parser.parse(text).tokens][1:3], ["brouwn", "."])
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "own.rules")
            for lines, n in (rules, 9), (rules[1:], 10):
                with open(path, "w") as f:
                    f.write("\n".join(lines))
                os.utime(path, ns=(n, n))
                for file in path, pathlib.Path(path):
                    self.assertEqual(len(self.parser.split(text, rules=file).tokens), n)
            again = pickle.loads(pickle.dumps(lalparser.load(self.parser._model_name, rules=path)))
            self.assertEqual(len(again.parse(text).tokens), 10)
        with self.assertRaisesRegex(lalparser.TextError, "rules:1:1: found 'abbrev', expected abbreviation"):
            self.parser.parse("a", rules=["abbrev x."])
        with self.assertRaisesRegex(TypeError, "rules: found 5, a int, expected the path of a file or a list of rules"):
            self.parser.parse("a", rules=5)
        with self.assertRaisesRegex(TypeError, r"rules\[1\]: found 5, a int, expected a str"):
            self.parser.parse("a", rules=["token a", 5])

    def test_bytes_that_are_no_text_are_replaced_or_left_out(self):
        for given, replaced, skipped, places in (
                (b"caf\xe9", "caf\ufffd", "caf", [(1, 4)]), (b"It rains.", "It rains.", "It rains.", []),
                (b"a\nb \xff\xfe c", "a\nb \ufffd\ufffd c", "a\nb  c", [(2, 3), (2, 4)]),
                (b"\xe2\x82 x", "\ufffd x", " x", [(1, 1)]), (b"a\0b", "a\ufffdb", "ab", [(1, 2)]),
                (b"\xf0\x9f\x98\x80 \xf0\x9f", "\U0001f600 \ufffd", "\U0001f600 ", [(1, 6)]),
                (b"\xed\xa0\x80", "\ufffd" * 3, "", [(1, 1), (1, 2), (1, 3)]), (b"\xff", "\ufffd", "", [(1, 1)]),
                ("a \ud800 b", "a \ufffd b", "a  b", [(1, 3)]), ("\u00e9\0\udc80", "\u00e9\ufffd\ufffd", "\u00e9",
                                                              [(1, 3), (1, 4)])):
            for invalid, text in ("replace", replaced), ("skip", skipped):
                results = [self.parser.parse(given, invalid=invalid), self.parser.split(given, invalid=invalid),
                           *self.parser.pipe([given], invalid=invalid)]
                for result in results:
                    self.assertEqual((result.text, result.invalid), (text, places))
                self.assertEqual(results[0].to_json(), self.parser.parse(text).to_json())
                self.assertEqual(results[2], results[0])
                self.assertEqual(self.parser.format(given, invalid=invalid), self.parser.format(text))
                again = pickle.loads(pickle.dumps(results[0]))
                self.assertEqual((again, again.invalid), (results[0], places))
        with self.assertRaisesRegex(ValueError, "invalid: found 'ignore', expected error or replace or skip"):
            self.parser.parse("a", invalid="ignore")

    def test_splitting_alone(self):
        result = lalparser.split(TEXT)
        self.assertEqual([[t.form for t in s] for s in result], [[t.form for t in s] for s in self.parser.parse(TEXT)])
        self.assertIsNone(result[0].tokens[0].tag)
        self.assertIsNone(result[0].root)
        own = self.parser.split(TEXT)
        self.assertEqual([t.form for t in own.tokens], [t.form for t in result.tokens])
        self.assertEqual(len(lalparser.load("small", sentences="all").split(TEXT)), 1)

    def test_results_are_pickled_copied_and_compared(self):
        result = self.parser.parse(TEXT, k_best=3, confidence=True, contributions=True)
        again = pickle.loads(pickle.dumps(result))
        gc.collect()
        self.parser.parse("Other words fill the memory. " * 20)
        self.assertEqual(again, result)
        self.assertEqual(hash(again), hash(result))
        self.assertEqual([s.tree for s in again], [s.tree for s in result])
        self.assertEqual([s.tree for s in again[1].best], [s.tree for s in result[1].best])
        for name in lalparser.FORMATS:
            self.assertEqual(again.format(name), result.format(name))
        for part in (list(result), result[0], result[0].best[1], result.tokens, result[1].tokens[2], result[0].phrases,
                     result[0].root, {result[0].root: result[0].tokens[0]}):
            for other in pickle.loads(pickle.dumps(part)), copy.copy(part), copy.deepcopy(part):
                self.assertEqual(other, part)
        sentence, = pickle.loads(pickle.dumps([result[2]]))
        self.assertEqual((sentence.text, sentence.tokens[0].text), (result[2].text, "Caf\u00e9s"))
        self.assertIs(copy.deepcopy(result), result)
        self.assertEqual(len({result, again, copy.copy(result)}), 1)
        self.assertEqual(len({*result.tokens, *again.tokens}), len(result.tokens))
        other = self.parser.parse(TEXT.replace("duck", "dog"), k_best=3, confidence=True, contributions=True)
        self.assertNotEqual(result, other)
        self.assertNotEqual(result[0], other[0])
        self.assertNotEqual(result[0], result[1])
        self.assertNotEqual(result[0].tokens[0], result[0].phrases[0])
        self.assertNotEqual(result[0].tokens[0], "I")
        words = self.parser.parse_words([["It", "rains"]])
        self.assertEqual(pickle.loads(pickle.dumps(words)), words)
        empty = self.parser.parse("")
        self.assertEqual(pickle.loads(pickle.dumps(empty)), empty)
        split = lalparser.split(TEXT)
        self.assertEqual(pickle.loads(pickle.dumps(split)), split)
        with self.assertRaisesRegex(ValueError, "found a result of version 0.0.1"):
            pickle.loads(pickle.dumps(result).replace(lalparser.__version__.encode(), b"0.0.1"))

    def test_arrays_of_an_unpickled_result(self):
        try:
            import numpy
        except ImportError:
            self.skipTest("no numpy")
        result = self.parser.parse(TEXT, contributions=True)
        again = pickle.loads(pickle.dumps(result))
        gc.collect()
        for s, other in zip(result, again):
            self.assertEqual(s.array.tolist(), other.array.tolist())
            self.assertTrue(numpy.array_equal(s.phrase_parts, other.phrase_parts))
            self.assertTrue(numpy.array_equal(s.arc_parts, other.arc_parts))

    def test_members_are_those_of_the_program(self):
        for options in ({}, {"k_best": 2, "confidence": True}, {"deps": "model"}, {"ranges": True},
                        {"sentences": "line", "tokens": "space"}):
            result = self.parser.parse(TEXT, **options)
            for name in lalparser.FORMATS:
                self.assertEqual(result.format(name), self.parser.format(TEXT, name, **options), (name, options))
            members = [json.loads(line) for line in self.parser.format(TEXT, "json", **options).splitlines()]
            self.assertEqual([s.to_dict() for s in result], members)
            self.assertEqual(json.loads(result[1].to_json()), members[1])
            self.assertEqual(result.to_dict(), {"sentences": members})
            self.assertEqual(json.loads(result.to_json()), result.to_dict())
            self.assertEqual("".join(s.to_conllu() for s in result), result.to_conllu())
        self.assertEqual(result.format("conllu", ranges=True, deps="model"),
                         self.parser.format(TEXT, ranges=True, deps="model", sentences="line", tokens="space"))
        words = self.parser.parse_words([["It", "rains"], []])
        self.assertEqual(words[0].to_dict()["text"], "It rains")
        self.assertEqual((words[1].to_conllu(), words.to_dict()["sentences"][1]["tokens"]), ("\n", []))
        self.assertEqual([t["form"] for t in lalparser.split("It rains.")[0].to_dict()["tokens"]], ["It", "rains", "."])
        with self.assertRaisesRegex(lalparser.ArgumentError, "found 'xml'"):
            result.format("xml")

    def test_notebooks_show_drawings(self):
        result = self.parser.parse(TEXT)
        for s in result:
            self.assertEqual(xml.dom.minidom.parseString(s._repr_svg_()).documentElement.tagName, "svg")
        self.assertEqual(result._repr_html_().count("<svg"), 3)
        self.assertIn("and 5 more sentences", self.parser.parse("It rains.\n\n" * 25)._repr_html_())
        split = lalparser.split("a < b.")
        self.assertIsNone(split[0]._repr_svg_())
        self.assertEqual(split._repr_html_(), "<p>a &lt; b.</p>")
        self.assertEqual(self.parser.parse("")._repr_html_(), "")

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
        self.assertEqual(array["begin_char"].tolist(), [t.begin_char for t in result[0]])
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

    def test_sentences_are_parsed_and_explained_under_what_they_have(self):
        tokens = [{"form": word} for word in "I saw the man with a telescope".split()]
        given = {"tokens": tokens, "constituents": [{"begin": 2, "end": 7, "label": "NP"}]}
        free = {"tokens": tokens, "not": [{"begin": 2, "end": 7}]}
        trees = self.parser.format_sentences([given, free], "brackets").splitlines()
        self.assertIn("(NP (NP (DT the) (NN man)) (PP", trees[0])
        self.assertIn("(NP (DT the) (NN man)) (PP", trees[1])
        self.assertNotIn("(NP (NP", trees[1])
        found = self.parser.inspect([given, free], top=3, flips=True)
        self.assertEqual([sentence["tree"] for sentence in found], trees)
        self.assertEqual({len(d["heads"]) for d in found[0]["decisions"] if d["kind"] == "span"}, {3})
        with self.assertRaisesRegex(lalparser.TextError, "sentences:2:1: found a phrase in 'not' outside"):
            self.parser.inspect([free, {"tokens": tokens[:2], "not": free["not"]}])
        with self.assertRaises(TypeError):
            self.parser.inspect([free], top="many")

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


class Processes(unittest.TestCase):
    """Apart, for an emulator of another processor starts no programs."""

    @classmethod
    def setUpClass(cls):
        cls.parser = lalparser.load("small")

    def test_processes_return_results(self):
        with multiprocessing.get_context("spawn").Pool(1) as pool:
            results = pool.map(tree_of, ["It rains.", TEXT])
        self.assertEqual(results, [self.parser.parse("It rains."), self.parser.parse(TEXT)])

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
