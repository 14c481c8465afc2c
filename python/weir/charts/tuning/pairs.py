"""Two targets' measures of everything that was tried, as rows of a figure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import log
from typing import Any

import polars as pl

from weir.charts.tuning.data import Data, Load, Point
from weir.charts.tuning.scales import ROLES
from weir.tuning.answer import Confirmed
from weir.tuning.targets import Target

NEAR = 0.12
"""Share of a picture's side within which the names of two settings would hide each other."""

_SCHEMA = {
    "kind": pl.String, "line": pl.String, "level": pl.String, "setting": pl.String, "place": pl.Int64,
    **dict.fromkeys(("x", "y", "x_low", "x_high", "y_low", "y_high"), pl.Float64), "n": pl.Int64,
}  # fmt: skip

_Row = dict[str, Any]


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
            # Of several conditions the one that is worst for the target, as the dots are.
            worst = max(self.data.of_target(judged, target), key=lambda outcome: outcome.shortfall)
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
