"""serve.py BUILD-FOLDER: a server of lal on loopback: recorded requests of real clients, its answers beside those of
lal parse, limits, bad requests, clients that leave, signals. Prints complaints; exit status 1 if there are any."""
import base64, contextlib, email, json, os, random, re, shutil, signal, socket, struct, subprocess, sys, tempfile
import threading, time, types
import urllib.parse
import xml.etree.ElementTree

from server import FORM, LAL, LONG, PLAIN, ROOT, Server, check, finish, read_answer

TEXT = "I saw her duck. “Café” can't fail, for it costs 100 % + tax.\n\nThe old 😀 river (and the sea) rose quickly!\n"


def lal(*arguments, text):
    return subprocess.run([LAL, *arguments], input=text.encode(), capture_output=True, check=True, timeout=120).stdout


# ---- recorded requests

def recorded(s):
    for line in open(os.path.join(ROOT, "tests/golden/service/requests.jsonl")):
        e = json.loads(line)
        status, headers, body = s.exchange(e["request"].encode("latin-1"))
        found = status, headers.get("content-type", "").replace(" ", "").lower()
        check(e["name"], found, (e["status"], e["type"].replace(" ", "").lower()))
        if "json" in e["type"] and status == 200:
            check(e["name"] + ": JSON", isinstance(json.loads(body), dict))


# ---- the same as the program writes

def like_lal_parse(s):
    for query, options in (("format=json", ["-f", "json"]),
                           ("format=brackets&newline=sentence", ["--newline", "sentence"]),
                           ("format=conllu&hyphens=keep", ["-f", "conllu", "--hyphens", "keep"]),
                           ("format=conllx&deps=ud", ["-f", "conllx", "--deps", "ud"]),
                           ("format=json&pretokenized=true", ["-f", "json", "--pretokenized"]),
                           ("format=json&kbest=3&confidence=true", ["-f", "json", "--kbest", "3", "--confidence"]),
                           ("format=conllu&kbest=2&confidence=true", ["-f", "conllu", "--kbest", "2", "--confidence"]),
                           ("format=pretty", ["-f", "pretty"]), ("format=svg", ["-f", "svg"]),
                           ("format=brackets&treebank=genia&markup=none", ["--treebank", "genia", "--markup", "none"])):
        status, _, body = s.ask("/v1/parse?" + query, TEXT)
        check("/v1/parse?" + query, (status, body), (200, lal("parse", *options, text=TEXT)))
    for form in "json", "lines":
        check("/v1/tokenize, " + form, s.ask("/v1/tokenize?format=" + form, TEXT)[2],
              lal("tokenize", "--model", "small", "-f", form, text=TEXT))
    why = [json.loads(line) for line in s.ask("/v1/parse?why=true", TEXT)[2].splitlines()]
    check("reasons of arcs", all("why" in t for sentence in why for t in sentence["tokens"]))
    check("CoNLL-U of CoreNLP", s.core(TEXT, {"outputFormat": "conllu"})[2], lal("parse", "-f", "conllu", text=TEXT))


    strange = "😀😀 So 👩‍👩‍👧 and 👍🏽!!! I ❤️ it 🇫🇷.\n\n" + "The dog that the man saw barked and " * 38 + "ran away.\n"
    check("emoji, 300 words", s.ask("/v1/parse?format=json", strange)[2], lal("parse", "-f", "json", text=strange))
    found = json.loads(s.core(strange, {"output.constituencyTree": "oneline"})[2])["sentences"]
    check("words of the longest", max(len(x["tokens"]) for x in found) >= 300)
    check("trees of emoji, 300 words", [re.sub(r"^\(ROOT", "(TOP", x["parse"]) for x in found],
          lal("parse", text=strange).decode().splitlines())


def core_json(s):
    status, headers, body = s.core(TEXT)
    found = json.loads(body)["sentences"]
    trees = lal("parse", text=TEXT).decode().splitlines()
    check("trees", ["(TOP" + re.sub(r"\s+", " ", x["parse"])[5:] for x in found], trees)
    conllu = lal("parse", "-f", "conllu", text=TEXT).decode()
    rows = [r.split("\t") for r in conllu.splitlines() if re.match(r"\d+\t", r)]
    arcs = sorted((k, a["dependent"], str(a["governor"]), a["dep"].replace("ROOT", "root"))
                  for k, x in enumerate(found) for a in x["basicDependencies"])
    k, expected = -1, []
    for r in rows:
        k += r[0] == "1"
        expected.append((k, int(r[0]), r[6], r[7]))
    check("arcs", arcs, expected)
    graph = sorted((k, a["dependent"], "%d:%s" % (a["governor"], a["dep"].replace("ROOT", "root")))
                   for k, x in enumerate(found) for a in x["enhancedDependencies"])
    check("enhanced arcs", graph, sorted((k, i, arc) for (k, i, _, _), r in zip(expected, rows)
                                         for arc in r[8].split("|")))
    check("the same graph", all(x["enhancedDependencies"] == x["enhancedPlusPlusDependencies"] for x in found))
    tokens = [t for x in found for t in x["tokens"]]
    check("lemmas and tags", [(t["word"], t["lemma"], t["pos"]) for t in tokens], [(r[1], r[2], r[4]) for r in rows])
    words = [t["originalText"] for t in tokens]
    units = TEXT.encode("utf-16-le")
    found = [units[2 * t["characterOffsetBegin"]:2 * t["characterOffsetEnd"]].decode("utf-16-le") for t in tokens]
    check("offsets in UTF-16", found, words)
    whole = "".join(t["before"] + t["originalText"] for t in tokens) + tokens[-1]["after"]
    check("the text from its tokens", whole, TEXT)
    code = json.loads(s.core(TEXT, {"tokenize.codepoint": "true", "annotators": "tokenize,ssplit"})[2])["sentences"]
    found = [TEXT[t["codepointOffsetBegin"]:t["codepointOffsetEnd"]] for x in code for t in x["tokens"]]
    check("offsets in code points", found, words)
    check("tokens alone", any("pos" in t or "parse" in x for x in code for t in x["tokens"]), False)
    line = json.loads(s.core("It rains.\n\nDogs bark. Cats do.", {"ssplit.eolonly": "true"})[2])["sentences"]
    check("given lines", [(x["line"], x["tokens"][0]["word"]) for x in line], [(1, "It"), (3, "Dogs")])
    one = json.loads(s.core("It rains. It pours.", {"ssplit.isOneSentence": "true"})[2])["sentences"]
    check("one sentence", len(one), 1)
    space = json.loads(s.core("can't he (go) ?", {"tokenize.whitespace": "true"})[2])["sentences"]
    check("given tokens", [t["word"] for t in space[0]["tokens"]], ["can't", "he", "(go)", "?"])
    check("an empty text", json.loads(s.core("")[2]), {"sentences": []})
    compact = s.core("It rains.", {"output.constituencyTree": "oneline", "output.prettyPrint": "false"})[2]
    check("one line, compact", compact.count(b"\n"), 0)
    conll = [r.split("\t") for r in s.core(TEXT, {"outputFormat": "conll"})[2].decode().splitlines() if r]
    check("CoNLL", [(r[1], r[2], r[3], r[5]) for r in conll], [(r[1], r[2], r[4], r[6]) for r in rows])


def best(s):
    """The best parses by CoreNLP's protocol are those of lal parse, as are the numbers that say how sure it is."""
    arguments = "-f", "json", "--kbest", "5", "--confidence", "--deps", "ud"
    expected = [json.loads(line) for line in lal("parse", *arguments, text=TEXT).splitlines()]
    asked = {"parse.kbest": "5", "confidence": "true", "output.constituencyTree": "oneline"}
    found = json.loads(s.core(TEXT, asked)[2])["sentences"]
    check("best trees", [[re.sub(r"^\(ROOT", "(TOP", b["parse"]) for b in x["kBest"]] for x in found],
          [[b["tree"] for b in x["kbest"]] for x in expected])
    check("best arcs", [[[a["governor"] - 1 for a in sorted(b["basicDependencies"], key=lambda a: a["dependent"])]
                         for b in x["kBest"]] for x in found], [[b["heads"] for b in x["kbest"]] for x in expected])
    check("scores", [[b["score"] for b in x["kBest"]] for x in found],
          [[b["score"] for b in x["kbest"]] for x in expected])
    check("shares", all(abs(a["p"] - b["p"]) < 1e-4 for x, y in zip(found, expected)
                        for a, b in zip(x["kBest"], y["kbest"])))
    for key in "p_tree", "expected_f1", "expected_las":
        check(key, [round(x["confidence"][key], 3) for x in found], [round(x["confidence"][key], 3) for x in expected])
    body = s.core(TEXT, dict(asked, outputFormat="serialized"))
    check("no place for it", body[1].get("lal-ignored"), "confidence")
    for x, message in zip(found, read_message(body[2][body[2].index(b"\x0a"):])[2]):
        f = [read_message(m) for m in read_message(message)[34]]
        check("scores fall", [t[5][0] for t in f], sorted((t[5][0] for t in f), reverse=True))
        first = {b["parse"]: b["score"] for b in reversed(x["kBest"])}
        check("each tree once", [(tree_of(m, []), round(t[5][0], 3)) for t, m in zip(f, read_message(message)[34])],
              list(dict.fromkeys((b["parse"], first[b["parse"]]) for b in x["kBest"])))
    conll = s.core(TEXT, {"parse.kbest": "5", "outputFormat": "conll"})
    check("CoNLL has one", (conll[1].get("lal-ignored"), conll[2]),
          ("parse.kbest", s.core(TEXT, {"outputFormat": "conll"})[2]))
    check("one is as none", s.core(TEXT, {"parse.kbest": "1"})[2], s.core(TEXT)[2])
    check("characters of all parses", s.core("x " * 1500, {"parse.kbest": "50"})[0], 413)


def read_message(data):
    """The fields of a protobuf message: {number: [values]}."""
    fields, at = {}, 0

    def varint():
        nonlocal at
        value = shift = 0
        while True:
            byte, at = data[at], at + 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value
    while at < len(data):
        key = varint()
        if key & 7 == 0:
            value = varint()
        elif key & 7 == 1:
            value, at = struct.unpack("<d", data[at:at + 8])[0], at + 8
        else:
            n = varint()
            value, at = data[at:at + n], at + n
        fields.setdefault(key >> 3, []).append(value)
    return fields


def tree_of(message, words):
    f = read_message(message)
    label = f[2][0].decode()
    if 1 not in f:
        words.append(label)
        return label.replace("(", "-LRB-").replace(")", "-RRB-")
    return "(%s %s)" % (label, " ".join(tree_of(c, words) for c in f[1]))


def protobuf(s):
    body = s.core(TEXT, "{'outputFormat': 'serialized', 'annotators': 'tokenize,ssplit,pos,lemma,parse'}")[2]
    expected = json.loads(s.core(TEXT, {"output.constituencyTree": "oneline"})[2])["sentences"]
    size = shift = at = 0
    while True:
        size |= (body[at] & 127) << shift
        at, shift = at + 1, shift + 7
        if body[at - 1] < 128:
            break
    check("the size before the document", size, len(body) - at)
    document = read_message(body[at:])
    check("its text", document[1][0].decode(), TEXT)
    for x, message in zip(expected, document[2]):
        f, words = read_message(message), []
        tokens = [read_message(t) for t in f[1]]
        found = [(t[1][0].decode(), t[2][0].decode(), t[10][0].decode(), t[11][0], t[12][0]) for t in tokens]
        names = "word", "pos", "lemma", "characterOffsetBegin", "characterOffsetEnd"
        check("tokens", found, [tuple(t[n] for n in names) for t in x["tokens"]])
        check("tree", tree_of(f[7][0], words), x["parse"])
        graph = read_message(f[8][0])
        edges = [read_message(m) for m in graph[2]]
        check("edges", sorted((e[2][0], e[1][0], e[3][0].decode()) for e in edges),
              sorted((a["dependent"], a["governor"], a["dep"]) for a in x["basicDependencies"] if a["governor"]))
        check("root", list(graph[3][0]), [a["dependent"] for a in x["basicDependencies"] if not a["governor"]])
        enhanced = [read_message(m) for m in read_message(f[17][0])[2]]
        check("enhanced edges", sorted((e[2][0], e[1][0], e[3][0].decode()) for e in enhanced),
              sorted((a["dependent"], a["governor"], a["dep"]) for a in x["enhancedDependencies"] if a["governor"]))
        check("enhanced++", f[18], f[17])
    check("sentences", len(document[2]), len(expected))


def text_and_xml(s):
    """The notations of lines have what JSON has, and are laid out as CoreNLP does it."""
    expected = json.loads(s.core(TEXT)[2])["sentences"]
    words = [(t["word"], t["lemma"], str(t["characterOffsetBegin"]), str(t["characterOffsetEnd"]), t["pos"])
             for x in expected for t in x["tokens"]]

    def arcs(x, kind):
        return [(a["dep"].lower(), a["governor"], a["dependent"]) for a in x[kind]]
    status, headers, body = s.core(TEXT, {"outputFormat": "xml"})
    check("XML", (status, headers["content-type"]), (200, "text/xml;charset=UTF-8"))
    sentences = xml.etree.ElementTree.fromstring(body).findall("document/sentences/sentence")
    check("words of XML", [tuple(t.findtext(n) for n in ("word", "lemma", "CharacterOffsetBegin", "CharacterOffsetEnd",
                           "POS")) for x in sentences for t in x.iter("token")], words)
    check("trees of XML", [x.findtext("parse") for x in sentences],
          [" ".join(x["parse"].split()) + " " for x in expected])
    for kind, name in ("basic", "basic"), ("enhanced-plus-plus", "enhancedPlusPlus"), ("collapsed", "enhanced"):
        found = [[(d.get("type"), int(d.find("governor").get("idx")), int(d.find("dependent").get("idx")))
                  for d in x.findall("dependencies[@type='%s-dependencies']/dep" % kind)] for x in sentences]
        check("arcs of XML: " + kind, found, [arcs(x, name + "Dependencies") for x in expected])
    found = s.core(TEXT, {"outputFormat": "text"})[2].decode()
    check("sentences of text", [int(n) for n in re.findall(r"^Sentence #\d+ \((\d+) tokens\):$", found, re.M)],
          [len(x["tokens"]) for x in expected])
    rows = re.findall(r"^\[Text=(.*) CharacterOffsetBegin=(\d+) CharacterOffsetEnd=(\d+) PartOfSpeech=(.*) "
                      r"Lemma=(.*)\]$", found, re.M)
    check("words of text", [(r[0], r[4], r[1], r[2], r[3]) for r in rows], words)
    check("trees of text", all("Constituency parse: \n%s\n\n\nDep" % x["parse"] in found for x in expected))
    rows = re.findall(r"^(\S+)\(.*-(\d+), .*-(\d+)\)$", found, re.M)
    check("arcs of text", [(a.lower(), int(g), int(d)) for a, g, d in rows],
          [a for x in expected for a in arcs(x, "enhancedPlusPlusDependencies")])


def as_message(fields):
    """A protobuf message of (number, whole number, text or bytes)."""
    def varint(n):
        return bytes([n & 127 | 128]) + varint(n >> 7) if n > 127 else bytes([n])
    out = b""
    for number, value in fields:
        value = value.encode() if isinstance(value, str) else value
        out += varint(number << 3 | (0 if isinstance(value, int) else 2))
        out += varint(value) if isinstance(value, int) else varint(len(value)) + value
    return out


class ClientTree:
    """What Stanza's client asks of a tree."""
    def __init__(self, label, children):
        self.label, self.children = label, children

    def leaf_labels(self):
        return [w for c in self.children for w in c.leaf_labels()] or [self.label]


def client_tree(brackets):
    stack = [[]]
    for part in re.findall(r"[()]|[^\s()]+", brackets):
        if part == "(":
            stack.append([])
        elif part == ")":
            label, *children = stack.pop()
            stack[-1].append(ClientTree(label.label, children))
        else:
            stack[-1].append(ClientTree(part, []))
    return stack[0][0]


def tree_message(tree):
    return as_message([(1, tree_message(c)) for c in tree.children] + [(2, tree.label)])


def as_document(text, sentences=(), trees=()):
    """A Document with its length before it; sentences of words, or of words with their places; trees in brackets."""
    tokens = [[(1, as_message([(1, t)] if isinstance(t, str) else [(1, t[0]), (11, t[1]), (12, t[2])])) for t in x]
              for x in sentences]
    for x, tree in zip(tokens, trees):
        x.append((7, tree_message(client_tree(tree))))
    return as_message([(0, as_message([(1, text)] + [(2, as_message(x)) for x in tokens]))])[1:]


def documents(s):
    """Documents that come with requests: the text, or the words, as they are."""
    asked = {"inputFormat": "serialized", "outputFormat": "json", "output.includeText": "true"}
    check("its text", s.core(as_document(TEXT), asked)[2], s.core(TEXT, {"output.includeText": "true"})[2])
    text = "I can't stay 😀in (New York)."
    words = [[("I", 0, 1), ("can't", 2, 7), ("stay", 8, 12), ("😀", 13, 15), ("in", 15, 17)],
             [("(", 18, 19), ("New York", 19, 27), (")", 27, 28), (".", 28, 29)]]
    found = json.loads(s.core(as_document(text, words), asked)[2])
    check("a text with words", found["text"], text)
    check("words and places", [[(t["word"], t["characterOffsetBegin"], t["characterOffsetEnd"]) for t in x["tokens"]]
                               for x in found["sentences"]], words)
    check("between them", [[t["after"] for t in x["tokens"]] for x in found["sentences"]],
          [[" ", " ", " ", "", " "], ["", "", "", ""]])
    plain = [["Dogs", "bark"], ["It", "rains", "."]]
    found = json.loads(s.core(as_document("", plain), asked)[2])
    check("words alone", (found["text"], [x["parse"].replace("\n ", "") for x in found["sentences"]]),
          ("Dogs bark It rains .", [x["parse"].replace("\n ", "") for x in json.loads(s.core(
              "Dogs bark\nIt rains .", {"tokenize.pretokenized": "true"})[2])["sentences"]]))
    tokens = json.loads(s.core(as_document("", plain), dict(asked, annotators="tokenize,ssplit"))[2])["sentences"]
    check("without a network", [[t["word"] for t in x["tokens"]] for x in tokens], plain)
    rows = s.core(as_document(text, words), dict(asked, outputFormat="conllu"))[2].decode()
    check("CoNLL-U", [r.split("\t")[1] for r in rows.splitlines() if re.match(r"\d", r)],
          [w[0] for x in words for w in x])
    check("its places", rows.count("SpaceAfter=No"), 4)
    again = s.core(as_document(text, words), dict(asked, outputFormat="serialized"))[2]
    check("a Document again", read_message(again[2:])[1][0].decode(), text)


# ---- searches

def values(answer, path):
    """The values of an answer of CoreNLP's searches; names have no order, and neither have matches of words."""
    for x in answer["sentences"] if path == "/tregex" else []:
        for match in x.values():
            match["namedNodes"].sort(key=str)
    if path == "/semgrex":
        return [sorted(map(str, x.values())) if isinstance(x, dict) else x for x in answer["sentences"]]
    return answer["sentences"]


def searches(s):
    """CoreNLP's searches as its server answered them: status and values, where the parse is that of its models; matches
    in its trees always."""
    recorded_texts, same, n = {}, set(), 0
    for line in open(os.path.join(ROOT, "tests/golden/service/searches.jsonl")):
        e = json.loads(line)
        if "text" in e:
            recorded_texts[e["text"]] = e["sentences"]
            found = json.loads(s.core(e["text"])[2])["sentences"]
            if [x["parse"] for x in found] == [x["parse"] for x in e["sentences"]]:
                same.add((e["text"], "/tregex"))
            if [sorted([a["dependent"], a["governor"], a["dep"]] for a in x["enhancedPlusPlusDependencies"])
                    for x in found] == [x["arcs"] for x in e["sentences"]]:
                same.add((e["text"], "/semgrex"))
            continue
        path, text = e["target"].split("?")[0], e["body"]
        status, headers, body = s.ask(e["target"], text, [("Content-Type", e["type"])], e["method"])
        expected = 501 if path == "/tokensregex" else 400 if e["status"] == 500 else e["status"]
        check(e["name"], (status, headers["content-type"].split(";")[0]),
              (expected, "application/json" if expected == 200 else "text/plain"))
        if expected != 200 or text not in recorded_texts:
            continue
        if (text, path) in same:
            check(e["name"] + ": values", values(json.loads(body), path), values(e["answer"], path))
        if path == "/tregex":
            of_text = recorded_texts[text]
            document = as_document(text, [x["tokens"] for x in of_text], [x["parse"] for x in of_text])
            target = e["target"] + "&inputFormat=serialized"
            body = s.ask(target, document, [("Content-Type", "application/x-protobuf")])[2]
            check(e["name"] + ": in its trees", values(json.loads(body), path), values(e["answer"], path))
            n += 1
    check("searches in trees", n, 15)


def inspect(s):
    """/v1/inspect is lal inspect; sentences with what is known of them are parsed under it."""
    head = [("Content-Type", "application/json")]

    def ask(path, body, **query):
        return s.ask(path + "?" + urllib.parse.urlencode(query), json.dumps(body), head)[::2]
    text = "The dog barked at the man with a hat. It rains."
    found = [json.loads(line) for line in ask("/v1/inspect", {"text": text})[1].splitlines()]
    for sentence, line in zip(found, lal("inspect", "--model", "small", "--what", "all", "--words", "--contrasts", "1",
                                         text=text).splitlines()):
        expected = json.loads(line)
        check("the tree of lal inspect", sentence["tree"], expected["tree"])
        check("its decisions", [(d["kind"], d["score"]) for d in sentence["decisions"]],
              [(d["kind"], d["score"]) for d in expected["decisions"]])
        check("they are complete", max(d["completeness_error"] for d in sentence["decisions"]) < 1e-4)
    words = text.replace(".", " .").split()[:10]
    page = json.loads(ask("/v1/inspect", {"tokens": [words]}, format="page", decision="phrase 4 9")[1])
    check("a page", (page["sentence"]["tokens"], len(page["overview"]["confidence"]) > 5), (words, True))
    arc = next(d for d in page["sentence"]["decisions"] if d["kind"] == "arc")
    about = "arc %d %d" % (arc["word"], arc["governor"])
    page = json.loads(ask("/v1/inspect", {"tokens": [words]}, format="page", decision=about)[1])
    check("the decision that was asked for has a contrast", [d["word"] for d in page["sentence"]["decisions"]
                                                             if d["kind"] == "arc" and "contrast" in d], [arc["word"]])
    tokens = [{"form": w} for w in words]
    for known, good in (({"constituents": [{"begin": 4, "end": 9, "label": "NP"}]},
                         lambda t: "(NP (NP (DT the) (NN man)) (PP" in t),
                        ({"not": [{"begin": 4, "end": 9}]},
                         lambda t: "(NP (DT the) (NN man)))" in t and "(NP (NP" not in t)):
        trees = [ask("/v1/parse", {"sentences": [{"tokens": tokens, **known}]}, format="brackets")[1].decode(),
                 json.loads(ask("/v1/inspect", {"sentences": [{"tokens": tokens, **known}]})[1])["tree"]]
        check("under %s: %s" % (known, trees), all(good(tree) for tree in trees))
    for body, said in (({"sentences": 1}, b"sentences: found a number, expected an array of objects"),
                       ({"sentences": [1]}, b"sentences: found a number, expected an object with tokens"),
                       ({"sentences": [{}]}, b'found no array "tokens"'),
                       ({"sentences": [], "text": "x"}, b"found 'sentences' beside 'text', expected one of them"),
                       ({"text": "x", "decision": "span"}, b"decision: found 'span', expected one such as")):
        status, answer = ask("/v1/inspect", body)
        check("refused: %s %s" % (body, answer), (status, said in answer), (400, True))
    check("no sentences of /v1/tokenize", ask("/v1/tokenize", {"sentences": []})[0], 400)


def search(s):
    """/v1/search is lal search; patterns that are wrong or take too long."""
    def ask(path, text, **query):
        return s.ask(path + "?" + urllib.parse.urlencode(query), text)[::2]
    text = "The dog that he saw can't bark at 😀 (the old cat).\n\nDogs bark. They see dogs, and dogs see them!\n"
    for options in ({"pattern": "NP=n < /^NN/=m"}, {"pattern": "/^(.)P$/#1%x << (__=y == /^%x/)"},
                    {"pattern": "{tag:/VB.*/}=v >nsubj=e {}=s"}, {"pattern": "{} >/nsubj.*/=e {}", "graph": "basic"},
                    {"pattern": "{word:DOGS}", "ignore_case": "true"},
                    {"pattern": "NP=n", "semgrex": "{}=v >obj {}=n"},
                    {"pattern": "NP=n", "where": "n.words > 1 and n.text ~ /dog/"},
                    {"pattern": "NP", "where": "match.p > 0.5"},
                    {"pattern": "__ >># NP", "heads": "SemanticHeadFinder"}, {"pattern": "XYZ"}):
        arguments = ["--tregex" if "semgrex" in options else "--", options["pattern"]]
        for name in "semgrex", "where", "graph", "heads":
            if name in options:
                arguments[:0] = ["--" + name, options[name]]
        if "ignore_case" in options:
            arguments[:0] = ["--ignore-case"]
        if "semgrex" in options:
            arguments.append("--")
        found = subprocess.run([LAL, "search", "-q", "--format", "json", "--model", "small", *arguments, "-"],
                               input=text.encode(), capture_output=True, timeout=120)
        check("lal search: %s" % found.stderr, found.returncode in (0, 1))
        check("/v1/search %s" % options, ask("/v1/search", text, **options), (200, found.stdout))
    body = json.dumps({"tokens": [["Dogs", "bark"], ["It", "rains"]], "pattern": "NP", "kind": "tregex"})
    words = s.ask("/v1/search", body, [("Content-Type", "application/json")])[2]
    check("tokens", [json.loads(line)["matches"][0]["text"] for line in words.splitlines()], ["Dogs", "It"])
    for query, status, said in (
            ({}, 400, b"pattern: found none"), ({"pattern": "NP < ("}, 400, b"pattern:1:7: found the end"),
            ({"pattern": "/(/"}, 400, b"pattern:1:"),
            ({"pattern": "NP", "where": "match.p <"}, 400, b"where:1:10: found"),
            ({"pattern": "NP", "heads": "none"}, 400, b"heads: found 'none'"),
            ({"pattern": "NP", "kind": "semgrex"}, 400, b"pattern:1:1: found"),
            ({"pattern": "(" * 300 + "NP"}, 400, b"pattern:1:201: found 201 brackets"),
            ({"pattern": "NP", "model": "none"}, 400, b"model: found 'none'")):
        found = ask("/v1/search", "It rains.", **query)
        check("%.60s" % query, (found[0], found[1][:len(said)]), (status, said))
    long = "The dog that the man saw barked and " * 30 + "ran away."
    began = time.monotonic()
    for path, query, status, said in (
            ("/tregex", {"pattern": "__ .. (__ .. (__ .. (__ < xyz)))"}, 408, b"Timeout: "),
            ("/semgrex", {"pattern": "{} .. ({} .. ({} .. ({} .. {word:xyz})))"}, 408, b"Timeout: "),
            ("/v1/search", {"pattern": "__ .. (__ .. (__ .. (__ < xyz)))"}, 408, b"Timeout: "),
            ("/v1/search", {"pattern": "__=a .. __=b"}, 413, b"found more than ")):
        found = ask(path, long, **query)
        check("%s %s" % (path, query), (found[0], found[1][:len(said)]), (status, said))
    word = "a" * 20000 + "! b c."
    check("a hostile regular expression", ask("/tregex", word, pattern="/^(a|a|aa)+$/")[0], 408)
    found = ask("/tregex", "The dog that he saw ran away from the house of the man. " * 300, timeout=3000,
                pattern="__ .. (__ .. (__ .. (__ .. (__ .. (__ < xyz)))))")  # in each sentence few steps
    check("the time of a request", (found[0] in (408, 500), b"too long" in found[1]), (True, True))
    check("the worker is there", ask("/v1/search", "It rains.", pattern="NP")[0], 200)
    check("in time", time.monotonic() - began < 60)
    for label, status in ("(", 400), ("a b", 400), ("X", 200):
        body = as_message([(0, as_message([(1, "x"), (2, as_message([(7, as_message([(2, label), (1, as_message(
            [(2, "x")]))]))]))]))])[1:]
        check("a tree of " + label, s.ask("/tregex?pattern=X&inputFormat=serialized", body)[0], status)
    deep = b"\x12\x01x"
    for _ in range(2000):
        deep = as_message([(2, "X"), (1, deep)])
    check("a deep tree", s.ask("/tregex?pattern=X&inputFormat=serialized", as_message([(0, as_message(
        [(2, as_message([(7, deep)]))]))])[1:])[0], 400)


def udpipe(s):
    def process(**parameters):
        return s.ask("/process", urllib.parse.urlencode(parameters), FORM)
    text = json.loads(process(data=TEXT, tokenizer="", tagger="", parser="")[2])["result"]
    check("raw text", text.split("\n", 2)[2].encode(), lal("parse", "-f", "conllu", text=TEXT))
    ranges = json.loads(process(data=TEXT, tokenizer="ranges", tagger="", parser="")[2])["result"]
    check("ranges", ranges.split("\n", 2)[2].encode(), lal("parse", "-f", "conllu", "--ranges", text=TEXT))
    rows = "# mine = 1\n1-2\tcan't\t_\t_\t_\t_\t_\t_\t_\tA=b\n" \
           "1\tca\t_\t_\tMD\t_\t_\t_\t_\tX=y\n2\tn't\t_\t_\tRB\t_\t_\t_\t_\t_\n\n"
    parsed = json.loads(process(data=rows, parser="")[2])["result"]
    for kept in "# mine = 1\n", "1-2\tcan't\t", "\tX=y\n":
        check("rows keep what they have", kept in parsed)
    check("and get an arc", re.search(r"1\tca\t_\t_\tMD\t_\t\d+\t[a-z:]+\t[^\t]+\tX=y", parsed) is not None)
    many = [json.loads(process(data=text, input="horizontal", tagger="", parser="")[2])["result"]
            for text in ("Dogs bark .\n\n\nWe run home .\n", "Dogs bark .", "We run home .\n\n", "\n\n")]
    bare = [re.sub("^#.*\n", "", text, flags=re.M) for text in many]
    check("sentences at once as one by one", bare[0], bare[1] + bare[2])
    check("their numbers", re.findall("# sent_id = (.*)", many[0]), ["1", "2"])
    check("no sentence", bare[3], "")
    vertical = json.loads(process(data="Dogs\nbark\n.\n\n\n\nWe\nrun\nhome\n.\n", input="vertical", tagger="",
                                  parser="")[2])["result"]
    check("words on lines of their own", vertical, many[0])
    check("a row of other columns", process(data="1\tx\n", parser="")[0], 400)
    for line in open(os.path.join(ROOT, "tests/golden/service/requests.jsonl")):
        e = json.loads(line)  # parts of a form: as its fields
        if not re.match(r"udpipe2_client-(?!models)", e["name"]):
            continue
        request = e["request"].encode("latin-1")
        parts = email.message_from_bytes(request[request.index(b"\r\n") + 2:]).get_payload()
        fields = {p.get_param("name", header="content-disposition"): p.get_payload(decode=True) for p in parts}
        check(e["name"] + ": as a form", process(**fields)[::2], s.exchange(request)[::2])


def udpipe2_client(s):
    """UDPipe's own client, unmodified, if it was put into build/clients: no package has it."""
    client = os.path.join(ROOT, "build/clients/udpipe2_client.py")
    if not os.path.exists(client):
        print("skipped: there is no build/clients/udpipe2_client.py (docs/SERVER.md)")
        return

    def run(*options, text="", status=0):
        ended = subprocess.run([sys.executable, client, "--service", "http://127.0.0.1:%d" % s.at[1], *options],
                               input=text.encode(), capture_output=True, timeout=60)
        check("udpipe2_client: exit status", ended.returncode, status)
        return ended.stdout.decode()
    check("udpipe2_client: models", run("--list_models").splitlines()[0], "english-lal-small")
    everything = "--tagger=", "--parser="
    found = run("--tokenizer=", *everything, text="It rains. Dogs bark.")
    check("udpipe2_client: raw text", found.split("\n", 2)[2].encode(),
          lal("parse", "-f", "conllu", text="It rains. Dogs bark."))
    head = "".join(found.splitlines(True)[:3])  # comments stay, as with UDPipe
    check("udpipe2_client: rows", run(*everything, text=found), head + found)
    for form, text in ("horizontal", "It rains .\nDogs bark .\n"), ("vertical", "It\nrains\n.\n\nDogs\nbark\n.\n"):
        rows = re.findall(r"^\d+\t.*\t", run("--input", form, *everything, text=text), re.M)
        check("udpipe2_client: " + form, rows, re.findall(r"^\d+\t.*\t", found, re.M))
    run("--model", "czech", text=found, status=1)


# ---- what is refused

def refused(s):
    for what, expected, request in (
            ("no such path", 404, s.ask("/nothing", "x")), ("a method", 405, s.ask("/", "x", method="PUT")),
            ("an annotator", 400, s.core("x", {"annotators": "ner"})),
            ("a format", 400, s.core("x", {"outputFormat": "tagged"})),
            ("a format of bodies", 400, s.core("x", {"inputFormat": "xml"})),
            ("no Document", 400, s.core("It rains.", {"inputFormat": "serialized"})),
            ("a map", 400, s.core("x", "{'a': 'b")), ("a language", 400, s.core("x", {"pipelineLanguage": "de"})),
            ("a parameter", 400, s.ask("/v1/parse?fromat=json", "x")),
            ("a value", 400, s.ask("/v1/parse?deps=all", "x")),
            ("a treebank", 400, s.ask("/v1/parse?treebank=none", "x")),
            ("a model", 400, s.ask("/v1/parse?model=none", "x")),
            ("too many parses", 400, s.ask("/v1/parse?kbest=101", "x")),
            ("parses that are no number", 400, s.core("x", {"parse.kbest": "many"})),
            ("a format without room", 400, s.ask("/v1/parse?format=brackets&confidence=true", "x")),
            ("ud and reasons", 400, s.ask("/v1/parse?deps=ud&why=true", "x")),
            ("no UTF-8", 400, s.ask("/", b"ab\xffc")), ("a NUL", 400, s.ask("/", b"ab\0c")),
            ("an encoding", 415, s.ask("/", b"x", [("Content-Type", "text/plain; charset=utf-16")])),
            ("too many characters", 413, s.ask("/v1/tokenize", "x " * 60000)),
            ("too many bytes", 413, s.ask("/", b"x" * 500000))):
        check(what + ": " + request[2].decode(errors="replace")[:100], request[0], expected)
        check(what + ": a message in text", request[1].get("content-type", "").startswith("text/plain"))
    for invalid, text in ("replace", "caf\ufffd \ufffd."), ("skip", "caf ."):
        for path in "/v1/parse", "/v1/tokenize":
            found = s.ask("%s?invalid=%s&format=json" % (path, invalid), b"caf\xe9 \0.")
            check("bytes that are no UTF-8, " + invalid, (found[1].get("lal-invalid"), json.loads(found[2])["text"]),
                  ("2; first=1:4", text.strip()))
    check("nothing to replace", "lal-invalid" not in s.ask("/v1/parse?invalid=replace", b"caf\xc3\xa9")[1])
    check("the place of a byte", b"byte 2" in s.ask("/", b"ab\xffc")[2])
    check("Latin 1", json.loads(s.ask("/", b"caf\xe9", [("Content-Type", "text/plain; charset=latin1")])[2])
          ["sentences"][0]["tokens"][0]["word"], "café")
    check("a form", json.loads(s.ask("/", "It+rains%21", FORM)[2])["sentences"][0]["tokens"][1]["word"], "rains")
    check("no form", json.loads(s.ask("/", "100 % of it", FORM)[2])["sentences"][0]["tokens"][1]["word"], "%")
    ignored = s.core("It rains.", {"tokenize.options": "americanize=true"})[1]
    check("what is ignored is named", ignored.get("lal-ignored"), "tokenize.options")
    twice = b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n%s\r\n\r\nabc"
    check("two lengths", s.exchange(twice % b"Content-Length: 4")[0], 400)
    check("a length and chunks", s.exchange(twice % b"Transfer-Encoding: chunked")[0], 400)
    check("no host", s.exchange(b"GET /live HTTP/1.1\r\n\r\n")[0], 400)
    check("HEAD", s.ask("/", method="HEAD")[0], 200)
    check("a request's number is kept", s.ask("/live", headers=[("X-Request-Id", "abc-1")])[1]["x-request-id"], "abc-1")


def malformed(s):
    """Recorded requests with some bytes changed: any answer or none, and the server stays."""
    draw = random.Random(7)
    all_of_them = [json.loads(line)["request"].encode("latin-1") for line in
                   open(os.path.join(ROOT, "tests/golden/service/requests.jsonl"))]
    n = int(os.environ.get("LAL_MALFORMED", "300"))

    def send(seed):
        mine = random.Random(seed)
        for _ in range(n // 10):
            request = bytearray(mine.choice(all_of_them))
            for _ in range(mine.randint(1, 6)):
                at = mine.randrange(len(request))
                kind = mine.randrange(4)
                if kind == 0:
                    request[at] = mine.randrange(256)
                elif kind == 1:
                    del request[at:at + mine.randint(1, 20)]
                elif kind == 2:
                    request[at:at] = bytes(mine.randrange(256) for _ in range(mine.randint(1, 8)))
                else:
                    request[at:at] = mine.choice([b"%", b"\r\n", b"\r\n\r\n", b"--", b"'", b"{", b"&", b";", b"="])
                if not request:
                    request = bytearray(b"x")
            with contextlib.suppress(OSError), s.connect(10) as c:
                c.sendall(request)
                c.shutdown(socket.SHUT_WR)
                while c.recv(65536):
                    pass
    threads = [threading.Thread(target=send, args=(draw.random(),)) for _ in range(10)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    check("alive after malformed requests", s.ask("/live")[2], b"live\n")


# ---- clients that are slow or leave

def leaving(s):
    whole = b"POST /v1/parse HTTP/1.1\r\nHost: x\r\nContent-Type: text/plain\r\nContent-Length: %d\r\n\r\n" % len(LONG)
    for sent in (whole[:10], whole[:-2], whole, whole + LONG.encode()[:1000], whole + LONG.encode()):
        with s.connect() as c:
            c.sendall(sent)
            if len(sent) > len(LONG):
                c.recv(1000)
    check("workers are free after clients have left", s.settles("lal_workers_busy", 0.0))
    check("connections, too", s.settles("lal_connections", 1.0))


def limits():
    with Server("--workers", "1", "--queue", "2", "--header-timeout", "1", "--body-timeout", "1", "--idle-timeout", "1",
                "--max-chars", "2000000") as s:
        for what, begin in (("a slow header", b"GET /li"),
                            ("a slow body", b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 50\r\n\r\nab")):
            with s.connect(30) as c:
                c.sendall(begin)
                with contextlib.suppress(OSError):
                    for _ in range(100):  # a byte now and then
                        time.sleep(0.1)
                        c.sendall(b"x")
                    check(what, "the connection stays", "it is closed")
        answers = []
        threads = [threading.Thread(target=lambda: answers.append(s.core(LONG, {"timeout": "3000"}))) for _ in range(6)]
        for t in threads:
            t.start()
        while s.metric("lal_queue_length") and len(answers) < 3:
            time.sleep(0.05)
        check("a live server", s.ask("/live")[2], b"live\n")
        for t in threads:
            t.join()
        statuses = sorted(a[0] for a in answers)
        check("requests that are too many", 503 in statuses, True)
        check("and those in time", set(statuses) <= {200, 500, 503})
        check("when to come again", [a[1].get("retry-after") for a in answers if a[0] == 503][:1], ["1"])
        status, _, body = s.core(LONG * 4, {"timeout": "50"})
        check("the end of its time", (status, body[:26]), (500, b"CoreNLP request timed out."))
        check("the work ends, too", s.settles("lal_workers_busy", 0.0))


# ---- signals, sockets, passwords

def signals():
    with Server("--workers", "2", "--log", "json") as s:
        answers = []
        stop = threading.Event()

        def ask():
            while not stop.is_set():
                try:
                    c = s.connect()
                except OSError:
                    return  # nobody listens any more
                with c:
                    try:
                        c.sendall(PLAIN % (9, b"It rains."))
                        answers.append(read_answer(c.makefile("rb"))[0])
                    except OSError:
                        answers.append(0)
        threads = [threading.Thread(target=ask) for _ in range(4)]
        for t in threads:
            t.start()
        while len(answers) < 40:
            time.sleep(0.01)
        s.process.terminate()
        s.process.wait(60)
        stop.set()
        for t in threads:
            t.join()
        logged = [json.loads(line) for line in s.lines()]
        check("every request that was taken was answered", sum(a in (200, 503) for a in answers) >=
              sum(x["status"] in (200, 503) and x["path"] == "/" for x in logged))
        check("nothing was lost while it ran", answers[:40], [200] * 40)
        check("no text in the log", "rains" in "".join(s.lines()), False)

    with tempfile.TemporaryDirectory() as folder:
        model = os.path.join(folder, "en-mine.lal")
        small = os.path.join(ROOT, "models/en-small.lal")

        def put(data):
            with open(model + ".new", "wb") as f:
                f.write(data)
            os.rename(model + ".new", model)
        good = open(small, "rb").read()
        put(good)
        with Server("--model", model) as s:
            for data, said in (b"no model", "the models stay"), (good, "loaded again"):
                put(data)
                s.process.send_signal(signal.SIGHUP)
                for _ in range(600):
                    if said in s.said():
                        break
                    time.sleep(0.05)
                check("SIGHUP: " + said, said in s.said())
                check("it still parses", s.core("It rains.")[0], 200)
            reloads(s, 1, 1)
            check("its name", list(json.loads(s.ask("/models")[2])["models"]), ["english-lal-mine"])
        password = os.path.join(folder, "password")
        with open(password, "w") as f:
            f.write("se:cret\n")
        where = "unix:" + os.path.join(folder, "socket")
        with Server("--user", "me", "--password-file", password, "--prefix", "/lal", "--cors", "*", where=where) as s:
            login = "Basic " + base64.b64encode(b"me:se:cret").decode()
            check("no password", s.ask("/lal/", "x")[0], 401)
            check("a wrong one", s.ask("/lal/", "x", [("Authorization", "Basic bWU6eA==")])[0], 401)
            check("the right one", s.ask("/lal/", "x", [("Authorization", login)])[0], 200)
            check("health without one", s.ask("/lal/ready")[2], b"ready\n")
            check("no prefix", s.ask("/ready", headers=[("Authorization", login)])[0], 404)
            check("a page of elsewhere", s.ask("/lal/", method="OPTIONS", headers=[("Authorization", login)])[1]
                  .get("access-control-allow-origin"), "*")
        check("the socket is gone", os.path.exists(where[5:]), False)


def nltk_client(s):
    try:
        from nltk.parse.corenlp import CoreNLPDependencyParser, CoreNLPParser
    except ImportError:
        print("skipped: there is no NLTK")
        return
    url = "http://127.0.0.1:%d" % s.at[1]
    tree = next(CoreNLPParser(url=url).raw_parse("The old river rose quickly."))
    check("NLTK: a tree", [tree.label(), tree.leaves()], ["ROOT", ["The", "old", "river", "rose", "quickly", "."]])
    check("NLTK: two sentences", len(list(CoreNLPParser(url=url).parse_text("It rains. Dogs bark."))), 2)
    graph, = next(CoreNLPDependencyParser(url=url).raw_parse("It rains.")),
    check("NLTK: arcs", [t[2][0] for t in graph.triples()], ["It", "."])
    check("NLTK: tags", CoreNLPParser(url=url, tagtype="pos").tag(["Dogs", "bark"]), [("Dogs", "NNS"), ("bark", "VBP")])


def packaged_clients(s):
    """Clients that ./setup --tests puts into build/clients, unmodified. Of stanza only stanza.server is imported: the
    package itself needs PyTorch."""
    folder = os.path.join(ROOT, "build/clients")
    if not os.path.isdir(folder):
        print("skipped: there is no build/clients (./setup --tests)")
        return
    sys.path.insert(0, folder)
    url, text = "http://127.0.0.1:%d" % s.at[1], "Dogs bark. It rains."
    from pycorenlp import StanfordCoreNLP
    found = StanfordCoreNLP(url).annotate(text, {"annotators": "tokenize,ssplit,pos,parse", "outputFormat": "json"})
    found = json.loads(found) if isinstance(found, str) else found  # as a text where Python is newer than 3.8
    check("pycorenlp: tags", [t["pos"] for x in found["sentences"] for t in x["tokens"]],
          ["NNS", "VBP", ".", "PRP", "VBZ", "."])
    from stanfordcorenlp import StanfordCoreNLP
    client = StanfordCoreNLP("http://127.0.0.1", port=s.at[1])
    check("stanfordcorenlp: a tree", " ".join(client.parse("Dogs bark.").split()),
          "(ROOT (S (NP (NNS Dogs)) (VP (VBP bark)) (. .)))")
    check("stanfordcorenlp: arcs", client.dependency_parse("Dogs bark.")[:2], [("ROOT", 0, 2), ("nsubj", 2, 1)])
    stanza = sys.modules["stanza"] = types.ModuleType("stanza")
    stanza.__path__ = [os.path.join(folder, "stanza")]
    from stanza.server.client import AnnotationException, CoreNLPClient, StartServer, TimeoutException
    client = CoreNLPClient(annotators="tokenize,ssplit,pos,lemma,parse,depparse", endpoint=url,
                           start_server=StartServer.DONT_START)
    check("stanza: text", client.annotate(text, output_format="text").count("Constituency parse"), 2)
    check("stanza: XML", client.annotate(text, output_format="xml").count("</sentence>"), 2)
    split = client.annotate(text, annotators="tokenize,ssplit")
    check("stanza: an update", [t.pos for x in client.update(split, annotators="pos").sentence for t in x.token],
          ["NNS", "VBP", ".", "PRP", "VBZ", "."])
    check("stanza: tregex", [[m["spanString"] for m in x.values()] for x in client.tregex(text, "NP")["sentences"]],
          [["Dogs"], ["It"]])
    check("stanza: semgrex", [(x["0"]["text"], x["0"]["$s"]["text"]) for x in client.semgrex(
        text, "{tag:/VB.*/} >nsubj {}=s")["sentences"]], [("bark", "Dogs"), ("rains", "It")])
    check("stanza: semgrex, words", [(m["text"], m["sentence"]) for m in client.semgrex(
        text, "{tag:/VB.*/}", to_words=True)], [("bark", 0), ("rains", 1)])
    check("stanza: semgrex, filter", client.semgrex(text, "{} >nsubj {word:It}", filter=True),
          {"sentences": [False, True]})
    tree = client_tree("(ROOT (S (NP (DT the) (NN dog)) (VP (VBZ barks))))")
    found = client.tregex(pattern="NP < NN=n", trees=[tree])["sentences"][0]["0"]
    check("stanza: trees", (found["match"], found["namedNodes"][0]["n"]["spanString"]),
          ("(NP (DT the) (NN dog))\n", "dog"))
    try:
        client.tregex("The dog that the man saw barked and " * 30 + "ran away.", "__ .. (__ .. (__ .. (__ < xyz)))")
        check("stanza: a time-out", False)
    except TimeoutException as e:
        check("stanza: a time-out", str(e)[:9], "Timeout: ")
    for ask, pattern, said in ((client.tregex, "NP < (", "pattern:1:7: "),
                               (client.tokensregex, "[]", "/tokensregex is not")):
        try:
            ask(text, pattern)
            check("stanza: an error", False)
        except AnnotationException as e:
            check("stanza: an error", str(e)[:len(said)], said)
    found = client.annotate(text)
    check("stanza: words", [[t.word for t in x.token] for x in found.sentence], [["Dogs", "bark", "."],
                                                                               ["It", "rains", "."]])
    check("stanza: lemmas", [t.lemma for t in found.sentence[0].token], ["dog", "bark", "."])
    check("stanza: a tree", [found.sentence[1].parseTree.value, found.sentence[1].parseTree.child[0].value],
          ["ROOT", "S"])
    check("stanza: arcs", [(x.dep, x.source, x.target) for x in found.sentence[0].basicDependencies.edge],
          [("nsubj", 2, 1), ("punct", 2, 3)])


def systemd():
    """The units pass systemd's check; its own tool hands a socket over, as lalparser.socket does."""
    if not shutil.which("systemd-socket-activate"):
        print("skipped: there is no systemd")
        return
    with tempfile.TemporaryDirectory() as folder, socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as notified:
        for name in "lalparser.service", "lalparser.socket":
            with open(os.path.join(ROOT, "examples", name)) as f, open(os.path.join(folder, name), "w") as to:
                to.write(f.read().replace("/usr/bin/lal", LAL))
        verify = subprocess.run(["systemd-analyze", "verify", "--man=no", *(os.path.join(folder, name) for name in
                                 ("lalparser.service", "lalparser.socket"))], capture_output=True, text=True)
        check("systemd-analyze verify", (verify.returncode, verify.stderr), (0, ""))
        at, states = os.path.join(folder, "socket"), os.path.join(folder, "notify")
        notified.bind(states)
        notified.settimeout(60)
        passed = [x for x in os.environ if re.fullmatch(r"LAL_\w+|LD_\w+|OPENBLAS_\w+|\w+SAN_OPTIONS", x)]
        passed += ["NOTIFY_SOCKET=" + states, "WATCHDOG_USEC=400000"]  # nothing else is
        server = subprocess.Popen(["systemd-socket-activate", *(part for x in passed for part in ("-E", x)), "-l", at,
                                   LAL, "serve", "--grace", "0"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        while not os.path.exists(at):
            time.sleep(0.01)
        with socket.socket(socket.AF_UNIX) as c:
            for _ in range(1000):  # it is bound before it listens
                with contextlib.suppress(ConnectionRefusedError):
                    c.connect(at)
                    break
                time.sleep(0.01)
            c.settimeout(60)
            c.sendall(PLAIN % (9, b"It rains."))  # starts the server
            status, _, body = read_answer(c.makefile("rb"))
        check("systemd: an answer", (status, b"rains" in body), (200, True))
        check("systemd: states", [notified.recv(100) for _ in range(3)], [b"READY=1", b"WATCHDOG=1", b"WATCHDOG=1"])
        server.send_signal(signal.SIGHUP)
        said = []
        while b"READY=1" not in said:
            said.append(notified.recv(100))
        check("systemd: a reload", b"RELOADING=1" in said)
        server.terminate()
        check("systemd: exit status", server.wait(60), 0)
        notified.setblocking(False)
        said = [b""]
        with contextlib.suppress(BlockingIOError):
            while True:
                said.append(notified.recv(100))
        check("systemd: its end", said[-1], b"STOPPING=1")
        check("systemd: the socket stays", os.path.exists(at))


# ---- JSON, models, what answers say of themselves

def json_bodies(s):
    """Over the wire; tests/unit/test_answers.c has the rest."""
    for kind in "application/json", "application/json; charset=UTF-8":
        body = json.dumps({"text": TEXT, "format": "json", "kbest": 3, "confidence": True})
        status, _, got = s.ask("/v1/parse", body, [("Content-Type", kind)])
        check(kind, (status, got), (200, lal("parse", "-f", "json", "--kbest", "3", "--confidence", text=TEXT)))
    head = [("Content-Type", "application/json")]
    check("tokens", s.ask("/v1/parse?format=brackets", json.dumps({"tokens": [["It", "rains"]]}), head)[2],
          lal("parse", "--pretokenized", text="It rains\n"))
    status, headers, got = s.ask("/v1/tokenize", json.dumps({"text": 5}), head)
    check("a wrong type", (status, headers["content-type"], got),
          (400, "text/plain;charset=UTF-8", b"body:1:10: text: found a number, expected a string"))
    check("too many characters", s.ask("/v1/parse", json.dumps({"text": "x " * 60000}), head)[0], 413)


def openapi(s):
    """The description names all paths, its references lead somewhere, parameters take what it says and nothing else,
    and answers are as it says."""
    status, headers, body = s.ask("/openapi.json")
    document = json.loads(body)
    check("openapi.json", (status, headers["content-type"], document["openapi"]), (200, "application/json", "3.1.0"))
    paths = document["paths"]
    expected = {p: {"get", "post"} for p in ("/", "/ping", "/live", "/ready", "/models", "/process", "/tokensregex",
                                             "/semgrex", "/tregex", "/scenegraph")}
    expected.update({"/metrics": {"get"}, "/openapi.json": {"get"}, "/v1/models": {"get"}, "/v1/parse": {"post"},
                     "/v1/inspect": {"post"}, "/v1/tokenize": {"post"}, "/v1/search": {"post"}})
    check("all paths and methods", {p: set(x) for p, x in paths.items()}, expected)
    operations = [o for x in paths.values() for o in x.values()]
    check("names of operations", len({o["operationId"] for o in operations}), len(operations))
    check("each says what it does", all(len(o["summary"]) > 8 for o in operations))

    def at(reference):
        found = document
        for part in reference[2:].split("/"):
            found = found[part]
        return found
    references = re.findall(r'"\$ref": "([^"]*)"', body.decode())
    check("references", len(references) > 20 and all(at(r) for r in references))
    tried = 0
    for path, text in (("/v1/parse", "It rains."), ("/v1/inspect", "It rains."), ("/v1/tokenize", "It rains."),
                       ("/v1/search", "It rains."),
                       ("/", "It rains."), ("/tregex", "It rains."), ("/process", None)):
        for p in paths[path]["post"]["parameters"]:
            schema, name = p["schema"], p["name"]
            least = str(schema.get("minimum"))
            values = {"boolean": ["true", "false"], "integer": [least, "2"]}.get(schema["type"], [])
            wrong = [str(int(schema["maximum"]) + 1), "x"] if schema["type"] == "integer" else []
            if name == "timeout":
                values = ["60000"]
            if "enum" in schema:
                values, wrong = schema["enum"], ["wrong"]
            for value in values + wrong:
                query = {name: value}
                body = b"\x03\x0a\x01x" if value == "serialized" and name == "inputFormat" else text
                if path in ("/tregex", "/v1/search"):
                    query["pattern"] = "{} < {}" if value == "semgrex" else "NP"
                if path == "/process":
                    query.update(data="1\tit\t_\t_\t_\t_\t_\t_\t_\t_\n\n")
                status = s.ask(path + "?" + urllib.parse.urlencode(query), body, method="POST")[0]
                check("%s?%s=%s" % (path, name, value), status, 200 if value in values else 400)
                tried += 1
    check("values that were tried", tried > 60)
    members = paths["/v1/parse"]["post"]["requestBody"]["content"]["application/json"]["schema"]["properties"]
    check("members of JSON are the parameters", [m for m in members if m not in ("text", "tokens", "sentences")],
          [p["name"] for p in paths["/v1/parse"]["post"]["parameters"]])
    try:
        import jsonschema
    except ImportError:
        print("skipped: there is no jsonschema")
        return
    for name, schema in document["components"]["schemas"].items():
        jsonschema.Draft202012Validator.check_schema(schema)
    for name, found in (("models", s.ask("/v1/models")[2]), ("udpipe_models", s.ask("/models")[2]),
                        ("corenlp", s.core(TEXT)[2]),
                        ("corenlp", s.core(TEXT, {"parse.kbest": 2, "confidence": True, "output.includeText": True,
                                                  "tokenize.codepoint": True, "ssplit.eolonly": True})[2]),
                        ("tregex", s.ask("/tregex?pattern=NP=n", TEXT)[2]),
                        ("semgrex", s.ask("/semgrex?pattern=%7B%7D=n", TEXT)[2]),
                        *(("found", line) for query in ("pattern=NP=n&semgrex=%7B%7D=v+%3Eobj=e+%7B%7D=n",
                                                        "pattern=/%5E(.)P/%231%25x=y")
                          for line in s.ask("/v1/search?" + query, TEXT)[2].splitlines()),
                        ("udpipe", s.ask("/process", "data=It+rains.&tokenizer=", FORM)[2]),
                        *(("sentence", line) for line in s.ask("/v1/parse?kbest=2&confidence=true",
                                                               TEXT)[2].splitlines()),
                        *(("sentence", line) for line in s.ask("/v1/tokenize", TEXT)[2].splitlines())):
        schema = {"$ref": "#/components/schemas/" + name, "components": document["components"]}
        errors = [e.message for e in jsonschema.Draft202012Validator(schema).iter_errors(json.loads(found))]
        check("an answer as described: " + name, errors, [])


def rules_of_a_user():
    with tempfile.NamedTemporaryFile("w") as rules:
        rules.write("abbreviation brouwn.\nbegin Article\n")
        rules.flush()
        with Server("--rules", rules.name) as s:
            text = b"By brouwn. Ann Article 5 holds."
            check("rules, /v1", [json.loads(line)["text"] for line in s.ask("/v1/tokenize?format=json", text)[2]
                                 .splitlines()], ["By brouwn. Ann", "Article 5 holds."])
            check("rules, CoreNLP", [t["word"] for t in json.loads(s.ask("/", text)[2])["sentences"][0]["tokens"]],
                  ["By", "brouwn.", "Ann"])


def openapi_of_other_options():
    """Defaults are those of the server, and who needs no password is said."""
    with tempfile.NamedTemporaryFile("w") as password:
        password.write("secret\n")
        password.flush()
        with Server("--newline", "paragraph", "--treebank", "ewt", "--max-chars", "500", "--prefix", "/lal", "--user",
                    "me", "--password-file", password.name) as s:
            login = [("Authorization", "Basic " + base64.b64encode(b"me:secret").decode())]
            check("openapi.json needs the password", s.ask("/lal/openapi.json")[0], 401)
            document = json.loads(s.ask("/lal/openapi.json", headers=login)[2])
    check("where it is", (document["servers"], document["security"]), ([{"url": "/lal"}], [{"basic": []}]))
    check("without a password", [p for p, x in document["paths"].items() if x["get" if "get" in x else "post"]
                                 .get("security") == []], ["/ping", "/live", "/ready"])
    parse = document["paths"]["/v1/parse"]["post"]
    defaults = {p["name"]: p["schema"].get("default") for p in parse["parameters"]}
    check("defaults", defaults, {"model": None, "newline": "paragraph", "markup": "auto", "invalid": "error",
                                 "hyphens": "model", "format": "json", "deps": "auto", "treebank": "ewt", "why": False,
                                 "pretokenized": False, "kbest": 0, "confidence": False})
    check("the longest text", parse["requestBody"]["content"]["text/plain"]["schema"]["maxLength"], 500)


def models_of_two_languages():
    small, zh = (os.path.join(ROOT, "models/%s.lal" % k) for k in ("en-small", "zh-base"))
    if not os.path.exists(zh):
        print("skipped: there is no models/zh-base.lal")
        return
    with Server("--model", small, "--model", zh) as s:
        found = json.loads(s.ask("/v1/models")[2])
        names = [m["name"] for m in found["models"]]
        check("names", names, ["en-small", "zh-base"])
        check("languages", [m["language"] for m in found["models"]], ["en", "zh"])
        check("terms", [bool(m["terms"]) for m in found["models"]], [True, True])
        digests = [re.search(rb'"lal.checksum": "([0-9a-f]{16})"', open(f, "rb").read(400))[1].decode()
                   for f in (small, zh)]
        check("digests", [m["digest"] for m in found["models"]], digests)
        says = ["%s; digest=%s" % both for both in zip(names, digests)]
        check("names of UDPipe", list(json.loads(s.ask("/models")[2])["models"]),
              ["english-lal-small", "chinese-lal-base"])
        text = "我爱北京。"
        for language, k in (("zh", 1), ("chinese", 1), ("Chinese", 1), ("en", 0), ("English", 0), ("default", 0),
                            ("", 0)):
            answer = s.core(text, {"pipelineLanguage": language})
            check("language " + language, (answer[0], answer[1].get("lal-model")), (200, says[k]))
        answer = s.ask("/?pipelineLanguage=zh&annotators=tokenize,ssplit", text)
        check("of the query, without a network", (answer[0], answer[1].get("lal-model")), (200, says[1]))
        for properties, said in (
                ({"pipelineLanguage": "de"}, b"pipelineLanguage: found 'de', expected the language of a model: en, zh"),
                ({"pipelineLanguage": "en", "model": "zh"},
                 b"pipelineLanguage: found 'en', expected the language of the model zh-base: zh")):
            check("a language without a model", s.core(text, properties)[::2], (400, said))
        for what, k, answer in (("parse", 1, s.ask("/v1/parse?model=zh", text)),
                                ("a JSON body", 1, s.ask("/v1/parse", json.dumps({"text": text, "model": "chinese"}),
                                                         [("Content-Type", "application/json")])),
                                ("tokenize", 0, s.ask("/v1/tokenize", text)),
                                ("UDPipe", 1, s.ask("/process?model=chinese&tokenizer=&tagger=", "data=x", FORM)),
                                ("a treebank it has not", 0, s.ask("/v1/parse?treebank=none", text))):
            check("which model: " + what, answer[1].get("lal-model"), says[k])
        check("no model answers", [s.ask(p, "x", [("Content-Type", "text/plain")])[1].get("lal-model")
                                   for p in ("/live", "/v1/parse?model=none")], [None, None])
        for name, digest, code in zip(names, digests, ("en", "zh")):
            check("metrics: " + name, s.metric('lal_model_info{model="%s",digest="%s",language="%s"}' %
                                               (name, digest, code)), 1.0)
        loaded = s.metric("lal_models_loaded_timestamp_seconds")
        check("when they were loaded", time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(loaded)), found["loaded"])
        check("no reload yet", (found["reloads"], s.metric('lal_reloads_total{result="loaded"}')), (0, 0.0))


def reloads(s, good, failed_ones):
    """After reloads: how many there were."""
    found = json.loads(s.ask("/v1/models")[2])
    check("reloads", (found["reloads"], s.metric('lal_reloads_total{result="loaded"}'),
                      s.metric('lal_reloads_total{result="failed"}')), (good, good, failed_ones))


def proxies():
    """Whose address the log has."""
    def ask(s, *forwarded):
        s.ask("/live", headers=[("X-Forwarded-For", f) for f in forwarded])
    with Server("--trusted-proxy", "127.0.0.0/8", "--trusted-proxy", "10.0.0.1", "--log", "json") as s:
        ask(s, "203.0.113.9")
        ask(s, "192.0.2.1, 203.0.113.8", "10.0.0.1")
        ask(s, "not an address")
        ask(s)
    check("a client of a trusted proxy", [json.loads(line)["address"] for line in s.lines()],
          ["203.0.113.9", "203.0.113.8", "127.0.0.1", "127.0.0.1"])
    with Server("--trusted-proxy", "unix") as s:
        ask(s, "203.0.113.9")
    check("no trusted proxy", [line.split()[1] for line in s.lines()], ["127.0.0.1"])
    with tempfile.TemporaryDirectory() as folder:
        with Server("--trusted-proxy", "unix", where="unix:" + os.path.join(folder, "socket")) as s:
            ask(s, "203.0.113.9")
            ask(s)
    check("a unix socket", [line.split()[1] for line in s.lines()], ["203.0.113.9", "-"])


def draining():
    """While the server stops, each answer ends its connection, so that clients go elsewhere."""
    with Server("--workers", "1", "--grace", "3") as s:
        kept = [s.connect() for _ in range(3)]
        for c in kept:
            c.sendall(b"GET /live HTTP/1.1\r\nHost: x\r\n\r\n")
            check("it stays", read_answer(c.makefile("rb"))[1].get("connection"), None)
        s.process.terminate()
        while s.ask("/ready")[0] == 200:
            time.sleep(0.01)
        requests = (b"GET /live HTTP/1.1\r\nHost: x\r\n\r\n", b"GET /nothing HTTP/1.1\r\nHost: x\r\n\r\n",
                    PLAIN.replace(b"/ ", b"/v1/parse ", 1) % (9, b"It rains."))
        for c, request, status in zip(kept, requests, (200, 404, 200)):
            with c:
                c.sendall(request)
                f = c.makefile("rb")
                answer = read_answer(f)
                check("it ends", (answer[0], answer[1].get("connection"), f.read().strip()),
                      (status, "close", b""))
        s.process.terminate()  # again: no more grace


def metrics(s):
    """Each line is a comment or a sample of a family whose # HELP and # TYPE stand before it, once each."""
    text, seen, now = s.ask("/metrics")[2].decode(), {}, None
    for line in text.splitlines():
        comment = re.fullmatch(r"# (HELP|TYPE) (\w+) (.+)", line)
        if comment and comment[1] == "HELP":
            check("HELP once: " + comment[2], comment[2] in seen, False)
            now, seen[comment[2]] = comment[2], None
            check("HELP says something: " + now, len(comment[3].split()) > 2)
        elif comment:
            check("TYPE after HELP: " + line, (comment[2], seen.get(now)), (now, None))
            seen[now] = comment[3]
        else:
            name = re.fullmatch(r'(\w+)(\{(\w+="([^"\\\n]|\\[\\"n])*",?)*\})? ([-+.e\d]+|\+Inf)', line)
            check("a sample: " + line, bool(name))
            family = re.sub(r"_(bucket|sum|count)$", "", name[1]) if seen[now] == "histogram" else name[1]
            check("of its family: " + line, family, now)
            check("a counter ends with _total: " + line, seen[now] == "counter", now.endswith("_total"))
    check("families", len(seen) > 12)


with Server("--workers", "2", "--max-chars", "100000") as server:
    for test in (recorded, like_lal_parse, core_json, protobuf, best, text_and_xml, documents, searches, inspect,
                 search, udpipe, refused, nltk_client, packaged_clients, udpipe2_client, json_bodies, openapi, metrics,
                 malformed):
        test(server)
with Server("--workers", "2", "--model", "small", "--ignore-annotators", "ner") as server:
    leaving(server)
    check("an annotator that is left out", server.core("x", {"annotators": "pos,ner"})[1].get("lal-ignored"), "ner")
rules_of_a_user()
openapi_of_other_options()
models_of_two_languages()
proxies()
draining()
limits()
signals()
systemd()
finish()
