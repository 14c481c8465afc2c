"""Bisection: where a condition that holds at the lower end ceases to hold."""

from __future__ import annotations

import math
from collections.abc import Callable


def bisected(holds: Callable[[float], bool], low: float, high: float, halvings: int) -> float:
    """The place between two up to which a condition holds, after so many halvings."""
    for _ in range(halvings):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if holds(middle) else (low, middle)
    return 0.5 * (low + high)


def bisected_by_factors(holds: Callable[[float], bool], low: float, high: float, halvings: int) -> float:
    """The place as of `bisected`, by halving the logarithm."""
    found = bisected(lambda x: holds(math.exp(x)), math.log(low), math.log(high), halvings)
    return math.exp(found)
