"""Layout of a figure: size, titles, ranges and scales of its axes, titles of its panels, the legend."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass, field, replace
from typing import Any, Literal, cast, get_args

import polars as pl

from weir.plot import _style as style
from weir.sweep import ChartError

Legend = Literal["top", "bottom", "left", "right", "none"]
AxisName = Literal["x", "y"]

_PIXELS = {"px": 1.0, "mm": 96.0 / 25.4, "cm": 96.0 / 2.54, "in": 96.0, "pt": 96.0 / 72.0}
_SIDE = rf"([\d.]+) ?({'|'.join(_PIXELS)})?"
_SIZE = re.compile(rf"{_SIDE} ?[xX×] ?{_SIDE}")
_SMALLEST, _LARGEST = 120.0, 10_000.0

_PRINTED = 300.0 / 96.0
"""Scale of a PNG whose size is not in pixels: 300 dots per inch."""


@dataclass(frozen=True)
class Size:
    """Size of a whole picture."""

    width: float
    """Width in pixels of 1/96 inch."""
    height: float
    unit: str
    """Unit in which the size was given: `px`, `mm`, `cm`, `in` or `pt` (1/72 inch)."""

    @classmethod
    def parse(cls, text: str) -> Size:
        """Reads `800x500`, `84x60mm`, `8.4x6cm`, `3.3x2.5in` or `240x170pt`. Raises ChartError."""
        found = _SIZE.fullmatch(text.strip())
        sides, unit = list[float](), "px"
        if found is not None:
            unit = found[4] or found[2] or unit
            try:
                sides = [float(number) * _PIXELS[unit] for number in (found[1], found[3])]
            except ValueError:
                found = None
        if found is None or (found[2] and found[2] != found[4]):
            raise ChartError(
                f"{text!r} is no size", "write WIDTHxHEIGHT: 800x500, 84x60mm, 8.4x6cm, 3.3x2.5in, 240x170pt"
            )
        if min(sides) < _SMALLEST or max(sides) > _LARGEST:
            raise ChartError(
                f"a side of {text} is not between {_SMALLEST:g} and {_LARGEST:,.0f} pixels",
                "there are 96 pixels in an inch, and 38 in a centimetre",
            )
        return cls(sides[0], sides[1], unit)

    def to_json(self) -> dict[str, Any]:
        """Returns plain values, for the process that draws."""
        per = _PIXELS[self.unit]
        named = [
            f"{side / per:g}{'' if self.unit == 'px' else self.unit}" for side in (self.width, self.height)
        ]
        scale = 1.0 if self.unit == "px" else _PRINTED
        return {"width": self.width, "height": self.height, "named": named, "scale": scale}


@dataclass(frozen=True)
class Range:
    """Range of an axis, in its unit. An end that is None stays as in the figure."""

    low: float | None
    high: float | None

    @classmethod
    def parse(cls, text: str) -> Range:
        """Reads a range such as `0..100`, `0..` or `..100`. Raises ChartError."""
        low, dots, high = text.partition("..")
        try:
            low_, high_ = (float(end) if end.strip() else None for end in (low, high))
        except ValueError:
            dots = ""
            low_ = high_ = None
        ends = [end for end in (low_, high_) if end is not None]
        if not (dots and ends) or not all(map(math.isfinite, ends)):
            raise ChartError(
                f"{text!r} is no range", "write LOW..HIGH, in the unit of the axis: 0..100, 0.., ..50"
            )
        if len(ends) == 2 and not ends[0] < ends[1]:
            raise ChartError(f"{text}: the first end is not below the second")
        return cls(low_, high_)


@dataclass(frozen=True)
class Layout:
    """Changes to the look of a figure. A field that is None or empty leaves it unchanged."""

    size: Size | None = None
    x_title: str | None = None
    y_title: str | None = None
    log: tuple[AxisName, ...] = ()
    legend: Legend | None = None
    ranges: Mapping[AxisName, Range] = field(default_factory=dict["AxisName", Range])
    panels: Mapping[str, str] = field(default_factory=dict[str, str])
    """New titles of panels, by the titles in the figure."""

    @classmethod
    def of(
        cls,
        size: str | None,
        x_title: str | None,
        y_title: str | None,
        log: str | None,
        legend: str | None,
        x_range: str | None,
        y_range: str | None,
        facet_titles: Mapping[str, str],
    ) -> Layout:
        """Reads a layout from texts. Raises ChartError for an invalid one."""
        if log is not None and log not in {"x", "y", "xy"}:
            raise ChartError(f"{log!r} is no axis", "write x, y or xy for logarithmic axes")
        if legend is not None and legend not in get_args(Legend):
            raise ChartError(
                f"{legend!r} is no place of a legend", f"there are: {', '.join(get_args(Legend))}"
            )
        parsed = None if size is None else Size.parse(size)
        axes = cast("tuple[AxisName, ...]", tuple(log or ""))
        texts: dict[AxisName, str | None] = {"x": x_range, "y": y_range}
        ranges: dict[AxisName, Range] = {
            axis: Range.parse(text) for axis, text in texts.items() if text is not None
        }
        place = cast("Legend | None", legend)
        return cls(parsed, x_title, y_title, axes, place, ranges, dict(facet_titles))

    def named(self, chart: Mapping[str, Any], rows: pl.DataFrame) -> Layout:
        """Layout with the whole titles of panels, where a level alone may be named. Raises ChartError for a
        panel that does not exist."""
        there = list(dict.fromkeys(_titles_of(chart, rows))) if self.panels else []
        found: dict[str, str] = {}
        for name, title in self.panels.items():
            same = [one for one in there if one == name] or [one for one in there if one.endswith(f" {name}")]
            if not there:
                raise ChartError("this figure has no panels with titles", "ask for some: --facet AXIS")
            if len(same) != 1:
                known = "; ".join(there)
                raise ChartError(f"there is no panel {name!r}", f"there are: {known}")
            found[same[0]] = title
        return replace(self, panels=found)

    def applied(self, chart: Mapping[str, Any]) -> dict[str, Any]:
        """Vega-Lite specification, with its config, in this layout."""
        made = deepcopy(dict(chart))
        for axis, title in (("x", self.x_title), ("y", self.y_title)):
            sides = [encoding[axis] for encoding in _encodings(made) if axis in encoding]
            for side in ([one for one in sides if one.get("title")] or sides) if title is not None else ():
                side["title"] = title or None
        for axis in self.log:
            for encoding in _encodings(made):
                _logarithmic(encoding.get(axis))
        for axis, ends in self.ranges.items():
            for encoding in _encodings(made):
                _limited(encoding.get(axis), ends)
        if self.ranges:
            _clip(made)
        if self.panels:
            _retitle(made, self.panels)
        self._place(made)
        if self.size is not None:
            made["usermeta"] = {"size": self.size.to_json()}
        return made

    def _place(self, made: dict[str, Any]) -> None:
        """Puts the legend in its place."""
        legend = made["config"]["legend"]
        if self.legend == "none":
            legend["disable"] = True
        elif self.legend is not None:
            legend["orient"] = self.legend
            if self.legend in {"left", "right"}:
                legend["columns"] = 1
            named = any(encoding.get("x") == {"value": "width"} for encoding in _encodings(made))
            if self.legend == "right" and named:
                # Beside the names of horizontal lines.
                legend["offset"] = 56

    def checked(self, chart: Mapping[str, Any], rows: pl.DataFrame) -> pl.DataFrame:
        """The rows that can be drawn so: no logarithm of what is not above zero, but intervals that reach
        there end at the edge. Raises ChartError where nothing is left of an axis."""
        for axis, what in (
            *((axis, "logarithm") for axis in self.log),
            *((axis, "range") for axis in self.ranges),
        ):
            if any(
                one[axis].get("type") in {"nominal", "ordinal"} for one in _encodings(chart) if axis in one
            ):
                raise ChartError(f"the {axis} axis of this figure has names, of which there is no {what}")
        for axis, ends in self.ranges.items():
            sides: list[dict[str, Any]] = [one[axis] for one in _encodings(chart) if axis in one]
            log = axis in self.log or any(_mapping(side.get("scale")).get("type") == "log" for side in sides)
            if log and any(end is not None and end <= 0.0 for end in (ends.low, ends.high)):
                raise ChartError(f"the {axis} axis is logarithmic: its range is above zero")
        for axis in self.log:
            encodings = [one for one in _encodings(chart) if axis in one]
            ends = {
                one[name].get("field")
                for one in encodings
                if f"{axis}2" in one
                for name in (axis, f"{axis}2")
            }
            fields = {one[axis].get("field") for one in encodings} | ends
            columns = [name for name in rows.columns if name in fields]
            positive = [rows[name].filter(rows[name] > 0.0).min() for name in columns]
            known = [value for value in positive if isinstance(value, int | float)]
            if not known:
                raise ChartError(f"nothing on the {axis} axis is above zero: it cannot be logarithmic")
            rows = rows.with_columns(
                pl.col(name).clip(lower_bound=min(known))
                if name in ends
                else pl.when(pl.col(name) > 0.0).then(pl.col(name))
                for name in columns
            )
            if f"arrow_{axis}" in rows.columns:
                # Halfway along a step as the logarithmic axis shows it.
                halfway = (pl.col(axis) * pl.col(f"from_{axis}")).sqrt()
                drawn = pl.col(f"arrow_{axis}").is_not_null()
                rows = rows.with_columns(pl.when(drawn).then(halfway).alias(f"arrow_{axis}"))
        return rows

    def letters(self, in_a_line: int) -> int:
        """Number of letters that fit into a line as wide as the picture, if `in_a_line` fit into the usual
        one."""
        usual = style.WIDTH + 100.0
        return in_a_line if self.size is None else max(16, int(in_a_line * self.size.width / usual))


def _logarithmic(side: dict[str, Any] | None) -> None:
    if side is None:
        return
    scale: dict[str, Any] = side.get("scale") or {}
    kept = {name: value for name, value in scale.items() if name not in {"zero", "type", "domainMin"}}
    if min(kept.get("domain", [1.0])) <= 0.0:
        del kept["domain"]
    side["scale"] = {**kept, "type": "log"}
    side["axis"] = {"labelOverlap": "greedy", **(side.get("axis") or {})}


def _limited(side: dict[str, Any] | None, ends: Range) -> None:
    if side is None or side.get("type") != "quantitative":
        return
    scale: dict[str, Any] = side.get("scale") or {}
    kept = {name: value for name, value in scale.items() if name not in {"domain", "clamp"}}
    low, high = scale.get("domain", (None, None))
    low, high = (ends.low if ends.low is not None else low), (ends.high if ends.high is not None else high)
    given = {name: end for name, end in (("domainMin", low), ("domainMax", high)) if end is not None}
    side["scale"] = {**kept, **given, "nice": False}
    if ends.low is not None and kept.get("type") != "log":
        side["scale"]["zero"] = False
    if kept.get("type") != "log" and side.get("axis"):
        # Ticks of the levels, or of whole decades.
        side["axis"] = {name: value for name, value in side["axis"].items() if name != "values"}


def _clip(part: object) -> None:
    """Clips marks beyond a range, which would be drawn over the rest of the picture."""
    mapping = _mapping(part)
    mark: Any = mapping.get("mark")
    kind = mark if isinstance(mark, str) else _mapping(mark).get("type")
    # Texts stand in the margin.
    if kind is not None and kind != "text":
        mapping["mark"] = {**({"type": mark} if isinstance(mark, str) else mark), "clip": True}
    for one in _parts(part):
        _clip(one)


def _titles_of(part: object, rows: pl.DataFrame) -> Iterator[str]:
    """Titles above the panels of a figure, in its order."""
    for panels in _facets(part):
        known: list[str] | None = panels.get("sort")
        yield from known or rows[panels["field"]].unique(maintain_order=True).to_list()
    for title in _headings(part):
        yield _as_text(title)


def _retitle(part: object, titles: Mapping[str, str]) -> None:
    for panels in _facets(part):
        # In the language of Vega; the data stay as they are.
        chosen = "(datum.label)"
        for name, title in titles.items():
            chosen = f"datum.value === {json.dumps(name)} ? {json.dumps(title)} : {chosen}"
        panels["header"] = {**(panels.get("header") or {}), "labelExpr": chosen}
    for title in _headings(part):
        title["text"] = titles.get(_as_text(title), title["text"])


def _as_text(title: Mapping[str, Any]) -> str:
    """Title as text: it may have several lines."""
    text: str | list[str] = title["text"]
    return text if isinstance(text, str) else " ".join(text)


def _facets(part: object) -> Iterator[dict[str, Any]]:
    """Channels that divide a figure into panels."""
    found = _mapping(_mapping(part).get("facet"))
    yield from [found] if "field" in found else found.values()
    for one in _parts(part):
        yield from _facets(one)


def _headings(part: object) -> Iterator[dict[str, Any]]:
    """Titles of panels that stand side by side."""
    title = _mapping(_mapping(part).get("title"))
    if "text" in title:
        yield title
    for one in _parts(part):
        yield from _headings(one)


def _mapping(part: object) -> dict[str, Any]:
    """Part of a specification, or an empty one."""
    return cast("dict[str, Any]", part) if isinstance(part, dict) else {}


def _parts(part: object) -> list[Any]:
    """Parts of which a specification is made: layers and panels."""
    if isinstance(part, dict):
        mapping = _mapping(cast("object", part))
        return [
            mapping[name] for name in ("spec", "layer", "concat", "vconcat", "hconcat") if name in mapping
        ]
    return cast("list[Any]", part) if isinstance(part, list) else []


def _encodings(part: object) -> Iterator[dict[str, Any]]:
    """Encodings of every layer and panel."""
    if isinstance(part, Mapping):
        mapping = cast("Mapping[str, Any]", part)
        if "encoding" in mapping:
            yield mapping["encoding"]
        parts: list[Any] = [value for name, value in mapping.items() if name not in {"encoding", "config"}]
    else:
        parts = cast("list[Any]", part) if isinstance(part, list) else []
    for one in parts:
        yield from _encodings(one)
