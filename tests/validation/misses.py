"""Values that lie out of their tolerance of Linux's: the cause of each, and what was tried."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Literal

from validation.loop import Cell
from validation.places import HERE

FILE = "known/misses.toml"

Key = tuple[str, str]
"""Name of a combination, and of a measure."""
Kind = Literal["explained", "chance", "observed"]
Section = Literal["kernel", "l4s", "bbr"]
SECTIONS: tuple[Section, ...] = ("kernel", "l4s", "bbr")

FAILS = "✗"


@dataclass(frozen=True)
class Known:
    """A cause, as the file has it."""

    name: str
    """Key of the cause in the file."""
    kind: Kind
    about: str


@cache
def known(section: Section) -> Mapping[Key, Known]:
    """Every miss of a section that the file names."""
    table = tomllib.loads((HERE / FILE).read_text(encoding="utf-8"))
    causes = {"chance": Known("chance", "chance", "chance")}
    for kind in ("explained", "observed"):
        causes |= {name: Known(name, kind, about) for name, about in table[kind].items()}
    return {
        (combination, measure): causes[cause]
        for combination, values in table[section].items()
        for measure, cause in values.items()
    }


@dataclass(frozen=True)
class Miss:
    """A value out of its tolerance, and why."""

    combination: str
    cell: Cell
    known: Known | None
    with_cause: Cell | None = None
    """Value with the cause taken away, or built in."""
    tried: Mapping[str, Cell] = field(default_factory=dict[str, Cell])
    """Value in each trial."""

    @property
    def key(self) -> Key:
        return self.combination, self.cell.measure.name

    @property
    def is_chance(self) -> bool:
        """True if both sides spread so much that they may be equal. Two runs do not tell their spread."""
        repeated = self.cell.weir.n > 2 and self.cell.ns2.n > 2
        return repeated and abs(self.cell.difference) <= self.cell.half_width

    @property
    def is_shown(self) -> bool:
        """True if the cause, switched, brings the value within."""
        return self.with_cause is not None and self.with_cause.holds

    @property
    def status(self) -> str:
        """Explained, chance or not explained; a cross if the file does not name it, or is wrong about it."""
        if self.known is None:
            return FAILS
        if self.known.kind == "explained":
            return "explained" if self.is_shown else FAILS
        if self.known.kind == "chance":
            return "chance" if self.is_chance else FAILS
        return "not explained"

    @property
    def holds(self) -> bool:
        return self.status != FAILS


def stale(section: Section, misses: Sequence[Miss]) -> list[Key]:
    """Entries of the file whose values do not miss."""
    return sorted(known(section).keys() - {miss.key for miss in misses})


def causes(misses: Sequence[Miss]) -> list[tuple[str, list[Miss]]]:
    """Causes in words, each with its misses; chance, and causes of which nothing is known, are none."""
    told = [miss.known for miss in misses if miss.known is not None and miss.known.name not in _NO_CAUSE]
    return [(one.about, [miss for miss in misses if miss.known == one]) for one in dict.fromkeys(told)]


def queues_of(misses: Sequence[Miss]) -> str:
    """Names of the queues of some misses."""
    return ", ".join(dict.fromkeys(miss.combination.split(",")[0] for miss in misses))


def count(misses: Sequence[Miss]) -> dict[str, int]:
    """Number of misses by status."""
    return {status: sum(miss.status == status for miss in misses) for status in _STATUSES}


_NO_CAUSE = ("chance", "open")
_STATUSES = ("explained", "chance", "not explained")


def named(misses: Sequence[Miss]) -> list[str]:
    """One line for each miss that the file does not name, or names wrongly."""
    return [
        f"  ✗ {miss.combination}, {miss.cell.measure.name}: "
        f"{miss.cell.weir.mean:.2f}, Linux {miss.cell.ns2.mean:.2f}, {100 * miss.cell.used:.0f}%"
        for miss in misses
        if not miss.holds
    ]
