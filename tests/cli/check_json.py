#!/usr/bin/env python3
"""check_json.py SCHEMA OUTPUT [INPUT]: checks each line of a file of `lal parse --format json`: against the JSON schema
(where python3-jsonschema is installed), and what a schema cannot say: offsets that give back the text, heads that form
a tree, constituents that are the phrases of the bracket string. INPUT is the text that was parsed. Prints the number of
sentences, and 'no schema' where the schema was not checked."""

import json
import re
import sys

try:
    import jsonschema
except ImportError:
    jsonschema = None


def check(condition, line, what):
    if not condition:
        sys.exit(f"sentence {line}: {what}")


def check_offsets(s, text, data):
    """Offsets in characters and bytes; text is the input, data its bytes."""
    check(text[s["begin"]:s["end"]] == s["text"], s["id"], "text is not input[begin:end]")
    at = s["begin"]
    for t in s["tokens"]:
        check(at <= t["begin"] < t["end"] <= s["end"], s["id"], "tokens are not in order")
        check(text[t["begin"]:t["end"]] == t["form"], s["id"], f"offsets of {t['form']}")
        check(data[t["bytes"][0]:t["bytes"][1]].decode() == t["form"], s["id"], f"bytes of {t['form']}")
        at = t["end"]


def check_members(s):
    """Members that are always there, or only with others."""
    together = [{"id", "line", "paragraph", "text", "tokens"}], [{"begin", "end"}, {"tree", "score", "constituents"}]
    of_tokens = [{"form"}], [{"begin", "end", "bytes"}, {"head", "type"}]
    for members, (always, groups) in [(s, together)] + [(t, of_tokens) for t in s["tokens"]]:
        for group in always:
            check(group <= members.keys(), s.get("id"), f"one of {group} is missing")
        for group in groups:
            check(not group & members.keys() or group <= members.keys(), s["id"], f"one of {group} is missing")


def check_heads(s):
    heads = [t["head"] for t in s["tokens"]]
    check(heads.count(-1) == 1, s["id"], "not one root")
    for k in range(len(heads)):
        seen = set()
        while k >= 0:
            check(k not in seen and k < len(heads), s["id"], "a cycle, or a head that is no token")
            seen.add(k)
            k = heads[k]


def phrases_of(tree):
    """(label, begin, end, parent) of the phrases in a bracket string, in pre-order without TOP, and its words."""
    phrases, stack, words = [], [], []
    for label, word in re.findall(r"\(([^ ()]*)(?: ([^ ()]+)\))?|\)", tree):
        if word:
            words.append(word)
        elif label:
            stack.append(len(phrases))
            phrases.append([label, len(words), None, stack[-2] if len(stack) > 1 else -1])
        else:
            phrases[stack.pop()][2] = len(words)
    return [(label, begin, end, parent - 1 if parent >= 0 else -1) for label, begin, end, parent in phrases[1:]], words


def check_tree(s):
    phrases, words = phrases_of(s["tree"])
    forms = [re.sub(r"\\$", "-U+005C-", t["form"].replace("(", "-LRB-").replace(")", "-RRB-")) for t in s["tokens"]]
    check(words == forms, s["id"], "words of the tree")
    mine = [(c["label"], c["begin"], c["end"], max(c["parent"], -1)) for c in s["constituents"]]
    check(mine == phrases, s["id"], "constituents are not the phrases of the tree")


def check_best(s):
    """Parses in the order of their scores, different, the first one that of the other members."""
    best = s["kbest"]
    seen = {json.dumps([b["tree"], b["heads"]]) for b in best}
    same = s.get("deps") == "UD v2"  # rules may make the same arcs of different ones
    check(same or len(seen) == len(best), s["id"], "two of the best parses are the same")
    check(all(a["score"] >= b["score"] for a, b in zip(best, best[1:])), s["id"], "the order of the best parses")
    check(sum(b.get("p", 0) for b in best) <= 1 + 1e-5, s["id"], "probabilities of parses")
    first = {k: s[k] for k in ("score", "tree")}
    check(first == {k: best[0][k] for k in first}, s["id"], "the first of the best parses")
    for name, of_tokens in ("heads", "head"), ("types", "type"):
        check(best[0][name] == [t[of_tokens] for t in s["tokens"]], s["id"], "arcs of the first of the best parses")
    for b in best:
        check(all(c.keys() == {"label", "begin", "end", "parent"} for c in b["constituents"]), s["id"], "phrases")
        tokens = [{**t, "head": h} for t, h in zip(s["tokens"], b["heads"], strict=True)]
        check_heads({**s, "tokens": tokens})
        check_tree({**s, **b})


def check_confidence(s):
    """No tree is more probable than its phrases are on the mean; the numbers agree with the best parses."""
    c = s["confidence"]
    if {"p_tree", "expected_f1"} <= c.keys():
        check(c["p_tree"] <= c["expected_f1"] + 1e-4 or s.get("pieces"), s["id"], "p_tree and expected_f1")
    best = s.get("kbest", [])
    check(("margin" in c) == (len(best) > 1), s["id"], "the margin of several parses")
    if "margin" in c:
        check(abs(c["margin"] - (best[0]["score"] - best[1]["score"])) < 2e-3, s["id"], "the margin")
    if best and "p" in best[0]:
        check(abs(c["p_tree"] - best[0]["p"]) < 1e-4, s["id"], "the probability of the best parse")


def main():
    schema = json.load(open(sys.argv[1], encoding="utf-8"))
    data = open(sys.argv[3], "rb").read() if len(sys.argv) > 3 else None
    if jsonschema:
        jsonschema.Draft202012Validator.check_schema(schema)
        validator = jsonschema.Draft202012Validator(schema)
    n = 0
    # splitlines ends lines at U+0085 and U+2028 too, which must therefore be escaped
    for line in open(sys.argv[2], encoding="utf-8", newline="").read().splitlines():
        s = json.loads(line)
        if jsonschema:
            validator.validate(s)
        check_members(s)
        if "begin" in s and data is not None:
            check_offsets(s, data.decode(), data)
        if s["tokens"] and "head" in s["tokens"][0]:
            check_heads(s)
        if "tree" in s:
            check_tree(s)
        if "kbest" in s:
            check_best(s)
        if "confidence" in s:
            check_confidence(s)
        n += 1
    print(n, "sentences" if jsonschema else "sentences, no schema")


main()
