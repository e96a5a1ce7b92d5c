#!/usr/bin/env python3
"""kills.py BUILD [KILLS [SEED]]: kills (SIGKILL) KILLS runs (50) of each of lal train, for every task, ablate and
model prune at random moments, and continues each until it ends by itself. The result must be equal to that of a run
that was never killed, byte for byte but for times and the name of the checkpoint that it continued from, and no other
file may be left. Prints a line for each command; the exit status is 1 if anything differs."""
import json
import os
import random
import re
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time

BUILD = os.path.abspath(sys.argv[1])
KILLS = int(sys.argv[2]) if len(sys.argv) > 2 else 50
LAL = os.path.join(BUILD, "lal")
ABLATE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "recipes", "ablate.py")

TINY = dict(d_model=32, n_layers=2, n_heads=2, d_kv=16, d_ff=48, n_label_heads=6, lal_d_kv=8, lal_d_proj=8,
            d_label_hidden=24, d_arc=24, d_type=12, d_tag_hidden=16, affix_buckets=50, word_min_count=1)
TRAIN = dict(batch_size=10, warmup=10, epochs=3, checks_per_epoch=2)
OPTIONS = [x for k, v in {**TINY, **TRAIN}.items() for x in ("--" + k.replace("_", "-"), str(v))] + ["--threads", "1"]
FILES = ["--out", "m.lal", "--log", "m.jsonl"]
COMMANDS = {
    "train": ["train", "--train", "../train.trees", "--train-deps", "../train.conllx", "--dev", "../dev.trees",
              "--dev-deps", "../dev.conllx", "--name", "toy"] + OPTIONS + FILES,
    "ablate": ["../plan.json", "--out", "runs", "--format", "tsv", "--threads", "1"],
    "classify": ["train", "--task", "classify", "--train", "../train.tsv", "--dev", "../dev.tsv"] + OPTIONS + FILES,
    "pretrain": ["train", "--task", "detect", "--train", "../train.trees", "--dev", "../dev.conllx", "--input",
                 "treebank"] + OPTIONS + FILES,
    "prune": ["model", "prune", "--model", "../gated.lal", "--gold", "../dev.trees", "--gold-deps", "../dev.conllx",
              "--out", "small.lal", "--threads", "1"],
}


def make_data():
    for n, seed, stem in (("80", "1", "train"), ("20", "2", "dev")):
        subprocess.run([os.path.join(BUILD, "tests/support/make_treebank"), n, seed, stem], check=True)
    for stem in ("train", "dev"):
        with open(stem + ".trees", encoding="utf-8") as trees, open(stem + ".tsv", "w", encoding="utf-8") as out:
            for k, tree in enumerate(trees):
                out.write("%s\t%s\n" % ("abc"[k % 3], " ".join(re.findall(r" ([^ ()]+)\)", tree))))
    files = {"train": "../train.trees", "train_deps": "../train.conllx", "dev": "../dev.trees",
             "dev_deps": "../dev.conllx", "name": "toy"}
    plan = {"base": {"model": TINY, "train": {**TRAIN, "epochs": 2}}, "data": files, "seeds": [1, 2], "resamples": 100,
            "variants": {"plain": {}, "one": {"model": {"n_layers": 1}}, "more": {"start_from": "plain"}}}
    gates = {"encoder_options": {"gates": {"kind": "constant", "constant": [1, 0, 0, 1]}}}
    for name, what in (("plan.json", plan), ("gates.json", gates)):
        with open(name, "w", encoding="utf-8") as f:
            json.dump(what, f)
    subprocess.run([LAL, "train", "--train", "train.trees", "--train-deps", "train.conllx", "--name", "toy",
                    "--encoder-options", "gates.json", "--out", "gated.lal", "--quiet"] + OPTIONS, check=True)


# ---- what a run made, without times

def without_times(x):
    """A JSON value without seconds, checksums of models, which have seconds in them, and `resume`."""
    if isinstance(x, list):
        return [without_times(y) for y in x]
    if not isinstance(x, dict):
        return x
    drop = ("seconds", "check_s", "sentences_per_s", "model", "models", "resume")
    return {k: without_times(v) for k, v in x.items() if k not in drop or (k == "model" and isinstance(v, dict))}


def model(data):
    size = struct.unpack("<Q", data[:8])[0]
    header = json.loads(data[8:8 + size])
    texts = header["__metadata__"]
    texts.pop("lal.checksum")
    for key in ("lal.summary", "lal.state"):
        if key in texts:
            texts[key] = without_times(json.loads(texts[key]))
    return header, data[8 + size:]


def log(data):
    """The checks that count: a line replaces those from its epoch on (docs/FORMATS.md)."""
    checks = []
    for line in data.decode().splitlines():
        check = json.loads(line)
        checks = [c for c in checks if c["epoch"] < check["epoch"]] + [without_times(check)]
    return checks


def result(folder, output):
    """The files of a folder, each as what it has besides times, and the output."""
    kinds = {".lal": model, ".ckpt": model, ".jsonl": log, ".json": lambda data: without_times(json.loads(data))}
    found = {"output": [line.split("\t")[:28] for line in output.splitlines()]}
    for at, _, names in os.walk(folder):
        for name in names:
            path = os.path.join(at, name)
            with open(path, "rb") as f:
                found[os.path.relpath(path, folder)] = kinds.get(os.path.splitext(name)[1], bytes)(f.read())
    return found


# ---- runs

def command_now(name, folder):
    """The command that begins the run, or continues it."""
    if os.path.exists(os.path.join(folder, "m.lal.ckpt")):
        return [LAL, "train", "--resume", "m.lal.ckpt"]
    return [ABLATE if name == "ablate" else LAL] + COMMANDS[name]


def run(name, folder, seconds=None):
    """Status, output and errors; killed after so many seconds, with what it has started."""
    p = subprocess.Popen(command_now(name, folder), cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                         stderr=subprocess.PIPE, text=True, start_new_session=True, env={**os.environ, "LAL": LAL})
    try:
        output, errors = p.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        os.killpg(p.pid, signal.SIGKILL)
        output, errors = p.communicate()
    return p.returncode, output, errors


def new_folder(name):
    shutil.rmtree(name, ignore_errors=True)
    os.mkdir(name)
    return name


def is_temporary(name):
    return ".tmp" in name or name.endswith(".lal-lock")


def kill_one(name, rng):
    begun = time.monotonic()
    status, output, errors = run(name, new_folder("whole"))
    length = time.monotonic() - begun
    if status:
        sys.exit("%s: status %d\n%s" % (name, status, errors))
    want = result("whole", output)
    kills = ends = differ = stray = left = 0
    while kills < KILLS or status != 0:
        if status == 0:
            new_folder("part")
        status, output, errors = run(name, "part", rng.uniform(0, 1.05 * length) if kills < KILLS else None)
        if status == -9:
            kills += 1
            left += sum(is_temporary(f) for _, _, names in os.walk("part") for f in names)
            continue
        ends += 1
        if status:
            sys.exit("%s: status %d after a kill\n%s" % (name, status, errors))
        got = result("part", output)
        stray += sum(is_temporary(f) for f in got)
        for f in sorted(set(want) | set(got)):
            if want.get(f) != got.get(f):
                print("%s: %s differs" % (name, f) if f in want and f in got else
                      "%s: %s is %s" % (name, f, "left" if f in got else "missing"))
        differ += got != want
    print("%-9s %d kills, %d runs ended, %d results differ; temporary files: %d after the kills, %d in the end" %
          (name, kills, ends, differ, left, stray), flush=True)
    return differ + stray


def main():
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else random.randrange(10 ** 6)
    print("seed %d" % seed, flush=True)
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        make_data()
        faults = sum(kill_one(name, random.Random(seed + k)) for k, name in enumerate(COMMANDS))
        os.chdir("/")
    sys.exit(faults > 0)


main()
