"""Where a setting holds: a map over the conditions it was tuned for and a step beyond."""

from __future__ import annotations

from collections.abc import Sequence
from math import exp
from typing import Any, cast

import altair as alt
import polars as pl

from weir.charts.figure import ROWS, Figure
from weir.charts.tuning.conditions import condition_words, names_of, value_words
from weir.charts.tuning.scales import COLOURS, SIGNS, sentence, words_of
from weir.sweeps.axes import Axis
from weir.tuning.region import MapCell
from weir.tuning.space import Setting


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
    ratio = exp(worst.shortfall)
    return {
        "x": f"{numbers[0]:.3g}",
        "x_number": numbers[0],
        "y": f"{numbers[1]:.3g}" if len(axes) > 1 else "",
        "y_number": numbers[1] if len(axes) > 1 else 0.0,
        "slice": f"{numbers[2]:.3g}" if len(axes) > 2 else "",
        "slice_number": numbers[2] if len(axes) > 2 else 0.0,
        "state": cell.state,
        "sign": SIGNS[cell.state],
        "ratio": f"{ratio:.2f}" if ratio < 10.0 else f"{ratio:.0f}",
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
    scale = alt.Scale(domain=list(COLOURS), range=list(COLOURS.values()))
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
