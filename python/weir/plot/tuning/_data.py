"""An answer as its figures see it: settings as numbers on the axes of the box."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod
from typing import Any, Literal

import polars as pl

from weir.sweep import Axis, in_unit
from weir.tune import Answer, Confirmed, Target, TargetResult, Tuned, conditions_of, number_words, words

Mark = Literal["defaults", "chosen"]


@dataclass(frozen=True)
class Data:
    """Answer with the box it is from. Parameter I is the column `pI` of frames, in its axis' unit."""

    tuned: Tuned

    @property
    def answer(self) -> Answer:
        return self.tuned.answer

    @property
    def axes(self) -> tuple[Axis, ...]:
        """Axes of the parameters."""
        return self.tuned.task.space.axes

    @cached_property
    def targets(self) -> list[Target]:
        """Targets, one for each measure."""
        return list({target.measure: target for target in self.answer.targets}.values())

    @cached_property
    def columns(self) -> list[str]:
        """Columns of the parameters in frames."""
        return [f"p{index}" for index in range(len(self.axes))]

    @cached_property
    def titles(self) -> list[str]:
        """Titles of the parameters, as short as possible but distinct: `max_th`."""
        return words.names_of([axis.column for axis in self.axes])

    def heading(self, index: int) -> str:
        """Title of an axis in a figure: `max_th (packets)`."""
        unit = self.axes[index].unit
        return f"{self.titles[index]} ({unit})" if unit else self.titles[index]

    def level(self, index: int, number: float) -> str:
        """Value of a parameter in words: `max_th 33 packets`."""
        return f"{self.titles[index]} {number_words(number)} {self.axes[index].unit}".rstrip()

    def named(self, at: Sequence[float]) -> str:
        """Setting in words."""
        return ", ".join(self.level(index, number) for index, number in enumerate(at))

    @cached_property
    def points(self) -> pl.DataFrame:
        """Settings that were tried, if all measures are defined there. Columns: the parameters, the means of
        the measures, shortfall, n, setting (in words), design (true in the coarse design)."""
        measures = [target.measure for target in self.targets]
        schema: dict[str, Any] = dict.fromkeys((*self.columns, *measures, "shortfall"), pl.Float64)
        schema |= {"n": pl.Int64, "setting": pl.String}
        rows: list[dict[str, Any]] = []
        for one in self.answer.tried:
            at = self.numbers(one.setting)
            numbers = {**dict(zip(self.columns, at, strict=True)), **one.means, "shortfall": one.shortfall}
            rows.append({**numbers, "n": one.replications, "setting": self.named(at)})
        found = pl.DataFrame(rows, schema=schema)
        found = found.filter(pl.all_horizontal(pl.col(*measures, "shortfall").is_finite()))
        levels = _combined(found.select(self.columns))
        within = [pl.col(name).is_in(levels[index]) for index, name in enumerate(self.columns)]
        return found.with_columns(pl.all_horizontal(within).alias("design"))

    @cached_property
    def grid(self) -> pl.DataFrame:
        """The coarse design: of all combinations of its levels something is known."""
        return self.points.filter("design").sort(self.columns)

    @cached_property
    def levels(self) -> list[list[float]]:
        """Levels of each parameter in the coarse design."""
        return [self.grid[name].unique().sort().to_list() for name in self.columns]

    @property
    def combined(self) -> bool:
        """True if there is a coarse design, with two levels or more of every parameter."""
        return self.searched and all(len(levels) > 1 for levels in self.levels)

    @property
    def searched(self) -> bool:
        """True if other settings than the defaults were run."""
        return not self.points.is_empty()

    @cached_property
    def marks(self) -> list[tuple[Mark, Confirmed, list[float | None]]]:
        """The settings on fresh seeds with their places: the defaults, and the chosen one if it is another.

        A default has no place on an axis if it is no number in a unit like the axis'.
        """
        core, chosen = self.tuned.task.scenario.core, self.answer.chosen
        own = [in_unit(core.value(axis.column), axis.unit) for axis in self.axes]
        found: list[tuple[Mark, Confirmed, list[float | None]]] = [("defaults", self.answer.defaults, own)]
        return [*found, ("chosen", chosen, [*self.numbers(chosen.setting)])] if chosen.setting else found

    @property
    def conditions(self) -> int:
        """Number of conditions in which every target must be met."""
        return conditions_of(self.answer)

    @property
    def marks_said(self) -> str:
        """Legend of the symbols of the figures, in a sentence."""
        role = words.ROLES[self.answer.verdict]
        return "Square: the defaults." if role == "defaults" else f"Diamond: {role}; square: the defaults."

    def along(self, index: int) -> list[tuple[Mark, Confirmed, float]]:
        """Marks that have a place along parameter `index`, with that place."""
        log = self.axes[index].log
        return [
            (mark, judged, place)
            for mark, judged, places in self.marks
            if (place := places[index]) is not None and not (log and place <= 0.0)
        ]

    @staticmethod
    def worst(judged: Confirmed, target: Target) -> TargetResult:
        """Outcome of one target in the condition that is worst for it. The dots show the worst condition
        too."""
        return next(outcome for outcome in judged.worst_of_each if outcome.target == target)

    def numbers(self, setting: dict[str, Any]) -> list[float]:
        """Setting in the units of the axes."""
        return [float(axis.drawn(setting[axis.column])) for axis in self.axes]


def _combined(points: pl.DataFrame) -> list[list[float]]:
    """Values of each column all of whose combinations exist.

    Values that lack most combinations are left out one by one until no combination lacks.
    """
    while True:
        kept = [points[name].unique().sort().to_list() for name in points.columns]
        if len(points) >= prod(map(len, kept)):
            return kept
        shares = [
            (len(points.filter(pl.col(name) == value)) * len(values), name, value)
            for name, values in zip(points.columns, kept, strict=True)
            for value in values
        ]
        _, name, value = min(shares)
        points = points.filter(pl.col(name) != value)
