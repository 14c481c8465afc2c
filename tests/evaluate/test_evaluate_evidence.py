"""Statements on values and bounds, and how often they are wrong."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np
import pytest

from weir.evaluate import Evidence, holm


def test_the_p_is_that_of_a_t_test_on_the_scale() -> None:
    values = np.random.default_rng(2).lognormal(0.0, 0.3, 12)
    stats: Any = import_module("scipy.stats")
    expected = float(stats.ttest_1samp(np.log(values), np.log(0.8)).pvalue)
    assert Evidence(values, "log").beyond(0.8, ">") == pytest.approx(expected)
    assert Evidence(values, "log", looks=5).beyond(0.8, ">") == pytest.approx(5.0 * expected)
    assert Evidence(values, "log").beyond(0.8, "<") == 1.0


def test_the_interval_touches_the_bound_where_p_is_five_per_cent() -> None:
    values = np.array([97.1, 98.3, 98.9, 97.7, 98.4, 99.0])
    for scale in ("lack", "plain", "log"):
        evidence = Evidence(values, scale, looks=3)
        low, high = evidence.interval
        assert low < evidence.mean < high
        assert evidence.beyond(low, ">") == pytest.approx(0.05, rel=1e-6)
        assert evidence.beyond(high, "<") == pytest.approx(0.05, rel=1e-6)


def test_looking_often_is_wrong_in_five_per_cent_at_most() -> None:
    looks, random = (5, 7, 10, 14, 20), np.random.default_rng(3)
    wrong = 0
    for _ in range(2000):
        values = random.lognormal(0.0, 0.5, looks[-1])
        seen = [Evidence(values[:n], "log", len(looks)) for n in looks]
        wrong += any(min(one.beyond(1.0, "<"), one.beyond(1.0, ">")) <= 0.05 for one in seen)
    assert wrong / 2000 <= 0.05


def test_equal_runs_decide_and_one_run_does_not() -> None:
    same = Evidence(np.full(3, 1.0), "log")
    assert same.without_chance
    assert same.beyond(1.0, "<") == 0.0
    assert same.beyond(1.0, ">", inclusive=False) == 1.0
    assert same.beyond(0.9, ">") == 0.0
    assert Evidence(np.array([5.0]), "log").beyond(1.0, ">") == 1.0


def test_what_is_infinite_in_every_run_is_above_any_bound() -> None:
    assert Evidence(np.full(3, np.inf), "log").beyond(100.0, ">") == 0.0
    assert Evidence(np.array([1.0, np.inf]), "log").beyond(100.0, ">") == 1.0
    assert Evidence(np.array([1.0, np.inf]), "log").beyond(100.0, "<") == 1.0


def test_holm_by_hand() -> None:
    # 4 x 0.01, 3 x 0.015, 2 x 0.03, then no less than the one before.
    assert holm([0.03, 0.01, 0.04, 0.015]) == pytest.approx([0.06, 0.04, 0.06, 0.045])
    assert holm([]) == []
