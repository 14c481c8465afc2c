"""Findings: what intervals allow to say, and how often they say it wrongly."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from judging import EVEN, HIGH, LOW, NOTHING, WIDE, judged, rows, verdict

from weir_papers.claims import Claim, Judgement, Part, trend
from weir_papers.data import Sample
from weir_papers.expected import (
    LESS,
    MORE,
    NEVER_LESS,
    Expected,
    Finding,
    Range,
    Sign,
    about,
    at_least,
    at_most,
)
from weir_papers.pages import said
from weir_papers.quantifiers import Quantifier, required
from weir_papers.quantities import Level, Of, ends, steps
from weir_papers.registry import KEYS, paper


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


@pytest.mark.parametrize(
    ("values", "of_more", "of_less"),
    [
        # Half a packet is the smallest difference that would matter.
        ([2.0, 2.1, 1.9], "holds", "does not hold"),
        ([0.4, 0.6, 0.5, 0.5], "holds", "does not hold"),
        ([0.2, 0.3, 0.25], "tie", "tie"),
        ([-0.2, 0.3, 0.1], "undecided", "undecided"),
        ([0.0, 0.0, 0.0], "tie", "tie"),
        ([-5.0, 9.0, 1.0], "undecided", "undecided"),
        ([7.0], "undecided", "undecided"),
    ],
)
def test_a_comparison_is_judged_both_ways(values: list[float], of_more: Finding, of_less: Finding) -> None:
    """A sign has to be shown; one against the claim refutes it, and what does not matter is a tie."""
    assert verdict([values], MORE) == of_more
    assert verdict([values], LESS) == of_less
    turned = [-value for value in values]
    assert (verdict([turned], LESS), verdict([turned], MORE)) == (of_more, of_less)


def test_a_trend_grows_from_end_to_end_and_no_step_goes_back() -> None:
    def of(places: list[list[float]], expected: Sign = MORE) -> Finding:
        parts = trend(expected, [rows(places)])
        return Claim("X-1", "It grows.", "section 1", tuple(parts)).judge(NOTHING).verdict

    noise = [-0.1, 0.0, 0.1]
    grows, flat, back = ([[at + e for e in noise] for at in one] for one in ([1, 2, 5], [3, 3, 3], [1, 7, 4]))
    assert of(grows) == "holds"
    assert of(grows[::-1]) == "does not hold"
    assert of(grows[::-1], LESS) == "holds"
    # The steps of what is flat are none that go back: the growth from end to end is what is missing.
    assert of(flat) == "tie"
    assert of(flat, LESS) == "tie"
    # More at the end than at the beginning, and a step that falls.
    assert of(back) == "does not hold"


def test_steps_alone_are_no_claim() -> None:
    with pytest.raises(ValueError, match="growth from end to end"):
        Claim("X-1", "It grows.", "section 1", (Part(steps(rows([[1.0], [2.0]])), NEVER_LESS),))
    assert ends(rows([[1.0], [4.0], [9.0]])).samples(NOTHING)[0].values == [8.0]


@pytest.mark.parametrize(
    ("values", "in_all", "in_most", "in_some"),
    [
        ([HIGH, HIGH, HIGH], "holds", "holds", "holds"),
        ([HIGH, HIGH, EVEN], "tie", "holds", "holds"),
        ([HIGH, HIGH, LOW], "does not hold", "holds", "holds"),
        ([HIGH, EVEN, EVEN], "tie", "tie", "holds"),
        ([HIGH, LOW, LOW], "does not hold", "does not hold", "holds"),
        ([HIGH, WIDE, WIDE], "undecided", "undecided", "holds"),
        ([EVEN, EVEN, LOW], "does not hold", "tie", "tie"),
        ([EVEN, WIDE, WIDE], "undecided", "undecided", "undecided"),
        ([LOW, LOW, LOW], "does not hold", "does not hold", "does not hold"),
    ],
)
def test_words_say_in_how_many_checks_a_claim_holds(
    values: list[list[float]], in_all: Finding, in_most: Finding, in_some: Finding
) -> None:
    assert verdict(values, MORE) == in_all
    assert verdict(values, MORE, holds_in="most") == in_most
    assert verdict(values, MORE, holds_in="some") == in_some
    assert verdict(values, MORE, holds_in="there is a setting") == in_some


def test_one_of_many_checks_needs_the_wider_interval() -> None:
    """Alone it holds; as one of twenty chances it may be luck."""
    narrow = [2.0, 3.0, 5.0, 3.0]
    assert verdict([narrow], MORE) == "holds"
    assert verdict([narrow], MORE, holds_in="some") == "holds"
    many = [narrow, *([WIDE] * 19)]
    assert judged(many, MORE).checks[0].verdict == "holds"
    assert verdict(many, MORE, holds_in="some") == "undecided"


def test_exceptions_belong_to_all() -> None:
    with pytest.raises(ValueError, match="exceptions"):
        judged([HIGH], MORE, exceptions=1, holds_in="most")


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


Share = Callable[[Finding, list[float], Expected], float]


@pytest.fixture(params=[500, pytest.param(4000, marks=pytest.mark.soak)])
def share(request: pytest.FixtureRequest) -> Share:
    """Shares of verdicts in studies with six independent normal replications about given means."""
    trials: int = request.param

    def of(said: Finding, means: list[float], expected: Expected) -> float:
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


def test_what_is_the_same_everywhere_is_hardly_ever_said_to_differ(share: Share) -> None:
    """A difference of nothing shows each sign in 2.5% of the studies; many of them, in hardly any."""
    assert share("holds", [0.0], MORE) < 0.05
    assert share("does not hold", [0.0], MORE) < 0.05
    assert share("holds", [0.0] * 3, MORE) == 0.0
    assert share("does not hold", [0.0] * 20, MORE) < 0.05


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
    expected: Expected
    text: str


@pytest.mark.parametrize(
    "one",
    [
        Said(about(18.7, 1.5), "17.2 to 20.2 packets"),
        Said(at_least(0.995), "at least 0.995 packets"),
        Said(at_most(4.0), "at most 4 packets"),
        Said(Range(0.0, 0.0), "0 packets"),
        Said(MORE, "above 0 packets, tie within 0.5"),
        Said(LESS, "below 0 packets, tie within 0.5"),
        Said(NEVER_LESS, "not shown below 0 packets, tie within 0.5"),
    ],
)
def test_ranges_in_words(one: Said) -> None:
    assert one.expected.text("packets", 0.5) == one.text


def test_what_is_computed_has_no_interval_beyond_its_value() -> None:
    def of(value: float) -> Judgement:
        sample = Sample("place", 1.0, np.array([value]), exact=True)
        quantity = Of("something", "points", lambda _: [sample])
        return Claim("X-1", "It is so.", "section 1", (Part(quantity, MORE),)).judge(NOTHING)

    assert (of(0.1).verdict, of(-0.1).verdict) == ("holds", "does not hold")
    assert of(0.1).checks[0].interval == (0.1, 0.1)
    assert said(of(0.1).checks[0]) == "0.1000 points"
    # One run of many that are possible says nothing.
    assert verdict([[0.1]], MORE) == "undecided"


@pytest.mark.parametrize(
    ("holds_in", "exceptions", "words", "said"),
    [
        ("all", 0, "", "all of its checks have to hold"),
        ("all", 2, "", "all of its checks but 2 have to hold"),
        (
            "most",
            0,
            "in general",
            'more than half of its checks have to hold, as the paper says "in general"',
        ),
        ("some", 0, "may", 'one of its checks has to hold, as the paper says "may"'),
        ("there is a setting", 0, "", "one of its checks has to hold, here or in another reading"),
    ],
)
def test_what_has_to_hold_in_words(holds_in: Quantifier, exceptions: int, words: str, said: str) -> None:
    assert required(holds_in, exceptions, words) == said


LIKE = {
    "rem-2001": {"P-14", "P-7a", "P-15a", "P-18", "P-6", "P-4b", "P-11", "A-0.2b", "A-0.6c"},
    "ofc-1999": set[str](),
    "operating-point-2002": {"P-2", "P-7", "A-2.3a", "A-2.3b", "A-2.3c", "A-2.7c"},
    "hred-2003": {"A-3.6"},
    "nlred-comparison-2013": set[str](),
}
"""Claims that say likeness, constancy or "not higher": a difference of nothing is what they expect."""


@pytest.mark.parametrize("key", KEYS)
def test_a_difference_of_nothing_shows_likeness_alone(key: str) -> None:
    """No other comparison of a paper has a range with zero in it."""
    even = {
        claim.id
        for claim in paper(key).claims
        for part in claim.parts
        if part.quantity.relevant > 0.0
        and isinstance(part.expected, Range)
        and part.expected.low <= 0.0 <= part.expected.high
    }
    assert even == LIKE[key]


def test_the_smallest_difference_that_matters() -> None:
    difference = Level("x", "a", "jain") - Level("x", "b", "jain")
    assert difference.relevant == 0.005
    assert (Level("x", "a", "mean_queue") / Level("x", "b", "mean_queue")).relevant == 0.0
    assert steps(Level("x", "a", "goodput")).relevant == 0.5
    assert ends(Level("x", "a", "goodput")).relevant == 0.5
