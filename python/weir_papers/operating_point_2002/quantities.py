"""What only this paper asks for: shapes of curves. Operating points are in `points.py`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from weir_papers.data import Sample, Study
from weir_papers.quantities import (
    RELEVANT_OF_UNIT,
    Level,
    Of,
    Quantity,
    along,
    common,
    points,
    smallest,
    spearman,
)

Values = NDArray[np.float64]


def everywhere(_: float) -> bool:
    """At every level of an axis."""
    return True


def for_each(
    experiment: str,
    axis: str,
    make: Callable[[float], Quantity],
    where: Callable[[float], bool] = everywhere,
) -> Quantity:
    """A quantity at every level of an axis at which `where` holds; the level is the position of its place."""
    one = make(0.0)

    def samples(study: Study) -> list[Sample]:
        levels = [level for level in study[experiment].levels(axis) if where(level)]
        return [replace(sample, at=level) for level in levels for sample in make(level).samples(study)]

    return Of(one.title, one.unit, samples, one.relevant)


def ends(experiment: str, axis: str, make: Callable[[float, float], Quantity]) -> Quantity:
    """`make` of the highest and the lowest level of an axis."""
    one = make(1.0, 0.0)

    def samples(study: Study) -> list[Sample]:
        levels = study[experiment].levels(axis)
        return make(levels[-1], levels[0]).samples(study)

    return Of(one.title, one.unit, samples, one.relevant)


def successive(experiment: str, axis: str, make: Callable[[float, float], Quantity]) -> Quantity:
    """A quantity of each two neighbouring levels of an axis: `make` of the higher and the lower one."""
    one = make(1.0, 0.0)

    def samples(study: Study) -> list[Sample]:
        levels = study[experiment].levels(axis)
        return [sample for low, high in pairwise(levels) for sample in make(high, low).samples(study)]

    return Of(one.title, one.unit, samples, one.relevant)


def rank_along(of: Quantity) -> Quantity:
    """Spearman's rank correlation with the order of the places, whatever their axis."""
    return along(
        of, "rank correlation", lambda _, values: spearman(np.arange(values.size, dtype=float), values), ""
    )


def best(curve: Quantity) -> Quantity:
    """Where a curve is lowest, in decades of its axis."""
    return along(
        curve, "place of the least", lambda at, values: float(np.log10(at[values.argmin()])), "decades"
    )


def variation(of: Quantity) -> Quantity:
    """The largest minus the smallest value, in per cent of their mean; NaN where there is only one."""
    return along(of, "variation", lambda _, values: _variation(values), "%")


def least_inside(curve: Quantity, end: str) -> Quantity:
    """A curve's least value between its ends, above its value at an end, `first` or `last`: below zero where
    the curve has a minimum of its own.

    The place of the least is chosen for each replication by the others. Its own choice would favour the
    place where chance was kind to it, and find a minimum in every flat curve.
    """

    def samples(study: Study) -> list[Sample]:
        found = curve.samples(study)
        values = table(found)
        inside, at_end = values[1:-1], values[0 if end == "first" else -1]
        runs = values.shape[1]
        gains = np.full(runs, np.nan)
        for run in range(runs if runs > 1 else 0):
            others = np.delete(inside, run, axis=1).mean(axis=1)
            gains[run] = inside[others.argmin(), run] - at_end[run]
        return [Sample(common([sample.place for sample in found]), float("nan"), gains)]

    title = f"{curve.title} at the best place, minus that at the {end}"
    return Of(title, points(curve.unit), samples, smallest(curve))


def bends(curve: Quantity) -> Quantity:
    """At each place between the ends of a curve, the line between its neighbours minus its value: never below
    zero where it is convex."""

    def samples(study: Study) -> list[Sample]:
        found = curve.samples(study)
        at, values = np.array([one.at for one in found]), table(found)
        bent: list[Sample] = []
        for i in range(1, len(found) - 1):
            part = (at[i] - at[i - 1]) / (at[i + 1] - at[i - 1])
            line = (1.0 - part) * values[i - 1] + part * values[i + 1]
            bent.append(replace(found[i], values=line - values[i]))
        return bent

    return Of(
        f"line between the neighbours, minus {curve.title}", points(curve.unit), samples, smallest(curve)
    )


def shift(name: str, first: tuple[Quantity, Quantity], second: tuple[Quantity, Quantity]) -> Quantity:
    """How far one curve over delay is above another at the same delay, in per cent of the latter.

    Each curve is delay and loss, or delay and utilisation, at the same places. The delay is the middle of
    what both curves reach, in the logarithm; between their points they are lines in the logarithms.
    """

    def samples(study: Study) -> list[Sample]:
        curves = [[one.samples(study) for one in pair] for pair in (first, second)]
        # No loss at all is infinitely far below.
        with np.errstate(divide="ignore"):
            (d1, l1), (d2, l2) = [[np.log(table(one)) for one in pair] for pair in curves]
        runs = min(d1.shape[1], d2.shape[1])
        more = [_shift(d1[:, r], l1[:, r], d2[:, r], l2[:, r]) for r in range(runs)]
        places = [common([sample.place for sample in pair[0]]) for pair in curves]
        place = places[0] if places[0] == places[1] else f"{places[0]} against {places[1]}"
        return [Sample(place, float("nan"), np.array(more))]

    return Of(f"{name} at the same delay", "%", samples, RELEVANT_OF_UNIT["%"])


def share(part: Level, whole: Level, name: str) -> Quantity:
    """One counter of another, in per cent."""

    def samples(study: Study) -> list[Sample]:
        return [replace(one, values=100.0 * one.values) for one in (part / whole).samples(study)]

    return Of(name, "%", samples)


def table(samples: Sequence[Sample]) -> Values:
    """Shape (places, replications)."""
    runs = min(sample.values.size for sample in samples)
    return np.stack([sample.values[:runs] for sample in samples])


def _variation(values: Values) -> float:
    return float(100.0 * np.ptp(values) / values.mean()) if values.size > 1 else float("nan")


def _shift(d1: Values, l1: Values, d2: Values, l2: Values) -> float:
    low, high = max(d1.min(), d2.min()), min(d1.max(), d2.max())
    if not low < high:
        return float("nan")
    middle = 0.5 * (low + high)
    with np.errstate(invalid="ignore"):
        return float(100.0 * np.expm1(_there(middle, d1, l1) - _there(middle, d2, l2)))


def _there(delay: float, delays: Values, losses: Values) -> float:
    order = delays.argsort()
    return float(np.interp(delay, delays[order], losses[order]))
