"""Operating points: how near AQMs come to a target.

A point is a mean delay and a loss. Its distance from a target is the larger of the two ratios,
delay over target and loss over target: at most 1 where the target is met. What can be had is what RED does
with fixed parameters, on the grid of this reproduction; the pair of parameters that comes nearest is chosen
by its means, and compared replication by replication.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import product

import numpy as np
import polars as pl
from numpy.typing import NDArray

from weir_papers.data import Data, Sample, Study
from weir_papers.quantities import Of, Quantity

Values = NDArray[np.float64]


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
        .group_by("run", maintain_order=True)
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


# --- Quantities -------------------------------------------------------------------------------------------


def at_targets(
    title: str, value: Callable[[Nearest, Reached, Reached], Values], *, reachable: bool, unit: str = ""
) -> Quantity:
    """Of what can be had, OP-RED and Adaptive RED, at every target that can be had, or that cannot."""

    def samples(study: Study) -> list[Sample]:
        return [
            Sample(f"{users:g} users, {target.text}", users, value(near, ours, floyd))
            for users, target, near, ours, floyd in outcomes(study)
            if near.reaches == reachable
        ]

    return Of(title, unit, samples)


def in_stages(title: str, experiment: str, value: Callable[[Followed], Values], unit: str = "") -> Quantity:
    """Of OP-RED in every stage of an experiment in which something changes."""

    def samples(study: Study) -> list[Sample]:
        return [
            Sample(stage.text, stage.start_s, value(followed(study, experiment, FOLLOWS[experiment], stage)))
            for stage in STAGES[experiment]
        ]

    return Of(title, unit, samples)


def exchanged(title: str, *cases: Asked) -> Quantity:
    """What is best for one of two loads and targets, at the other: `misplaced`."""

    def samples(study: Study) -> list[Sample]:
        return [
            Sample(f"{of[0]:g} users, {of[1].text}, with the best for {at[0]:g} users, {at[1].text}",
                   of[0], misplaced(study, of, at))
            for of, at in (cases, cases[::-1])
        ]  # fmt: skip

    return Of(title, "", samples)
