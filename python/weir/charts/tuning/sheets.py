"""Panels of lines and marks side by side: what most figures of tuning are made of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, cast

import altair as alt
import polars as pl

from weir.charts import style
from weir.charts.figure import ROWS, Figure
from weir.charts.tuning.scales import BOUND, STRONG, Extent

Role = Literal["chosen", "defaults"]

_SHAPES: dict[Role, tuple[str, str]] = {"defaults": ("square", style.INK), "chosen": ("diamond", STRONG)}

_SCHEMA = {
    "panel": pl.Int64, "kind": pl.String, "label": pl.String,
    **dict.fromkeys(("x", "y", "low", "high"), pl.Float64),
}  # fmt: skip


@dataclass(frozen=True)
class Line:
    """Settings that belong together, of the same label in all panels."""

    label: str
    x: Sequence[float]
    y: Sequence[float]
    joined: bool = True


@dataclass(frozen=True)
class Mark:
    """The answer, or the defaults."""

    role: Role
    x: float
    y: float
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True)
class Sheet:
    """One panel."""

    title: str
    y: str
    """Title of the axis, with its unit."""
    lines: Sequence[Line]
    marks: Sequence[Mark]
    bounds: Sequence[float]
    """Of the targets."""
    full: bool = False
    """Whether an axis from zero would hide what differs."""


@dataclass(frozen=True)
class Sheets:
    """A figure before it is drawn."""

    name: str
    title: str
    caption: str
    x: str
    """Title of the axis below, with its unit."""
    sheets: Sequence[Sheet]
    log_x: bool = False
    ordered: bool = True
    """Whether the lines are levels of one parameter, whose colours have an order."""


def drawn(figure: Sheets) -> Figure:
    """The figure."""
    rows = pl.DataFrame(
        [row for index, sheet in enumerate(figure.sheets) for row in _rows(index, sheet)],
        schema=_SCHEMA,
        orient="row",
    )
    columns = min(2, len(figure.sheets))
    panels = [_panel(figure, index, sheet, columns) for index, sheet in enumerate(figure.sheets)]
    chart: Any = panels[0] if len(panels) == 1 else alt.concat(*panels, columns=columns, spacing=18)
    return Figure(figure.name, figure.title, figure.caption, chart, rows)


def _rows(index: int, sheet: Sheet) -> list[tuple[Any, ...]]:
    found: list[tuple[Any, ...]] = []
    for line in sheet.lines:
        kind = "line" if line.joined else "dot"
        found += [(index, kind, line.label, x, y, None, None) for x, y in zip(line.x, line.y, strict=True)]
    return found + [(index, m.role, m.role, m.x, m.y, m.low, m.high) for m in sheet.marks]


def _panel(figure: Sheets, index: int, sheet: Sheet, columns: int) -> alt.LayerChart:
    x_of = [*(v for line in sheet.lines for v in line.x), *(mark.x for mark in sheet.marks)]
    across = Extent.of(x_of, full=not figure.log_x, log=figure.log_x)
    ends = [end for mark in sheet.marks for end in (mark.low, mark.high)]
    y_of = [v for line in sheet.lines for v in line.y] + [mark.y for mark in sheet.marks]
    up = Extent.of([*y_of, *sheet.bounds, *(ends if sheet.full else [])], full=sheet.full)

    def y(field: str) -> alt.Y:
        return alt.Y(f"{field}:Q", title=sheet.y, scale=up.scale(), axis=alt.Axis(**up.ticks()))

    x = alt.X("x:Q", title=figure.x, scale=across.scale(), axis=alt.Axis(grid=False, **_ticks(across)))
    rows = alt.Chart(ROWS).transform_filter(f"datum.panel === {index}").encode(x=x, y=y("y"))
    colour = _colour(figure)
    tips = [
        alt.Tooltip("label:N", title="setting"),
        alt.Tooltip("x:Q", title=figure.x, format=".4~g"),
        alt.Tooltip("y:Q", title=sheet.y, format=".4~g"),
    ]
    layers: list[alt.Chart] = []
    if any(line.joined for line in sheet.lines):
        lines = rows.transform_filter("datum.kind === 'line'")
        layers += [
            lines.mark_line(strokeWidth=1.5).encode(color=colour),
            lines.mark_point(filled=True, size=34, opacity=1).encode(color=colour, tooltip=tips),
        ]
    if any(not line.joined for line in sheet.lines):
        dots = rows.transform_filter("datum.kind === 'dot'")
        layers.append(dots.mark_point(filled=True, size=34, opacity=0.8).encode(color=colour, tooltip=tips))
    bounds = alt.Chart(alt.Data(values=[{"bound": bound} for bound in sheet.bounds]))
    layers.append(
        bounds.mark_rule(color=BOUND, strokeDash=[5, 3], strokeWidth=1.4).encode(
            y=alt.Y("bound:Q", scale=up.scale())
        )
    )
    for role, (shape, ink) in _SHAPES.items():
        one = rows.transform_filter(f"datum.kind === '{role}'")
        bars = one.transform_filter("isValid(datum.low)")
        mark: dict[str, Any] = {
            "shape": shape,
            "size": 70,
            "fill": "white",
            "stroke": ink,
            "strokeWidth": 1.8,
            "opacity": 1,
        }
        layers += [
            bars.mark_rule(color=ink, strokeWidth=1.8).encode(y=y("low"), y2="high:Q"),
            one.mark_point(**mark).encode(tooltip=tips),
        ]
    heading = alt.TitleParams(sheet.title, anchor="start", fontSize=12, fontWeight="normal", offset=6)
    width, height = (style.WIDTH, 220) if columns == 1 else (230, 190)
    return cast("alt.LayerChart", alt.layer(*layers).properties(width=width, height=height, title=heading))


def _colour(figure: Sheets) -> Any:  # noqa: ANN401 - a channel or its value
    labels = list(dict.fromkeys(line.label for sheet in figure.sheets for line in sheet.lines))
    if len(labels) < 2:
        return alt.value(style.GREY)
    legend = alt.Legend(symbolType="circle", symbolStrokeWidth=0)
    if not figure.ordered:
        return style.colour(labels, legend)
    scheme = alt.SchemeParams(name=style.GRADIENT, extent=[0.0, 0.85])
    return alt.Color("label:O", legend=legend, scale=alt.Scale(domain=labels, scheme=scheme))


def _ticks(extent: Extent) -> dict[str, Any]:
    return extent.ticks() if extent.log else {"tickCount": 6}
