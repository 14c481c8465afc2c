"""Measurements of ns-2.35 where its runs are like a paper's: `ns2.csv` in the package of the paper.

Columns: experiment, variant (as in the scenario), at (position on the axis), measure, mean, low, high (95%
interval over seeds; empty where there is one), seeds. Measures are as in `weir list measures`.
"""

from __future__ import annotations

from functools import lru_cache
from importlib.resources import files

import polars as pl

from weir.plot import Curve

_SCHEMA = {
    "experiment": pl.String, "variant": pl.String, "at": pl.Float64, "measure": pl.String,
    "mean": pl.Float64, "low": pl.Float64, "high": pl.Float64, "seeds": pl.Int64,
}  # fmt: skip


@lru_cache(maxsize=8)
def numbers(package: str) -> pl.DataFrame:
    """All numbers for the paper of this package: `rem_2001`."""
    text = files(f"weir_papers.{package}").joinpath("ns2.csv").read_bytes()
    return pl.read_csv(text, comment_prefix="#", schema=_SCHEMA)


def curve(package: str, experiment: str, variant: str, measure: str, label: str) -> Curve:
    """Curve of one measure of one variant along its positions, to be drawn beside the runs."""
    rows = numbers(package).filter(experiment=experiment, variant=variant, measure=measure).sort("at")
    return Curve(label, rows["at"].to_list(), rows["mean"].to_list(), kind="ns-2")


def mean(package: str, experiment: str, variant: str, measure: str, at: float = 0.0) -> float | None:
    """Mean of one measure; None where ns-2 was not run so."""
    rows = numbers(package).filter(
        pl.col("experiment") == experiment,
        pl.col("variant") == variant,
        pl.col("measure") == measure,
        (pl.col("at") - at).abs() < 1e-9,
    )
    return None if rows.is_empty() else float(rows["mean"][0])
