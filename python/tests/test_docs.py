"""The examples of docs/PYTHON.md."""
import doctest
import importlib
import tempfile
import unittest
from pathlib import Path

PAGE = Path(__file__).resolve().parents[2] / "docs" / "PYTHON.md"


class Docs(unittest.TestCase):
    def test_examples(self):
        text = PAGE.read_text(encoding="utf-8")
        for package, title in (("nltk", "## NLTK"), ("spacy", "## spaCy")):
            try:
                importlib.import_module(package)
            except ImportError:
                first, _, rest = text.partition(title)
                text = first + "##" + rest.partition("\n##")[2]
        try:
            import numpy  # noqa: F401
        except ImportError:
            first, _, rest = text.partition("With `contributions=True`")
            text = first + "## Texts" + rest.partition("## Texts")[2]
        test = doctest.DocTestParser().get_doctest(text, {}, PAGE.name, str(PAGE), 0)
        self.assertGreater(len(test.examples), 15)
        runner = doctest.DocTestRunner(optionflags=doctest.IGNORE_EXCEPTION_DETAIL)
        with tempfile.TemporaryFile("w+") as out:
            failed = runner.run(test, out=out.write).failed
            out.seek(0)
            self.assertEqual(failed, 0, out.read())


if __name__ == "__main__":
    unittest.main()
