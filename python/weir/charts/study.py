"""Figures of a study: curves with bands in one or more panels, beside printed numbers and theory."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, cast

import altair as alt
import polars as pl

from weir.charts import style
from weir.charts.figure import ROWS, Figure

Kind = Literal["runs", "theory", "paper", "ns-2", "target", "path"]
"""Where numbers come from. `path`: runs, whose line joins its points in their order, not by x."""

KINDS: dict[Kind, str] = {
    "paper": "Open circles: printed in the paper.",
    "ns-2": "Open squares: ns-2.35.",
    "target": "Open diamonds: targets.",
    "theory": "Dotted lines: theory.",
}

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


def figure(plot: Plot) -> Figure:
    """The plot, drawn."""
    labels = list(dict.fromkeys(curve.label for facet in plot.facets for curve in facet.curves))
    rows = pl.concat([_rows(index, facet) for index, facet in enumerate(plot.facets)])
    columns = min(plot.columns, len(plot.facets), 3)
    panels = [
        _panel(plot, index, facet, labels, rows).properties(
            width=_WIDTHS[columns], height=_HEIGHTS[columns], title=_panel_title(facet)
        )
        for index, facet in enumerate(plot.facets)
    ]
    chart = panels[0] if len(panels) == 1 else alt.concat(*panels, columns=columns, spacing=18)
    kinds = {curve.kind for facet in plot.facets for curve in facet.curves}
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


def _panel(plot: Plot, index: int, facet: Facet, labels: list[str], rows: pl.DataFrame) -> alt.LayerChart:
    mine = rows.filter(pl.col("facet") == index)
    base = alt.Chart(ROWS).transform_filter(f"datum.facet === {index}")
    y = _Y(facet, mine)
    x = _x(plot, facet, mine)
    several = len(labels) > 1
    colour = style.colour(labels, style.FILLED if several else None)
    dash = style.dash(labels, style.FILLED if several else None)
    shape = style.shape(labels, style.FILLED if several else None)
    layers: list[alt.Chart] = [*_levels(facet)]
    runs = base.transform_filter("datum.kind === 'runs'")
    if mine.filter(pl.col("kind") == "runs")["low"].count():
        layers.append(
            runs.mark_area(fillOpacity=0.2, clip=True).encode(x=x("x"), y=y("low"), y2="high:Q", color=colour)
        )
    if _has(mine, "theory"):
        layers.append(
            base.transform_filter("datum.kind === 'theory'")
            .mark_line(strokeWidth=1.2, strokeDash=[1, 2.5], clip=True)
            .encode(x=x("x"), y=y("y"), color=colour)
        )
    if _has(mine, "runs"):
        crowded = mine.filter(pl.col("kind") == "runs").group_by("label").len()["len"].max()
        many = isinstance(crowded, int) and crowded > _MANY
        layers.append(
            runs.mark_line(strokeWidth=1.0 if many else 1.6, clip=True).encode(
                x=x("x"), y=y("y"), color=colour, strokeDash=dash
            )
        )
        if not many:
            layers.append(
                runs.mark_point(filled=True, size=38, opacity=1, clip=True).encode(
                    x=x("x"), y=y("y"), color=colour, shape=shape, tooltip=_tooltip()
                )
            )
    if _has(mine, "path"):
        layers += _path(base.transform_filter("datum.kind === 'path'"), x, y, colour, dash, shape)
    for kind, mark in (("paper", "circle"), ("ns-2", "square"), ("target", "diamond")):
        if _has(mine, kind):
            layers.append(
                base.transform_filter(f"datum.kind === '{kind}'")
                .mark_point(filled=False, shape=mark, size=70, strokeWidth=1.4, opacity=1)
                .encode(x=x("x"), y=y("y"), color=colour, tooltip=_tooltip())
            )
    return cast("alt.LayerChart", alt.layer(*layers))


def _path(
    base: alt.Chart, x: _X, y: _Y, colour: alt.Color, dash: alt.StrokeDash, shape: alt.Shape
) -> list[alt.Chart]:
    return [
        base.mark_rule(strokeWidth=0.8, clip=True).encode(
            x=x("x_low"), x2="x_high:Q", y=y("y"), color=colour
        ),
        base.mark_rule(strokeWidth=0.8, clip=True).encode(x=x("x"), y=y("low"), y2="high:Q", color=colour),
        base.mark_line(strokeWidth=1.4, clip=True).encode(
            x=x("x"), y=y("y"), order="place:Q", color=colour, strokeDash=dash
        ),
        base.mark_point(filled=True, size=38, opacity=1, clip=True).encode(
            x=x("x"), y=y("y"), color=colour, shape=shape, tooltip=_tooltip()
        ),
    ]


class _X:
    """The axis below, the same for every layer."""

    def __init__(self, title: str, options: dict[str, Any], scale: alt.Scale) -> None:
        self._title, self._options, self._scale = title, options, scale

    def __call__(self, field: str) -> alt.X:
        return alt.X(f"{field}:Q", title=self._title, axis=alt.Axis(**self._options), scale=self._scale)


class _Y:
    """The axis at the side, the same for every layer."""

    def __init__(self, facet: Facet, rows: pl.DataFrame) -> None:
        self._title = facet.y
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
        self._scale = alt.Scale(**options)

    def __call__(self, field: str) -> alt.Y:
        return alt.Y(f"{field}:Q", title=self._title, scale=self._scale)


def _highest(facet: Facet, rows: pl.DataFrame) -> float:
    values = [rows[name].max() for name in ("y", "high")]
    known = [value for value in values if isinstance(value, float)]
    return max(*known, *(value for value, _ in facet.levels)) * 1.04


def _x(plot: Plot, facet: Facet, rows: pl.DataFrame) -> _X:
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
        elif _has(rows, "path"):
            scale = {"zero": True}
            options["grid"] = True
        else:
            margin = 0.03 * (high - low)
            scale["domain"] = [low - margin if low > 0.0 else low, high + margin]
    return _X(facet.x or plot.x, options, alt.Scale(**scale))


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


def _has(rows: pl.DataFrame, kind: str) -> bool:
    return not rows.filter(pl.col("kind") == kind).is_empty()


def _tooltip() -> list[alt.Tooltip]:
    fields = (("x", "x"), ("y", "value"), ("low", "low"), ("high", "high"))
    return [
        alt.Tooltip("label:N", title="curve"),
        *(alt.Tooltip(f"{name}:Q", title=title, format=".4~g") for name, title in fields),
    ]
