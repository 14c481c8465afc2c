"""A check: one quantity at one place, what is expected of it, and what its replications say."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weir.stats import CONFIDENCE, mean_interval, student_t
from weir_papers.expected import OPEN, Expected, Finding, Interval, Range


@dataclass(frozen=True)
class Check:
    """One quantity at one place, and what is expected of it."""

    title: str
    place: str
    unit: str
    values: NDArray[np.float64] = field(repr=False)
    """One value per replication."""
    expected: Expected
    relevant: float
    """Smallest difference that would matter, in the unit of the quantity."""
    published: float | None
    together: int
    """Checks of the same claim."""
    exact: bool = False
    """True if nothing is random, and the value is all of the interval."""

    @cached_property
    def value(self) -> float:
        """The mean over replications."""
        return mean_interval(self.values).mean

    @property
    def n(self) -> int:
        """Replications in which it is defined."""
        return int(np.count_nonzero(~np.isnan(self.values)))

    @cached_property
    def half_width(self) -> float | None:
        """Half width of the 95% interval; None where fewer than two replications define it."""
        return mean_interval(self.values).half_width

    @property
    def interval(self) -> Interval | None:
        """The 95% interval."""
        return self._interval(1.0)

    @property
    def expected_text(self) -> str:
        """`at least 0.995`, `above 0 points, tie within 0.5`."""
        return self.expected.text(self.unit, self.relevant)

    @cached_property
    def verdict(self) -> Finding:
        """The finding by the 95% interval. What does not hold does not by that of all checks together."""
        return self._finding(1.0)

    @cached_property
    def verdict_among_all(self) -> Finding:
        """The finding where a part of the checks is enough: it holds by the interval of all together, too."""
        return self._finding(self._widening)

    def _finding(self, widening: float) -> Finding:
        interval, wide = self._interval(widening), self._interval(self._widening)
        if interval is None or wide is None:
            return OPEN
        return self.expected.finding(interval, wide, self.relevant)

    def _interval(self, widening: float) -> Interval | None:
        half = 0.0 if self.exact else self.half_width
        if half is None or math.isnan(self.value):
            return None
        return (self.value - widening * half, self.value + widening * half)

    @property
    def stand(self) -> int:
        """The mean alone: 1 where it agrees, 0 where it does neither, -1 where it does not."""
        return -1 if math.isnan(self.value) else self.expected.stand(self.value, self.relevant)

    @property
    def _widening(self) -> float:
        """Ratio of half widths: from the 95% of one check to the 95% of all checks of the claim together."""
        if self.together == 1 or self.n < 2:
            return 1.0
        level = 1.0 - (1.0 - CONFIDENCE) / self.together
        return student_t(self.n - 1, level) / student_t(self.n - 1)

    @property
    def distance(self) -> float:
        """Distance of the mean from the border of what is expected, in half widths; negative beyond."""
        inside = self.expected.inside(self.value, self.relevant)
        if math.isnan(inside):
            return -math.inf
        half = self.half_width or 0.0
        return inside / half if half > 0.0 else math.copysign(math.inf, inside) if inside else 0.0

    def to_json(self) -> dict[str, Any]:
        """The check as plain values, None for values that are not defined."""
        low, high = (
            (self.expected.low, self.expected.high)
            if isinstance(self.expected, Range)
            else (math.nan, math.nan)
        )
        return {
            "what": self.title,
            "place": self.place,
            "unit": self.unit,
            "verdict": self.verdict,
            "value": _finite(self.value),
            "interval": None if self.interval is None else list(self.interval),
            "expected": self.expected_text,
            "range": [_finite(low), _finite(high)],
            "relevant": self.relevant,
            "published": self.published,
            "n": self.n,
        }


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None
