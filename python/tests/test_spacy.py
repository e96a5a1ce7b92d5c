"""spaCy's interfaces."""
import json
import pickle
import random
import tempfile
import unittest
import warnings
from pathlib import Path

try:
    import spacy
    from spacy.tokens import Doc, DocBin, Span

    import lalparser
    import lalparser.spacy as lal
except ImportError:
    lal = None

TEXT = "I saw her duck \U0001F602. It doesn't (really) matter!\n\nCaf\u00e9s closed."


def blank(**config):
    nlp = spacy.blank("en")
    nlp.add_pipe("lal", config=config)
    return nlp


def facts(doc):
    return [(t.text, t.tag_, t.pos_, t.dep_, t.head.i, t.lemma_, str(t.morph), t.is_sent_start) for t in doc] + [
        (s.start, s.end, s.label_) for s in doc.spans["constituents"]]


@unittest.skipUnless(lal, "no spacy")
class Component(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.nlp = blank()

    def test_tokens_and_sentences_have_what_lal_finds(self):
        doc = self.nlp(TEXT)
        self.assertEqual([s.text.strip() for s in doc.sents], ["I saw her duck \U0001F602.",
                                                              "It doesn't (really) matter!", "Caf\u00e9s closed."])
        saw = doc[1]
        self.assertEqual((saw.tag_, saw.pos_, saw.dep_, saw.head.i, saw.lemma_), ("VBD", "VERB", "ROOT", 1, "see"))
        self.assertEqual((saw.morph.get("Tense"), doc[0].dep_, doc[2].head.text), (["Past"], "nsubj", "duck"))
        parser = self.nlp.get_pipe("lal").parser
        words = [[t.text for t in s if not t.is_space] for s in doc.sents]
        parsed = parser.parse_words(words)
        self.assertEqual(["(TOP %s)" % s._.parse_string for s in doc.sents], [s.tree for s in parsed])
        self.assertEqual([t.tag_ for t in doc if not t.is_space], [t.tag for t in parsed.tokens])
        for name in ("TAG", "POS", "DEP", "HEAD", "LEMMA", "MORPH", "SENT_START"):
            self.assertTrue(doc.has_annotation(name, require_complete=True), name)
        self.assertEqual(len(self.nlp("")), 0)

    def test_dependencies_of_the_model(self):
        doc = blank(deps="model")("He sat on it.")
        self.assertEqual([t.dep_ for t in doc], ["nsubj", "ROOT", "prep", "pobj", "punct"])
        self.assertEqual([chunk.text for chunk in doc.noun_chunks], ["He", "it"])
        with self.assertRaisesRegex(ValueError, "deps: found 'x'"):
            blank(deps="x")

    def test_noun_chunks_of_universal_dependencies(self):
        doc = self.nlp("Cats and dogs like the man with the very old telescope. He is not a doctor, but a wise man. "
                       "The dog's tail is all of the beauty it has. Nobody lives in the three big companies' houses.")
        chunks = ["Cats", "dogs", "the man", "the very old telescope", "He", "a doctor", "a wise man",
                  "The dog's tail", "the beauty", "it", "Nobody", "the three big companies' houses"]
        self.assertEqual([chunk.text for chunk in doc.noun_chunks], chunks)
        self.assertEqual([c.text for s in doc.sents for c in s.noun_chunks], chunks)
        texts = ["I saw her duck.", "The quick brown fox jumps over the lazy dog."]
        want = [[c.text for c in blank(deps="model")(text).noun_chunks] for text in texts]
        self.assertEqual([[c.text for c in d.noun_chunks] for d in self.nlp.pipe(texts, n_process=2)], want)
        with tempfile.TemporaryDirectory() as folder:
            self.nlp.to_disk(folder)
            self.assertEqual([c.text for c in spacy.load(folder)(doc.text).noun_chunks], chunks)

    def test_patterns_find_spans(self):
        doc = self.nlp("  The cat  (a pet)\nsleeps. Dogs don't bark!\n\n It rains.")
        found = list(doc._.search("NP=np < NN=noun"))
        self.assertEqual([(m["np"].text, m["np"].label_, m["noun"].text, m["noun"].label_) for m in found],
                         [("The cat", "NP", "cat", "NN"), ("a pet", "NP", "pet", "NN")])
        self.assertEqual((found[0].node, found[0].sentence), (found[0]["np"], next(doc.sents)))
        subjects = [(m["verb"].text, m["who"].text) for m in doc._.search("{}=verb >nsubj {}=who")]
        self.assertEqual(subjects, [("sleeps", "cat"), ("bark", "Dogs"), ("rains", "It")])
        pattern = lalparser.Pattern("NP=np", semgrex="{lemma:bark} >nsubj=e {}=np")
        match, = doc._.search(pattern)
        self.assertEqual((match["np"].text, match.relations), ("Dogs", {"e": "nsubj"}))
        parsed = self.nlp.get_pipe("lal").parser.parse_words([[t.text for t in s if not t.is_space] for s in doc.sents])
        for given, options in (("__=n", {}), ("{}=a >~r {}=b", {}), ("{tag:/N.*/}=n > {}", {}),
                               ("{cpos:NOUN;lemma:cat}=n", {}), ("NP=n", {"where": "n.feats.Number = Plur"})):
            wanted = lalparser.Pattern(given, **{"graph": "basic", **options}).search(parsed)
            words = [t for t in doc if not t.is_space]
            first = [parsed._r.sentences[k].first_token for k in range(len(parsed))]
            self.assertEqual(
                [[(x.start, x.end, x.label_) for x in m.nodes.values()] for m in doc._.search(given, **options)],
                [[(words[first[m.sentence.i] + x.begin_token].i, words[first[m.sentence.i] + x.end_token - 1].i + 1,
                   x.label) for x in m.nodes.values()] for m in wanted])
        again = Doc(self.nlp.vocab).from_bytes(doc.to_bytes())
        self.assertEqual([m.node.text for m in again._.search("NP < DT")], ["The cat", "a pet"])
        self.assertEqual(list(self.nlp("")._.search("NP")), [])
        with self.assertRaisesRegex(ValueError, "pattern:1:5: found"):
            doc._.search("NP <")

    def test_a_pipeline_of_another_language_warns(self):
        with self.assertWarnsRegex(UserWarning, "found a pipeline of the language 'de', expected 'en'"):
            spacy.blank("de").add_pipe("lal")
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            for language in "en", "xx":
                spacy.blank(language).add_pipe("lal")

    def test_words_with_brackets_are_escaped(self):
        words = ["The", "Solano(r)", "range", ":)", "(", "a b", "-LRB-", "x\\"]
        doc = self.nlp(Doc(self.nlp.vocab, words=words, sent_starts=[True] + [False] * 7))
        sentence, = doc.sents
        parsed, = self.nlp.get_pipe("lal").parser.parse_words([words])
        self.assertEqual("(TOP %s)" % sentence._.parse_string, parsed.tree)
        self.assertIn(" Solano-LRB-r-RRB-)", sentence._.parse_string)
        for token in doc:
            self.assertIn(doc[token.i:token.i + 1]._.parse_string, parsed.tree)

    def test_white_space_is_left_out(self):
        plain = self.nlp("I saw her duck. It rains.")
        doc = self.nlp("\n I  saw \n her duck. \n\n It rains.\t")
        self.assertEqual([(t.text, t.tag_, t.dep_) for t in doc if not t.is_space],
                         [(t.text, t.tag_, t.dep_) for t in plain])
        self.assertEqual([s._.parse_string for s in doc.sents], [s._.parse_string for s in plain.sents])
        spaces = [t for t in doc if t.is_space]
        self.assertEqual([t.head.text for t in spaces], ["I", "I", "saw", ".", "."])
        self.assertEqual({(t.tag_, t.pos_, t.dep_) for t in spaces}, {("_SP", "SPACE", "dep")})
        space = self.nlp(" \n ")
        self.assertEqual([(s._.parse_string, s._.labels, list(s._.children)) for s in space.sents], [("", (), [])])

    def test_sentences_that_are_known_are_kept(self):
        doc = Doc(self.nlp.vocab, words="It rains . It pours .".split(), sent_starts=[1, -1, -1, -1, -1, -1])
        self.assertEqual(len(list(self.nlp(doc).sents)), 1)
        doc = Doc(self.nlp.vocab, words="It rains . It pours .".split(), sent_starts=[1, 1, 0, -1, 0, 0])
        self.assertEqual([s.text for s in self.nlp(doc).sents], ["It", "rains . It pours ."])
        doc = Doc(self.nlp.vocab, words="It rains . It pours .".split())
        self.assertEqual([s.text for s in self.nlp(doc).sents], ["It rains .", "It pours ."])
        nlp = spacy.blank("en")
        nlp.add_pipe("sentencizer", config={"punct_chars": [";"]})
        nlp.add_pipe("lal")
        self.assertEqual([s.text for s in nlp("It rains. Go; it pours.").sents], ["It rains. Go;", "it pours."])

    def test_documents_of_two_vocabularies(self):
        other = blank()
        docs = [self.nlp.make_doc("It rains."), other.make_doc(TEXT)]
        want = [facts(nlp(doc.text)) for nlp, doc in zip((self.nlp, blank()), docs)]
        self.assertEqual([facts(doc) for doc in self.nlp.get_pipe("lal").pipe(docs)], want)

    def test_overwrite(self):
        def doc():
            return Doc(self.nlp.vocab, words="Dogs bark .".split(), tags=["X", "", ""], lemmas=["a", "", ""],
                       heads=[0, 0, 0], deps=["ROOT", "x", "x"])

        over = self.nlp(doc())
        self.assertEqual([(t.tag_, t.dep_, t.head.i) for t in over],
                         [("NNS", "nsubj", 1), ("VBP", "ROOT", 1), (".", "punct", 1)])
        kept = doc()
        kept.spans["constituents"] = [Span(kept, 0, 3, label="X")]
        kept = blank(overwrite=False)(kept)
        self.assertEqual([(t.tag_, t.lemma_, t.dep_, t.head.i) for t in kept],
                         [("X", "a", "ROOT", 0), ("VBP", "bark", "x", 0), (".", ".", "x", 0)])
        self.assertEqual([s.label_ for s in kept.spans["constituents"]], ["X"])
        self.assertEqual(facts(blank(overwrite=False)("It rains.")), facts(self.nlp("It rains.")))

    def test_pipe_is_as_one_document_after_another(self):
        texts = ["It rains %d times. Dogs  bark! " % k * (k % 5) for k in range(50)]
        want = [facts(self.nlp(t)) for t in texts]
        calls = []
        for config in ({}, {"threads": 2, "batch_size": 7}):
            nlp = blank(**config)
            parser = nlp.get_pipe("lal").parser
            parse = parser.parse_words
            parser.parse_words = lambda *a, **b: calls.append(1) or parse(*a, **b)
            self.assertEqual([facts(d) for d in nlp.pipe(texts)], want)
            self.assertEqual(len(calls), -(-50 // config.get("batch_size", 64)))
            calls.clear()
        self.assertEqual([c for _, c in nlp.pipe(zip(texts, range(50)), as_tuples=True, batch_size=3)],
                         list(range(50)))

    def test_processes(self):
        texts = ["It rains %d times." % k for k in range(20)]
        self.assertEqual([facts(d) for d in self.nlp.pipe(texts, n_process=2, batch_size=5)],
                         [facts(self.nlp(t)) for t in texts])
        again = pickle.loads(pickle.dumps(self.nlp.get_pipe("lal")))
        doc = self.nlp.make_doc("It rains.")
        self.assertEqual(facts(again(doc)), facts(self.nlp("It rains.")))

    def test_errors_go_to_the_handler(self):
        nlp = blank()
        parser, seen = nlp.get_pipe("lal").parser, []
        parse = parser.parse_words

        def fail(sentences, **options):
            sentences = list(sentences)
            if ["Bad", "."] in sentences:
                raise ValueError("bad")
            return parse(sentences, **options)

        parser.parse_words = fail
        with self.assertRaisesRegex(ValueError, "bad"):
            nlp("Bad.")
        with self.assertRaisesRegex(ValueError, "bad"):
            list(nlp.pipe(["Bad."]))
        nlp.set_error_handler(lambda name, component, docs, error: seen.append((name, len(docs), str(error))))
        self.assertEqual([d.text for d in nlp.pipe(["It rains.", "Bad.", "Go!"])], ["It rains.", "Go!"])
        self.assertEqual(seen, [("lal", 1, "bad")])

    def test_documents_are_kept(self):
        doc = self.nlp(TEXT)
        again = Doc(spacy.blank("en").vocab).from_bytes(doc.to_bytes())
        self.assertEqual(facts(again), facts(doc))
        self.assertEqual([s._.parse_string for s in again.sents], [s._.parse_string for s in doc.sents])
        docs = DocBin(docs=[doc], store_user_data=True).to_bytes()
        again = next(iter(DocBin().from_bytes(docs).get_docs(spacy.blank("en").vocab)))
        self.assertEqual([(s.start, s.end, s.label_) for s in again.spans["constituents"]],
                         [(s.start, s.end, s.label_) for s in doc.spans["constituents"]])
        self.assertEqual([s._.parse_string for s in again.sents], [s._.parse_string for s in doc.sents])

    def test_a_pipeline_is_kept(self):
        nlp = blank(deps="model", batch_size=3)
        with tempfile.TemporaryDirectory() as folder:
            nlp.to_disk(folder)
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                again = spacy.load(folder)
            self.assertEqual(again.get_pipe("lal").batch_size, 3)
            self.assertEqual(facts(again(TEXT)), facts(nlp(TEXT)))
            file = Path(folder) / "lal"
            state = json.loads(file.read_text())
            self.assertEqual((state["model"], state["version"], len(state["sha256"])),
                             ("small", lal.VERSION, 64))
            file.write_text(json.dumps({**state, "version": "0.0.1"}))
            with self.assertWarnsRegex(UserWarning, "found version .*, expected 0.0.1"):
                spacy.load(folder)
        data = nlp.to_bytes()
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            blank(deps="model").from_bytes(data)
        component = nlp.get_pipe("lal")
        with self.assertWarnsRegex(UserWarning, "found sha256"):
            component.from_bytes(json.dumps({**json.loads(component.to_bytes()), "sha256": "0"}).encode())

    def test_extensions(self):
        doc = Doc(self.nlp.vocab, words="Dogs see the ( old ) duck . Go".split(),
                  spaces=[k in (0, 1, 2, 5, 7) for k in range(9)], tags="NNS VBP DT -LRB- JJ -RRB- NN . VB".split(),
                  heads=[1, 1, 6, 4, 6, 4, 1, 1, 8], deps=["ROOT" if k in (1, 8) else "x" for k in range(9)])
        phrases = (0, 8, "S"), (0, 1, "NP"), (1, 7, "VP"), (2, 7, "NP"), (8, 9, "VP")
        doc.spans["constituents"] = [Span(doc, *phrase) for phrase in phrases]
        first, second = doc.sents
        self.assertEqual(first._.parse_string, "(S (NP (NNS Dogs)) (VP (VBP see) (NP (DT the) (-LRB- -LRB-) (JJ old)"
                         " (-RRB- -RRB-) (NN duck))) (. .))")
        self.assertEqual([(c.text, c._.labels) for c in first._.children],
                         [("Dogs", ("NP",)), ("see the (old) duck", ("VP",)), (".", ())])
        self.assertEqual([c.text for c in first._.constituents],
                         ["Dogs see the (old) duck.", "Dogs", "see the (old) duck", "see", "the (old) duck", "the",
                          "(", "old", ")", "duck", "."])
        self.assertIsNone(first._.parent)
        self.assertIsNone(second._.parent)
        self.assertEqual(doc[2:7]._.parent.text, "see the (old) duck")
        self.assertEqual(doc[4:5]._.parent._.labels, ("NP",))
        self.assertEqual((doc[4:5]._.labels, list(doc[4:5]._.children)), ((), []))
        with self.assertRaisesRegex(ValueError, "found 'Dogs see', expected a phrase"):
            doc[0:2]._.labels
        with self.assertRaisesRegex(ValueError, "component"):
            spacy.blank("en")("Dogs")[0:1]._.labels

    def test_chains_of_phrases_over_the_same_tokens(self):
        doc = Doc(self.nlp.vocab, words=["Go", "on"], tags=["VB", "RP"], heads=[0, 0], deps=["ROOT", "x"])
        doc.spans["constituents"] = [Span(doc, 0, 2, label=x) for x in ("S", "VP")] + [Span(doc, 1, 2, label="PRT")]
        span = doc[0:2]
        self.assertEqual((span._.labels, span._.parse_string), (("S", "VP"), "(S (VP (VB Go) (PRT (RP on))))"))
        self.assertEqual([(c.text, c._.labels) for c in span._.constituents],
                         [("Go on", ("S", "VP")), ("Go", ()), ("on", ("PRT",))])
        self.assertEqual([c.text for c in span._.children], ["Go", "on"])
        self.assertEqual(doc[1:2]._.parent._.labels, ("S", "VP"))


@unittest.skipUnless(lal, "no spacy")
class Tokenizer(unittest.TestCase):
    def test_tokens_and_sentences_are_those_of_lal(self):
        nlp = blank()
        nlp.tokenizer = lal.Tokenizer(nlp.vocab)
        text = "Mr. Fox can't pay $5m (yet).  It's\na 5kg box.\n\nEnd"
        doc = nlp(text)
        self.assertEqual(doc.text, text)
        split = lal.split(text)
        self.assertEqual([t.text for t in doc if not t.is_space], [t.form for t in split.tokens])
        self.assertEqual([[t.text for t in s if not t.is_space] for s in doc.sents],
                         [[t.form for t in s] for s in split])
        parsed = nlp.get_pipe("lal").parser.parse(text)
        self.assertEqual(["(TOP %s)" % s._.parse_string for s in doc.sents], [s.tree for s in parsed])
        self.assertEqual([d.text for d in nlp.pipe([text, "", "A b"])], [text, "", "A b"])
        self.assertEqual([s.text for s in lal.Tokenizer(nlp.vocab, sentences="all")("It rains. Go").sents],
                         ["It rains. Go"])
        lines = lal.Tokenizer(nlp.vocab, sentences="line", tokens="space")(" a b\n\n\nc d\n\n")
        self.assertEqual([s.text.strip() for s in lines.sents], ["a b", "c d"])

    def test_a_word_that_a_line_break_breaks(self):
        nlp = blank()
        nlp.tokenizer = lal.Tokenizer(nlp.vocab)
        text = "This is an exam-\nple of a thing for everyone to see in the narrow column of the text.\nIt is so."
        doc = nlp(text)
        self.assertEqual((doc.text, doc[3].text), (text, "exam-\nple"))
        self.assertEqual((doc[3].norm_, doc[3].lemma_), ("example", "example"))
        again = Doc(nlp.vocab).from_bytes(doc.to_bytes())
        self.assertIn("(NN example)", next(again.sents)._.parse_string)

    def test_any_text_stays_as_it_is(self):
        nlp = blank()
        tokenizers = [nlp.tokenizer] + [lal.Tokenizer(nlp.vocab, markup=x) for x in ("none", "auto", "markdown", "html",
                                                                                     "srt", "latex")]
        parts = "I saw duck . ! &amp; <b> </p> \\'e $x$ -\n exam don't ( ) * ` | \u200b \0".split(" ")
        parts += ["\u00e9", "\U0001F602", "http://a.b/c"]
        parts += [" ", "  ", "\n", "\n\n", "\t", "> ", "# ", "\u00a0", "\r\n", "\x1c", "\u3000", "\x85", "\u2028"]
        choice = random.Random(1)
        for k in range(60):
            text = "".join(choice.choice(parts) + choice.choice(["", " "]) for _ in range(k % 30))
            doc = tokenizers[k % len(tokenizers)](text)
            self.assertEqual(doc.text, text)
            for s in nlp(doc).sents:
                self.assertEqual([t.dep_ for t in s].count("ROOT"), 1, text)
                self.assertTrue(all(t.head in s for t in s), text)
                for c in s._.constituents:
                    over = c._.parent
                    self.assertTrue(over is None or (c.start, c.end) in [(x.start, x.end) for x in over._.children])

    def test_options_are_kept(self):
        config = {"nlp": {"tokenizer": {"@tokenizers": "lal.Tokenizer.v1", "newlines": "sentence"}}}
        nlp = spacy.blank("en", config=config)
        nlp.add_pipe("lal")
        text = "It\nrains. It pours."
        self.assertEqual([s.text.strip() for s in nlp(text).sents], ["It", "rains.", "It pours."])
        with tempfile.TemporaryDirectory() as folder:
            nlp.to_disk(folder)
            self.assertEqual(facts(spacy.load(folder)(text)), facts(nlp(text)))
        again = lal.Tokenizer(nlp.vocab).from_bytes(nlp.tokenizer.to_bytes())
        self.assertEqual(again.options["newlines"], "sentence")
        self.assertEqual(pickle.loads(pickle.dumps(again)).options, again.options)
        with self.assertRaisesRegex(ValueError, "markup: found 'x'"):
            lal.Tokenizer(nlp.vocab, markup="x")


if __name__ == "__main__":
    unittest.main()
