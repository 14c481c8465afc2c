"""What a sweep costs beside its runs: user CPU time of all its processes over that of the runs."""

from __future__ import annotations

import json
import resource
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from weir.run.processes import output_of

CASE = "bench/sweep"
"""A bundled scenario: 500 settings of 20 s, 10 Mbit/s, 10 flows."""


@dataclass(frozen=True)
class SweepCost:
    """One sweep, from the start of the command to its end."""

    workers: str
    runs: int
    runs_s: float
    """CPU time of the runs alone."""
    user_s: float
    """User CPU time of all processes."""
    wall_s: float

    @property
    def beside(self) -> float:
        """What there is beside the runs, as a share of the runs."""
        return self.user_s / self.runs_s - 1.0


def sweep_costs(replications: int = 20, *, say: Callable[[str], None]) -> list[SweepCost]:
    """The same sweep by threads, processes and a Dask cluster of this machine, each with two workers."""
    one = _cost("one thread", ["--threads", "1"], replications, say)
    by = {
        "two threads": ["--threads", "2"],
        "two processes": ["--processes", "2"],
        "Dask, two workers": ["--dask", "local:2"],
    }
    return [one, *(_cost(name, options, replications, say) for name, options in by.items())]


def _cost(workers: str, options: Sequence[str], replications: int, say: Callable[[str], None]) -> SweepCost:
    say(f"{CASE} by {workers}")
    with tempfile.TemporaryDirectory() as place:
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        printed = output_of(
            "-m", "weir", "sweep", CASE, "--replications", str(replications), "--store", f"{place}/store",
            "--json", "--quiet", *options,
        )  # fmt: skip
        user_s = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
    document: dict[str, Any] = json.loads(printed)
    return SweepCost(workers, document["done"], document["cost"]["cpu_s"], user_s, document["wall_s"])
