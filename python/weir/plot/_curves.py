"""Figures of a study: curves with bands in one or more panels, beside printed numbers and theory."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, cast

import altair as alt
import polars as pl

from weir.plot import style
from weir.plot._figure import ROWS, Figure

Kind = Literal["runs", "theory", "paper", "ns-2", "target", "path", "dot", "chosen", "defaults"]
"""Where numbers come from. `path`: runs, whose line joins its points in their order, not by x; `dot`:
runs without a line; `chosen` and `defaults`: settings, which have symbols of their own and no label."""

KINDS: dict[Kind, str] = {
    "paper": "Open circles: printed in the paper.",
    "ns-2": "Open squares: ns-2.35.",
    "target": "Open diamonds: targets.",
    "theory": "Dotted lines: theory.",
}

_OPEN = {"paper": "circle", "ns-2": "square", "target": "diamond"}
"""Symbols of numbers that are not from runs."""

_SETTINGS = {"defaults": ("square", style.INK), "chosen": ("diamond", style.STRONG)}

_ORDER: tuple[Kind, ...] = ("theory", "runs", "path", "dot", "defaults", "chosen", "paper", "ns-2", "target")
"""From the lowest layer to the highest."""

_MANY = 40
"""Points of a curve from which symbols would hide it."""

_WIDTHS = {1: style.WIDTH, 2: 250, 3: 180}
_HEIGHTS = {1: style.HEIGHT, 2: 190, 3: 160}


@dataclass(frozen=True)
class Curve:
    """Points that belong together, of the same label in all panels."""

    label: str
    x: Sequence[float]
    y: Sequence[float]
    low: Sequence[float] | None = None
    """Lower ends of the intervals, or of the range over time."""
    high: Sequence[float] | None = None
    kind: Kind = "runs"
    x_low: Sequence[float] | None = None
    """Ends of the intervals across, of a `path`."""
    x_high: Sequence[float] | None = None


@dataclass(frozen=True)
class Facet:
    """One panel."""

    title: str
    """Above it; may be empty where there is only one."""
    y: str
    """Title of the axis, with its unit."""
    curves: Sequence[Curve]
    levels: Sequence[tuple[float, str]] = ()
    """Horizontal lines with their names: a target, a threshold, a capacity."""
    zero: bool = True
    """Whether the axis begins at zero."""
    log: bool = False
    top: float | None = None
    """Where the axis ends, if not at the largest value."""
    x: str = ""
    """Title of the axis below, where it is not that of the plot."""


@dataclass(frozen=True)
class Plot:
    """A figure before it is drawn."""

    name: str
    """Of its files: `figure-2`."""
    title: str
    caption: str
    x: str
    """Title of the axis below, with its unit."""
    facets: Sequence[Facet]
    columns: int = 2
    """Panels side by side, at most 3."""
    log_x: bool = False
    ticks: Sequence[float] | None = None
    """Of the axis below, where they are few and given."""
    ordered: bool = False
    """Whether the labels are levels of one parameter, whose colours have an order."""


def draw(plot: Plot) -> Figure:
    """The plot, drawn."""
    curves = [curve for facet in plot.facets for curve in facet.curves]
    labels = list(dict.fromkeys(curve.label for curve in curves if curve.kind not in _SETTINGS))
    rows = pl.concat([_rows(index, facet) for index, facet in enumerate(plot.facets)])
    columns = min(plot.columns, len(plot.facets), 3)
    panels = [
        _panel(plot, index, facet, labels, rows).properties(
            width=_WIDTHS[columns], height=_HEIGHTS[columns], title=_panel_title(facet)
        )
        for index, facet in enumerate(plot.facets)
    ]
    chart = panels[0] if len(panels) == 1 else alt.concat(*panels, columns=columns, spacing=18)
    kinds = {curve.kind for curve in curves}
    said = [text for kind, text in KINDS.items() if kind in kinds]
    return Figure(plot.name, plot.title, " ".join([plot.caption, *said]), chart, rows)


_SCHEMA = {
    "facet": pl.Int64, "label": pl.String, "kind": pl.String, "place": pl.Int64,
    **dict.fromkeys(("x", "y", "low", "high", "x_low", "x_high"), pl.Float64),
}  # fmt: skip


def _rows(index: int, facet: Facet) -> pl.DataFrame:
    frames = [pl.DataFrame(schema=_SCHEMA)]
    for curve in facet.curves:
        n = len(curve.x)
        frames.append(
            pl.DataFrame(
                {
                    "facet": [index] * n,
                    "label": [curve.label] * n,
                    "kind": [curve.kind] * n,
                    "place": list(range(n)),
                    "x": list(curve.x),
                    "y": list(curve.y),
                    **{name: _optional(ends, n) for name, ends in _ends(curve).items()},
                },
                schema=_SCHEMA,
                strict=False,
            )
        )
    rows = pl.concat(frames).with_columns(pl.col("y", "low", "high", "x_low", "x_high").fill_nan(None))
    if facet.log:
        # No logarithm below zero: an interval that reaches there has no lower end in the picture.
        rows = rows.with_columns(pl.when(pl.col(name) > 0.0).then(pl.col(name)) for name in ("y", "low"))
    return rows


def _ends(curve: Curve) -> dict[str, Sequence[float] | None]:
    return {"low": curve.low, "high": curve.high, "x_low": curve.x_low, "x_high": curve.x_high}


def _optional(ends: Sequence[float] | None, n: int) -> list[float | None]:
    return [None] * n if ends is None else list(ends)


def _panel_title(facet: Facet) -> alt.TitleParams:
    return alt.TitleParams(facet.title, anchor="start", fontSize=12, fontWeight="normal", offset=6)


@dataclass(frozen=True)
class _Channels:
    """How the points of a panel are encoded, the same in every layer."""

    x: Callable[[str], alt.X]
    y: Callable[[str], alt.Y]
    colour: alt.Color
    dash: Any
    shape: Any
    """Channels, or values where colour alone tells the labels apart."""

    def at(self, chart: alt.Chart, x: str = "x", y: str = "y") -> alt.Chart:
        """The chart with these columns along its sides."""
        return chart.encode(x=self.x(x), y=self.y(y), color=self.colour)


def _panel(plot: Plot, index: int, facet: Facet, labels: list[str], rows: pl.DataFrame) -> alt.LayerChart:
    mine = rows.filter(pl.col("facet") == index)
    base = alt.Chart(ROWS).transform_filter(f"datum.facet === {index}")
    legend = style.FILLED if len(labels) > 1 else None
    look: tuple[alt.Color, Any, Any]
    if plot.ordered and legend is not None:
        look = style.gradient(labels), alt.value([1, 0]), alt.value("circle")
    else:
        look = style.colour(labels, legend), style.dash(labels, legend), style.shape(labels, legend)
    by = _Channels(_x(plot, facet, mine), _y(facet, mine), *look)
    there = set(mine["kind"])
    layers = _levels(facet)
    for kind in _ORDER:
        if kind in there:
            part = mine.filter(pl.col("kind") == kind)
            layers += _layers(base.transform_filter(f"datum.kind === '{kind}'"), kind, by, part)
    return cast("alt.LayerChart", alt.layer(*layers))


def _layers(base: alt.Chart, kind: Kind, by: _Channels, rows: pl.DataFrame) -> list[alt.Chart]:
    """What one kind of numbers looks like."""
    points = by.at(base.mark_point(filled=True, size=38, opacity=1, clip=True)).encode(
        shape=by.shape, tooltip=_tooltip()
    )
    match kind:
        case "theory":
            return [by.at(base.mark_line(strokeWidth=1.2, strokeDash=[1, 2.5], clip=True))]
        case "dot":
            return [points.mark_point(filled=True, size=34, opacity=0.8)]
        case "path":
            rule = base.mark_rule(strokeWidth=0.8, clip=True)
            line = by.at(base.mark_line(strokeWidth=1.4, clip=True))
            return [
                by.at(rule, x="x_low").encode(x2="x_high:Q"),
                by.at(rule, y="low").encode(y2="high:Q"),
                line.encode(order="place:Q", strokeDash=by.dash),
                points,
            ]
        case "chosen" | "defaults":
            mark, ink = _SETTINGS[kind]
            symbol: dict[str, Any] = {"shape": mark, "fill": "white", "stroke": ink, "strokeWidth": 1.8}
            bar = base.mark_rule(color=ink, strokeWidth=1.8)
            return [
                *([bar.encode(x=by.x("x"), y=by.y("low"), y2="high:Q")] if rows["low"].count() else []),
                base.mark_point(size=70, opacity=1, **symbol).encode(
                    x=by.x("x"), y=by.y("y"), tooltip=_tooltip()
                ),
            ]
        case "paper" | "ns-2" | "target":
            mark = base.mark_point(filled=False, shape=_OPEN[kind], size=70, strokeWidth=1.4, opacity=1)
            return [by.at(mark).encode(tooltip=_tooltip())]
        case "runs":
            many = max(rows.group_by("label").len()["len"]) > _MANY
            band = by.at(base.mark_area(fillOpacity=0.2, clip=True), y="low").encode(y2="high:Q")
            line = by.at(base.mark_line(strokeWidth=1.0 if many else 1.6, clip=True))
            return [
                *([band] if rows["low"].count() else []),
                line.encode(strokeDash=by.dash),
                *([] if many else [points]),
            ]


def _y(facet: Facet, rows: pl.DataFrame) -> Callable[[str], alt.Y]:
    """Makes the axis at the side, the same for every layer, of a column."""
    options: dict[str, Any] = {}
    if facet.log:
        options = {"type": "log", "nice": False, "padding": 6}
    elif facet.zero:
        options["domainMin"] = 0
    else:
        options["zero"] = False
    if facet.top is not None:
        options["domainMax"] = facet.top
    elif facet.levels and not rows.is_empty():
        # The lines are part of the picture.
        options["domainMax"] = _highest(facet, rows)
    scale = alt.Scale(**options)
    return lambda field: alt.Y(f"{field}:Q", title=facet.y, scale=scale)


def _highest(facet: Facet, rows: pl.DataFrame) -> float:
    values = [rows[name].max() for name in ("y", "high")]
    known = [value for value in values if isinstance(value, float)]
    return max(*known, *(value for value, _ in facet.levels)) * 1.04


def _x(plot: Plot, facet: Facet, rows: pl.DataFrame) -> Callable[[str], alt.X]:
    """Makes the axis below, the same for every layer, of a column."""
    low, high = rows["x"].min(), rows["x"].max()
    options: dict[str, Any] = {"grid": False}
    if plot.ticks is not None:
        options["values"] = list(plot.ticks)
        if all(float(tick).is_integer() for tick in plot.ticks):
            options["format"] = ",d"  # few of them would be 1.0, 2.0, 3.0
    scale: dict[str, Any] = {"nice": False}
    if isinstance(low, float) and isinstance(high, float) and low < high:
        if plot.log_x:
            scale |= {"type": "log", "domain": [low / 1.15, high * 1.15]}
        elif "path" in set(rows["kind"]):
            scale = {"zero": True}
            options["grid"] = True
        else:
            margin = 0.03 * (high - low)
            scale["domain"] = [low - margin if low > 0.0 else low, high + margin]
    title, axis, along = facet.x or plot.x, alt.Axis(**options), alt.Scale(**scale)
    return lambda field: alt.X(f"{field}:Q", title=title, axis=axis, scale=along)


def _levels(facet: Facet) -> list[alt.Chart]:
    made: list[alt.Chart] = []
    for value, text in facet.levels:
        base = alt.Chart(alt.Data(values=[{"level": value, "text": text}])).encode(y="level:Q")
        name = base.mark_text(align="left", baseline="middle", dx=4, color=style.GREY, fontSize=10)
        made += [
            base.mark_rule(color=style.GREY, strokeDash=[3, 3]),
            name.encode(x=alt.value("width"), text="text:N"),
        ]
    return made


def _tooltip() -> list[alt.Tooltip]:
    fields = (("x", "x"), ("y", "value"), ("low", "low"), ("high", "high"))
    return [
        alt.Tooltip("label:N", title="curve"),
        *(alt.Tooltip(f"{name}:Q", title=title, format=".4~g") for name, title in fields),
    ]
