"""Patterns over parses, texts and trees of NLTK: the matches are those of lal search."""
import json
import os
import pickle
import subprocess
import tempfile
import threading
import unittest
from pathlib import Path

import lalparser
from lalparser import Pattern

try:
    import nltk
    import lalparser.nltk
except ImportError:
    nltk = None

try:
    import numpy
except ImportError:
    numpy = None

LAL = os.environ.get("LAL")
ROOT = Path(__file__).resolve().parents[2]
TREES = """(ROOT (S (NP (DT The) (NN cat)) (VP (VBZ sleeps)) (. .)))
( (S (NP-SBJ (NP (PRP It)) (PRN (-LRB- -LRB-) (NP (DT the) (NN plan)) (-RRB- -RRB-))) (VP (VBD failed))))
"""
ROWS = ("1\tDogs\tdog\tNOUN\tNNS\tNumber=Plur\t2\tnsubj\t2:nsubj\t_\n"
        "2\teat\teat\tVERB\tVBP\t_\t0\troot\t0:root\t_\n"
        "3\tand\tand\tCCONJ\tCC\t_\t4\tcc\t4.1:cc\t_\n"
        "4\tbirds\tbird\tNOUN\tNNS\tNumber=Plur\t2\tconj\t4.1:nsubj\t_\n"
        "4.1\teat\teat\tVERB\tVBP\t_\t_\t_\t2:conj:and\t_\n\n")
# pattern, options
PATTERNS = [
    ("NP=n < NN=w", {}),
    ("NP|VP=n < /^([A-Z])/#1%x=m", {}),
    ("__=leaf !< __ . __=next", {}),
    ("{tag:/N.*/}=n", {}),
    ("{}=g >/.*/=e {}=d", {}),
    ("{lemma:/.*/}=v >~r {cpos:NOUN}=n", {}),
    ("NP=n > VP=v", {"where": "n.words > 2 and n.tag != v.tag"}),
    ("NP=n", {"semgrex": "{}=v >/nsubj.*/=e {}=n"}),
    ("NP=n", {"where": "n.p < 0.99"}),
    ("{}=g", {"where": "g.lemma ~ /e$/ or g.upos = PRON", "ignore_case": True}),
    ("NP=n <# NN=h", {"heads": "CollinsHeadFinder"}),
    ("{} >/.*/=e {}", {"graph": "basic"}),
]


def json_of(node):
    """As lal search --format json has it."""
    out = {} if node.node is None else {"node": node.node + 1}
    if node.label is not None:
        out["label"] = node.label
    if node.id is not None:
        out["word"] = node.id
    if node.begin_token < node.end_token:  # no empty node
        out.update(begin=node.begin_token, end=node.end_token)
    out["text"] = node.text
    if node.begin_char is not None:
        out["characters"] = [node.begin_char, node.end_char]
    return out


def json_of_match(match):
    out = json_of(match.node)
    edges = {name: dict(zip(("governor", "dependent", "relation"), edge)) for name, edge in match.edges.items()}
    for key, value in (("names", {name: json_of(node) for name, node in match.nodes.items()}),
                       ("variables", match.variables), ("relations", match.relations), ("edges", edges)):
        if value:
            out[key] = value
    return out


class Search(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.parser = lalparser.load("small")

    def test_nodes_are_phrases_and_tokens(self):
        text = "The caf\u00e9 \U0001F602 isn't (really) open."
        result = self.parser.parse(text)
        match, = Pattern("NP=np < NN=noun").search(result)
        np, noun = match["np"], match["noun"]
        self.assertEqual((np.label, np.phrase.label, np.phrase.begin_token, np.token), ("NP", "NP", 0, None))
        self.assertIn(np.phrase, result[0].phrases)
        self.assertEqual((noun.label, noun.token, noun.phrase), ("NN", result[0].tokens[1], None))
        self.assertEqual((match.node.phrase, list(match.nodes), "np" in match, "x" in match),
                         (np.phrase, ["np", "noun"], True, False))
        self.assertEqual(np.tree, np.phrase.tree)
        for node in Pattern("__=n").search(result):
            self.assertEqual(text[node["n"].begin_char:node["n"].end_char].replace(" ", ""),
                             node["n"].text.replace(" ", ""))
        top = next(Pattern("TOP").search(result)).node
        self.assertEqual((top.node, top.phrase, top.token, top.tree), (0, None, None, result[0].tree))
        self.assertEqual(match.sentence, result[0])
        open_, = Pattern("{word:open}=w >cop {}=is").search(result)
        self.assertEqual((open_["w"].token.form, open_["w"].id, open_["is"].token.form), ("open", "9", "is"))
        self.assertIsNone(open_["w"].tree)
        with self.assertRaises(KeyError):
            match["x"]

    def test_parses_sentences_and_many_of_them(self):
        result = self.parser.parse("Dogs bark. Cats sleep.")
        verbs = Pattern("/^VB/=v")
        words = lambda matches: [match["v"].text for match in matches]
        self.assertEqual(words(verbs.search(result)), ["bark", "sleep"])
        self.assertEqual(words(verbs.search(result[1])), ["sleep"])
        self.assertEqual(words(verbs.search(result[::-1])), ["sleep", "bark"])
        self.assertEqual(words(verbs.search(self.parser.pipe(["Dogs bark.", "It rains."]))), ["bark", "rains"])
        best = self.parser.parse("I saw the man with the telescope.", k_best=3)[0].best
        attached = [match.sentence.rank for match in Pattern("NP < PP").search(best)]
        self.assertEqual(attached, [k for k, sentence in enumerate(best) if "(NP (NP " in sentence.tree])
        self.assertTrue(attached)
        given = self.parser.parse_words([["Dogs", "bark"]])
        match, = Pattern("NP").search(given)
        self.assertEqual((match.node.text, match.node.begin_char), ("Dogs", None))

    def test_probabilities_and_label_heads(self):
        text = "I saw the man with the telescope."
        result = self.parser.parse(text, confidence=True, contributions=True)
        unsure = list(Pattern("__=n", where="n.p < 0.9 and n.words > 1").search(result))
        self.assertEqual([m["n"].phrase for m in unsure],
                         [p for p in result[0].phrases if p.joint_probability < 0.9 and len(p.tokens) > 1])
        for match in Pattern("PP=n", where="n.head > 0").search(result) if numpy else ():
            parts = abs(result[0].phrase_parts[match["n"].phrase.i, :-1])
            head = int(parts.argmax()) + 1
            self.assertEqual(len(list(Pattern("PP=n", where="n.head = %d" % head).search(result))), 1)
        self.assertEqual(list(Pattern("NP|VP=n", where="n.p < 2").search(self.parser.parse(text))), [])

    def test_texts_of_trees_and_dependencies(self):
        match, second = Pattern("NP=n < DT").search(TREES)
        self.assertEqual((match["n"].text, match.sentence.text, match.sentence.i, match.sentence.line),
                         ("The cat", "The cat sleeps .", 0, 1))
        self.assertEqual((second["n"].tree, second.sentence.words[:3], second.node.phrase),
                         ("(NP (DT the) (NN plan))", ["It", "(", "the"], None))
        self.assertEqual([m["n"].text for m in Pattern("NP=n < DT").search([TREES.encode(), TREES])],
                         ["The cat", "the plan"] * 2)
        dogs, birds = Pattern("{}=v >nsubj=e {}=n").search(ROWS)
        self.assertEqual((dogs["v"].id, birds["v"].id, birds["v"].begin_token, birds["v"].end_token),
                         ("2", "4.1", 4, 4))
        self.assertEqual(birds.edges, {"e": ("4.1", "4", "nsubj")})
        lines = self.parser.format("Dogs bark. Cats sleep.", "json")
        self.assertEqual([m.node.begin_char for m in Pattern("NP").search(lines)], [0, 11])
        self.assertEqual(list(Pattern("NP").search("")), [])
        self.assertEqual(len(list(Pattern("{}").search(ROWS, format="conllu"))), 5)

    def test_errors(self):
        for call, kind, message in (
                (lambda: Pattern("NP <"), lalparser.TextError, "pattern:1:5: found"),
                (lambda: Pattern("NP=n", where="m.p"), lalparser.TextError, "where:1:1: found"),
                (lambda: Pattern("NP", kind="x"), lalparser.ArgumentError, "kind: found 'x', expected auto or tregex"),
                (lambda: Pattern("NP", heads="x"), lalparser.ArgumentError, "LalPatternOptions.heads: found 'x'"),
                (lambda: Pattern("NP", most_steps=-1), lalparser.ArgumentError, "most_steps: found -1"),
                (lambda: Pattern("NP", steps=1), TypeError, "found the option 'steps'"),
                (lambda: Pattern("NP", repeats=1), TypeError, "repeats: found 1, a int"),
                (lambda: Pattern(None), TypeError, "pattern: found None"),
                (lambda: Pattern("NP").search(3), TypeError, "found 3, a int"),
                (lambda: list(Pattern("NP").search([3])), TypeError, "found 3, a int"),
                (lambda: list(Pattern("NP").search("It rains.")), lalparser.ArgumentError,
                 "expected trees in brackets"),
                (lambda: list(Pattern("NP").search(ROWS)), lalparser.ArgumentError, "conllu, which has no trees"),
                (lambda: list(Pattern("NP").search("(NP", format="x")), lalparser.ArgumentError, "found 'x'"),
                (lambda: list(Pattern("NP").search("(NP a)\n(b")), lalparser.TextError, "text:2:1: found no"),
                (lambda: list(Pattern("NP").search("(\ud800)")), lalparser.TextError, "lone surrogate"),
                (lambda: list(Pattern("__ << __", most_steps=9).search(TREES)), lalparser.LimitError, "more steps")):
            with self.assertRaises(kind) as raised:
                call()
            self.assertIn(message, str(raised.exception))
        self.assertEqual(len(list(Pattern("__", most_matches=2).search(TREES))), 4)

    def test_patterns_are_values_that_threads_share(self):
        pattern = pickle.loads(pickle.dumps(Pattern("NP=n", where="n.words > 1")))
        self.assertEqual(repr(pattern), "Pattern('NP=n', where='n.words > 1')")
        found = []
        threads = [threading.Thread(target=lambda: found.append([m["n"].text for m in pattern.search(TREES * 50)]))
                   for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(found, [["The cat", "It ( the plan )", "the plan"][::2] * 50] * 4)
        one, two = pattern.search(TREES), pattern.search(TREES)  # at the same time
        self.assertEqual([next(one)["n"].text, next(two)["n"].text, next(one)["n"].text],
                         ["The cat", "The cat", "the plan"])

    @unittest.skipUnless(LAL, "no lal")
    def test_matches_are_those_of_the_command(self):
        text = (ROOT / "examples/news.txt").read_text(encoding="utf-8")
        result = self.parser.parse(text, confidence=True)
        with tempfile.TemporaryDirectory() as folder:
            for name, data in (("text", text), ("trees", TREES), ("conllu", ROWS),
                               ("json", self.parser.format(text, "json", confidence=True))):
                path = os.path.join(folder, "a." + name)
                Path(path).write_text(data, encoding="utf-8")
                for pattern, options in PATTERNS:
                    graph = pattern.startswith("{") or "semgrex" in options
                    if (name == "trees" and graph) or (name == "conllu" and ("semgrex" in options or not graph)):
                        continue
                    self.compare(pattern, options, path, result if name == "text" else data)

    def compare(self, pattern, options, path, what):
        given = dict(options, **{"semgrex" if pattern.startswith("{") else "tregex": pattern})
        command = [LAL, "search", "-q", "--format", "json", "--threads", "1"]
        for name, value in given.items():
            command += ["--" + name.replace("_", "-")] + ([] if value is True else [value])
        run = subprocess.run(command + [path], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.assertIn(run.returncode, (0, 1), run.stderr)
        lines = [json.loads(line) for line in run.stdout.splitlines()]
        wanted = [match for line in lines for match in line["matches"]]
        found = [json_of_match(match) for match in Pattern(pattern, **options).search(what)]
        self.assertEqual(found, wanted, (pattern, options, path))
        if path.endswith("text") and "n.p" not in options.get("where", ""):
            self.assertTrue(found, pattern)

    @unittest.skipUnless(nltk, "no nltk")
    def test_trees_of_nltk(self):
        trees = [nltk.Tree.fromstring(tree) for tree in TREES.splitlines()]
        for match in Pattern("NP=n").search(trees):
            tree = match.sentence
            node = tree[tree.treepositions()[match["n"].node]]
            self.assertEqual((node.label(), len(node.leaves())), ("NP", match["n"].end_token - match["n"].begin_token))
        self.assertEqual([m["n"].text for m in Pattern("NP=n < DT").search(trees)], ["The cat", "the plan"])
        self.assertEqual([m.node.text for m in Pattern("NP").search(trees[0])], ["The cat"])
        parsed = lalparser.nltk.tree(self.parser.parse("It (the plan) failed.")[0])
        self.assertEqual([m["w"].text for m in Pattern("/^-LRB-$/ < __=w").search(parsed)], ["("])


if __name__ == "__main__":
    unittest.main()
