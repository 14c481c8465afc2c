"""Operating points: what is asked for, what can be had, and how far an AQM is from it.

A point is a mean delay and a loss. Its distance from a target is the larger of the two ratios,
delay over target and loss over target: at most 1 where the target is met. What can be had is what RED does
with fixed parameters, on the grid of this reproduction; the pair of parameters that comes nearest is chosen
by its means, and compared replication by replication.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import polars as pl
from numpy.typing import NDArray

from weir_papers.data import Data, Study

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


def _targets(*pairs: tuple[float, float]) -> tuple[Target, ...]:
    return tuple(Target(delay, loss) for delay, loss in pairs)


TARGETS: dict[int, tuple[Target, ...]] = {
    10: _targets((4.8, 1.67), (8.9, 0.79), (12.5, 0.725), (1.8, 1.27), (5.1, 0.45), (9.5, 0.28)),
    20: _targets((4.6, 5.6), (11.1, 2.6), (25.5, 1.98), (1.7, 4.25), (6.3, 1.5), (19.4, 0.76)),
    40: _targets((5.5, 10.6), (10.8, 7.7), (32.0, 5.57), (2.1, 8.1), (6.1, 4.4), (24.5, 2.1)),
    80: _targets((6.2, 16.6), (16.4, 15.0), (28.8, 14.0), (2.3, 12.6), (9.4, 8.5), (21.9, 5.3)),
}
"""By the number of users. The first three can be had: they are what RED with fixed parameters does at the
ends and in the middle of its best points, 5% relaxed (without pairs that use less than three quarters of the
link). The others cannot: 0.4 and 0.8, 0.6 and 0.6, 0.8 and 0.4 of delay and loss of the same points."""


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


def nearest(study: Study, users: int, target: Target) -> Nearest:
    """Of the grid."""
    rows = study["grid"].at(N=users).whole
    means = rows.group_by("max_th", "max_p", maintain_order=True).agg(pl.col("delay_mean", "loss").mean())
    distances = target.distance(means["delay_mean"].to_numpy(), means["loss"].to_numpy())
    place = means.row(int(distances.argmin()), named=True)
    own = rows.filter(pl.col("max_th") == place["max_th"], pl.col("max_p") == place["max_p"]).sort(
        "replication"
    )
    delay, loss = own["delay_mean"].to_numpy(), own["loss"].to_numpy()
    return Nearest(place["max_th"], place["max_p"], delay, loss, target.distance(delay, loss))


@dataclass(frozen=True)
class Reached:
    """Where an AQM came to rest."""

    delay: Values
    loss: Values
    distance: Values
    truth: Values
    """The share of the time in which OP-RED says of its target what is true; NaN for other AQMs."""


def reached(study: Study, aqm: str, users: int, target: Target, near: Nearest) -> Reached:
    """At one target of the experiments of `op-red`, or `adaptive-red`."""
    data = study[f"{aqm}-{users}"].at(target=target.delay)
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


Outcome = tuple[int, Target, Nearest, Reached, Reached]
"""Users, target, the nearest fixed parameters, OP-RED, Adaptive RED."""


@lru_cache(maxsize=2)
def outcomes(study: Study) -> tuple[Outcome, ...]:
    """Every target at every load."""
    return tuple(_outcomes(study))


def _outcomes(study: Study) -> Iterator[Outcome]:
    for users, targets in TARGETS.items():
        asked = study[f"op-red-{users}"].levels("target")
        for target in (one for one in targets if one.delay in asked):
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
