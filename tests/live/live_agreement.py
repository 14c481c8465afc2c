"""Kernel senders through live queues, beside Linux's own queues and the simulation, with the tolerances of
section 7 of the validation."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from itertools import islice
from multiprocessing import get_context

import numpy as np
import polars as pl
from live_figures import sent

from validation import kernel
from validation.combinations import ALONE, STAGGERS, repeats
from validation.kernel import Combination
from validation.loop import Measure
from validation.places import HERE
from weir import _core
from weir.run._batch import run_batch
from weir.run._tables import frames
from weir.stats._intervals import Interval, mean_interval

MEASURES = tuple(measure for measure in ALONE if measure.name != "marks")
"""Senders without ECN get none: that both are 0 would say nothing."""
QUEUES = ("pfifo_1bdp", "codel", "pie", "red_fix", "fq_codel")
"""Queues of the recorded runs."""
OWN = "rem"
"""A queue that no kernel has."""
OFTEN = 4
"""REM leaves the link idle for seconds after losses, at random: so many times the repeats of the others."""
LINK, FLOWS = "A", 4
STALL_SHARE = 0.001
"""Share of packets that left late by more than a millisecond, above which a repeat is spoiled."""


@dataclass(frozen=True)
class Agreement:
    """One value: live, simulated, and in Linux if it has the queue."""

    combination: Combination
    measure: Measure
    live: Interval
    simulated: Interval
    linux: Interval | None
    runs: int
    spoiled: int

    @property
    def near_simulated(self) -> bool:
        return self.within(self.simulated)

    @property
    def near_linux(self) -> bool:
        return self.linux is not None and self.within(self.linux)

    def within(self, other: Interval) -> bool:
        """Returns true if the live mean is within the tolerance of another interval's mean."""
        tolerance = max(self.measure.absolute, self.measure.relative * abs(other.mean))
        return abs(self.live.mean - other.mean) <= tolerance


def combinations() -> list[Combination]:
    """Cubic and Reno, four flows, through every queue."""
    return [
        Combination(name, ecn=False, link=LINK, congestion=cc, flows=FLOWS)
        for name in (*QUEUES, OWN)
        for cc in ("cubic", "reno")
    ]


def scenario(one: Combination, text: str, stagger: int) -> _core.Scenario:
    """The scenario of the validation, without a probe; REM has PIE's link."""
    if one.qdisc != OWN:
        return kernel.scenario(one, text, stagger, [("flows.probe.count", "0")])
    beside = replace(one, qdisc="pie")
    return kernel.scenario(beside, text, stagger, [("links.bottleneck.queue", "{ rem = {} }")])


@dataclass(frozen=True)
class Job:
    """A live run."""

    combination: Combination
    repeat: int
    seconds: float
    warm_up: float


def run(job: Job) -> tuple[pl.DataFrame, float]:
    """The rows of its links, and the share of packets that were late."""
    text = (HERE / kernel.SCENARIO).read_text(encoding="utf-8")
    stagger = STAGGERS[job.repeat % len(STAGGERS)]
    changed = scenario(job.combination, text, stagger).replace([("measure.warm_up", f"{job.warm_up} s")])
    congestion = job.combination.congestion
    outcome, _ = sent(changed, FLOWS, job.seconds, congestion, stagger_s=stagger / 1e3, seed=job.repeat + 1)
    honesty = outcome.run.honesty
    return outcome.run.tables(job.repeat)["links"], honesty["late"] / max(1.0, honesty["packets"])


def compare(repeats: int, seconds: float, warm_up: float, together: int) -> list[Agreement]:
    """Every combination so often, some of them at a time: at 10 Mbit/s a run needs little of a processor."""
    text = (HERE / kernel.SCENARIO).read_text(encoding="utf-8")
    recorded = kernel.reference()
    often = {one: repeats * (OFTEN if one.qdisc == OWN else 1) for one in combinations()}
    jobs = [Job(one, repeat, seconds, warm_up) for one, times in often.items() for repeat in range(times)]
    # Processes: each listens to signals for its commands.
    with ProcessPoolExecutor(together, mp_context=get_context("spawn")) as pool:
        outcomes = iter(list(pool.map(run, jobs)))
    found: list[Agreement] = []
    for one, times in often.items():
        found += _agreements(one, text, list(islice(outcomes, times)), recorded.get(one, []))
    return found


def _agreements(
    one: Combination,
    text: str,
    outcomes: Sequence[tuple[pl.DataFrame, float]],
    rows: Sequence[dict[str, str]],
) -> list[Agreement]:
    judged = one if one.qdisc != OWN else replace(one, qdisc="pie")
    live = kernel.values_of(judged, pl.concat([links for links, _ in outcomes]))
    begun = [scenario(one, text, stagger) for stagger in STAGGERS]
    runs = run_batch([(begun[at % len(begun)], seed) for at, seed in enumerate(kernel.SEEDS)])
    simulated = kernel.values_of(judged, frames(_core.tables(runs), range(len(runs)))["links"])
    spoiled = sum(late > STALL_SHARE for _, late in outcomes)
    return [
        Agreement(
            one,
            measure,
            mean_interval(np.array(live[measure.name])),
            mean_interval(np.array(simulated[measure.name])),
            repeats(measure, rows) if rows else None,
            len(outcomes),
            spoiled,
        )
        for measure in MEASURES
    ]
