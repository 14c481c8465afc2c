"""The HRED paper: its numbers, response times and cycles by hand, its scenarios in short runs."""

from __future__ import annotations

import math
import tomllib

import numpy as np
import polars as pl
import pytest
from numpy.typing import NDArray

import weir
from weir import Scenario
from weir.scenario import Value
from weir.stats import MEASURES
from weir.sweep import parsed_axis
from weir_papers.data import COUNTERS, Data, Study
from weir_papers.hred_2003 import PAPER, parameters
from weir_papers.hred_2003.quantities import PHASES, Kilobytes, Phases, Response, cycle, of_run
from weir_papers.ns2 import mean as ns2_mean
from weir_papers.paper import Experiment

EXPERIMENTS = PAPER.experiments
STEADY, DYNAMIC_FTP = (PAPER.experiment(name) for name in ("steady", "dynamic-ftp"))


def test_every_assertion_has_a_claim() -> None:
    ids = [claim.id for claim in PAPER.claims]
    assert len(set(ids)) == len(ids)
    for number in range(1, 6):
        assert any(name.startswith(f"A-3.{number}") for name in ids), number


def test_table_2_follows_from_the_link() -> None:
    a, b = parameters.pi_gains()
    assert parameters.k_alpha() == pytest.approx(parameters.PRINTED_K_ALPHA, rel=1e-4)
    assert 2.0 * parameters.k_alpha() == pytest.approx(parameters.PRINTED_K_BETA, rel=1e-4)
    assert a == pytest.approx(parameters.PRINTED_A, rel=1e-4)
    assert b == pytest.approx(parameters.PRINTED_B, rel=1e-4)
    # The scenarios have PI's gains per packet.
    scenario = tomllib.loads(Scenario.load("papers/hred-2003-steady").variant("pi").to_toml())
    aqm = scenario["links"]["bottleneck"]["queue"]["pi"]
    assert aqm["a"] == pytest.approx(parameters.PRINTED_A * parameters.PACKET)
    assert aqm["b"] == pytest.approx(parameters.PRINTED_B * parameters.PACKET)


@pytest.mark.parametrize(("queue", "seconds"), [(312.5e3, 1.34), (500e3, 0.26), (62.5e3, 1.05), (0.0, 0.61)])
def test_p_min_folds(queue: float, seconds: float) -> None:
    assert parameters.folding_time(queue) == pytest.approx(seconds, abs=0.006)


def test_the_stability_test_of_the_paper() -> None:
    gains = [parameters.loop_gain(125e3, rtt) for rtt in (0.16, 0.2, 0.24)]
    assert gains == pytest.approx([0.765, 0.925, 1.085])
    assert parameters.least_k(125e3, 0.21875) == pytest.approx(2.0)
    k = parameters.least_k(187e3, 0.2)
    assert parameters.loop_gain(187e3, 0.2, k) == pytest.approx(1.0)
    assert parameters.required(100, 250e3) == pytest.approx(0.0034, abs=5e-5)
    assert parameters.required(1000, 125e3) == pytest.approx(0.438, abs=1e-3)


ONE = Phases((10.0,), 60.0, ("after",))


def queue_of(*stretches: tuple[float, float]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Samples every 25 ms up to 60 s: (from this second on, packets)."""
    instants = np.arange(0, 60_000, 25) / 1e3
    values = np.zeros(instants.size)
    for begin, packets in stretches:
        values[instants >= begin] = packets
    return instants, values


@pytest.mark.parametrize(
    ("stretches", "seconds"),
    [
        # Never outside: no time at all.
        (((0.0, 400.0),), 0.0),
        # Back after 12.5 s, for good.
        (((0.0, 400.0), (10.0, 900.0), (22.5, 400.0)), 12.5),
        # 9 s are not enough; then for good.
        (((0.0, 900.0), (20.0, 400.0), (29.0, 900.0), (31.0, 200.0)), 21.0),
        # Too late for ten seconds before the end.
        (((0.0, 900.0), (51.0, 400.0)), math.inf),
        # The bounds belong to the band; below is as far out as above.
        (((0.0, 124.0), (15.0, 125.0)), 5.0),
        (((0.0, 751.0), (15.0, 750.0)), 5.0),
        # A spike of one sample is out of the band.
        (((0.0, 400.0), (12.0, 1000.0), (12.025, 400.0)), 2.025),
    ],
)
def test_response_times(stretches: tuple[tuple[float, float], ...], seconds: float) -> None:
    assert of_run(*queue_of(*stretches), ONE) == [seconds]


def by_hand(queues: dict[int, tuple[NDArray[np.float64], NDArray[np.float64]]]) -> Data:
    """Replications of HRED with these queues; 2 kB left each in 5 packets."""
    runs = pl.DataFrame(
        {"run": list(queues), "variant": "hred", "label": "HRED", "replication": range(len(queues))}
    )
    frame = runs.with_columns(
        pl.lit(-1).alias("period"),
        pl.lit(0.0).alias("from_s"),
        pl.lit(60.0).alias("to_s"),
        pl.lit(1).alias("users"),
        *(pl.lit(1.0).alias(name) for name in (*MEASURES, *COUNTERS) if name != "mean_queue"),
        (100.0 * (1.0 + pl.col("replication"))).alias("mean_queue"),
    )
    links = runs.select(
        "run", period=-1, direction=pl.lit("forward"), group=pl.lit("all"), bytes=2000, departures=5
    ).with_columns(pl.lit("all").alias("class"))
    series = pl.concat(
        pl.DataFrame({"time_s": instants, "value": values}).with_columns(
            run=run, component=pl.lit("links.bottleneck.forward"), variable=pl.lit("queue")
        )
        for run, (instants, values) in queues.items()
    )
    tables = {"links": links, "series": series}
    return Data(frame, runs, (), None, tables.__getitem__)


def test_who_never_settles_counts_with_the_phase(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(PHASES, "by-hand", ONE)
    data = by_hand({7: queue_of((0.0, 400.0), (10.0, 900.0), (22.5, 400.0)), 8: queue_of((0.0, 900.0))})
    study = Study({"by-hand": data})
    times = Response("by-hand", "hred", (0,))
    assert times.samples(study)[0].values.tolist() == [12.5, 50.0]
    assert Response("by-hand", "hred", (0,), what="never").samples(study)[0].values.tolist() == [0.0, 1.0]
    assert "after" in times.samples(study)[0].place


def test_kilobytes_are_of_what_left() -> None:
    data = by_hand({7: queue_of((0.0, 1.0)), 8: queue_of((0.0, 1.0))})
    found = Kilobytes("by-hand", "hred").samples(Study({"by-hand": data}))
    # 100 and 200 packets of 400 B.
    assert found[0].values.tolist() == pytest.approx([40.0, 80.0])


def test_a_cycle_is_found_in_noise() -> None:
    time = np.arange(3000) * 0.1
    noise = np.random.default_rng(5).normal(size=time.size)
    swing = 30.0 * np.sin(2.0 * np.pi * time / 4.7)
    assert cycle(swing + 200.0) == pytest.approx(30.0, rel=0.01)
    assert cycle(swing + 15.0 * noise) == pytest.approx(30.0, rel=0.1)
    assert cycle(15.0 * noise) < 6.0
    assert cycle(np.full(100, 7.0)) == 0.0


def test_ns2_stands_beside_what_it_ran() -> None:
    variants = {name for experiment in EXPERIMENTS for name in experiment.variants}
    assert ns2_mean("hred_2003", "steady-ftp", "pi", "mean_queue", 100.0) == pytest.approx(374.0, abs=1.0)
    assert ns2_mean("hred_2003", "dynamic-ftp", "red", "mean_queue", 800.0) == pytest.approx(569.0, abs=2.0)
    assert ns2_mean("hred_2003", "steady-ftp", "hred", "mean_queue", 100.0) is None
    assert {"red", "pi", "avq", "hred"} <= variants


JUDGED = {"steady", "dynamic", "moderate", "heavy"}
"""Experiments of the paper's figures."""


@pytest.mark.parametrize("experiment", EXPERIMENTS, ids=[one.name for one in EXPERIMENTS])
def test_experiments_are_sound(experiment: Experiment) -> None:
    # Of a reading the means count.
    of_readings = experiment.name in {readings.experiment for readings in PAPER.readings}
    assert experiment.plan(PAPER.key, quick=False).replications >= (2 if of_readings else 5)
    least = 2 if experiment.name in JUDGED else 1
    assert experiment.plan(PAPER.key, quick=True).replications >= least


@pytest.mark.parametrize("name", ["steady", "dynamic", "moderate", "heavy"])
def test_the_other_window_is_all_that_differs(name: str) -> None:
    """Figures have ns-2's window, their columns 1000 packets."""
    column = next(one for one in PAPER.columns if one.name == "wide")
    here, there = (PAPER.experiment(one) for one in (name, column.instead[name]))
    tables = [tomllib.loads(Scenario.load(one.scenario, one.set).to_toml()) for one in (here, there)]
    windows = [{flows["tcp"].pop("receive_window") for flows in one["flows"].values()} for one in tables]
    assert windows == [{"20 packets"}, {"1000 packets"}]
    assert tables[0] == tables[1]
    assert set(there.axes) == set(here.axes)


def test_the_gain_of_red() -> None:
    # Equation (5) with p from equation (3): (l + C RTT) / 2 (l - min_th).
    assert parameters.red_gain(187.5e3) == pytest.approx(987.5 / 125.0)
    assert parameters.red_gain(250e3) == pytest.approx(1050.0 / 250.0)
    # Gentle: 0.98 over the other half of the buffer.
    assert parameters.red_gain(300e3) == pytest.approx(1100.0 / (2.0 * 0.216) * 0.98 / 250.0)


def test_sessions_are_three_for_each_flow() -> None:
    levels = parsed_axis(STEADY.axes["load"]).levels
    assert levels is not None
    assert [row[0] for row in levels] == [100, 150, 200, 250, 300, 350, 400, 500, 600, 700, 800, 900, 1000]
    assert all(float(row[1]) == 3.0 * float(row[0]) for row in levels)


@pytest.fixture(scope="module")
def doubled() -> weir.Sweep:
    """Figure 5 without web sessions, HRED and PI, one run each."""
    return Scenario.load(DYNAMIC_FTP.scenario, DYNAMIC_FTP.set).compare(variants=["hred", "pi"])


def test_hred_comes_back_and_pi_is_late(doubled: weir.Sweep) -> None:
    found = doubled.responses("62.5 kB", "375 kB").filter(pl.col("queue") == "samples")
    last = {row["variant"]: row["response_s"] for row in found.filter(pl.col("at_s") == 250.0).to_dicts()}
    assert last["hred"] < 10.0 < last["pi"]


def test_windows_fill_pipe_and_queue(doubled: weir.Sweep) -> None:
    """P = 1.5 / W² at 100 flows, where timeouts are rare; more flows need more."""
    links = doubled.links.filter(variant="hred", direction="forward", group="all")
    losses = {period: links.filter(period=period)["loss"][0] for period in (2, 5)}
    assert losses[2] == pytest.approx(parameters.required(100), rel=0.15)
    # With 800 flows windows are of two packets, and timeouts do much of it.
    assert losses[2] < losses[5] < parameters.required(800)


_SOONER: dict[str, dict[str, Value]] = {
    "hred-2003-steady": {},
    "hred-2003-dynamic": {
        "measure.period": "5 s",
        **{f"flows.{kind}.population": [{"at": "15 s", "count": 200}] for kind in ("ftp", "web")},
    },
    "hred-2003-response": {
        f"flows.more-{kind}.{name}": f"{at} s"
        for kind in ("ftp", "web")
        for name, at in (("start", 15), ("stop", 30))
    },
}


@pytest.mark.parametrize("name", list(_SOONER))
def test_scenarios_run_alone(name: str) -> None:
    short: dict[str, Value] = {"duration": "41 s", "measure.warm_up": "10 s", **_SOONER[name]}
    links = Scenario.load(f"papers/{name}", short).compare().links
    whole = links.filter(period=-1, direction="forward", group="all").filter(pl.col("class") == "all")
    assert (whole["utilisation"] > 0.8).all()
    assert (whole["utilisation"] <= 1.0).all()
    assert set(whole["variant"]) >= {"red", "hred", "pi"}
