"""Data of the figures of tuning: fronts, designs found among settings, settings left out."""

from __future__ import annotations

from dataclasses import replace

import polars as pl
import pytest
from fake_answer import COARSE, evidence
from hypothesis import given
from hypothesis import strategies as st

from weir.plot.tuning import panels_of
from weir.plot.tuning._data import Data
from weir.plot.tuning._tradeoff import front
from weir.tune._answer import Tried
from weir.tune._targets import Target


@given(st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), min_size=1, max_size=25))
def test_the_front_is_what_no_other_setting_beats(places: list[tuple[int, int]]) -> None:
    delay, loss = Target("delay_mean", "<", 3.0), Target("goodput", ">", 3.0)
    points = pl.DataFrame([(float(a), float(b)) for a, b in places], ["delay_mean", "goodput"], orient="row")
    kept = set(front(points, delay, loss).rows())
    assert kept == {
        (a, b) for a, b in places if not any((c, d) != (a, b) and c <= a and d >= b for c, d in places)
    }


@pytest.mark.parametrize("parameters", [2, 3])
def test_lines_join_the_coarse_design_and_nothing_else(parameters: int) -> None:
    data = Data(evidence("achieved", 2, parameters).tuned)
    wanted = COARSE[parameters]
    assert [len(levels) for levels in data.levels] == [wanted] * parameters
    assert len(data.grid) == wanted**parameters


def test_settings_that_were_drawn_are_joined_by_no_line() -> None:
    kinds = {
        kind
        for p in evidence("undecided", 2, 4, drawn=True).panels
        if p.name.startswith("panel-effect")
        for kind in p.figures[0].rows["kind"]
    }
    assert kinds == {"dot", "chosen", "defaults"}


def test_a_measure_that_is_nowhere_defined_in_a_setting_is_left_out() -> None:
    tuned = evidence("achieved", 2, 2).tuned
    answer = tuned.answer
    lost = Tried(answer.tried[0].setting, {"delay_mean": float("nan"), "loss": 1.0}, float("nan"), 2)
    changed = replace(tuned, answer=replace(answer, tried=(lost, *answer.tried[1:])))
    assert len(Data(changed).points) == len(answer.tried) - 1
    assert panels_of(changed)
