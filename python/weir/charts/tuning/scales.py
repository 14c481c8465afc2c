"""What the figures of tuning share: axes of measures, names of measures, marks of settings."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from math import isfinite, log10
from typing import Any

import altair as alt

from weir.measures import Measure
from weir.tuning.answer import State, Verdict

MET, OPEN, MISSED = "#7fb3d5", "#ececec", "#E69F00"
"""Blue and orange of Okabe and Ito, light enough for a number to be read on them."""

COLOURS: dict[State, str] = {"met": MET, "open": OPEN, "missed": MISSED}
SIGNS: dict[State, str] = {"met": "✓", "open": "?", "missed": "✗"}
"""What is seen in grey print."""

STRONG = "#D55E00"
"""Of the setting that is the answer."""

BOUND = "#009E73"
"""Of targets, and of where they are met."""

NEAR_FULL = frozenset({"goodput", "utilisation", "jain"})
"""Measures that lie near their largest value: an axis from zero would hide what differs."""

SPAN = 4.0
"""Ratio of the largest to the smallest value from which an axis is logarithmic."""

ROLES: dict[Verdict, str] = {
    "achieved": "chosen",
    "defaults already meet it": "defaults",
    "not achievable": "nearest",
    "undecided": "best found",
}
"""What the chosen setting is called."""


def words_of(measure: Measure) -> str:
    """A measure inside a sentence: `p99 delay`, `loss`."""
    text = measure.title.lower()
    return re.sub(r"^(\w+) (p[\d.]+)$", r"\2 \1", text)


def sentence(text: str) -> str:
    """With a capital."""
    return text[:1].upper() + text[1:]


@dataclass(frozen=True)
class Extent:
    """The axis of a measure or a parameter: where it begins and ends, and in which steps."""

    low: float
    high: float
    log: bool

    @staticmethod
    def of(values: Iterable[float | None], *, full: bool = False, log: bool | None = None) -> Extent:
        """Room for all values; `full` for measures near their largest value."""
        known = [value for value in values if value is not None and isfinite(value)]
        low, high = min(known, default=0.0), max(known, default=1.0)
        wide = low > 0.0 and high > SPAN * low and not full if log is None else log and low > 0.0
        if wide:
            margin = (high / low) ** 0.06
            return Extent(low / margin, high * margin, log=True)
        margin = 0.06 * ((high - low) or abs(high) or 1.0)
        return Extent(low - margin if full else 0.0, high + margin, log=False)

    def scale(self) -> alt.Scale:
        """For a channel."""
        kind: dict[str, Any] = {"type": "log"} if self.log else {"zero": False}
        return alt.Scale(domain=[self.low, self.high], nice=False, clamp=True, **kind)

    def ticks(self) -> dict[str, Any]:
        """Options of an axis: of a logarithmic one 1, 2 and 5 of every decade, more where it is short."""
        if not self.log:
            return {"tickCount": 6}
        digits = (1, 2, 5) if self.high > 12.0 * self.low else (1, 2, 3, 4, 5, 6, 8)
        values = [
            digit * 10.0**decade
            for decade in range(int(log10(self.low)) - 2, int(log10(self.high)) + 2)
            for digit in digits
        ]
        return {"values": [v for v in values if self.low <= v <= self.high], "format": ".4~g"}
