"""What this paper says about curves: where they are lowest, how they lie to each other."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
import polars as pl
from numpy.typing import NDArray

from weir.papers.data import Sample, Study
from weir.papers.quantities import Along, Level, Quantity

Values = NDArray[np.float64]


@dataclass(frozen=True)
class ForEach(Quantity):
    """A quantity at every level of an axis that is wanted; the level is the position of its place."""

    experiment: str
    axis: str
    make: Callable[[float], Quantity]
    wanted: Callable[[float], bool] = lambda _: True

    @property
    def unit(self) -> str:
        return self.make(0.0).unit

    @property
    def title(self) -> str:
        return self.make(0.0).title

    def samples(self, study: Study) -> list[Sample]:
        levels = [level for level in study[self.experiment].levels(self.axis) if self.wanted(level)]
        return [replace(sample, at=level) for level in levels for sample in self.make(level).samples(study)]


def rank_along(of: Quantity) -> Quantity:
    """Spearman's rank correlation with the order of the places, whatever their axis."""
    return Along(of, "rank correlation", lambda _, values: _rank(np.arange(values.size), values), "")


def best(curve: Quantity) -> Quantity:
    """Where a curve is lowest, in decades of its axis."""
    return Along(
        curve, "place of the least", lambda at, values: float(np.log10(at[values.argmin()])), "decades"
    )


def variation(of: Quantity) -> Quantity:
    """The largest minus the smallest value, in per cent of their mean; NaN where there is only one."""
    return Along(of, "variation", lambda _, values: _variation(values), "%")


@dataclass(frozen=True)
class LeastInside(Quantity):
    """A curve's least value between its ends, above its value at an end: below zero where the curve has a
    minimum of its own.

    The place of the least is chosen for each replication by the others. Its own choice would favour the
    place where chance was kind to it, and find a minimum in every flat curve.
    """

    curve: Quantity
    end: str
    """`first` or `last`."""

    @property
    def unit(self) -> str:
        return "points" if self.curve.unit == "%" else self.curve.unit

    @property
    def title(self) -> str:
        return f"{self.curve.title} at the best place, minus that at the {self.end}"

    def samples(self, study: Study) -> list[Sample]:
        found = self.curve.samples(study)
        values = table(found)
        runs = values.shape[1]
        inside = values[1:-1]
        end = values[0 if self.end == "first" else -1]
        gains = np.full(runs, np.nan)
        for run in range(runs if runs > 1 else 0):
            others = np.delete(inside, run, axis=1).mean(axis=1)
            gains[run] = inside[others.argmin(), run] - end[run]
        return [Sample(shared([sample.place for sample in found]), float("nan"), gains)]


@dataclass(frozen=True)
class Shift(Quantity):
    """The loss of one delay-loss curve above that of another at the same delay, in per cent of the latter.

    The delay is the middle of what both curves reach, in the logarithm; between their points they are lines
    in the logarithms.
    """

    first: tuple[Quantity, Quantity]
    """Delay and loss, at the same places."""
    second: tuple[Quantity, Quantity]

    @property
    def unit(self) -> str:
        return "%"

    @property
    def title(self) -> str:
        return "more loss at the same delay"

    def samples(self, study: Study) -> list[Sample]:
        curves = [[one.samples(study) for one in pair] for pair in (self.first, self.second)]
        (d1, l1), (d2, l2) = [[np.log(table(one)) for one in pair] for pair in curves]
        runs = min(d1.shape[1], d2.shape[1])
        more = [_shift(d1[:, r], l1[:, r], d2[:, r], l2[:, r]) for r in range(runs)]
        places = [shared([sample.place for sample in pair[0]]) for pair in curves]
        return [Sample(f"{places[0]} against {places[1]}", float("nan"), np.array(more))]


@dataclass(frozen=True)
class Successive(Quantity):
    """A quantity of each two neighbouring levels of an axis."""

    experiment: str
    axis: str
    make: Callable[[float, float], Quantity]
    """Of the higher and the lower level."""

    @property
    def unit(self) -> str:
        return self.make(1.0, 0.0).unit

    @property
    def title(self) -> str:
        return self.make(1.0, 0.0).title

    def samples(self, study: Study) -> list[Sample]:
        levels = study[self.experiment].levels(self.axis)
        return [sample for low, high in pairwise(levels) for sample in self.make(high, low).samples(study)]


@dataclass(frozen=True)
class Share(Quantity):
    """One counter of another, in per cent."""

    part: Level
    whole: Level
    name: str

    @property
    def unit(self) -> str:
        return "%"

    @property
    def title(self) -> str:
        return self.name

    def samples(self, study: Study) -> list[Sample]:
        return [replace(one, values=100.0 * one.values) for one in (self.part / self.whole).samples(study)]


@dataclass(frozen=True)
class Rest(Quantity):
    """What a share leaves of 100%."""

    of: Quantity
    name: str

    @property
    def unit(self) -> str:
        return "%"

    @property
    def title(self) -> str:
        return self.name

    def samples(self, study: Study) -> list[Sample]:
        return [replace(one, values=100.0 - one.values) for one in self.of.samples(study)]


def table(samples: Sequence[Sample]) -> Values:
    """Shape (places, replications)."""
    runs = min(sample.values.size for sample in samples)
    return np.stack([sample.values[:runs] for sample in samples])


def shared(places: Sequence[str]) -> str:
    """The words that all of them have."""
    words = [place.split(", ") for place in places]
    return ", ".join(word for word in words[0] if all(word in other for other in words))


def _rank(places: NDArray[np.int64], values: Values) -> float:
    if np.ptp(values) == 0.0:
        return 0.0
    frame = pl.DataFrame({"x": places, "y": values})
    return float(frame.select(pl.corr("x", "y", method="spearman")).item())


def _variation(values: Values) -> float:
    return float(100.0 * np.ptp(values) / values.mean()) if values.size > 1 else float("nan")


def _shift(d1: Values, l1: Values, d2: Values, l2: Values) -> float:
    low, high = max(d1.min(), d2.min()), min(d1.max(), d2.max())
    if not low < high:
        return float("nan")
    middle = 0.5 * (low + high)
    return float(100.0 * np.expm1(_there(middle, d1, l1) - _there(middle, d2, l2)))


def _there(delay: float, delays: Values, losses: Values) -> float:
    order = delays.argsort()
    return float(np.interp(delay, delays[order], losses[order]))
