"""Trade-off between the measures of two targets, for every setting that was tried."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Literal

import altair as alt
import numpy as np
import polars as pl

from weir.plot import _chart as chart
from weir.plot import _style as style
from weir.plot._figure import Figure
from weir.plot.tuning._data import Data
from weir.plot.tuning._effects import SPAN
from weir.stats.wording import sentence_case
from weir.tune import Target, measure_words, number_words, words

NEAR = 0.12
"""Fraction of a picture's side within which the names of two settings would hide each other."""

_SCHEMA = {
    "kind": pl.String, "line": pl.String, "level": pl.String, "setting": pl.String, "place": pl.Int64,
    **dict.fromkeys(("x", "y", "x_low", "x_high", "y_low", "y_high"), pl.Float64), "n": pl.Int64,
}  # fmt: skip

Extent = tuple[float, float, bool]
"""Ends of an axis, and true if it is logarithmic."""

_PAIR = {"chosen": (style.STRONG, "diamond"), "defaults": (style.INK, "square")}
"""Colours and symbols of the settings on fresh seeds."""


def tradeoff(data: Data, up: Target, across: Target) -> Figure:
    """Measure of target `up` against that of `across` for all settings tried."""
    rows = pairs(data, up, across)
    ends: dict[Literal["x", "y"], Extent] = {"x": _extent(rows, "x", across), "y": _extent(rows, "y", up)}
    # What lies below a logarithmic axis has no place on it: the bar then begins at its end.
    rows = rows.with_columns(
        pl.col(f"{name}_low").clip(lower_bound=low) for name, (low, _, _) in ends.items()
    )
    x, y = (
        chart.span(name, target.of.heading, low, high, log=log, clamp=True, tickCount=6)
        for (name, (low, high, log)), target in zip(ends.items(), (across, up), strict=True)
    )
    pen = chart.Pen(x, y)
    title = f"{sentence_case(measure_words(up.of))} against {measure_words(across.of)}"
    return Figure(
        f"tradeoff-{up.measure}-{across.measure}",
        f"{title}: every setting that was tried" if data.searched else title,
        _caption(data),
        chart.panel(
            [*_region(data, up, across, ends), *_layers(data, pen, rows, up, across)],
            style.WIDTH,
            style.HEIGHT + 40,
        ),
        rows,
    )


def _extent(rows: pl.DataFrame, name: str, target: Target) -> Extent:
    """Room for all values; zero at the bottom, but for what lives near its largest value."""
    full = target.of.full is not None
    columns = [name, f"{name}_high", *([f"{name}_low"] if full else [])]
    low, high = chart.extent(*(rows[column] for column in columns), pl.Series([target.bound]))
    if not full and chart.is_wide([low, high], SPAN):
        margin = (high / low) ** 0.06
        return low / margin, high * margin, True
    margin = 0.06 * ((high - low) or abs(high) or 1.0)
    return low - margin if full else 0.0, high + margin, False


def _region(
    data: Data, up: Target, across: Target, ends: Mapping[Literal["x", "y"], Extent]
) -> list[alt.Chart]:
    """Region in which both targets are met."""
    met: dict[str, float] = {}
    for (name, (low, high, _)), target in zip(ends.items(), (across, up), strict=True):
        below = target.sense == "<"
        met |= {name: low if below else target.bound, f"{name}2": target.bound if below else high}
        met[f"b{name}"] = target.bound
    base = alt.Chart(alt.Data(values=[met]))
    shade = base.mark_rect(color=style.BOUND, opacity=0.14).encode(x="x:Q", x2="x2:Q", y="y:Q", y2="y2:Q")
    rule = base.mark_rule(color=style.BOUND, strokeDash=[5, 3], strokeWidth=1.2)
    # Means over conditions may lie in it though one of the conditions does not.
    return [*([shade] if data.conditions == 1 else []), rule.encode(x="bx:Q"), rule.encode(y="by:Q")]


def _layers(data: Data, pen: chart.Pen, rows: pl.DataFrame, up: Target, across: Target) -> list[alt.Chart]:
    named = [data.level(0, number) for number in (data.levels[0] if data.searched else [])]
    several = len(data.axes) > 1
    colour = style.gradient(named, alt.Legend(symbolType="circle") if several else None, "level")
    of_level: dict[str, Any] = {"color": colour} if several else {}
    tips = chart.tooltips(
        ("setting:N", "setting", None),
        ("x:Q", across.of.heading, across.of.decimals),
        ("y:Q", up.of.heading, up.of.decimals),
        ("n:Q", "replications", None),
    )
    there, layers = set(rows["kind"]), list[alt.Chart]()
    lines: dict[str, dict[str, Any]] = {
        "load": {"stroke": style.GREY, "strokeDash": [1, 2], "clip": True},
        "front": {"stroke": "#CC79A7", "strokeWidth": 7, "opacity": 0.35},
        "second": {"stroke": style.GREY, "strokeWidth": 0.8, "strokeDash": [4, 3]},
        "first": {"color": style.GREY, "strokeWidth": 1.4},
    }
    for kind, options in lines.items():
        if kind in there:
            line = _of(pen, kind)("line", **options).encode(order="place:Q", detail="line:N")
            layers.append(line.encode(**of_level) if kind == "first" else line)
    size = alt.Size("n:Q", legend=None, scale=alt.Scale(range=[28, 110], type="sqrt"))
    for kind in ("design", "between"):
        if kind in there:
            dots = _of(pen, kind)("point", filled=True, opacity=1, color=style.GREY)
            dots = dots.encode(size=size, tooltip=tips)
            layers.append(dots.encode(**of_level) if kind == "design" else dots)
    # Names lie above the lines that they name.
    for kind, ink in (("load end", style.INK), ("second end", style.GREY), ("step", style.GREY)):
        if kind in there:
            layers += _named(_of(pen, kind), dx=6, dy=-4, fontSize=9, color=ink)
    for kind, (ink, shape) in reversed(_PAIR.items()):
        one = _of(pen, kind)
        bar: dict[str, Any] = {"color": ink, "strokeWidth": 1.8, "clip": True}
        symbol: dict[str, Any] = {"shape": shape, "fill": "white", "stroke": ink, "strokeWidth": 1.8}
        layers += [
            one("rule", x="x_low", x2="x_high", **bar),
            one("rule", y="y_low", y2="y_high", **bar),
            one("point", size=90, opacity=1, **symbol).encode(tooltip=tips),
            *_named(one, dx=9, dy=-9, fontSize=11, fontWeight="bold", color=ink),
        ]
    return layers


def _of(pen: chart.Pen, kind: str) -> chart.Pen:
    return pen.where(f"datum.kind === '{kind}'")


def _named(pen: chart.Pen, **options: Any) -> list[alt.Chart]:  # noqa: ANN401
    """Names beside their points, on a ground of their own."""
    ground: dict[str, Any] = {
        **options,
        "stroke": "white",
        "strokeWidth": 3,
        "strokeJoin": "round",
        "color": "white",
    }
    return [pen("text", align="left", **kind).encode(text="line:N") for kind in (ground, options)]


def _caption(data: Data) -> str:
    said = ["Green: where both targets are met."]
    if data.conditions > 1:
        means = f"Each in the worst of {data.conditions} conditions."
        said = [f"{means} Green lines: the targets, which each condition has to meet by itself."]
    said.append(f"{data.marks_said[:-1]}, on fresh seeds; bars are their 95% intervals.")
    if data.searched:
        said.append("Dots: means of the search, larger with more replications.")
        first, *others = data.titles
        if not others:
            said.append(f"The grey line joins them by {first}, whose values stand beside.")
        elif len(others) <= 2 and len(data.levels[1]) > 1:
            rest = f", dashed ones of equal {others[0]}" if len(others) == 1 else f" and {others[1]}"
            said.append(f"Coloured lines join settings of equal {first}{rest}.")
        said.append("Pale red: settings that no other beats in both.")
    if data.tuned.loads:
        said.append("Dotted lines: the best that was found at other loads.")
    return " ".join(said)


def front(points: pl.DataFrame, up: Target, across: Target) -> pl.DataFrame:
    """Points that no other beats in both measures, in the order of `across`."""
    costs = (pl.col(t.measure) if t.sense == "<" else -pl.col(t.measure) for t in (across, up))
    ordered = points.with_columns(cost.alias(f"_{i}") for i, cost in enumerate(costs)).sort("_0", "_1")
    least = pl.col("_1").cum_min().shift(1)
    return ordered.filter(least.is_null() | (pl.col("_1") < least)).drop("_0", "_1")


def pairs(data: Data, up: Target, across: Target) -> pl.DataFrame:
    """Marks of the figure, one row each.

    `kind` is the part of the figure: the best at another `load` and its `load end`, the `front`, settings of
    the `design` or `between` those. Lines along a parameter are `first` or `second`, and names on them are
    `step` or `second end`. Settings on fresh seeds are `chosen` or `defaults`.
    """
    frames = [pl.DataFrame(schema=_SCHEMA)]
    place = pl.int_range(pl.len()).alias("place")

    def add(kind: str, line: str, points: pl.DataFrame) -> None:
        ends = {"x": pl.col(across.measure), "y": pl.col(up.measure)}
        frames.append(points.with_columns(place, kind=pl.lit(kind), line=pl.lit(line), **ends))

    for load in data.tuned.loads:
        kept = front(pl.DataFrame(load.means), up, across).with_columns(setting=pl.lit(load.label))
        add("load", load.label, kept)
        add("load end", load.label, kept.tail(1))
    if data.searched:
        level = pl.col("p0").map_elements(lambda number: data.level(0, number), pl.String)
        points = data.points.with_columns(level.alias("level"))
        add("front", "front", front(points, up, across))
        add("design", "", points.filter(pl.col("design") & data.combined))
        add("between", "", points.filter(~(pl.col("design") & data.combined)))
        for kind, line, those in _lines(data, points):
            add(kind, line, those)
            if kind == "second":
                add("second end", line, those.tail(1).with_columns(setting=pl.lit(line)))
            if len(data.axes) == 1:
                for step in _apart(those, up, across).partition_by("p0"):
                    unit = data.axes[0].unit
                    add("step", f"{number_words(step['p0'][0])} {unit}".strip(), step)
    for mark, judged, _ in data.marks:
        name = words.ROLES[data.answer.verdict] if mark == "chosen" else "defaults"
        row: dict[str, Any] = {"kind": mark, "line": name, "setting": name, "place": 0}
        for side_, target in (("x", across), ("y", up)):
            worst = data.worst(judged, target)
            low, high = worst.mean - worst.half_width, worst.mean + worst.half_width
            row |= {side_: worst.mean, f"{side_}_low": low, f"{side_}_high": high, "n": worst.values.size}
        frames.append(pl.DataFrame([row]))
    rows = pl.concat(frames, how="diagonal_relaxed")
    return rows.select(pl.col(name).cast(kind) for name, kind in _SCHEMA.items())


def _lines(data: Data, points: pl.DataFrame) -> Iterator[tuple[str, str, pl.DataFrame]]:
    """Settings of the coarse design that differ in one parameter alone, with what they share: along the
    second parameter, then along the first. With more than two parameters, only those along the second."""
    count = len(data.axes)
    if count == 1:
        yield "first", "all", points.sort("p0")
    for kind, along in (("first", 1), ("second", 0)):
        if count < 2 or count > 3 or (count == 3 and along == 0) or len(data.levels[along]) < 2:
            continue
        shared = [index for index in range(count) if index != along]
        columns = [data.columns[index] for index in shared]
        grid = points.filter("design").sort(data.columns)
        for line in grid.partition_by(columns, maintain_order=True):
            numbers = line.row(0, named=True)
            yield kind, ", ".join(data.level(i, numbers[f"p{i}"]) for i in shared), line


def _apart(line: pl.DataFrame, up: Target, across: Target) -> pl.DataFrame:
    """Points of a line whose names do not hide one another, from the first on."""
    places: list[np.ndarray[Any, Any]] = []
    for target in (up, across):
        values = line[target.measure].to_numpy()
        if np.all(values > 0.0):
            way = np.log(values / values[0])
            places.append(way / (np.max(np.abs(way)) or 1.0))
        else:
            places.append(np.arange(len(values), dtype=np.float64))
    kept: list[int] = []
    for index in range(len(line)):
        if all(max(abs(place[index] - place[other]) for place in places) > NEAR for other in kept):
            kept.append(index)
    return line[kept]
