"""From runs to the numbers that claims are about."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest

from conftest import SMALL
from weir.store import Store
from weir.sweep import chosen_workers, execute_plan
from weir_papers.claims import Claim, Part
from weir_papers.data import Data, Study
from weir_papers.expected import at_least
from weir_papers.maps import ClaimMap
from weir_papers.paper import Experiment
from weir_papers.quantities import Level, rank, relative, spread, steps

USERS = "flows.ftp.count=2, 4, 8"


def run(directory: Path, experiment: Experiment) -> Data:
    """The data of an experiment, its store closed behind it."""
    plan = experiment.plan("test", quick=False)
    with Store.open(directory / "store", create=True) as store, chosen_workers(threads=1) as workers:
        sweep, _ = execute_plan(plan, store, workers)
        return Data.of(sweep, experiment.axis_columns, experiment.stage_s)


@pytest.fixture(scope="module")
def scenario(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("scenario") / "small.toml"
    path.write_text(
        SMALL.replace('population = [{ step = 2, every = "2 s", until = 6 }]\n', ""), encoding="utf-8"
    )
    return path


@pytest.fixture(scope="module")
def over_users(scenario: Path, tmp_path_factory: pytest.TempPathFactory) -> Study:
    experiment = Experiment("users", str(scenario), "", axes={"users_there": USERS}, replications=3)
    return Study({"users": run(tmp_path_factory.mktemp("users"), experiment)})


def values(study: Study, level: Level) -> np.ndarray:
    return np.stack([sample.values for sample in level.samples(study)])


LOSS = Level("users", "drop-tail", "loss")


def test_a_level_has_a_sample_per_point_and_a_value_per_replication(over_users: Study) -> None:
    samples = LOSS.samples(over_users)
    assert [sample.at for sample in samples] == [2.0, 4.0, 8.0]
    assert [sample.place for sample in samples] == [f"DropTail, users_there {n}" for n in (2, 4, 8)]
    frame = (
        over_users["users"].whole.filter(pl.col("variant") == "drop-tail").sort("users_there", "replication")
    )
    assert values(over_users, LOSS).ravel().tolist() == frame["loss"].to_list()


def test_a_level_at_one_place(over_users: Study) -> None:
    (one,) = Level("users", "red", "goodput", at={"users_there": 4}).samples(over_users)
    assert one.values.shape == (3,)
    some = Level("users", "red", "goodput", at={"users_there": [2, 8]}).samples(over_users)
    assert [sample.at for sample in some] == [2.0, 8.0]


def test_a_place_without_runs_is_a_mistake_not_an_empty_claim(over_users: Study) -> None:
    with pytest.raises(ValueError, match="no run has loss"):
        Level("users", "drop-tail", "loss", at={"users_there": 5}).samples(over_users)
    with pytest.raises(ValueError, match="no run has loss"):
        Level("users", "no-such-variant", "loss").samples(over_users)


def test_differences_are_taken_within_replications(over_users: Study) -> None:
    first, second = LOSS, LOSS.of("red")
    a, b = values(over_users, first), values(over_users, second)
    difference = np.stack([sample.values for sample in (first - second).samples(over_users)])
    assert (difference == a - b).all()
    assert (first - second).unit == "points"
    ratio = np.stack([sample.values for sample in (first / second).samples(over_users)])
    assert ratio == pytest.approx(a / b, nan_ok=True)
    percent = np.stack([sample.values for sample in relative(first, second).samples(over_users)])
    assert percent == pytest.approx(100.0 * (a - b) / b, nan_ok=True)
    (place, *_) = (sample.place for sample in (first - second).samples(over_users))
    assert place == "DropTail against RED, users_there 2"


def test_steps_ranks_and_spreads_go_along_the_places(over_users: Study) -> None:
    all_of = values(over_users, LOSS)
    grown = np.stack([sample.values for sample in steps(LOSS).samples(over_users)])
    assert (grown == np.diff(all_of, axis=0)).all()
    (widest,) = spread(LOSS).samples(over_users)
    assert (widest.values == all_of.max(axis=0) - all_of.min(axis=0)).all()
    # More users on the same link lose more, in every single run.
    (ranks,) = rank(LOSS).samples(over_users)
    assert ranks.values.tolist() == [1.0, 1.0, 1.0]
    (falls,) = rank(
        Level("users", "drop-tail", "utilisation") - Level("users", "drop-tail", "utilisation")
    ).samples(over_users)
    assert falls.values.tolist() == [0.0, 0.0, 0.0]


STAGED = ("mean_queue", "queue_sd", "goodput", "utilisation", "loss", "delay_mean")
COUNTED = ("drops", "drops_overflow", "departures", "sent", "delivered", "timeouts")


def test_stages_of_short_periods_are_what_long_periods_measure(small: Path, tmp_path: Path) -> None:
    """Half seconds are put together, the first of every two seconds left out. They are compared with the
    scenario's own periods of two seconds that settle for half a second."""
    fine = Experiment(
        "fine",
        str(small),
        "",
        set={"measure.period": "500 ms", "measure.settle": "0 s"},
        replications=2,
        stage_s=2.0,
    )
    whole = Experiment("whole", str(small), "", replications=2)
    stages = run(tmp_path, fine).stages(after_s=0.5).sort("variant", "replication", "period")
    periods = run(tmp_path, whole).stages().sort("variant", "replication", "period")
    assert stages["users"].to_list() == periods["users"].to_list()
    assert stages["period"].to_list() == periods["period"].to_list()
    for name in STAGED:
        assert stages[name].to_numpy() == pytest.approx(periods[name].to_numpy(), rel=1e-9), name
    for name in COUNTED:
        assert stages[name].to_list() == periods[name].to_list(), name
    assert periods["mean_queue"].min() > 0.5  # type: ignore[operator]


def test_a_map_judges_where_it_stands(scenario: Path, tmp_path: Path, over_users: Study) -> None:
    """Loss above 5%: with many users on a slow link, not with few on a fast one."""
    axes = {"users_there": USERS, "rate": "links.bottleneck.rate=1, 8 Mbit/s"}
    mapped = Experiment("mapped", str(scenario), "", variants=("drop-tail",), axes=axes, replications=8)
    study = Study({"users": over_users["users"], "mapped": run(tmp_path, mapped)})
    claim = Claim(
        "X",
        "Many users lose much",
        "",
        (Part(Level("users", "drop-tail", "loss", at={"users_there": 8}), at_least(5.0)),),
    )
    found = ClaimMap("m", "", "", "mapped", "users", ("rate",), ("Rate (Mbit/s)",), (claim,)).judge(study)
    assert [(place.setting, place.judgement.verdict) for place in found] == [
        ((1.0,), "holds"),
        ((8.0,), "does not hold"),
    ]
    # The main experiment is as it was.
    (main,) = Level("users", "drop-tail", "loss", at={"users_there": 8}).samples(study)
    assert main.values.tolist() == values(over_users, LOSS)[2].tolist()
