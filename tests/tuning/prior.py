"""Predictions of the linear loop for settings of the grid that meet a target: `python
tests/tuning/prior.py`."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator

from twelve import EDGE, GRID, REACHABLE

import weir
from weir.theory import TheoryError, analyse, system_of

PAPER = "papers/operating-point-2002"


def verdict(users: int, max_th: float, max_p: float) -> str:
    """Verdict on RED with these settings."""
    scenario = weir.load(PAPER, {"flows.ftp.count": users}).variant("red")
    red = "links.bottleneck.queue.red"
    try:
        reading = system_of(scenario.replace({f"{red}.max_th": f"{max_th:g} packets", f"{red}.max_p": max_p}))
        loop = analyse(reading.system, reading.flags)
    except TheoryError:
        return "without a resting point"
    return "stable" if loop.roots is not None and loop.roots.stable else "unstable"


def meeting() -> Iterator[str]:
    """The verdict on each setting that meets a target, target by target."""
    for asked in (*REACHABLE, *EDGE):
        rows = GRID.filter(users=asked.users).iter_rows(named=True)
        for row, short in zip(rows, asked.shortfalls().tolist(), strict=True):
            if short < 0.0:
                yield verdict(asked.users, row["max_th"], row["max_p"])


if __name__ == "__main__":
    found = Counter(meeting())
    sys.stdout.write(f"{found.total()} settings meet a target: {dict(found)}\n")
