"""What figures of a sweep read: its dimensions, and the sweep as tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, Protocol

import polars as pl

from weir.errors import WeirError

VARIANTS = "label"
"""Column of the dimension that tells the variants apart."""

USERS = "users"
"""Column of the dimension that the periods of a scenario make."""

_ABBREVIATIONS = {"rtt", "ecn", "mss"}

NO_SERIES = "the scenario asks for no series"
HOW_TO_ASK = 'add to it: series = { interval = "100 ms" } under [measure]'
"""What is wrong, and the hint, where nothing was recorded over time."""

Design = Literal["grid", "lhs", "sobol", "morris", "saltelli"]


class ChartError(WeirError, ValueError):
    """A figure that cannot be drawn: a name that is not there, or data that were not recorded."""


@dataclass(frozen=True)
class Dimension:
    """What a point of a sweep has its place on: an axis, the variants, or the users."""

    column: str
    """Of its values in frames: the dotted path of an axis, `label` or `users`."""
    title: str
    unit: str
    """Empty for none."""
    numeric: bool
    log: bool
    """To be drawn on a logarithmic scale."""
    values: tuple[float | str, ...]
    """The levels in order; empty if it is sampled continuously."""

    @property
    def heading(self) -> str:
        """Title with unit, as it stands at an axis: `Rate (Mbit/s)`."""
        title = _capital(self.title)
        return f"{title} ({self.unit})" if self.unit else title

    def level(self, value: float | str) -> str:
        """A value as text, with its unit: `10 Mbit/s`."""
        unit = f" {self.unit}" if self.unit and self.numeric else ""
        return plain(value) + unit


class SweepData(Protocol):
    """The reading side of a sweep.

    In frames with a `period`, -1 is the whole run. A column per axis is named by its path and
    holds numbers in the unit of its dimension, or text.
    """

    @property
    def name(self) -> str: ...
    @property
    def title(self) -> str: ...
    @property
    def design(self) -> Design: ...
    @property
    def dimensions(self) -> Sequence[Dimension]:
        """The axes in the order of their definition; then `label` if there are several variants,
        then `users` if the periods have numbers of users of their own."""
        ...

    @property
    def replications(self) -> int:
        """The largest number of any point."""
        ...

    @cached_property
    def cells(self) -> pl.DataFrame:
        """One row per point and variant, finished or not: point, variant, label, one per axis."""
        ...

    @property
    def unfinished(self) -> int:
        """Cells that do not have all replications that are wanted of them."""
        ...

    @property
    def labels(self) -> Sequence[str]:
        """Of the variants, in order."""
        ...

    @property
    def facts(self) -> Mapping[str, str]:
        """What heads a report, in order: scenario, points, variants, runs, packets, ..."""
        ...

    @property
    def origin(self) -> Mapping[str, str]:
        """What it takes to run it again, in order: version, seeds, Python, platform, date."""
        ...

    @property
    def resolved(self) -> Mapping[str, str]:
        """Name of a scenario to its TOML, every default written out."""
        ...

    @property
    def command(self) -> str | None:
        """The command line, where there was one."""
        ...

    def quantile(self, degrees: int) -> float:
        """Of Student's t at the level of the sweep's intervals, for so many degrees of freedom."""
        ...

    def observations(self, group: str = "all") -> pl.DataFrame:
        """One row per run and period at every point that it serves.

        A run serves several points where they are one scenario: see the column `run`.

        Columns: point, variant, label, replication, seed, run, one per axis, period, from_s,
        to_s, users, then one per measure in its unit.
        """
        ...

    def estimates(self, measures: Sequence[str], group: str = "all") -> pl.DataFrame:
        """One row per point, variant, period and measure.

        Columns: point, variant, label, one per axis, period, from_s, to_s, users, measure, mean,
        half_width, low, high (null without an interval), n.
        """
        ...

    def delays(self) -> pl.DataFrame:
        """Histograms of the queueing delay at the bottleneck, whole run, all replications.

        One row per point, variant and bin. Columns: point, label, one per axis, upto_ms, count.
        """
        ...

    def series(self, point: int, variants: Sequence[str]) -> pl.DataFrame:
        """Replication 0 of one point: label, component, variable, time_s, value.

        `variants` are labels. Empty if the scenario asks for no series.
        """
        ...

    def sensitivity(self, measure: str) -> pl.DataFrame | None:
        """Indices per axis; None unless the design is made for them."""
        ...


def _capital(title: str) -> str:
    words = [word.upper() if word in _ABBREVIATIONS else word for word in title.split(" ")]
    # A parameter's own name, such as max_th, keeps its spelling.
    if not {"_", "."} & set(words[0]):
        words[0] = words[0][:1].upper() + words[0][1:]
    return " ".join(words)


def plain(value: float | str) -> str:
    """A level as text: no `.0` and no more digits than it takes to tell levels apart."""
    return value if isinstance(value, str) else f"{value:.6g}"


def find(view: SweepData, name: str) -> Dimension:
    """The dimension of this column, title or last part of a path.

    Raises ChartError, listing what there is, if there is none or more than one.
    """
    for said in (
        [d for d in view.dimensions if d.column == name],
        [d for d in view.dimensions if d.title == name],
        [d for d in view.dimensions if d.column.rpartition(".")[2] == name],
    ):
        if len(said) == 1:
            return said[0]
        if said:
            paths = ", ".join(d.column for d in said)
            raise ChartError(f"{name!r} may be any of: {paths}", "write the whole path")
    raise ChartError(f"there is no dimension {name!r}; there are: {listed(view)}")


def listed(view: SweepData) -> str:
    """The names of all dimensions for a message."""
    names = [d.column if d.title == d.column else f"{d.column} ({d.title})" for d in view.dimensions]
    return ", ".join(names) or "none"
