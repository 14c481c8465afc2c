"""The comparison of 2013: what is claimed, what is run, and that its numbers are what they are called."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from weir import Scenario
from weir.store import Store
from weir.sweep import chosen_workers, execute_plan
from weir_papers import ns2
from weir_papers.data import Data, Study
from weir_papers.expected import HOLDS
from weir_papers.nlred_comparison_2013 import PAPER
from weir_papers.nlred_comparison_2013.checks import BEGINNING_S, PAPERS, level
from weir_papers.nlred_comparison_2013.quantities import (
    cumulated,
    marking,
    most_minus_least,
    synchronisation,
    until,
)
from weir_papers.paper import Experiment
from weir_papers.quantities import Level

PACKAGE = "nlred_comparison_2013"
SCENARIO = "papers/nlred-comparison-2013"
EXPERIMENTS = PAPER.experiments
MAIN, LENGTHS = PAPER.experiment("flows"), PAPER.experiment("time")
MEASURES_SO_FAR = ("goodput", "loss")


@contextmanager
def run(directory: Path, experiment: Experiment) -> Generator[Study]:
    """Open while its tables may be read."""
    plan = experiment.plan(PAPER.key, quick=False)
    with Store.open(directory / "store", create=True) as store, chosen_workers(threads=1) as workers:
        sweep, _ = execute_plan(plan, store, workers)
        yield Study({experiment.name: Data.of(sweep, experiment.axis_columns, experiment.stage_s)})


@pytest.fixture(scope="module")
def lengths(tmp_path_factory: pytest.TempPathFactory) -> Generator[Study]:
    """Figures 8 and 9 on a fifth of the rate."""
    experiment = replace(
        LENGTHS,
        variants=("drop-tail", "nlred"),
        axes={"flows": "flows.ftp.count=10, 20"},
        set={**LENGTHS.set, "links.bottleneck.rate": "4 Mbit/s", "duration": "75 s"},
        replications=2,
    )
    with run(tmp_path_factory.mktemp("lengths"), experiment) as study:
        yield study


@pytest.fixture(scope="module")
def flows(tmp_path_factory: pytest.TempPathFactory) -> Generator[Study]:
    """The main experiment with few flows, shorter, on a quarter of the rate."""
    experiment = replace(
        MAIN,
        axes={"flows": "flows.ftp.count=10, 30"},
        set={"links.bottleneck.rate": "5 Mbit/s", "duration": "50 s"},
        replications=3,
    )
    with run(tmp_path_factory.mktemp("flows"), experiment) as study:
        yield study


@pytest.mark.parametrize("number", range(1, 8))
def test_every_assertion_has_a_claim(number: int) -> None:
    assert [claim.id for claim in PAPER.claims if claim.id.startswith(f"A-4.{number}")]


def test_claims_are_told_apart() -> None:
    ids = [claim.id for claim in PAPER.claims]
    assert len(set(ids)) == len(ids)


@pytest.mark.parametrize("quick", [True, False])
@pytest.mark.parametrize("experiment", EXPERIMENTS, ids=lambda experiment: experiment.name)
def test_every_experiment_can_be_run(experiment: Experiment, *, quick: bool) -> None:
    plan = experiment.plan(PAPER.key, quick=quick)
    of_readings = experiment.name in {one.experiment for one in PAPER.readings}
    assert plan.replications >= (1 if of_readings else 2 if quick else 5)
    assert {variant.name for variant in plan.variants} == set(experiment.variants)


def test_the_scenario_has_what_is_run() -> None:
    variants = set(Scenario.load(SCENARIO).variants)
    assert set(PAPERS) <= variants
    assert {name for experiment in EXPERIMENTS for name in experiment.variants} == variants


def test_every_figure_of_the_paper_is_drawn() -> None:
    assert len(PAPER.plots) >= 9


def test_columns_have_what_claims_ask_for() -> None:
    """A reading in full has the variants of the experiments in whose place it stands."""
    for column in PAPER.columns:
        for name, other in column.instead.items():
            instead_of, experiment = PAPER.experiment(name), PAPER.experiment(other)
            assert set(experiment.variants) == set(instead_of.variants)
            assert instead_of.set.items() <= experiment.set.items()


# Quantities


def made(rows: list[dict[str, Any]], axes: tuple[str, ...] = ("flows",)) -> Data:
    frame = pl.DataFrame(rows)
    keys = ["run", "variant", "label", "replication", *axes]
    return Data(frame, frame.select(keys).unique(maintain_order=True), axes, None, lambda _: pl.DataFrame())


def test_spread_over_variants_is_taken_run_by_run() -> None:
    values = {"a": (90.0, 80.0), "b": (91.0, 88.0), "c": (95.0, 70.0)}
    rows = [
        {"run": index, "variant": variant, "label": variant, "replication": replication, "flows": 20.0,
         "period": -1, "users": 20, "from_s": 0.0, "to_s": 1.0, "goodput": value}
        for index, (variant, replication, value) in enumerate(
            (variant, replication, value)
            for variant, both in values.items()
            for replication, value in enumerate(both)
        )
    ]  # fmt: skip
    quantity = most_minus_least("x", ("a", "b", "c"), "goodput", "all")
    (sample,) = quantity.samples(Study({"x": made(rows)}))
    assert sample.values.tolist() == [5.0, 18.0]
    assert quantity.unit == "points"


def test_loss_so_far_weighs_periods_by_what_was_sent() -> None:
    common = {"run": 1, "variant": "a", "label": "a", "replication": 0, "flows": 20.0}
    rows = [
        {**common, "period": 0, "from_s": 0.0, "to_s": 25.0, "goodput": 40.0, "loss": 10.0, "sent": 100},
        {**common, "period": 1, "from_s": 25.0, "to_s": 50.0, "goodput": 80.0, "loss": 0.0, "sent": 300},
    ]
    found = cumulated(made(rows))
    assert found["loss"].to_list() == pytest.approx([10.0, 2.5])
    assert found["goodput"].to_list() == pytest.approx([40.0, 60.0])


def test_a_run_that_ends_earlier_is_the_beginning_of_a_longer_one(lengths: Study) -> None:
    # This is what figures 8 and 9 stand on.
    settings = {"links.bottleneck.rate": "4 Mbit/s", "duration": "50 s", "measure.warm_up": "0 s",
                "flows.ftp.count": 20}  # fmt: skip
    shorter = Scenario.load(SCENARIO, settings).compare(replications=2, variants=["nlred"]).groups
    rows = shorter.filter(pl.col("period") == -1, pl.col("group") == "all").sort("replication")
    rows = rows.with_columns(loss=pl.col("drops") / pl.col("sent"))
    for measure in MEASURES_SO_FAR:
        samples = until("nlred", measure, 20.0).samples(lengths)
        assert [sample.at for sample in samples] == [25.0, 50.0, 75.0]
        assert samples[1].values == pytest.approx(100.0 * rows[measure].to_numpy(), rel=1e-9)


def test_an_aqm_drops_all_but_what_a_full_buffer_does(lengths: Study) -> None:
    (first, *_) = marking("drop-tail", BEGINNING_S).samples(lengths)
    assert first.values.max() == 0.0
    samples = marking("nlred", BEGINNING_S).samples(lengths)
    assert [sample.at for sample in samples] == [0.0, 5.0, 10.0, 15.0, 20.0] * 2
    assert all(sample.values.min() > 0.0 and sample.values.max() < 100.0 for sample in samples)


# Physics


def test_losses_of_an_overflowing_buffer_are_shared_by_more_than_one(flows: Study) -> None:
    for variant in PAPERS:
        for sample in synchronisation(MAIN.name, variant).samples(flows):
            assert np.all(sample.values > 100.0 / 30.0 * 0.9)
            assert np.all(sample.values <= 100.0)


def test_windows_fill_pipe_and_queue(flows: Study) -> None:
    """Goodput cannot be above what the link carries, and waits follow queues by Little's law."""
    rows = flows[MAIN.name].whole
    assert (rows["goodput"] <= rows["utilisation"] + 0.5).all()
    assert (rows["utilisation"] <= 100.0 + 1e-9).all()
    waits = rows["mean_queue"] / (rows["departures"] / 30.0) * 1000.0
    assert waits.to_list() == pytest.approx(rows["delay_mean"].to_list(), rel=0.03)


def test_more_flows_lose_more_and_nlred_of_factor_1_queues_more_than_red(flows: Study) -> None:
    for variant in PAPERS:
        few, many = level(variant, "loss").samples(flows)
        assert many.values.min() > few.values.max()
    more = level("nlred-1", "mean_queue", 30.0) - level("red", "mean_queue", 30.0)
    assert more.samples(flows)[0].values.mean() > 0.0


def test_an_active_queue_is_shorter_than_a_full_one(flows: Study) -> None:
    (claim,) = (claim for claim in PAPER.claims if claim.id == "P-1c")
    assert claim.judge(flows).verdict == HOLDS


@pytest.mark.parametrize("discipline", ["red", "nlred"])
def test_a_queue_that_may_not_drop_when_empty_has_more_goodput_with_few_flows(discipline: str) -> None:
    """With few flows the average is still high when the queue is empty."""
    settings = {"links.bottleneck.rate": "5 Mbit/s", "duration": "50 s", "flows.ftp.count": 10}
    parameters = {"min_th": "5 packets", "max_th": "15 packets", "spacing": "wait"}
    ns2 = {"idle_m": "ns2", "min_qlen": "1 packet", "ns2_old": True}

    def goodput(queue: dict[str, Any]) -> float:
        scenario = Scenario.load(SCENARIO, {**settings, "links.bottleneck.queue": {discipline: queue}})
        runs = [scenario.run(seed=seed).groups for seed in range(3)]
        rows = pl.concat(runs).filter(pl.col("period") == -1, pl.col("group") == "all")
        return rows.select(pl.col("goodput").mean()).item()

    assert goodput(parameters | ns2) > goodput(parameters) + 0.01


# ns-2


def test_numbers_of_ns2() -> None:
    table = ns2.numbers(PACKAGE)
    assert set(table["experiment"]) == {"ns2-10", "ns2-30"}
    scenario = Scenario.load(SCENARIO)
    assert set(table["variant"]) <= set(scenario.variants)
    assert ns2.mean(PACKAGE, "ns2-10", "as-ns2-drop-tail", "goodput", 20.0) == pytest.approx(99.9, abs=0.05)
    assert ns2.mean(PACKAGE, "ns2-30", "as-ns2-rem", "goodput", 120.0) == pytest.approx(97.5, abs=0.05)
    assert ns2.mean(PACKAGE, "ns2-30", "as-ns2-rem", "goodput", 40.0) is None


def test_levels_look_at_the_experiment_they_name() -> None:
    assert level("nlred", "loss", 120.0) == Level("flows", "nlred", "loss", {"flows": 120.0})
