"""Figures of a study: curves with bands in one or more panels, beside printed numbers and theory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

import altair as alt
import polars as pl

from weir._errors import require
from weir.plot import _chart as chart
from weir.plot import _legend as legend
from weir.plot import _style as style
from weir.plot._curve_axes import Scale, cut_mark, lid, scales, x_side, y_side
from weir.plot._figure import Figure
from weir.plot._plot import CurveKind, Facet, Plot
from weir.scenario import suggestion
from weir.sweep import ChartError

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

_WIDTHS = {1: style.WIDTH, 2: 250, 3: 180}
_HEIGHTS = {1: style.HEIGHT, 2: 190, 3: 160}
_BETWEEN = {"row": 80, "column": 66}
"""Room between panels for numbers, titles of axes and the title below, px."""
_LETTER = 5.5
"""Width of a letter of a line's name, px."""


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
    symbols = legend.symbols(plot)
    rows = pl.concat([_rows(index, facet, symbols) for index, facet in enumerate(plot.facets)])
    columns = min(plot.columns, len(plot.facets), 3)
    size = (_WIDTHS[columns], _HEIGHTS[columns])
    look = legend.look(plot)
    panels = [
        _panel(plot, index, rows.filter(pl.col("facet") == index), scale, look, size)
        for index, scale in enumerate(scales(plot, rows))
    ]
    return Figure(plot.name, plot.title, plot.caption, _together(plot, panels, columns), rows)


def _panel(
    plot: Plot, index: int, rows: pl.DataFrame, scale: Scale, look: dict[str, Any], size: tuple[int, int]
) -> alt.LayerChart:
    facet = plot.facets[index]
    pen = chart.Pen(x_side(plot, facet, rows), y_side(facet, scale, size[1]), look)
    pen = pen.where(f"datum.facet === {index}")
    layers = [legend.layer(pen), lid(), *chart.named_levels(facet.levels), *chart.named_places(facet.places)]
    for kind in _ORDER:
        part = rows.filter(pl.col("kind") == kind)
        if not part.is_empty():
            layers += _layers(
                pen.where(f"datum.kind === '{kind}'"), kind, part, cut=chart.extent(rows["y"])[1] > scale.high
            )
    if scale.is_cut:
        layers.append(cut_mark())
    return chart.panel(layers, *size, facet.title)


def _together(plot: Plot, panels: Sequence[alt.LayerChart], columns: int) -> chart.Chart:
    """The panels, whose axes are in line."""
    if len(panels) == 1:
        return panels[0]
    inner = [facet for index, facet in enumerate(plot.facets) if index % columns < columns - 1]
    letters = max((len(name) for facet in inner for _, name in facet.levels), default=0)
    between = {**_BETWEEN, "column": _BETWEEN["column"] + (round(_LETTER * letters + 6) if letters else 0)}
    made: Any = alt.concat(*panels, columns=columns, bounds="flush", spacing=between)
    return cast("chart.Chart", made)


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
    "facet": pl.Int64, "label": pl.String, "kind": pl.String, "symbol": pl.String, "place": pl.Int64,
    **dict.fromkeys(("x", "y", *_ENDS), pl.Float64),
}  # fmt: skip


def _rows(index: int, facet: Facet, symbols: Mapping[str, str]) -> pl.DataFrame:
    frames = [pl.DataFrame(schema=_SCHEMA)]
    for curve in facet.curves:
        given: dict[str, Sequence[float] | None] = {name: getattr(curve, name) for name in ("x", "y", *_ENDS)}
        numbers = pl.DataFrame(
            {name: values for name, values in given.items() if values is not None}, strict=False
        )
        symbol = symbols.get(curve.label, "")
        named = {"facet": index, "label": curve.label, "kind": curve.kind, "symbol": symbol}
        missing = {name: None for name, values in given.items() if values is None}
        constants = (pl.lit(value, _SCHEMA[name]).alias(name) for name, value in {**named, **missing}.items())
        whole = numbers.with_columns(*constants, pl.int_range(pl.len()).alias("place"))
        frames.append(whole.select(pl.col(name).cast(kind) for name, kind in _SCHEMA.items()))
    rows = pl.concat(frames).with_columns(pl.col("y", *_ENDS).fill_nan(None))
    if facet.log:
        # No logarithm below zero: an interval that reaches there has no lower end in the picture.
        rows = rows.with_columns(pl.when(pl.col(name) > 0.0).then(pl.col(name)) for name in ("y", "low"))
    return rows


def _layers(pen: chart.Pen, kind: CurveKind, rows: pl.DataFrame, *, cut: bool) -> list[alt.Chart]:
    """Layers for one kind of numbers. `cut`: the axis ends below some, which are not drawn."""
    names = (("x", "x"), ("y", "value"), ("low", "low"), ("high", "high"))
    tips = chart.tooltips(
        ("label:N", "curve", None), *((f"{name}:Q", title, ".4~g") for name, title in names)
    )
    banded = rows["low"].count() > 0
    points = pen("point", "color", "shape", filled=True, size=38, opacity=1, clip=cut).encode(tooltip=tips)
    match kind:
        case "theory":
            return [pen("line", "color", strokeWidth=1.2, strokeDash=list(legend.DOTTED), clip=True)]
        case "dot":
            bar = pen("rule", "color", y="low", y2="high", strokeWidth=1.0, clip=True)
            return [*([bar] if banded else []), points.mark_point(filled=True, size=34, opacity=0.8)]
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
            symbol = {"shape": legend.OPEN[kind], "size": 70, "strokeWidth": 1.4, "opacity": 1}
            single = pen.where("!isValid(datum.low)")("point", "color", filled=False, **symbol)
            ends = [
                pen("point", "color", y=end, filled=False, **symbol).encode(tooltip=tips)
                for end in ("low", "high")
            ]
            bar = pen("rule", "color", y="low", y2="high", strokeWidth=1.4)
            return [*([bar, *ends] if banded else []), single.encode(tooltip=tips)]
        case "runs":
            many = max(rows.group_by("label", maintain_order=True).len()["len"]) > legend.MANY
            band = pen("area", "color", y="low", y2="high", fillOpacity=0.2, clip=True)
            line = pen("line", "color", "strokeDash", strokeWidth=1.0 if many else 1.6, clip=True)
            return [*([band] if banded else []), line, *([] if many else [points])]
