"""Values as they come in: whether a configuration has enough replications, and how wide intervals are."""

from __future__ import annotations

import math
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from weir.run import WHOLE_RUN
from weir.stats import HEADLINE, analysis
from weir.store import Store
from weir.sweep._plan import Plan
from weir.sweep._recorded import measured
from weir.sweep._until import Sequential


@dataclass(frozen=True)
class Widest:
    """Configuration whose interval of a measure is the widest."""

    measure: str
    relative: float
    """Half-width of the interval, divided by the mean."""
    half_width: float
    configuration: int


class PrecisionMonitor:
    """Monitor of the measures that decide on stopping, or that are shown."""

    def __init__(self, plan: Plan, *, needed: bool) -> None:
        self._plan = plan
        self._needed = needed
        self._sequential = Sequential(plan.until, plan.replications, planned=bool(plan.until))
        self.measures = tuple(dict.fromkeys(rule.measure for rule in plan.until)) or HEADLINE
        shape = plan.keys.shape if needed else (0, 0)
        self._values = np.full((len(self.measures), *shape), math.nan)
        self._known = np.zeros(shape, dtype=bool)
        self._targets = np.full(len(plan.configurations), self._sequential.next_target(0))
        self._widest: Sequence[Widest] = ()
        self._next_look = 0.0
        self._order = np.argsort(plan.keys, axis=None, kind="stable")
        self._sorted = plan.keys.ravel()[self._order]

    def first(self) -> list[int]:
        """Places of the runs to begin with."""
        places = np.arange(self._plan.keys.size).reshape(self._plan.keys.shape)
        return places[:, : self._sequential.next_target(0)].ravel().tolist()

    def places(self, run: int) -> NDArray[np.int64]:
        """Places of a key in the plan. There are several if an axis does not apply to a variant."""
        first, last = np.searchsorted(self._sorted, [run, run + 1])
        return self._order[first:last]

    def found(self, store: Store, runs: Iterable[int]) -> list[int]:
        """Records runs that are in the store; returns the places that are wanted now."""
        if not self._needed:
            return []
        keys = sorted(runs)
        return self.measured(measured(lambda name: store.scan(name, keys)))

    def measured(self, tables: Mapping[str, pl.DataFrame]) -> list[int]:
        """Records runs that have just ended; returns the places that are wanted now."""
        if not self._needed:
            return []
        whole = {
            name: table.filter(pl.col("period") == WHOLE_RUN)
            for name, table in tables.items()
            if name in {"links", "groups", "completions"}
        }
        observed = analysis.observations(whole, groups=self._plan.groups, measures=self.measures)
        configurations: set[int] = set()
        for run, *values in observed.select("run", *self.measures).iter_rows():
            for place in self.places(run).tolist():
                configuration, replication = divmod(place, self._plan.replications)
                self._known[configuration, replication] = True
                self._values[:, configuration, replication] = values
                configurations.add(configuration)
        return [place for configuration in sorted(configurations) for place in self._more(configuration)]

    def _more(self, configuration: int) -> list[int]:
        """Further replications of a configuration that has all those requested, but not enough."""
        known = self._known[configuration]
        while True:
            n = int(self._targets[configuration])
            if n == self._plan.replications or not known[:n].all():
                return []
            observed = dict(zip(self.measures, self._values[:, configuration, :n], strict=True))
            if self._sequential.done(observed, n):
                return []
            target = self._targets[configuration] = self._sequential.next_target(n)
            missing = n + np.flatnonzero(~known[n:target])
            if missing.size:
                return (configuration * self._plan.replications + missing).tolist()

    def widest(self) -> Sequence[Widest]:
        """Widest interval of each measure so far, relative to its mean, over configurations with two runs or
        more."""
        # Looking takes longer the more configurations there are: a twentieth of the time at most.
        if self._needed and time.monotonic() >= self._next_look:
            started = time.monotonic()
            self._widest = self._look()
            ended = time.monotonic()
            self._next_look = ended + max(1.0, 20.0 * (ended - started))
        return self._widest

    def _look(self) -> Sequence[Widest]:
        found: list[Widest] = []
        for name, values in zip(self.measures, self._values, strict=True):
            n = (~np.isnan(values)).sum(axis=1)
            usable = np.flatnonzero(n >= 2)
            if not usable.size:
                continue
            values, n = values[usable], n[usable]  # noqa: PLW2901
            mean = np.abs(np.nanmean(values, axis=1))
            sd = np.nanstd(values, axis=1, ddof=1)
            half_width = (
                np.array([self._sequential.quantile(int(count) - 1) for count in n]) * sd / np.sqrt(n)
            )
            relative = np.divide(half_width, mean, out=np.zeros_like(mean), where=mean > 0.0)
            # An absolute rule is furthest from being met where the interval itself is widest.
            absolute = any(rule.measure == name and not rule.relative for rule in self._plan.until)
            index = int(np.argmax(half_width if absolute else relative))
            found.append(Widest(name, float(relative[index]), float(half_width[index]), int(usable[index])))
        return found
