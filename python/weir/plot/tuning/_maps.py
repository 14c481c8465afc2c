"""Maps of tuning: the worst ratio of measure to bound over the box, and where a setting holds."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from math import exp, log, sqrt
from typing import Any

import altair as alt
import numpy as np
import polars as pl

from weir.plot import _chart as chart
from weir.plot import _style as style
from weir.plot._figure import Figure
from weir.plot._maps import verdict_map
from weir.plot.tuning._data import Data
from weir.plot.tuning._effects import READ, shortfall_curve
from weir.sweep._axes import Axis
from weir.tune._region import MapCell
from weir.tune._text import (
    SIGNS,
    measured,
    names_of,
    number_words,
    sentence_case,
    setting_words,
    target_words,
    worst_corner,
)

MOST = 3.0
"""Ratio from which a colour is as strong as it gets."""


def shortfall(data: Data) -> Figure | None:
    """The worst ratio over the box; None where there is no picture of it: nothing tried, or no grid."""
    match len(data.axes):
        # With one target, its measure along the parameter is the same picture.
        case 1 if data.searched and len(data.answer.chosen.outcomes) > 1:
            return shortfall_curve(data)
        case 2 | 3 if data.combined:
            return _map(data)
        case _:
            return None


def _map(data: Data) -> Figure:
    slices = data.levels[2] if len(data.axes) == 3 else [0.0]
    edges = [_edges(data, index) for index in (0, 1)]
    rows = _rows(data, slices, edges)
    several = len(slices) > 1
    size = (180, 180) if several else (style.WIDTH, style.HEIGHT)
    panels = [
        chart.panel(_layers(data, index, edges), *size, data.level(2, number) if several else "")
        for index, number in enumerate(slices)
    ]
    said = [
        f"The worst ratio of measure to bound at the settings that were run. {READ}",
        "Cells are the coarse design, circles what was tried between its settings.",
        data.marks_said,
    ]
    if several:
        said.append(f"What lies between two panels is drawn in the one with the nearest {data.titles[2]}.")
    if data.conditions > 1:
        said.append(f"The worst of {data.conditions} conditions.")
    drawn = chart.beside(panels, len(panels))
    return Figure("shortfall", "Where the targets are met", " ".join(said), drawn, rows)


def _rows(data: Data, slices: Sequence[float], edges: Sequence[Sequence[float]]) -> pl.DataFrame:
    """Cells, settings between them, the defaults and the chosen setting: kind, text, panel, place."""
    kind = pl.when("design").then(pl.lit("cell")).otherwise(pl.lit("between")).alias("kind")
    ratio = pl.col("shortfall").exp().map_elements(_ratio, pl.String)
    frames = [data.points.select(*data.columns, "shortfall", "setting", kind, ratio.alias("text"))]
    for mark, judged, places_ in data.marks:
        at = [place for place in places_ if place is not None]
        inside = all(e[0] <= place <= e[-1] for e, place in zip(edges, at, strict=False))
        if len(at) == len(data.axes) and (mark == "chosen" or inside):
            named = {"shortfall": judged.worst.shortfall, "setting": data.named(at), "kind": mark}
            frames.append(pl.DataFrame([{**dict(zip(data.columns, at, strict=True)), **named}]))
    rows = pl.concat(frames, how="diagonal")
    cell = pl.col("kind") == "cell"
    places: list[pl.Expr] = []
    for name, column, levels, ends in zip("xy", data.columns, data.levels, edges, strict=False):
        at = pl.col(column)
        for end, values in (("from", ends[:-1]), ("to", ends[1:])):
            edge = at.replace_strict(levels, values, default=None, return_dtype=pl.Float64)
            places.append(pl.when(cell).then(edge).otherwise(at).alias(f"{name}_{end}"))
        places.append(at.alias(name))
    panels = np.zeros(len(rows), dtype=np.int64)
    if len(slices) > 1:
        both = [rows["p2"].to_numpy(), np.array(slices)]
        at, there = (np.log(np.maximum(one, 1e-300)) if data.axes[2].log else one for one in both)
        panels = np.abs(at[:, None] - there[None, :]).argmin(axis=1)
    numbers = pl.col("shortfall"), pl.col("shortfall").exp().alias("ratio")
    return rows.select(pl.Series("panel", panels), "kind", "setting", "text", *places, *numbers)


def _edges(data: Data, index: int) -> list[float]:
    """Of the cells along a parameter: halfway between levels, and as far beyond the first and the last."""
    levels = data.levels[index]
    if data.axes[index].log:
        middles = [sqrt(low * high) for low, high in pairwise(levels)]
        return [levels[0] ** 2 / middles[0], *middles, levels[-1] ** 2 / middles[-1]]
    middles = [(low + high) / 2 for low, high in pairwise(levels)]
    return [2 * levels[0] - middles[0], *middles, 2 * levels[-1] - middles[-1]]


def _ratio(ratio: float) -> str:
    return f"{ratio:.2f}" if ratio < 10.0 else f"{ratio:.0f}"


def _layers(data: Data, index: int, edges: Sequence[Sequence[float]]) -> list[alt.Chart]:
    sides: list[chart.Side] = []
    for axis, channel in enumerate(("x", "y")):
        ticks: dict[str, Any] = {"grid": False, "values": data.levels[axis], "format": ".3~g"}
        low, *_, high = edges[axis]
        log_ = data.axes[axis].log
        sides.append(chart.span(channel, data.heading(axis), low, high, log=log_, clamp=True, **ticks))
    pen = chart.Pen(sides[0], sides[1]).where(f"datum.panel === {index}")
    # A bound on the logarithm at which colours end, and in the legend ratios again.
    # With a step at zero: on which side of the bound a cell is has to be seen at once.
    scale = alt.Scale(
        domain=[-log(MOST), -1e-9, 1e-9, log(MOST)],
        range=["#4a90c2", "#d6e8f4", "#fdf1d6", style.MISSED],
        clamp=True,
        interpolate="rgb",
    )
    legend = alt.Legend(
        title="Worst ratio of measure to bound",
        values=[log(ratio) for ratio in (1 / 3, 1 / 2, 1.0, 2.0, 3.0)],
        labelExpr="format(exp(datum.value), '.2~f')",
        gradientLength=200,
        gradientThickness=10,
    )
    colour = alt.Color("shortfall:Q", scale=scale, legend=legend)
    tips = chart.tooltips(("setting:N", "setting", None), ("ratio:Q", "worst ratio", ".3~g"))
    cell, tried, *marks = (
        pen.where(f"datum.kind === '{kind}'") for kind in ("cell", "between", "defaults", "chosen")
    )
    ends = {"x": "x_from", "x2": "x_to", "y": "y_from", "y2": "y_to"}
    dots: dict[str, Any] = {"filled": True, "size": 60, "stroke": "black", "strokeWidth": 0.8, "opacity": 1}
    layers = [
        cell("rect", **ends, stroke="white", strokeWidth=0.5).encode(color=colour, tooltip=tips),
        cell("text", fontSize=10, dy=15).encode(text="text:N"),
        tried("point", **dots).encode(color=colour, tooltip=tips),
    ]
    for mark, ink, shape in zip(marks, (style.INK, style.STRONG), ("square", "diamond"), strict=True):
        outline: dict[str, Any] = {"shape": shape, "stroke": ink, "strokeWidth": 2.4, "opacity": 1}
        layers.append(mark("point", size=130, filled=False, **outline).encode(tooltip=tips))
    return layers


def robustness(axes: Sequence[Axis], cells: Sequence[MapCell]) -> Figure:
    """A cell per condition: met, missed or open, with the worst target's ratio; the worst corner framed."""
    corner = worst_corner(cells)
    titles = [sentence_case(name) for name in names_of([axis.column for axis in axes])]
    headings = [
        f"{title} ({axis.unit})".removesuffix(" ()") for title, axis in zip(titles, axes, strict=True)
    ]
    rows: list[dict[str, Any]] = []
    panels: dict[float, str] = {}
    for cell in cells:
        at = [float(axis.drawn(value)) for axis, (_, value) in zip(axes, cell.condition, strict=True)]
        x, y, across = [*at, 0.0, 0.0][:3]
        panels[across] = ""
        if len(axes) > 2:
            panels[across] = f"{titles[2]} {number_words(across)} {axes[2].unit}".rstrip()
        place = {"panel": panels[across], "x": x, "y": y, "inside": cell.inside, "framed": cell is corner}
        said = {"verdict": cell.state, "sign": SIGNS[cell.state], "text": _ratio(exp(cell.worst.shortfall))}
        worst = f"{measured(cell.worst)}, target {target_words(cell.worst.target)}"
        rows.append({**place, **said, "setting": setting_words(cell.condition), "worst": worst})
    shown = {"setting": "condition", "verdict": "verdict", "worst": "worst target", "text": "ratio"}
    frame, named = pl.DataFrame(rows), {panels[across]: panels[across] for across in sorted(panels)}
    drawn = verdict_map(frame, list(SIGNS), headings[:2], named, shown, (420 if len(axes) < 3 else 210, 34))
    inside = [cell.state for cell in cells if cell.inside]
    caption = (
        f"{inside.count('met')} of {len(inside)} conditions of the region meet every target. ✓ met, "
        f"✗ missed, ? open: the 95% interval of {corner.worst.values.size} fresh seeds has the bound inside. "
        "The number is the worst ratio of measure to bound; pale cells lie outside the region, a step "
        "beyond its ends. Black frame: the worst condition inside."
    )
    return Figure("robustness", "Where the setting holds", caption, drawn, frame)
