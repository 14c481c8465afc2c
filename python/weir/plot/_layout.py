"""What may be asked of a figure besides its data: size, titles and scales of its axes, the legend."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass
from typing import Any, Literal, cast, get_args

import polars as pl

from weir.plot import _style as style
from weir.sweep._dimension import ChartError

Legend = Literal["top", "bottom", "left", "right", "none"]
Axis = Literal["x", "y"]

_SIZE = re.compile(r"([\d.]+) ?(px|cm|in)? ?[x×] ?([\d.]+) ?(px|cm|in)?")
_PIXELS = {"px": 1.0, "cm": 96.0 / 2.54, "in": 96.0}
_SMALLEST, _LARGEST = 120.0, 10_000.0

_PRINTED = 300.0 / 96.0
"""Of a PNG whose size is in cm or inches: 300 dots per inch."""


@dataclass(frozen=True)
class Size:
    """Of a whole picture."""

    width: float
    """Pixels of 1/96 inch."""
    height: float
    unit: str
    """`px`, `cm` or `in`, as it was asked for."""

    @classmethod
    def parse(cls, text: str) -> Size:
        """From `800x500`, `8.4x6cm` or `3.3x2.5in`. Raises ChartError."""
        found = _SIZE.fullmatch(text.strip())
        sides, unit = list[float](), "px"
        if found is not None:
            unit = found[4] or found[2] or unit
            try:
                sides = [float(number) * _PIXELS[unit] for number in (found[1], found[3])]
            except ValueError:
                found = None
        if found is None or (found[2] and found[2] != found[4]):
            raise ChartError(f"{text!r} is no size", "write WIDTHxHEIGHT: 800x500, 8.4x6cm, 3.3x2.5in")
        if min(sides) < _SMALLEST or max(sides) > _LARGEST:
            raise ChartError(
                f"a side of {text} is not between {_SMALLEST:g} and {_LARGEST:,.0f} pixels",
                "there are 96 pixels in an inch, and 38 in a centimetre",
            )
        return cls(sides[0], sides[1], unit)

    def to_json(self) -> dict[str, Any]:
        """For the process that draws."""
        per = _PIXELS[self.unit]
        named = [
            f"{side / per:g}{'' if self.unit == 'px' else self.unit}" for side in (self.width, self.height)
        ]
        scale = 1.0 if self.unit == "px" else _PRINTED
        return {"width": self.width, "height": self.height, "named": named, "scale": scale}


@dataclass(frozen=True)
class Layout:
    """Everything that is None or empty is as the figure has it."""

    size: Size | None = None
    x_title: str | None = None
    y_title: str | None = None
    log: tuple[Axis, ...] = ()
    legend: Legend | None = None

    @classmethod
    def of(
        cls, size: str | None, x_title: str | None, y_title: str | None, log: str | None, legend: str | None
    ) -> Layout:
        """From texts. Raises ChartError for one that means nothing."""
        if log is not None and log not in {"x", "y", "xy"}:
            raise ChartError(f"{log!r} is no axis", "write x, y or xy for logarithmic axes")
        if legend is not None and legend not in get_args(Legend):
            raise ChartError(
                f"{legend!r} is no place of a legend", f"there are: {', '.join(get_args(Legend))}"
            )
        parsed = None if size is None else Size.parse(size)
        axes = cast("tuple[Axis, ...]", tuple(log or ""))
        return cls(parsed, x_title, y_title, axes, cast("Legend | None", legend))

    def applied(self, chart: Mapping[str, Any]) -> dict[str, Any]:
        """A Vega-Lite specification with its config, laid out so."""
        made = deepcopy(dict(chart))
        for axis, title in (("x", self.x_title), ("y", self.y_title)):
            sides = [encoding[axis] for encoding in _encodings(made) if axis in encoding]
            for side in ([one for one in sides if one.get("title")] or sides) if title is not None else ():
                side["title"] = title or None
        for axis in self.log:
            for encoding in _encodings(made):
                _logarithmic(encoding.get(axis))
        if self.legend == "none":
            made["config"]["legend"]["disable"] = True
        elif self.legend is not None:
            made["config"]["legend"]["orient"] = self.legend
            if self.legend in {"left", "right"}:
                made["config"]["legend"]["columns"] = 1
            named = any(encoding.get("x") == {"value": "width"} for encoding in _encodings(made))
            if self.legend == "right" and named:
                # Beside the names of horizontal lines.
                made["config"]["legend"]["offset"] = 56
        if self.size is not None:
            made["usermeta"] = {"size": self.size.to_json()}
        return made

    def checked(self, chart: Mapping[str, Any], rows: pl.DataFrame) -> pl.DataFrame:
        """The rows that can be drawn so: no logarithm of what is not above zero, but intervals that reach
        there end at the edge. Raises ChartError where nothing is left of an axis."""
        for axis in self.log:
            encodings = [one for one in _encodings(chart) if axis in one]
            if any(one[axis].get("type") in {"nominal", "ordinal"} for one in encodings):
                raise ChartError(f"the {axis} axis of this figure has names, of which there is no logarithm")
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
        """That fit into a line as wide as the picture, of those that fit into the usual one."""
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


def _encodings(part: object) -> Iterator[dict[str, Any]]:
    """Of every layer and panel."""
    if isinstance(part, Mapping):
        mapping = cast("Mapping[str, Any]", part)
        if "encoding" in mapping:
            yield mapping["encoding"]
        parts: list[Any] = [value for name, value in mapping.items() if name not in {"encoding", "config"}]
    else:
        parts = cast("list[Any]", part) if isinstance(part, list) else []
    for one in parts:
        yield from _encodings(one)
