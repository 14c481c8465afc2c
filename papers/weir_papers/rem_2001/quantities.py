"""What only this paper asks for: windows, prices, probabilities along a path, overflow added up."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import SupportsFloat

import numpy as np
import polars as pl
from numpy.typing import NDArray

from weir.theory import mean_window, rem_price, reno_probability
from weir_papers.data import Sample, Study
from weir_papers.quantities import Level, Of, samples_of

PIPE = 640.0
"""Packets of 1000 B that 64 Mbit/s hold in 80 ms."""
ROUND_TRIP_S = 0.08
"""Propagation alone, of all users."""
RADIO_PIPE = 2e6 * ROUND_TRIP_S / 384.0
"""Packets of 48 B that 2 Mbit/s hold in 80 ms: 416.7."""
TARGET = 20.0
"""b*, packets."""
PHI = 1.001
"""Base of REM's probability."""
SETTLED = 20.0
"""Seconds of each period of 50 s that are left out where a settled state is asked for."""

OfPeriods = Callable[[NDArray[np.float64]], SupportsFloat]
"""One number from the values of all periods of a run."""


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


def staged(name: str, unit: str, variant: str, expression: pl.Expr, experiment: str = "wireline") -> Of:
    """An expression of the columns of `stages`, in each settled stage of one variant."""

    def samples(study: Study) -> list[Sample]:
        rows = stages(study, experiment).filter(pl.col("variant") == variant)
        return samples_of(rows.with_columns(expression.alias("_of")), study[experiment], "_of", along=True)

    return Of(name, unit, samples)


def window(variant: str, experiment: str = "wireline") -> Of:
    """Mean congestion window of the flows that are recorded."""
    return staged("mean window", "packets", variant, pl.col("window"), experiment)


def window_over_share(variant: str) -> Of:
    """Mean window over each user's part of pipe and queue, (640 + q) / N."""
    share = (PIPE + pl.col("mean_queue")) / pl.col("users")
    return staged("mean window over (640 + q) / N", "", variant, pl.col("window") / share)


def price(variant: str = "rem-mark") -> Of:
    """REM's mean price."""
    return staged("mean price", "", variant, pl.col("price"))


def price_over_theory() -> Of:
    """REM's mean price over that of 1.5 / W^2 at a queue of b*."""
    theory = -(1.0 - 1.5 / ((PIPE + TARGET) / pl.col("users")) ** 2).log() / float(np.log(PHI))
    return staged("price over that of 1.5 / W²", "", "rem-mark", pl.col("price") / theory)


def theory_price(users: float) -> float:
    """The price at which Reno's windows fill pipe and b*."""
    return rem_price(reno_probability(mean_window(int(users), PIPE, TARGET)), PHI)


def dropping_rest() -> Of:
    """Where equation 2 rests when REM drops: b* - (x - c) / α, with x from what was sent and c = 16 packets
    in 2 ms."""
    arrived = pl.col("arrivals") / (pl.col("to_s") - pl.col("from_s")) * 0.002
    return staged("rest of equation 2", "packets", "rem-drop", TARGET - (arrived - 16.0) / 0.1)


def in_flight(study: Study) -> list[Sample]:
    """REM's packets per user on the wireless link by Little's law: what arrives in a round trip of 80 ms,
    and what waits, over users, in each settled stage."""
    data = study["wireless"]
    rate = pl.col("delivered") / (pl.col("to_s") - pl.col("from_s"))
    each = (rate * ROUND_TRIP_S + pl.col("mean_queue")) / pl.col("users")
    rows = data.stages(SETTLED).filter(pl.col("variant") == "rem").with_columns(each.alias("_of"))
    return samples_of(rows, data, "_of", along=True)


# --- Overflow of the wireless link ------------------------------------------------------------------------


def _overflow(study: Study, variant: str) -> tuple[list[Sample], NDArray[np.float64]]:
    """Packets that overflow in each period: as samples, and of shape (periods, replications)."""
    found = Level("wireless", variant, "drops_overflow", when="periods").samples(study)
    return found, np.stack([sample.values for sample in found])


def cumulative_overflow(variant: str) -> Of:
    """Packets that overflowed since the start, at the end of each period."""

    def samples(study: Study) -> list[Sample]:
        found, counts = _overflow(study, variant)
        step = found[1].at - found[0].at
        total = np.cumsum(counts, axis=0)
        return [Sample(one.place, one.at + step, so_far) for one, so_far in zip(found, total, strict=True)]

    return Of("overflow added up", "packets", samples)


def final_overflow(variant: str) -> Of:
    """All that overflowed in the whole run."""

    def samples(study: Study) -> list[Sample]:
        total = _overflow(study, variant)[1].sum(axis=0)
        return [Sample(study["wireless"].labels[variant], float("nan"), total)]

    return Of("overflow of the whole run", "packets", samples)


def early_share(variant: str) -> Of:
    """The share of the overflow that falls into the first 10 s after a step of the load, of which the
    start of the first users is one."""

    def samples(study: Study) -> list[Sample]:
        found, counts = _overflow(study, variant)
        stage_s = study["wireless"].stage_s or 50.0
        early = np.array([sample.at % stage_s < 10.0 - 1e-6 for sample in found])
        total = counts.sum(axis=0)
        with np.errstate(invalid="ignore", divide="ignore"):
            part = np.where(total > 0.0, 100.0 * counts[early].sum(axis=0) / total, np.nan)
        return [Sample(study["wireless"].labels[variant], float("nan"), part)]

    return Of("overflow within 10 s of a step", "%", samples)


# --- Groups of flows --------------------------------------------------------------------------------------

_ALONG_A_PATH = {
    "marked": "packets of long flows that arrive with a mark",
    "product": "1 - Π(1 - m) over the hops",
    "price": "1 - φ^(-Σp) over the hops",
}


def end_to_end(variant: str, column: str) -> Of:
    """Of the long flows of the parking lot, by number of hops: `marked`, `product` or `price` (REM)."""

    def samples(study: Study) -> list[Sample]:
        data = study["parking-lot"]
        groups = data.table("groups", "period", "group", "mark_fraction", "mark_fraction_product")
        prices = data.read("series").filter(pl.col("variable") == "price", pl.col("time_s") >= 20.0)
        of_prices = (
            prices.group_by("run", "time_s")
            .agg(pl.col("value").sum())
            .group_by("run")
            .agg((100.0 * (1.0 - PHI ** (-pl.col("value")))).mean().alias("price"))
        )
        rows = groups.filter(period=-1, group="long", variant=variant).with_columns(
            (100.0 * pl.col("mark_fraction")).alias("marked"),
            (100.0 * pl.col("mark_fraction_product")).alias("product"),
        )
        rows = rows.join(of_prices, on="run", how="left", maintain_order="left")
        return samples_of(rows, data, column, along=False)

    return Of(_ALONG_A_PATH[column], "%", samples)


def of_group(variant: str, group: str, column: str, name: str, unit: str, scale: float = 1.0) -> Of:
    """A column of the table `groups`, of one group of the mixed path, over the whole run."""

    def samples(study: Study) -> list[Sample]:
        data = study["mixed-path"]
        rows = data.table("groups", "period", "group", column)
        rows = rows.filter(period=-1, group=group, variant=variant)
        return samples_of(rows.with_columns(pl.col(column) * scale), data, column, along=False)

    return Of(name, unit, samples)
