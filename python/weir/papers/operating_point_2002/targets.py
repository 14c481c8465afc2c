"""Operating points: what is asked for, what can be had, and how far a law is from it.

A point is a mean delay and a loss. Its distance from a target is the larger of the two ratios,
delay over target and loss over target: at most 1 where the target is met. What can be had is what RED does
with fixed parameters, on the grid of this reproduction; the pair of parameters that comes nearest is chosen
by its means, and compared replication by replication.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from weir.papers.data import Data, Study

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
    """Where a law came to rest."""

    delay: Values
    loss: Values
    distance: Values
    truth: Values
    """The share of the time in which OP-RED says of its target what is true; NaN for other laws."""


def reached(study: Study, law: str, users: int, target: Target, near: Nearest) -> Reached:
    """At one target of the experiments of `op-red`, or `adaptive-red`."""
    data = study[f"{law}-{users}"].at(target=target.delay)
    rows = data.whole.sort("replication")
    delay, loss = rows["delay_mean"].to_numpy(), rows["loss"].to_numpy()
    length = 600.0
    truth = said(data, law, near.word, length / 2, length) if law == "op-red" else delay * np.nan
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
