"""Runs of settings, each done once, and what the targets' measures were in them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
import polars as pl
from numpy.typing import NDArray

from weir import _core, analysis
from weir.experiment import Arm
from weir.store import Store
from weir.sweeps.design import Design
from weir.sweeps.measured import measured
from weir.sweeps.plan import Cell, Plan
from weir.sweeps.runner import run_plan
from weir.sweeps.values import Value
from weir.sweeps.workers import Workers
from weir.tables import WHOLE_RUN
from weir.tuning.space import Space

Place = NDArray[np.float64]
"""A setting as a point of the box, shape (dimensions,), each in [0, 1]."""

FRESH = 1_000_000
"""Seeds of the confirmation begin so far beyond those of the search."""


@dataclass
class Lab:
    """Does runs, on common seeds, and remembers what they gave."""

    space: Space
    measures: tuple[str, ...]
    store: Store
    workers: Workers
    runs: int = 0
    """Different runs that were asked for: what the answer cost, whoever did them first."""
    on_runs: Callable[[int], None] | None = None
    """Told after every batch how many there are."""
    _known: dict[tuple[Value, ...], dict[int, NDArray[np.float64]]] = field(
        default_factory=dict[tuple[Value, ...], "dict[int, NDArray[np.float64]]"]
    )

    def run(self, places: Sequence[Place], replications: int, first: int = 0) -> None:
        """Does replications `first` to `first + replications - 1` of each setting, where they are missing."""
        seeds = range(first, first + replications)
        settings = {self.space.values(place): place for place in places}
        missing = {s: p for s, p in settings.items() if any(seed not in self._known.get(s, {}) for seed in seeds)}
        if not missing:
            return
        plan = self._plan(list(missing.values()), replications, first)
        run_plan(plan, self.store, self.workers)
        rows = self._rows(plan)
        for index, setting in enumerate(missing):
            known = self._known.setdefault(setting, {})
            for offset, seed in enumerate(seeds):
                if seed not in known:
                    self.runs += 1
                    known[seed] = rows[int(plan.keys[index, offset])]
        if self.on_runs is not None:
            self.on_runs(self.runs)

    def values(self, place: Place, measure: str, *, fresh: bool = False) -> NDArray[np.float64]:
        """One value per replication done, in the order of the seeds: those of the search, or of the confirmation."""
        known = self._known.get(self.space.values(place), {})
        column = self.measures.index(measure)
        seeds = sorted(seed for seed in known if (seed >= FRESH) == fresh)
        return np.array([known[seed][column] for seed in seeds])

    def _plan(self, places: list[Place], replications: int, first: int) -> Plan:
        base = self.space.scenario
        seeded = base.replace([("seed", str(base.seed + first))])
        scenarios = [self.space.at(place).replace([("seed", str(seeded.seed))]) for place in places]
        arms = tuple(Arm(f"setting-{i}", f"setting {i}", scenario) for i, scenario in enumerate(scenarios))
        cells = tuple(Cell(0, i, scenario, applies=True) for i, scenario in enumerate(scenarios))
        return Plan(base.name, seeded, arms, Design("grid", (), ((),)), cells, replications, ())

    def _rows(self, plan: Plan) -> dict[int, NDArray[np.float64]]:
        """Key of a run to its measures."""
        keys = sorted({int(key) for key in plan.keys.ravel()})
        tables = measured(
            lambda name: self.store.scan(name, keys, _core.results_version).with_columns(
                pl.col(pl.Enum).cast(pl.String)
            )
        )
        whole = analysis.observations(tables).filter(pl.col("period") == WHOLE_RUN)
        # A fill of all columns would turn keys of 63 bits into floats.
        found = whole.select("run", *(pl.col(name).fill_null(float("nan")) for name in self.measures))
        return {int(row[0]): np.array(row[1:], dtype=float) for row in found.iter_rows()}
