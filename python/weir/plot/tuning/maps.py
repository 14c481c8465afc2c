"""Maps of tuning: the worst ratio of measure to bound over the box, and where a setting holds."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from math import exp, log, sqrt
from typing import Any, cast

import altair as alt
import polars as pl

from weir.plot import style
from weir.plot._figure import ROWS, Figure
from weir.plot.tuning.data import Data
from weir.plot.tuning.effects import READ, shortfall_curve
from weir.plot.tuning.tradeoff import Extent
from weir.plot.tuning.words import ROLES, SIGNS, condition_words, names_of, sentence, value_words, words_of
from weir.sweep.axes import Axis
from weir.tune.region import MapCell
from weir.tune.space import Setting

MOST = 3.0
"""Ratio from which a colour is as strong as it gets."""

_SCHEMA = {
    "panel": pl.Int64, "kind": pl.String, "setting": pl.String, "text": pl.String,
    **dict.fromkeys(("x", "x_from", "x_to", "y", "y_from", "y_to", "shortfall", "ratio"), pl.Float64),
}  # fmt: skip


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
    slices = data.levels[2] if len(data.axes) == 3 else (0.0,)
    rows = pl.DataFrame(_box_rows(data, slices), schema=_SCHEMA, orient="row")
    panels = [_box_panel(data, index, number, len(slices)) for index, number in enumerate(slices)]
    chart: Any = panels[0] if len(panels) == 1 else alt.concat(*panels, columns=len(panels), spacing=18)
    said = [
        f"The worst ratio of measure to bound at the settings that were run. {READ}",
        "Cells are the coarse design, circles what was tried between its settings.",
        data.marks_said,
    ]
    if len(slices) > 1:
        said.append(f"What lies between two panels is drawn in the one with the nearest {data.titles[2]}.")
    if data.conditions > 1:
        said.append(f"The worst of {data.conditions} conditions.")
    return Figure("shortfall", "Where the targets are met", " ".join(said), chart, rows)


def _box_rows(data: Data, slices: Sequence[float]) -> list[tuple[Any, ...]]:
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
        found.append(row(kind, p.at, _ratio(p.shortfall), p.shortfall))
    chosen, defaults = data.chosen, data.defaults
    if all(number is not None for number in defaults):
        known = [number for number in defaults if number is not None]
        if all(e[0] <= number <= e[-1] for e, number in zip(edges, known, strict=False)):
            found.append(row("defaults", known, "defaults", data.answer.defaults.worst.shortfall))
    if chosen is not None:
        role = ROLES[data.answer.verdict]
        found.append(row("chosen", chosen, role, data.answer.chosen.worst.shortfall))
    return found


def _ratio(shortfall: float) -> str:
    ratio = exp(shortfall)
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


def _box_panel(data: Data, index: int, number: float, count: int) -> alt.LayerChart:
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
    for kind, ink, shape in (("defaults", style.INK, "square"), ("chosen", style.STRONG, "diamond")):
        layers.append(
            of(kind)
            .mark_point(shape=shape, size=130, filled=False, stroke=ink, strokeWidth=2.4, opacity=1)
            .encode(x=middle[0], y=middle[1], tooltip=tips)
        )
    width, height = (style.WIDTH, style.HEIGHT) if count == 1 else (180, 180)
    title = data.level(2, number) if count > 1 else ""
    heading = alt.TitleParams(title, anchor="start", fontSize=12, fontWeight="normal", offset=6)
    return cast("alt.LayerChart", alt.layer(*layers).properties(width=width, height=height, title=heading))


_COLOURS = {"met": style.MET, "open": style.OPEN, "missed": style.MISSED}


def worst_corner(cells: Sequence[MapCell]) -> MapCell:
    """Of the cells inside the region, the one that misses by most, or meets by least."""
    inside = [cell for cell in cells if cell.inside] or list(cells)
    return max(inside, key=lambda cell: cell.worst.shortfall)


def beyond(cells: Sequence[MapCell]) -> str:
    """At which ends of the region a target is missed a step beyond, in a sentence; empty for no such step."""
    within = {pair for cell in cells if cell.inside for pair in cell.condition}
    steps: dict[Setting, list[MapCell]] = {}
    for cell in cells:
        left = tuple(pair for pair in cell.condition if pair not in within)
        if len(left) == 1:
            steps.setdefault(left, []).append(cell)
    if not steps:
        return ""
    paths = [path for path, _ in cells[0].condition]
    said: list[str] = []
    for step, there in steps.items():
        missed = sum(cell.state == "missed" for cell in there)
        if missed:
            name = names_of(paths)[paths.index(step[0][0])]
            share = f" ({missed} of {len(there)} conditions)" if len(there) > 1 else ""
            said.append(f"{name} {value_words(step[0][1])}{share}")
    # Corners, where several conditions are beyond at once, are on the map.
    alone = " in one condition alone" if len(paths) > 1 else ""
    if not said:
        return f"A step beyond the region{alone} no target is missed."
    return f"A step beyond the region{alone} a target is missed at {', '.join(said)}."


def robustness(axes: Sequence[Axis], cells: Sequence[MapCell]) -> Figure:
    """A cell per condition: met, missed or open, with the worst target's ratio; the worst corner framed."""
    worst = worst_corner(cells)
    rows = pl.DataFrame([_row(axes, cell, framed=cell is worst) for cell in cells])
    slices = list(dict.fromkeys(_order(rows, "slice"))) if len(axes) > 2 else [""]
    columns = min(2, len(slices))
    panels = [_panel(axes, rows, one) for one in slices]
    chart: Any = panels[0] if len(panels) == 1 else alt.concat(*panels, columns=columns, spacing=20)
    held = sum(cell.inside and cell.state == "met" for cell in cells)
    inside = sum(cell.inside for cell in cells)
    count = worst.worst.values.size
    caption = (
        f"{held} of {inside} conditions of the region meet every target. ✓ met, ✗ missed, ? open: the 95% "
        f"interval of {count} fresh seeds has the bound inside. The number is the worst ratio of measure to "
        "bound; pale cells lie outside the region, a step beyond its ends. Black frame: the worst condition "
        "inside."
    )
    return Figure("robustness", "Where the setting holds", caption, chart, rows)


def _row(axes: Sequence[Axis], cell: MapCell, *, framed: bool) -> dict[str, str | float | bool]:
    values = dict(cell.condition)
    numbers = [float(axis.drawn(values[axis.column])) for axis in axes]
    worst = cell.worst
    return {
        "x": f"{numbers[0]:.3g}",
        "x_number": numbers[0],
        "y": f"{numbers[1]:.3g}" if len(axes) > 1 else "",
        "y_number": numbers[1] if len(axes) > 1 else 0.0,
        "slice": f"{numbers[2]:.3g}" if len(axes) > 2 else "",
        "slice_number": numbers[2] if len(axes) > 2 else 0.0,
        "state": cell.state,
        "sign": SIGNS[cell.state],
        "ratio": _ratio(worst.shortfall),
        "inside": cell.inside,
        "framed": framed,
        "setting": condition_words(cell.condition),
        "decisive": f"{words_of(worst.target.of)} {worst.mean:.4g} {worst.target.of.unit}".strip(),
    }


def _order(rows: pl.DataFrame, column: str) -> list[str]:
    frame = rows.select(column, f"{column}_number").unique().sort(f"{column}_number")
    return frame[column].to_list()


def _heading(axes: Sequence[Axis], index: int) -> str:
    unit = axes[index].unit
    title = sentence(names_of([axis.column for axis in axes])[index])
    return f"{title} ({unit})" if unit else title


def _panel(axes: Sequence[Axis], rows: pl.DataFrame, one: str) -> alt.LayerChart:
    mine = rows.filter(pl.col("slice") == one)
    base = alt.Chart(ROWS).transform_filter(alt.datum.slice == one)
    plain = alt.Axis(labelAngle=0, grid=False, ticks=False, domain=False)
    across = alt.X("x:N", title=_heading(axes, 0), sort=_order(rows, "x"), axis=plain)
    base = base.encode(x=across)
    if len(axes) > 1:
        up = alt.Y("y:N", title=_heading(axes, 1), sort=_order(rows, "y")[::-1], axis=plain)
        base = base.encode(y=up)
    scale = alt.Scale(domain=list(_COLOURS), range=list(_COLOURS.values()))
    tips = [
        alt.Tooltip("setting:N", title="condition"),
        alt.Tooltip("state:N", title="verdict"),
        alt.Tooltip("decisive:N", title="worst target"),
        alt.Tooltip("ratio:N", title="ratio"),
    ]
    cells = base.mark_rect(stroke="white", strokeWidth=1).encode(
        color=alt.Color("state:N", scale=scale, legend=alt.Legend(symbolType="square", symbolStrokeWidth=0)),
        fillOpacity=alt.condition("datum.inside", alt.value(1.0), alt.value(0.35)),
        tooltip=tips,
    )
    ink = alt.condition("datum.inside", alt.value("#000000"), alt.value("#666666"))
    signs = base.mark_text(fontSize=12, dy=-6).encode(text="sign:N", color=ink)
    ratios = base.mark_text(fontSize=9, dy=8).encode(text="ratio:N", color=ink)
    frame = base.transform_filter("datum.framed").mark_rect(filled=False, stroke="black", strokeWidth=2.4)
    title = f"{names_of([axis.column for axis in axes])[2]} {one} {axes[2].unit}" if len(axes) > 2 else ""
    heading = alt.TitleParams(sentence(title), anchor="start", fontSize=12, fontWeight="normal", offset=6)
    size: dict[str, Any] = {
        "width": 420 if len(axes) < 3 else 210,
        "height": 34 * max(1, mine["y"].n_unique()),
    }
    return cast("alt.LayerChart", alt.layer(cells, signs, ratios, frame).properties(title=heading, **size))
