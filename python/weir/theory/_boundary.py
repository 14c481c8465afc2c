"""Boundary of stability in one variable."""

from __future__ import annotations

from collections.abc import Callable

from weir.theory._bisection import bisected_by_factors
from weir.theory._plant import loop_of
from weir.theory._point import System
from weir.theory._roots import roots_of
from weir.theory._utility import above_zero, require


def growth(system: System, degree: int = 24) -> float:
    """Sigma of the rightmost root, 1/s; each time at the operating point anew."""
    return roots_of(loop_of(system), degree).growth


def boundary(make: Callable[[float], System], low: float, high: float) -> float:
    """The value between two, of which one makes a stable system and one an unstable one, where sigma is zero.

    By bisection of its logarithm. Raises TheoryError where both are alike, or one is not above zero.

    Example:
        >>> from weir.theory import Group, System, boundary, pi
        >>> def system(flows):
        ...     return System((Group(flows, 0.24),), 3750.0, pi(1.822e-5, 1.816e-5, 1 / 160, 200.0))
        >>> round(boundary(system, 10.0, 200.0), 1)
        15.9
    """
    above_zero(low=low, high=high)
    stable = growth(make(low)) < 0.0
    require(
        stable != (growth(make(high)) < 0.0),
        f"at {low:g} and at {high:g} the loop is alike {'stable' if stable else 'unstable'}",
        "ends of which one is stable and one is not",
    )
    return bisected_by_factors(lambda value: (growth(make(value)) < 0.0) == stable, low, high, 40)
