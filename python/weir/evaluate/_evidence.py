"""Evidence of the values of a measure about a bound, over seeds and for any number of looks.

Means are compared on the scale on which the values of a measure are nearly normal. It is the logarithm of
values above zero, and for shares the logarithm of what they lack. At each look the interval has the level 1 -
0.05/K, K being the number of planned looks (`weir.sweep._until`). A criterion holds only if every place
holds: each is tested by itself, no correction is needed. It fails to hold because of one place: Holm corrects
over the places of a chapter.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from weir._errors import InputError, require
from weir.evaluate._criteria import Sense
from weir.scenario import suggestion
from weir.stats import CONFIDENCE, deviation, student_t

Values = NDArray[np.float64]

Scale = Literal["log", "lack", "plain"]

_SCALES = ("log", "lack", "plain")

_LEAST = 1e-6
"""Least value whose logarithm is taken, in the unit of the measure: less is as good as none."""

_ROUNDING = 1e-9
"""Greatest difference on a scale that is due to rounding."""

LACKING = {"goodput", "utilisation", "least_share", "left_share"}
"""Measures in percent of at most 100, whose lack from 100% is nearly log-normal."""

PLAIN = {"mos", "queue_empty", "spectral_peak", "queue_drift", "window_low"}


def scale_of(measure: str, relative: str) -> Scale:
    """Scale on which the values of a measure are averaged."""
    if relative:
        return "log"
    return "lack" if measure in LACKING else "plain" if measure in PLAIN else "log"


@dataclass(frozen=True)
class Evidence:
    """Values of one measure, one per seed, on their scale.

    Raises InputError without values, for another scale, and without a look.

    Example:
        >>> import numpy as np
        >>> from weir.evaluate import Evidence
        >>> evidence = Evidence(np.array([9.0, 9.5, 9.2, 9.4]), "log")
        >>> round(evidence.mean, 2), [round(end, 2) for end in evidence.interval]
        (9.27, [8.93, 9.63])
        >>> evidence.beyond(10.0, "<") < 0.05, evidence.beyond(10.0, ">")
        (True, 1.0)
    """

    values: Values
    scale: Scale
    looks: int = 1
    """Number of planned looks at the values."""

    def __post_init__(self) -> None:
        require(self.values.size > 0, "there is no evidence without a value", "give one or more, one a seed")
        if self.scale not in _SCALES:
            raise InputError(f"there is no scale {self.scale!r}", suggestion(self.scale, _SCALES))
        require(self.looks >= 1, f"{self.looks} looks at the values are none", "give 1 or more")

    @property
    def n(self) -> int:
        """Number of seeds."""
        return int(self.values.size)

    @property
    def _scaled(self) -> Values:
        if self.scale == "plain":
            return self.values
        above = 100.0 - self.values if self.scale == "lack" else self.values
        return np.log(np.maximum(above, _LEAST))

    def _back(self, value: float) -> float:
        if self.scale == "plain":
            return value
        return 100.0 - math.exp(value) if self.scale == "lack" else math.exp(value)

    @property
    def mean(self) -> float:
        """Mean, back in the unit of the measure; on a logarithmic scale it is the geometric mean."""
        return self._back(float(self._scaled.mean()))

    @property
    def interval(self) -> tuple[float, float]:
        """Interval that holds with 95% at every look; as wide as possible for one seed."""
        centre = float(self._scaled.mean())
        half = self._half_width
        ends = sorted((self._back(centre - half), self._back(centre + half)))
        return ends[0], ends[1]

    @property
    def _half_width(self) -> float:
        if not np.isfinite(self._scaled).all():
            return 0.0 if self.without_chance else math.inf
        if self.n < 2:
            return math.inf
        level = 1.0 - (1.0 - CONFIDENCE) / self.looks
        return student_t(self.n - 1, level) * deviation(self._scaled) / math.sqrt(self.n)

    @property
    def without_chance(self) -> bool:
        """True if every seed gave the same value."""
        return self.n > 1 and bool((self.values == self.values[0]).all())

    def beyond(self, bound: float, sense: Sense, *, inclusive: bool = True) -> float:
        """Two-sided p of the mean's not being on this side of a bound, all looks together: 1 where the mean
        itself is not, or there is one seed. `inclusive`: whether the bound itself is on this side."""
        special: Any = import_module("scipy.special")
        if self.n < 2:
            return 1.0
        scaled = self._scaled
        limit = float(Evidence(np.array([bound]), self.scale)._scaled[0])
        # What lacks grows where the measure falls.
        below = (sense == "<") != (self.scale == "lack")
        if not np.isfinite(scaled).all():
            # Infinite in some run: on which side the mean is, is known only if it is so in all.
            return 1.0 if below or not np.isinf(scaled).all() else 0.0
        distance = float(scaled.mean()) - limit
        distance = -distance if below else distance
        spread = deviation(scaled) / math.sqrt(self.n)
        if spread <= _ROUNDING:
            return 0.0 if distance > _ROUNDING or (inclusive and distance >= -_ROUNDING) else 1.0
        if distance <= 0.0:
            return 1.0
        return min(1.0, 2.0 * float(special.stdtr(self.n - 1, -distance / spread)) * self.looks)


def holm(values: Sequence[float]) -> list[float]:
    """Adjusted p-values of a family of tests (Holm, 1979).

    Raises InputError for values that are no probabilities.

    Example:
        >>> from weir.evaluate import holm
        >>> [round(p, 3) for p in holm([0.01, 0.04, 0.03])]
        [0.03, 0.06, 0.06]
    """
    for p in values:
        require(0.0 <= p <= 1.0, f"{p:g} is no p-value", "give probabilities: 0 to 1")
    order = np.argsort(values)
    adjusted = [0.0] * len(values)
    largest = 0.0
    for rank, place in enumerate(order):
        largest = max(largest, min(1.0, (len(values) - rank) * values[int(place)]))
        adjusted[int(place)] = largest
    return adjusted
