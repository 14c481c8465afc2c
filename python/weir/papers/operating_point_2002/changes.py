"""Targets and loads that change on the way: what is asked for when, and where a law is then."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from weir.papers.data import Study
from weir.papers.operating_point_2002.targets import Target, nearest, said

Values = NDArray[np.float64]

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
    """A law in one stage."""

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
    """A law against what RED with fixed parameters could do in this stage."""
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
