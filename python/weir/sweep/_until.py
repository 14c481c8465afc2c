"""Stopping rules: the number of replications that is enough for a point.

A rule names a measure and how precisely its mean is to be known. The obvious way is to look at
the usual 95% interval after every replication, and to stop as soon as it is narrow enough. That
stops too early: it waits for the moment at which the replications happen to look alike. So the
intervals at which it stops contain the true mean less often than in 95%.

Here the looks n_1 < n_2 < ... < n_K are fixed beforehand, the last being the largest number of
replications allowed. The interval at each has the level 1 - 0.05/K. Let A_k be the event that
the interval of look k misses the mean; then, however the looks depend on each other,

    P(A_1 or ... or A_K) <= P(A_1) + ... + P(A_K) = K (0.05/K) = 0.05.

With probability 95% or more the intervals of all looks contain the mean. Hence the interval of the look at
which one stops contains it, too, whatever makes one stop there: a relative rule, an absolute one, several
together, or a person. The assumptions are those of every t interval: independent replications whose mean is
nearly normal. Very skewed measures get less than 95%, here as elsewhere.

This has a price: where ten replications or more would do if the spread were known beforehand, it
takes two and a half to three times as many. Three choices keep it down, and none is sharp:

- Looks grow by about the square root of two: 5, 7, 10, 14, 20, 28, 40, ... Looks closer together
  stop sooner after the interval is narrow enough, but have to share the 5% among more. With
  factors from 1.25 to 1.6 the expected number of replications differs by a few per cent. At 2 it
  is higher.
- All looks have the same share. More for late looks helps points that vary much, less than it
  costs those that vary little.
- No look before five replications, where quantiles of t at such levels are so large that only
  a point that hardly varies could stop.

A precision is about one measure at one point. That all intervals of a sweep hold at once is not
said.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from weir._errors import WeirError
from weir.stats import CONFIDENCE, MEASURES, Interval, mean_interval, measure_named, student_t

_FIRST = (5, 7)
"""Numbers of replications at the first two looks. Later looks are their doubles."""

_LAST_STEP = 1.2
"""Least ratio of the last look to the one before. A nearer look costs a share of the 5% and saves next to
nothing."""

_RULE = re.compile(r"(?P<measure>[^±+]*?)\s*(?:±|\+/?-)\s*(?P<number>\S*?)\s*(?P<unit>[A-Za-z%]+)?\s*")


class RuleError(WeirError, ValueError):
    """Error about a rule for stopping that cannot be followed."""


@dataclass(frozen=True)
class Rule:
    """Required precision of the mean of a measure: the half-width of its interval."""

    measure: str
    precision: float
    """Half-width of the interval, in percent of the mean or in the measure's unit."""
    relative: bool

    @staticmethod
    def parse(text: str) -> Rule:
        """Reads a rule as a person writes it: `goodput ±0.5%`, `mean_queue ±2 packets`.

        `%` is of the mean. For a measure in percent, `points` is the difference of two values. A pure number
        has no unit. `+-` and `+/-` stand for `±`, a hyphen for an underscore. Raises RuleError.
        """
        match = _RULE.fullmatch(text.strip())
        if match is None:
            raise RuleError(f'"{text}" is not a rule', 'write for example "goodput ±0.5%"')
        measure = measure_named(match["measure"], RuleError)
        precision = _number(match["number"])
        if precision is None:
            raise RuleError(f'"{text}" states no precision', f'write for example "{measure.name} ±0.5%"')
        if precision <= 0.0:
            raise RuleError(f'the precision in "{text}" is not above zero')
        unit = match["unit"] or ""
        if unit != "%" and _singular(unit) != _singular(measure.difference_unit):
            said = f'"{unit}" is not a unit of' if unit else "a unit is missing for"
            number = match["number"]
            absolute = f"±{number} {measure.difference_unit}".strip()
            raise RuleError(f"{said} {measure.name}", f"write ±{number}% of the mean, or {absolute}")
        return Rule(measure.name, precision, relative=unit == "%")

    def allowed(self, mean: float) -> float:
        """Largest half-width that the rule allows, in the measure's unit."""
        return abs(mean) * self.precision / 100.0 if self.relative else self.precision

    def __str__(self) -> str:
        unit = "%" if self.relative else f" {MEASURES[self.measure].difference_unit}".rstrip()
        number = repr(self.precision).removesuffix(".0")
        return f"{self.measure} ±{number}{unit}"


def planned_looks(maximum: int) -> tuple[int, ...]:
    """Numbers of replications at which to look; the last is `maximum`.

    Raises RuleError below two: one replication shows no spread.
    """
    if maximum < 2:
        raise RuleError(
            "a precision needs two replications or more",
            "allow more with --replications N; a rule uses no more of them than it must",
        )
    found: list[int] = []
    octave, first = 1, 0
    while (n := _FIRST[first] * octave) * _LAST_STEP <= maximum:
        found.append(n)
        octave, first = octave << first, 1 - first
    return (*found, maximum)


@dataclass(frozen=True)
class Sequential:
    """Sequential test of rules at the planned looks. All of them must hold."""

    rules: tuple[Rule, ...]
    maximum: int
    """Maximum number of replications. The sweep stops there in any case."""
    planned: bool = True
    """True for intervals that hold at every look. False: the only look is the last, and the intervals are the
    usual ones."""

    @cached_property
    def looks(self) -> tuple[int, ...]:
        return planned_looks(self.maximum) if self.planned else (self.maximum,)

    @cached_property
    def level(self) -> float:
        """Confidence level of the interval at each look, so that all of them hold with 95%."""
        return 1.0 - (1.0 - CONFIDENCE) / len(self.looks)

    def next_target(self, n: int) -> int:
        """Number of replications at the first look after `n`; the last look if there is none."""
        return next((look for look in self.looks if look > n), self.maximum)

    def quantile(self, degrees: int) -> float:
        """Quantile of Student's t at this level, for an interval with this many degrees of freedom."""
        return student_t(degrees, self.level)

    def interval(self, values: NDArray[np.float64], n: int) -> Interval:
        """Mean and interval of the first `n` values at `level`: what to report after stopping.

        It holds with 95% whenever `n` is the look at which one stopped. Where a sweep ends
        between two looks for reasons of its own, it takes the share of the next.
        NaN, "not defined", is left out.
        """
        return mean_interval(values[:n], self.level)

    def stopped_at(self, observed: Mapping[str, NDArray[np.float64]], n: int) -> int | None:
        """Number of replications at the first look, up to `n`, at which all rules held; None to go on.

        `observed` has the values of each measure in the order of the replications. Without the
        rules, the last look ends it.
        """
        for look in self.looks:
            if look > n:
                return None
            if look == self.maximum or self.state(observed, look) <= 1.0:
                return look
        return None

    def done(self, observed: Mapping[str, NDArray[np.float64]], n: int) -> bool:
        """Returns true if `n` replications are enough. False before the first look."""
        return self.stopped_at(observed, n) is not None

    def state(self, observed: Mapping[str, NDArray[np.float64]], n: int) -> float:
        """Widest interval after `n` replications, divided by what its rule allows.

        At a look, 1 or less is narrow enough. Infinite where a value is missing.
        """
        widest = 0.0
        for rule in self.rules:
            values = observed[rule.measure][:n]
            half_width = self.interval(values, n).half_width
            if values.size < n or np.isnan(values).any() or half_width is None:
                return math.inf
            if half_width == 0.0 and rule.relative and values[0] == 0.0:
                # A share of nothing: what has not happened so far may still.
                return math.inf
            if half_width > 0.0:
                allowed = rule.allowed(float(values.mean()))
                widest = max(widest, half_width / allowed if allowed > 0.0 else math.inf)
        return widest


def _number(text: str) -> float | None:
    return float(text) if re.fullmatch(r"-?(\d+\.?\d*|\.\d+)(e-?\d+)?", text) else None


def _singular(unit: str) -> str:
    return unit.removesuffix("s") if unit in {"packets", "points"} else unit
