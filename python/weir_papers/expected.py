"""Expectations: what a paper lets one expect of a quantity, and what an interval says of it.

- `Range`: a number with the error of reading it, a bound, or likeness, which is a difference within a margin.
  It holds where the interval lies inside.
- `MORE`, `LESS`: a difference with a sign and no number. It holds where the interval shows this sign, and is
  a tie where the whole interval is smaller than what would matter. A difference of nothing never holds.
- `NEVER_LESS`, `NEVER_MORE`: steps of a trend, none of which may be shown to go the other way. They belong
  beside the growth from end to end, which `MORE` or `LESS` asks for: alone, a flat line passes.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

Finding = Literal["holds", "tie", "does not hold", "undecided"]

HOLDS: Finding = "holds"
TIE: Finding = "tie"
FAILS: Finding = "does not hold"
OPEN: Finding = "undecided"

Interval = tuple[float, float]


@dataclass(frozen=True)
class Range:
    """Range in which a value is expected, ends included."""

    low: float = -math.inf
    high: float = math.inf

    def text(self, unit: str, relevant: float) -> str:  # noqa: ARG002 - a range has its own ends
        """`18.7 to 21.3 packets`, `at least 0.995`."""
        if self.low == self.high:
            return _with_unit(f"{self.low:g}", unit)
        if math.isinf(self.low):
            return _with_unit(f"at most {self.high:g}", unit)
        if math.isinf(self.high):
            return _with_unit(f"at least {self.low:g}", unit)
        return _with_unit(f"{self.low:g} to {self.high:g}", unit)

    def finding(self, interval: Interval, wide: Interval, relevant: float) -> Finding:  # noqa: ARG002
        """The finding by an interval, and by the `wide` one, which refutes."""
        if self.low <= interval[0] and interval[1] <= self.high:
            return HOLDS
        return FAILS if wide[1] < self.low or wide[0] > self.high else OPEN

    def stand(self, value: float, relevant: float) -> int:  # noqa: ARG002
        """1 for a mean that agrees, -1 for one that does not."""
        return 1 if self.low <= value <= self.high else -1

    def inside(self, value: float, relevant: float) -> float:  # noqa: ARG002
        """Distance of a mean from the nearer end, negative outside."""
        return min(value - self.low, self.high - value)


@dataclass(frozen=True)
class Sign:
    """A difference above zero (1) or below it (-1)."""

    sign: Literal[1, -1]

    def text(self, unit: str, relevant: float) -> str:
        """`above 0 packets, tie within 0.5`."""
        words = _with_unit("above 0" if self.sign > 0 else "below 0", unit)
        return f"{words}, tie within {relevant:g}" if relevant else words

    def finding(self, interval: Interval, wide: Interval, relevant: float) -> Finding:
        """The finding by an interval, and by the `wide` one, which refutes."""
        if -relevant <= interval[0] and interval[1] <= relevant:
            return TIE
        if min(self.sign * end for end in interval) > 0.0:
            return HOLDS
        return FAILS if max(self.sign * end for end in wide) < 0.0 else OPEN

    def stand(self, value: float, relevant: float) -> int:
        """1 for a mean with this sign that matters, 0 for one too small to matter, -1 for the other sign."""
        return 0 if abs(value) <= relevant else round(math.copysign(1.0, self.sign * value))

    def inside(self, value: float, relevant: float) -> float:  # noqa: ARG002
        """Distance of a mean from zero, negative on the other side."""
        return self.sign * value


@dataclass(frozen=True)
class Never:
    """No growth that is shown below zero (1), or above it (-1). A tie is none."""

    sign: Literal[1, -1]

    def text(self, unit: str, relevant: float) -> str:
        """`not shown below 0 packets, tie within 0.5`."""
        words = _with_unit("not shown below 0" if self.sign > 0 else "not shown above 0", unit)
        return f"{words}, tie within {relevant:g}" if relevant else words

    def finding(self, interval: Interval, wide: Interval, relevant: float) -> Finding:
        """The finding by an interval, and by the `wide` one, which refutes."""
        there = Sign(self.sign).finding(interval, wide, relevant)
        return FAILS if there == FAILS else HOLDS

    def stand(self, value: float, relevant: float) -> int:
        """-1 for a mean that goes the other way by more than what would matter, else 1."""
        return 1 if self.sign * value >= -relevant else -1

    def inside(self, value: float, relevant: float) -> float:
        """Distance of a mean from the border of what would matter, negative beyond."""
        return self.sign * value + relevant


Expected = Range | Sign | Never

MORE, LESS = Sign(1), Sign(-1)
"""A difference whose first value is the larger one, the smaller one."""
NEVER_LESS, NEVER_MORE = Never(1), Never(-1)
"""Steps of a trend that rises, that falls."""


def about(value: float, margin: float) -> Range:
    """The range within a margin around a value."""
    # 18.7 - 1.5 is 17.199999999999999 in binary.
    return Range(round(value - margin, 12), round(value + margin, 12))


def at_least(value: float) -> Range:
    """The range of values that are not less than `value`."""
    return Range(low=value)


def at_most(value: float) -> Range:
    """The range of values that are not more than `value`."""
    return Range(high=value)


def _with_unit(text: str, unit: str) -> str:
    return text + ("" if not unit else "%" if unit == "%" else f" {unit}")
