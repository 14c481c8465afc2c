"""Stopping when a mean is known precisely enough, without fooling oneself."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from weir.stats._intervals import mean_interval, student_t
from weir.stats._measures import MEASURES
from weir.sweep._until import Rule, RuleError, Sequential, planned_looks

Values = NDArray[np.float64]


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("goodput ±0.5%", Rule("goodput", 0.5, relative=True)),
        ("goodput +-0.5 %", Rule("goodput", 0.5, relative=True)),
        ("goodput+/-.5%", Rule("goodput", 0.5, relative=True)),
        ("goodput ±0.3 points", Rule("goodput", 0.3, relative=False)),
        ("mean-queue ±2 packets", Rule("mean_queue", 2.0, relative=False)),
        ("mean_queue ±1 packet", Rule("mean_queue", 1.0, relative=False)),
        ("delay-p99 ± 1e-1 ms", Rule("delay_p99", 0.1, relative=False)),
        ("jain ±0.01", Rule("jain", 0.01, relative=False)),
        ("jain ±1%", Rule("jain", 1.0, relative=True)),
    ],
)
def test_rules_as_people_write_them(text: str, rule: Rule) -> None:
    assert Rule.parse(text) == rule


@given(st.sampled_from(sorted(MEASURES)), st.floats(1e-9, 1e9), st.booleans())
def test_a_rule_reads_what_it_writes(measure: str, precision: float, relative: bool) -> None:  # noqa: FBT001
    rule = Rule(measure, precision, relative)
    assert Rule.parse(str(rule)) == rule


@pytest.mark.parametrize(
    ("text", "message", "hint"),
    [
        ("goodput", "is not a rule", "goodput ±0.5%"),
        ("goodput 0.5%", "is not a rule", "goodput ±0.5%"),
        ("godput ±1%", 'there is no measure "godput"', "did you mean 'goodput'"),
        ("fairness ±1%", "there is no measure", "did you mean 'jain'"),
        ("goodput ±", "states no precision", "write for example"),
        ("goodput ±x%", "states no precision", "write for example"),
        ("goodput ±0,5%", "states no precision", "write for example"),
        ("goodput ±0%", "not above zero", None),
        ("goodput ±-1%", "not above zero", None),
        ("goodput ±0.5", "a unit is missing", "±0.5% of the mean, or ±0.5 points"),
        ("mean_queue ±2", "a unit is missing", "±2% of the mean, or ±2 packets"),
        ("mean_queue ±2 ms", '"ms" is not a unit of mean_queue', "or ±2 packets"),
        ("delay_p99 ±1 s", '"s" is not a unit of delay_p99', "or ±1 ms"),
        ("jain ±1 points", '"points" is not a unit of jain', "±1% of the mean, or ±1"),
    ],
)
def test_mistakes_are_named(text: str, message: str, hint: str | None) -> None:
    with pytest.raises(RuleError) as error:
        Rule.parse(text)
    assert message in error.value.message
    assert (error.value.hint is None) == (hint is None)
    assert hint is None or hint in str(error.value.hint)


def test_looks_grow_by_about_the_square_root_of_two() -> None:
    assert planned_looks(100) == (5, 7, 10, 14, 20, 28, 40, 56, 80, 100)
    assert planned_looks(28) == (5, 7, 10, 14, 20, 28)
    assert planned_looks(30) == (5, 7, 10, 14, 20, 30)
    assert planned_looks(5) == (5,)
    assert planned_looks(3) == (3,)
    with pytest.raises(RuleError, match="two replications or more"):
        planned_looks(1)


@given(st.integers(2, 100_000))
def test_looks_end_at_the_maximum_without_one_just_before(maximum: int) -> None:
    found = planned_looks(maximum)
    assert found[-1] == maximum
    assert all(late >= 1.2 * early for early, late in pairwise(found))
    assert all(late <= 2.0 * early for early, late in pairwise(found))
    assert found[0] <= 8


@given(st.integers(2, 1000), st.integers(0, 1200))
def test_the_next_target_is_a_look_ahead(maximum: int, n: int) -> None:
    sequential = Sequential((), maximum)
    target = sequential.next_target(n)
    assert target in sequential.looks
    assert target > n or target == maximum


def test_the_shares_of_the_looks_are_five_per_cent_together() -> None:
    sequential = Sequential((), 100)
    assert (1.0 - sequential.level) * len(sequential.looks) == pytest.approx(0.05)
    # Where there is a single look, it is the usual interval.
    values = np.array([1.0, 2.0, 4.0])
    single = Sequential((), 3)
    assert single.interval(values, 3).half_width == pytest.approx(mean_interval(values).half_width)


@given(st.lists(st.floats(-1e3, 1e3), min_size=5, max_size=5).map(np.array))
def test_the_interval_of_a_look_is_wider_than_the_usual_one(values: Values) -> None:
    ours, usual = Sequential((), 100).interval(values, 5), mean_interval(values)
    assert ours.mean == usual.mean
    assert ours.half_width is not None
    assert usual.half_width is not None
    assert ours.half_width == pytest.approx(usual.half_width * student_t(4, 0.995) / student_t(4))


def rules(*texts: str) -> tuple[Rule, ...]:
    return tuple(Rule.parse(text) for text in texts)


def test_all_rules_must_hold() -> None:
    calm, wild = np.tile([99.0, 101.0], 50), np.tile([1.0, 199.0], 50)
    both = Sequential(rules("goodput ±5%", "mean_queue ±5 packets"), 100)
    assert both.done({"goodput": calm, "mean_queue": calm}, 5)
    assert not both.done({"goodput": calm, "mean_queue": wild}, 5)
    assert not both.done({"goodput": wild, "mean_queue": calm}, 80)
    assert both.done({"goodput": wild, "mean_queue": wild}, 100)


def test_nothing_stops_before_the_first_look_or_between_looks() -> None:
    sequential = Sequential(rules("jain ±0.1"), 100)
    same = {"jain": np.ones(100)}
    assert not sequential.done(same, 4)
    assert sequential.done(same, 5)
    # Wide at five and seven, narrow from the eighth on: decided at ten, and stays so.
    late = {"jain": np.concatenate([[0.0, 2.0, 0.0, 2.0, 0.0, 2.0, 1.0], np.ones(93)])}
    assert sequential.stopped_at(late, 9) is None
    found = sequential.stopped_at(late, 100)
    assert found is not None
    assert sequential.state(late, found) <= 1.0
    assert sequential.stopped_at(late, 100) == sequential.stopped_at(late, found)


def test_no_spread_is_precise_and_an_undefined_value_is_not() -> None:
    sequential = Sequential(rules("goodput ±1%"), 20)
    assert sequential.done({"goodput": np.full(5, 90.0)}, 5)
    # Nothing lost so far: that is no precise loss.
    assert not sequential.done({"goodput": np.zeros(5)}, 5)
    assert Sequential(rules("loss ±1 points"), 20).done({"loss": np.zeros(5)}, 5)
    assert sequential.state({"goodput": np.full(5, 90.0)}, 5) == 0.0
    for undefined in ([math.nan] * 20, [1.0] * 4 + [math.nan] + [1.0] * 15):
        observed = {"goodput": np.array(undefined)}
        assert not sequential.done(observed, 14)
        assert sequential.state(observed, 14) == math.inf
        assert sequential.done(observed, 20)
    # A mean of zero that varies is never known to one per cent of itself.
    assert not sequential.done({"goodput": np.tile([-1.0, 1.0], 10)}, 14)


def test_values_that_have_not_come_in_are_not_precise() -> None:
    sequential = Sequential(rules("jain ±0.1"), 20)
    assert not sequential.done({"jain": np.ones(4)}, 7)


@given(st.lists(st.floats(0.1, 10), min_size=40, max_size=40).map(np.array), st.floats(0.01, 1.0))
def test_a_looser_rule_stops_no_later(values: Values, precision: float) -> None:
    tight, loose = (
        Sequential((Rule("jain", p, relative=False),), 40).stopped_at({"jain": values}, 40)
        for p in (precision, 2.0 * precision)
    )
    assert tight is not None
    assert loose is not None
    assert loose <= tight


@given(st.lists(st.floats(0.1, 10), min_size=40, max_size=40).map(np.array), st.floats(1.0, 100.0))
def test_stopping_at_a_look_is_final_and_needs_only_what_was_seen(values: Values, percent: float) -> None:
    sequential = Sequential((Rule("jain", percent, relative=True),), 40)
    at = sequential.stopped_at({"jain": values}, 40)
    assert at in sequential.looks
    assert sequential.stopped_at({"jain": values[:at]}, at) == at
    for n in range(41):
        assert sequential.done({"jain": values}, n) == (n >= at)


SEQUENCES = 3000


def coverage(draws: Values, mean: float, sequential: Sequential) -> tuple[float, float]:
    """Share of intervals at the stop that contain the mean, and the mean number of replications."""
    (rule,) = sequential.rules
    hits, used = 0, 0
    for values in draws:
        n = sequential.stopped_at({rule.measure: values}, len(values))
        assert n is not None
        hits += sequential.interval(values, n).contains(mean)
        used += n
    return hits / len(draws), used / len(draws)


def impatient_coverage(draws: Values, mean: float, rule: Rule) -> float:
    """Coverage for a user who looks at the usual interval after every replication from the fifth on."""
    counts = np.arange(1.0, draws.shape[1] + 1.0)
    means = draws.cumsum(axis=1) / counts
    variances = np.maximum(np.square(draws).cumsum(axis=1) - counts * means**2, 0.0) / np.maximum(
        counts - 1, 1
    )
    quantiles = np.array([math.inf] * 4 + [student_t(n) for n in range(4, draws.shape[1])])
    with np.errstate(invalid="ignore"):
        half_widths = quantiles * np.sqrt(variances / counts)
    narrow = half_widths <= (np.abs(means) * rule.precision / 100 if rule.relative else rule.precision)
    narrow[:, -1] = True
    stop = narrow.argmax(axis=1)
    rows = np.arange(len(draws))
    return float((np.abs(means[rows, stop] - mean) <= half_widths[rows, stop]).mean())


# Four standard errors of a proportion of 0.95.
SLACK = 4 * math.sqrt(0.95 * 0.05 / SEQUENCES)


@pytest.mark.parametrize("rule", ["jain ±1", "jain ±10%"])
@pytest.mark.parametrize("spread", [1.0, 1.77, 3.0])
def test_intervals_at_the_stop_hold_as_often_as_they_say(rule: str, spread: float) -> None:
    # The spreads would take 4, 12 and 35 replications if they were known.
    draws = np.random.default_rng(2026).normal(10.0, spread, size=(SEQUENCES, 100))
    found, _ = coverage(draws, 10.0, Sequential(rules(rule), 100))
    assert found >= 0.95 - SLACK


def test_looking_after_every_replication_does_not_hold() -> None:
    draws = np.random.default_rng(2026).normal(10.0, 1.77, size=(SEQUENCES, 100))
    for rule in rules("jain ±1", "jain ±10%"):
        assert impatient_coverage(draws, 10.0, rule) < 0.95 - SLACK


def test_all_looks_hold_together_whatever_one_does_between_them() -> None:
    sequential = Sequential((), 100)
    draws = np.random.default_rng(5).normal(0.0, 1.0, size=(SEQUENCES, 100))
    held = [all(sequential.interval(row, n).contains(0.0) for n in sequential.looks) for row in draws]
    assert np.mean(held) >= 0.95 - SLACK


def test_skewed_replications_hold_nearly_as_often() -> None:
    # Logarithm normal with a standard deviation of 0.5: skewness 1.75, mean exp(1/8).
    draws = np.random.default_rng(7).lognormal(0.0, 0.5, size=(SEQUENCES, 100))
    sequential = Sequential(rules("jain ±30%"), 100)
    found, used = coverage(draws, math.exp(0.125), sequential)
    assert used < 50
    assert found >= 0.93
    assert found > impatient_coverage(draws, math.exp(0.125), sequential.rules[0]) + SLACK


def expected_replications(plan: Sequence[int], shares: Sequence[float], draws: Values, width: float) -> float:
    """Expected replications of a rule that stops where the half width is `width`, for any looks and
    shares."""
    used = np.full(len(draws), plan[-1])
    going = np.ones(len(draws), dtype=bool)
    for n, share in zip(plan, shares, strict=True):
        half_widths = student_t(n - 1, 1.0 - share) * draws[:, :n].std(axis=1, ddof=1) / math.sqrt(n)
        used[going & (half_widths <= width)] = n
        going &= half_widths > width
    return float(used.mean())


@pytest.mark.parametrize("known", [6, 12, 25])
def test_no_other_schedule_is_much_cheaper(known: int) -> None:
    """`known` replications would do if the spread were known."""
    draws = np.random.default_rng(11).normal(0.0, 1.0, size=(SEQUENCES, 100))
    width = 1.96 / math.sqrt(known)

    def cost(factor: float, power: float) -> float:
        plan = list(planned_looks(100)) if factor == 1.41 else spaced(factor)
        weights = np.array(plan, dtype=float) ** power
        return expected_replications(plan, (0.05 * weights / weights.sum()).tolist(), draws, width)

    ours = cost(1.41, 0.0)
    assert 2.0 * known < ours < 3.2 * known
    others = [cost(factor, power) for factor in (1.25, 1.41, 1.6, 2.0) for power in (-0.5, 0.0, 0.5)]
    assert ours < 1.1 * min(others)


def spaced(factor: float) -> list[int]:
    """Looks from five to a hundred that grow by `factor`."""
    steps = round(math.log(20) / math.log(factor))
    return sorted({round(5 * 20 ** (step / steps)) for step in range(steps + 1)})
