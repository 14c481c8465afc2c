"""Rates and prices on their way to the optimum."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

import altair as alt
import numpy as np
import polars as pl

from weir.plot import _style as style
from weir.plot._chart import Pen, panel, side
from weir.plot._figure import Figure
from weir.theory import Study, Vector

SLOTS = 300
"""Slots of a curve, about one per pixel and a half."""


def convergence(study: Study) -> Figure:
    """Rates above, prices below, step by step, with the optimum as dotted lines."""
    trajectory, network, optimum = study.trajectory, study.network, study.optimum
    rates = _curves([source.name for source in network.sources], trajectory.rates, optimum.rates)
    prices = _curves([link.name for link in network.links], trajectory.prices, optimum.prices)
    scale = {"type": "log", "domain": [1, max(2, trajectory.steps)], "nice": False}
    kinds = {"rate": (rates, "Rate (packets/s)", None, "Source"), "price": (prices, "Price", "Step", "Link")}
    panels: list[alt.LayerChart] = []
    for kind, (rows, title, below, legend) in kinds.items():
        labels = rows["label"].unique(maintain_order=True).to_list()
        look = style.look(labels, alt.Legend(symbolSize=500, symbolType="stroke", title=legend))
        x = side("x", below, scale=scale, axis={"grid": False, "format": "~s"})
        pen = Pen(x, side("y", title), look).where(f"datum.kind == '{kind}'")
        layers = [
            pen("area", "color", x="step", y="lowest", y2="highest", fillOpacity=0.22),
            pen("line", "color", "strokeDash", x="step", y="mean", strokeWidth=1.6),
            pen("line", "color", x="step", y="optimum", strokeDash=[1, 3], strokeWidth=1.2),
        ]
        panels.append(panel(layers, style.WIDTH, 190))
    both: Any = alt.vconcat(*panels)
    return Figure(
        f"ofc-{network.name}",
        f"Optimisation flow control: {network.name}",
        "Rates of the sources and prices of the links, step by step, from prices of zero. Dotted: the "
        "optimum that another solver finds. Bands show the lowest and highest of the steps between two "
        "points.",
        cast("alt.VConcatChart", both.resolve_scale(color="independent", strokeDash="independent")),
        pl.concat(rows.select(pl.lit(kind).alias("kind"), pl.all()) for kind, (rows, *_) in kinds.items()),
    )


def _curves(labels: Sequence[str], values: Vector, optimum: Vector) -> pl.DataFrame:
    """Curves in at most SLOTS slots of logarithmic width, nothing cut off."""
    edges = np.unique(np.rint(np.geomspace(1, max(2, len(values) - 1), SLOTS))).astype(np.int64)
    starts = edges[edges < len(values)]
    counts = np.diff(np.append(starts, len(values)))[:, None]
    sides = {"lowest": np.minimum.reduceat(values, starts), "highest": np.maximum.reduceat(values, starts)}
    sides |= {"mean": np.add.reduceat(values, starts) / counts}
    numbers = {name: ends.T.ravel() for name, ends in sides.items()}
    each = {"label": np.repeat(labels, len(starts)), "step": np.tile(starts, len(labels))}
    return pl.DataFrame({**each, **numbers, "optimum": np.repeat(optimum, len(starts))})
