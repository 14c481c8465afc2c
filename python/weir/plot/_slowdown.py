"""Slowdown of transfers: how much longer they take than the shortest possible time, by their size."""

from __future__ import annotations

from typing import cast

import altair as alt
import polars as pl

from weir.plot import style
from weir.plot._averages import distinct
from weir.plot._cut import Cut
from weir.plot._figure import ROWS, Figure
from weir.plot._parts import Family, caption, tooltips
from weir.stats.analysis import ALL
from weir.sweep.dimension import ChartError

QUANTILES = {"slowdown_p50": "Median", "slowdown_p99": "99th percentile"}

FEWEST = 20
"""Transfers that a size must have, in all replications, to be drawn: a percentile of fewer says nothing."""


def slowdown(cut: Cut) -> Figure:
    """Median and 99th percentile of the slowdown by size, on logarithmic axes."""
    if cut.periods:
        raise ChartError("the slowdown is drawn of whole runs: periods cannot be told apart")
    if cut.sweep.completions.is_empty():
        raise ChartError("no flows come and go in this scenario", "traffic.poisson makes some")
    rows = _rows(cut)
    family = Family.of(cut)
    base = alt.Chart(ROWS).encode(
        x=alt.X(
            "upto_bytes:Q",
            title="Size of the transfer (bytes)",
            scale=alt.Scale(type="log"),
            axis=alt.Axis(format="~s", grid=False, tickCount=6),
        ),
        y=alt.Y("slowdown:Q", title="Slowdown", scale=alt.Scale(type="log", domainMin=1)),
    )
    line = base.mark_line(strokeWidth=1.6).encode(**family.encodings("color", "strokeDash"))
    points = base.mark_point(filled=True, size=42).encode(
        tooltip=[
            *tooltips(cut, ("slowdown:Q", "slowdown", 2), ("count:Q", "transfers", None)),
            alt.Tooltip("upto_bytes:Q", title="up to (bytes)", format="~s"),
        ],
        **family.encodings("color", "shape"),
    )
    panel = alt.layer(line, family.choosable(points)).properties(
        width=style.WIDTH, height=style.HEIGHT * 2 // 3
    )
    row = alt.Row("quantile:N", sort=list(QUANTILES.values()), title=None)
    facet = panel.facet(row=row, spacing=12)  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
    return Figure(
        "slowdown-by-size",
        "Slowdown by size",
        caption(
            "Time of a transfer over the least that it could have been: the round trip of its handshake, "
            "propagation, and its bytes at the narrowest link. Points stand at the upper end of their sizes, "
            "over the whole run; means over runs.",
            f"Sizes with fewer than {FEWEST} transfers are left out.",
            cut.said("Runs pooled over"),
        ),
        cast("alt.FacetChart", facet),
        rows,
    )


def _rows(cut: Cut) -> pl.DataFrame:
    """Family, quantile, upto_bytes, slowdown, count (transfers of all runs)."""
    groups = ["family"] if "family" in cut.roles else []
    whole = cut.sweep.completions.filter(pl.col("group") == ALL, pl.col("upto_bytes").is_not_nan())
    columns = ("run", "period", "upto_bytes", "count")
    runs = cut.select(whole, *columns, *(pl.col(name).fill_nan(None) for name in QUANTILES))
    return (
        distinct(runs, [*groups, "upto_bytes"])
        .group_by(*groups, "upto_bytes", maintain_order=True)
        .agg(*(pl.col(name).mean() for name in QUANTILES), pl.col("count").sum())
        .filter(pl.col("count") >= FEWEST)
        .unpivot(
            list(QUANTILES),
            index=[*groups, "upto_bytes", "count"],
            variable_name="quantile",
            value_name="slowdown",
        )
        .with_columns(pl.col("quantile").replace_strict(QUANTILES))
        .sort("upto_bytes", maintain_order=True)
        .select(*groups, "quantile", "upto_bytes", "slowdown", "count")
    )
