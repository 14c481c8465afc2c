"""Runs of settings, each done once, and what the targets' measures were in them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import polars as pl
from numpy.typing import NDArray

from weir import _core
from weir.run._tables import WHOLE_RUN
from weir.scenario._scenario import Variant
from weir.store import Store
from weir.store import Sweep as Record
from weir.sweep._plan import Plan, plan_at_one_point
from weir.sweep._runner import run_plan
from weir.sweep._view import Sweep
from weir.sweep._workers import Workers
from weir.tune._space import Setting, placed

FRESH = 1_000_000
"""Seeds of the first confirmation begin so far beyond those of the search, and of the next as far again."""

Values = NDArray[np.float64]


@dataclass
class Evaluator:
    """Does runs, on common seeds, and remembers what they gave."""

    scenario: _core.Scenario
    measures: tuple[str, ...]
    store: Store
    workers: Workers
    keys: set[int] = field(default_factory=set[int])
    """Of all runs that were asked for, in the store."""
    _known: dict[Setting, dict[int, Values]] = field(default_factory=dict[Setting, "dict[int, Values]"])

    @property
    def runs(self) -> int:
        """Runs of settings: what an answer costs, if the store has none of them."""
        return sum(map(len, self._known.values()))

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
        seeded = self.scenario.replace([("seed", str(self.scenario.seed + first))])
        variants = [Variant(str(i), f"setting {i}", placed(seeded, one)) for i, one in enumerate(missing)]
        done = self.done(plan_at_one_point("compare", seeded, variants, replications))
        rows = done.observations().filter(pl.col("period") == WHOLE_RUN)
        # A fill of all columns would turn keys of 63 bits into floats.
        values = [pl.col(name).fill_null(float("nan")) for name in self.measures]
        for variant, replication, *row in rows.select("variant", "replication", *values).iter_rows():
            known = self._known.setdefault(missing[int(variant)], {})
            known.setdefault(first + replication, np.array(row, dtype=float))

    def done(self, plan: Plan) -> Sweep:
        """The runs of a plan, those done that the store does not have."""
        self.keys.update(plan.keys.ravel().tolist())
        run_plan(plan, self.store, self.workers)
        return Sweep(self.store, Record(plan.id, plan.name, plan.title, plan.definition()))

    def values(self, setting: Setting, measure: str, *, fresh: int = 0) -> Values:
        """One value per replication done, in the order of the seeds: of the search, or of the
        confirmation."""
        known = self._known.get(setting, {})
        column = self.measures.index(measure)
        return np.array([known[seed][column] for seed in sorted(known) if seed // FRESH == fresh])
