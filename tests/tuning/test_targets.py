"""Targets as people write them, and what cannot be one."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from weir.stats._measures import MEASURES
from weir.tune._targets import Target, TargetError, parse_all


@pytest.mark.parametrize(
    ("text", "measure", "sense", "bound"),
    [
        ("p99 delay < 20 ms", "delay_p99", "<", 20.0),
        ("delay_p99 <= 0.02 s", "delay_p99", "<", 20.0),
        ("delay p95 < 500 us", "delay_p95", "<", 0.5),
        ("loss<1%", "loss", "<", 1.0),
        ("goodput > 95%", "goodput", ">", 95.0),
        ("mean queue < 20 packets", "mean_queue", "<", 20.0),
        ("Mean delay < 1 ms", "delay_mean", "<", 1.0),
        ("jain ≥ 0.95", "jain", ">", 0.95),
    ],
)
def test_what_is_understood(text: str, measure: str, sense: str, bound: float) -> None:
    target = Target.parse(text)
    assert (target.measure, target.sense) == (measure, sense)
    assert target.bound == pytest.approx(bound)


@pytest.mark.parametrize("name", list(MEASURES))
def test_every_measure_can_be_one(name: str) -> None:
    unit = MEASURES[name].unit
    assert Target.parse(f"{name} < 0.5 {unit}".strip()).measure == name


@pytest.mark.parametrize(
    ("texts", "said"),
    [
        ([], "there is no target"),
        (["delay 20 ms"], "is not a target"),
        (["p98 delay < 20 ms"], 'no measure "p98 delay"'),
        (["los < 1%"], "no measure \"los\"; hint: did you mean 'loss'"),
        (["loss < 1"], "lacks a unit"),
        (["delay < 20 m"], '"m" is not a unit of delay_mean'),
        (["jain > 0.95 s"], '"s" is not a unit of jain'),
        (["loss < 1 ms"], '"ms" is not a unit of loss'),
        (["loss < 0%"], "not above zero"),
        (["loss < x%"], "not a number"),
        (["goodput > 100%"], "goodput is at most 100 %"),
        (["loss < 1%", "loss < 2%"], "say the same with two bounds"),
        (["loss < 1%", "loss > 2%"], "cannot both be met"),
        (["p99 delay < 5 ms", "median delay > 10 ms"], "cannot both be met"),
    ],
)
def test_what_is_refused(texts: list[str], said: str) -> None:
    with pytest.raises(TargetError) as error:
        parse_all(texts)
    assert said in str(error.value)


def test_a_packet_is_a_packet() -> None:
    assert Target.parse("mean queue < 1 packet").bound == 1.0


def test_what_can_be_met_together() -> None:
    assert len(parse_all(["p99 delay < 20 ms", "median delay > 5 ms", "delay_p50 < 10 ms", "loss < 1%"])) == 4


bounds = st.floats(0.01, 99.0)


@given(st.sampled_from(["loss", "delay_mean", "goodput", "jain"]), st.sampled_from("<>"), bounds, bounds)
def test_a_shortfall_is_above_zero_exactly_where_a_target_is_missed(
    measure: str, sense: str, bound: float, value: float
) -> None:
    scale = 0.01 if measure == "jain" else 1.0
    target = Target(measure, "<" if sense == "<" else ">", bound * scale)
    (shortfall,) = target.shortfall(np.array([value * scale]))
    if abs(value - bound) > 1e-9:
        assert (shortfall > 0.0) == (not target.met_by(value * scale))


def test_a_shortfall_counts_ratios() -> None:
    target = Target.parse("loss < 2%")
    assert target.shortfall(np.array([4.0, 2.0, 1.0])) == pytest.approx([np.log(2.0), 0.0, -np.log(2.0)])
    # Nothing lost is not infinitely good.
    assert np.isfinite(target.shortfall(np.array([0.0]))).all()
    # Of a goodput near all, what lacks: 90% is twice as far away as 95%.
    assert Target.parse("goodput > 95%").shortfall(np.array([90.0])) == pytest.approx(np.log(2.0))
