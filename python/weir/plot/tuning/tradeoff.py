"""One target's measure against another's of everything that was tried: what a setting pays for its gain."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import isfinite, log
from typing import Any, cast

import altair as alt
import polars as pl

from weir.plot import style
from weir.plot._figure import ROWS, Figure
from weir.plot._parts import NEAR_FULL, NUMBERS, log_ticks
from weir.plot.tuning.data import Data, Load, Point
from weir.plot.tuning.effects import SPAN
from weir.plot.tuning.words import ROLES, sentence, words_of
from weir.tune.answer import Confirmed
from weir.tune.targets import Target

NEAR = 0.12
"""Share of a picture's side within which the names of two settings would hide each other."""

_SCHEMA = {
    "kind": pl.String, "line": pl.String, "level": pl.String, "setting": pl.String, "place": pl.Int64,
    **dict.fromkeys(("x", "y", "x_low", "x_high", "y_low", "y_high"), pl.Float64), "n": pl.Int64,
}  # fmt: skip

_Row = dict[str, Any]


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


@dataclass(frozen=True)
class Extent:
    """The axis of a measure: where it begins and ends, and in which steps."""

    low: float
    high: float
    log: bool

    @classmethod
    def of(cls, values: Iterable[float | None], *, full: bool = False) -> Extent:
        """Room for all values; `full` for measures near their largest value."""
        known = [value for value in values if value is not None and isfinite(value)]
        low, high = min(known, default=0.0), max(known, default=1.0)
        if not full and 0.0 < SPAN * low < high:
            margin = (high / low) ** 0.06
            return cls(low / margin, high * margin, log=True)
        margin = 0.06 * ((high - low) or abs(high) or 1.0)
        return cls(low - margin if full else 0.0, high + margin, log=False)

    def scale(self) -> alt.Scale:
        """For a channel."""
        kind: dict[str, Any] = {"type": "log"} if self.log else {"zero": False}
        return alt.Scale(domain=[self.low, self.high], nice=False, clamp=True, **kind)

    def axis(self) -> alt.Axis:
        """With ticks that suit it."""
        if self.log:
            return alt.Axis(values=log_ticks(self.low, self.high), format=NUMBERS)
        return alt.Axis(tickCount=6)


def _extent(rows: pl.DataFrame, side: str, target: Target) -> Extent:
    values = [*rows[side].to_list(), *rows[f"{side}_high"].to_list(), target.bound]
    full = target.measure in NEAR_FULL
    return Extent.of([*values, *rows[f"{side}_low"].to_list()] if full else values, full=full)


def _layers(
    data: Data, rows: pl.DataFrame, up: Target, across: Target, x: Extent, y: Extent
) -> list[alt.Chart]:
    def place(side: str, field: str) -> Any:  # noqa: ANN401 - either channel
        made, extent, target = (alt.X, x, across) if side == "x" else (alt.Y, y, up)
        return made(f"{field}:Q", title=target.of.heading, scale=extent.scale(), axis=extent.axis())

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
    for kind, ink, shape in (("defaults", style.INK, "square"), ("chosen", style.STRONG, "diamond")):
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
    rule: dict[str, Any] = {"color": style.BOUND, "strokeDash": [5, 3], "strokeWidth": 1.2}
    return [
        base.mark_rect(color=style.BOUND, opacity=0.14).encode(x="x:Q", x2="x2:Q", y="y:Q", y2="y2:Q"),
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


def pairs(data: Data, up: Target, across: Target) -> pl.DataFrame:
    """One row per mark. `kind` is what it is part of: the best at another `load` and its `load end`, the
    `front`, settings of the `design` or `between` those, lines along a parameter with names of
    a `step` or at a `second end`, `chosen` or `defaults`."""
    made = _Pairs(data, up, across)
    rows = [*made.loads(), *made.front(), *made.tried(), *made.lines(), *made.marks()]
    return pl.DataFrame(rows, schema=_SCHEMA, orient="row", strict=False)


def front(points: Sequence[Mapping[str, float]], up: Target, across: Target) -> list[int]:
    """Those that no other beats in both measures, in the order of `across`."""

    def cost(point: Mapping[str, float], target: Target) -> float:
        return point[target.measure] if target.sense == "<" else -point[target.measure]

    order = sorted(range(len(points)), key=lambda i: (cost(points[i], across), cost(points[i], up)))
    kept: list[int] = []
    for index in order:
        if not kept or cost(points[index], up) < cost(points[kept[-1]], up):
            kept.append(index)
    return kept


@dataclass(frozen=True)
class _Pairs:
    data: Data
    up: Target
    across: Target

    def _row(self, kind: str, line: str, at: Mapping[str, float], place: int = 0, **more: Any) -> _Row:  # noqa: ANN401
        x, y = at[self.across.measure], at[self.up.measure]
        return {"kind": kind, "line": line, "setting": line, "place": place, "x": x, "y": y, **more}

    def _point(self, kind: str, line: str, point: Point, place: int = 0) -> _Row:
        level = self.data.level(0, point.at[0])
        setting = self.data.named(point.at)
        return self._row(kind, line, point.means, place, level=level, setting=setting, n=point.n)

    def loads(self) -> Iterator[_Row]:
        """The best at every other load, as a line, and the name at its end."""
        for load in self.data.loads:
            kept = self._kept(load)
            yield from (self._row("load", load.label, means, i) for i, means in enumerate(kept))
            if kept:
                yield self._row("load end", load.label, kept[-1])

    def _kept(self, load: Load) -> list[Mapping[str, float]]:
        return [load.means[i] for i in front(load.means, self.up, self.across)]

    def front(self) -> Iterator[_Row]:
        """What no other setting beats."""
        points = self.data.points
        for place, index in enumerate(front([p.means for p in points], self.up, self.across)):
            yield self._point("front", "front", points[index], place)

    def tried(self) -> Iterator[_Row]:
        """Every setting, in the coarse design or between its settings."""
        for point in self.data.points:
            within = self.data.combined and point.at in self.data.grid
            yield self._point("design" if within else "between", "", point)

    def lines(self) -> Iterator[_Row]:
        """Lines of the coarse design along the second parameter, then along the first."""
        for along, kind in ((1, "first"), (0, "second")):
            for name, line in _lines(self.data, along):
                yield from (self._point(kind, name, point, i) for i, point in enumerate(line))
                if len(self.data.axes) == 1:
                    yield from self._steps(line)
                if kind == "second":
                    yield self._row("second end", name, line[-1].means)

    def _steps(self, line: Sequence[Point]) -> Iterator[_Row]:
        """Names of the settings of one parameter, where they do not hide one another."""
        spans = [
            max(abs(log(p.means[t.measure] / line[0].means[t.measure])) for p in line) or 1.0
            if all(p.means[t.measure] > 0.0 for p in line)
            else None
            for t in (self.up, self.across)
        ]
        named: list[Point] = []
        for point in line:
            if all(self._apart(point, other, spans) > NEAR for other in named):
                named.append(point)
                unit = self.data.axes[0].unit
                yield self._row("step", f"{point.at[0]:.3g} {unit}".strip(), point.means)

    def _apart(self, a: Point, b: Point, spans: Sequence[float | None]) -> float:
        """As a share of the picture."""
        shares: list[float] = []
        for target, span in zip((self.up, self.across), spans, strict=True):
            x, y = a.means[target.measure], b.means[target.measure]
            shares.append(abs(log(x / y)) / span if span else 1.0)
        return max(shares)

    def marks(self) -> Iterator[_Row]:
        """The answer and the defaults, on fresh seeds."""
        answer = self.data.answer
        if answer.chosen.setting:
            yield self._mark("chosen", answer.chosen, ROLES[answer.verdict])
        yield self._mark("defaults", answer.defaults, "defaults")

    def _mark(self, kind: str, judged: Confirmed, name: str) -> _Row:
        row: _Row = {"kind": kind, "line": name, "setting": name, "place": 0}
        for side, target in (("x", self.across), ("y", self.up)):
            worst = self.data.worst(judged, target)
            row[side], row["n"] = worst.mean, worst.values.size
            row[f"{side}_low"] = worst.mean - worst.half_width
            row[f"{side}_high"] = worst.mean + worst.half_width
        return row


def _lines(data: Data, along: int) -> list[tuple[str, list[Point]]]:
    """Settings of the coarse design that differ in one parameter alone, with what they share."""
    dimensions = len(data.axes)
    if dimensions == 1:
        ordered = sorted(data.points, key=lambda p: p.at)
        return [("all", ordered)] if along == 1 and ordered else []
    # More parameters have too many families of lines: those along the second stay.
    if dimensions > 3 or (dimensions == 3 and along == 0) or len(data.levels[along]) < 2:
        return []
    lines: dict[tuple[float, ...], list[Point]] = {}
    for at, point in sorted(data.grid.items()):
        lines.setdefault((*at[:along], *at[along + 1 :]), []).append(point)
    other = [index for index in range(dimensions) if index != along]
    return [
        (", ".join(data.level(i, number) for i, number in zip(other, shared, strict=True)), points)
        for shared, points in lines.items()
    ]
