"""More parameters than the search takes, and fronts: Optuna's samplers on known functions."""

from __future__ import annotations

import json
import sys

import numpy as np
import pytest
from test_search import SCENARIO, TWO, KnownEvaluator, delay, least, loss

from weir._errors import WeirError
from weir.scenario._scenario import Scenario
from weir.tune._sampled import front, sampled
from weir.tune._space import Space

FOUR = [*TWO, "red.w_q=0.001..0.01", "red.min_th=1..4"]


def asked(vary: list[str], *targets: str) -> tuple[Space, KnownEvaluator]:
    space = Space.of(Scenario.loads(SCENARIO), vary)
    return space, KnownEvaluator(space, targets, delay, loss)


def test_four_parameters_of_which_two_matter() -> None:
    bound = 1.2 * least(25.0)
    space, evaluator = asked(FOUR, "mean delay < 25 ms", f"loss < {bound}%")
    answer = sampled(space, evaluator)
    assert answer.verdict == "achieved"
    assert answer.runs == evaluator.runs
    setting = answer.chosen.setting
    at = (
        float(setting["links.bottleneck.queue.red.max_p"]),
        float(str(setting["links.bottleneck.queue.red.max_th"]).split()[0]),
    )
    assert delay(*at) < 25.0
    assert loss(*at) < bound


def test_what_is_not_found_is_not_called_impossible() -> None:
    space, evaluator = asked(FOUR, "mean delay < 25 ms", f"loss < {0.5 * least(25.0)}%")
    answer = sampled(space, evaluator, trials=30)
    assert answer.verdict == "undecided"
    # Nothing is known of what was not tried; machines read that too.
    assert json.loads(json.dumps(answer.to_json(), allow_nan=False))["least_shortfall"] is None


def test_of_a_front_none_beats_another() -> None:
    space, evaluator = asked(TWO, "mean delay < 25 ms", "loss < 5%")
    found = front(space, evaluator, trials=60)
    rows = np.array([[outcome.mean for outcome in one.outcomes] for one in found.settings])
    assert len(rows) >= 5
    for row in rows:
        assert not ((rows <= row).all(axis=1) & (rows < row).any(axis=1)).any()
    # Along it one pays for the other, and its ends are apart.
    order = np.argsort(rows[:, 0])
    assert (np.diff(rows[order, 1]) <= 0.0).all()
    assert rows[:, 0].max() > 2.0 * rows[:, 0].min()
    assert found.tried >= len(found.settings)
    assert all(outcome.values.size == 5 for one in found.settings for outcome in one.outcomes)


def test_the_same_seed_samples_the_same() -> None:
    answers = [sampled(*asked(FOUR, "mean delay < 20 ms", "loss < 5%"), trials=20) for _ in range(2)]
    assert answers[0].to_json() == answers[1].to_json()


def test_without_optuna_it_is_said_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "optuna", None)
    space, evaluator = asked(FOUR, "mean delay < 20 ms")
    with pytest.raises(WeirError, match="need Optuna") as error:
        sampled(space, evaluator)
    assert "weir-aqm[tuning]" in (error.value.hint or "")
    assert evaluator.runs == 0
