"""Runs of settings, each done once, and what the targets' measures were in them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import polars as pl
from numpy.typing import NDArray

from weir import _core
from weir.run.tables import WHOLE_RUN
from weir.scenario.scenario import Variant
from weir.stats import analysis
from weir.store import Store
from weir.sweep.design import Design
from weir.sweep.measured import measured
from weir.sweep.plan import Configuration, Plan
from weir.sweep.runner import run_plan
from weir.sweep.workers import Workers
from weir.tune.space import Setting, placed

FRESH = 1_000_000
"""Seeds of the first confirmation begin so far beyond those of the search, and of the next as far again."""

Values = NDArray[np.float64]


@dataclass
class Lab:
    """Does runs, on common seeds, and remembers what they gave."""

    scenario: _core.Scenario
    measures: tuple[str, ...]
    store: Store
    workers: Workers
    runs: int = 0
    """Different runs that were asked for: what an answer costs, whoever did them first."""
    _known: dict[Setting, dict[int, Values]] = field(default_factory=dict[Setting, "dict[int, Values]"])

    def run(self, settings: Sequence[Setting], replications: int, *, fresh: int = 0) -> None:
        """Does so many replications of each setting, where they are missing. `fresh`: 0 for the search, from
        1 for confirmations."""
        first = fresh * FRESH
        seeds = range(first, first + replications)
        missing = [
            setting
            for setting in dict.fromkeys(settings)
            if any(seed not in self._known.get(setting, {}) for seed in seeds)
        ]
        if not missing:
            return
        plan = self._plan(missing, replications, first)
        run_plan(plan, self.store, self.workers)
        rows = self._rows(plan)
        for index, setting in enumerate(missing):
            known = self._known.setdefault(setting, {})
            for offset, seed in enumerate(seeds):
                if seed not in known:
                    self.runs += 1
                    known[seed] = rows[int(plan.keys[index, offset])]

    def values(self, setting: Setting, measure: str, *, fresh: int = 0) -> Values:
        """One value per replication done, in the order of the seeds: of the search, or of the
        confirmation."""
        known = self._known.get(setting, {})
        column = self.measures.index(measure)
        return np.array([known[seed][column] for seed in sorted(known) if seed // FRESH == fresh])

    def _plan(self, settings: Sequence[Setting], replications: int, first: int) -> Plan:
        seed = ("seed", str(self.scenario.seed + first))
        seeded = self.scenario.replace([seed])
        scenarios = [placed(seeded, setting) for setting in settings]
        variants = tuple(Variant(f"setting-{i}", f"setting {i}", one) for i, one in enumerate(scenarios))
        configurations = tuple(Configuration(0, i, one, applies=True) for i, one in enumerate(scenarios))
        design = Design("grid", (), ((),))
        return Plan(self.scenario.name, seeded, variants, design, configurations, replications)

    def _rows(self, plan: Plan) -> dict[int, Values]:
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
