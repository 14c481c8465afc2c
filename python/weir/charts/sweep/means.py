"""Means of runs and their intervals."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import polars as pl

Quantile = Callable[[int], float]
"""Of Student's t, for so many degrees of freedom."""


def distinct(rows: pl.DataFrame, keys: Sequence[str]) -> pl.DataFrame:
    """Every run, or period of a run, once among the rows with the same keys.

    Points are the same runs where they differ in an axis only that a variant does not have, or
    coincide.
    """
    return rows.unique([*keys, "run", "period"], keep="first", maintain_order=True)


def interval(
    observed: pl.DataFrame, keys: Sequence[str], measure: str, quantile: Quantile, parts: int | None = None
) -> pl.DataFrame:
    """Mean of a measure with its 95% interval over replications: keys, measure, mean, low, high, n.

    `observed` has a replication column; several rows of a replication are averaged first. A
    replication counts if it has as many values as any of the same keys, and `parts` rows.
    """
    by = list(keys) or [pl.lit(0).alias("_all")]
    runs = observed.group_by(*by, "replication").agg(
        pl.col(measure).mean().alias("value"),
        pl.col(measure).count().alias("parts"),
        pl.len().alias("rows"),
    )
    if parts is not None:
        runs = runs.filter(pl.col("rows") == parts)
    shared = pl.col("parts") == pl.col("parts").max().over(list(keys) or ["_all"])
    cells = summary(runs.filter(shared), list(keys), quantile)
    return cells.select(*keys, pl.lit(measure).alias("measure"), "mean", "low", "high", "n")


def summary(values: pl.DataFrame, keys: Sequence[str], quantile: Quantile) -> pl.DataFrame:
    """Of a column `value` of independent values: keys, mean, low, high, n. No interval of one."""
    by = list(keys) or [pl.lit(0).alias("_all")]
    cells = values.group_by(by).agg(
        pl.col("value").mean().alias("mean"),
        pl.col("value").std(ddof=1).alias("sd"),
        pl.col("value").count().cast(pl.Int64).alias("n"),
    )
    quantiles = {n: quantile(n - 1) for n in cells["n"].unique().to_list() if n > 1}
    half_width = (
        pl.col("n").replace_strict(quantiles, default=None, return_dtype=pl.Float64)
        * pl.col("sd")
        / pl.col("n").cast(pl.Float64).sqrt()
    )
    return cells.with_columns(low=pl.col("mean") - half_width, high=pl.col("mean") + half_width).drop("sd")
