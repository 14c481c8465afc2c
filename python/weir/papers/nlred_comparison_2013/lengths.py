"""Measures against the length of a run, as figures 8 and 9 have them.

A simulation that ends earlier is the beginning of one that ends later with the same seed, so what a run of T
seconds would have measured are the counts of the first T seconds of a longer one.
"""

from __future__ import annotations

from typing import Literal

import polars as pl

from weir.papers.data import Data, Sample, Study
from weir.papers.quantities import Of, Quantity

CumulativeMeasure = Literal["goodput", "loss"]


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


def until(experiment: str, variant: str, measure: CumulativeMeasure, flows: float) -> Quantity:
    """The measure from the beginning to each end of a period, at one number of flows."""

    def made(study: Study) -> list[Sample]:
        data = study[experiment].at(flows=flows)
        rows = cumulated(data).filter(pl.col("variant") == variant).sort("to_s", "replication")
        return [
            Sample(
                f"{data.labels[variant]}, flows {flows:g}, {part['to_s'][0]:g} s",
                float(part["to_s"][0]),
                part[measure].to_numpy(),
            )
            for part in rows.partition_by("to_s", maintain_order=True)
        ]

    return Of(measure, "%", made)
