"""Instructions per bottleneck packet, as valgrind counts them: the same on a noisy machine."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from bench import measure
from weir.scenario import bundled

_GIGABIT, _TODAY, _MANY_FLOWS = (2.0, 4.0), (2.0, 3.0), (1.5, 1.8)
_LENGTHS_S = {
    "gigabit-100": _GIGABIT, "gigabit-1000": _GIGABIT, "gigabit-10000": _GIGABIT, "gigabit-linux": _GIGABIT,
    **dict.fromkeys(measure.TODAY, _TODAY), **dict.fromkeys(measure.MANY_FLOWS, _MANY_FLOWS),
}  # fmt: skip
_OTHERS_S = (15.0, 30.0)
"""Two lengths of a run. The difference leaves out the interpreter and the building of the network."""

_FIFTH = ("flows.ftp.count=20000", "links.bottleneck.rate=2 Gbit/s")
"""A fifth of the flows, on a fifth of their link: the same for each flow, and still beyond the caches."""

_REFERENCES = re.compile(r"==(\d+)== I\s+refs:\s+([\d,]+)")

_WORKER = Path(__file__).with_name("worker.py")
_COUNT = ("--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null")


def has_valgrind() -> bool:
    """Returns true if instructions can be counted: valgrind is installed."""
    return shutil.which("valgrind") is not None


def instructions(cases: Sequence[str], *, say: Callable[[str], None]) -> dict[str, float]:
    """Instructions per packet of each case, counted on all cores at once.

    Raises RuntimeError if a run fails.
    """
    say(f"instructions of {', '.join(cases)}")
    lengths = {case: _LENGTHS_S.get(case, _OTHERS_S) for case in cases}
    jobs = [(case, length_s) for case, both in lengths.items() for length_s in both]
    counted = dict(zip(jobs, _count(jobs), strict=True))
    return {case: _per_packet(*(counted[case, length_s] for length_s in lengths[case])) for case in cases}


def _per_packet(short: tuple[int, int], long: tuple[int, int]) -> float:
    (few, before), (many, after) = short, long
    return (after - before) / (many - few)


def _count(jobs: Sequence[tuple[str, float]]) -> list[tuple[int, int]]:
    """Counts packets and instructions of processes that run so many simulated seconds of a case."""
    runs = [
        (
            str(bundled()[f"bench/{case}"]),
            f"duration={length_s} s",
            *(_FIFTH if case in measure.MANY_FLOWS else ()),
        )
        for case, length_s in jobs
    ]
    # -B: a first run that keeps what Python compiles would leave less to do for the second.
    worker = ("-B", str(_WORKER), "--forks", str(os.cpu_count() or 1))
    done = subprocess.run(  # noqa: S603 - our own worker
        ["valgrind", *_COUNT, sys.executable, *worker], input=json.dumps(runs),  # noqa: S607 - as the user's PATH has it
        capture_output=True, text=True, check=False, env={**os.environ, "PYTHONHASHSEED": "0"},
    )  # fmt: skip
    found = {pid: int(count.replace(",", "")) for pid, count in _REFERENCES.findall(done.stderr)}
    told = [json.loads(line) for line in done.stdout.splitlines()]
    if done.returncode != 0 or len(told) < len(jobs) or not {one["pid"] for one in told} <= set(found):
        raise RuntimeError(f"counting the instructions failed:\n{done.stderr[-2000:]}")
    by_job = {one["job"]: (one["packets"], found[one["pid"]]) for one in told}
    return [by_job[job] for job in range(len(jobs))]
