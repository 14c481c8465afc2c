"""Cut of a sweep: the part that a figure shows. It places dimensions in roles, and averages over the
others."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, wraps
from typing import Concatenate, Literal, ParamSpec, get_args

import polars as pl

from weir.plot._averages import COMBINATION, Common, distinct, interval
from weir.plot._figure import Figure
from weir.run import WHOLE_RUN
from weir.stats import HEADLINE, Measure, measure_named
from weir.sweep import PERIODS, VARIANTS, ChartError, Dimension, Sweep, find_dimension, level_text

Options = ParamSpec("Options")
Role = Literal["x", "y", "load", "family", "facet"]
Level = float | str
Where = Mapping[str, Level | Sequence[Level]]
"""Levels to keep, one or several, by the name of a dimension."""

NONE = "none"
"""Name that stands for no dimension: no family, no facets."""

FAMILIES, FACETS = 14, 9
"""Maximum numbers of families and of facets: more lines cannot be distinguished, and more panels do not fit a
column."""

MOST_ROWS = 4_000
"""Approximate maximum number of rows of a figure: more make a page heavy and show nothing more."""


@dataclass(frozen=True)
class Cut:
    """Part of a sweep with dimensions in their roles. Dimensions without one are averaged over, replication
    by replication."""

    sweep: Sweep
    kept: Mapping[str, tuple[Level, ...]]
    """Levels to keep by column, if not all are kept."""
    roles: Mapping[Role, Dimension] = field(default_factory=dict[Role, Dimension])
    most: Mapping[Role, int] = field(default_factory=dict[Role, int])
    """Maximum number of levels along a side, if not all are drawn."""

    @classmethod
    def of(cls, sweep: Sweep, where: Where | None) -> Cut:
        """Cut with these levels, without roles. Raises ChartError for a level that does not exist."""
        asked = [(find_dimension(sweep.dimensions, name), levels) for name, levels in (where or {}).items()]
        return cls(sweep, {dimension.column: _kept(dimension, levels) for dimension, levels in asked})

    def place(self, role: Role, name: str | None, otherwise: Sequence[Dimension]) -> Cut:
        """Gives a role to the dimension of this name; without a name, to the first that has none yet, if any.

        Raises ChartError where that is not possible.
        """
        taken = {d.column: other for other, d in self.roles.items()}
        if name is None:
            dimension = next((d for d in otherwise if d.column not in taken), None)
        else:
            dimension = None if name == NONE else find_dimension(self.sweep.dimensions, name)
        if dimension is None:
            return self
        if dimension.column in taken:
            raise ChartError(f"{dimension.title} cannot be both {taken[dimension.column]} and {role}")
        if not dimension.values and role not in {"x", "y"}:
            raise ChartError(
                f"{dimension.title} is sampled continuously: as {role} it would have no levels",
                "draw a trend over it",
            )
        roles = {**self.roles, role: dimension}
        return replace(self, roles={one: roles[one] for one in get_args(Role) if one in roles})

    def group(self, family: str | None, facet: str | None) -> Cut:
        """Gives families and panels to a figure that has no dimension along its sides."""
        return self.place("family", family, [*self.variants, *self.levelled]).place(
            "facet", facet, self.faceting
        )

    @cached_property
    def varying(self) -> list[Dimension]:
        """Dimensions with more than one level."""
        return [d for d in self.sweep.dimensions if len(self.kept.get(d.column, d.values)) != 1]

    @property
    def axes(self) -> list[Dimension]:
        return [d for d in self.varying if d.column not in {VARIANTS, *PERIODS}]

    @property
    def levelled(self) -> list[Dimension]:
        """Axes that are not sampled continuously."""
        return [d for d in self.axes if d.values]

    @property
    def faceting(self) -> list[Dimension]:
        """Axes with so few levels that there can be a panel for each."""
        return [d for d in self.levelled if len(d.values) <= FACETS]

    @property
    def spans(self) -> list[Dimension]:
        """Dimensions of the periods."""
        return [d for d in self.varying if d.column in PERIODS]

    @property
    def variants(self) -> list[Dimension]:
        return [d for d in self.varying if d.column == VARIANTS]

    @cached_property
    def periods(self) -> bool:
        """True if rows are periods instead of whole runs."""
        placed = (d.column for d in self.roles.values())
        return any(column in PERIODS for column in (*self.kept, *placed))

    def levels(self, role: Role) -> list[Level]:
        """Levels that are drawn, in order; not all if there are too many for a figure."""
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
        """Levels as they are written in a legend, or above a panel; none without a dimension."""
        dimension = self.roles.get(role)
        if dimension is None:
            return []
        if role == "facet" and dimension.column != VARIANTS:
            return [f"{dimension.title} {dimension.level(level)}" for level in self.levels(role)]
        return [level_text(level) for level in self.levels(role)]

    @cached_property
    def panels(self) -> int:
        return max(1, len(self.names("facet")))

    @cached_property
    def lines(self) -> int:
        """Number of families in all panels."""
        return max(1, len(self.names("family"))) * self.panels

    def light(self, *sides: Role) -> Cut:
        """Cut with fewer levels along these sides, if there would be too many rows."""
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
        return [d for d in self.varying if d not in self.roles.values() and d.column not in PERIODS]

    def select(self, frame: pl.DataFrame, *columns: str | pl.Expr) -> pl.DataFrame:
        """Rows of the cut with a column per role and these columns.

        Families and panels are text, as in `names`.
        """
        if "period" in frame.columns:
            whole = pl.col("period") == WHOLE_RUN
            frame = frame.filter(~whole if self.periods else whole)
        drawn = {d.column: tuple(self.levels(role)) for role, d in self.roles.items() if d.values}
        kept = {**self.kept, **drawn}
        for dimension in self.sweep.dimensions:
            if dimension.column in kept:
                frame = frame.filter(_typed(dimension).is_in(kept[dimension.column]))
        return frame.select(*(self._placed(role) for role in self.roles), *columns)

    @cached_property
    def common(self) -> Common | None:
        """Common combinations of a grid, over which it is averaged; None if points were sampled.

        Of a finished grid: everything. The points that were sampled for two places always differ.
        """
        if self.sweep.design != "grid":
            return None
        levels = [len(self.kept.get(d.column, d.values)) for d in self._pooled]
        frame = self.select(self.sweep.observations(), self._combination)
        return Common.of(frame, list(self.roles), math.prod(levels))

    @property
    def parts(self) -> int | None:
        """Number of rows of a replication in a mean of a grid; None if points were sampled."""
        return None if self.common is None else len(self.common.combinations)

    def observed(self, measures: Sequence[str]) -> pl.DataFrame:
        """Runs or periods that count: the roles, point, label, replication, run, period, and the
        measures, null if not defined."""
        columns = (
            "point", pl.col("label").cast(pl.String), "replication", "run", "period", self._combination,
        )  # fmt: skip
        frame = self.select(self.sweep.observations(measures=measures), *columns, *measures)
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
        """Sentences on what was fixed, averaged over and left out; empty if nothing was.

        `but` are columns of which the figure speaks itself.
        """
        said: list[str] = []
        fixed = [
            d.level(levels[0]) if d.column == VARIANTS else f"{d.title} {d.level(levels[0])}"
            for d in self.sweep.dimensions
            if len(levels := self.kept.get(d.column, ())) == 1
        ]
        if fixed:
            said.append(f"For {', '.join(fixed)}.")
        averaged = [self._spread(d) for d in self.averaged if d.column not in but]
        if averaged:
            said.append(f"{done} {', '.join(averaged)}.")
            said += [] if self.common is None else self.common.said()
        for role, d in self.roles.items():
            there, drawn = len(self.kept.get(d.column, d.values)), len(self.levels(role))
            if drawn < there:
                what = "variants" if d.column == VARIANTS else f"levels of {d.title}"
                said.append(f"{drawn} of {there} {what} are drawn.")
        return " ".join(said)

    def _spread(self, dimension: Dimension) -> str:
        levels = self.kept.get(dimension.column, dimension.values)
        if dimension.column == VARIANTS:
            return f"{len(levels)} variants"
        return f"{dimension.title} ({f'{len(levels)} levels' if levels else 'sampled'})"

    @property
    def _pooled(self) -> list[Dimension]:
        """Dimensions that are averaged over, including the periods."""
        left = [d for d in self.sweep.dimensions if d.column in PERIODS and d not in self.roles.values()]
        return [*self.averaged, *(left if self.periods else [])]

    @property
    def _combination(self) -> pl.Expr:
        """Levels of the dimensions that are averaged over, as one text."""
        levels = (pl.col(d.column).cast(pl.String) for d in self._pooled)
        return pl.concat_str(pl.lit(""), *levels, separator="\0").alias(COMBINATION)

    def _placed(self, role: Role) -> pl.Expr:
        column = _typed(self.roles[role])
        if role in {"family", "facet"}:
            column = column.replace_strict(
                self.levels(role), self.names(role), default=None, return_dtype=pl.String
            )
        return column.alias(role)


def thinned(rows: pl.DataFrame, most: int) -> pl.DataFrame:
    """Sample of at most `most` rows, spread evenly over the frame and the same each time.

    Multiples of the golden ratio do not coincide with a design's own pattern, as every
    k-th row would.
    """
    if len(rows) <= most:
        return rows
    place = pl.int_range(pl.len()).cast(pl.Float64) * ((5.0**0.5 - 1.0) / 2.0)
    return rows.filter(place - place.floor() < most / len(rows)).head(most)


def measure_of(words: str | None) -> Measure:
    """Finds the measure that a user means; the first without words. Raises ChartError if there is none."""
    return measure_named(words or HEADLINE[0], ChartError)


def _typed(dimension: Dimension) -> pl.Expr:
    return pl.col(dimension.column).cast(pl.Float64 if dimension.numeric else pl.String)


def kind(
    build: Callable[Concatenate[Sweep, Options], Figure],
) -> Callable[Concatenate[Sweep, Options], Figure]:
    """Makes a kind of figure: it refuses a sweep without runs, and states how much of it is not finished."""

    @wraps(build)
    def drawn(sweep: Sweep, /, *args: Options.args, **options: Options.kwargs) -> Figure:
        if sweep.observations().is_empty():
            raise ChartError("no run is finished: there is nothing to draw")
        made = build(sweep, *args, **options)
        left, every = sweep.unfinished, len(sweep.configurations)
        if not left:
            return made
        verb = "is" if left == 1 else "are"
        said = f"{left:,} of {every:,} configurations (a variant at a point) {verb} not finished."
        return replace(made, caption=f"{made.caption} {said}")

    return drawn


def _kept(dimension: Dimension, asked: Level | Sequence[Level]) -> tuple[Level, ...]:
    if not dimension.values:
        raise ChartError(
            f"{dimension.title} is sampled continuously and has no levels to choose", "draw a trend over it"
        )
    found: list[Level] = []
    for value in [asked] if isinstance(asked, str | int | float) else asked:
        same = [v for v in dimension.values if value in (v, level_text(v), dimension.level(v))]
        if not same:
            known = ", ".join(dimension.level(level) for level in dimension.values)
            raise ChartError(f"{dimension.title} has no level {value!r}; it has: {known}")
        found.append(same[0])
    return tuple(found)
