"""What Weir costs beside one run: on every core, in a sweep, and in each queue discipline alone."""

from __future__ import annotations

import json
import os
import resource
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from weir import _core
from weir.run._processes import output_of
from weir.scenario._scenario import bundled

Say = Callable[[str], None]

SCALING_CASE = "wireline-delay"
"""Whose replications are run on one thread and on all."""

SWEEP_CASE = "bench/sweep"
"""A bundled scenario: 500 settings of 20 s, 10 Mbit/s, 10 flows."""

_WORKERS = {
    "one thread": ["--threads", "1"],
    "two threads": ["--threads", "2"],
    "two processes": ["--processes", "2"],
    "Dask, two workers": ["--dask", "local:2"],
}

_SOURCES = Path(__file__).parents[3]
_BENCHMARK = ("bench", "--quiet", "--package", "weir-aqm", "--bench", "aqms", "--", "--json")


@dataclass(frozen=True)
class Scaling:
    """Replications on one thread and on every core; wall time, the least of several tries."""

    case: str
    replications: int
    cores: int
    one_s: float
    all_s: float

    @property
    def speedup(self) -> float:
        """How many times as fast all cores are as one thread."""
        return self.one_s / self.all_s


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


@dataclass(frozen=True)
class DisciplineCost:
    """Nanoseconds per packet of one discipline, in and out. `ring` is a bare ring buffer."""

    discipline: str
    ns: float
    """With 32 flows."""
    ns_many: float | None = None
    """With 1,000, where flows matter."""


def scaling(replications: int = 20, repeat: int = 3, *, say: Say) -> Scaling:
    """Times a batch of replications on one thread and on all, in turns."""
    scenario = _core.Scenario.load(str(bundled()[f"bench/{SCALING_CASE}"]))
    jobs = [(scenario, scenario.seed + number) for number in range(replications)]
    least = {1: float("inf"), 0: float("inf")}
    for turn in range(repeat):
        say(f"{replications} replications on one thread and on all: {turn + 1} of {repeat}")
        for threads, least_s in least.items():
            started = time.monotonic()
            batch = _core.Batch(jobs, threads)
            while not batch.wait(1.0):
                pass
            least[threads] = min(least_s, time.monotonic() - started)
    return Scaling(SCALING_CASE, replications, os.cpu_count() or 1, least[1], least[0])


def sweep_costs(replications: int = 20, *, say: Say) -> list[SweepCost]:
    """The same sweep by threads, processes and a Dask cluster of this machine."""
    return [_sweep(workers, options, replications, say) for workers, options in _WORKERS.items()]


def _sweep(workers: str, options: Sequence[str], replications: int, say: Say) -> SweepCost:
    say(f"{SWEEP_CASE} by {workers}")
    with tempfile.TemporaryDirectory() as place:
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        printed = output_of(
            "-m", "weir", "sweep", SWEEP_CASE, "--replications", str(replications),
            "--store", f"{place}/store", "--json", "--quiet", *options,
        )  # fmt: skip
        user_s = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
    document: dict[str, Any] = json.loads(printed)
    return SweepCost(workers, document["done"], document["cost"]["cpu_s"], user_s, document["wall_s"])


def discipline_costs(*, say: Say) -> list[DisciplineCost]:
    """What `cargo bench` measures of all disciplines; nothing without cargo or without the sources.

    Raises RuntimeError if the benchmark fails.
    """
    cargo = shutil.which("cargo")
    if cargo is None or not (_SOURCES / "Cargo.toml").exists():
        say("disciplines alone: skipped, they need cargo and the sources")
        return []
    say("disciplines alone: cargo bench")
    done = subprocess.run(  # noqa: S603 - our own benchmark
        [cargo, *_BENCHMARK], cwd=_SOURCES, capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        raise RuntimeError(f"the benchmark of the disciplines failed:\n{done.stderr[-2000:]}")
    return costs_of(done.stdout)


def costs_of(lines: str) -> list[DisciplineCost]:
    """What the benchmark has printed, a row for each discipline."""
    rows = [json.loads(line) for line in lines.splitlines()]
    many = {row["discipline"]: row["ns_per_packet"] for row in rows if row["flows"] > 32}
    return [
        DisciplineCost(name := row["discipline"], row["ns_per_packet"], many.get(name))
        for row in rows
        if row["flows"] <= 32
    ]
