"""The part of a sweep that a figure shows: which dimension goes where, what becomes of the others."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Literal

import polars as pl

from weir.plot._averages import COMBINATION, Common, distinct, interval
from weir.run.tables import WHOLE_RUN
from weir.stats.measures import MEASURES, Measure
from weir.sweep.dimension import PERIODS, VARIANTS, ChartError, Dimension, find, plain
from weir.sweep.view import Sweep

Role = Literal["x", "y", "family", "facet", "load"]
Level = float | str
Where = Mapping[str, Level | Sequence[Level]]
"""Name of a dimension to the level, or levels, to keep."""

NONE = "none"
"""In place of a dimension's name: no family, no facets."""

FAMILIES, FACETS = 14, 9
"""More lines cannot be told apart, and more panels do not fit a column."""

MOST_ROWS = 4_000
"""Of a figure, about: more make a page heavy and show nothing more."""


@dataclass(frozen=True)
class Cut:
    """Dimensions in their roles. Those without one are averaged over, replication by replication."""

    sweep: Sweep
    roles: Mapping[Role, Dimension]
    kept: Mapping[str, tuple[Level, ...]]
    """Column to the levels that are asked for, where not all are."""
    most: Mapping[Role, int] = field(default_factory=dict[Role, int])
    """Levels drawn of what is along a side, where not all are."""

    @cached_property
    def periods(self) -> bool:
        """Whether rows are periods instead of whole runs."""
        placed = (d.column for d in self.roles.values())
        return any(column in PERIODS for column in (*self.kept, *placed))

    def levels(self, role: Role) -> list[Level]:
        """The levels drawn, in order; not all where there are too many for a figure."""
        dimension = self.roles[role]
        levels = list(self.kept.get(dimension.column, dimension.values))
        most = {"family": FAMILIES, "facet": FACETS, **self.most}.get(role, len(levels))
        if len(levels) <= most:
            return levels
        if not dimension.numeric:
            return levels[:most]
        # Evenly spaced, both ends among them.
        return [levels[round(i * (len(levels) - 1) / (most - 1))] for i in range(most)]

    def names(self, role: Role) -> list[str]:
        """The levels as they are written in a legend, or above a panel."""
        dimension = self.roles[role]
        if role == "facet" and dimension.column != VARIANTS:
            return [f"{dimension.title} {dimension.level(level)}" for level in self.levels(role)]
        return [plain(level) for level in self.levels(role)]

    @cached_property
    def lines(self) -> int:
        """Families in all panels."""
        return math.prod(len(self.names(role)) for role in ("family", "facet") if role in self.roles)

    def light(self, *sides: Role) -> Cut:
        """The same with fewer levels along these sides if there would be too many rows."""
        most = {side: len(self.levels(side)) for side in sides if self.roles[side].values}
        while most and math.prod(most.values()) * self.lines > MOST_ROWS:
            longest = max(most, key=lambda side: most[side])
            most[longest] -= 1
            if most[longest] <= 2:
                break
        return replace(self, most=most)

    @cached_property
    def averaged(self) -> list[Dimension]:
        """Dimensions that have more than one level and no place in the figure."""
        placed = {d.column for d in self.roles.values()}
        return [
            d
            for d in self.sweep.dimensions
            if d.column not in {*placed, *PERIODS} and len(self.kept.get(d.column, d.values)) != 1
        ]

    def select(self, frame: pl.DataFrame, *columns: str | pl.Expr) -> pl.DataFrame:
        """The rows of the cut with a column per role and these columns.

        Families and panels are text, as in `names`.
        """
        if "period" in frame.columns:
            whole = pl.col("period") == WHOLE_RUN
            frame = frame.filter(~whole if self.periods else whole)
        kept = {
            **self.kept,
            **{d.column: tuple(self.levels(role)) for role, d in self.roles.items() if d.values},
        }
        numeric = {d.column for d in self.sweep.dimensions if d.numeric}
        for column, levels in kept.items():
            if column in numeric:
                frame = frame.filter(pl.col(column).cast(pl.Float64).is_in(levels))
            else:
                frame = frame.filter(pl.col(column).cast(pl.String).is_in(levels))
        return frame.select(*(self._placed(role) for role in self.roles), *columns)

    @cached_property
    def common(self) -> Common | None:
        """What the averages of a grid are over; None where points were sampled.

        Of a finished grid: everything. The points that were sampled for two places always differ.
        """
        if self.sweep.design != "grid":
            return None
        levels = [len(self.kept.get(d.column, d.values)) for d in self._pooled]
        frame = self.select(self.sweep.observations(), self._combination)
        return Common.of(frame, list(self.roles), math.prod(levels))

    @property
    def parts(self) -> int | None:
        """Rows of a replication that a mean of a grid is made of; None where points were sampled."""
        return None if self.common is None else len(self.common.combinations)

    def observed(self, measures: Sequence[str]) -> pl.DataFrame:
        """Runs or periods that count: the roles, point, label, replication, run, period, and the
        measures, null if not defined."""
        columns = (
            "point", pl.col("label").cast(pl.String), "replication", "run", "period", self._combination,
        )  # fmt: skip
        frame = self.select(self.sweep.observations(), *columns, *measures)
        frame = frame.with_columns(pl.col(name).cast(pl.Float64).fill_nan(None) for name in measures)
        return frame if self.common is None else self.common.filter(frame)

    def estimates(self, measures: Sequence[str]) -> pl.DataFrame:
        """Means and 95% intervals: the roles, measure, mean, low, high, n; one row per measure.

        What is averaged over is averaged within each replication, over the levels that all
        replications of the row share: levels see the same seeds and are not independent.
        """
        observed, keys = self.observed(measures), list(self.roles)
        if self.common is None:
            observed = distinct(observed, keys)
        quantile, parts = self.sweep.quantile, self.parts
        return pl.concat([interval(observed, keys, measure, quantile, parts) for measure in measures])

    def said(self, done: str = "Averaged over", *, but: Collection[str] = ()) -> str:
        """What was fixed, averaged over and left out, in sentences; empty if nothing was.

        `but` are columns of which the figure speaks itself.
        """
        averaged = self._averaged(done, but)
        left_out = self.common.said() if averaged and self.common is not None else []
        return " ".join([*self._fixed(), *averaged, *left_out, *self._thinned()])

    @property
    def _pooled(self) -> list[Dimension]:
        """What is averaged over, the periods among it."""
        left = [d for d in self.sweep.dimensions if d.column in PERIODS and d not in self.roles.values()]
        return [*self.averaged, *(left if self.periods else [])]

    @property
    def _combination(self) -> pl.Expr:
        """The levels of what is averaged over, as one text."""
        levels = (pl.col(d.column).cast(pl.String) for d in self._pooled)
        return pl.concat_str(pl.lit(""), *levels, separator="\0").alias(COMBINATION)

    def _placed(self, role: Role) -> pl.Expr:
        dimension = self.roles[role]
        column = pl.col(dimension.column).cast(pl.Float64 if dimension.numeric else pl.String)
        if role in {"family", "facet"}:
            column = column.replace_strict(
                self.levels(role), self.names(role), default=None, return_dtype=pl.String
            )
        return column.alias(role)

    def _fixed(self) -> list[str]:
        said: list[str] = []
        for d in self.sweep.dimensions:
            levels = self.kept.get(d.column, ())
            if len(levels) == 1:
                said.append(f"{d.title} {d.level(levels[0])}" if d.column != VARIANTS else plain(levels[0]))
        return [f"For {', '.join(said)}."] if said else []

    def _averaged(self, done: str, but: Collection[str]) -> list[str]:
        there = [d for d in self.averaged if d.column not in but]
        said = [_spread(d, self.kept.get(d.column, d.values)) for d in there]
        return [f"{done} {', '.join(said)}."] if said else []

    def _thinned(self) -> list[str]:
        said: list[str] = []
        for role in self.roles:
            if self.roles[role].values:
                dimension = self.roles[role]
                there = len(self.kept.get(dimension.column, dimension.values))
                drawn = len(self.levels(role))
                if drawn < there:
                    what = "variants" if dimension.column == VARIANTS else f"levels of {dimension.title}"
                    said.append(f"{drawn} of {there} {what} are drawn.")
        return said


def cut(sweep: Sweep, roles: Mapping[Role, Dimension | None], where: Where | None = None) -> Cut:
    """The cut with these roles. Raises ChartError where a name or level is wrong."""
    placed: dict[Role, Dimension] = {
        role: dimension for role, dimension in roles.items() if dimension is not None
    }
    for dimension in placed.values():
        places = [role for role, d in placed.items() if d.column == dimension.column]
        if len(places) > 1:
            raise ChartError(f"{dimension.title} cannot be both {' and '.join(places)}")
    asked = [(find(sweep.dimensions, name), levels) for name, levels in (where or {}).items()]
    return Cut(sweep, placed, {dimension.column: _kept(dimension, levels) for dimension, levels in asked})


def thinned(rows: pl.DataFrame, most: int) -> pl.DataFrame:
    """At most so many rows, spread evenly over the frame; the same ones each time.

    Multiples of the golden ratio do not fall into step with a design's own pattern, as every
    k-th row would.
    """
    if len(rows) <= most:
        return rows
    place = pl.int_range(pl.len()).cast(pl.Float64) * ((5.0**0.5 - 1.0) / 2.0)
    return rows.filter(place - place.floor() < most / len(rows)).head(most)


def measure_of(name: str) -> Measure:
    """The measure of this name; a hyphen is as good as an underscore. ChartError if there is none."""
    measure = MEASURES.get(name.replace("-", "_"))
    if measure is None:
        raise ChartError(f"there is no measure {name!r}; there are: {', '.join(MEASURES)}")
    return measure


def _kept(dimension: Dimension, asked: Level | Sequence[Level]) -> tuple[Level, ...]:
    if not dimension.values:
        raise ChartError(
            f"{dimension.title} is sampled continuously and has no levels to choose", "draw a trend over it"
        )
    wanted = [asked] if isinstance(asked, str | int | float) else list(asked)
    return tuple(_level(dimension, value) for value in wanted)


def _level(dimension: Dimension, value: Level) -> Level:
    for level in dimension.values:
        if value in (level, plain(level), dimension.level(level)):
            return level
    known = ", ".join(dimension.level(level) for level in dimension.values)
    raise ChartError(f"{dimension.title} has no level {value!r}; it has: {known}")


def _spread(dimension: Dimension, levels: Sequence[Level]) -> str:
    if dimension.column == VARIANTS:
        return f"{len(levels)} variants"
    return f"{dimension.title} ({f'{len(levels)} levels' if levels else 'sampled'})"
