"""Instructions per bottleneck packet, as valgrind counts them: the same on a noisy machine."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor

from weir.scenario._scenario import bundled

_GIGABIT, _CROWD = (2.0, 4.0), (1.5, 1.8)
_LENGTHS_S = {
    "gigabit-100": _GIGABIT, "gigabit-1000": _GIGABIT, "gigabit-10000": _GIGABIT, "gigabit-linux": _GIGABIT,
    "gigabit-bbr": _GIGABIT,
    "ten-gigabit-crowd": _CROWD, "ten-gigabit-crowd-rtts": _CROWD,
}  # fmt: skip
_OTHERS_S = (15.0, 30.0)
"""Two lengths of a run. The difference leaves out the interpreter and the building of the network."""

_COUNT = ("--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null")


def has_valgrind() -> bool:
    """Whether instructions can be counted."""
    return shutil.which("valgrind") is not None


def instructions(cases: Sequence[str], *, say: Callable[[str], None]) -> dict[str, float]:
    """Instructions per packet of each case, counted on all cores at once.

    Raises RuntimeError if a run fails.
    """
    say(f"instructions of {', '.join(cases)}")
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return dict(zip(cases, pool.map(_per_packet, cases), strict=True))


def _per_packet(case: str) -> float:
    (few, before), (many, after) = (_count(case, length_s) for length_s in _LENGTHS_S.get(case, _OTHERS_S))
    return (after - before) / (many - few)


def _count(case: str, length_s: float) -> tuple[int, int]:
    """Packets and instructions of a process that runs so many simulated seconds."""
    # -B: a first run that keeps what Python compiles would leave less to do for the second.
    worker = ("-B", "-m", "weir.bench._worker", str(bundled()[f"bench/{case}"]), f"duration={length_s} s")
    done = subprocess.run(  # noqa: S603 - our own worker
        ["valgrind", *_COUNT, sys.executable, *worker],  # noqa: S607 - as the user's PATH has it
        capture_output=True, text=True, check=False, env={**os.environ, "PYTHONHASHSEED": "0"},
    )  # fmt: skip
    found = re.search(r"I\s+refs:\s+([\d,]+)", done.stderr)
    if done.returncode != 0 or found is None:
        raise RuntimeError(f"counting the instructions of {case} failed:\n{done.stderr[-2000:]}")
    return json.loads(done.stdout)["packets"], int(found[1].replace(",", ""))
