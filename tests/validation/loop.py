"""Level 3, the closed loop: the wireline experiment in Weir against the recorded runs of ns-2."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

import numpy as np
import polars as pl
from numpy.typing import NDArray

from validation.places import REFERENCE, SCENARIO, rows_of
from weir import _core
from weir.run._batch import OnProgress, run_batch
from weir.run._tables import frames
from weir.stats._analysis import ALL
from weir.stats._intervals import Interval, mean_interval, student_t

Window = Literal["settled", "whole"]
"""The last 40 s of a period of 50 s, or all of it."""

PERIOD_S, SETTLE_S, STEP_S = 50, 10, 10
USERS = tuple(range(20, 180, 20))

DROP_TAIL = "DropTail"
JITTER = ("flows.ftp.send_jitter", "0.25 ms")
JITTERED = "wireline-overhead"
"""ns-2's runs with a random wait before each burst of a sender."""

Values = Mapping[str, NDArray[np.float64]]
"""Measure to values of shape (seeds, periods)."""


@dataclass(frozen=True)
class Measure:
    """A measure that is compared, and the tolerance of its agreement."""

    name: str
    title: str
    unit: str
    decimals: int
    absolute: float
    """Agreement within this, ..."""
    relative: float
    """... or within this fraction of ns-2's mean, whichever is wider."""
    column: str
    """Column in ns-2's rows."""
    scale: float


MEASURES = (
    Measure("goodput", "Goodput", "% of capacity", 1, 2.0, 0.0, "goodput", 100.0),
    Measure("queue", "Mean queue", "packets", 1, 3.0, 0.15, "qmean", 1.0),
    Measure("loss", "Loss", "% of arrivals", 2, 0.3, 0.20, "loss", 100.0),
)


@dataclass(frozen=True)
class Cell:
    """One number of users: a mean over seeds on either side, each with its 95% interval."""

    measure: Measure
    users: int
    weir: Interval
    ns2: Interval

    @property
    def difference(self) -> float:
        return self.weir.mean - self.ns2.mean

    @cached_property
    def half_width(self) -> float:
        """Half width of the 95% interval of the difference (Welch: the two spreads may differ)."""
        parts = [(_variance(side), side.n) for side in (self.weir, self.ns2) if side.n > 1]
        total = sum(variance for variance, _ in parts)
        if total == 0.0:
            return 0.0
        degrees = total**2 / sum(variance**2 / (n - 1) for variance, n in parts)
        return student_t(max(1, math.floor(degrees))) * math.sqrt(total)

    @property
    def tolerance(self) -> float:
        return max(self.measure.absolute, self.measure.relative * abs(self.ns2.mean))

    @property
    def used(self) -> float:
        """The difference as a fraction of the tolerance."""
        return abs(self.difference) / self.tolerance

    @property
    def surely_used(self) -> float:
        """Far end of the difference's interval, as a fraction of the tolerance."""
        return (abs(self.difference) + self.half_width) / self.tolerance

    @property
    def holds(self) -> bool:
        return self.used <= 1.0


@dataclass(frozen=True)
class Row:
    """A variant of the experiment: measure to its cells, one per number of users."""

    label: str
    jittered: bool
    cells: Mapping[str, list[Cell]]
    whole: Mapping[str, list[Cell]]
    """Measure to its cells, with the first 10 s of every period."""

    @property
    def bound(self) -> bool:
        """True if the row must agree: not where packets of equal flows stay in step."""
        return self.jittered or self.label != DROP_TAIL

    @property
    def all_cells(self) -> list[Cell]:
        return [cell for cells in (*self.cells.values(), *self.whole.values()) for cell in cells]

    @property
    def holds(self) -> bool:
        return not self.bound or all(cell.holds for cell in self.all_cells)


@dataclass(frozen=True)
class Job:
    """A scenario that is run with every seed."""

    variant: str
    label: str
    jittered: bool
    scenario: _core.Scenario


def load() -> _core.Scenario:
    """The scenario, measured in steps of which both windows are made."""
    return _in_steps(_core.Scenario.load(str(SCENARIO)))


def loads(text: str) -> _core.Scenario:
    """An altered text of it."""
    return _in_steps(_core.Scenario.loads(text, SCENARIO.name))


def jobs() -> list[Job]:
    """Every variant, and once more with the random wait where ns-2 was run so."""
    scenario = load()
    plain = [
        Job(name, variant.label, jittered=False, scenario=variant)
        for name, variant in ((name, scenario.variant(name)) for name in scenario.variants)
    ]
    recorded = {label for label, _ in _reference(JITTERED)}
    return plain + [
        replace(job, jittered=True, scenario=job.scenario.replace([JITTER]))
        for job in plain
        if job.label in recorded
    ]


def simulate(
    scenarios: Sequence[_core.Scenario], seeds: Sequence[int], progress: OnProgress | None = None
) -> list[dict[Window, Values]]:
    """Every scenario with every seed."""
    runs = run_batch([(scenario, seed) for scenario in scenarios for seed in seeds], progress=progress)
    return [
        {window: _of_runs(runs[at : at + len(seeds)], window) for window in ("settled", "whole")}
        for at in range(0, len(runs), len(seeds))
    ]


def compare(jobs: Sequence[Job], simulated: Sequence[Mapping[Window, Values]]) -> list[Row]:
    """Every job against ns-2."""
    reference = {jittered: _reference(JITTERED if jittered else "wireline") for jittered in (False, True)}
    return [
        Row(
            job.label,
            job.jittered,
            cells_of(values["settled"], reference[job.jittered][job.label, "settled"]),
            cells_of(values["whole"], reference[job.jittered][job.label, "whole"]),
        )
        for job, values in zip(jobs, simulated, strict=True)
    ]


def cells_of(ours: Values, theirs: Values) -> dict[str, list[Cell]]:
    """Measure by measure, one per number of users."""
    return {
        measure.name: [
            Cell(
                measure,
                users,
                mean_interval(ours[measure.name][:, period]),
                mean_interval(theirs[measure.name][:, period]),
            )
            for period, users in enumerate(USERS)
        ]
        for measure in MEASURES
    }


def _variance(side: Interval) -> float:
    """Variance of the mean."""
    if side.half_width is None:
        return 0.0
    return (side.half_width / student_t(side.n - 1)) ** 2


def _in_steps(scenario: _core.Scenario) -> _core.Scenario:
    return scenario.replace([("measure.period", f"{STEP_S} s"), ("measure.settle", "0 s")])


def _reference(scenario: str) -> dict[tuple[str, Window], Values]:
    """Label and window to ns-2's values."""
    found: defaultdict[tuple[str, Window], defaultdict[tuple[int, int], dict[str, str]]]
    found = defaultdict(lambda: defaultdict(dict))
    for row in rows_of(REFERENCE / "ns2" / "wireline.csv"):
        if row["scenario"] == scenario:
            start, end = float(row["t0"]), float(row["t1"])
            window: Window = "whole" if end - start == PERIOD_S else "settled"
            found[row["label"], window][int(row["seed"]), int(start) // PERIOD_S] = row
    return {key: rows_as_values(rows) for key, rows in found.items()}


def rows_as_values(rows: Mapping[tuple[int, int], Mapping[str, str]]) -> Values:
    """Rows by seed and period."""
    seeds = sorted({seed for seed, _ in rows})

    def values(measure: Measure) -> NDArray[np.float64]:
        table = [
            [float(rows[seed, period][measure.column]) for period in range(len(USERS))] for seed in seeds
        ]
        return measure.scale * np.array(table)

    return {measure.name: values(measure) for measure in MEASURES}


def _of_runs(runs: Sequence[_core.Run], window: Window) -> Values:
    tables = frames(_core.tables(runs), range(len(runs)))

    def steps(table: str, column: str) -> NDArray[np.float64]:
        """A column for all groups together, forward: run by run, number of users, step."""
        rows = tables[table].filter(pl.col("group") == ALL, pl.col("period") >= 0)
        if "direction" in rows.columns:
            rows = rows.filter(pl.col("direction") == "forward")
        values = rows[column].cast(pl.Float64).to_numpy().reshape(len(runs), len(USERS), -1)
        return values if window == "whole" else values[:, :, SETTLE_S // STEP_S :]

    return {
        # Steps are equally long, so that means over time are means over steps.
        "goodput": 100.0 * steps("groups", "goodput").mean(axis=2),
        "queue": steps("links", "queue_mean").mean(axis=2),
        "loss": 100.0 * steps("links", "drops").sum(axis=2) / steps("links", "arrivals").sum(axis=2),
    }
