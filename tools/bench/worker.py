"""One timed run: `python tools/bench/worker.py FILE [KEY=VALUE ...]` prints what it cost as JSON.

With `--forks PROCESSES` it is given many runs on standard input, and each is a fork: valgrind counts every
process by itself, and translates what it runs. The interpreter and the packages take seconds, and the forks
have them from the process that they come from.
"""

from __future__ import annotations

import json
import os
import resource
import sys
import time
from pathlib import Path
from typing import NoReturn

from weir import _core


def peak_rss_mb() -> float:
    """The most memory that this process has held, in units of 2^20 bytes."""
    try:
        # Not getrusage: on Linux its maximum begins with the memory of the parent process.
        status = Path("/proc/self/status").read_text(encoding="ascii")
    except FileNotFoundError:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    (line,) = (line for line in status.splitlines() if line.startswith("VmHWM:"))
    return int(line.split()[1]) / 2**10


def measure(path: str, *settings: str) -> dict[str, float | int]:
    """Runs the scenario once on one thread, with `KEY=VALUE` for values other than those of the file."""
    overrides = [(key, value) for key, _, value in (setting.partition("=") for setting in settings)]
    scenario = _core.Scenario.load(path, overrides)
    before_mb = peak_rss_mb()
    before_s = resource.getrusage(resource.RUSAGE_SELF).ru_utime
    started = time.monotonic()
    batch = _core.Batch([(scenario, scenario.seed)], 1)
    while not batch.wait(1.0):
        pass
    wall_s = time.monotonic() - started
    user_s = resource.getrusage(resource.RUSAGE_SELF).ru_utime - before_s
    (run,) = batch.results()
    return {
        "packets": run.packets,
        "events": run.events,
        "user_s": user_s,
        "wall_s": wall_s,
        "peak_rss_mb": peak_rss_mb(),
        "added_rss_mb": peak_rss_mb() - before_mb,
    }


def in_forks(processes: int, runs: list[list[str]]) -> int:
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


def main(arguments: list[str]) -> int:
    """Runs what the arguments say; 1 if a run fails."""
    if arguments[0] == "--forks":
        return in_forks(int(arguments[1]), json.load(sys.stdin))
    sys.stdout.write(json.dumps(measure(*arguments)))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
