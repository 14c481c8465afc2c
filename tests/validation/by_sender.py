"""How many values of each sender agree with Linux's, over all sections that compare with a kernel."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from validation.kernel import Kernel
from validation.l4s import Senders
from validation.loop import Cell
from validation.misses import Key, Miss

GOAL = 0.93
"""Part of a sender's values that are to be within tolerance."""

NAMES = {
    "cubic": "CUBIC",
    "reno": "Reno",
    "dctcp": "DCTCP",
    "prague": "TCP Prague",
    "bbr1": "BBRv1",
    "bbr3": "BBRv3",
}
_SAME = {"bbr": "bbr1"}
"""Linux's own name of BBRv1."""


@dataclass(frozen=True)
class Share:
    """Values and how many are within."""

    values: int
    within: int

    @property
    def part(self) -> float:
        return self.within / self.values if self.values else 1.0

    @property
    def reached(self) -> bool:
        return self.part >= GOAL


@dataclass(frozen=True)
class Sender:
    """A line of the table."""

    name: str
    every: Share
    without_zeros: Share
    """Share without values that are 0 on both sides, such as marks without ECN."""
    explained: int
    """Number of misses that are explained."""


@dataclass(frozen=True)
class _Value:
    """A value of a sender."""

    cell: Cell
    holds: bool
    is_explained: bool

    @property
    def tells(self) -> bool:
        return self.cell.weir.mean != 0.0 or self.cell.ns2.mean != 0.0


def _values(linux: Kernel, *sections: Senders) -> Iterator[tuple[str, _Value]]:
    """Every value with its congestion control."""
    explained = _explained(linux.misses)
    for one in linux.bound:
        for cell in one.cells:
            key = (one.combination.name, cell.measure.name)
            yield one.combination.congestion, _Value(cell, cell.holds, key in explained)
    for found in sections:
        explained = _explained(found.misses)
        for one in found.bound:
            for cell in one.cells:
                key = (one.combination.name, cell.measure.name)
                yield one.combination.congestion, _Value(cell, one.holds(cell), key in explained)


def _explained(missed: Sequence[Miss]) -> set[Key]:
    return {miss.key for miss in missed if miss.status == "explained"}


def senders(linux: Kernel, *sections: Senders) -> list[Sender]:
    """Every sender, alone or beside another."""
    found: defaultdict[str, list[_Value]] = defaultdict(list)
    for congestion, value in _values(linux, *sections):
        names = [part.split(":")[0] for part in _SAME.get(congestion, congestion).split("+")]
        found[" beside ".join(NAMES[name] for name in names)].append(value)
    order = [*NAMES.values(), *sorted(name for name in found if " beside " in name)]
    return [_sender(name, found[name]) for name in order if name in found]


def _sender(name: str, values: Sequence[_Value]) -> Sender:
    telling = [value for value in values if value.tells]
    return Sender(name, _share(values), _share(telling), sum(value.is_explained for value in values))


def _share(values: Sequence[_Value]) -> Share:
    return Share(len(values), sum(value.holds for value in values))


def context(linux: Kernel, *sections: Senders) -> dict[str, object]:
    """Variables of the template."""
    return {"by_sender": senders(linux, *sections), "sender_goal": GOAL}
