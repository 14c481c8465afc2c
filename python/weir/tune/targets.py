"""Targets: a measure and a bound on it."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from weir.errors import WeirError
from weir.stats.measures import MEASURES, Measure

_TARGET = re.compile(
    r"(?P<measure>[^<>=≤≥]+?)\s*(?P<sense><=|>=|<|>|≤|≥)\s*"
    r"(?P<number>[+-]?[\d.,]+(?:[eE][+-]?\d+)?|[^\s%]+?)\s*(?P<unit>\S+)?\s*"
)

_SCALES = {
    "ms": {"s": 1000.0, "ms": 1.0, "us": 1e-3, "µs": 1e-3, "μs": 1e-3},
    "%": {"%": 1.0, "percent": 1.0},
}
"""From the units in which a target may be written to that of the measure."""

_ORDERED = (
    ("delay_p50", "delay_p95", "delay_p99", "delay_p999"),
    ("fct_p50", "fct_p99"),
    ("slowdown_p50", "slowdown_p99"),
)
"""Quantiles of the same values: each is at least as large as the one before."""

_NEAR_FULL = {"goodput": 100.0, "utilisation": 100.0, "jain": 1.0}
"""Measures of which the distance from this value counts: 99% is twice as near to it as 98%."""

_LEAST = 1e-4
"""Of what a logarithm is taken: a loss of 0.0001% is as good as none."""


UNDEFINED = 3.0
"""Shortfall of a measure that is not defined: twenty times beyond."""


class TargetError(WeirError, ValueError):
    """A target that cannot be read or met."""


@dataclass(frozen=True)
class Target:
    """A measure that is to stay on one side of a bound, on average over replications."""

    measure: str
    sense: Literal["<", ">"]
    bound: float
    """In the measure's unit."""

    @staticmethod
    def parse(text: str) -> Target:
        """A target as a person writes it: `p99 delay < 20 ms`, `loss < 1%`, `goodput > 95%`.

        Raises TargetError.
        """
        match = _TARGET.fullmatch(text.strip())
        if match is None:
            raise TargetError(
                f'"{text}" is not a target', 'write for example "p99 delay < 20 ms" or "loss < 1%"'
            )
        measure = _measure(match["measure"])
        try:
            number = float(match["number"])
        except ValueError:
            raise TargetError(f'"{match["number"]}" in "{text}" is not a number') from None
        bound = number * _scale(match["unit"] or "", measure, text)
        if not (math.isfinite(bound) and bound > 0.0):
            raise TargetError(f'the bound in "{text}" is not above zero')
        sense: Literal["<", ">"] = "<" if match["sense"] in {"<", "<=", "≤"} else ">"
        full = _NEAR_FULL.get(measure.name)
        if full is not None and sense == ">" and bound >= full:
            raise TargetError(
                f'"{text}" is never so: {measure.name} is at most {full:g} {measure.unit}'.rstrip()
            )
        return Target(measure.name, sense, bound)

    @property
    def of(self) -> Measure:
        """What is measured."""
        return MEASURES[self.measure]

    def shortfall(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """How far values miss the target, as the logarithm of a ratio: above zero is missed, 0.1 by about
        a tenth. Where a target asks for nearly all, such as a goodput above 95%, the ratio is that of what
        lacks.
        """
        # What is not defined, such as the wait of packets where none passed, meets nothing.
        undefined = np.isnan(values)
        return np.where(undefined, UNDEFINED, self._shortfall(np.where(undefined, self.bound, values)))

    def _shortfall(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        full = _NEAR_FULL.get(self.measure)
        if full is not None and self.sense == ">":
            least = _LEAST * full
            return np.log(np.maximum(full - values, least) / (full - self.bound))
        ratio = np.log(np.maximum(values, _LEAST) / self.bound)
        return ratio if self.sense == "<" else -ratio

    def met_by(self, value: float) -> bool:
        """Whether a value is on the right side."""
        return value < self.bound if self.sense == "<" else value > self.bound

    def __str__(self) -> str:
        unit = self.of.unit
        tail = "" if not unit else unit if unit == "%" else f" {unit}"
        return f"{self.measure} {self.sense} {self.bound:g}{tail}"


def parse_all(texts: Sequence[str]) -> tuple[Target, ...]:
    """Targets that do not contradict each other. Raises TargetError."""
    if not texts:
        raise TargetError("there is no target", 'add one: --target "p99 delay < 20 ms"')
    targets = tuple(Target.parse(text) for text in texts)
    for index, one in enumerate(targets):
        for other in targets[index + 1 :]:
            if one.measure == other.measure and one.sense == other.sense:
                raise TargetError(
                    f'"{one}" and "{other}" say the same with two bounds', "leave one of them out"
                )
            _check_together(one, other)
            _check_together(other, one)
    return targets


def _check_together(upper: Target, lower: Target) -> None:
    """Nothing is below 5 and above 10, and no 99% of values are below what half of them exceed."""
    if upper.sense != "<" or lower.sense != ">" or lower.bound < upper.bound:
        return
    ordered = any(
        upper.measure in names
        and lower.measure in names
        and names.index(upper.measure) >= names.index(lower.measure)
        for names in _ORDERED
    )
    if upper.measure == lower.measure or ordered:
        raise TargetError(f'"{upper}" and "{lower}" cannot both be met', "change one of the bounds")


def _measure(words: str) -> Measure:
    name = "_".join(re.split(r"[\s_-]+", words.strip().lower()))
    parts = name.split("_")
    candidates = (name, "_".join(reversed(parts)), *(f"{name}_{tail}" for tail in ("mean",)))
    titles = {measure.title.lower(): measure for measure in MEASURES.values()}
    for candidate in candidates:
        if candidate in MEASURES:
            return MEASURES[candidate]
    if (found := titles.get(" ".join(parts))) is not None:
        return found
    close = get_close_matches(name, MEASURES, n=1)
    hint = f"did you mean {close[0]!r}?" if close else f"there are: {', '.join(MEASURES)}"
    raise TargetError(f'there is no measure "{words.strip()}"', hint)


def _scale(unit: str, measure: Measure, text: str) -> float:
    if unit == measure.unit:
        return 1.0
    scales = _SCALES.get(measure.unit, {})
    if unit in scales:
        return scales[unit]
    if (unit, measure.unit) == ("packet", "packets"):
        return 1.0
    wanted = f"write it in {measure.unit}" if measure.unit else "it is a pure number"
    said = f'"{unit}" is not a unit of {measure.name}' if unit else f'"{text}" lacks a unit'
    raise TargetError(said, wanted)
