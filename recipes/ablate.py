#!/usr/bin/env python3
"""ablate.py [OPTIONS] NAME|FILE: trains the variants of a plan with several seeds and compares them (docs/ABLATION.md).

Mean scores and deviations, differences to a reference, and their significance. NAME is a plan that comes with the
program. Data that are given as options replace those of the plan. Ctrl-C saves; the same command continues. The program
is LAL, or else the one that this file came with. Standard library only.
"""
import argparse
import difflib
import fcntl
import gzip
import hashlib
import json
import math
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unicodedata
from collections import namedtuple
from contextlib import contextmanager

HERE = os.path.dirname(os.path.realpath(__file__))
FAILED, USAGE, STOPPED = 1, 2, 75  # exit status, as that of lal
FIRST_PASS = "first-pass"  # the folder of parses of the training data
SEEDS_MOST = 32  # lal eval compares 64 files at most
SECTIONS = ("model", "train", "encoder_options")

# What a plan of a task has. unit: what is scored; losses: terms of the task's own loss in a log; metrics: key, title
# and digits for people; preset: of a base that names none.
Task = namedtuple("Task", "unit data losses metrics preset", defaults=(None,))
DOCUMENTS = "train dev test pretrained vectors"
WORDS = "train dev test vectors input newline markup hyphens replace replace_power"
ACCURACY, NLL = ("accuracy", "accuracy", 2), ("nll", "nll", 4)
TASKS = {
    "parse": Task("sentence", "train train_deps dev dev_deps test test_deps name dev_name test_name pretrained vectors",
                  "span arc type tag", [("f1", "F1", 2), ("uas", "UAS", 2), ("las", "LAS", 2)]),
    "classify": Task("sentence", "train dev test train_classes dev_classes test_classes pretrained vectors", "class",
                     [ACCURACY]),
    "classes": Task("document", DOCUMENTS, "class", [ACCURACY]),
    "summary": Task("document", DOCUMENTS, "class",
                    [("rouge1", "ROUGE-1", 2), ("rouge2", "ROUGE-2", 2), ("rouge_lsum", "ROUGE-Lsum", 2)]),
    "segments": Task("document", DOCUMENTS, "class",
                     [("f1", "F1", 2), ("p_k", "P_k", 2), ("window_diff", "WindowDiff", 2)]),
    "detect": Task("sentence", WORDS, "replaced", [ACCURACY, NLL]),
    "mask": Task("sentence", WORDS + " most_words", "masked", [ACCURACY, NLL]),
    "translate": Task("pair", "train target dev dev_target test test_target", "nll", [("bleu", "BLEU", 2), NLL],
                      "translate"),
}
UNPRUNED = ("detect", "mask")  # their models are parts of others, which lal model prune cannot compare
DATA_KEYS = list(dict.fromkeys(key for task in TASKS.values() for key in task.data.split()))
PLAN_KEYS = "about task base data seeds variants reference resamples max_hours equal_updates first_pass".split()
CONFIG_KEYS = "about preset model train encoder_options start_from heads_of prune".split()
UPDATES_KEYS = "epochs max_updates batch_size stop_after mix questions max_train_words".split()


class Failure(Exception):
    """What ends the program, with its exit status. line: of json_lines, where lal train has refused a configuration."""

    def __init__(self, message, status=FAILED, line=None):
        super().__init__(message)
        self.status, self.line = status, line


def say(text, end="\n"):
    """Replaces what was said with the end "", on a terminal, whose state no character can change."""
    clear = "\r\033[K" if sys.stderr.isatty() else ""
    text = re.sub(r"[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]", lambda m: f"<U+{ord(m[0]):04X}>",
                  text)
    print(clear + text, end=end if clear else "\n", file=sys.stderr, flush=True)


def near(name, names):
    found = difflib.get_close_matches(name, names, 1)
    return f"; did you mean '{found[0]}'?" if found else ""


def text_of(value):
    return value if isinstance(value, str) else ""


# ---- JSON whose values have places

class Text:
    """The JSON value of a file. places: of the path of each value where its key, if it has one, and where it begins."""

    TOKEN = re.compile(r'[{}\[\]:,]|"(?:[^"\\\x00-\x1f]|\\.)*"|true|false|null|-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?|.?',
                       re.S)
    BLANK = re.compile(r"[ \t\r\n]*")

    def __init__(self, path, text):
        self.path, self.text, self.at, self.places, self.twice = path, text.removeprefix("\ufeff"), 0, {}, {}
        self.value = self.read(())
        self.take([""], "the end")

    def error(self, at, message):
        column = at - self.text.rfind("\n", 0, at)
        return Failure(f"{self.path}:{self.text.count(chr(10), 0, at) + 1}:{column}: {message}", USAGE)

    def peek(self):
        self.at = self.BLANK.match(self.text, self.at).end()
        return self.TOKEN.match(self.text, self.at).group()

    def take(self, wanted, expected):
        token = self.peek()
        if token not in wanted:
            self.wrong(expected)
        self.at += len(token)
        return token

    def wrong(self, expected):
        end = self.at == len(self.text)
        found = "the end, expected more JSON" if end else f"'{self.text[self.at]}', expected {expected}"
        raise self.error(self.at, "found " + found)

    def scalar(self, token):
        try:
            value = json.loads(token)
        except ValueError:
            self.wrong("JSON")
        self.at += len(token)
        return value

    def read(self, path, key=None):
        token = self.peek()
        self.places[path] = self.at if key is None else key, self.at
        if len(path) > 100:
            self.wrong("values less deep inside one another")
        if token not in ("{", "["):
            return self.scalar(token)
        self.at += 1
        out, close = ({}, "}") if token == "{" else ([], "]")
        more = self.peek() != close
        while more:
            name, key = len(out), None
            if close == "}":
                token, key = self.peek(), self.at
                if not token.startswith('"'):
                    self.wrong("JSON")
                name = self.scalar(token)
                self.take(":", "':'")
                if name in out:
                    self.twice[path + (name,)] = key
            value = self.read(path + (name,), key)
            out.update({name: value}) if close == "}" else out.append(value)
            if self.peek() == close:
                break
            self.take(",", f"',' or '{close}'")
        self.take(close, f"'{close}'")
        return out


def read_file(path):
    try:
        with open(path, "rb") as f:
            data = f.read()
        return (gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data).decode("utf-8")
    except (OSError, EOFError) as e:
        raise Failure(f"{path}: cannot open: {getattr(e, 'strerror', None) or e}") from None
    except UnicodeDecodeError:
        raise Failure(f"{path}: found a text that is not UTF-8", USAGE) from None


def merge(target, patch):
    """A JSON merge patch (RFC 7396)."""
    if not isinstance(patch, dict):
        return patch
    out = dict(target) if isinstance(target, dict) else {}
    for key, value in patch.items():
        if value is None:
            out.pop(key, None)
        else:
            out[key] = merge(out.get(key), value)
    return out


def json_lines(value, path=()):
    """JSON with each key and each value on a line of its own: text, path of the value, and whether it is its key."""
    if not isinstance(value, (dict, list)):
        yield json.dumps(value), path, False
        return
    items = value.items() if isinstance(value, dict) else enumerate(value)
    yield "{" if isinstance(value, dict) else "[", path, False
    for k, (name, x) in enumerate(items):
        if k:
            yield ",", path, False
        if isinstance(value, dict):
            yield json.dumps(name) + ":", path + (name,), True
        yield from json_lines(x, path + (name,))
    yield "}" if isinstance(value, dict) else "]", path, False


# ---- the program

class Lal:
    """Runs lal. A signal ends the command that runs, and then the work."""

    def __init__(self, args):
        beside = [os.path.normpath(os.path.join(HERE, path)) for path in ("../build/lal", "../../../bin/lal")]
        self.path = os.environ.get("LAL") or next((path for path in beside if os.access(path, os.X_OK)), "lal")
        self.machine = ["--threads", str(args.threads), "--device", args.device]
        self.child, self.stopped = None, False
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, self.stop)

    def stop(self, number, _):
        self.stopped = True
        signal.signal(number, signal.SIG_DFL)
        if self.child:
            self.child.send_signal(signal.SIGTERM)

    def run(self, *words, watch=lambda: None):
        """Status, output, and messages or the error of a command; watch is called every second."""
        try:
            self.child = subprocess.Popen([self.path, *words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                          stderr=subprocess.PIPE, text=True)
        except OSError as e:
            raise Failure(f"{self.path}: cannot run: {e.strerror}; LAL names the program") from None
        said = None
        while said is None:
            try:
                out, said = self.child.communicate(timeout=1)
            except subprocess.TimeoutExpired:
                watch()
        status, self.child = self.child.returncode, None
        if status:  # the last line, but for the hint at lal help
            lines = [line for line in said.splitlines() if not line.startswith("lal help ")] or ["lal failed"]
            said = re.sub(r"^lal (train|model \w+|eval): ", "", lines[-1])
        return status, out, said

    def ask(self, *words):
        """Output and messages of a command that must succeed."""
        status, out, said = self.run(*words)
        if status < 0 or self.stopped:
            raise Failure("stopped", STOPPED)
        if status:
            raise Failure(said, status)
        return out, said

    def model_info(self, path):
        return json.loads(self.ask("model", "info", "--model", path, "--format", "json")[0])


# ---- plans

class Variant:
    """A configuration. merged: as it is given to lal train; config: with all options, as lal train --check says; asked:
    what that was asked, with something in place of what other runs will make."""

    def __init__(self, name, patch, merged):
        self.name, self.patch, self.merged = name, patch, merged
        self.start_from, self.heads_of = merged.get("start_from"), merged.get("heads_of")
        self.prune = merged.get("prune", False)

    def needs(self, plan):
        """Names of the variants whose models it begins with or reads, or None."""
        return [self.start_from, self.heads_of, plan.first_pass if self.first_pass else None]

    def file(self, **syntax):
        """What lal train reads; syntax: members of that section that are known now."""
        out = {key: self.merged[key] for key in SECTIONS if key in self.merged}
        return merge(out, {"encoder_options": {"syntax": syntax}}) if syntax else out


class Plan:
    """A plan, of which everything is checked but the data."""

    def __init__(self, path, given, lal, folder):
        self.lal, self.folder = lal, folder
        self.source = Text(path, read_file(path))
        plan = self.source.value
        self.need(isinstance(plan, dict), (), "expected an object")
        self.need_names(plan, (), PLAN_KEYS, 'unknown key "%s", expected one of ' + "|".join(PLAN_KEYS))
        self.need("variants" in plan, (), 'found no "variants", expected them')
        self.need(isinstance(plan.get("about", ""), str), ("about",), "about: expected a string")
        self.equal_updates = plan.get("equal_updates", True)
        self.need(isinstance(self.equal_updates, bool), ("equal_updates",), "equal_updates: expected true or false")
        self.task_name = text_of(plan.get("task", "parse"))
        self.need(self.task_name in TASKS, ("task",), f'task: found "{self.task_name}", expected {"|".join(TASKS)}' +
                  near(self.task_name, TASKS))
        self.task = TASKS[self.task_name]
        self.read_numbers(plan)
        self.read_data(plan.get("data", {}), given)
        self.read_sums()
        self.check_variant_names(plan["variants"])
        self.read_folds(plan)
        self.read_variants(plan)
        self.reference = plan.get("reference", next(iter(self.variants)))
        self.need_variant(("reference",), self.reference, "reference")
        self.check_first_pass()
        self.order = self.find_order()

    def need(self, holds, path, message):
        """An error at the key of a value, unless it holds."""
        if not holds:
            raise self.source.error(self.source.places[path][0], message)

    def need_names(self, members, path, names, message):
        for key in members:
            if key not in names:
                self.need(False, path + (key,), message % key + near(key, names))

    def need_variant(self, path, name, of):
        name = text_of(name)
        if name not in self.variants:
            self.need(False, path, f'{of}: found "{name}", expected the name of a variant{near(name, self.variants)}')

    # -- single keys

    def whole(self, path, value, low, high):
        """A whole number."""
        name = ": ".join(key for key in path if isinstance(key, str))
        self.need(type(value) in (int, float) and low <= value <= high and value == int(value), path,
                  f"{name}: expected a whole number from {low} to {high}")
        return int(value)

    def read_numbers(self, plan):
        seeds = plan.get("seeds", [1])
        self.need(isinstance(seeds, list) and 1 <= len(seeds) <= SEEDS_MOST, ("seeds",),
                  f"seeds: expected an array of 1 to {SEEDS_MOST} whole numbers")
        self.seeds = []
        for k, seed in enumerate(seeds):
            self.seeds.append(self.whole(("seeds", k), seed, 0, 10 ** 15))
            self.need(self.seeds[k] not in self.seeds[:k], ("seeds", k), f"seeds: found {seed} twice")
        self.resamples = self.whole(("resamples",), plan.get("resamples", 10000), 1, 10 ** 8)
        hours = plan.get("max_hours")
        self.need(hours is None or (type(hours) in (int, float) and hours > 0), ("max_hours",),
                  "max_hours: expected a number above 0, or null for no limit")
        self.max_hours = hours or 0

    def read_data(self, data, given):
        """The files, of the plan or the command line, as lists of strings."""
        keys, self.data = self.task.data.split(), {}
        self.need(isinstance(data, dict), ("data",), "data: expected an object")
        for key, value in data.items():
            self.need(key in keys or key not in DATA_KEYS, ("data", key), f'data: found "{key}" in a plan of the task '
                      f'{self.task_name}, expected {"|".join(keys)}')
            self.need_names([key], ("data",), keys, 'data: unknown key "%s"')
            self.need(isinstance(value, (str, list)), ("data", key), "data: expected an array of strings")
            self.data[key] = [value] if isinstance(value, str) else value
            for k, x in enumerate(self.data[key]):
                self.need(isinstance(x, str), ("data", key, k), f"data: {key}: expected a string")
        for key, value in given.items():
            if key not in keys:
                raise Failure(f'{self.source.path}: found data "{key}" and the task {self.task_name}, which has '
                              f'{"|".join(keys)}', USAGE)
            self.data[key] = value

    def read_sums(self):
        """What tells one pretrained encoder, or one file of word vectors, from another."""
        self.sums = []
        for key, what in (("pretrained", "pretrained encoders"), ("vectors", "files of word vectors")):
            files = self.data.get(key, [])
            if len(files) > 1:
                raise Failure(f"found {len(files)} {what}, expected one", USAGE)
            for path in files:
                self.sums.append(self.lal.model_info(path)["checksum"] if key == "pretrained" else
                                 hashlib.sha256(read_file(path).encode()).hexdigest()[:16])

    def check_variant_names(self, variants):
        self.need(isinstance(variants, dict) and variants, ("variants",),
                  "variants: expected an object of names and merge patches")
        for name, patch in variants.items():
            path = ("variants", name)
            self.need(re.fullmatch(r"(?!\.)[^/\x00-\x20\x7f]{1,60}", name) and name != FIRST_PASS, path,
                      f'variants: found the name "{name}", expected 1 to 60 characters without blanks and /, the first '
                      f"of them not a period, other than {FIRST_PASS}")
            self.need(isinstance(patch, dict), path, f"variants: {name}: expected an object")
            if path in self.source.twice:
                raise self.source.error(self.source.twice[path], f'variants: found the name "{name}" twice')

    def read_folds(self, plan):
        path, value = ("first_pass",), plan.get("first_pass")
        self.first_pass, self.folds = None, 0
        if "first_pass" not in plan:
            return
        self.need(self.task_name == "parse", path, f"first_pass: found the task {self.task_name}, expected parse")
        members = value if isinstance(value, dict) else {}
        self.need_names(members, path, ["variant", "folds"],
                        'first_pass: unknown key "%s", expected one of variant|folds')
        self.need(len(members) == 2, path, 'first_pass: expected {"variant": NAME, "folds": N}')
        self.folds = self.whole(path + ("folds",), value["folds"], 2, 100)
        self.first_pass = value["variant"]

    def check_first_pass(self):
        if not self.folds:
            return
        self.need_variant(("first_pass", "variant"), self.first_pass, "first_pass")
        v = self.variants[self.first_pass]
        self.need(not any(v.needs(self)), ("first_pass",),
                  f"first_pass: {v.name} needs the model of another variant, expected one that does not")
        self.need(v.plain, ("first_pass",), f"first_pass: {v.name} has encoder options, expected a plain variant")

    # -- configurations

    def check(self, config, words=(), task=None):
        """What lal train --check says of a configuration, and its warnings."""
        lines, path = list(json_lines(config)), os.path.join(self.folder, "config.json")
        write_file(path, "".join(text + "\n" for text, _, _ in lines))
        status, out, said = self.lal.run("train", "--check", "--task", task or self.task_name, "--preset", path, *words)
        if status == 0:
            return json.loads(out), said
        placed = re.match(re.escape(path) + r":(?:(\d+):\d+:)? (.*)", said)
        line = placed and placed.group(1) and lines[int(placed.group(1)) - 1]
        raise Failure(placed.group(2) if placed else said, status, line)

    def read_variants(self, plan):
        base = self.read_base(plan)
        self.variants = {}
        for name, patch in plan["variants"].items():
            path = ("variants", name)
            self.check_keys(name, patch, path)
            self.need(patch.get("preset") is None, path + ("preset",),
                      f"{name}: found a preset, expected it in the base")
            v = self.variants[name] = Variant(name, patch, merge(base, patch))
            self.need(isinstance(v.prune, bool), self.origin(name, ("prune",)),
                      f"{name}: prune: expected true or false")
            self.read_config(v)
            self.check_config(v, base)
        for v in self.variants.values():
            for key, other in (("start_from", v.start_from), ("heads_of", v.heads_of)):
                if other is not None:
                    self.need_variant(("variants", v.name, key), other, f"{v.name}: {key}")

    def read_base(self, plan):
        """The configuration that variants change, with all options that its preset, or lal train, has."""
        base, path = plan.get("base", {}), ("base",)
        self.need(isinstance(base, (str, dict)), path, "base: expected the name of a preset or an object")
        named = isinstance(base, str) or "preset" in base
        preset = base if isinstance(base, str) else base.get("preset", self.task.preset)
        path = path if isinstance(base, str) else ("base", "preset") if named else ()
        self.need(not named or isinstance(preset, str), path, "base: expected the name of a preset")
        self.defaults = start = self.check({}, task="parse")[0]
        if preset is not None:
            status, out, said = self.lal.run("train", "--check", "--preset", preset)
            said = re.sub(r"^--preset: found '(.*)', expected a built-in preset \(.*?\)",
                          r'found the preset "\1", expected a built-in one', said)
            self.need(status == 0, path, "base: " + said)
            start = json.loads(out)
        start = {key: start[key] for key in SECTIONS}
        if isinstance(base, str):
            return start
        self.check_keys("base", base, ("base",))
        for key in ("heads_of", "start_from"):
            self.need(base.get(key) is None, ("base", key), f"base: found {key}, expected it in a variant")
        return merge(start, {key: value for key, value in base.items() if key != "preset"})

    def check_keys(self, name, members, path):
        members = {key: value for key, value in members.items() if value is not None}
        self.need_names(members, path, CONFIG_KEYS,
                        f'{name}: unknown key "%s", expected one of {"|".join(CONFIG_KEYS)}')
        for key in SECTIONS:
            self.need(isinstance(members.get(key, {}), dict), path + (key,), f"{name}: {key}: expected an object")
        self.need(members.get("train", {}).get("seed") is None, path + ("train", "seed"),
                  f'{name}: train: found a seed, expected "seeds"')

    def origin(self, variant, path):
        """The path in the plan of a value of a merged configuration; of a preset's, that of its section or variant."""
        for root in (("variants", variant), ("base",)):
            if root + path in self.source.places:
                return root + path
        return self.origin(variant, path[:1]) if len(path) > 1 else ("variants", variant)

    def read_config(self, v):
        """Asks lal train for all options."""
        options = v.merged.get("encoder_options", {})
        syntax, gates = options.get("syntax", {}), options.get("gates", {})
        awaits = self.folds and isinstance(syntax, dict) and not syntax.get("model") and not syntax.get("train_file")
        counts = v.heads_of is not None and isinstance(gates, dict) and gates.get("kind") == "constant" and \
            not gates.get("constant")
        config = v.file(model=FIRST_PASS, train_file=FIRST_PASS) if awaits else v.file()
        if counts:
            config = merge(config, {"encoder_options": {"gates": {"kind": "hard_concrete"}}})
        starts = ["--start-from", "model.lal"] if v.start_from is not None or counts else []
        v.asked = config, starts + self.options(["pretrained"])
        try:
            found, v.warnings = self.check(*v.asked)
        except Failure as e:
            raise self.config_error(v, e, str(e)) from None
        v.config = {key: found[key] for key in SECTIONS}
        v.oracle, v.plain, v.first_pass = found["oracle"], found["plain"], bool(awaits) and found["first_pass"]
        options = v.config["encoder_options"]
        if counts:
            options["gates"].update(kind="constant", start_from=None)
        if awaits and not v.first_pass:  # a run that reads no parses is the same in a plan without a first pass
            options["syntax"].update(model=None, train_file=None)

    def config_error(self, v, e, message):
        """What lal train says, with its place in the plan."""
        if e.line:
            _, path, is_key = e.line
            at = self.origin(v.name, path)
            name = "base" if at[0] == "base" and "unknown key" in message else v.name
            return self.source.error(self.source.places[at][not is_key], f"{name}: {message}")
        key, name = re.search(r'"(\w+)"', message), v.name
        section = next((x for x in SECTIONS[:2] if key and key.group(1) in v.merged.get(x, {})), None)
        at = self.origin(name, (section, key.group(1)) if section else ("model" if e.status == FAILED else "train",))
        if section and at[0] == "base":
            name = "base"
        section = section or ("model" if e.status == FAILED else "train")
        return self.source.error(self.source.places[at][0], f"{name}: {section}: {message}")

    def check_config(self, v, base):
        gated = v.config["encoder_options"]["gates"]["kind"] != "none"
        at = self.origin(v.name, ("prune",))
        self.need(gated or not v.prune, at, f"{v.name}: prune: expected gates")
        self.need(self.task_name not in UNPRUNED or not v.prune, at,
                  f"{v.name}: prune: found the task {self.task_name}, expected another one")
        if not self.equal_updates or v.start_from is not None:
            return
        train, unless = v.config["train"], ': the runs have equal updates, unless the plan has "equal_updates": false'
        self.need(not train["stop_after"], self.origin(v.name, ("train", "stop_after")),
                  f'{v.name}: train: stop_after is {train["stop_after"]}, expected 0{unless}')
        for key in UPDATES_KEYS:
            was = base.get("train", {}).get(key, self.defaults["train"][key])
            self.need(train[key] == was, self.origin(v.name, ("train", key)), f"{v.name}: train: {key} is "
                      f"{json.dumps(train[key])}, but {json.dumps(was)} in the base{unless}")

    def find_order(self):
        """The variants, each after those it needs."""
        order, left = [], list(self.variants.values())
        while left:
            before = len(order)
            for v in left:
                if all(name is None or name in order for name in v.needs(self)):
                    order.append(v.name)
            self.need(len(order) > before, ("variants", left[0].name),
                      f"{left[0].name}: needs the model of a variant that needs its own model")
            left = [v for v in left if v.name not in order]
        return order

    # -- data

    def options(self, keys):
        return [word for key in keys for x in self.data.get(key, []) for word in ("--" + key.replace("_", "-"), x)]

    def data_options(self, test=False):
        """The options of lal train for the data; test is read as dev is."""
        unread = ("pretrained", "vectors", "dev" if test else "test")
        words = self.options(key for key in self.task.data.split() if not key.startswith(unread))
        return [re.sub("^--test", "--dev", word) for word in words] if test else words

    def has(self, data):
        return bool(self.data.get(data) or self.data.get(data + "_deps"))

    def read_units(self):
        """Hashes and numbers of units of the data, of train, dev and test; notes are printed."""
        for key, what in (("train", "no training files"), ("dev", "no dev files, on which models are chosen")):
            if not self.has(key):
                deps = f" and --{key}-deps" if self.task_name == "parse" else ""
                raise Failure(f"found {what}, expected them in the plan's data or as --{key}{deps}", USAGE)
        v = self.variants[self.reference]
        config, words = v.asked
        found, notes = self.check(config, words + self.data_options())
        replace = found.get("replace")
        self.replace = "%(rate).9g %(power).9g %(most_words)d" % replace if replace else ""
        self.train, self.dev, self.test = found["data"]["train"], found["data"]["dev"], {"hash": "", "sentences": 0}
        if self.has("test"):
            try:
                self.test = self.check(config, words + self.data_options(True))[0]["data"]["dev"]
            except Failure as e:
                raise Failure(str(e).replace("--dev", "--test"), e.status) from None
        for line in notes.splitlines():
            if line not in v.warnings:
                say(line)


# ---- files

def write_file(path, text):
    """Replaces a file as a whole."""
    with open(path + ".tmp", "w", encoding="utf-8") as f:
        f.write(text)
    os.replace(path + ".tmp", path)


def write_json(path, value):
    write_file(path, json.dumps(value, ensure_ascii=False) + "\n")


def read_json(path):
    """The value of a file, None if there is none."""
    return Text(path, read_file(path)).value if os.path.exists(path) else None


def remove(*paths):
    for path in paths:
        if os.path.exists(path):
            os.remove(path)


def make_folder(path):
    try:
        os.mkdir(path)
    except FileExistsError:
        pass
    except OSError as e:
        raise Failure(f"{path}: cannot make the folder: {e.strerror}") from None


@contextmanager
def locked(folder):
    """One process at a time works in a folder, as with lal (docs/FORMATS.md)."""
    path = os.path.join(folder, ".lal-lock")
    while True:
        lock = open(path, "a+", encoding="utf-8")
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            lock.seek(0)
            raise Failure(f"{folder}: found another process that writes here ({lock.read().strip()}), expected one at "
                          "a time") from None
        if os.path.exists(path) and os.path.samestat(os.fstat(lock.fileno()), os.stat(path)):
            break
        lock.close()  # the process that had it has removed the file
    lock.truncate(0)
    lock.write(f"process {os.getpid()} on {socket.gethostname()}, since {time.strftime('%Y-%m-%d %H:%M:%S')}\n")
    lock.flush()
    try:
        yield
    finally:
        os.remove(path)
        lock.close()


# ---- runs

class Run:
    """What is known of a variant with a seed. state: "missing", "failed" or "finished"; rows: the counts of the units
    of dev and test, after a row of names."""

    def __init__(self, variant, seed, folder):
        self.variant, self.seed, self.folder = variant, seed, folder
        self.state, self.failed, self.rho, self.model = "missing", "", None, None
        self.seconds, self.scoring, self.scores, self.rows = 0, 0, {}, {}

    def path(self, name):
        return os.path.join(self.folder, name)

    def read_trained(self):
        """What training left, if it has ended."""
        found = read_json(self.path("trained.json"))
        if found is None:
            return False
        self.failed, self.seconds, self.updates = found["failed"], found["seconds"], found["updates"]
        self.speed = found.get("sentences_per_s")
        if self.speed is None and self.seconds > 0:
            self.speed = found["sentences"] / self.seconds
        self.early_loss, self.loss = found["early_loss"], found["loss"]
        self.state = "failed" if self.failed else "missing"
        return True

    def write_trained(self, terms, failed):
        """Reads the log: each line has the mean losses of the updates since the line before it."""
        log = read_file(self.path("log.jsonl")) if os.path.exists(self.path("log.jsonl")) else ""
        checks = [json.loads(line) for line in log.splitlines()]
        last = checks[-1] if checks else {"updates": 0, "seconds": 0, "sentences_per_s": 0}
        before = early = every = fifth = 0
        for check in checks:
            weight = check["updates"] - before
            if weight <= 0:  # a part that was trained again
                continue
            loss = weight * sum(check["loss"].get(term) or 0 for term in terms)
            every += loss
            if before < last["updates"] / 5:  # a line that begins in the first fifth counts up to its end
                early += loss
                fifth += weight
            before = check["updates"]
        write_json(self.path("trained.json"), {
            "failed": failed, "seconds": last["seconds"], "updates": last["updates"],
            "sentences_per_s": last["sentences_per_s"], "early_loss": early / fifth if fifth else 0,
            "loss": every / last["updates"] if last["updates"] else 0})
        self.read_trained()

    def read_scores(self, scored, sizes):
        """Were dev and this test data scored? Then their counts are read."""
        found = read_json(self.path("scores.json"))
        if found is None or found["test_data"] != scored:
            return False
        self.model, self.rho, self.scoring = found["model"], found["rho"], found["seconds"]
        self.self_heads, self.label_heads = found["self_heads"], found["label_heads"]
        self.read_rows(sizes)
        self.state = "finished"
        return True

    def read_rows(self, sizes):
        path, at = self.path("sentences.tsv"), 0
        header, *lines = read_file(path).splitlines() or [""]
        begins = [(name, f"{name}\t{k + 1}\t") for name in sizes for k in range(sizes[name])]
        self.rows = {name: [header.removeprefix("set\tsentence\t")] for name in sizes}
        good = header.startswith("set\tsentence\t") and len(lines) == len(begins)
        while good and at < len(lines):
            name, begin = begins[at]
            good = lines[at].startswith(begin) and lines[at].count("\t") == header.count("\t")
            self.rows[name].append(lines[at][len(begin):])
            at += good
        if not good:
            raise Failure(f"{path}:{at + 1}: found something else, expected the counts of {len(begins)} sentences")

    def write_rows(self, folder, name):
        """A file of the counts of dev or test, for lal eval."""
        path = os.path.join(folder, f"{hashlib.sha256(self.folder.encode()).hexdigest()}.{name}.tsv")
        write_file(path, "".join(row + "\n" for row in self.rows[name]))
        return path


class Runs:
    """The runs of a plan, in the folder `out`."""

    def __init__(self, plan, args):
        self.plan, self.args, self.lal, self.out = plan, args, plan.lal, args.out
        self.runs = {(name, seed): Run(v, seed, os.path.join(args.out, name, f"seed-{seed}"))
                     for name, v in plan.variants.items() for seed in plan.seeds}
        self.sizes = {"dev": plan.dev["sentences"], "test": plan.test["sentences"]}
        self.max_hours = args.max_hours or plan.max_hours
        self.began, self.number, self.out_of_time, self.folded = time.monotonic(), 0, False, False
        self.rhos, self.remade = {}, set()

    def say(self, text):
        if not self.args.quiet:
            say(text)

    def stopped(self, where="", status=STOPPED):
        return Failure(f"stopped{where}; the same command continues: ablate.py {self.args.plan} --out {self.out}",
                       status)

    def needs(self, run):
        """The runs of the same seed that this one needs."""
        return [name and self.runs[name, run.seed] for name in run.variant.needs(self.plan)]

    def waits(self, run):
        return any(other and other.state != "finished" for other in self.needs(run))

    # -- what there is to do

    def record(self, variant, seed, models):
        """What a run is made from."""
        plan, config = self.plan, variant.config
        return {**config, "train": {**config["train"], "seed": seed}, "train_data": plan.train["hash"],
                "dev_data": plan.dev["hash"], "folds": plan.folds if variant.first_pass else 0, "task": plan.task_name,
                "replace": plan.replace, "models": models + plan.sums}

    def change(self, saved, now, variant):
        """What differs from the record of a run. An option that it lacks had its default."""
        unread = ["constant"] if variant.heads_of else []  # comes from a model, which is compared
        changes = [text for x in SECTIONS
                   for text in changed_options(x, saved.get(x), self.plan.defaults[x], now[x], unread)]
        defaults = {"folds": 0, "task": "parse", "replace": ""}
        for key, what in (("train_data", "the training data"), ("dev_data", "the dev data"),
                          ("folds", "the number of folds"), ("task", "the task"),
                          ("replace", "how words are replaced")):
            if saved.get(key, defaults.get(key)) != now[key]:
                changes.append(what + " changed")
        was, is_now = ([model for model in x.get("models", []) if model] for x in (saved, now))
        if was != is_now:
            changes.append("a model that it needs changed")
        return "; ".join(changes)

    def scored(self, run):
        """What scores depend on besides the model."""
        return self.plan.test["hash"] + (" pruned" if run.variant.prune else "")

    def examine(self, run):
        """Reads what the folder has. What is to do, "wait", "train", "continue", "score" or None; why a run is trained
        again; and its record."""
        run.__init__(run.variant, run.seed, run.folder)
        if self.waits(run):
            return "wait", "", None
        record = self.record(run.variant, run.seed, [other and other.model for other in self.needs(run)])
        saved = read_json(run.path("run.json"))
        why = self.change(saved, record, run.variant) if saved else ""
        if not saved or why:
            return "train", why, record
        if not run.read_trained():
            return "continue" if os.path.exists(run.path("train.ckpt")) else "train", "", record
        if self.args.run:
            remove(run.path("train.ckpt"))  # a process that was killed may have left it
        if run.state == "failed":
            return None, "", record
        if run.read_scores(self.scored(run), self.sizes):
            self.read_scores(run)
            return None, "", record
        if os.path.exists(run.path("model.lal")):
            return "score", "", record
        return "train", "other test data, and its model was removed", record

    def is_late(self):
        """Would a run end after max_hours, by the mean time of those that are finished?"""
        times = [run.seconds + run.scoring for run in self.runs.values() if run.state == "finished"]
        passed = time.monotonic() - self.began
        return bool(self.max_hours and times and passed + sum(times) / len(times) > 3600 * self.max_hours)

    # -- training

    def watch(self, name, log):
        """Shows now and then how far training is."""
        shown, every = [time.monotonic()], 1 if sys.stderr.isatty() else float(os.environ.get("LAL_PROGRESS") or 60)

        def show():
            if self.args.quiet or time.monotonic() - shown[0] < every or not os.path.exists(log):
                return
            shown[0] = time.monotonic()
            epoch = [json.loads(line)["epoch"] for line in read_file(log).splitlines()[-1:]]
            say(f"{name} (run {self.number} of {len(self.runs)}), epoch {sum(epoch):.2f}", end="")

        return show

    def train(self, words, name, log):
        """Runs lal train. What it says of a number that is not finite is returned, other errors end the plan."""
        plan = self.plan
        status, _, said = self.lal.run("train", "--quiet", "--task", plan.task_name, *plan.data_options(), *words,
                                       *plan.options(["vectors"]), *self.lal.machine, "--stop-at-step",
                                       str(self.args.stop_at_step), watch=self.watch(name, log))
        update = re.match(r"stopped( after update \d+| in fold)", said if status else "")
        if update or self.lal.stopped or status < 0:
            after = "," + update.group(1) if update and "update" in update.group(1) else ""
            raise self.stopped(f" in {name}{after}", STOPPED if self.lal.stopped or status != FAILED else FAILED)
        if status and "finite" not in said:
            raise Failure(said, status)
        return said if status else ""

    def write_config(self, run, folder, test=False):
        """The configuration of a run, with what it gets from other runs of its seed."""
        v, syntax = run.variant, {}
        if v.first_pass:
            syntax = {"model": self.runs[self.plan.first_pass, run.seed].path("model.lal"),
                      "train_file": os.path.join(self.out, FIRST_PASS, "train.jsonl")}
        if test:
            syntax["dev_file"] = v.config["encoder_options"]["syntax"]["test_file"]
        config = v.file(**syntax)
        if v.heads_of:
            heads = self.lal.model_info(self.runs[v.heads_of, run.seed].path("model.lal"))["open_heads"]
            config = merge(config, {"encoder_options": {"gates": {"constant": heads["gated"]}}})
        path = os.path.join(folder, "config.json")
        write_json(path, config)
        return path

    def train_run(self, run, work, record):
        make_folder(os.path.dirname(run.folder))
        make_folder(run.folder)
        if work == "train":
            files = "scores.json sentences.tsv trained.json train.ckpt log.jsonl model.lal pruned.lal".split()
            remove(*map(run.path, files))  # the log would be appended to
            write_json(run.path("run.json"), record)
        words = ["--preset", self.write_config(run, run.folder), "--seed", str(run.seed), "--out",
                 run.path("model.lal"), "--checkpoint", run.path("train.ckpt"), "--log", run.path("log.jsonl")]
        if run.variant.start_from:
            words += ["--start-from", self.runs[run.variant.start_from, run.seed].path("model.lal")]
        else:
            words += self.plan.options(["pretrained"])  # a model to begin with has its encoder
        if work == "continue":
            words += ["--resume", run.path("train.ckpt")]
        failed = self.train(words, f"{run.variant.name}, seed {run.seed}", run.path("log.jsonl"))
        run.write_trained(self.plan.task.losses.split(), failed)
        remove(run.path("train.ckpt"))

    def make_first_pass(self):
        """Parses each training sentence by a model that has not learnt from it (lal train --folds)."""
        plan, folder = self.plan, os.path.join(self.out, FIRST_PASS)
        variant, seed, path = plan.variants[plan.first_pass], plan.seeds[0], os.path.join(folder, "train.jsonl")
        record = {**self.record(variant, seed, []), "folds": plan.folds}
        saved = read_json(os.path.join(folder, "run.json"))
        if not saved or self.change(saved, record, variant):
            shutil.rmtree(folder, ignore_errors=True)
            make_folder(folder)
            write_json(os.path.join(folder, "run.json"), record)
        if not os.path.exists(path):
            self.say(f"run {self.number} of {len(self.runs)}: {FIRST_PASS}, {plan.folds} folds")
            words = ["--preset", self.write_config(Run(variant, seed, folder), folder), "--seed", str(max(seed - 1, 0)),
                     "--folds", str(plan.folds), "--fold-parses", path, *plan.options(["pretrained"])]
            failed = self.train(words, FIRST_PASS, "")
            if failed:
                raise Failure("the first pass failed: " + failed)
        self.folded = True

    # -- scoring

    def score(self, run):
        """Scores the model of a run, or what pruning leaves of it, on dev and test."""
        plan, path, lines = self.plan, run.path("model.lal"), []
        checksum = self.lal.model_info(path)["checksum"]
        if run.variant.prune:
            path = self.prune(run)
        for name in (name for name in self.sizes if self.sizes[name]):
            test = name == "test"
            out, said = self.lal.ask("train", "--score", path, "--task", plan.task_name, "--preset",
                                     self.write_config(run, plan.folder, test), *plan.data_options(test),
                                     *self.lal.machine)
            run.scoring += float(re.search(r"scored in ([\d.]+) s", said).group(1))
            header, *rows = out.splitlines()
            lines += [f"{name}\t{k + 1}\t{row}\n" for k, row in enumerate(rows)]
        write_file(run.path("sentences.tsv"), f"set\tsentence\t{header}\n" + "".join(lines))
        run.read_rows(self.sizes)
        self.read_scores(run)
        heads = self.lal.model_info(path)["open_heads"]
        write_json(run.path("scores.json"), {
            "test_data": self.scored(run), "model": checksum, "self_heads": heads["self"],
            "label_heads": heads["label"], "rho": self.rho(run.variant), "seconds": run.scoring,
            **{name: {"sentences": self.sizes[name], **scores} for name, scores in run.scores.items()}})
        run.read_scores(self.scored(run), self.sizes)

    def prune(self, run):
        files = []
        for option, key in (("--gold", "dev"), ("--gold-deps", "dev_deps"), ("--gold-classes", "dev_classes"),
                            ("--gold-target", "dev_target")):
            given = self.plan.data.get(key, ["none"])[0]
            files += [option, given] if given != "none" else []
        self.lal.ask("model", "prune", "--quiet", "--model", run.path("model.lal"), "--out", run.path("pruned.lal"),
                     *files, *self.lal.machine)
        return run.path("pruned.lal")

    def rho(self, variant):
        """The sparsity of the masks of a variant, the same for all seeds; None without masks."""
        if variant.name not in self.rhos:
            heads = variant.config["encoder_options"]["heads"]
            masked = any(head["stack"] == "self" and head["use"] != "guide" for head in heads)
            config, words = variant.asked
            self.rhos[variant.name] = self.plan.check(config, words + self.plan.data_options())[0]["data"]["rho"] \
                if masked else None
        return self.rhos[variant.name]

    def read_scores(self, run):
        """Computes the scores of the counts."""
        for name in (name for name in self.sizes if self.sizes[name]):
            path = run.write_rows(self.plan.folder, name)
            try:
                found = json.loads(self.lal.ask("eval", "--measure", "counts", "--format", "json", "--pred", path)[0])
            except Failure as e:
                said = str(e).removeprefix(path + ":")
                raise Failure(f"{run.path('sentences.tsv')}, {name}: {said}", e.status) from None
            run.scores[name] = {key: found[key] for key, _, _ in self.plan.task.metrics}

    # -- all runs

    def tell_end(self, run):
        texts = [f"{'ORACLE ' if run.variant.oracle else ''}{run.variant.name}, seed {run.seed}"]
        for data, scores in run.scores.items():
            known = [f"{title} {scores[key]:.{digits}f}" for key, title, digits in self.plan.task.metrics
                     if scores[key] is not None]
            texts += [data + " " + ", ".join(known)] if known else []
        minutes = run.seconds / 60
        took = f"{run.seconds:.0f} s" if minutes < 1.5 else f"{minutes:.0f} min" if minutes < 90 else \
            "%d h %d min" % divmod(int(minutes), 60)
        self.say(", ".join(texts) + (f" failed: {run.failed}" if run.failed else f", trained in {took}"))

    def visit(self, run):
        """Makes a run, unless it is there."""
        work, why, record = self.examine(run)
        if work in (None, "wait"):
            return
        self.out_of_time = self.is_late()
        if self.out_of_time:
            return
        if run.variant.first_pass and work != "score" and not self.folded:
            self.make_first_pass()
        reason = why + ": trained again" if why else {"continue": "continued", "score": "scored only"}.get(work)
        self.say(f"run {self.number} of {len(self.runs)}: {run.variant.name}, seed {run.seed}" +
                 (": " + reason if reason else ""))
        if work != "score":
            self.train_run(run, work, record)
        if not run.failed:
            self.score(run)
        self.tell_end(run)
        self.remade.add(run)

    def make(self):
        """Examines all runs, then makes those that are missing, seed by seed."""
        order = [self.runs[name, seed] for seed in self.plan.seeds for name in self.plan.order]
        for run in order:
            self.examine(run)
        for self.number, run in enumerate(order if self.args.run else [], 1):
            if self.lal.stopped:
                raise self.stopped()
            if run.state == "missing" or any(other in self.remade for other in self.needs(run)):
                self.visit(run)
            if self.out_of_time:
                break


def changed_options(section, saved, defaults, now, unread):
    """The options that are not what was saved, or else the default; of objects, their members."""
    saved, defaults = saved or {}, defaults or {}
    for key, value in now.items():
        was = saved.get(key, defaults.get(key))
        if isinstance(value, dict):
            yield from changed_options(f"{section}.{key}", saved.get(key), defaults.get(key), value, unread)
        elif was != value and key not in unread:
            texts = json.dumps(was), json.dumps(value)
            yield f"{section}.{key} " + ("changed" if sum(map(len, texts)) > 80 else "was %s, is %s" % texts)


# ---- the table

class Mean:
    """Of the values that are known; the deviation divides by n - 1."""

    def __init__(self, values):
        values = [x for x in values if x is not None]
        self.n, self.deviation = len(values), 0.0
        self.mean = sum(x / self.n for x in values)
        if self.n > 1:
            self.deviation = math.sqrt(sum((x - self.mean) ** 2 for x in values) / (self.n - 1))

    def text(self, digits, alone=False):
        if not self.n:
            return "-"
        text = f"{self.mean:.{digits}f}" if self.mean < 1e6 else f"{self.mean:.2e}"
        return text + f" ± {self.deviation:.{digits}f}" if self.n > 1 and not alone else text


Difference = namedtuple("Difference", "difference p holm")


class Row:
    """A variant in the table. against: key of a metric, its difference to the reference."""

    def __init__(self, variant, runs, metrics):
        done = [run for run in runs if run.state == "finished"]
        self.name, self.oracle, self.seeds, self.against = variant.name, variant.oracle, len(done), {}
        self.shown = ("ORACLE " if variant.oracle else "") + variant.name
        self.score = {(data, key): Mean([run.scores.get(data, {}).get(key) for run in done])
                      for data in ("dev", "test") for key, _, _ in metrics}
        self.self_heads, self.label_heads = (
            math.floor(sum(getattr(run, name) for run in done) / max(len(done), 1) + 0.5)
            for name in ("self_heads", "label_heads"))
        self.rho, self.updates, self.early_loss, self.loss, self.seconds, self.training_speed = (
            Mean([getattr(run, name) for run in done])
            for name in ("rho", "updates", "early_loss", "loss", "seconds", "speed"))
        self.speed = Mean([sum(len(rows) - 1 for rows in run.rows.values()) / run.scoring if run.scoring > 0 else None
                           for run in done])


def holm(ps):
    """Holm's step-down correction; equal values have one corrected value, the first."""
    largest, out = 0, {}
    for k, p in enumerate(sorted(ps)):
        largest = max(largest, min(1, (len(ps) - k) * p))
        out.setdefault(p, largest)
    return [out[p] for p in ps]


def pad(text, width):
    """A column: the text, two blanks, and more up to the width."""
    columns = sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)
    return text + "  " + " " * (width - columns - 2)


class Table:
    """Scores of the variants, and how they differ from the reference: on test, or without test data on dev."""

    def __init__(self, runs):
        self.all, self.plan, self.metrics = runs, runs.plan, runs.plan.task.metrics
        self.on = "test" if runs.sizes["test"] else "dev"
        self.rows = [Row(v, self.runs_of(v.name), self.metrics) for v in self.plan.variants.values()]
        for row in self.rows:
            if row.name != self.plan.reference:
                self.compare(row)
        for key, _, _ in self.metrics:
            rows = [row for row in self.rows if key in row.against]
            for row, p in zip(rows, holm([row.against[key].p for row in rows])):
                row.against[key] = row.against[key]._replace(holm=p)

    def runs_of(self, name):
        return [self.all.runs[name, seed] for seed in self.plan.seeds]

    def compare(self, row):
        """Compares the seeds of which the variant and the reference are finished."""
        pairs = [pair for pair in zip(self.runs_of(row.name), self.runs_of(self.plan.reference))
                 if all(run.state == "finished" for run in pair)]
        if not pairs:
            return
        files = [run.write_rows(self.plan.folder, self.on) for runs in zip(*pairs) for run in runs]
        out, _ = self.plan.lal.ask("eval", "--measure", "counts", "--format", "json", "--runs", str(len(pairs)),
                                   "--samples", str(self.plan.resamples),
                                   *(word for path in files for word in ("--pred", path)))
        for key, x in json.loads(out)["comparisons"][0].items():
            if (self.on, key) in row.score and row.score[self.on, key].n:
                row.against[key] = Difference(x["a"] - x["b"], x["p_randomisation"], None)

    def missing(self):
        """Name, seed and reason of the runs that are not in the table."""
        for run in (run for name in self.plan.variants for run in self.runs_of(name) if run.state != "finished"):
            yield (run.variant.name, run.seed,
                   run.failed or ("needs a run that is missing" if self.all.waits(run) else "not run"))

    # -- TSV and JSON: the same columns

    def cells(self, row):
        """Name, number or None, and digits of each column."""
        yield from (("seeds", row.seeds, 0), ("oracle", int(row.oracle), 0))
        for (data, key), mean in row.score.items():
            yield f"{data}_{key}", mean.mean if mean.n else None, 4
            yield f"{data}_{key}_deviation", mean.deviation if mean.n > 1 else None, 4
        for key, _, _ in self.metrics:
            values = row.against.get(key, (None, None, None))
            yield from zip(("difference_" + key, "p_" + key, "holm_" + key), values, (4, 6, 6))
        yield "self_heads", row.self_heads if row.seeds else None, 0
        yield "label_heads", row.label_heads if row.seeds else None, 0
        for name, mean, digits in (("rho", row.rho, 4), ("updates", row.updates, 0), ("early_loss", row.early_loss, 4),
                                   ("loss", row.loss, 4), ("training_seconds", row.seconds, 1),
                                   ("training_sentences_per_s", row.training_speed, 1),
                                   ("sentences_per_s", row.speed, 1)):
            yield name, mean.mean if mean.n else None, digits

    def tsv(self):
        lines = [["variant"] + [name for name, _, _ in self.cells(self.rows[0])]]
        lines += [[row.name] + ["" if x is None else f"{x:.{n}f}" for _, x, n in self.cells(row)] for row in self.rows]
        return "".join("\t".join(line) + "\n" for line in lines)

    def json(self):
        def dump(value):
            return json.dumps(value, ensure_ascii=False)

        head = {"reference": self.plan.reference, "differences_on": self.on, "dev_sentences": self.all.sizes["dev"],
                "test_sentences": self.all.sizes["test"], "resamples": self.plan.resamples}
        rows = [", ".join([f'"variant": {dump(row.name)}'] + [
            f'"{name}": ' + ("null" if x is None else f"{x:.{n}f}") for name, x, n in self.cells(row)])
                for row in self.rows]
        missing = [dict(zip(("variant", "seed", "why"), run)) for run in self.missing()]
        rows = ",".join("\n {" + row + "}" for row in rows)
        return f'{dump(head)[:-1]}, "variants": [{rows}],\n "missing": {dump(missing)}}}\n'

    # -- text

    def score_lines(self, width):
        least = 15 if len(self.plan.seeds) > 1 else 10
        columns = [(data, key, title, digits, max(len(title) + 7, least)) for data in ("dev", "test")
                   for key, title, digits in self.metrics if any(row.score[data, key].n for row in self.rows)]
        yield pad("variant", width) + "seeds  " + "".join(pad(f"{x[0]} {x[2]}", x[4]) for x in columns)
        for row in self.rows:
            yield f"{pad(row.shown, width)}{row.seeds:5d}  " + "".join(
                pad(row.score[data, key].text(digits), size) for data, key, _, digits, size in columns)

    def model_lines(self, width):
        yield pad("variant", width) + "heads     rho    updates  early loss  training      trained/s  scored/s"
        for row in self.rows:
            heads = f"{row.self_heads}" + (f" + {row.label_heads}" if row.label_heads else "")
            minutes = f"{row.seconds.mean / 60:.1f} min" if row.seconds.n else "-"
            yield pad(row.shown, width) + "".join(pad(text, size) for text, size in (
                (heads if row.seeds else "-", 10), (row.rho.text(3, True), 7), (row.updates.text(0, True), 9),
                (row.early_loss.text(3, True), 12), (minutes, 14), (row.training_speed.text(0, True), 11),
                (row.speed.text(0, True), 0)))

    def difference_lines(self, width):
        n, plan = sum(bool(row.against) for row in self.rows), self.plan
        if not n:
            return
        yield ""
        yield (f"difference to {plan.reference} on {self.on}, in points; p: paired randomisation over "
               f"{self.all.sizes[self.on]} {plan.task.unit}s of each seed that both have,")
        yield (f"{plan.resamples} samples; Holm: p corrected for {n} variant{'s' if n > 1 else ''}; * marks a "
               "corrected p below .05")
        columns = [(key, title, digits, max(len(title), 4 + digits)) for key, title, digits in self.metrics
                   if any(row.score[self.on, key].n for row in self.rows)]
        yield pad("variant", width) + "".join(f"{title:>{size}}  p       Holm      " for _, title, _, size in columns)
        for row in (row for row in self.rows if row.name != plan.reference):
            line = pad(row.shown, width)
            for key, _, digits, size in columns:
                x = row.against.get(key)
                line += (f"{x.difference:+{size}.{digits}f}  {x.p:.4f}  {x.holm:.4f} {'*' if x.holm < 0.05 else ' '}  "
                         if x else f"{'-':>{size}}  {'-':6}  {'-':6}    ")
            yield line

    def missing_lines(self):
        missing = list(self.missing())
        if missing:
            yield ""
            yield "missing runs" + (", because of max_hours:" if self.all.out_of_time else ":")
        for name, seed, why in missing:
            yield f"  {name}, seed {seed}: {why}"

    def text(self):
        width = max([len("variant")] + [len(row.shown.encode()) for row in self.rows]) + 2
        seeds = "mean ± standard deviation over seeds; " if len(self.plan.seeds) > 1 else ""
        lines = [seeds + "models are chosen on dev", *self.score_lines(width), "", *self.model_lines(width),
                 *self.difference_lines(width), *self.missing_lines()]
        return "".join(line.rstrip(" ") + "\n" for line in lines)


# ---- the command

def read_options():
    parser = argparse.ArgumentParser(prog="ablate.py", allow_abbrev=False, usage="%(prog)s [OPTIONS] NAME|FILE",
                                     description=__doc__.split("\n\n")[1])
    add = parser.add_argument
    add("plan", nargs="*", help=argparse.SUPPRESS)
    add("-o", "--out", default="ablation", metavar="FOLDER", help="folder of the runs, which are in "
        "FOLDER/VARIANT/seed-N; those that are finished are not repeated (default ablation)")
    add("-f", "--format", default="text", choices=("text", "tsv", "json"), help="format of the table (default text)")
    add("--max-hours", type=float, default=0, metavar="X", help="do not start a run that would not end within X hours, "
        "by the mean time of those that are finished; 0: as the plan says")
    add("--run", action=argparse.BooleanOptionalAction, default=True,
        help="make the runs that are missing; --no-run: only print the table")
    add("--check", action="store_true", help="check the plan and list its runs; no data is read")
    add("-j", "--threads", type=int, default=0, metavar="N", help="number of threads; 0: one for each processor")
    add("--device", default="cpu", help="what computes, as lal train takes it (default cpu)")
    add("--stop-at-step", type=int, default=0, metavar="N",
        help="save the state of a run and stop after its update N; 0: do not stop")
    add("-q", "--quiet", action="store_true", help="write no progress, only notes and errors")
    data = parser.add_argument_group("data, in place of those of the plan, as lal train takes them; each may be given "
                                     "more than once")
    for key in DATA_KEYS:
        data.add_argument("--" + key.replace("_", "-"), action="append", metavar="X")
    args = parser.parse_args()
    if len(args.plan) != 1:
        raise Failure(f"found {len(args.plan)} plans, expected one", USAGE)
    args.plan = args.plan[0]
    return args


def find_plan(name):
    """The file of a plan, which may come with the program."""
    if "/" in name or "." in name:
        return name
    folders = [path for path in (os.path.normpath(os.path.join(HERE, x)) for x in ("../models/plans", "../plans"))
               if os.path.isdir(path)]
    names = {file[:-5]: os.path.join(path, file) for path in folders for file in os.listdir(path)}
    if name not in names and not os.path.exists(name):
        raise Failure(f"found '{name}', expected a plan that comes with the program or a file{near(name, names)}",
                      USAGE)
    return names.get(name, name)


def list_runs(plan):
    def count(n, what):
        return f"{n} {what}{'s' if n > 1 else ''}"

    variants, seeds = len(plan.variants), len(plan.seeds)
    print(f"{count(variants, 'variant')}, {count(seeds, 'seed')}: {count(variants * seeds, 'run')}; differences to "
          f"{plan.reference}, {plan.resamples} resamples" +
          (f", at most {plan.max_hours:g} hours" if plan.max_hours else ""))
    for v in (plan.variants[name] for name in plan.order):
        print(v.name + (f", from the model of {v.start_from}" if v.start_from else "") +
              (f", with the heads of {v.heads_of}" if v.heads_of else "") +
              (f", with parses by {plan.folds} folds of {plan.first_pass}" if v.first_pass else "") +
              ": " + count(v.config["train"]["epochs"], "epoch"))


def run(args, folder):
    given = {key: getattr(args, key) for key in DATA_KEYS if getattr(args, key)}
    plan = Plan(find_plan(args.plan), given, Lal(args), folder)
    if args.check:
        list_runs(plan)
        return
    for v in plan.variants.values() if args.run and not args.quiet else ():
        for line in v.warnings.splitlines():
            say(f"{v.name}: {line}")
    plan.read_units()
    runs = Runs(plan, args)
    if args.run:
        make_folder(args.out)
        with locked(args.out):
            runs.make()
    else:
        runs.make()
    print(getattr(Table(runs), args.format)(), end="")


def main():
    sys.stdout.reconfigure(encoding="utf-8")
    try:
        args = read_options()
        with tempfile.TemporaryDirectory() as folder:
            run(args, folder)
        sys.stdout.flush()
    except Failure as e:
        say(f"ablate.py: {e}")
        sys.exit(e.status)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        sys.exit(FAILED)


if __name__ == "__main__":
    main()
