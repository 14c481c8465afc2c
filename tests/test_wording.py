from __future__ import annotations

from typing import Any

import polars as pl
import pytest

from weir.stats import wording
from weir.stats._analysis import PeriodAxis


def row(**changes: float | str | None) -> dict[str, Any]:
    return {
        "label": "REM",
        "variant": "rem",
        "measure": "goodput",
        "period": -1,
        "difference": 1.5,
        "half_width": 0.25,
        "n": 10,
        "correlation": None,
        "verdict": "higher",
        **changes,
    }


@pytest.mark.parametrize(
    ("value", "text"), [(1.25, "1.2"), (-0.04, "0.0"), (-3.0, "-3.0"), (None, "–"), (float("nan"), "–")]
)
def test_numbers(value: float | None, text: str) -> None:
    assert wording.number(value, 1) == text


@pytest.mark.parametrize(("half_width", "text"), [(None, ""), (0.3, "±0.3"), (0.001, "±<0.1"), (0.0, "±0.0")])
def test_an_interval_never_looks_like_none(half_width: float | None, text: str) -> None:
    assert wording.plus_minus(half_width, 1) == text


def test_differences_in_words() -> None:
    assert wording.difference(row()) == "goodput higher by 1.50±0.25 points"
    lower = row(difference=-1.5, verdict="lower")
    assert wording.difference(lower, "r 0.50") == "goodput lower by 1.50±0.25 points (r 0.50)"
    unclear = row(difference=-0.1, verdict="no difference shown")
    assert wording.difference(unclear) == "goodput: no difference shown (-0.10±0.25 points)"
    equal = row(difference=0.1, verdict="equal", measure="mean_queue", margin=2.0)
    assert wording.difference(equal) == "mean queue: equal within 2 packets (0.1±0.2 packets)"
    once = row(half_width=None, n=1, verdict="one replication")
    assert wording.difference(once) == "goodput higher by 1.50 points in the only pair"
    same = row(half_width=None, n=1, difference=0.0, verdict="one replication")
    assert wording.difference(same) == "goodput the same in the only pair"
    always = row(half_width=0.0, difference=0.0, verdict="no difference shown")
    assert wording.difference(always) == "goodput the same in every pair"
    tiny = row(difference=-0.001, half_width=0.0, verdict="lower")
    assert wording.difference(tiny) == "goodput lower by <0.01±0.00 points"
    assert wording.difference(row(n=0, difference=float("nan"))) == "goodput not defined"


def test_a_comparison_counts_the_periods_that_agree() -> None:
    periods = [row(period=0), row(period=1), row(period=2, verdict="no difference shown")]
    frame = pl.DataFrame([row(correlation=0.5), *periods])
    users = PeriodAxis("users", "Number of users")
    assert wording.comparison(frame, users) == {
        "REM": ["goodput higher by 1.50±0.25 points (at 2 of 3 numbers of users; r 0.50)"]
    }
    assert wording.comparison(frame.head(3), PeriodAxis("from_s", "Start (s)")) == {
        "REM": ["goodput higher by 1.50±0.25 points (at all 2 periods; r 0.50)"]
    }
    assert wording.comparison(frame.head(1), None) == {"REM": ["goodput higher by 1.50±0.25 points (r 0.50)"]}
