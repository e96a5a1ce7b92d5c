#!/usr/bin/env python3
"""raw_text.py [--language zh] SOURCES DATA OUT: raw English or Chinese text of many genres, for a small model that
learns from a large one.

SOURCES has copies of public repositories, which are not downloaded; those that are not there are left out. English:

    nltk_data                        github.com/nltk/nltk_data: packages/corpora/*.zip, those of the table below
    wiki-split                       github.com/google-research-datasets/wiki-split: *.tsv
    Taskmaster                       github.com/google-research-datasets/Taskmaster: TM-*/**/*.json, TM-3-2020/**/*.tsv
    dstc8-schema-guided-dialogue     github.com/google-research-datasets/...: train, dev and test/dialogues_*.json

Chinese:

    cmrc2018                         github.com/ymcui/cmrc2018: data/*.json
    DRCD                             github.com/DRCKnowledgeTeam/DRCD: *.json, in traditional characters
    CrossWOZ                         github.com/thu-coai/CrossWOZ: data/crosswoz/*.json.zip
    KdConv                           github.com/thu-coai/KdConv: data/*/*.json
    HowToCook                        github.com/Anduin2017/HowToCook: **/*.md
    Laws                             github.com/LawRefBook/Laws: **/*.md

DATA has treebanks, of which all dev and test sets are read (dev*, test* of .trees, .conllx and .conllu in its
folders), and for English train texts of ewt and gum-open (raw/train/*.txt), childes and atis (train.conllu), craft,
genia and eslspok (train.conllx), and the folder raw-news, texts with a sentence on each line, *.txt: wikinews-economy,
wikinews-politics, wikinews-2019-2020, fomc-minutes, fomc-statements and digitalgov.

OUT gets a file NAME.txt for each source, UTF-8 in NFC, a paragraph on each line, as `lal parse --newline paragraph`
reads it, and MANIFEST.tsv with words (of Chinese: characters), sentences, what was removed, and terms. Removed are:
  - sentences that stand in a source before (of dialogues also those that differ only in names and numbers);
  - sentences with a sentence of eight words or more of a dev or test set in them, compared in lower case without
    punctuation and blanks;
  - of a source with more words than its share of the table, paragraphs spread evenly over it.
--share NAME=WORDS changes a share; --part 0.1 takes a tenth of each source; --held-out FILE names more treebank files
whose sentences are removed, such as a train split. The same input gives the same output. Uses the standard library
only.
"""
import argparse
import glob
import html
import json
import os
import re
import sys
import unicodedata
import zipfile

HELD_OUT_WORDS = 8
PREFIX = HELD_OUT_WORDS  # letters and digits of a held-out sentence by which it is looked up
BRACKETS = {"-LRB-": "(", "-RRB-": ")", "-LSB-": "[", "-RSB-": "]", "-LCB-": "{", "-RCB-": "}"}
ESCAPED = re.compile("|".join(BRACKETS))
HAN = "\u3400-\u9fff"
LETTERS = re.compile(r"[%s]|[^\W_%s]+" % (HAN, HAN))
LEAF = re.compile(r"\(([^\s()]+) ([^\s()]+)\)")


# ---- text

def unescaped(word):
    return ESCAPED.sub(lambda m: BRACKETS[m.group()], word).replace("\\/", "/").replace("\\*", "*")


def letters(text):
    """The words of letters and digits, for comparisons; a Chinese character is a word."""
    return LETTERS.findall(unicodedata.normalize("NFKC", text).casefold())


def clean(text):
    """One line in NFC, single blanks, no control characters."""
    text = unicodedata.normalize("NFC", text)
    if not text.isprintable():
        kinds = [(c, unicodedata.category(c)) for c in text]
        text = "".join(" " if k in ("Cc", "Zs", "Zl", "Zp") else c for c, k in kinds if k == "Cc" or k[0] != "C")
    return " ".join(text.split())


def decoded(data):
    """UTF-8, else Windows-1252, in which some files of speeches have marks of Big5."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        text = data.decode("cp1252", "replace")
        for big5, mark in zip(("¡X", "¡¦", "¡§", "¡¨", "¡K", "¡@"), "—’“”… "):
            text = text.replace(big5, mark)
    return text.replace("\ufffd", "")


LEFT = re.compile(r"^([,.;:?!%)\]}]+|\.\.\.|n[’']t|[’'](s|m|d|ll|re|ve|t)?)$", re.I)
RIGHT = re.compile(r"^[(\[{$#]$")


def joined(words, hyphens=()):
    """The text of tokens; hyphens: the numbers of those that have no blanks around them."""
    out, last, quotes = "", "", 0
    for k, word in enumerate(words):
        word = unescaped(word)
        sign = '"' if word in ("``", "''") else word
        closing = word == "''" or sign == '"' and word != "``" and quotes % 2 == 1
        opened = last == "``" or last == '"' and quotes % 2 == 1
        glued = not k or closing or opened or LEFT.match(sign) or RIGHT.match(last) or k in hyphens or k - 1 in hyphens
        out += ("" if glued else " ") + sign
        quotes += sign == '"'
        last = word
    return out


def inner_hyphens(words):
    return {k for k, word in enumerate(words) if word == "-" and 0 < k < len(words) - 1}


class English:
    end = re.compile(r"(?<=[.!?])([\"'”’)\]]*)\s+(?=[\"'“‘(\[]*[A-Z0-9])")
    between, words = " ", staticmethod(str.split)


class Chinese:
    end = re.compile(r"(?<=[。！？])([”’」』）》]*)\s*(?=\S)")
    between, words = "", staticmethod(letters)


def sentences(paragraph, language):
    return language.end.sub(r"\1\n", paragraph).split("\n")


# ---- treebanks

def treebank_sentences(path):
    """Yields lists of (form, whether a blank follows, tag)."""
    with open(path, encoding="utf-8") as f:
        if path.endswith(".trees"):
            for line in f:
                yield [(w, True, tag) for tag, w in LEAF.findall(line)]
            return
        words = []
        for line in f:
            c = line.rstrip("\n").split("\t")
            if c[0].isdigit() and len(c) >= 10:
                misc = dict(x.split("=", 1) for x in c[9].split("|") if "=" in x)
                words.append((misc.get("OrigForm", c[1]), misc.get("SpaceAfter") != "No", c[4]))
            elif not line.strip() and words:
                yield words
                words = []
        if words:
            yield words


class HeldOut:
    """Sentences of dev and test sets, as strings of letters and digits."""

    def __init__(self, files):
        self.short, self.by_prefix, self.n = set(), {}, 0
        for path in files:
            for words in treebank_sentences(path):
                if len(words) >= HELD_OUT_WORDS:
                    self.add("".join(letters(unescaped(" ".join(w for w, _, _ in words)))))

    def add(self, text):
        if not text:
            return
        self.n += 1
        if len(text) < PREFIX:
            self.short.add(text)
        elif text not in self.by_prefix.setdefault(text[:PREFIX], []):
            self.by_prefix[text[:PREFIX]].append(text)

    def among(self, texts):
        """The numbers of those of the sentences `texts` (lists of words) that a held-out sentence is in, or part of
        it, where it goes on in the next one."""
        starts, text, found = [], "", set()
        for k, words in enumerate(texts):
            if "".join(words) in self.short:
                found.add(k)
            for w in words:
                starts.append((len(text), k))
                text += w
        for i, (at, k) in enumerate(starts):
            for held in self.by_prefix.get(text[at:at + PREFIX], ()):
                if text.startswith(held, at):
                    found.update(n for start, n in starts[i:] if start < at + len(held))
        return found


# ---- sources: each function yields paragraphs

def members(path):
    """(name, text) of the texts of an archive."""
    with zipfile.ZipFile(path) as z:
        for name in sorted(z.namelist()):
            base = os.path.basename(name)
            if base.endswith(".txt") and base not in ("README.txt", "categories.txt"):
                yield base, decoded(z.read(name))


def movie_reviews(path):
    """A tokenized sentence in lower case on each line."""
    for _, text in members(path):
        for line in text.split("\n"):
            yield joined(line.split())


def pros_cons(path):
    for _, text in members(path):
        for line in text.split("\n"):
            yield re.sub(r"</?(Pros|Cons)>", "", html.unescape(html.unescape(line)))


def product_reviews(path):
    """FEATURE[+2]##SENTENCE; titles and headers have no ##."""
    for _, text in members(path):
        for line in text.split("\n"):
            if "##" in line:
                yield joined(line.split("##", 1)[1].split())


def masc(path):
    """word_TAG; a sentence or a part of it on each line. Articles of the WSJ are left out."""
    for name, text in members(path):
        for line in text.split("\n") if not name.startswith("wsj") else ():
            words = [w.rsplit("_", 1)[0] for w in line.split()]
            yield joined(words, inner_hyphens(words))


def speeches(path):
    """A paragraph on each line."""
    for _, text in members(path):
        yield from text.split("\n")


def wiki_split(folder):
    """A sentence, a tab, and the same as two sentences: in turn the one and the two. Opening and closing quotes are the
    same mark; sentences that are part of a quotation are left out."""
    for path in sorted(glob.glob(os.path.join(folder, "*.tsv"))):
        with open(path, encoding="utf-8") as f:
            for k, line in enumerate(f):
                one, _, two = line.partition("\t")
                for text in two.split("<::::>") if k % 2 else [one]:
                    words = text.replace("''", '"').split()
                    if words.count('"') % 2 == 0:
                        yield joined(words, inner_hyphens(words))


def utterances(value):
    """The texts of dialogues in a JSON value: dstc8, CrossWOZ, KdConv, Taskmaster, and its contexts, which are JSON in
    strings."""
    if isinstance(value, list):
        for v in value:
            yield from utterances(v)
    elif isinstance(value, dict):
        for key in ("utterance", "text", "content", "message"):
            if isinstance(value.get(key), str):
                yield value[key]
        for key in ("turns", "utterances", "messages"):
            yield from utterances(value.get(key))
        context = value.get("context")
        if isinstance(context, str) and context.startswith("["):
            yield from utterances(json.loads(context))


def dialogues(folder):
    for path in sorted(glob.glob(os.path.join(folder, "**", "*.*"), recursive=True)):
        name = os.path.basename(path)
        if name.endswith(".json") and not name.startswith(("schema", "kb_")):
            with open(path, encoding="utf-8") as f:
                yield from utterances(json.load(f))
        elif name.endswith(".json.zip"):
            with zipfile.ZipFile(path) as z:
                yield from utterances(list(json.loads(z.read(name[:-4])).values()))
        elif name.endswith(".tsv"):
            with open(path, encoding="utf-8") as f:
                for line in f:
                    yield from re.findall(r"(?:<[UA]>|\[A\])([^<\t]+)", line)


def passages(value):
    """The texts that a collection of questions asks about."""
    for key, v in value.items() if isinstance(value, dict) else enumerate(value):
        if key in ("context", "context_text"):
            yield v
        elif isinstance(v, (dict, list)):
            yield from passages(v)


def questions(folder):
    for path in sorted(glob.glob(os.path.join(folder, "*.json"))):
        with open(path, encoding="utf-8") as f:
            yield from passages(json.load(f))


def markdown(folder):
    """Lines of eight Chinese characters and more that are neither headings nor tables, pictures and comments, without
    marks of lists, numbers of articles, links and stress."""
    for path in sorted(glob.glob(os.path.join(folder, "**", "*.md"), recursive=True)):
        with open(path, encoding="utf-8") as f:
            for line in f:
                line = re.sub(r"^\s*([-*+]|\d+[.、])\s+|^第[^ 条]+条(之.)?\s+|\*\*|`", "", line)
                line = re.sub(r"(?<!!)\[([^]]*)\]\([^)]*\)", r"\1", line)
                if not re.match(r"\s*[#|!<>\[]", line) and len(re.findall("[%s]" % HAN, line)) >= 8:
                    yield line


def documents(folder):
    """Raw text with empty lines between paragraphs."""
    for path in sorted(glob.glob(os.path.join(folder, "*.txt"))):
        with open(path, encoding="utf-8") as f:
            yield from re.split(r"\n\s*\n", f.read())


def lines(path):
    """A sentence on each line, an empty line between documents."""
    with open(path, encoding="utf-8") as f:
        yield from f


def spaced(path):
    for words in treebank_sentences(path):
        yield unescaped("".join(w + (" " if blank else "") for w, blank, _ in words))


def unspaced(path):
    for words in treebank_sentences(path):
        yield joined([w for w, _, _ in words], {k for k, (_, _, tag) in enumerate(words) if tag == "HYPH"})


CC_BY, CC_BY_SA = "CC BY 4.0", "CC BY-SA 4.0"
NLTK = "SOURCES/nltk_data/packages/corpora/"
NEWS = "DATA/raw-news/"
WIKINEWS = "CC BY 2.5: Wikinews contributors, https://en.wikinews.org; before 2005-09-25 public domain"
US = "public domain (US): work of the federal government"
# Name, place, function, words at most (0: all), alike, terms. Of equal sentences the first one stays; alike: sentences
# that differ only in names and numbers are equal. Several files of a place are one source.
ENGLISH = [
    ("ewt", "DATA/ewt/raw/train", documents, 0, False, CC_BY_SA),
    ("gum-open", "DATA/gum-open/raw/train", documents, 0, False, "CC BY, CC BY-SA or public domain, by document"),
    ("childes", "DATA/childes/train.conllu", spaced, 0, False, CC_BY_SA),
    ("eslspok", "DATA/eslspok/train.conllx", unspaced, 0, False, CC_BY_SA),
    ("atis", "DATA/atis/train.conllu", unspaced, 15000, True, CC_BY_SA + "; words of the LDC's, not to be passed on"),
    ("craft", "DATA/craft/train.conllx", unspaced, 0, False, "CC BY, public domain or PLoS open access, by article"),
    ("genia", "DATA/genia/train.conllx", unspaced, 0, False, "annotation CC BY 3.0; abstracts of PubMed"),
    ("masc", NLTK + "masc_tagged.zip", masc, 0, False, "free for research and development, also commercial"),
    ("state_union", NLTK + "state_union.zip", speeches, 0, False, "public domain"),
    ("inaugural", NLTK + "inaugural.zip", speeches, 0, False, "public domain"),
    ("wikinews-economy", NEWS + "wikinews-economy.txt", lines, 0, False, WIKINEWS),
    ("wikinews-politics", NEWS + "wikinews-politics.txt", lines, 0, False, WIKINEWS),
    ("wikinews-2019-2020", NEWS + "wikinews-2019-2020.txt", lines, 0, False, WIKINEWS),
    ("fomc", NEWS + "fomc-*.txt", lines, 0, False, US),
    ("digitalgov", NEWS + "digitalgov.txt", lines, 0, False, "CC0 1.0"),
    ("wiki-split", "SOURCES/wiki-split", wiki_split, 0, False, CC_BY_SA),
    ("product_reviews_1", NLTK + "product_reviews_1.zip", product_reviews, 0, False, CC_BY),
    ("product_reviews_2", NLTK + "product_reviews_2.zip", product_reviews, 0, False, CC_BY),
    ("pros_cons", NLTK + "pros_cons.zip", pros_cons, 150000, False, CC_BY),
    ("movie_reviews", NLTK + "movie_reviews.zip", movie_reviews, 800000, False, CC_BY),
    ("taskmaster", "SOURCES/Taskmaster", dialogues, 0, True, CC_BY),
    ("dstc8", "SOURCES/dstc8-schema-guided-dialogue", dialogues, 1000000, True, CC_BY_SA),
]
APACHE = "Apache-2.0"
CHINESE = [
    ("cmrc2018", "SOURCES/cmrc2018/data", questions, 0, False, CC_BY_SA + ": Wikipedia"),
    ("drcd", "SOURCES/DRCD", questions, 0, False, "CC BY-SA 3.0: Wikipedia"),
    ("kdconv", "SOURCES/KdConv/data", dialogues, 0, True, APACHE),
    ("crosswoz", "SOURCES/CrossWOZ/data/crosswoz", dialogues, 200000, True, APACHE),
    ("howtocook", "SOURCES/HowToCook", markdown, 0, False, "Unlicense (public domain)"),
    ("laws", "SOURCES/Laws/行政法规", markdown, 300000, False, "public domain (article 5 of China's copyright law)"),
]
TABLES = {"en": (English, ENGLISH), "zh": (Chinese, CHINESE)}


# ---- what stays

def key_of(sentence, words, alike):
    """What equal sentences have in common."""
    if not alike:
        return "".join(words)
    return re.sub(r"(\* ?)+", "*", re.sub(r"(?<= )[\"'(]*[A-Z][\w'-]*|\S*\d\S*", "*", sentence)).casefold()


def kept(paragraphs, alike, language, held_out, seen, counts):
    """The paragraphs without the sentences that are removed: lists of sentences."""
    result = []
    for paragraph in paragraphs:
        parts = sentences(clean(paragraph), language)
        words = [letters(p) for p in parts]
        out = held_out.among(words)
        counts["held_out"] += len(out)
        stay = []
        for k, part in enumerate(parts):
            if k in out or not words[k]:
                continue
            key = key_of(part, words[k], alike)
            if key in seen:
                counts["repeated"] += 1
            else:
                seen.add(key)
                stay.append(part)
        if stay:
            result.append(stay)
    return result


def size(paragraph, language):
    return sum(len(language.words(x)) for x in paragraph)


def spread(paragraphs, language, share, part):
    """Paragraphs of about `share` words (0: all), or this part of them, taken evenly, long and short ones alike: those
    whose multiples of the golden ratio have a small fraction, which follow no rhythm of speakers or lines."""
    total = sum(size(p, language) for p in paragraphs)
    rate = part * (min(share, total) / total if share and total else 1)
    return [p for k, p in enumerate(paragraphs) if rate >= 1 or k * 0.6180339887498949 % 1 < rate]


def write(path, lines):
    with open(path + ".tmp", "w", encoding="utf-8") as f:
        f.writelines(line + "\n" for line in lines)
    os.replace(path + ".tmp", path)


def held_out_files(data):
    files = [f for split in ("dev", "test") for ending in ("trees", "conllx", "conllu")
             for f in sorted(glob.glob(os.path.join(data, "*", "%s*.%s" % (split, ending))))]
    if not files:
        sys.exit("raw_text.py: %s: found no dev or test set, expected FOLDER/test.conllx and the like" % data)
    return files


def arguments():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--language", choices=sorted(TABLES), default="en")
    p.add_argument("sources")
    p.add_argument("data")
    p.add_argument("out")
    p.add_argument("--share", action="append", default=[], metavar="NAME=WORDS", help="0: all; may be repeated")
    p.add_argument("--part", type=float, default=1.0, metavar="X", help="above 0, at most 1")
    p.add_argument("--held-out", action="append", default=[], metavar="FILE", help="may be repeated")
    args = p.parse_args()
    if not 0 < args.part <= 1:
        p.error("--part: found %g, expected a number above 0 and at most 1" % args.part)
    args.shares = {name: share for name, _, _, share, _, _ in TABLES[args.language][1]}
    for x in args.share:
        name, _, words = x.partition("=")
        if name not in args.shares or not words.isdigit():
            p.error("--share: found '%s', expected NAME=WORDS, NAME one of %s" % (x, ", ".join(args.shares)))
        args.shares[name] = int(words)
    return args


def main():
    args = arguments()
    language, table = TABLES[args.language]
    held_out = HeldOut(held_out_files(args.data) + args.held_out)
    os.makedirs(args.out, exist_ok=True)
    rows, seen = [], set()
    for name, where, read, _, alike, terms in table:
        root, _, rest = where.partition("/")
        path = os.path.join(args.sources if root == "SOURCES" else args.data, rest)
        found = sorted(glob.glob(os.path.join(glob.escape(os.path.dirname(path)), os.path.basename(path))))
        if not found:
            print("raw_text.py: %s: not there, left out" % path, file=sys.stderr)
            continue
        counts = {"held_out": 0, "repeated": 0}
        try:
            all_of_it = kept((p for file in found for p in read(file)), alike, language, held_out, seen, counts)
        except (ValueError, zipfile.BadZipFile) as e:
            sys.exit("raw_text.py: %s: %s" % (path, e))
        part = spread(all_of_it, language, args.shares[name], args.part)
        write(os.path.join(args.out, name + ".txt"), [language.between.join(p) for p in part])
        words = [sum(size(p, language) for p in x) for x in (part, all_of_it)]
        numbers = [words[0], sum(map(len, part)), words[1], counts["repeated"], counts["held_out"]]
        rows.append([name] + numbers + [terms])
        print("%s: %d words" % (name, numbers[0]), file=sys.stderr)
    if not rows:
        sys.exit("raw_text.py: found no source in %s and %s" % (args.sources, args.data))
    total = ["all"] + [sum(row[k] for row in rows) for k in range(1, 6)] + [""]
    head = ["source", "words", "sentences", "words_before_share", "repeated_sentences", "held_out_sentences", "terms"]
    write(os.path.join(args.out, "MANIFEST.tsv"), ["\t".join(map(str, row)) for row in [head] + rows + [total]])


if __name__ == "__main__":
    main()
