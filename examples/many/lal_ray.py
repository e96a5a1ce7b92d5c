"""Parses the texts of a folder with Ray: each file is a task that runs `lal parse`; Ray repeats it if its worker dies.

    python3 lal_ray.py parts parsed --format json -- --model base         # RAY_ADDRESS names a cluster

Options after -- are those of `lal parse`. $LAL is the program, without it the lal of PATH; all machines need it, and
both folders under the same names. Files that exist are left out. The exit status is 1 if a part has failed.
"""

import os
import subprocess
import sys
from pathlib import Path

import ray


@ray.remote(max_retries=3, num_cpus=1)
def parse_part(command, part):
    run = subprocess.run([*command, "--", part], stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                         check=False)
    return None if run.returncode == 0 else run.stderr.strip() or f"lal ended with status {run.returncode}"


def main():
    end = sys.argv.index("--") if "--" in sys.argv else len(sys.argv)
    folder, out, *options = sys.argv[1:end]
    waiting = sorted(str(path) for path in Path(folder).resolve().iterdir() if path.is_file())
    command = [os.environ.get("LAL", "lal"), "parse", "--quiet", "--threads", "1", *sys.argv[end + 1:], *options,
               "--skip-existing", "--out-dir", str(Path(out).resolve())]
    ray.init()
    running, failed = {}, 0
    while waiting or running:
        while waiting and len(running) < 4 * ray.cluster_resources().get("CPU", 1):
            part = waiting.pop(0)
            running[parse_part.remote(command, part)] = part
        (ended,), _ = ray.wait(list(running))
        part = running.pop(ended)
        try:
            message = ray.get(ended)
        except ray.exceptions.RayError as error:  # its worker was lost four times
            message = str(error)
        if message:
            print(f"{part}: {message}", file=sys.stderr)
            failed += 1
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
