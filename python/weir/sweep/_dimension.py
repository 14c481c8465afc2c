"""Dimensions: quantities in which the points and periods of a sweep differ."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from weir._errors import WeirError

VARIANTS = "label"
"""Column of the dimension that distinguishes the variants."""

USERS = "users"
"""Column of the dimension of the periods, by their users."""

TIME = "from_s"
"""Column of the dimension of the periods, by their start. It is used if their users do not differ."""

PERIODS = (USERS, TIME)

_WITH = " with "

_ABBREVIATIONS = {"rtt", "ecn", "mss"}


class ChartError(WeirError, ValueError):
    """Error about a figure that cannot be drawn: an unknown name, or data that were not recorded."""


@dataclass(frozen=True)
class Dimension:
    """Dimension along which the points of a sweep lie: an axis, the variants, or the users."""

    column: str
    """Column of its values in frames: the dotted path of an axis, `label` or `users`."""
    title: str
    unit: str
    """Unit of numeric values; empty for none."""
    numeric: bool
    log: bool
    """True if figures draw it on a logarithmic scale."""
    values: tuple[float | str, ...]
    """Levels in order; empty if it is sampled continuously."""

    @property
    def heading(self) -> str:
        """Title with unit, as it stands at an axis: `Rate (Mbit/s)`, `Rate (Mbit/s) with buffer`."""
        first, joined, others = self.title.partition(_WITH)
        title = _capital(first)
        return f"{title} ({self.unit}){joined}{others}" if self.unit else f"{title}{joined}{others}"

    def level(self, value: float | str) -> str:
        """A value as text, with its unit: `10 Mbit/s`."""
        unit = f" {self.unit}" if self.unit and self.numeric else ""
        return level_text(value) + unit


def together(first: str, others: Sequence[str]) -> str:
    """Title of paths that move together: `rate with buffer and delay`."""
    return _WITH.join([first, " and ".join(others)]) if others else first


def _capital(title: str) -> str:
    words = [word.upper() if word in _ABBREVIATIONS else word for word in title.split(" ")]
    # A parameter's own name, such as max_th, keeps its spelling.
    if not {"_", "."} & set(words[0]):
        words[0] = words[0][:1].upper() + words[0][1:]
    return " ".join(words)


def level_text(value: float | str) -> str:
    """Level as text: without `.0`, and with no more digits than are needed to tell levels apart."""
    return value if isinstance(value, str) else f"{value:.6g}"


def find_dimension(dimensions: Sequence[Dimension], name: str) -> Dimension:
    """Finds the dimension of this column, title or last part of a path.

    Raises ChartError, listing what there is, if there is none or more than one.
    """
    for said in (
        [d for d in dimensions if d.column == name],
        [d for d in dimensions if d.title == name],
        [d for d in dimensions if d.title.partition(_WITH)[0] == name],
        [d for d in dimensions if d.column.rpartition(".")[2] == name],
    ):
        if len(said) == 1:
            return said[0]
        if said:
            paths = ", ".join(d.column for d in said)
            raise ChartError(f"{name!r} may be any of: {paths}", "write the whole path")
    raise ChartError(f"there is no dimension {name!r}; there are: {dimension_names(dimensions)}")


def dimension_names(dimensions: Sequence[Dimension]) -> str:
    """Names of all dimensions, for a message."""
    names = [d.column if d.title == d.column else f"{d.column} ({d.title})" for d in dimensions]
    return ", ".join(names) or "none"
