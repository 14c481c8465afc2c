"""Twelve targets on the operating-point paper's network, against a grid of 20 replications."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from twelve import BEYOND, EDGE, REACHABLE, RUNS, Asked, task_of

from weir.scenario._scenario import Scenario
from weir.store import Store
from weir.sweep import chosen_workers
from weir.tune._answer import Answer
from weir.tune._evaluator import Evaluator
from weir.tune._tune import Question, Task, tune


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("tuned")


def answered(asked: Asked, store: Path) -> Answer:
    with Store.open(store, create=True) as opened, chosen_workers(threads=2) as workers:
        return tune(task_of(asked), opened, workers).answer


def means(asked: Asked, answer: Answer, store: Path, replications: int) -> Sequence[float]:
    """Means of the chosen setting, on seeds that neither search nor confirmation has used."""
    task = task_of(asked, seed=77_000_000)
    with Store.open(store, create=True) as opened, chosen_workers(threads=2) as workers:
        evaluator = Evaluator(task.scenario.core, task.targets, opened, workers)
        setting = tuple(answer.chosen.setting.items())
        evaluator.run([setting], replications)
        return [float(evaluator.values(setting, name).mean()) for name in ("delay_mean", "loss")]


def test_the_targets_are_what_they_are_called() -> None:
    assert all(asked.shortfalls().min() < -0.02 for asked in REACHABLE)
    assert all(abs(asked.shortfalls().min()) < 0.01 for asked in EDGE)
    assert all(asked.shortfalls().min() > 0.05 for asked in BEYOND)


@pytest.mark.soak
@pytest.mark.parametrize("asked", REACHABLE, ids=str)
def test_what_can_be_had_is_found_and_holds(asked: Asked, store: Path) -> None:
    answer = answered(asked, store)
    assert answer.verdict in {"achieved", "defaults already meet it"}
    assert answer.runs <= RUNS / 10
    delay, loss = means(asked, answer, store, 10)
    assert delay < asked.delay_ms
    assert loss < asked.loss


@pytest.mark.soak
@pytest.mark.parametrize("asked", BEYOND, ids=str)
def test_what_is_out_of_reach_is_called_so(asked: Asked, store: Path) -> None:
    answer = answered(asked, store)
    assert answer.verdict == "not achievable"
    assert answer.runs <= RUNS / 10
    # What is called nearest is hardly further than the nearest of the grid.
    assert answer.chosen.worst.shortfall < asked.shortfalls().min() + 0.05


@pytest.mark.soak
@pytest.mark.parametrize("asked", EDGE, ids=str)
def test_at_the_edge_nothing_is_guessed(asked: Asked, store: Path) -> None:
    answer = answered(asked, store)
    assert answer.verdict in {"undecided", "achieved"}
    assert answer.runs <= RUNS / 10
    assert abs(answer.chosen.worst.shortfall) < 0.03
    if answer.verdict == "achieved":
        delay, loss = means(asked, answer, store, 40)
        assert delay < asked.delay_ms * 1.005
        assert loss < asked.loss * 1.005


@pytest.mark.parametrize(
    ("aqm", "vary", "targets"),
    [
        ("codel", "codel.target=1..40", ("mean delay < 12 ms", "utilisation > 97%")),
        pytest.param(
            *("pie", "pie.target=1..60", ("p99 delay < 25 ms", "utilisation > 95%")), marks=pytest.mark.soak
        ),
        pytest.param(
            *("rem", "rem.target=2..80", ("mean delay < 12 ms", "utilisation > 97%")), marks=pytest.mark.soak
        ),
    ],
)
def test_one_parameter_of_other_aqms(aqm: str, vary: str, targets: tuple[str, str], store: Path) -> None:
    """CoDel's target, PIE's reference delay, REM's b*: the defaults miss, the answer holds on other seeds."""
    values: dict[str, Any] = {
        "flows.ftp.count": 20,
        "links.bottleneck.buffer": "200 packets",
        f"links.bottleneck.queue.{aqm}": {},
    }
    task = Task.of(Scenario.load("papers/operating-point-2002", values), Question(targets, [vary]))
    with Store.open(store, create=True) as opened, chosen_workers(threads=2) as workers:
        answer = tune(task, opened, workers).answer
        assert answer.defaults.state == "missed"
        assert answer.verdict == "achieved"
        assert answer.runs < 60
        other = task.scenario.with_seed(77_000_000)
        evaluator = Evaluator(other.core, task.targets, opened, workers)
        setting = tuple(answer.chosen.setting.items())
        evaluator.run([setting], 10)
        for target in task.targets:
            assert target.met_by(float(evaluator.values(setting, target.measure).mean()))
