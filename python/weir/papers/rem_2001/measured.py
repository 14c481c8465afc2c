"""What only this paper asks for: windows, prices, probabilities along a path, overflow added up."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import polars as pl

from weir.papers.data import Data, Sample, Study
from weir.papers.quantities import Level, Of, Quantity, samples_of
from weir.papers.rem_2001.experiments import SETTLED
from weir.theory.equilibrium import mean_window, rem_price, reno_probability

PIPE = 640.0
"""Packets of 1000 B that 64 Mbit/s hold in 80 ms."""
ROUND_TRIP_S = 0.08
"""Of propagation alone, of all users."""
RADIO_PIPE = 2e6 * ROUND_TRIP_S / 384.0
"""Packets of 48 B that 2 Mbit/s hold in 80 ms: 416.7."""
TARGET = 20.0
"""b*, packets."""
PHI = 1.001
"""Base of REM's probability."""


@dataclass(frozen=True)
class Staged(Quantity):
    """An expression of the columns of `stages`, in each settled stage of one variant."""

    name: str
    of_unit: str
    experiment: str
    variant: str
    expression: pl.Expr

    @property
    def unit(self) -> str:
        return self.of_unit

    @property
    def title(self) -> str:
        return self.name

    def samples(self, study: Study) -> list[Sample]:
        rows = stages(study, self.experiment).filter(pl.col("variant") == self.variant)
        rows = rows.with_columns(self.expression.alias("_of"))
        return samples_of(rows, study[self.experiment], "_of", along=True)


@lru_cache(maxsize=8)
def stages(study: Study, experiment: str) -> pl.DataFrame:
    """The last 30 s of each stage, with `window` and `price`: means over time of `cwnd` of the flows that
    are recorded and start with the first, and of REM's price; null where there is none."""
    data = study[experiment]
    series = data.read("series").filter(pl.col("variable").is_in(["cwnd", "price"]))
    stage_s = data.stage_s or 50.0
    stage = (pl.col("time_s") / stage_s).floor()
    means = (
        series.with_columns(stage.cast(pl.Int64).alias("period"))
        .filter(pl.col("time_s") >= pl.col("period") * stage_s + SETTLED)
        .group_by("run", "period", "variable")
        .agg(pl.col("value").mean())
        .pivot(on="variable", index=["run", "period"], values="value")
        .rename({"cwnd": "window"}, strict=False)
    )
    for name in ("window", "price"):
        if name not in means.columns:
            means = means.with_columns(pl.lit(None, pl.Float64).alias(name))
    return data.stages(SETTLED).join(means, on=["run", "period"], how="left", maintain_order="left")


def window(variant: str, experiment: str = "wireline") -> Staged:
    """Mean congestion window of the first five flows."""
    return Staged("mean window", "packets", experiment, variant, pl.col("window"))


def window_over_share(variant: str) -> Staged:
    """Mean window over each user's part of pipe and queue, (640 + q) / N."""
    share = (PIPE + pl.col("mean_queue")) / pl.col("users")
    return Staged("mean window over (640 + q) / N", "", "wireline", variant, pl.col("window") / share)


def price(variant: str = "rem-mark") -> Staged:
    """REM's mean price."""
    return Staged("mean price", "", "wireline", variant, pl.col("price"))


def price_over_theory(variant: str = "rem-mark") -> Staged:
    """REM's mean price over that of 1.5 / W^2 at a queue of b*."""
    window = (PIPE + TARGET) / pl.col("users")
    theory = -(1.0 - 1.5 / window**2).log() / float(np.log(PHI))
    return Staged("price over that of 1.5 / W²", "", "wireline", variant, pl.col("price") / theory)


def theory_price(users: float) -> float:
    """The price at which Reno's windows fill pipe and b*."""
    return rem_price(reno_probability(mean_window(int(users), PIPE, TARGET)), PHI)


def overflow(study: Study, variant: str) -> list[Sample]:
    """Packets that overflowed since the start, at the end of each fine period."""
    found = Level("wireless", variant, "drops_overflow", when="periods").samples(study)
    step = found[1].at - found[0].at
    total = np.cumsum(np.stack([sample.values for sample in found]), axis=0)
    return [
        Sample(sample.place, sample.at + step, values) for sample, values in zip(found, total, strict=True)
    ]


def cumulative_overflow(variant: str) -> Of:
    """As a quantity along time."""
    return Of("overflow added up", "packets", lambda study: overflow(study, variant))


def final_overflow(variant: str) -> Of:
    """All that overflowed in the whole run."""

    def last(study: Study) -> list[Sample]:
        end = overflow(study, variant)[-1]
        return [Sample(study["wireless"].labels[variant], float("nan"), end.values)]

    return Of("overflow of the whole run", "packets", last)


def early_share(variant: str, within_s: float = 10.0) -> Of:
    """The share of the overflow that falls into the first seconds after a step of the load, of which the
    start of the first users is one."""

    def share(study: Study) -> list[Sample]:
        counted = Level("wireless", variant, "drops_overflow", when="periods").samples(study)
        stage_s = study["wireless"].stage_s or 50.0
        values = np.stack([sample.values for sample in counted])
        early = np.array([sample.at % stage_s < within_s - 1e-6 for sample in counted])
        total = values.sum(axis=0)
        with np.errstate(invalid="ignore", divide="ignore"):
            part = np.where(total > 0.0, 100.0 * values[early].sum(axis=0) / total, np.nan)
        return [Sample(study["wireless"].labels[variant], float("nan"), part)]

    return Of(f"overflow within {within_s:g} s of a step", "%", share)


def end_to_end(variant: str, column: str) -> Of:
    """Of the long flows of the parking lot, by number of hops: `marked`, `product` or `price` (REM)."""
    names = {
        "marked": "packets of long flows that arrive with a mark",
        "product": "1 - Π(1 - m) over the hops",
        "price": "1 - φ^(-Σp) over the hops",
    }

    def samples(study: Study) -> list[Sample]:
        data = study["parking-lot"]
        rows = _paths(data).filter(pl.col("variant") == variant)
        return samples_of(rows, data, column, along=False)

    return Of(names[column], "%", samples)


def _paths(data: Data) -> pl.DataFrame:
    groups = data.table("groups", "period", "group", "mark_fraction", "mark_fraction_product").filter(
        pl.col("period") == -1, pl.col("group") == "long"
    )
    prices = data.read("series").filter(pl.col("variable") == "price", pl.col("time_s") >= 20.0)
    of_prices = (
        prices.group_by("run", "time_s")
        .agg(pl.col("value").sum())
        .group_by("run")
        .agg((100.0 * (1.0 - PHI ** (-pl.col("value")))).mean().alias("price"))
    )
    return groups.with_columns(
        (100.0 * pl.col("mark_fraction")).alias("marked"),
        (100.0 * pl.col("mark_fraction_product")).alias("product"),
    ).join(of_prices, on="run", how="left", maintain_order="left")


def of_group(variant: str, group: str, column: str, name: str, unit: str, scale: float = 1.0) -> Of:
    """A column of the table `groups`, of one group of the mixed path, over the whole run."""

    def samples(study: Study) -> list[Sample]:
        data = study["mixed-path"]
        rows = data.table("groups", "period", "group", column).filter(
            pl.col("period") == -1, pl.col("group") == group, pl.col("variant") == variant
        )
        return samples_of(rows.with_columns(pl.col(column) * scale), data, column, along=False)

    return Of(name, unit, samples)


def in_flight(study: Study) -> list[Sample]:
    """REM's packets per user on the wireless link by Little's law: what arrives in a round trip of 80 ms,
    and what waits, over users, in each settled stage."""
    data = study["wireless"]
    rows = data.stages(SETTLED).filter(pl.col("variant") == "rem")
    rate = pl.col("delivered") / (pl.col("to_s") - pl.col("from_s"))
    each = (rate * ROUND_TRIP_S + pl.col("mean_queue")) / pl.col("users")
    return samples_of(rows.with_columns(each.alias("_of")), data, "_of", along=True)


def dropping_rest() -> Staged:
    """Where equation 2 rests when REM drops: b* - (x - c) / α, with x from what was sent and c = 16 packets
    in 2 ms."""
    arrived = pl.col("arrivals") / (pl.col("to_s") - pl.col("from_s")) * 0.002
    return Staged("rest of equation 2", "packets", "wireline", "rem-drop", TARGET - (arrived - 16.0) / 0.1)
