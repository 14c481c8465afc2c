"""Delay against goodput, run by run: how good a discipline is, and how steady.

The plot of RFC 7928, section 2.7, after K. Winstein (Transport Architectures for an Evolving
Internet, 2014): the delay axis runs backwards, so that better is up and to the right.
"""

from __future__ import annotations

from typing import Any, cast

import altair as alt
import numpy as np
import polars as pl

from weir.plot._averages import distinct
from weir.plot._cut import Cut, Role, thinned
from weir.plot._figure import ROWS, Figure
from weir.plot._parts import Family, caption, faceted, tooltips
from weir.stats.measures import MEASURES
from weir.sweep.dimension import ChartError

DOTS = 2_000
"""Drawn at most."""

CORNERS = 40
"""Of an ellipse drawn as a polygon."""

X, Y = MEASURES["delay_mean"], MEASURES["goodput"]


def ellipses(cut: Cut) -> Figure:
    """A dot per run, and per family an ellipse of one standard deviation and the median."""
    groups: list[Role] = [role for role in cut.roles if role in {"family", "facet"}]
    observed = cut.observed([X.name, Y.name])
    different = distinct(observed, groups)
    runs = different.select(*groups, pl.col(X.name).alias("x"), pl.col(Y.name).alias("y")).drop_nulls()
    if len(runs) < 2:
        raise ChartError("one run alone has no spread to draw", "ask for replications")
    dots = thinned(runs, DOTS)
    summary = _summary(runs, groups)
    shape = {"part": pl.String, "corner": pl.Int64, "n": pl.Int64}
    rows = pl.concat(
        [
            dots.with_columns(part=pl.lit("run")),
            _outlines(summary, groups),
            summary.select(
                *groups, pl.col("x_median").alias("x"), pl.col("y_median").alias("y"), "n",
                part=pl.lit("median"),
            ),
        ],
        how="diagonal",
    ).select(
        *groups, "x", "y",
        *(pl.col(name).cast(kind) for name, kind in shape.items()),
    )  # fmt: skip
    drawn = f", {len(dots):,} of {len(runs):,} drawn" if len(dots) < len(runs) else ""
    flat = "" if _has_outlines(rows) else "The runs do not spread: no ellipses."
    return Figure(
        "delay-goodput",
        "Goodput against mean delay, run by run",
        caption(
            "Better is up and to the right: the delay runs backwards.",
            f"A dot is a run{drawn}. An ellipse is one standard deviation of the normal distribution "
            "fitted to all runs of one colour by maximum likelihood; the large symbol is their median.",
            "A run that serves several points counts once." if len(different) < len(observed) else "",
            flat,
            "Each panel has axes of its own." if "facet" in cut.roles else "",
            cut.said("Runs pooled over"),
        ),
        faceted(cut, _layers(cut, rows), 0.75, own_axes=("x", "y")),
        rows,
    )


def _summary(runs: pl.DataFrame, groups: list[Role]) -> pl.DataFrame:
    """Per group: medians, means and the maximum-likelihood covariance."""
    numbers: list[pl.Expr] = [
        pl.col("x").median().alias("x_median"),
        pl.col("y").median().alias("y_median"),
        pl.col("x").mean().alias("x_mean"),
        pl.col("y").mean().alias("y_mean"),
        pl.col("x").var(ddof=0).alias("x_var"),
        pl.col("y").var(ddof=0).alias("y_var"),
        # Centred first: the difference of two large products would lose its digits.
        ((pl.col("x") - pl.col("x").mean()) * (pl.col("y") - pl.col("y").mean())).mean().alias("cov"),
        pl.len().cast(pl.Int64).alias("n"),
    ]
    if groups:
        return runs.group_by(groups, maintain_order=True).agg(numbers)
    return runs.select(numbers)


def _outlines(summary: pl.DataFrame, groups: list[Role]) -> pl.DataFrame:
    """Corners of the ellipse of each group whose runs spread at all; a line if along a line only."""
    spread = summary.filter((pl.col("x_var") > 0.0) | (pl.col("y_var") > 0.0))
    covariance = np.empty((len(spread), 2, 2))
    covariance[:, 0, 0], covariance[:, 1, 1] = spread["x_var"], spread["y_var"]
    covariance[:, 0, 1] = covariance[:, 1, 0] = spread["cov"]
    # Each axis by its own unit: a covariance of ms and % is badly scaled.
    unit = np.sqrt(np.stack([spread["x_var"].to_numpy(), spread["y_var"].to_numpy()], axis=1))
    unit[unit == 0.0] = 1.0
    values, vectors = np.linalg.eigh(covariance / (unit[:, :, None] * unit[:, None, :]))
    half = vectors * np.sqrt(np.clip(values, 0.0, None))[:, None, :]
    angle = np.linspace(0.0, 2.0 * np.pi, CORNERS + 1)
    circle = np.stack([np.cos(angle), np.sin(angle)])
    # Shape: groups, sides, corners.
    around = (half @ circle) * unit[:, :, None]
    corners = spread.select(*groups, "x_mean", "y_mean").with_columns(
        pl.Series("x", around[:, 0, :]), pl.Series("y", around[:, 1, :])
    )
    sides = corners.with_columns(corner=pl.lit(list(range(CORNERS + 1)))).explode("x", "y", "corner")
    return sides.select(
        *groups,
        pl.col("x") + pl.col("x_mean"),
        pl.col("y") + pl.col("y_mean"),
        "corner",
        part=pl.lit("ellipse"),
    )


def _has_outlines(rows: pl.DataFrame) -> bool:
    return not rows.filter(pl.col("part") == "ellipse").is_empty()


def _layers(cut: Cut, rows: pl.DataFrame) -> list[alt.Chart]:
    family = Family.of(cut)
    colour = family.encodings("color")
    loose: dict[str, Any] = {"zero": False, "padding": 8}
    # The tail of a normal distribution may lie below zero; no delay does.
    beyond = cast("float", rows["x"].min() or 0.0) < 0.0
    ends: dict[str, Any] = {"domainMin": 0} if beyond else {}
    base = alt.Chart(ROWS).encode(
        x=alt.X(
            "x:Q", title=X.heading, scale=alt.Scale(reverse=True, **loose, **ends), axis=alt.Axis(tickCount=5)
        ),
        y=alt.Y("y:Q", title=Y.heading, scale=alt.Scale(**loose), axis=alt.Axis(tickCount=5)),
    )

    def part(name: str, chart: alt.Chart) -> alt.Chart:
        return chart.transform_filter(f"datum.part == '{name}'").encode(**colour)

    runs = len(rows.filter(pl.col("part") == "run"))
    small = 14 if runs <= 300 else 6
    values = [("x:Q", X.heading, X.decimals), ("y:Q", Y.heading, Y.decimals)]
    dots = part(
        "run",
        base.mark_circle(size=small, fillOpacity=0.45 if runs <= 300 else 0.3).encode(
            tooltip=tooltips(cut, *values)
        ),
    )
    outline = part(
        "ellipse",
        base.mark_line(strokeWidth=1.4, clip=beyond).encode(
            order="corner:Q", **family.encodings("strokeDash")
        ),
    )
    median = part(
        "median",
        base.mark_point(
            filled=True, size=45 if "facet" in cut.roles else 80, stroke="white", strokeWidth=0.8
        ).encode(tooltip=tooltips(cut, *values, ("n:Q", "runs", None)), **family.encodings("shape")),
    )
    return [dots, outline, family.choosable(median)]
