#!/usr/bin/env python3
"""launch.py N COMMAND...: starts N processes of COMMAND that train one model together, on this machine. Standard
library only.

    recipes/launch.py 4 lal train --lanes 4 --threads 1 --train T.trees --out my.lal

The processes get RANK, WORLD_SIZE, MASTER_ADDR and MASTER_PORT, by which lal train finds the others, and a name of the
run. When one fails, or at SIGINT and SIGTERM, the others are ended by SIGTERM. The exit status is that of the first
that failed.
"""
import os
import signal
import socket
import sys
import time


def say(what):
    print(f"launch.py: {what}", file=sys.stderr)


def environment(n):
    with socket.socket() as free:  # a port that nobody listens on now
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    return dict(os.environ, WORLD_SIZE=str(n), MASTER_ADDR="127.0.0.1", MASTER_PORT=str(port),
                TORCHELASTIC_RUN_ID=f"lal-{os.getpid()}-{int(time.time())}")


class Ranks:
    """The processes that have not ended."""

    def __init__(self):
        self.rank_of = {}  # by process
        self.ending = False
        self.first = 0  # the exit status of the first that failed, as a shell has it

    def end(self, *_):
        self.ending = True
        for process in list(self.rank_of):
            os.kill(process, signal.SIGTERM)

    def start(self, rank, command, variables):
        # Python ignores SIGPIPE, which a program expects
        process = os.posix_spawnp(command[0], command, dict(variables, RANK=str(rank), LOCAL_RANK=str(rank)),
                                  setsigdef=[signal.SIGPIPE])
        self.rank_of[process] = rank
        if self.ending:  # a signal came before this one was known
            os.kill(process, signal.SIGTERM)

    def wait(self):
        while self.rank_of:
            process, status = os.wait()
            code, rank = os.waitstatus_to_exitcode(status), self.rank_of.pop(process)
            if code < 0:
                say(f"rank {rank} was ended by signal {-code}")
                code = 128 - code
            elif code:
                say(f"rank {rank} has the exit status {code}")
            self.first = self.first or code
            if code and not self.ending:
                self.end()
        return self.first


def main():
    if len(sys.argv) < 3 or not sys.argv[1].isdigit():
        print("usage: launch.py N COMMAND...", file=sys.stderr)
        return 2
    ranks, command, variables = Ranks(), sys.argv[2:], environment(int(sys.argv[1]))
    signal.signal(signal.SIGINT, ranks.end)
    signal.signal(signal.SIGTERM, ranks.end)
    for rank in range(int(sys.argv[1])):
        try:
            ranks.start(rank, command, variables)
        except OSError as error:
            say(f"{command[0]}: {error.strerror}")
            ranks.end()
            ranks.wait()
            return 127
    return ranks.wait()


sys.exit(main())
