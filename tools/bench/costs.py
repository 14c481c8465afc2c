"""Costs of Weir beside one run, and docs/performance.md: all measurements with their machine."""

from __future__ import annotations

import json
import os
import platform
import resource
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from bench.measure import SOURCES, TODAY, YARDSTICK, Measurement, measure_sizes, output_of
from weir import _core
from weir.plot import template_environment
from weir.scenario import Scenario, bundled
from weir.sweep import SweepSpec, define_sweep

Say = Callable[[str], None]

SCALING_CASE = "wireline-delay"
"""Case whose replications are run on one thread and on all."""

SWEEP_CASE = "bench/sweep"
"""Bundled scenario of the sweep: 500 settings of 20 s, 10 Mbit/s, 10 flows."""

FLOWS_CASE = "ten-gigabit-many-flows"
"""Case whose cost is measured with other numbers of flows, each with the same share of the link."""

_FLOWS = {
    flows: {
        "flows.ftp.count": f"{flows}",
        "links.bottleneck.rate": f"{flows / 10:g} Mbit/s",
        "duration": span,
    }
    for flows, span in {
        10: "12000 s", 100: "1200 s", 1_000: "120 s", 10_000: "12 s", 100_000: "12 s", 1_000_000: "4 s",
    }.items()
}  # fmt: skip

HOPS_CASE = "hops"
"""Case whose cost is measured with other numbers of hops."""

_HOPS = {
    hops: {"links.hop.hops": f"{hops}", "duration": span}
    for hops, span in {1: "200 s", 10: "20 s", 100: "20 s"}.items()
}

_WORKERS = {
    "one thread": (1, ["--threads", "1"]),
    "two threads": (2, ["--threads", "2"]),
    "two processes": (2, ["--processes", "2"]),
    "Dask, two workers": (2, ["--dask", "local:2"]),
}
"""Workers of a sweep: how many, and their options."""

_BENCHMARK = ("bench", "--quiet", "--package", "weir-aqm", "--bench", "aqms", "--", "--json")


@dataclass(frozen=True)
class Scaling:
    """Times of replications on one thread and on every core: wall time, the least of several tries."""

    case: str
    replications: int
    cores: int
    one_s: float
    all_s: float


@dataclass(frozen=True)
class Growth:
    """Growth of the cost per packet with the network."""

    flows: Mapping[int, Measurement]
    """Measurements by the number of flows."""
    hops: Mapping[int, Measurement]
    """Measurements by the number of hops. A packet counts at each of them."""


@dataclass(frozen=True)
class SweepCost:
    """Cost of one sweep: medians of several, in seconds."""

    workers: str
    runs: int
    alone_s: float
    """Wall time of the same runs in one batch, on as many threads."""
    wall_s: float
    """Wall time of the whole command."""
    user_s: float
    """User CPU time of all processes of the command."""

    @property
    def overhead(self) -> float:
        """Wall time of the command beyond that of its runs, as a share of that of its runs."""
        return self.wall_s / self.alone_s - 1.0


@dataclass(frozen=True)
class DisciplineCost:
    """Nanoseconds per packet of one discipline, in and out. `ring` is a bare ring buffer."""

    discipline: str
    ns: float
    """Nanoseconds per packet with 32 flows."""
    ns_many: float | None = None
    """Nanoseconds per packet with 1,000 flows; None if the number of flows does not matter."""


def scaling(replications: int = 20, repeat: int = 3, *, say: Say) -> Scaling:
    """Times a batch of replications on one thread and on all, in turns."""
    scenario = _core.Scenario.load(str(bundled()[f"bench/{SCALING_CASE}"]))
    jobs = [(scenario, scenario.seed + number) for number in range(replications)]
    least = {1: float("inf"), 0: float("inf")}
    for turn in range(repeat):
        say(f"{replications} replications on one thread and on all: {turn + 1} of {repeat}")
        for threads, least_s in least.items():
            least[threads] = min(least_s, _batch_s(jobs, threads))
    return Scaling(SCALING_CASE, replications, os.cpu_count() or 1, least[1], least[0])


def _batch_s(jobs: Sequence[tuple[_core.Scenario, int]], threads: int) -> float:
    """Wall time of one batch, in seconds. What it holds is kept until its end."""
    started = time.monotonic()
    batch = _core.Batch(jobs, threads)
    while not batch.wait(1.0):
        pass
    return time.monotonic() - started


def growth(repeat: int = 5, *, say: Say) -> Growth:
    """Times the same traffic with more and more flows, and over more and more hops."""
    return Growth(
        measure_sizes(FLOWS_CASE, _FLOWS, repeat, say=say), measure_sizes(HOPS_CASE, _HOPS, repeat, say=say)
    )


def sweep_costs(replications: int = 20, repeat: int = 5, *, say: Say) -> list[SweepCost]:
    """Runs one sweep by threads, by processes and by a Dask cluster of this machine.

    Its runs alone in one batch take turns with it.
    """
    plan = define_sweep(Scenario.load(SWEEP_CASE), SweepSpec(replications=replications))
    jobs = [(one.scenario, seed) for one in plan.configurations for seed in plan.seeds]
    sweep = ("-m", "weir", "sweep", SWEEP_CASE, "--replications", str(replications), "--quiet")
    costs: list[SweepCost] = []
    for workers, (count, options) in _WORKERS.items():
        turns: list[tuple[float, float, float]] = []
        for turn in range(repeat):
            say(f"{SWEEP_CASE} by {workers}: {turn + 1} of {repeat}")
            alone_s = _batch_s(jobs, count)
            with tempfile.TemporaryDirectory() as place:
                before_s, started = _children_s(), time.monotonic()
                output_of(*sweep, "--store", f"{place}/store", *options)
                turns.append((alone_s, time.monotonic() - started, _children_s() - before_s))
        costs.append(SweepCost(workers, len(jobs), *map(median, zip(*turns, strict=True))))
    return costs


def _children_s() -> float:
    """User CPU time in seconds of the processes that this one has started and that have ended."""
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime


def discipline_costs(*, say: Say) -> list[DisciplineCost]:
    """Measures all disciplines with `cargo bench`; returns nothing without cargo.

    Raises RuntimeError if the benchmark fails.
    """
    cargo = shutil.which("cargo")
    if cargo is None:
        say("disciplines alone: skipped, they need cargo")
        return []
    say("disciplines alone: cargo bench")
    done = subprocess.run(  # noqa: S603 - our own benchmark
        [cargo, *_BENCHMARK], cwd=SOURCES, capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        raise RuntimeError(f"the benchmark of the disciplines failed:\n{done.stderr[-2000:]}")
    return costs_of(done.stdout)


def costs_of(lines: str) -> list[DisciplineCost]:
    """Reads the printed lines of the benchmark: a row for each discipline."""
    rows = [json.loads(line) for line in lines.splitlines()]
    many = {row["discipline"]: row["ns_per_packet"] for row in rows if row["flows"] > 32}
    return [
        DisciplineCost(name := row["discipline"], row["ns_per_packet"], many.get(name))
        for row in rows
        if row["flows"] <= 32
    ]


def page(
    measurements: Sequence[Measurement],
    growth: Growth,
    scaling: Scaling,
    sweeps: Sequence[SweepCost],
    disciplines: Sequence[DisciplineCost],
) -> str:
    """The page as Markdown."""
    template = template_environment(Path(__file__).parent, markdown=True).get_template("page.md.jinja")
    return template.render(
        measurements=measurements,
        repeat=measurements[0].repeat,
        growth=growth,
        flows_case=FLOWS_CASE,
        hops_case=HOPS_CASE,
        scaling=scaling,
        sweeps=sweeps,
        sweep_case=SWEEP_CASE,
        disciplines=disciplines,
        ring=next((cost.ns for cost in disciplines if cost.discipline == "ring"), 0.0),
        peers=any(measurement.ratio is not None for measurement in measurements),
        counted=any(measurement.instructions_per_packet is not None for measurement in measurements),
        cpu=_cpu(),
        cores=os.cpu_count(),
        system=f"{platform.system()} {platform.release()}",
        python=platform.python_version(),
        weir=_core.__version__,
        today=TODAY,
        yardstick=next((m for m in measurements if m.case == YARDSTICK), None),
    )


def _cpu() -> str:
    try:
        information = Path("/proc/cpuinfo").read_text(encoding="utf-8")
    except FileNotFoundError:
        return platform.processor() or platform.machine()
    for line in information.splitlines():
        name, _, value = line.partition(":")
        if name.strip() == "model name":
            return value.strip()
    return platform.machine()
