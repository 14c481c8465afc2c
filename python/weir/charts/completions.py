"""Transfers: how much longer they take than they must, by their size."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import altair as alt
import polars as pl

from weir.analysis import ALL, has_transfers
from weir.charts import style
from weir.charts.dimension import ChartError
from weir.charts.figure import ROWS, Figure
from weir.tables import WHOLE_RUN

if TYPE_CHECKING:
    from weir.result import Result

QUANTILES = {"slowdown_p50": "Median", "slowdown_p99": "99th percentile"}

FEWEST = 20
"""Transfers that a size must have, in all replications, to be drawn: below, a percentile says nothing."""


def slowdowns(result: Result) -> pl.DataFrame:
    """Slowdown by size over the whole run, means over replications.

    Columns: label, quantile, upto_bytes, slowdown, count (transfers of all replications). Sizes of which
    there are fewer than twenty transfers are left out.
    """
    by_size = (
        result.completions.filter(
            pl.col("period") == WHOLE_RUN, pl.col("group") == ALL, pl.col("upto_bytes").is_not_nan()
        )
        .with_columns(pl.col(name).fill_nan(None) for name in QUANTILES)
        .group_by("label", "upto_bytes", maintain_order=True)
        .agg(*(pl.col(name).mean() for name in QUANTILES), pl.col("count").sum())
        .filter(pl.col("count") >= FEWEST)
    )
    return (
        by_size.unpivot(
            list(QUANTILES),
            index=["label", "upto_bytes", "count"],
            variable_name="quantile",
            value_name="slowdown",
        )
        .with_columns(pl.col("quantile").replace_strict(QUANTILES))
        .sort("upto_bytes", maintain_order=True)
        .select("label", "quantile", "upto_bytes", "slowdown", "count")
    )


def slowdown_by_size(result: Result) -> Figure:
    """Median and 99th percentile of the slowdown by size, on logarithmic axes."""
    if not has_transfers(result.tables):
        raise ChartError("no flows come and go in this scenario", "traffic.poisson makes some")
    labels = list(result.record.labels.values())
    base = alt.Chart(ROWS).encode(
        x=alt.X(
            "upto_bytes:Q",
            title="Size of the transfer (bytes)",
            scale=alt.Scale(type="log"),
            axis=alt.Axis(format="~s", grid=False, tickCount=6),
        ),
        y=alt.Y("slowdown:Q", title="Slowdown", scale=alt.Scale(type="log", domainMin=1)),
        color=style.colour(labels, style.FILLED),
    )
    line = base.mark_line(strokeWidth=1.6).encode(strokeDash=style.dash(labels, style.FILLED))
    points = base.mark_point(filled=True, size=42, opacity=1).encode(
        shape=style.shape(labels, style.FILLED),
        tooltip=[
            alt.Tooltip("label:N", title="Variant"),
            alt.Tooltip("upto_bytes:Q", title="Up to (bytes)", format="~s"),
            alt.Tooltip("slowdown:Q", title="Slowdown", format=".2f"),
            alt.Tooltip("count:Q", title="Transfers"),
        ],
    )
    panel = alt.layer(line, points).properties(width=style.WIDTH, height=style.HEIGHT * 2 // 3)
    row = alt.Row("quantile:N", sort=list(QUANTILES.values()), title=None)
    facet = panel.facet(row=row, spacing=12)  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
    return Figure(
        "slowdown-by-size",
        "Slowdown by size",
        "Time of a transfer over the least that it could have been: the round trip of its handshake, "
        "propagation, and its bytes at the narrowest link. Points stand at the upper end of their sizes, "
        f"over the whole run; means over {result.record.replications} replications. Sizes with fewer than "
        f"{FEWEST} transfers are left out.",
        cast("alt.FacetChart", facet),
        slowdowns(result),
    )
