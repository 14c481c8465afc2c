"""What only this paper asks for: shapes of curves, and operating points.

A point is a mean delay and a loss. Its distance from a target is the larger of the two ratios,
delay over target and loss over target: at most 1 where the target is met. What can be had is what RED does
with fixed parameters, on the grid of this reproduction; the pair of parameters that comes nearest is chosen
by its means, and compared replication by replication.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise, product

import numpy as np
import polars as pl
from numpy.typing import NDArray

from weir_papers.data import Data, Sample, Study
from weir_papers.quantities import RELEVANT_OF_UNIT, Level, Of, Quantity, along, common, points, spearman

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

    def samples(study: Study) -> list[Sample]:
        levels = study[experiment].levels(axis)
        return [sample for low, high in pairwise(levels) for sample in make(high, low).samples(study)]

    return Of(make(1.0, 0.0).title, make(1.0, 0.0).unit, samples)


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
    return Of(title, points(curve.unit), samples)


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
        return [Sample(f"{places[0]} against {places[1]}", float("nan"), np.array(more))]

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


# --- Operating points -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Target:
    """What an operator asks for."""

    delay: float
    """Milliseconds."""
    loss: float
    """Per cent."""

    def distance(self, delay: Values, loss: Values) -> Values:
        """The larger ratio to what is asked for."""
        return np.maximum(delay / self.delay, loss / self.loss)

    @property
    def text(self) -> str:
        """`12 ms and 3%`."""
        return f"{self.delay:g} ms and {self.loss:g}%"


@dataclass(frozen=True)
class Nearest:
    """The fixed parameters that come nearest to a target."""

    max_th: float
    max_p: float
    delay: Values
    """By replication, as `loss` and `distance`."""
    loss: Values
    distance: Values

    @property
    def reaches(self) -> bool:
        """Whether the target can be had."""
        return float(self.distance.mean()) <= 1.0

    @property
    def word(self) -> str:
        """What OP-RED should say."""
        return "achieved" if self.reaches else "unachievable"


def nearest(study: Study, users: float, target: Target) -> Nearest:
    """Of the grid."""
    means = study["grid"].at(N=users).whole.group_by("max_th", "max_p", maintain_order=True)
    means = means.agg(pl.col("delay_mean", "loss").mean())
    distances = target.distance(means["delay_mean"].to_numpy(), means["loss"].to_numpy())
    place = means.row(int(distances.argmin()), named=True)
    return _fixed(study, users, target, place["max_th"], place["max_p"])


def _fixed(study: Study, users: float, target: Target, max_th: float, max_p: float) -> Nearest:
    own = study["grid"].at(N=users, max_th=max_th, max_p=max_p).whole.sort("replication")
    delay, loss = own["delay_mean"].to_numpy(), own["loss"].to_numpy()
    return Nearest(max_th, max_p, delay, loss, target.distance(delay, loss))


Asked = tuple[float, Target]
"""By how many users, and what."""


def misplaced(study: Study, asked: Asked, chosen_for: Asked) -> Values:
    """The distance with the parameters that are nearest elsewhere, over that with the nearest."""
    elsewhere = nearest(study, *chosen_for)
    there = _fixed(study, *asked, elsewhere.max_th, elsewhere.max_p)
    return there.distance / float(nearest(study, *asked).distance.mean())


@dataclass(frozen=True)
class Reached:
    """Where an AQM came to rest."""

    delay: Values
    loss: Values
    distance: Values
    truth: Values
    """The share of the time in which OP-RED says of its target what is true; NaN for other AQMs."""


def reached(study: Study, aqm: str, users: float, target: Target, near: Nearest) -> Reached:
    """At one target of the experiments `op-red` and `adaptive-red`, which is given the delay alone."""
    data = study[aqm].at(N=users, asked_delay=target.delay)
    if aqm == "op-red":
        data = data.at(asked_loss=target.loss / 100.0)
    rows = data.whole.sort("replication")
    delay, loss = rows["delay_mean"].to_numpy(), rows["loss"].to_numpy()
    length = 600.0
    truth = said(data, aqm, near.word, length / 2, length) if aqm == "op-red" else delay * np.nan
    return Reached(delay, loss, target.distance(delay, loss), truth)


def said(data: Data, variant: str, word: str, start: float, end: float) -> Values:
    """The share of this time, in per cent, in which OP-RED says this word."""
    runs = data.runs.filter(pl.col("variant") == variant).sort("replication")
    shares = (
        data.read("series")
        .filter(
            pl.col("run").is_in(runs["run"].implode()),
            pl.col("variable") == word,
            pl.col("time_s").is_between(start, end, closed="left"),
        )
        .group_by("run")
        .agg(pl.col("value").mean())
    )
    return 100.0 * runs.join(shares, on="run", how="left", maintain_order="left")["value"].to_numpy()


Outcome = tuple[float, Target, Nearest, Reached, Reached]
"""Users, target, the nearest fixed parameters, OP-RED, Adaptive RED."""


@lru_cache(maxsize=2)
def outcomes(study: Study) -> tuple[Outcome, ...]:
    """Every target at every load."""
    return tuple(_outcomes(study))


def _outcomes(study: Study) -> Iterator[Outcome]:
    levels = [study["op-red"].levels(axis) for axis in ("N", "asked_delay", "asked_loss")]
    for users, delay, loss in product(*levels):
        target = Target(delay, 100.0 * loss)
        near = nearest(study, users, target)
        ours, floyd = (reached(study, aqm, users, target, near) for aqm in ("op-red", "adaptive-red"))
        yield users, target, near, ours, floyd


# --- Targets and loads that change ------------------------------------------------------------------------

PERIOD_S, STAGE_S, SETTLED_S = 20.0, 200.0, 100.0
"""Of the scenario; and what is left out at the beginning of a stage."""
TOLERANCE = 1.15
"""Of the acceptance of OP-RED: 15% beyond what can be had."""
FIRST = Target(12, 3)


@dataclass(frozen=True)
class Stage:
    """What is asked for between two changes."""

    start_s: float
    users: int
    target: Target

    @property
    def text(self) -> str:
        """`200 to 400 s, 80 users`."""
        return f"{self.start_s:g} to {self.start_s + STAGE_S:g} s, {self.users} users"


TARGETS_CHANGE = tuple(
    Stage(STAGE_S * n, 20, target)
    for n, target in enumerate((FIRST, Target(7, 5), Target(20, 2.5), Target(5, 2)))
)
LOADS_CHANGE = tuple(Stage(STAGE_S * n, users, FIRST) for n, users in enumerate((20, 80, 20, 40)))
"""As the variants of the scenario have them."""
STAGES = {"targets": TARGETS_CHANGE, "changing-loads": LOADS_CHANGE}
FOLLOWS = {"targets": "op-red-targets", "changing-loads": "op-red-loads"}


@dataclass(frozen=True)
class Followed:
    """An AQM in one stage."""

    delay: Values
    """By replication, the later half of the stage, as `loss`, `excess` and `truth`."""
    loss: Values
    excess: Values
    """Its distance over that of the best fixed parameters, or over 1 where these meet the target."""
    truth: Values
    after_s: Values
    """Until delay and loss, in means of 20 s, are within the tolerance and stay; or infinite."""
    reaches: bool
    """Whether the target can be had."""


def followed(study: Study, experiment: str, variant: str, stage: Stage) -> Followed:
    """An AQM against what RED with fixed parameters could do in this stage."""
    near = nearest(study, stage.users, stage.target)
    bound = max(float(near.distance.mean()), 1.0)
    data = study[experiment]
    mine = pl.col("variant") == variant
    settled = _of(data.stages(SETTLED_S).filter(mine), stage.start_s + SETTLED_S)
    delay, loss = settled["delay_mean"].to_numpy(), settled["loss"].to_numpy()
    truth = (
        said(data, variant, near.word, stage.start_s + SETTLED_S, stage.start_s + STAGE_S)
        if variant in FOLLOWS.values()
        else np.full(delay.size, np.nan)
    )
    periods = data.periods.filter(mine)
    starts = [stage.start_s + PERIOD_S * n for n in range(int(STAGE_S / PERIOD_S))]
    within = np.stack([_within(_of(periods, start), stage.target, bound) for start in starts])
    after = np.array([_from(within[:, run]) for run in range(within.shape[1])])
    excess = stage.target.distance(delay, loss) / bound
    return Followed(delay, loss, excess, truth, after, near.reaches)


def _of(rows: pl.DataFrame, start_s: float) -> pl.DataFrame:
    return rows.filter((pl.col("from_s") - start_s).abs() < 1e-3).sort("replication")


def _within(rows: pl.DataFrame, target: Target, bound: float) -> NDArray[np.bool_]:
    return target.distance(rows["delay_mean"].to_numpy(), rows["loss"].to_numpy()) <= TOLERANCE * bound


def _from(within: Sequence[bool] | NDArray[np.bool_]) -> float:
    """Seconds from which all that follows is within."""
    outside = np.flatnonzero(~np.asarray(within))
    last = 0 if outside.size == 0 else int(outside[-1]) + 1
    return PERIOD_S * last if last < len(within) else float("inf")
