"""Rates and prices on their way to the optimum."""

from __future__ import annotations

from typing import Literal

import altair as alt
import numpy as np
import polars as pl

from weir.plot import style
from weir.plot._figure import ROWS, Figure
from weir.theory.network import Vector
from weir.theory.study import Study

SLOTS = 300
"""Of a curve: about one per pixel and a half."""

_HEIGHT = 190


def convergence(study: Study) -> Figure:
    """Rates above, prices below, step by step, with the optimum as dotted lines."""
    trajectory, network = study.trajectory, study.network
    sources = [source.name for source in network.sources]
    links = [link.name for link in network.links]
    rows = pl.concat(
        [
            _curves("rate", sources, trajectory.rates, study.optimum.rates),
            _curves("price", links, trajectory.prices, study.optimum.prices),
        ]
    )
    chart: alt.VConcatChart = alt.vconcat(
        _panel("rate", sources, "Rate (packets/s)", trajectory.steps),
        _panel("price", links, "Price", trajectory.steps),
    ).resolve_scale(  # pyright: ignore[reportUnknownMemberType]
        color="independent", strokeDash="independent"
    )
    return Figure(
        f"ofc-{network.name}",
        f"Optimisation flow control: {network.name}",
        "Rates of the sources and prices of the links, step by step, from prices of zero. Dotted: the "
        "optimum that another solver finds. Bands show the lowest and highest of the steps between two "
        "points.",
        chart,
        rows,
    )


def _panel(
    kind: Literal["rate", "price"], labels: list[str], title: str, steps: int
) -> alt.LayerChart | alt.FacetChart:
    x = alt.X(
        "step:Q",
        title="Step" if kind == "price" else None,
        axis=alt.Axis(grid=False, format="~s"),
        scale=alt.Scale(type="log", domain=[1, max(2, steps)], nice=False),
    )
    legend = alt.Legend(symbolSize=500, symbolType="stroke", title="Source" if kind == "rate" else "Link")
    colour = style.colour(labels, legend)
    base = alt.Chart(ROWS).transform_filter(f"datum.kind == '{kind}'")
    curve = base.encode(x=x, color=colour)
    band = curve.mark_area(fillOpacity=0.22).encode(y=alt.Y("lowest:Q", title=title), y2="highest:Q")
    line = curve.mark_line(strokeWidth=1.6).encode(
        y=alt.Y("mean:Q", title=title), strokeDash=style.dash(labels, legend)
    )
    rule = base.mark_rule(strokeDash=[1, 3], strokeWidth=1.2).encode(
        y=alt.Y("optimum:Q", aggregate="mean", title=title), color=colour
    )
    return alt.layer(band, line, rule).properties(width=style.WIDTH, height=_HEIGHT)


def _curves(kind: str, labels: list[str], values: Vector, optimum: Vector) -> pl.DataFrame:
    """In at most SLOTS slots of logarithmic width, nothing cut off."""
    steps = np.arange(1, len(values))
    edges = np.unique(np.rint(np.geomspace(1, max(2, len(values) - 1), SLOTS)))
    slot = np.searchsorted(edges, steps, side="right")
    frames = [
        pl.DataFrame({"step": steps, "value": values[1:, index], "slot": slot})
        .group_by("slot", maintain_order=True)
        .agg(
            pl.col("step").first().cast(pl.Float64),
            pl.col("value").min().alias("lowest"),
            pl.col("value").mean().alias("mean"),
            pl.col("value").max().alias("highest"),
        )
        .select(
            pl.lit(kind).alias("kind"),
            pl.lit(label).alias("label"),
            "step",
            "lowest",
            "mean",
            "highest",
            pl.lit(float(optimum[index])).alias("optimum"),
        )
        for index, label in enumerate(labels)
    ]
    return pl.concat(frames)
