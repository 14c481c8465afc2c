"""Runs for valgrind, each in a fork: `python -m weir.bench._forks PROCESSES`, the runs on standard input.

Valgrind counts every process by itself, and translates what it runs: the interpreter and the packages take
seconds, and the forks have them from the process that they come from.
"""

from __future__ import annotations

import json
import os
import sys
from typing import NoReturn

from weir.bench._worker import measure


def main(processes: int, runs: list[list[str]]) -> int:
    """Calls `measure` with each list of arguments in a process of its own, so many at a time; 1 if one fails.

    Prints a line of JSON for each: its `job`, counted from 0, `pid` and `packets`.
    """
    failed = under_way = 0
    for job, arguments in enumerate(runs):
        if under_way == processes:
            failed += os.wait()[1] != 0
            under_way -= 1
        if os.fork() == 0:
            _run(job, arguments)
        under_way += 1
    for _ in range(under_way):
        failed += os.wait()[1] != 0
    return int(failed > 0)


def _run(job: int, arguments: list[str]) -> NoReturn:
    told = {"job": job, "pid": str(os.getpid()), "packets": measure(*arguments)["packets"]}
    # In one piece: the others write, too.
    os.write(1, f"{json.dumps(told)}\n".encode())
    sys.exit(0)


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), json.load(sys.stdin)))
