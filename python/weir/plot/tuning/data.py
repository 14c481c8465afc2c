"""An answer as its figures see it: settings as numbers on the axes of the box."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import isfinite, prod
from typing import Any, cast

from weir import _core
from weir.plot.tuning.words import ROLES
from weir.sweep.axes import Axis, titles
from weir.sweep.values import QUANTITY, Value
from weir.tune.answer import Answer, Confirmed, Outcome
from weir.tune.online import Load
from weir.tune.targets import Target


@dataclass(frozen=True)
class Point:
    """A setting of the search."""

    at: tuple[float, ...]
    """In the units of the axes."""
    means: Mapping[str, float]
    shortfall: float
    n: int


@dataclass(frozen=True)
class Data:
    """An answer with the box it is from."""

    answer: Answer
    axes: tuple[Axis, ...]
    resolved: str
    """The scenario with every default, as TOML."""
    loads: tuple[Load, ...] = ()

    @cached_property
    def titles(self) -> tuple[str, ...]:
        """Of the parameters, as short as tells them apart: `max_th`."""
        last = [axis.column.rsplit(".", 1)[-1] for axis in self.axes]
        return tuple(last if len(set(last)) == len(last) else titles(self.axes))

    def heading(self, index: int) -> str:
        """Of an axis of a figure: `max_th (packets)`."""
        unit = self.axes[index].unit
        return f"{self.titles[index]} ({unit})" if unit else self.titles[index]

    def level(self, index: int, number: float) -> str:
        """A value of a parameter in words: `max_th 33 packets`."""
        unit = self.axes[index].unit
        return f"{self.titles[index]} {number:.3g}{f' {unit}' if unit else ''}"

    def named(self, at: Sequence[float]) -> str:
        """A setting in words."""
        return ", ".join(self.level(index, number) for index, number in enumerate(at))

    @cached_property
    def points(self) -> tuple[Point, ...]:
        """What was tried, where all measures are defined."""
        found = [
            Point(self._numbers(one.setting), one.means, one.shortfall, one.replications)
            for one in self.answer.tried
        ]
        return tuple(p for p in found if all(map(isfinite, p.means.values())) and isfinite(p.shortfall))

    @cached_property
    def levels(self) -> tuple[tuple[float, ...], ...]:
        """Of each parameter, those of the coarse design: of all of their combinations something is known.

        Values that lack most combinations are left out one by one until no combination lacks.
        """
        kept = [sorted(set(column)) for column in zip(*(p.at for p in self.points), strict=True)]
        if not kept:
            return tuple(() for _ in self.axes)
        there = [p.at for p in self.points]
        while len(there) < prod(len(values) for values in kept):
            shares = [
                (sum(at[i] == value for at in there) * len(values), i, value)
                for i, values in enumerate(kept)
                for value in values
            ]
            _, axis, value = min(shares)
            kept[axis].remove(value)
            there = [at for at in there if at[axis] != value]
        return tuple(tuple(values) for values in kept)

    @cached_property
    def grid(self) -> Mapping[tuple[float, ...], Point]:
        """The coarse design: place to point."""
        return {
            p.at: p
            for p in self.points
            if all(number in levels for number, levels in zip(p.at, self.levels, strict=True))
        }

    @property
    def combined(self) -> bool:
        """Whether there is a coarse design, with two levels or more of every parameter."""
        return self.searched and all(len(levels) > 1 for levels in self.levels)

    @property
    def searched(self) -> bool:
        """Whether other settings than the defaults were run."""
        return bool(self.points)

    @cached_property
    def chosen(self) -> tuple[float, ...] | None:
        """Where the chosen setting is; None where it is the defaults."""
        setting = self.answer.chosen.setting
        return self._numbers(setting) if setting else None

    @cached_property
    def defaults(self) -> tuple[float | None, ...]:
        """The parameters of the scenario as it is; None for what is no number in a unit like the axis'."""
        return tuple(_number(default_of(self.resolved, axis.column), axis.unit) for axis in self.axes)

    @property
    def conditions(self) -> int:
        """In which every target is to be met."""
        return len({outcome.condition for outcome in self.answer.chosen.outcomes})

    @property
    def marks_said(self) -> str:
        """What the symbols of the figures are."""
        role = ROLES[self.answer.verdict]
        return "Square: the defaults." if role == "defaults" else f"Diamond: {role}; square: the defaults."

    def worst(self, judged: Confirmed, target: Target) -> Outcome:
        """What came of one target, in the condition that is worst for it, as the dots are."""
        return max((o for o in judged.outcomes if o.target == target), key=lambda o: o.shortfall)

    def _numbers(self, setting: Mapping[str, Value]) -> tuple[float, ...]:
        return tuple(float(axis.drawn(setting[axis.column])) for axis in self.axes)


def default_of(resolved: str, path: str) -> Value | None:
    """What the scenario has at a path; None for nothing or a table."""
    found: Any = tomllib.loads(resolved)
    for word in path.split("."):
        found = cast("dict[str, Any]", found).get(word) if isinstance(found, dict) else None
    return found if isinstance(found, str | int | float) else None


def _number(value: Value | None, unit: str) -> float | None:
    if value is None or isinstance(value, bool):
        return None
    if not isinstance(value, str):
        return None if unit else float(value)
    match = QUANTITY.fullmatch(value)
    if match is not None and (match["unit"] or "") == unit:
        return float(match["number"])
    try:
        (size, kind), (one, wanted) = _core.quantity(value), _core.quantity(f"1 {unit}")
    except ValueError:
        return None
    return float(f"{size / one:.12g}") if kind == wanted else None
