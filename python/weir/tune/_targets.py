"""Targets: a measure and a bound on it."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations, permutations
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from weir._errors import WeirError
from weir.stats import MEASURES, Measure, measure_named
from weir.sweep import in_unit

_TARGET = re.compile(
    r"(?P<measure>[^<>=≤≥]+?)\s*(?P<sense><=|>=|<|>|≤|≥)\s*"
    r"(?P<number>[+-]?[\d.,]+(?:[eE][+-]?\d+)?|[^\s%]+?)\s*(?P<unit>\S+)?\s*"
)

_SPELLINGS = {"percent": "%", "μs": "us"}
"""Spellings of units that a target accepts and a scenario does not."""

_ORDERED = (
    ("delay_p50", "delay_p95", "delay_p99", "delay_p999"),
    ("fct_p50", "fct_p99"),
    ("slowdown_p50", "slowdown_p99"),
)
"""Quantiles of the same values, in ascending order: each is at least as large as the one before."""

_LEAST = 1e-4
"""Least value whose logarithm is taken: a loss of 0.0001% is as good as none."""

UNDEFINED = 3.0
"""Shortfall of a measure that is not defined: a factor of twenty."""


class TargetError(WeirError, ValueError):
    """Error about a target that cannot be read or met."""


@dataclass(frozen=True)
class Target:
    """A measure that is to stay on one side of a bound, on average over replications."""

    measure: str
    sense: Literal["<", ">"]
    bound: float
    """Bound in the measure's unit."""

    @staticmethod
    def parse(text: str) -> Target:
        """Reads a target as a person writes it: `p99 delay < 20 ms`, `loss < 1%`, `goodput > 95%`.

        Raises TargetError.
        """
        match = _TARGET.fullmatch(text.strip())
        if match is None:
            raise TargetError(
                f'"{text}" is not a target', 'write for example "p99 delay < 20 ms" or "loss < 1%"'
            )
        measure = measure_named(match["measure"], TargetError)
        try:
            number = float(match["number"])
        except ValueError:
            raise TargetError(f'"{match["number"]}" in "{text}" is not a number') from None
        unit = match["unit"] or ""
        known = _SPELLINGS.get(unit, unit)
        scale = 1.0 if known == measure.unit else in_unit(f"1 {known}", measure.unit)
        if scale is None:
            wanted = f"write it in {measure.unit}" if measure.unit else "it is a pure number"
            said = f'"{unit}" is not a unit of {measure.name}' if unit else f'"{text}" lacks a unit'
            raise TargetError(said, wanted)
        target = Target(measure.name, "<" if match["sense"] in {"<", "<=", "≤"} else ">", number * scale)
        if not (math.isfinite(target.bound) and target.bound > 0.0):
            raise TargetError(f'the bound in "{text}" is not above zero')
        if target.full is not None and target.bound >= target.full:
            raise TargetError(
                f'"{text}" is never so: {measure.name} is at most {target.full:g} {measure.unit}'.rstrip()
            )
        return target

    @property
    def of(self) -> Measure:
        """Measure of the target."""
        return MEASURES[self.measure]

    @property
    def full(self) -> float | None:
        """Full value of the measure, if the target asks for nearly all of it, such as a goodput above 95%;
        else None. The shortfall is then a ratio of what is lacking."""
        return self.of.full if self.sense == ">" else None

    def shortfall(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Distance by which values miss the target, as the logarithm of a ratio: above zero is missed, 0.1 by
        about a tenth."""
        if self.full is not None:
            missed = np.log(np.maximum(self.full - values, _LEAST * self.full) / (self.full - self.bound))
        else:
            ratio = np.log(np.maximum(values, _LEAST) / self.bound)
            missed = ratio if self.sense == "<" else -ratio
        # What is not defined, such as the wait of packets where none passed, meets nothing.
        return np.where(np.isnan(values), UNDEFINED, missed)

    def met_by(self, value: float) -> bool:
        """Returns true if a value is on the right side of the bound."""
        return value < self.bound if self.sense == "<" else value > self.bound

    def __str__(self) -> str:
        unit = self.of.unit
        tail = unit if unit in {"", "%"} else f" {unit}"
        return f"{self.measure} {self.sense} {self.bound:g}{tail}"


def parse_all(texts: Sequence[str]) -> tuple[Target, ...]:
    """Reads targets that must not contradict each other. Raises TargetError."""
    if not texts:
        raise TargetError("there is no target", 'add one: --target "p99 delay < 20 ms"')
    targets = tuple(Target.parse(text) for text in texts)
    for one, other in combinations(targets, 2):
        if (one.measure, one.sense) == (other.measure, other.sense):
            raise TargetError(f'"{one}" and "{other}" say the same with two bounds', "leave one of them out")
    for upper, lower in permutations(targets, 2):
        if (upper.sense, lower.sense) == ("<", ">") and lower.bound >= upper.bound:
            # Nothing is below 5 and above 10, and no 99% of values are below what half of them exceed.
            pair = {upper.measure, lower.measure}
            names = next((names for names in _ORDERED if pair <= set(names)), (lower.measure,))
            if pair <= set(names) and names.index(upper.measure) >= names.index(lower.measure):
                raise TargetError(f'"{upper}" and "{lower}" cannot both be met', "change one of the bounds")
    return targets
