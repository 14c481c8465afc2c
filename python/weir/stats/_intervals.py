"""Means over replications, their confidence intervals, and differences in pairs.

Replications are independent: each has its own seed. Two variants of a scenario share the seeds,
so replication r of one is compared with replication r of the other. What both have in common
then leaves the difference. So the interval of the difference is narrower than those of the two
means whenever the pairs are positively correlated.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

import numpy as np
import polars as pl
from numpy.typing import NDArray

from weir import _core
from weir._errors import InputError, require

CONFIDENCE = 0.95
"""Level of every interval that does not state another."""

Comparison = Literal["higher", "lower", "equal", "no difference shown", "one replication", "not defined"]


@dataclass(frozen=True)
class Interval:
    """A mean of n values and the half width of its 95% Student-t interval.

    One value says nothing about its spread: `half_width` is None then, never zero.
    """

    mean: float
    half_width: float | None
    n: int

    @property
    def low(self) -> float | None:
        return None if self.half_width is None else self.mean - self.half_width

    @property
    def high(self) -> float | None:
        return None if self.half_width is None else self.mean + self.half_width

    def contains(self, value: float) -> bool:
        """Returns true if `value` is inside the interval; false if there is no interval.

        Example:
            >>> from weir.stats import Interval
            >>> Interval(mean=4.0, half_width=1.0, n=10).contains(4.5), Interval(4.0, None, 1).contains(4.0)
            (True, False)
        """
        return self.half_width is not None and abs(value - self.mean) <= self.half_width


@dataclass(frozen=True)
class Difference:
    """A variant minus the baseline, replication by replication."""

    interval: Interval
    correlation: float | None
    """Correlation of the pairs, -1 to 1. None if one side does not vary or fewer than three pairs exist."""

    def verdict(self, margin: float | None = None) -> Comparison:
        """Statement that the interval supports.

        "equal" needs a margin: the whole interval must lie within plus or minus `margin`. An
        interval that contains zero shows no difference; it does not show equality.

        Example:
            >>> from weir.stats import Difference, Interval
            >>> found = Difference(Interval(mean=0.4, half_width=0.3, n=10), correlation=0.8)
            >>> found.verdict(), found.verdict(margin=1.0)
            ('higher', 'equal')
        """
        interval = self.interval
        if interval.half_width is None:
            return "one replication" if interval.n else "not defined"
        if margin is not None and abs(interval.mean) + interval.half_width <= margin:
            return "equal"
        if interval.contains(0.0):
            return "no difference shown"
        return "higher" if interval.mean > 0.0 else "lower"


def deviation(values: NDArray[np.float64]) -> float:
    """Standard deviation of a sample. It is exactly zero for equal values, where rounding of their mean would
    hide it."""
    return 0.0 if values.min() == values.max() else float(values.std(ddof=1))


def deviation_of(value: pl.Expr) -> pl.Expr:
    """Standard deviation of a column, exactly zero for equal values; null for one value."""
    are_equal = (value.count() > 1) & (value.min() == value.max())
    return pl.when(are_equal).then(0.0).otherwise(value.std())


def mean_interval(values: NDArray[np.float64], level: float = CONFIDENCE) -> Interval:
    """Mean and interval of independent values, shape (n,). NaN, "not defined", is left out.

    Without any value the mean is NaN.

    Raises InputError for a level that is not below one, and for values that are not in one row.

    Example:
        >>> import numpy as np
        >>> from weir.stats import mean_interval
        >>> interval = mean_interval(np.array([3.0, 5.0, 4.0, np.nan]))
        >>> interval.mean, round(interval.half_width, 2), interval.n
        (4.0, 2.48, 3)
    """
    _check_level(level)
    values = _in_a_row(values)
    defined = values[~np.isnan(values)]
    n = int(defined.size)
    if n == 0:
        return Interval(math.nan, None, 0)
    mean = float(defined.mean())
    if n == 1:
        return Interval(mean, None, 1)
    half_width = student_t(n - 1, level) * deviation(defined) / math.sqrt(n)
    return Interval(mean, half_width, n)


def paired_difference(variant: NDArray[np.float64], baseline: NDArray[np.float64]) -> Difference:
    """The mean of `variant - baseline`, both of shape (n,), entry r from the same seed.

    Pairs with a NaN on either side are left out.

    Raises InputError for arrays of different lengths, and for values that are not in one row.

    Example:
        >>> import numpy as np
        >>> from weir.stats import paired_difference
        >>> found = paired_difference(np.array([3.0, 5.0, 4.0]), np.array([1.0, 2.9, 2.1]))
        >>> round(found.interval.mean, 2), round(found.correlation, 3), found.verdict()
        (2.0, 0.996, 'higher')
    """
    variant, baseline = _in_a_row(variant), _in_a_row(baseline)
    if variant.size != baseline.size:
        raise InputError(
            f"{variant.size} values cannot be paired with {baseline.size}",
            "give one of each seed on both sides, NaN where there is none",
        )
    defined = ~(np.isnan(variant) | np.isnan(baseline))
    a, b = variant[defined], baseline[defined]
    return Difference(mean_interval(a - b), _correlation(a, b))


@lru_cache(maxsize=64)
def student_t(degrees: int, confidence: float = CONFIDENCE) -> float:
    """Two-sided quantile of Student's t distribution.

    Raises InputError for no degree of freedom, and for a level that is not below one.

    Example:
        >>> from weir.stats import student_t
        >>> round(student_t(2), 3), round(student_t(9), 3), round(student_t(9, confidence=0.99), 3)
        (4.303, 2.262, 3.25)
    """
    if not degrees >= 1:
        said = f"Student's t distribution has no quantile for {degrees} degrees of freedom"
        raise InputError(said, "give one or more: of n values there are n - 1")
    _check_level(confidence)
    # scipy has it too, but takes longer to import than most commands take in all.
    return _core.student_t(degrees, confidence)


def _check_level(level: float) -> None:
    require(
        0.0 <= level < 1.0,
        f"an interval has no level of {level:g}",
        "give a share from 0 to below 1, such as 0.95",
    )


def _in_a_row(values: NDArray[np.float64]) -> NDArray[np.float64]:
    found = np.asarray(values, dtype=np.float64)
    require(
        found.ndim == 1,
        f"values of shape {found.shape} are not in one row",
        "give one value of each replication: an array of shape (n,)",
    )
    return found


def with_intervals(means: pl.DataFrame, quantile: Callable[[int], float]) -> pl.DataFrame:
    """The columns half_width, low and high of means from their mean, sd and n; null where n is one.

    `quantile`: of Student's t, for so many degrees of freedom.
    """
    quantiles = {n: quantile(n - 1) for n in means["n"].unique().to_list() if n > 1}
    factor = pl.col("n").replace_strict(quantiles, default=None, return_dtype=pl.Float64)
    found = means.with_columns(half_width=factor * pl.col("sd") / pl.col("n").sqrt())
    half_width = pl.col("half_width")
    return found.with_columns(low=pl.col("mean") - half_width, high=pl.col("mean") + half_width)


def _correlation(a: NDArray[np.float64], b: NDArray[np.float64]) -> float | None:
    # Two points always lie on a line: their correlation says nothing.
    if a.size < 3:
        return None
    x, y = a - a.mean(), b - b.mean()
    widest = np.abs(x).max(), np.abs(y).max()
    if 0.0 in widest or not np.isfinite(widest).all():
        return None
    # To a scale of one, so that squares neither vanish nor overflow.
    x, y = x / widest[0], y / widest[1]
    return float(np.clip(x @ y / math.sqrt((x @ x) * (y @ y)), -1.0, 1.0))
