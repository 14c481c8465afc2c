"""One target's measure against another's: what a setting pays for what it gains."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

import altair as alt
import polars as pl

from weir.charts import style
from weir.charts.figure import ROWS, Figure
from weir.charts.tuning.data import Data
from weir.charts.tuning.pairs import pairs
from weir.charts.tuning.scales import BOUND, NEAR_FULL, STRONG, Extent, sentence, words_of
from weir.tuning.targets import Target


def tradeoff(data: Data, up: Target, across: Target) -> Figure:
    """The measure of target `up` against that of `across` for everything that was tried."""
    rows = pairs(data, up, across)
    x, y = _extent(rows, "x", across), _extent(rows, "y", up)
    # What lies below a logarithmic axis has no place on it: the bar then begins at its end.
    rows = rows.with_columns(pl.col("x_low").clip(lower_bound=x.low), pl.col("y_low").clip(lower_bound=y.low))
    title = f"{sentence(words_of(up.of))} against {words_of(across.of)}"
    chart = alt.layer(*_layers(data, rows, up, across, x, y)).properties(
        width=style.WIDTH, height=style.HEIGHT + 40
    )
    return Figure(
        f"tradeoff-{up.measure}-{across.measure}",
        title if not data.searched else f"{title}: every setting that was tried",
        _caption(data),
        cast("alt.TopLevelMixin", chart),
        rows,
    )


def _extent(rows: pl.DataFrame, side: str, target: Target) -> Extent:
    values = [*rows[side].to_list(), *rows[f"{side}_high"].to_list(), target.bound]
    full = target.measure in NEAR_FULL
    return Extent.of([*values, *rows[f"{side}_low"].to_list()] if full else values, full=full)


def _layers(
    data: Data, rows: pl.DataFrame, up: Target, across: Target, x: Extent, y: Extent
) -> list[alt.Chart]:
    def place(side: str, field: str) -> Any:  # noqa: ANN401 - either channel
        made, extent, target = (alt.X, x, across) if side == "x" else (alt.Y, y, up)
        axis = alt.Axis(**extent.ticks())
        return made(f"{field}:Q", title=target.of.heading, scale=extent.scale(), axis=axis)

    base = alt.Chart(ROWS).encode(x=place("x", "x"), y=place("y", "y"))
    named = [data.level(0, number) for number in (data.levels[0] if data.searched else ())]
    scale = alt.Scale(domain=named, scheme=alt.SchemeParams(name=style.GRADIENT, extent=[0.0, 0.85]))
    colour = alt.Color(
        "level:O", scale=scale, legend=alt.Legend(symbolType="circle") if len(data.axes) > 1 else None
    )

    def of(kind: str) -> alt.Chart:
        return base.transform_filter(f"datum.kind === '{kind}'")

    tips = [
        alt.Tooltip("setting:N", title="setting"),
        alt.Tooltip("x:Q", title=across.of.heading, format=f".{across.of.decimals}f"),
        alt.Tooltip("y:Q", title=up.of.heading, format=f".{up.of.decimals}f"),
        alt.Tooltip("n:Q", title="replications"),
    ]
    order: dict[str, Any] = {"order": "place:Q", "detail": "line:N"}
    shade, *bounds = _region(up, across, x, y)
    # Means over conditions may lie in it though one of the conditions does not.
    layers: list[alt.Chart] = [*([shade] if data.conditions == 1 else []), *bounds]
    has = set(rows["kind"])
    ends: list[alt.Chart] = []
    if "load" in has:
        layers.append(of("load").mark_line(stroke=style.GREY, strokeDash=[1, 2], clip=True).encode(**order))
        layers += _ends(of("load end"), style.INK)
    if "front" in has:
        layers.append(of("front").mark_line(stroke="#CC79A7", strokeWidth=7, opacity=0.35).encode(**order))
    if "second" in has:
        layers.append(
            of("second").mark_line(stroke=style.GREY, strokeWidth=0.8, strokeDash=[4, 3]).encode(**order)
        )
        ends = _ends(of("second end"), style.GREY)
    if "first" in has:
        line = of("first").mark_line(strokeWidth=1.4, color=style.GREY)
        layers.append(line.encode(**order, color=colour) if len(data.axes) > 1 else line.encode(**order))
    size = alt.Size("n:Q", legend=None, scale=alt.Scale(range=[28, 110], type="sqrt"))
    for kind in ("design", "between"):
        if kind in has:
            dots = (
                of(kind).mark_point(filled=True, opacity=1, color=style.GREY).encode(size=size, tooltip=tips)
            )
            coloured = kind == "design" and len(data.axes) > 1
            layers.append(dots.encode(color=colour) if coloured else dots)
    if "step" in has:
        ends = _ends(of("step"), style.GREY)
    # Names lie above the lines that they name.
    return [*layers, *ends, *_crosses(of, tips, place)]


def _ends(rows: alt.Chart, ink: str) -> list[alt.Chart]:
    return _named(rows, dx=6, dy=-4, fontSize=9, color=ink)


def _crosses(of: Any, tips: Sequence[alt.Tooltip], place: Any) -> list[alt.Chart]:  # noqa: ANN401
    layers: list[alt.Chart] = []
    for kind, ink, shape in (("defaults", style.INK, "square"), ("chosen", STRONG, "diamond")):
        one = of(kind)
        bar: dict[str, Any] = {"color": ink, "strokeWidth": 1.8, "clip": True}
        layers += [
            one.mark_rule(**bar).encode(x=place("x", "x_low"), x2="x_high:Q"),
            one.mark_rule(**bar).encode(y=place("y", "y_low"), y2="y_high:Q"),
            one.mark_point(shape=shape, size=90, fill="white", stroke=ink, strokeWidth=1.8, opacity=1).encode(
                tooltip=tips
            ),
            *_named(one, dx=9, dy=-9, fontSize=11, fontWeight="bold", color=ink),
        ]
    return layers


def _named(rows: alt.Chart, **options: Any) -> list[alt.Chart]:  # noqa: ANN401
    """Names beside their points, on a ground of their own."""
    ground: dict[str, Any] = {
        **options,
        "stroke": "white",
        "strokeWidth": 3,
        "strokeJoin": "round",
        "color": "white",
    }
    return [rows.mark_text(align="left", **kind).encode(text="line:N") for kind in (ground, options)]


def _region(up: Target, across: Target, x: Extent, y: Extent) -> list[alt.Chart]:
    """Where both targets are met."""
    row = {
        "x": x.low if across.sense == "<" else across.bound,
        "x2": across.bound if across.sense == "<" else x.high,
        "y": y.low if up.sense == "<" else up.bound,
        "y2": up.bound if up.sense == "<" else y.high,
    }
    base = alt.Chart(alt.Data(values=[{**row, "bx": across.bound, "by": up.bound}]))
    rule: dict[str, Any] = {"color": BOUND, "strokeDash": [5, 3], "strokeWidth": 1.2}
    return [
        base.mark_rect(color=BOUND, opacity=0.14).encode(x="x:Q", x2="x2:Q", y="y:Q", y2="y2:Q"),
        base.mark_rule(**rule).encode(x="bx:Q"),
        base.mark_rule(**rule).encode(y="by:Q"),
    ]


def _caption(data: Data) -> str:
    said = ["Green: where both targets are met."]
    if data.conditions > 1:
        means = f"Each in the worst of {data.conditions} conditions."
        said = [f"{means} Green lines: the targets, which each condition has to meet by itself."]
    crosses = data.marks_said
    bars = "; bars are their 95% intervals"
    said.append(f"{crosses[:-1]}, on fresh seeds{bars}.")
    if data.searched:
        said.append("Dots: means of the search, larger with more replications.")
        dimensions = len(data.axes)
        if dimensions == 1:
            said.append(f"The grey line joins them by {data.titles[0]}, whose values stand beside.")
        elif dimensions <= 3 and len(data.levels[1]) > 1:
            said.append(f"Coloured lines join settings of equal {data.titles[0]}")
            said[-1] += (
                f", dashed ones of equal {data.titles[1]}." if dimensions == 2 else f" and {data.titles[2]}."
            )
        said.append("Pale red: settings that no other beats in both.")
    if data.loads:
        said.append("Dotted lines: the best that was found at other loads.")
    return " ".join(said)
