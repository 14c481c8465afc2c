"""A lesson, and what the simulation answers to it."""

from __future__ import annotations

import json
import math
import os
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from weir import _core
from weir._api import Scenario
from weir._errors import InputError
from weir.stats import WHOLE_RUN, Interval, mean_interval

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from weir.sweep import Sweep

FOLDER = Path(__file__).parent.parent / "lessons"
"""The lessons of Weir."""


@dataclass(frozen=True)
class Said:
    """Words, and the values of a quantity for which they are right."""

    text: str
    written: str
    """The range in words, such as `below 0.5`."""
    low: float
    """It is right above this."""
    high: float
    """It is right up to this."""

    def holds(self, value: float) -> bool:
        """Returns true for a value in the range."""
        return self.low < value <= self.high


@dataclass(frozen=True)
class Answer(Said):
    """An answer to the question."""

    right: bool
    """True for the one that the author says is right after the move."""


@dataclass(frozen=True)
class Claim(Said):
    """Something else that the lesson says."""

    quantity: Quantity


@dataclass(frozen=True)
class Quantity:
    """A quantity: a term, or two and how they are compared."""

    written: str
    """In words, such as `delay_mean in a / delay_mean in a before`."""
    unit: str
    """Empty for a pure number."""
    terms: tuple[dict[str, Any], ...]
    over: bool
    """True if the second term divides the first, false if it is taken from it."""


@dataclass(frozen=True)
class Outcome:
    """The values of one quantity in runs with several seeds."""

    values: NDArray[np.float64]
    """One value per seed."""

    @property
    def interval(self) -> Interval:
        """The mean with its 95% interval."""
        return mean_interval(self.values)

    def right_in(self, said: Said) -> int:
        """Number of runs in which these words are right."""
        return sum(map(said.holds, self.values.tolist()))


@dataclass(frozen=True)
class Lesson:
    """A lesson as it is written."""

    title: str
    quantity: Quantity
    answers: tuple[Answer, ...]
    claims: tuple[Claim, ...]
    before: Scenario
    """The scenario as the lesson opens it."""
    after: Scenario
    """The scenario after the move; the same if nothing is moved."""

    @classmethod
    def parse(cls, text: str, file: str) -> Lesson:
        """Reads a lesson. Messages name `file`. Raises ScenarioError."""
        found = json.loads(_core.lesson(text, file))
        before, moved = Scenario.loads(found["scenario"]), found["moved"]
        after = before if moved is None else before.replace({moved["path"]: _value(moved["value"])})
        return cls(
            found["title"],
            _quantity(found["measured"]),
            tuple(Answer(*_said(one), one["right"]) for one in found["answers"]),
            tuple(Claim(*_said(one), _quantity(one["measured"])) for one in found["claims"]),
            before,
            after,
        )

    @classmethod
    def load(cls, source: str | os.PathLike[str]) -> Lesson:
        """Reads a lesson from a file, or that of Weir with this name. Raises ScenarioError, and InputError
        for a file that cannot be read."""
        return cls.parse(read_lesson(source), str(source))

    def outcomes(self, replications: int, seed: int | None = None) -> list[Outcome]:
        """Outcomes of the question, then of each claim, over this many seeds. The same seeds before and
        after. Keeps no results."""
        ways = {term["before"] for one in self._quantities for term in one.terms}
        results = {before: _run(self.before if before else self.after, replications, seed) for before in ways}

        def values(quantity: Quantity) -> NDArray[np.float64]:
            first, *second = (_values(results[term["before"]], term) for term in quantity.terms)
            if not second:
                return first
            return first / second[0] if quantity.over else first - second[0]

        return [Outcome(values(one)) for one in self._quantities]

    @property
    def _quantities(self) -> list[Quantity]:
        return [self.quantity, *(claim.quantity for claim in self.claims)]


def read_lesson(source: str | os.PathLike[str]) -> str:
    """The text of a file, or of the lesson of Weir with this name. Raises InputError."""
    path = Path(source)
    if source in bundled_lessons():
        path = FOLDER / f"{source}.md"
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        said = error.strerror if isinstance(error, OSError) else "it is not text in UTF-8"
        hint = f"lessons of Weir: {', '.join(bundled_lessons())}"
        raise InputError(f"{source} cannot be read: {said}", hint) from None


def bundled_lessons() -> list[str]:
    """Names of the lessons of Weir, in their order.

    Example:
        >>> from weir.lesson import bundled_lessons
        >>> bundled_lessons()[:2]
        ['bufferbloat', 'red']
    """
    return (FOLDER / "order.txt").read_text(encoding="utf-8").split()


def _said(found: dict[str, Any]) -> tuple[str, str, float, float]:
    low, high = found["range"]["low"], found["range"]["high"]
    borders = (-math.inf if low is None else low, math.inf if high is None else high)
    return found["text"], found["written"], *borders


def _quantity(found: dict[str, Any]) -> Quantity:
    operation, other = found["second"] or ("", None)
    terms = (found["first"],) if other is None else (found["first"], other)
    return Quantity(found["written"], found["unit"], terms, operation == "over")


def _value(written: str) -> Any:  # noqa: ANN401 - as TOML has it
    return tomllib.loads(f"value = {written}")["value"]


def _run(scenario: Scenario, replications: int, seed: int | None) -> Sweep:
    run = scenario.compare if len(scenario.variants) > 1 else scenario.run
    return run(replications, seed, store=False)


def _values(result: Sweep, term: dict[str, Any]) -> NDArray[np.float64]:
    """A term, one value per seed."""
    name = term["measure"] + ("" if term["group"] is None else f" of {term['group']}")
    rows = result.observations(measures=[name]).filter(period=WHOLE_RUN).sort("seed")
    if term["variant"] is not None:
        rows = rows.filter(variant=term["variant"])
    return rows[name].cast(pl.Float64).to_numpy()
