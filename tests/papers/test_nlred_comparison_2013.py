"""The comparison of 2013: what is claimed, what is run, and that its numbers are what they are called."""

from __future__ import annotations

import math
import tomllib
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import replace
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from weir import Scenario
from weir.store import Store
from weir.sweep import chosen_workers, execute_plan
from weir.theory import mean_window, red_queue, reno_probability
from weir_papers import ns2
from weir_papers.claims import HOLDS, Claim
from weir_papers.data import Data, Study
from weir_papers.nlred_comparison_2013 import PAPER, theory
from weir_papers.nlred_comparison_2013.checks import PAPERS, level
from weir_papers.nlred_comparison_2013.quantities import (
    JUDGED,
    PLAIN,
    cumulated,
    cumulated_jain,
    jain_of,
    most_minus_least,
    plain,
    synchronisation,
    until,
)
from weir_papers.paper import Experiment
from weir_papers.quantities import Level

PACKAGE = "nlred_comparison_2013"
SCENARIO = "papers/nlred-comparison-2013"
EXPERIMENTS, MAPS = PAPER.experiments, PAPER.maps
MAIN, SENSITIVITY, LENGTHS = (PAPER.experiment(name) for name in JUDGED)
WITHOUT = tuple(PAPER.experiment(f"without-{name}") for name in JUDGED)
PLACES = PAPER.experiment("places")
MEASURES_SO_FAR = ("goodput", "loss")


@contextmanager
def run(directory: Path, experiment: Experiment) -> Generator[Study]:
    """Open while its tables may be read."""
    plan = experiment.plan(PAPER.key, quick=False)
    with Store.open(directory / "store", create=True) as store, chosen_workers(threads=1) as workers:
        sweep, _ = execute_plan(plan, store, workers)
        yield Study({experiment.name: Data.of(experiment, sweep)})


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
    for mapped in MAPS:
        of_map = [claim.id for claim in mapped.claims]
        assert len(set(of_map)) == len(of_map)
        # A panel is found by the name of its claim, in quotes.
        assert not any("'" in name for name in of_map)


@pytest.mark.parametrize("quick", [True, False])
@pytest.mark.parametrize("experiment", EXPERIMENTS, ids=lambda experiment: experiment.name)
def test_every_experiment_can_be_run(experiment: Experiment, *, quick: bool) -> None:
    plan = experiment.plan(PAPER.key, quick=quick)
    assert plan.replications >= (3 if quick else 4)
    assert {variant.name for variant in plan.variants} == set(experiment.variants)


def test_the_scenario_has_what_is_run() -> None:
    variants = set(Scenario.load(SCENARIO).variants)
    assert set(PAPERS) <= variants
    assert {name for experiment in EXPERIMENTS for name in experiment.variants} == variants


HABITS_OF_NS2 = {"idle_m": "ns2", "min_qlen": "1 packet", "ns2_old": True}


def discipline(variant: str) -> dict[str, Any]:
    """Its settings, as the scenario's file has them."""
    text = (
        files("weir_papers").joinpath("scenarios", "nlred-comparison-2013.toml").read_text(encoding="utf-8")
    )
    paths = tomllib.loads(text)["variants"][variant]
    (settings,) = (paths[path] for path in paths if path.startswith("links.bottleneck.queue."))
    return settings


@pytest.mark.parametrize("experiment", WITHOUT, ids=lambda experiment: experiment.name)
def test_without_compatibility_all_else_is_the_same(experiment: Experiment) -> None:
    pairs = [(name, name.removesuffix(PLAIN)) for name in experiment.variants if name.endswith(PLAIN)]
    assert pairs
    for without, compatible in pairs:
        assert {"min_th": "5 packets", "max_th": "15 packets", **discipline(without), **HABITS_OF_NS2} == {
            "min_th": "5 packets", "max_th": "15 packets", **discipline(compatible)
        }  # fmt: skip
        assert not set(discipline(without)) & set(HABITS_OF_NS2)


def test_claims_can_be_judged_without_compatibility() -> None:
    """Every variant that a claim asks for is there, under its own name."""
    rows = [
        {"run": run, "variant": variant, "label": label, "replication": 0, "flows": 20.0, "period": -1,
         "goodput": goodput}
        for run, (variant, label, goodput) in enumerate(
            [("rem", "REM", 1.0), ("gred", "GRED", 2.0), ("gred-plain", "GRED without habits", 3.0)]
        )
    ]  # fmt: skip
    found = plain(made(rows)).frame
    assert found.select("variant", "label", "goodput").rows() == [("rem", "REM", 1.0), ("gred", "GRED", 3.0)]
    for experiment, instead_of in zip(WITHOUT, (MAIN, SENSITIVITY, LENGTHS), strict=True):
        names = {name.removesuffix(PLAIN) for name in experiment.variants}
        assert names == set(instead_of.variants) - {"nlred-gentle"}


def test_every_figure_of_the_paper_is_drawn() -> None:
    assert len(PAPER.plots) >= 9
    assert PAPER.maps


# Theory


def test_the_pipe_and_the_windows_of_the_specification() -> None:
    assert theory.MAIN_PLACE.pipe == pytest.approx(488.3, abs=0.1)
    found = [theory.wanted(n, 12.0) for n in (20, 60, 120)]
    assert found == pytest.approx([0.0024, 0.0216, 0.0863], rel=0.01)


@pytest.mark.parametrize("family", theory.FAMILIES)
@pytest.mark.parametrize("flows", [20, 60, 90])
def test_laws_and_windows_agree_at_rest(family: theory.Family, flows: int) -> None:
    queue = theory.queue_at(family, flows)
    p = reno_probability(mean_window(flows, theory.MAIN_PLACE.pipe, queue))
    match family:
        case "gred":
            ramp = 0.1 * (queue - 5.0) / 10.0 if queue <= 15.0 else 0.1 + 0.9 * (queue - 15.0) / 15.0
            assert p == pytest.approx(2.0 / 3.0 * ramp, rel=1e-6)
        case "nlred":
            assert p == pytest.approx(2.0 / 3.0 * 0.15 * ((queue - 5.0) / 10.0) ** 2, rel=1e-6)
        case "rem":
            # Arrivals that are dropped count: 9.77 packets leave in 2 ms.
            arrived = 20e6 / 4096 * 0.002 / (1.0 - p)
            assert 0.1 * (queue - 20.0) + arrived - 20e6 / 4096 * 0.002 == pytest.approx(0.0, abs=1e-6)


def test_parabola_and_line_cross_at_two_thirds() -> None:
    # Where p is 1/15, RED of 0.1 and NLRED of 0.15 both rest at 5 + 10 * 2/3.
    queue = 5.0 + 20.0 / 3.0
    pipe = 60 * math.sqrt(1.5 * 15.0) - queue
    assert red_queue(60, pipe, 5.0, 15.0, 0.1) == pytest.approx(queue)
    assert theory.quadratic_queue(60, pipe, 0.15) == pytest.approx(queue)
    lower, height_of_red = theory.quadratic_queue(60, pipe, 0.15), theory.quadratic_queue(60, pipe, 0.1)
    assert lower is not None
    assert height_of_red is not None
    assert height_of_red > lower


def test_nothing_below_the_threshold_is_enough_for_too_many() -> None:
    assert theory.quadratic_queue(400, 100.0, 0.15) is None
    gentle = theory.gentle_queue(120, 488.0, 0.1, 2.0 / 3.0)
    assert gentle is not None
    assert 15.0 < gentle < 30.0
    assert theory.queue_at("nlred", 400) == 15.0


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


def test_jain_by_hand() -> None:
    frame = pl.DataFrame({"delivered": [1.0, 1.0, 4.0]})
    assert frame.select(jain_of(pl.col("delivered"))).item() == pytest.approx(36.0 / (3.0 * 18.0))


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
        samples = until(LENGTHS.name, "nlred", measure, 20.0).samples(lengths)
        assert [sample.at for sample in samples] == [25.0, 50.0, 75.0]
        assert samples[1].values == pytest.approx(100.0 * rows[measure].to_numpy(), rel=1e-9)


def test_fairness_so_far_is_that_of_all_that_was_delivered(lengths: Study) -> None:
    data = lengths[LENGTHS.name]
    keys = ("variant", "flows", "replication")
    ends = cumulated_jain(data).filter(pl.col("to_s") == 75.0).sort(*keys)
    flows = data.table("flows", "period", "delivered").filter(pl.col("period") == -1)
    whole = flows.group_by(*keys).agg(jain_of(pl.col("delivered").cast(pl.Float64)).alias("jain")).sort(*keys)
    assert ends["jain"].to_list() == pytest.approx(whole["jain"].to_list(), rel=1e-9)
    assert len(ends) == 8


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


def test_a_queue_that_may_not_drop_when_empty_has_more_goodput_with_few_flows() -> None:
    """With few flows the average is still high when the queue is empty."""
    settings = {"links.bottleneck.rate": "5 Mbit/s", "duration": "50 s", "flows.ftp.count": 10}
    compared = Scenario.load(SCENARIO, settings).compare(
        replications=3, variants=["gred", "gred-plain", "nlred", "nlred-plain"]
    )
    rows = compared.groups.filter(pl.col("period") == -1, pl.col("group") == "all")
    means = dict(rows.group_by("variant").agg(pl.col("goodput").mean()).iter_rows())
    assert means["gred"] > means["gred-plain"] + 0.01
    assert means["nlred"] > means["nlred-plain"] + 0.01


def test_a_map_judges_the_claims_of_the_main_experiment(flows: Study) -> None:
    """With the main runs in the place of the map's: one setting."""
    (mapped,) = (one for one in MAPS if one.name == "map-loss")
    claims: tuple[Claim, ...] = tuple(claim for claim in mapped.claims if claim.id in ("A-4.4a", "P-2b"))
    data = flows[MAIN.name]
    frame = data.frame.with_columns(rate=pl.lit(5.0), rtt=pl.lit(100.0))
    runs = data.runs.with_columns(rate=pl.lit(5.0), rtt=pl.lit(100.0))
    there = replace(data, frame=frame, runs=runs, axes=("rate", "rtt", *data.axes), _staged={})
    study = Study({PLACES.name: there, MAIN.name: data})
    places = replace(mapped, claims=claims).judge(study)
    assert [tuple(place.setting) for place in places] == [(5.0, 100.0)] * 2
    assert places[0].judgement.checks[0].value == claims[0].judge(flows).checks[0].value


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
