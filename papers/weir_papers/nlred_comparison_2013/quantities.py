"""What only this paper asks for: measures from the start to some time, flows that lose together, spreads."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import polars as pl

from weir.stats import MEASURES, WHOLE_RUN
from weir_papers.data import Data, Sample, Study
from weir_papers.quantities import Level, Of, Quantity, samples_of


def cumulated(data: Data) -> pl.DataFrame:
    """The periods with `goodput` and `loss`, in per cent, of all the time up to their ends."""
    length = pl.col("to_s") - pl.col("from_s")

    def total(of: pl.Expr) -> pl.Expr:
        return of.cum_sum().over("run", order_by="from_s")

    # Of senders and receivers, as the goodput and the loss of a single period are.
    lost = pl.col("loss") / 100.0 * pl.col("sent")
    return data.periods.with_columns(
        (total(pl.col("goodput") * length) / total(length)).alias("goodput"),
        (100.0 * total(lost) / total(pl.col("sent"))).alias("loss"),
    )


def jain_of(delivered: pl.Expr) -> pl.Expr:
    """(sum x)^2 / (n sum x^2)."""
    return delivered.sum() ** 2 / (delivered.count() * (delivered**2).sum())


def cumulated_jain(data: Data) -> pl.DataFrame:
    """The index of what flows delivered from the start to the end of each period: a row per run and end."""
    ends = data.periods.select("run", "period", "to_s")
    flows = data.table("flows", "period", "flow", "delivered").join(ends, on=["run", "period"])
    so_far = flows.with_columns(
        pl.col("delivered").cast(pl.Float64).cum_sum().over("run", "flow", order_by="to_s").alias("so_far")
    )
    keys = ("run", "variant", "label", "replication", *data.axes, "to_s")
    return so_far.group_by(keys, maintain_order=True).agg(jain_of(pl.col("so_far")).alias("jain"))


def until(experiment: str, variant: str, measure: str, flows: float) -> Quantity:
    """`goodput`, `loss` or `jain` from the beginning to each end of a period, at one number of flows."""
    rows_of: Callable[[Data], pl.DataFrame] = cumulated_jain if measure == "jain" else cumulated

    def made(study: Study) -> list[Sample]:
        data = study[experiment].at(flows=flows)
        rows = rows_of(data).filter(pl.col("variant") == variant).sort("to_s", "replication")
        return [
            Sample(f"{data.labels[variant]}, flows {flows:g}, {end:g} s", end, part[measure].to_numpy())
            for part in rows.partition_by("to_s", maintain_order=True)
            for end in [float(part["to_s"][0])]
        ]

    return Of("fairness" if measure == "jain" else measure, MEASURES[measure].unit, made)


def synchronisation(experiment: str, variant: str) -> Quantity:
    """The share of the flows, in per cent, that lose packets in a loss event (docs/reference/results.md)."""
    column = "loss_synchronisation"

    def made(study: Study) -> list[Sample]:
        data = study[experiment]
        keys = ("period", "link", "direction", "class", "group")
        whole = {"link": "bottleneck", "direction": "forward", "group": "all", "variant": variant}
        rows = data.table("links", *keys, column).filter(pl.col("class") == "all", period=WHOLE_RUN, **whole)
        return samples_of(rows.with_columns(pl.col(column) * 100.0), data, column, along=False)

    return Of("flows that lose packets together", "%", made)


def most_minus_least(experiment: str, variants: Sequence[str], measure: str, name: str) -> Quantity:
    """Over the variants, run by run: the largest value minus the smallest, at each place.

    `name`: what the variants have in common.
    """
    of = [Level(experiment, variant, measure) for variant in variants]

    def made(study: Study) -> list[Sample]:
        axis = study[experiment].axes[-1]
        return [
            Sample(f"{name}, {axis} {one[0].at:g}", one[0].at, np.ptp([s.values for s in one], axis=0))
            for one in zip(*(level.samples(study) for level in of), strict=True)
        ]

    unit = "points" if of[0].unit == "%" else of[0].unit
    return Of(f"spread of {of[0].title} over max_p", unit, made)


# --- Without compatibility with ns-2 ----------------------------------------------------------------------

PLAIN = "-plain"
"""What the name of a variant without ns-2 compatibility ends with."""
_LABEL = " without habits"
JUDGED = ("flows", "max-p", "time")
"""Experiments that claims speak of; `without-flows` is the first of them without ns-2 compatibility."""


def plain(data: Data) -> Data:
    """Variants without ns-2 compatibility under the names of those that have it, which are left out."""
    names = {name: name.removesuffix(PLAIN) for name in data.labels if name.endswith(PLAIN)}

    def renamed(rows: pl.DataFrame) -> pl.DataFrame:
        kept = rows.filter(~pl.col("variant").is_in(list(names.values())))
        return kept.with_columns(pl.col("variant").replace(names), pl.col("label").str.strip_suffix(_LABEL))

    return replace(data, frame=renamed(data.frame), runs=renamed(data.runs), _staged={})


def without(study: Study) -> Study:
    """A study that claims of the main experiments can be judged by."""
    return Study({name: plain(study[f"without-{name}"]) for name in JUDGED}, quick=study.quick)


def plain_places(study: Study) -> Study:
    """The runs of the maps."""
    return Study({"places": plain(study["places"])}, quick=study.quick)
