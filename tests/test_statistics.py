from __future__ import annotations

import math
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import stats as untyped_stats  # pyright: ignore[reportMissingTypeStubs]

from weir.stats._intervals import (
    Difference,
    Interval,
    deviation_of,
    mean_interval,
    paired_difference,
    student_t,
)

stats: Any = untyped_stats
Values = NDArray[np.float64]

numbers = st.floats(-1e6, 1e6, allow_nan=False)
samples = st.lists(numbers, min_size=2, max_size=30).map(np.array)
pairs = st.integers(2, 20).flatmap(
    lambda n: st.tuples(*[st.lists(numbers, min_size=n, max_size=n).map(np.array) for _ in range(2)])
)


def array(*values: float) -> Values:
    return np.array(values, dtype=np.float64)


def test_interval_by_hand() -> None:
    # Mean 3, standard deviation sqrt(2.5), t(4) = 2.7764: 2.7764 sqrt(2.5 / 5) = 1.9632.
    interval = mean_interval(array(1, 2, 3, 4, 5))
    assert interval.mean == 3
    assert interval.n == 5
    assert interval.half_width == pytest.approx(1.96324, abs=1e-5)
    assert interval.low == pytest.approx(3 - 1.96324, abs=1e-5)
    assert interval.high == pytest.approx(3 + 1.96324, abs=1e-5)


@pytest.mark.parametrize(("degrees", "quantile"), [(1, 12.7062), (2, 4.3027), (9, 2.2622), (30, 2.0423)])
def test_student_quantiles_of_the_tables(degrees: int, quantile: float) -> None:
    assert student_t(degrees) == pytest.approx(quantile, abs=5e-5)


@pytest.mark.parametrize("confidence", [0.9, 0.95, 0.995, 0.9995])
def test_student_quantiles_are_scipys(confidence: float) -> None:
    for degrees in (1, 2, 3, 5, 9, 19, 99, 999, 9999):
        expected = float(stats.t.ppf(0.5 + 0.5 * confidence, degrees))
        assert student_t(degrees, confidence) == pytest.approx(expected, rel=1e-11)


@given(samples)
def test_interval_is_scipys(values: Values) -> None:
    assume(np.ptp(values) > 1e-6)
    interval = mean_interval(values)
    low, high = stats.t.interval(
        0.95, len(values) - 1, loc=float(values.mean()), scale=float(stats.sem(values))
    )
    assert interval.low == pytest.approx(low, rel=1e-9, abs=1e-6)
    assert interval.high == pytest.approx(high, rel=1e-9, abs=1e-6)


def test_one_value_has_no_interval() -> None:
    interval = mean_interval(array(4.2))
    assert interval == Interval(4.2, None, 1)
    assert interval.low is None
    assert interval.high is None
    assert not interval.contains(4.2)


@pytest.mark.parametrize("value", [0.1, 54.123456789, 1 / 3])
@pytest.mark.parametrize("number", range(2, 12))
def test_equal_values_have_an_interval_of_exactly_zero(value: float, number: int) -> None:
    """The mean is rounded: 20% of such samples had one of 1e-17, which shows as "less than 0.01"."""
    values = np.full(number, value)
    assert mean_interval(values).half_width == 0.0
    assert pl.select(deviation_of(pl.lit(pl.Series(values)))).item() == 0.0
    assert pl.select(deviation_of(pl.lit(pl.Series(values[:1])))).item() is None


def test_undefined_values_are_left_out() -> None:
    assert mean_interval(array(1, math.nan, 3)).n == 2
    nothing = mean_interval(array(math.nan))
    assert nothing.n == 0
    assert math.isnan(nothing.mean)
    assert nothing.half_width is None


def test_pairs_by_hand() -> None:
    # Differences 1, 2, 3: mean 2, t(2) / sqrt(3) = 2.4842.
    difference = paired_difference(array(11, 22, 33), array(10, 20, 30))
    assert difference.interval.mean == 2
    assert difference.interval.half_width == pytest.approx(2.48414, abs=1e-5)
    assert difference.correlation == pytest.approx(1.0)


def test_a_common_disturbance_leaves_the_difference() -> None:
    generator = np.random.default_rng(1)
    common = generator.normal(0, 100, 20)
    variant = common + 1 + generator.normal(0, 0.1, 20)
    baseline = common + generator.normal(0, 0.1, 20)
    difference = paired_difference(variant, baseline)
    assert difference.verdict() == "higher"
    assert difference.correlation is not None
    assert difference.correlation > 0.99
    half_width = difference.interval.half_width
    assert half_width is not None
    assert half_width < 0.01 * (mean_interval(variant).half_width or 0)


@given(pairs)
def test_a_paired_difference_is_the_interval_of_the_differences(both: tuple[Values, Values]) -> None:
    a, b = both
    assert paired_difference(a, b).interval == mean_interval(a - b)


@given(pairs)
def test_exchanging_the_sides_changes_the_sign(both: tuple[Values, Values]) -> None:
    a, b = both
    there, back = paired_difference(a, b), paired_difference(b, a)
    assert there.interval.mean == pytest.approx(-back.interval.mean)
    opposite = {"higher": "lower", "lower": "higher"}
    assert there.verdict() == opposite.get(back.verdict(), back.verdict())


def test_pairs_with_an_undefined_side_are_left_out() -> None:
    difference = paired_difference(array(1, math.nan, 3, 5), array(0, 1, math.nan, 3))
    assert difference.interval.n == 2
    assert difference.interval.mean == 1.5


def test_unequal_numbers_of_replications_cannot_be_paired() -> None:
    with pytest.raises(ValueError, match="3 values cannot be paired with 2"):
        paired_difference(array(1, 2, 3), array(1, 2))


@pytest.mark.parametrize(
    ("a", "b"),
    [((1, 2), (2, 1)), ((1, 2, 3), (5, 5, 5)), ((4, 4, 4), (1, 2, 3))],
    ids=["two pairs", "constant baseline", "constant variant"],
)
def test_no_correlation_where_it_says_nothing(a: tuple[float, ...], b: tuple[float, ...]) -> None:
    assert paired_difference(array(*a), array(*b)).correlation is None


@pytest.mark.parametrize(
    ("mean", "half_width", "margin", "verdict"),
    [
        (2.0, 1.0, None, "higher"),
        (-2.0, 1.0, None, "lower"),
        (0.5, 1.0, None, "no difference shown"),
        (1.0, 1.0, None, "no difference shown"),
        (0.5, 1.0, 1.0, "no difference shown"),
        (0.5, 0.2, 1.0, "equal"),
        (0.0, 0.2, 1.0, "equal"),
        (2.0, 0.2, 1.0, "higher"),
        (9.0, None, None, "one replication"),
        (0.0, None, 1.0, "one replication"),
    ],
)
def test_what_an_interval_allows_to_say(
    mean: float, half_width: float | None, margin: float | None, verdict: str
) -> None:
    assert Difference(Interval(mean, half_width, 5), None).verdict(margin) == verdict


def test_a_difference_without_a_pair_is_not_defined() -> None:
    nothing = np.array([np.nan, np.nan])
    assert paired_difference(nothing, np.array([1.0, 2.0])).verdict() == "not defined"


def test_the_interval_covers_the_mean_as_often_as_it_says() -> None:
    generator = np.random.default_rng(2026)
    draws = generator.normal(10, 3, size=(4000, 5))
    covered = np.mean([mean_interval(row).contains(10.0) for row in draws])
    # Four standard errors of a proportion of 0.95 among 4000.
    assert covered == pytest.approx(0.95, abs=4 * math.sqrt(0.95 * 0.05 / 4000))
