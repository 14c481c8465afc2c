"""Utilities: the functions of the papers, and demands that are worth most."""

from __future__ import annotations

import math

import pytest
from drawn_networks import utilities
from hypothesis import example, given
from hypothesis import strategies as st

from weir.theory import TheoryError, Utility


def test_the_host_of_the_paper() -> None:
    # spec: a = 5625, prices from the marks .25, .575, .6875 give these rates.
    utility = Utility.log_one_plus(5625.0)
    prices = [-math.log1p(-mark) for mark in (0.25, 0.575, 0.6875)]
    assert prices == pytest.approx([0.287682, 0.855666, 1.163151], abs=1e-6)
    rates = [utility.demand(price) for price in prices]
    assert rates == pytest.approx([19551.83, 6572.83, 4835.00], abs=0.01)
    assert [rate * 21 / 5625 for rate in rates] == pytest.approx([72.99, 24.54, 18.05], abs=0.005)


def test_demands_by_hand() -> None:
    assert Utility.log_one_plus(100.0).demand(4.0) == pytest.approx(24.0)
    assert Utility.log(100.0).demand(4.0) == pytest.approx(25.0)
    assert Utility.fair(100.0, 2.0).demand(4.0) == pytest.approx(5.0)
    assert Utility.log(100.0).demand(4.0, least=30.0) == 30.0
    assert Utility.log(100.0).demand(4.0, greatest=20.0) == 20.0
    assert Utility.log(100.0).demand(0.0, greatest=20.0) == 20.0


@given(utility=utilities(100.0), price=st.floats(0.01, 100.0), other=st.floats(0.0, 1.0))
def test_no_rate_within_the_bounds_is_worth_more(utility: Utility, price: float, other: float) -> None:
    least, greatest = 10.0, 400.0
    rate = utility.demand(price, least, greatest)
    rival = least + other * (greatest - least)
    profit = utility.value(rate) - price * rate
    assert profit >= utility.value(rival) - price * rival - 1e-9 * abs(profit)


@given(utility=utilities(100.0), x=st.floats(1.0, 1000.0))
@example(utility=Utility.fair(100.0, 1.0 + 2.3e-16), x=1.0)
@example(utility=Utility.fair(100.0, 1.0 - 2e-6), x=1000.0)
def test_derivatives_are_those_of_the_value(utility: Utility, x: float) -> None:
    h = 1e-4 * x
    difference = (utility.value(x + h) - utility.value(x - h)) / (2 * h)
    assert utility.marginal(x) == pytest.approx(difference, rel=1e-4)
    fall = (utility.marginal(x - h) - utility.marginal(x + h)) / (2 * h)
    assert utility.slope(x) == pytest.approx(1.0 / fall, rel=1e-4)


@pytest.mark.parametrize("weight", [0.0, -1.0, math.nan, math.inf])
def test_a_weight_is_above_zero(weight: float) -> None:
    with pytest.raises(TheoryError, match="weight"):
        Utility.log(weight)
    with pytest.raises(TheoryError, match="fairness"):
        Utility.fair(1.0, weight)
