"""Jain's index over a part of a run, from what each flow delivered."""

from __future__ import annotations

import polars as pl

from weir.papers.data import Data, Sample, Study
from weir.papers.quantities import Of, Quantity


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


def jain_until(experiment: str, variant: str, flows: float) -> Quantity:
    """From the beginning to each end of a period, at one number of flows."""

    def made(study: Study) -> list[Sample]:
        data = study[experiment].at(flows=flows)
        rows = cumulated_jain(data).filter(pl.col("variant") == variant).sort("to_s", "replication")
        return [
            Sample(
                f"{data.labels[variant]}, flows {flows:g}, {part['to_s'][0]:g} s",
                float(part["to_s"][0]),
                part["jain"].to_numpy(),
            )
            for part in rows.partition_by("to_s", maintain_order=True)
        ]

    return Of("fairness", "", made)
