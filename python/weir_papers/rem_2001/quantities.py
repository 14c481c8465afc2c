"""What only this paper asks for: windows, prices, probabilities along a path, overflow added up."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import SupportsFloat

import numpy as np
import polars as pl
from numpy.typing import NDArray

from weir.theory import mean_window, rem_price, reno_probability
from weir_papers.data import Sample, Study
from weir_papers.quantities import Level, Of, Quantity, along, relative, samples_of

PIPE = 640.0
"""Packets of 1000 B that 64 Mbit/s hold in 80 ms."""
ROUND_TRIP_S = 0.08
"""Propagation alone, of all users."""
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
        .group_by("run", "period", "variable", maintain_order=True)
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


_UNDER_WAY = (
    pl.col("delivered") / (pl.col("to_s") - pl.col("from_s")) * ROUND_TRIP_S + pl.col("mean_queue")
) / pl.col("users")
"""Packets of each user by Little's law: on the way in a round trip, and in the queue."""


def under_way(variant: str, experiment: str) -> Of:
    """The mean window that goodput and queue tell."""
    return staged("packets under way per user", "packets", variant, _UNDER_WAY, experiment)


def window_over_share(variant: str) -> Of:
    """Mean window over what goodput and queue tell."""
    return staged("mean window over packets under way", "", variant, pl.col("window") / _UNDER_WAY)


def price(variant: str = "rem-mark", experiment: str = "wireline") -> Of:
    """REM's mean price."""
    return staged("mean price", "", variant, pl.col("price"), experiment)


def halfway(variant: str) -> Of:
    """Seconds from each step of the load until the price is half-way between its means of before and after:
    those of the last 30 s of a stage."""

    def samples(study: Study) -> list[Sample]:
        data = study["gains"]
        stage_s = data.stage_s or 50.0
        stage = (pl.col("time_s") / stage_s).floor().cast(pl.Int64)
        prices = data.read("series").filter(variable="price")
        prices = prices.with_columns(
            stage.alias("period"), (pl.col("time_s") - stage * stage_s).alias("since_s")
        )
        # Where the price is, and where it was.
        now = stages(study, "gains").filter(variant=variant).select("run", "period", "price")
        before = now.select("run", pl.col("period") + 1, pl.col("price").alias("before"))
        steps = now.join(before, on=["run", "period"])
        halfway = (
            prices.join(steps, on=["run", "period"])
            .filter(pl.col("value") >= 0.5 * (pl.col("before") + pl.col("price")))
            .group_by("run", "period", maintain_order=True)
            .agg(pl.col("since_s").min())
        )
        rows = stages(study, "gains").filter(pl.col("variant") == variant, pl.col("period") > 0)
        rows = rows.join(halfway, on=["run", "period"], how="left", maintain_order="left")
        return samples_of(rows, data, "since_s", along=True)

    return Of("time until the price is half-way", "s", samples)


def theory_price(users: float) -> float:
    """The price at which Reno's windows fill pipe and b*."""
    return rem_price(reno_probability(mean_window(int(users), PIPE, TARGET)), PHI)


def dropping_rest() -> Of:
    """Where equation 2 rests when REM drops: b* - (x - c) / α, with x from what was sent and c = 16 packets
    in 2 ms."""
    arrived = pl.col("arrivals") / (pl.col("to_s") - pl.col("from_s")) * 0.002
    return staged("rest of equation 2", "packets", "rem-drop", TARGET - (arrived - 16.0) / 0.1)


def only_at(quantity: Quantity, place: float) -> Of:
    """With one number of users, or of hops."""

    def samples(study: Study) -> list[Sample]:
        return [sample for sample in quantity.samples(study) if sample.at == place]

    return Of(quantity.title, quantity.unit, samples, quantity.relevant)


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


def overflow_share(variant: str) -> Of:
    """All that overflowed, of all that arrived."""
    arrived = along(
        Level("wireless", variant, "arrivals", when="periods"), "sum", lambda _, values: float(values.sum())
    )

    def samples(study: Study) -> list[Sample]:
        lost, all_ = final_overflow(variant).samples(study)[0], arrived.samples(study)[0]
        return [Sample(lost.place, lost.at, 100.0 * lost.values / all_.values)]

    return Of("share of packets that overflow", "%", samples)


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
    "told": "what the sum of the hops' measures tells",
    "linear": "ln φ times the sum of the prices",
}
_TOP = 105.413
"""The price at which REM marks 0.1, and where gentle RED's probability of a price bends."""
_KAPPA = 0.002
"""Of the scenario's exponential profile of the queue, per packet."""


def _gentle(price: pl.Expr) -> pl.Expr:
    beyond = (0.1 + 0.9 * (price / _TOP - 1.0)).clip(upper_bound=1.0)
    return pl.when(price < _TOP).then(0.1 * price / _TOP).otherwise(beyond)


def _linear(total: pl.Expr) -> pl.Expr:
    return math.log(PHI) * total


TOLD: dict[str, tuple[str, Callable[[pl.Expr], pl.Expr]]] = {
    "rem": ("price", lambda total: 1.0 - PHI ** (-total)),
    "price-red": ("measure", _gentle),
    "queue-rem": ("measure", lambda total: 1.0 - (-_KAPPA * total).exp()),
}
"""Variant to the variable of each hop, and to the probability that belongs to their sum."""


def end_to_end(variant: str, column: str, experiment: str = "paths") -> Of:
    """Of the long flows, by number of hops: `marked`, `product`, `told`, or `linear` of REM."""

    def samples(study: Study) -> list[Sample]:
        data = study[experiment]
        groups = data.table("groups", "period", "group", "mark_fraction", "mark_fraction_product")
        rows = groups.filter(period=-1, group="long", variant=variant).with_columns(
            (100.0 * pl.col("mark_fraction")).alias("marked"),
            (100.0 * pl.col("mark_fraction_product")).alias("product"),
        )
        if column in ("told", "linear"):
            variable, told = TOLD[variant] if column == "told" else ("price", _linear)
            series = data.read("series").filter(
                pl.col("variable") == variable,
                pl.col("time_s") >= 20.0,
                pl.col("component").str.ends_with("forward"),
            )
            sums = series.group_by("run", "time_s", maintain_order=True).agg(pl.col("value").sum())
            of_runs = sums.group_by("run", maintain_order=True).agg(
                (100.0 * told(pl.col("value"))).mean().alias(column)
            )
            rows = rows.join(of_runs, on="run", how="left", maintain_order="left")
        return samples_of(rows, data, column, along=False)

    return Of(_ALONG_A_PATH[column], "%", samples)


def of_group(experiment: str, variant: str, groups: Sequence[str], column: str = "goodput") -> Of:
    """A column of the table `groups` over the whole run, the mean of some groups; goodput in per cent."""
    scale = 100.0 if column == "goodput" else 1.0

    def samples(study: Study) -> list[Sample]:
        data = study[experiment]
        rows = data.table("groups", "period", "group", column)
        rows = rows.filter(pl.col("group").is_in(groups), period=-1, variant=variant)
        keys = ["run", "variant", "label", "replication", *data.axes]
        means = rows.group_by(keys, maintain_order=True).agg(pl.col(column).mean() * scale)
        return samples_of(means, data, column, along=False)

    return Of(f"{column} of {groups[0]} flows", "%" if column == "goodput" else "", samples)


_CROSS = ("cross1", "cross2", "cross3")


def long_over_cross(variant: str) -> Quantity:
    """Rate of a flow over three bottlenecks over that of one over a single one."""
    return of_group("utilities", variant, ("long",)) / of_group("utilities", variant, _CROSS)


def long_share(variant: str, wait_s: float) -> float:
    """Share of each of three links that the long flows have where utility is greatest (Low, 2000).

    Reno: U' = 1.5 / (x τ)², with the round trip τ as the queues make it. Vegas: U' = α / x. On a symmetric
    path of three links a long flow pays three times a cross flow's price. `wait_s`: in each queue.
    """
    reno = (0.04 + wait_s) / (0.08 + 3.0 * wait_s) / 3.0**0.5
    ratio = 1.0 / 3.0 if variant.startswith("vegas") else reno
    return ratio / (1.0 + ratio)


def against_optimum(variant: str) -> Quantity:
    """By how many per cent the long flows' goodput is above `long_share`."""

    def best(study: Study) -> list[Sample]:
        found = Level("utilities", variant, "mean_queue").samples(study)[0]
        shares = [100.0 * long_share(variant, queue * 8000.0 / 10e6) for queue in found.values]
        return [Sample(found.place, found.at, np.array(shares))]

    return relative(of_group("utilities", variant, ("long",)), Of("goodput at the optimum", "%", best))
