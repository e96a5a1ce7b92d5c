"""NLTK's interfaces."""
import unittest

try:
    import nltk
    from lalparser import nltk as lal
except ImportError:
    lal = None


@unittest.skipUnless(lal, "no nltk")
class Nltk(unittest.TestCase):
    def test_trees(self):
        parser = lal.LalParser()
        tree = next(parser.raw_parse("I saw (her) duck."))
        self.assertEqual(tree.leaves(), ["I", "saw", "-LRB-", "her", "-RRB-", "duck", "."])
        self.assertEqual((tree.label(), tree[0].label()), ("TOP", "S"))
        self.assertEqual(parser.parse_one(["It", "rains", "."]).pformat(margin=200),
                         "(TOP (S (NP (PRP It)) (VP (VBZ rains)) (. .)))")
        self.assertEqual([len(list(trees)) for trees in parser.parse_sents([["It", "rains"], ["Go", "!"]])], [1, 1])
        self.assertEqual(len(list(parser.parse_text("It rains. It pours."))), 2)
        self.assertEqual([next(t).leaves() for t in parser.raw_parse_sents(["It rains. Go", "Stop."])],
                         [["It", "rains", ".", "Go"], ["Stop", "."]])
        self.assertEqual(list(parser.tokenize("Don't go.")), ["Do", "n't", "go", "."])
        with self.assertRaises(NotImplementedError):
            parser.grammar()

    def test_trees_are_read_again(self):
        words = ["(", ")", "a(b)c", ":)", ":-(", "f(x)", "\\", "a\\", "\\)", "-LRB-", "1/2", "``", "{", "[x]", "a b"]
        parser = lal.LalParser().parser
        for sentence in parser.parse_words([words, *[[word] for word in words], ["The", "Solano(r)", "range"], []]):
            tree = lal.tree(sentence)
            self.assertEqual(nltk.Tree.fromstring(str(tree)), tree)
            self.assertEqual(len(tree.leaves()), len(sentence))
            if len(sentence):
                self.assertEqual(tree.pformat(margin=10 ** 6), sentence.tree)

    def test_the_best_parses_on_request(self):
        text = "He painted the wall with cracks in the kitchen of the house near the river."
        for kind, show in (lal.LalParser, str), (lal.LalDependencyParser, lambda graph: graph.to_conll(10)):
            parses = list(map(show, kind(k_best=10).raw_parse(text)))
            self.assertEqual(parses[0], show(next(kind().raw_parse(text))))
            self.assertEqual(len(set(parses)), len(parses))
            self.assertGreater(len(parses), 1)
        given, = lal.LalParser(k_best=10).parse_sents([text[:-1].split() + ["."]])
        self.assertEqual(list(map(str, given)), list(map(str, lal.LalParser(k_best=10).raw_parse(text))))

    def test_dependencies(self):
        parser = lal.LalDependencyParser()
        graph = next(parser.raw_parse("The dog sleeps."))
        self.assertEqual([(g[0], r, d[0]) for g, r, d in graph.triples()],
                         [("sleeps", "nsubj", "dog"), ("dog", "det", "The"), ("sleeps", "punct", ".")])
        stanford = next(lal.LalDependencyParser(ud=False).raw_parse("He sat on it."))
        self.assertIn("pobj", [r for _, r, _ in stanford.triples()])


if __name__ == "__main__":
    unittest.main()
