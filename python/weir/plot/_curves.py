"""Figures of a study: curves with bands in one or more panels, beside printed numbers and theory."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import altair as alt
import polars as pl

from weir._errors import require
from weir.plot import _chart as chart
from weir.plot import _style as style
from weir.plot._figure import Figure
from weir.scenario import suggestion
from weir.sweep import ChartError

CurveKind = Literal["runs", "theory", "paper", "ns-2", "target", "path", "dot", "chosen", "defaults"]
"""Kind of the numbers of a curve. `path`: runs, whose line joins its points in their order, not by x. `dot`:
runs without a line. `chosen` and `defaults`: settings, which have symbols of their own and no label."""

KINDS: dict[CurveKind, str] = {
    "paper": "Open circles: printed in the paper.",
    "ns-2": "Open squares: ns-2.35.",
    "target": "Open diamonds: targets.",
    "theory": "Dotted lines: theory.",
}

_OPEN = {"paper": "circle", "ns-2": "square", "target": "diamond"}
"""Symbols of numbers that are not from runs."""

_SETTINGS = {"defaults": ("square", style.INK), "chosen": ("diamond", style.STRONG)}

_ORDER: tuple[CurveKind, ...] = (
    "theory",
    "runs",
    "path",
    "dot",
    "defaults",
    "chosen",
    "paper",
    "ns-2",
    "target",
)
"""Kinds from the lowest layer to the highest."""

_MANY = 40
"""Number of points of a curve from which symbols would hide it."""

_WIDTHS = {1: style.WIDTH, 2: 250, 3: 180}
_HEIGHTS = {1: style.HEIGHT, 2: 190, 3: 160}


@dataclass(frozen=True)
class Curve:
    """Curve: points that belong together, with the same label in all panels."""

    label: str
    x: Sequence[float]
    y: Sequence[float]
    low: Sequence[float] | None = None
    """Lower ends of the intervals, of the range over time, or of the range that a paper prints."""
    high: Sequence[float] | None = None
    kind: CurveKind = "runs"
    x_low: Sequence[float] | None = None
    """Lower ends of the horizontal intervals of a `path`."""
    x_high: Sequence[float] | None = None


@dataclass(frozen=True)
class Facet:
    """Panel of a figure."""

    title: str
    """Title above the panel; may be empty if there is only one."""
    y: str
    """Title of the vertical axis, with its unit."""
    curves: Sequence[Curve]
    levels: Sequence[tuple[float, str]] = ()
    """Horizontal lines with their names, such as a target, a threshold or a capacity."""
    zero: bool = True
    """True if the vertical axis begins at zero."""
    log: bool = False
    top: float | None = None
    """End of the vertical axis, if it is not the largest value."""
    x: str = ""
    """Title of the horizontal axis, if it is not that of the plot."""


@dataclass(frozen=True)
class Plot:
    """Description of a figure, before it is drawn."""

    name: str
    """Name of its files, such as `figure-2`."""
    title: str
    caption: str
    x: str
    """Title of the horizontal axis, with its unit."""
    facets: Sequence[Facet]
    columns: int = 2
    """Number of panels side by side, at most 3."""
    log_x: bool = False
    ticks: Sequence[float] | None = None
    """Ticks of the horizontal axis, if they are few and given."""
    ordered: bool = False
    """True if the labels are levels of one parameter, whose colours have an order."""


def draw(plot: Plot) -> Figure:
    """Draws the figure.

    Raises ChartError without a panel or a column of panels. Raises it, too, for a curve of another kind, and
    for one whose numbers are no numbers, or not as many as its places.

    Example:
        >>> from weir.plot import Curve, Facet, Plot, draw
        >>> curve = Curve("measured", x=[10, 20, 40], y=[1.0, 2.5, 3.0])
        >>> drawn = draw(Plot("delay", "Delay", "Means.", "Flows", [Facet("", "Delay (ms)", [curve])]))
        >>> drawn.name, drawn.rows["y"].to_list()
        ('delay', [1.0, 2.5, 3.0])
    """
    _check(plot)
    curves = [curve for facet in plot.facets for curve in facet.curves]
    labels = list(dict.fromkeys(curve.label for curve in curves if curve.kind not in _SETTINGS))
    legend = alt.Legend(symbolStrokeWidth=0) if len(labels) > 1 else None
    look = style.look(labels, legend)
    if plot.ordered and legend is not None:
        symbols = alt.Legend(symbolType="circle", symbolStrokeWidth=0)
        plain = {"strokeDash": alt.StrokeDashValue([1, 0]), "shape": alt.ShapeValue("circle")}
        look = {"color": style.gradient(labels, symbols), **plain}
    rows = pl.concat([_rows(index, facet) for index, facet in enumerate(plot.facets)])
    columns = min(plot.columns, len(plot.facets), 3)
    panels: list[alt.LayerChart] = []
    for index, facet in enumerate(plot.facets):
        mine = rows.filter(pl.col("facet") == index)
        pen = chart.Pen(_x(plot, facet, mine), _y(facet, mine), look).where(f"datum.facet === {index}")
        layers = chart.named_levels(facet.levels)
        for kind in _ORDER:
            part = mine.filter(pl.col("kind") == kind)
            if not part.is_empty():
                layers += _layers(pen.where(f"datum.kind === '{kind}'"), kind, part)
        panels.append(chart.panel(layers, _WIDTHS[columns], _HEIGHTS[columns], facet.title))
    there = set(rows["kind"])
    said = [text for kind, text in KINDS.items() if kind in there]
    return Figure(plot.name, plot.title, " ".join([plot.caption, *said]), chart.beside(panels, columns), rows)


_ENDS = ("low", "high", "x_low", "x_high")


def _check(plot: Plot) -> None:
    """Raises ChartError for a plot that cannot be drawn."""
    require(bool(plot.facets), f"{plot.name} has no panel", "give a Facet or more", ChartError)
    columns = f"panels cannot be in {plot.columns} columns"
    require(plot.columns >= 1, columns, "give 1 to 3", ChartError)
    for curve in (curve for facet in plot.facets for curve in facet.curves):
        kinds = list(_ORDER)
        hint = suggestion(str(curve.kind), kinds) if curve.kind not in kinds else None
        require(hint is None, f"there is no kind of curve {curve.kind!r}", hint, ChartError)
        for name in ("y", *_ENDS):
            values: Sequence[float] | None = getattr(curve, name)
            count = len(curve.x if values is None else values)
            message = f"the curve {curve.label!r} has {len(curve.x)} x and {count} {name}"
            require(count == len(curve.x), message, "give as many of each", ChartError)
            given: Sequence[object] = curve.x if values is None else values
            odd = next((one for one in (*curve.x, *given) if isinstance(one, str)), None)
            message = f"the curve {curve.label!r} is through {odd!r}"
            require(odd is None, message, "give numbers; levels without numbers are labels", ChartError)


_SCHEMA = {
    "facet": pl.Int64, "label": pl.String, "kind": pl.String, "place": pl.Int64,
    **dict.fromkeys(("x", "y", *_ENDS), pl.Float64),
}  # fmt: skip


def _rows(index: int, facet: Facet) -> pl.DataFrame:
    frames = [pl.DataFrame(schema=_SCHEMA)]
    for curve in facet.curves:
        given: dict[str, Sequence[float] | None] = {name: getattr(curve, name) for name in ("x", "y", *_ENDS)}
        numbers = pl.DataFrame(
            {name: values for name, values in given.items() if values is not None}, strict=False
        )
        named = {"facet": index, "label": curve.label, "kind": curve.kind}
        missing = {name: None for name, values in given.items() if values is None}
        constants = (pl.lit(value, _SCHEMA[name]).alias(name) for name, value in {**named, **missing}.items())
        whole = numbers.with_columns(*constants, pl.int_range(pl.len()).alias("place"))
        frames.append(whole.select(pl.col(name).cast(kind) for name, kind in _SCHEMA.items()))
    rows = pl.concat(frames).with_columns(pl.col("y", *_ENDS).fill_nan(None))
    if facet.log:
        # No logarithm below zero: an interval that reaches there has no lower end in the picture.
        rows = rows.with_columns(pl.when(pl.col(name) > 0.0).then(pl.col(name)) for name in ("y", "low"))
    return rows


def _layers(pen: chart.Pen, kind: CurveKind, rows: pl.DataFrame) -> list[alt.Chart]:
    """Layers for one kind of numbers."""
    names = (("x", "x"), ("y", "value"), ("low", "low"), ("high", "high"))
    tips = chart.tooltips(
        ("label:N", "curve", None), *((f"{name}:Q", title, ".4~g") for name, title in names)
    )
    banded = rows["low"].count() > 0
    points = pen("point", "color", "shape", filled=True, size=38, opacity=1, clip=True).encode(tooltip=tips)
    match kind:
        case "theory":
            return [pen("line", "color", strokeWidth=1.2, strokeDash=[1, 2.5], clip=True)]
        case "dot":
            return [points.mark_point(filled=True, size=34, opacity=0.8)]
        case "path":
            line = pen("line", "color", "strokeDash", strokeWidth=1.4, clip=True)
            return [
                pen("rule", "color", x="x_low", x2="x_high", strokeWidth=0.8, clip=True),
                pen("rule", "color", y="low", y2="high", strokeWidth=0.8, clip=True),
                line.encode(order="place:Q"),
                points,
            ]
        case "chosen" | "defaults":
            mark, ink = _SETTINGS[kind]
            symbol: dict[str, Any] = {"shape": mark, "fill": "white", "stroke": ink, "strokeWidth": 1.8}
            bar = pen("rule", y="low", y2="high", color=ink, strokeWidth=1.8)
            return [
                *([bar] if banded else []),
                pen("point", size=70, opacity=1, **symbol).encode(tooltip=tips),
            ]
        case "paper" | "ns-2" | "target":
            symbol = {"shape": _OPEN[kind], "size": 70, "strokeWidth": 1.4, "opacity": 1}
            single = pen.where("!isValid(datum.low)")("point", "color", filled=False, **symbol)
            # Of a range that is printed, there is no point to show.
            shade = pen("area", "color", y="low", y2="high", fillOpacity=0.12, clip=True)
            return [*([shade] if banded else []), single.encode(tooltip=tips)]
        case "runs":
            many = max(rows.group_by("label", maintain_order=True).len()["len"]) > _MANY
            band = pen("area", "color", y="low", y2="high", fillOpacity=0.2, clip=True)
            line = pen("line", "color", "strokeDash", strokeWidth=1.0 if many else 1.6, clip=True)
            return [*([band] if banded else []), line, *([] if many else [points])]


def _y(facet: Facet, rows: pl.DataFrame) -> chart.Side:
    # Rounded, the axis of a share that is nearly full would end above 100%.
    scale: dict[str, Any] = {"domainMin": 0} if facet.zero else {"zero": False, "nice": False, "padding": 8}
    if facet.log:
        scale = {"type": "log", "nice": False, "padding": 6}
    if facet.top is not None:
        scale["domainMax"] = facet.top
    elif facet.levels and not rows.is_empty():
        # The lines are part of the picture.
        named = pl.Series([value for value, _ in facet.levels])
        scale["domainMax"] = chart.extent(rows["y"], rows["high"], named)[1] * 1.04
    return chart.side("y", facet.y, scale=scale)


def _x(plot: Plot, facet: Facet, rows: pl.DataFrame) -> chart.Side:
    low, high = chart.extent(rows["x"])
    axis: dict[str, Any] = {"grid": False}
    if plot.ticks is not None:
        axis["values"] = list(plot.ticks)
        if all(float(tick).is_integer() for tick in plot.ticks):
            axis["format"] = ",d"  # few of them would be 1.0, 2.0, 3.0
    scale: dict[str, Any] = {"nice": False}
    if low < high and not rows.is_empty():
        if plot.log_x:
            scale |= {"type": "log", "domain": [low / 1.15, high * 1.15]}
        elif "path" in set(rows["kind"]):
            scale = {"zero": True}
            axis["grid"] = True
        else:
            margin = 0.03 * (high - low)
            scale["domain"] = [low - margin if low > 0.0 else low, high + margin]
    return chart.side("x", facet.x or plot.x, scale=scale, axis=axis)
