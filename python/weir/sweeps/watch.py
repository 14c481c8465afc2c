"""Values as they come in: whether a cell has enough replications, and how wide intervals are."""

from __future__ import annotations

import math
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from weir import analysis
from weir.measures import HEADLINE
from weir.statistics import student_t
from weir.store import Store
from weir.sweeps.measured import ALWAYS, measured
from weir.sweeps.plan import Plan
from weir.sweeps.until import Sequential
from weir.tables import WHOLE_RUN


@dataclass(frozen=True)
class Widest:
    """The cell in which a measure is known least."""

    measure: str
    relative: float
    """Half width over mean."""
    half_width: float
    cell: int


class Watch:
    """Follows the measures that decide, or that are shown."""

    def __init__(self, plan: Plan, *, needed: bool) -> None:
        self._plan = plan
        self._needed = needed
        rules = plan.until
        self._sequential = Sequential(rules, plan.replications) if rules else None
        self.measures = tuple(dict.fromkeys(rule.measure for rule in rules)) or HEADLINE
        shape = (len(plan.cells), plan.replications)
        self._values = {name: np.full(shape if needed else (0, 0), math.nan) for name in self.measures}
        self._known = np.zeros(shape if needed else (0, 0), dtype=bool)
        self._targets = np.full(len(plan.cells), self._first_target(), dtype=np.int64)
        self._widest: Sequence[Widest] = ()
        self._next_look = 0.0
        self._order = np.argsort(plan.keys, axis=None, kind="stable")
        self._sorted = plan.keys.ravel()[self._order]

    def _first_target(self) -> int:
        if self._sequential is None:
            return self._plan.replications
        return min(self._sequential.next_target(0), self._plan.replications)

    def first(self) -> list[int]:
        """Places of the runs that are wanted to begin with."""
        replications = self._plan.replications
        return [
            cell * replications + replication
            for cell, target in enumerate(self._targets.tolist())
            for replication in range(target)
        ]

    def places(self, run: int) -> NDArray[np.int64]:
        """Where a key stands in the plan: more than once where an axis does not apply to an arm."""
        first, last = np.searchsorted(self._sorted, [run, run + 1])
        return self._order[first:last]

    def found(self, store: Store, runs: Iterable[int]) -> list[int]:
        """Takes in runs that are in the store; returns the places that are wanted now."""
        if not self._needed:
            return []
        keys = sorted(runs)
        return self.measured(measured(lambda name: store.scan(name, keys)))

    def measured(self, tables: Mapping[str, pl.DataFrame]) -> list[int]:
        """Takes in runs that have just ended; returns the places that are wanted now."""
        if not self._needed:
            return []
        whole = {
            name: tables[name].filter(pl.col("period") == WHOLE_RUN)
            for name in (*ALWAYS, "completions")
            if name in tables
        }
        observed = analysis.observations(whole)
        cells: set[int] = set()
        columns = [observed[name].to_numpy() for name in self.measures]
        for row, run in enumerate(observed["run"].to_list()):
            for place in self.places(run).tolist():
                cell, replication = divmod(place, self._plan.replications)
                self._known[cell, replication] = True
                for name, column in zip(self.measures, columns, strict=True):
                    self._values[name][cell, replication] = column[row]
                cells.add(cell)
        return [place for cell in sorted(cells) for place in self._more(cell)]

    def _more(self, cell: int) -> list[int]:
        """Further replications of a cell that has all it asked for and not enough."""
        if self._sequential is None:
            return []
        while True:
            n = int(self._targets[cell])
            if n == self._plan.replications or not self._known[cell, :n].all():
                return []
            observed = {name: values[cell, :n] for name, values in self._values.items()}
            if self._sequential.done(observed, n):
                return []
            self._targets[cell] = min(self._sequential.next_target(n), self._plan.replications)
            added = range(n, int(self._targets[cell]))
            missing = [replication for replication in added if not self._known[cell, replication]]
            if missing:
                base = cell * self._plan.replications
                return [base + replication for replication in missing]

    def widest(self) -> Sequence[Widest]:
        """Per measure the widest interval so far, relative to its mean; of cells with two runs or more."""
        # Looking takes longer the more cells there are: a twentieth of the time at most.
        if self._needed and time.monotonic() >= self._next_look:
            started = time.monotonic()
            self._widest = self._look()
            ended = time.monotonic()
            self._next_look = ended + max(1.0, 20.0 * (ended - started))
        return self._widest

    def _look(self) -> Sequence[Widest]:
        known = self._known.sum(axis=1)
        cells = np.flatnonzero(known >= 2)
        found: list[Widest] = []
        for name, values in self._values.items():
            best = self._widest_of(name, values[cells], cells)
            if best is not None:
                cell, relative, half_width = best
                found.append(Widest(name, relative, half_width, cell))
        return found

    def _widest_of(
        self, name: str, values: NDArray[np.float64], cells: NDArray[np.int64]
    ) -> tuple[int, float, float] | None:
        n = (~np.isnan(values)).sum(axis=1)
        usable = n >= 2
        if not usable.any():
            return None
        values, cells, n = values[usable], cells[usable], n[usable]
        mean = np.abs(np.nanmean(values, axis=1))
        sd = np.nanstd(values, axis=1, ddof=1)
        quantile = student_t if self._sequential is None else self._sequential.quantile
        half_width = np.array([quantile(int(count) - 1) for count in n]) * sd / np.sqrt(n)
        relative = np.divide(half_width, mean, out=np.zeros_like(mean), where=mean > 0.0)
        # An absolute rule is furthest from being met where the interval itself is widest.
        absolute = any(rule.measure == name and not rule.relative for rule in self._plan.until)
        index = int(np.argmax(half_width if absolute else relative))
        return int(cells[index]), float(relative[index]), float(half_width[index])
