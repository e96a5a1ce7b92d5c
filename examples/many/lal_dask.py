"""Parses the texts of a folder with Dask, on this machine or on many: each file is a task that runs `lal parse`.

    lal split --parts-of 64M --out-dir parts corpus.txt
    python3 lal_dask.py parts parsed --workers 8
    python3 lal_dask.py parts parsed --scheduler tcp://HOST:8786 --format json -- --model base --newline sentence

Options after -- are those of `lal parse`. $LAL is the program, without it the lal of PATH; all workers need it, and
both folders under the same names. A file that exists is complete, so the same command goes on after an interruption.
Parts that fail are in OUT/failed.txt with the message, and the exit status is 1 (docs/CLUSTERS.md).
"""

import argparse
import asyncio
import contextlib
import gzip
import itertools
import logging
import os
import subprocess
import sys
import time
from pathlib import Path

from distributed import Client, LocalCluster, as_completed

RETRIES = 3


def find_parts(folder, out, extension):
    """{output: input}, named as `lal parse --out-dir` names them."""
    parts = {}
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder)
        hidden = any(word.startswith(".") for word in name.parts)
        if hidden or not path.is_file() or out in path.parents:
            continue
        target = (out / name.with_suffix("") if name.suffix == ".gz" else out / name).with_suffix("." + extension)
        if target in parts:
            sys.exit(f"lal_dask: found {parts[target]} and {path}, which would both be written to {target}")
        parts[target] = path
    return parts


def words_of(path):
    with open(path, "rb") as file:
        compressed = file.read(2) == b"\x1f\x8b"
    with gzip.open(path) if compressed else open(path, "rb") as text:
        return sum(len(line.split()) for line in text)


def parse_part(command, source, target):
    """The task: the number of words, and what lal said if it wrote the file but failed in some sentence."""
    if os.path.exists(target):  # done by a worker that was lost after that
        return words_of(source), None
    os.makedirs(os.path.dirname(target), exist_ok=True)
    run = subprocess.run([*command, "--out", target, "--", source], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                         stderr=subprocess.PIPE, text=True, errors="replace", check=False)
    said = " ".join(run.stderr.split())
    if run.returncode and not os.path.exists(target):
        raise RuntimeError(said or f"lal ended with status {run.returncode}")
    return words_of(source), said if run.returncode else None


def version(lal):
    """Of the program on a worker."""
    try:
        return subprocess.run([lal, "--version"], stdout=subprocess.PIPE, text=True, check=False).stdout.strip()
    except OSError as error:
        return f"no lal ({error})"


class Report:
    """What is known of the run; OUT/failed.txt is always up to date."""

    def __init__(self, out, total):
        self.path, self.total = out / "failed.txt", total
        self.ended, self.words, self.failed = 0, 0, {}
        self.began = self.shown = time.monotonic()
        self.path.unlink(missing_ok=True)

    def take(self, source, words, message):
        self.ended += 1
        self.words += words
        if message:
            print(f"{source}: {message}", file=sys.stderr)
            self.failed[str(source)] = message
            self.path.write_text("".join(f"{name}\t{said}\n" for name, said in sorted(self.failed.items())))
        if time.monotonic() - self.shown > 10 and self.ended < self.total:
            self.show()

    def show(self):
        self.shown = time.monotonic()
        speed = self.words / max(self.shown - self.began, 1e-9)
        print(f"{self.ended} of {self.total} parts, {speed:,.0f} words/s, {len(self.failed)} failed", file=sys.stderr)


def result(future):
    """Words and message of a task that has ended. One whose result was lost with its worker is waited for again."""
    try:
        return future.result()
    except (Exception, asyncio.CancelledError) as error:  # what the task or the scheduler raised
        return 0, " ".join(str(error).split()) or repr(error)


def parse_all(client, command, parts, report):
    """Keeps four tasks for each worker's thread at the scheduler, however many parts there are."""
    waiting, sources, running = iter(parts.items()), {}, as_completed()

    def submit():
        slots = 4 * max(1, sum(client.nthreads().values()))
        for target, source in itertools.islice(waiting, max(0, slots - len(sources))):
            future = client.submit(parse_part, command, str(source), str(target), pure=False, retries=RETRIES)
            sources[future.key] = source
            running.add(future)

    submit()
    for future in running:
        report.take(sources.pop(future.key), *result(future))
        future.release()
        submit()


def remove_leftovers(out, parts):
    """What killed programs have left of these parts."""
    for path in out.rglob("*.tmp-lal*"):
        if path.with_name(path.name.rpartition(".tmp-lal")[0]) in parts:
            path.unlink(missing_ok=True)


def connect(stack, options):
    if options.scheduler:
        client = stack.enter_context(Client(options.scheduler))
        client.wait_for_workers(1)
        return client
    cluster = stack.enter_context(LocalCluster(n_workers=options.workers, threads_per_worker=1, host="127.0.0.1",
                                               dashboard_address=None, memory_limit=0, silence_logs=logging.CRITICAL))
    return stack.enter_context(Client(cluster))


def parse_in(out, parts, options, lal, lal_options):
    """Parses what is not there yet; the report."""
    todo = {target: source for target, source in parts.items() if not target.exists()}
    if len(todo) < len(parts):
        print(f"{len(parts) - len(todo)} of {len(parts)} parts are left out: their outputs exist", file=sys.stderr)
    report = Report(out, len(todo))
    command = [lal, "parse", "--quiet", "--threads", "1", *lal_options, "--format", options.format]
    with contextlib.ExitStack() as stack:
        client = connect(stack, options) if todo else None
        versions = set(client.run(version, lal).values()) if todo else {""}
        if len(versions) > 1 or "no lal" in str(versions):
            sys.exit(f"lal_dask: found {', '.join(sorted(versions))} on the workers, expected lal in one version")
        if todo:
            parse_all(client, command, todo, report)
    report.show()
    return report


def arguments(words):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter,
                                     usage="%(prog)s IN OUT [OPTIONS] [-- OPTIONS OF lal parse]")
    parser.add_argument("folder", metavar="IN", type=Path, help="folder with the parts: text, also compressed by gzip")
    parser.add_argument("out", metavar="OUT", type=Path, help="folder for the results, a file for each part")
    parser.add_argument("--scheduler", metavar="ADDR", help="address of a running scheduler (dask scheduler)")
    parser.add_argument("--workers", metavar="N", type=int, default=os.cpu_count(),
                        help="without --scheduler: processes on this machine (default: one for each processor)")
    parser.add_argument("--format", default="json", help="format of lal parse (default: json)")
    options = parser.parse_args(words)
    if not options.folder.is_dir():
        parser.error(f"IN: found {options.folder}, expected a folder")
    if options.out.exists() and not options.out.is_dir():
        parser.error(f"OUT: found {options.out}, a file, expected a folder")
    if options.workers < 1:
        parser.error(f"--workers: found {options.workers}, expected at least 1")
    return options


def main():
    words = sys.argv[1:]
    end = words.index("--") if "--" in words else len(words)
    options = arguments(words[:end])
    out = options.out.resolve()
    parts = find_parts(options.folder.resolve(), out, {"brackets": "trees"}.get(options.format, options.format))
    out.mkdir(parents=True, exist_ok=True)
    try:
        report = parse_in(out, parts, options, os.environ.get("LAL", "lal"), words[end + 1:])
    finally:
        remove_leftovers(out, parts)
    sys.exit(1 if report.failed else 0)


if __name__ == "__main__":
    main()
