"""Values as they come in: whether a configuration has enough replications, and how wide intervals are."""

from __future__ import annotations

import math
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from weir.run._tables import WHOLE_RUN
from weir.stats import _analysis as analysis
from weir.stats._intervals import student_t
from weir.stats._measures import HEADLINE
from weir.store import Store
from weir.sweep._plan import Plan
from weir.sweep._recorded import measured
from weir.sweep._until import Sequential


@dataclass(frozen=True)
class Widest:
    """The configuration in which a measure is known least."""

    measure: str
    relative: float
    """Half width over mean."""
    half_width: float
    configuration: int


class PrecisionMonitor:
    """Follows the measures that decide, or that are shown."""

    def __init__(self, plan: Plan, *, needed: bool) -> None:
        self._plan = plan
        self._needed = needed
        rules = plan.until
        self._sequential = Sequential(rules, plan.replications) if rules else None
        self.measures = tuple(dict.fromkeys(rule.measure for rule in rules)) or HEADLINE
        shape = (len(plan.configurations), plan.replications)
        self._values = {name: np.full(shape if needed else (0, 0), math.nan) for name in self.measures}
        self._known = np.zeros(shape if needed else (0, 0), dtype=bool)
        first = plan.replications if self._sequential is None else self._sequential.next_target(0)
        self._targets = np.full(len(plan.configurations), min(first, plan.replications), dtype=np.int64)
        self._widest: Sequence[Widest] = ()
        self._next_look = 0.0
        self._order = np.argsort(plan.keys, axis=None, kind="stable")
        self._sorted = plan.keys.ravel()[self._order]

    def first(self) -> list[int]:
        """Places of the runs that are wanted to begin with."""
        return [
            configuration * self._plan.replications + replication
            for configuration, target in enumerate(self._targets.tolist())
            for replication in range(target)
        ]

    def places(self, run: int) -> NDArray[np.int64]:
        """Where a key stands in the plan: more than once where an axis does not apply to a variant."""
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
            name: table.filter(pl.col("period") == WHOLE_RUN)
            for name, table in tables.items()
            if name in {"links", "groups", "completions"}
        }
        observed = analysis.observations(whole)
        configurations: set[int] = set()
        for run, *values in observed.select("run", *self.measures).iter_rows():
            for place in self.places(run).tolist():
                configuration, replication = divmod(place, self._plan.replications)
                self._known[configuration, replication] = True
                for name, value in zip(self.measures, values, strict=True):
                    self._values[name][configuration, replication] = value
                configurations.add(configuration)
        return [place for configuration in sorted(configurations) for place in self._more(configuration)]

    def _more(self, configuration: int) -> list[int]:
        """Further replications of a configuration that has all it asked for and not enough."""
        if self._sequential is None:
            return []
        while True:
            n = int(self._targets[configuration])
            if n == self._plan.replications or not self._known[configuration, :n].all():
                return []
            observed = {name: values[configuration, :n] for name, values in self._values.items()}
            if self._sequential.done(observed, n):
                return []
            self._targets[configuration] = min(self._sequential.next_target(n), self._plan.replications)
            added = range(n, int(self._targets[configuration]))
            missing = [replication for replication in added if not self._known[configuration, replication]]
            if missing:
                base = configuration * self._plan.replications
                return [base + replication for replication in missing]

    def widest(self) -> Sequence[Widest]:
        """Per measure the widest interval so far, relative to its mean, where there are two runs or more."""
        # Looking takes longer the more configurations there are: a twentieth of the time at most.
        if self._needed and time.monotonic() >= self._next_look:
            started = time.monotonic()
            self._widest = self._look()
            ended = time.monotonic()
            self._next_look = ended + max(1.0, 20.0 * (ended - started))
        return self._widest

    def _look(self) -> Sequence[Widest]:
        quantile = student_t if self._sequential is None else self._sequential.quantile
        found: list[Widest] = []
        for name, values in self._values.items():
            n = (~np.isnan(values)).sum(axis=1)
            usable = np.flatnonzero(n >= 2)
            if not usable.size:
                continue
            values, n = values[usable], n[usable]  # noqa: PLW2901
            mean = np.abs(np.nanmean(values, axis=1))
            sd = np.nanstd(values, axis=1, ddof=1)
            half_width = np.array([quantile(int(count) - 1) for count in n]) * sd / np.sqrt(n)
            relative = np.divide(half_width, mean, out=np.zeros_like(mean), where=mean > 0.0)
            # An absolute rule is furthest from being met where the interval itself is widest.
            absolute = any(rule.measure == name and not rule.relative for rule in self._plan.until)
            index = int(np.argmax(half_width if absolute else relative))
            found.append(Widest(name, float(relative[index]), float(half_width[index]), int(usable[index])))
        return found
