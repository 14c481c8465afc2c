"""Findings: what intervals allow to say, and how often they say it wrongly."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from weir_papers.claims import (
    ABOVE_ZERO,
    DEPENDS,
    REPRODUCED,
    Claim,
    Finding,
    Judgement,
    Part,
    Range,
    about,
    at_least,
    at_most,
    grouped,
    in_words,
)
from weir_papers.data import Sample, Study
from weir_papers.quantities import Level, Of, steps

NOTHING = Study({})


def judged(
    values: list[list[float]] | np.ndarray,
    expected: Range,
    exceptions: int = 0,
    published: float | None = None,
) -> Judgement:
    """A claim with a check for each row of values."""
    samples = [Sample(f"place {i}", float(i), np.array(row, dtype=float)) for i, row in enumerate(values)]
    part = Part(Of("something", "packets", lambda _: samples), expected, published)
    return Claim("X-1", "It is so.", "section 1", (part,), exceptions).judge(NOTHING)


def verdict(values: list[list[float]] | np.ndarray, expected: Range, exceptions: int = 0) -> Finding:
    return judged(values, expected, exceptions).verdict


@pytest.mark.parametrize(
    ("values", "expected", "said"),
    [
        ([10.0, 10.1, 9.9, 10.0], about(10.0, 0.5), "holds"),
        ([10.0, 10.1, 9.9, 10.0], about(11.0, 0.5), "does not hold"),
        ([10.0, 10.1, 9.9, 10.0], at_least(10.0), "undecided"),
        ([9.0, 11.0, 8.0, 12.0], about(10.0, 0.5), "undecided"),
        ([0.0, 0.0, 0.0], at_most(0.0), "holds"),
        ([1.0, 1.0, 1.0], at_most(0.0), "does not hold"),
        ([10.0], about(10.0, 5.0), "undecided"),
        ([math.nan, math.nan], about(10.0, 5.0), "undecided"),
        ([10.0, math.nan, 10.1, 9.9], about(10.0, 1.0), "holds"),
    ],
)
def test_one_check(values: list[float], expected: Range, said: Finding) -> None:
    assert verdict([values], expected) == said


def test_all_checks_have_to_hold() -> None:
    good, bad, open_ = [10.0, 10.1, 9.9], [20.0, 20.1, 19.9], [10.0, 20.0, 15.0]
    expected = about(10.0, 1.0)
    assert verdict([good, good], expected) == "holds"
    assert verdict([good, bad], expected) == "does not hold"
    assert verdict([good, open_], expected) == "undecided"
    assert verdict([good, bad, open_], expected) == "does not hold"


def test_exceptions_are_allowed_for() -> None:
    good, bad, open_ = [10.0, 10.1, 9.9], [20.0, 20.1, 19.9], [10.0, 20.0, 15.0]
    expected = about(10.0, 1.0)
    assert verdict([good, good, bad], expected, exceptions=1) == "holds"
    assert verdict([good, bad, bad], expected, exceptions=1) == "does not hold"
    assert verdict([good, bad, open_], expected, exceptions=1) == "undecided"


def test_the_decisive_check_is_the_first_that_may_not_be_missed() -> None:
    good, nearly, bad = [10.0, 10.1, 9.9], [10.7, 10.8, 10.9], [20.0, 20.1, 19.9]
    assert judged([good, bad, nearly], about(10.0, 1.0)).decisive.place == "place 1"
    assert judged([good, bad, nearly], about(10.0, 1.0), exceptions=1).decisive.place == "place 2"
    assert judged([good, nearly], about(10.0, 1.0)).decisive.place == "place 1"


finite = st.floats(-1e6, 1e6, allow_nan=False)


@given(st.lists(finite, min_size=2, max_size=12), finite, st.floats(0.0, 1e6))
def test_a_check_that_holds_has_its_mean_in_the_range(
    values: list[float], middle: float, width: float
) -> None:
    one = judged([values], Range(middle - width, middle + width))
    inside = middle - width <= one.decisive.value <= middle + width
    assert inside or one.verdict != "holds"
    assert not inside or one.verdict != "does not hold"


@given(st.lists(st.lists(finite, min_size=2, max_size=6), min_size=1, max_size=6), st.integers(0, 5), finite)
def test_more_exceptions_never_make_a_verdict_worse(
    values: list[list[float]], exceptions: int, low: float
) -> None:
    order: list[Finding] = ["does not hold", "undecided", "holds"]
    strict = verdict(values, at_least(low), exceptions)
    assert order.index(verdict(values, at_least(low), exceptions + 1)) >= order.index(strict)


Share = Callable[[Finding, list[float], Range], float]


@pytest.fixture(params=[500, pytest.param(4000, marks=pytest.mark.soak)])
def share(request: pytest.FixtureRequest) -> Share:
    """Shares of verdicts in studies with six independent normal replications about given means."""
    trials: int = request.param

    def of(said: Finding, means: list[float], expected: Range) -> float:
        generator = np.random.default_rng(1)
        draws = generator.normal(np.array(means)[:, None], 1.0, size=(trials, len(means), 6))
        return sum(verdict(study, expected) == said for study in draws) / trials

    return of


def test_what_does_not_hold_is_hardly_ever_called_so_wrongly(share: Share) -> None:
    # Twenty means, all on the border: each is refuted wrongly in 2.5% / 20 of the studies. Without the
    # widening, 40% of the studies would refute one of them.
    assert share("does not hold", [0.0] * 20, at_least(0.0)) < 0.05


def test_what_does_not_hold_is_hardly_ever_said_to_hold(share: Share) -> None:
    assert share("holds", [0.0], at_least(0.0)) < 0.05
    assert share("holds", [0.0, 9.0, 9.0], at_least(0.0)) < 0.05


def test_what_is_clear_is_said(share: Share) -> None:
    assert share("holds", [3.0] * 5, at_least(0.0)) > 0.95
    assert share("does not hold", [9.0, 9.0, -6.0], at_least(0.0)) > 0.95


def test_json_has_what_machines_ask_for() -> None:
    one = judged([[10.0, 10.2], [20.0, 20.2]], about(10.0, 1.0), published=10.5).to_json("a-paper")
    assert {"paper", "id", "verdict", "value", "interval", "expected"} <= one.keys()
    assert one["paper"] == "a-paper"
    assert one["id"] == "X-1"
    assert one["value"] == pytest.approx(20.1)
    low, high = one["interval"]
    assert low < one["value"] < high
    assert one["range"] == [9.0, 11.0]
    assert one["published"] == 10.5
    assert [check["verdict"] for check in one["checks"]] == ["undecided", "does not hold"]


@dataclass(frozen=True)
class Said:
    expected: Range
    text: str


@pytest.mark.parametrize(
    "one",
    [
        Said(about(18.7, 1.5), "17.2 to 20.2 packets"),
        Said(at_least(0.995), "at least 0.995 packets"),
        Said(at_most(4.0), "at most 4 packets"),
        Said(Range(0.0, 0.0), "0 packets"),
    ],
)
def test_ranges_in_words(one: Said) -> None:
    assert one.expected.text("packets") == one.text


def test_what_became_of_a_claim_depends_on_all_readings() -> None:
    holds, fails, open_ = (judged([values], at_least(0.0)) for values in ([1.0, 1.1], [-9.0, -9.1], [0.1]))
    assert grouped(holds, []) == "reproduced"
    assert grouped(holds, [True, False]) == "reproduced"
    assert grouped(holds, [True, False, False]) == "depends on what the paper does not say"
    assert grouped(fails, [True, False]) == "depends on what the paper does not say"
    assert grouped(fails, [False]) == "contradicted"
    assert grouped(open_, []) == "undecided"
    ours = replace(holds, claim=replace(holds.claim, ours=True))
    assert grouped(ours, [False]) == "ours"


def test_groups_in_words() -> None:
    assert in_words({REPRODUCED: 2, DEPENDS: 8}) == "2 reproduced, 8 depend on what the paper does not say"
    assert in_words({DEPENDS: 1}) == "1 depends on what the paper does not say"
    assert in_words({DEPENDS: 21}) == "21 depend on what the paper does not say"


def test_a_comparison_without_a_number_has_a_margin() -> None:
    """The smallest difference that would matter; a range with numbers is what it says."""
    difference = Level("x", "a", "jain") - Level("x", "b", "jain")
    assert difference.relevant == 0.005
    assert Part(difference, ABOVE_ZERO).margin == 0.005
    assert Part(difference, Range(-0.1, 0.1)).margin == 0.0
    assert Part(Level("x", "a", "jain"), at_least(0.99)).margin == 0.0
    assert (Level("x", "a", "mean_queue") / Level("x", "b", "mean_queue")).relevant == 0.0
    assert steps(Level("x", "a", "goodput")).relevant == 0.5
