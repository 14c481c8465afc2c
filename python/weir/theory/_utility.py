"""Utility of a rate to its source.

One family, since all its members are asked for the same four things:

    U'(x) = a / (x + s)^f                       s >= 0, f > 0
    U(x)  = a ln(x + s)                         f = 1
          = a (x + s)^(1 - f) / (1 - f)         else

`a ln(1 + x)` is the one of Lapsley and Low (1999, section 3.1); `a ln x` shares in proportion (Kelly 1997);
`a x^(1 - f) / (1 - f)` is alpha-fair (Mo and Walrand 2000): throughput alone as f goes to 0, max-min as it
grows, and at f = 2 shares as Reno's.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from weir._errors import WeirError
from weir._errors import require as require_of


class TheoryError(WeirError, ValueError):
    """Error about a network, a source or a parameter without a meaning in the model."""


def require(holds: bool, message: str, hint: str, path: str | None = None) -> None:  # noqa: FBT001
    """Raises TheoryError unless this holds."""
    require_of(holds, message, hint, TheoryError, path)


def above_zero(**numbers: float) -> None:
    """Raises TheoryError for a number that is not above zero, or not finite."""
    for name, value in numbers.items():
        require(0.0 < value < math.inf, f"{name} is {value:g}", "more than zero")


def not_below_zero(**numbers: float) -> None:
    """Raises TheoryError for a number that is below zero, or not finite."""
    for name, value in numbers.items():
        require(0.0 <= value < math.inf, f"{name} is {value:g}", "zero or more")


@dataclass(frozen=True)
class Utility:
    """An increasing, strictly concave function of a rate in packets per second.

    Raises TheoryError for a weight or a fairness that is not above zero, and for a negative shift. Its verbs
    raise it for a rate below minus the shift.

    Example:
        >>> from weir.theory import Utility
        >>> print(Utility.log(500.0), Utility.log_one_plus(500.0), Utility.fair(500.0, 2.0), sep=", ")
        500 ln x, 500 ln(1 + x), 500 x^-1 / -1
        >>> utility = Utility.log(500.0)
        >>> round(utility.value(100.0)), utility.marginal(100.0), utility.demand(5.0), utility.slope(100.0)
        (2303, 5.0, 100.0, 20.0)
    """

    weight: float
    """Weight a."""
    fairness: float = 1.0
    """Fairness f."""
    shift: float = 0.0
    """Shift s, packets per second."""

    def __post_init__(self) -> None:
        for name, value in (("weight", self.weight), ("fairness", self.fairness)):
            require(0.0 < value < math.inf, f"{value:g} is no {name}", "give a number above zero")
        shift = self.shift
        require(0.0 <= shift < math.inf, f"{shift:g} is no shift", "give zero or more packets per second")

    @classmethod
    def log_one_plus(cls, weight: float) -> Utility:
        """The utility a ln(1 + x). Raises TheoryError for a weight that is not above zero."""
        return cls(weight, shift=1.0)

    @classmethod
    def log(cls, weight: float) -> Utility:
        """The utility a ln x. Raises TheoryError for a weight that is not above zero."""
        return cls(weight)

    @classmethod
    def fair(cls, weight: float, fairness: float) -> Utility:
        """The utility a x^(1 - f) / (1 - f).

        Raises TheoryError for a weight or a fairness that is not above zero.
        """
        return cls(weight, fairness)

    def value(self, x: float) -> float:
        """Utility U(x); minus infinity where x + s is zero and f at least one.

        Raises TheoryError for a rate below minus the shift.
        """
        y = self._shifted(x)
        if y == 0.0 and self.fairness >= 1.0:
            return -math.inf
        # Nearer to one, a power over so small a number has no digits left for the rate.
        if abs(self.fairness - 1.0) < 1e-6:
            return self.weight * math.log(y)
        return self.weight * y ** (1.0 - self.fairness) / (1.0 - self.fairness)

    def marginal(self, x: float) -> float:
        """Marginal utility U'(x), a price; infinite where x + s is zero.

        Raises TheoryError for a rate below minus the shift.
        """
        y = self._shifted(x)
        return math.inf if y == 0.0 else self.weight / y**self.fairness

    def _shifted(self, x: float) -> float:
        y = x + self.shift
        if not y >= 0.0:
            raise TheoryError(f"a rate of {x:g} packets/s has no utility", f"give {-self.shift:g} or more")
        return y

    def demand(self, price: float, least: float = 0.0, greatest: float = math.inf) -> float:
        """The rate in [least, greatest] worth most at this price: U'^-1 clipped (equation 3)."""
        if price <= 0.0:
            return greatest
        worth = (self.weight / price) ** (1.0 / self.fairness) - self.shift
        return max(least, min(greatest, worth))

    def slope(self, x: float) -> float:
        """Decrease of the demand where it is x, 1 / -U''(x), packets/s per unit of price."""
        return (x + self.shift) ** (self.fairness + 1.0) / (self.weight * self.fairness)

    def __str__(self) -> str:
        inner = f"({self.shift:g} + x)" if self.shift else "x"
        if self.fairness == 1.0:
            return f"{self.weight:g} ln{inner if self.shift else ' x'}"
        return f"{self.weight:g} {inner}^{1.0 - self.fairness:g} / {1.0 - self.fairness:g}"
