"""Where in the box the targets are met, and by how much not: the worst ratio of measure to bound."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from math import exp, log, sqrt
from typing import Any, cast

import altair as alt
import numpy as np
import polars as pl

from weir.charts import style
from weir.charts.figure import ROWS, Figure
from weir.charts.tuning.data import Data, Point
from weir.charts.tuning.scales import MISSED, ROLES, STRONG, Extent, words_of
from weir.charts.tuning.sheets import Line, Mark, Sheet, Sheets, drawn

MOST = 3.0
"""Ratio from which a colour is as strong as it gets."""

_SCHEMA = {
    "panel": pl.Int64, "kind": pl.String, "setting": pl.String, "text": pl.String,
    **dict.fromkeys(("x", "x_from", "x_to", "y", "y_from", "y_to", "shortfall", "ratio"), pl.Float64),
}  # fmt: skip

_READ = "1 is on the bound, below 1 meets it; where nearly all is asked for, the ratio is of what lacks."


def shortfall_figure(data: Data) -> Figure | None:
    """The worst ratio over the box; None where there is no picture of it: nothing tried, or no grid."""
    match len(data.axes):
        # With one target, its measure along the parameter is the same picture.
        case 1 if data.searched and len(data.answer.chosen.outcomes) > 1:
            return _curve(data)
        case 2 | 3 if data.combined:
            return _map(data)
        case _:
            return None


def _curve(data: Data) -> Figure:
    points = sorted(data.points, key=lambda p: p.at)
    x = [p.at[0] for p in points]
    lines = [Line("the worst target", x, [exp(p.shortfall) for p in points])]
    if len(data.answer.targets) > 1 and data.conditions == 1:
        # The worst is the highest of these.
        lines = list[Line]()
        for target in data.answer.targets:
            means = np.array([p.means[target.measure] for p in points])
            name = f"{words_of(target.of)} {target.sense} {target.bound:g} {target.of.unit}".strip()
            lines.append(Line(name, x, np.exp(target.shortfall(means)).tolist()))
    marks: list[Mark] = []
    default, chosen = data.defaults[0], data.chosen
    if default is not None:
        marks.append(Mark("defaults", default, exp(data.answer.defaults.worst.shortfall)))
    if chosen is not None:
        marks.append(Mark("chosen", chosen[0], exp(data.answer.chosen.worst.shortfall)))
    sheet = Sheet("", "Ratio of measure to bound", lines, marks, [1.0])
    caption = f"{_READ} A setting is as good as its worst target: the highest line counts. {data.marks_said}"
    return drawn(
        Sheets(
            "shortfall",
            "Where the targets are met",
            caption,
            data.heading(0),
            [sheet],
            log_x=data.axes[0].log,
            ordered=False,
        )
    )


def _map(data: Data) -> Figure:
    slices = data.levels[2] if len(data.axes) == 3 else (0.0,)
    rows = pl.DataFrame(_rows(data, slices), schema=_SCHEMA, orient="row")
    panels = [_panel(data, index, number, len(slices)) for index, number in enumerate(slices)]
    chart: Any = panels[0] if len(panels) == 1 else alt.concat(*panels, columns=len(panels), spacing=18)
    said = [
        f"The worst ratio of measure to bound at the settings that were run. {_READ}",
        "Cells are the coarse design, circles what was tried between its settings.",
        data.marks_said,
    ]
    if len(slices) > 1:
        said.append(f"What lies between two panels is drawn in the one with the nearest {data.titles[2]}.")
    if data.conditions > 1:
        said.append(f"The worst of {data.conditions} conditions.")
    return Figure("shortfall", "Where the targets are met", " ".join(said), chart, rows)


def _rows(data: Data, slices: Sequence[float]) -> list[tuple[Any, ...]]:
    edges = [_edges(data, index) for index in (0, 1)]

    def row(kind: str, at: Sequence[float], text: str, shortfall: float) -> tuple[Any, ...]:
        panel = _nearest(slices, at[2], log=data.axes[2].log) if len(slices) > 1 else 0
        ends: list[float] = []
        for index in (0, 1):
            low, high = at[index], at[index]
            if kind == "cell":
                place = data.levels[index].index(at[index])
                low, high = edges[index][place], edges[index][place + 1]
            ends += [at[index], low, high]
        return panel, kind, data.named(at), text, *ends, shortfall, exp(shortfall)

    found: list[tuple[Any, ...]] = []
    for p in data.points:
        kind = "cell" if p.at in data.grid else "between"
        found.append(row(kind, p.at, _ratio(p), p.shortfall))
    chosen, defaults = data.chosen, data.defaults
    if all(number is not None for number in defaults):
        known = [number for number in defaults if number is not None]
        if all(e[0] <= number <= e[-1] for e, number in zip(edges, known, strict=False)):
            found.append(row("defaults", known, "defaults", data.answer.defaults.worst.shortfall))
    if chosen is not None:
        role = ROLES[data.answer.verdict]
        found.append(row("chosen", chosen, role, data.answer.chosen.worst.shortfall))
    return found


def _ratio(point: Point) -> str:
    ratio = exp(point.shortfall)
    return f"{ratio:.2f}" if ratio < 10.0 else f"{ratio:.0f}"


def _edges(data: Data, index: int) -> list[float]:
    """Of the cells along a parameter: halfway between levels, and as far beyond the first and the last."""
    levels = data.levels[index]
    if data.axes[index].log:
        middles = [sqrt(low * high) for low, high in pairwise(levels)]
        return [levels[0] ** 2 / middles[0], *middles, levels[-1] ** 2 / middles[-1]]
    middles = [(low + high) / 2 for low, high in pairwise(levels)]
    return [2 * levels[0] - middles[0], *middles, 2 * levels[-1] - middles[-1]]


def _nearest(slices: Sequence[float], number: float, *, log: bool) -> int:
    by = _log if log else float
    return min(range(len(slices)), key=lambda i: abs(by(slices[i]) - by(number)))


def _log(number: float) -> float:
    return log(max(number, 1e-300))


def _panel(data: Data, index: int, number: float, count: int) -> alt.LayerChart:
    base = alt.Chart(ROWS).transform_filter(f"datum.panel === {index}")

    def place(side: str, field: str) -> Any:  # noqa: ANN401 - either channel
        axis = 0 if side == "x" else 1
        edges = _edges(data, axis)
        extent = Extent(edges[0], edges[-1], data.axes[axis].log)
        options: dict[str, Any] = {
            "grid": False,
            "values": list(data.levels[axis]),
            "format": ".3~g",
        }
        made = alt.X if side == "x" else alt.Y
        return made(f"{field}:Q", title=data.heading(axis), scale=extent.scale(), axis=alt.Axis(**options))

    middle = place("x", "x"), place("y", "y")
    # A bound on the logarithm at which colours end, and in the legend ratios again.
    # With a step at zero: on which side of the bound a cell is has to be seen at once.
    scale = alt.Scale(
        domain=[-log(MOST), -1e-9, 1e-9, log(MOST)],
        range=["#4a90c2", "#d6e8f4", "#fdf1d6", MISSED],
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
    tips = [
        alt.Tooltip("setting:N", title="setting"),
        alt.Tooltip("ratio:Q", title="worst ratio", format=".3~g"),
    ]

    def of(kind: str) -> alt.Chart:
        return base.transform_filter(f"datum.kind === '{kind}'")

    cells = of("cell").mark_rect(stroke="white", strokeWidth=0.5).encode(
        x=place("x", "x_from"), x2="x_to:Q", y=place("y", "y_from"), y2="y_to:Q", color=colour, tooltip=tips
    )  # fmt: skip
    layers: list[alt.Chart] = [
        cells,
        of("cell").mark_text(fontSize=10, dy=15).encode(x=middle[0], y=middle[1], text="text:N"),
        of("between")
        .mark_point(filled=True, size=60, stroke="black", strokeWidth=0.8, opacity=1)
        .encode(x=middle[0], y=middle[1], color=colour, tooltip=tips),
    ]
    for kind, ink, shape in (("defaults", style.INK, "square"), ("chosen", STRONG, "diamond")):
        layers.append(
            of(kind)
            .mark_point(shape=shape, size=130, filled=False, stroke=ink, strokeWidth=2.4, opacity=1)
            .encode(x=middle[0], y=middle[1], tooltip=tips)
        )
    width, height = (style.WIDTH, style.HEIGHT) if count == 1 else (180, 180)
    title = data.level(2, number) if count > 1 else ""
    heading = alt.TitleParams(title, anchor="start", fontSize=12, fontWeight="normal", offset=6)
    return cast("alt.LayerChart", alt.layer(*layers).properties(width=width, height=height, title=heading))
