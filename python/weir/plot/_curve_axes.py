"""Axes of the panels of a study: room for every symbol, and one scale for what is compared."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from textwrap import wrap
from typing import Any

import altair as alt
import polars as pl

from weir.plot import _chart as chart
from weir.plot._plot import Facet, Plot

_ROOM = 0.05
"""Share of an axis between its ends and the outermost points."""
_LETTER = 6.4
"""Width of a letter of a title, px, in DejaVu Sans."""
_APART = 5
"""Distance between numbers at an axis, px."""


@dataclass(frozen=True)
class Scale:
    """Ends of a vertical axis."""

    low: float
    high: float
    log: bool

    @property
    def is_cut(self) -> bool:
        """Returns true if the axis begins above zero, where a reader may expect it."""
        return not self.log and self.low > 0.0


def scales(plot: Plot, rows: pl.DataFrame) -> list[Scale]:
    """The scale of each panel: the same for all with the same title."""
    found: list[Scale] = []
    for index, facet in enumerate(plot.facets):
        same = [
            at
            for at, one in enumerate(plot.facets)
            if at == index or (not plot.own_scales and (one.y, one.log) == (facet.y, facet.log))
        ]
        shown = rows.filter(pl.col("facet").is_in(same))
        found.append(_scale([plot.facets[at] for at in same], shown))
    return found


def _scale(facets: Sequence[Facet], rows: pl.DataFrame) -> Scale:
    levels = pl.Series([value for facet in facets for value, _ in facet.levels], dtype=pl.Float64)
    log = facets[0].log
    if log:
        levels = levels.filter(levels > 0.0)
    low, high = chart.extent(rows["y"], rows["low"], rows["high"], levels)
    tops = [facet.top for facet in facets if facet.top is not None]
    if log:
        room = (high / low) ** _ROOM if low < high else 1.5
        return Scale(low / room, max(tops, default=high * room), log=True)
    if all(facet.zero for facet in facets):
        # An interval may reach below zero; what is measured cannot.
        low = min(chart.extent(rows["y"], levels)[0], 0.0)
        high = high if high > low else low + 1.0
        ends = (low, high + _ROOM * (high - low))
    else:
        room = _ROOM * (high - low) or abs(high) * _ROOM or 1.0
        # A share that is nearly all, or nearly nothing, has no room beyond.
        ends = (low - room if low <= 0.0 else max(0.0, low - room), high + room)
    return Scale(ends[0], max(tops, default=ends[1]), log=False)


def y_side(facet: Facet, scale: Scale, height: float) -> chart.Side:
    """The vertical axis of a panel of this height."""
    title = wrap(facet.y, max(8, int(height / _LETTER))) if facet.y else None
    given: dict[str, Any] = {"domain": [scale.low, scale.high], "nice": False}
    axis: dict[str, Any] = {"labelSeparation": _APART}
    if scale.log:
        given["type"] = "log"
        axis |= {"values": chart.log_ticks(scale.low, scale.high), "format": chart.NUMBERS}
    else:
        given["zero"] = False
    if facet.ticks is not None:
        axis["values"] = list(facet.ticks)
    heading: Any = title if title is None or len(title) > 1 else title[0]
    return chart.side("y", heading, scale=given, axis=axis)


def x_side(plot: Plot, facet: Facet, rows: pl.DataFrame) -> chart.Side:
    """The horizontal axis of a panel."""
    places = pl.Series([place for place, _ in facet.places], dtype=pl.Float64)
    low, high = chart.extent(rows["x"], rows["x_low"], rows["x_high"], places)
    axis: dict[str, Any] = {"grid": False, "labelSeparation": _APART}
    if plot.names is not None:
        axis |= {"values": list(plot.names), "labelExpr": _naming(plot.names), "labelOverlap": False}
    elif plot.ticks is not None:
        axis["values"] = list(plot.ticks)
        if all(float(tick).is_integer() for tick in plot.ticks):
            axis["format"] = ",d"  # few of them would be 1.0, 2.0, 3.0
    scale: dict[str, Any] = {"nice": False} if plot.log_x else {"nice": False, "zero": False}
    if low == high and plot.ticks:
        low, high = min(low, *plot.ticks), max(high, *plot.ticks)
    if low < high and not rows.is_empty():
        if plot.log_x:
            ends = (low / 1.15, high * 1.15)
            scale |= {"type": "log", "domain": ends}
            if plot.ticks is None:
                axis |= {"values": chart.log_ticks(*ends), "format": chart.NUMBERS}
        elif "path" in set(rows["kind"]):
            scale |= {"domain": [min(low, 0.0), high + _ROOM * (high - min(low, 0.0))]}
            axis["grid"] = True
        else:
            margin = (0.08 if plot.names else 0.03) * (high - low)
            scale["domain"] = [low - margin if low > 0.0 else low, high + margin]
    return chart.side("x", facet.x or plot.x, scale=scale, axis=axis)


def _naming(names: Mapping[float, str]) -> str:
    """Expression of Vega for the names of places, whose parts after commas are lines."""
    said = "''"
    for place, name in names.items():
        said = f"datum.value === {place:g} ? {json.dumps(name.split(', '))} : {said}"
    return said


def lid() -> alt.Chart:
    """An invisible point above a panel, higher than any number at its axis: titles stand in line over it."""
    base = alt.Chart(alt.Data(values=[{}]))
    return base.mark_point(opacity=0, size=1).encode(x=alt.XValue(0), y=alt.YValue(-8))


def cut_mark() -> alt.Chart:
    """Two strokes across the vertical axis near its begin: it does not begin at zero."""
    base = alt.Chart(alt.Data(values=[{}]))
    strokes = base.mark_point(
        shape="M-1,0.45L1,-0.25M-1,-0.05L1,-0.75",
        size=110,
        strokeWidth=1.3,
        color="#444444",
        opacity=1,
        yOffset=-7,
    )
    return strokes.encode(x=alt.XValue(0), y=alt.YValue("height"))
