"""The REM paper of 2001: its claims, its scenarios, and what is computed from their runs."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import weir
from weir.stats import MEASURES
from weir.sweep import parsed_axis
from weir.theory import Link, Network, Source, Utility, mean_window, optimum, red_queue
from weir_papers import ns2
from weir_papers.data import COUNTERS, Data, Study
from weir_papers.registry import paper
from weir_papers.rem_2001 import quantities
from weir_papers.rem_2001.figures import PACKAGE, figure_1

PAPER = paper("rem-2001")
EXPERIMENTS = PAPER.experiments
WIRELESS = "papers/rem-2001-wireless"
CONTROLLERS = "papers/rem-2001-controllers"
MIXED = "papers/rem-2001-mixed-path"
PATHS = "papers/rem-2001-paths"


def test_every_assertion_has_a_claim() -> None:
    stems = {claim.id.rstrip("abcdef") for claim in PAPER.claims}
    assert {f"A-0.{number}" for number in range(1, 12)} <= stems
    assert len({claim.id for claim in PAPER.claims}) == len(PAPER.claims)


def test_what_the_paper_does_not_say_is_ours() -> None:
    assert {claim.id for claim in PAPER.claims if claim.ours} == {"P-2", "P-9", "P-23", "A-0.2c", "A-0.7b"}
    assert [claim.id for claim in PAPER.claims if claim.exceptions] == ["A-0.1a", "A-0.1b"]  # "almost all"


def test_the_page_can_be_finished() -> None:
    assert len(PAPER.question.split()) <= 45
    assert len(PAPER.summary) == 5
    assert len(" ".join(PAPER.summary).split()) <= 130


@pytest.mark.parametrize("experiment", EXPERIMENTS, ids=lambda one: one.name)
def test_every_point_of_every_experiment_can_be_run(experiment: object) -> None:
    from weir_papers.paper import Experiment

    assert isinstance(experiment, Experiment)
    quick = experiment.plan(PAPER.key, quick=True)
    full = experiment.plan(PAPER.key, quick=False)
    assert quick.replications <= full.replications
    assert len(quick.design.rows) <= len(full.design.rows)


def test_only_packets_of_384_bits_have_the_printed_windows() -> None:
    assert quantities.PIPE / 20 == 32.0
    assert quantities.PIPE / 160 == 4.0
    in_bits = 2e6 * quantities.ROUND_TRIP_S / 384.0
    assert pytest.approx(22.0, abs=1.5) == in_bits / 20
    assert pytest.approx(4.0, abs=0.5) == in_bits / 100
    in_bytes = 2e6 * quantities.ROUND_TRIP_S / (8 * 382)
    assert (in_bytes + 100) / 20 < 8.0


@pytest.mark.parametrize(
    ("users", "price", "wide", "narrow"),
    [(20, 1.4, 21.2, 10.4), (40, 5.5, 24.9, 11.7), (80, 22.0, 38.8, 16.7), (120, 51.0, 59.7, 24.7)],
)
def test_theory_is_that_of_the_literature(users: int, price: float, wide: float, narrow: float) -> None:
    assert quantities.theory_price(users) == pytest.approx(price, rel=0.02)
    assert red_queue(users, quantities.PIPE, 20, 80, 0.1, 2 / 3) == pytest.approx(wide, abs=0.1)
    assert red_queue(users, quantities.PIPE, 10, 30, 0.1, 2 / 3) == pytest.approx(narrow, abs=0.1)
    assert mean_window(users, quantities.PIPE, quantities.TARGET) == pytest.approx(660.0 / users)


def test_pi_has_the_gains_of_equation_3() -> None:
    text = weir.Scenario.load(CONTROLLERS).variant("pi").to_toml()
    gains = {
        name: float(value)
        for name, _, value in (line.partition(" = ") for line in text.splitlines())
        if name in ("a", "b")
    }
    ln_phi = math.log(1.001)
    assert gains["a"] == pytest.approx(0.001 * ln_phi, rel=1e-6)
    assert gains["b"] == pytest.approx(0.001 * 0.9 * ln_phi, rel=1e-6)


def test_every_burst_length_loses_one_in_a_hundred() -> None:
    bursts = next(one for one in EXPERIMENTS if one.name == "bursts")
    good, bad = bursts.axes["to_good"].split(";")
    levels = [[float(value) for value in text.partition("=")[2].split(",")] for text in (good, bad)]
    for to_good, to_bad in zip(*levels, strict=True):
        assert to_bad / (to_bad + to_good) == pytest.approx(0.01, rel=1e-3)
    assert levels[0][0] + levels[1][0] == 1.0  # the first level has no memory: Bernoulli's
    assert parsed_axis(bursts.axes["to_good"]).paths[0].endswith("to_good")


def test_figure_1_is_the_profiles_of_red_and_rem() -> None:
    red, rem = (facet.curves[0] for facet in figure_1(Study({})))
    at = dict(zip(red.x, red.y, strict=True))
    assert (at[5.0], at[15.0], at[20.0], at[30.0]) == pytest.approx((0.0, 0.1, 0.4, 1.0))
    assert dict(zip(rem.x, rem.y, strict=True))[1000.0] == pytest.approx(0.6319366957)


def test_numbers_of_ns_2_are_those_of_the_reference() -> None:
    reference = Path(__file__).parents[1] / "reference" / "ns2"
    rows = pl.read_csv(reference / "wireline.csv", infer_schema_length=None)
    settled = rows.filter(scenario="wireline", label="REM ecn", users=160, t0=360)
    assert ns2.mean(PACKAGE, "settled", "rem-mark", "mean_queue", 160) == pytest.approx(
        settled["qmean"].mean(), abs=1e-4
    )
    hops = pl.read_csv(reference / "parking-lot.csv", infer_schema_length=None).filter(label="REM ecn")
    assert ns2.mean(PACKAGE, "parking-lot", "rem-mark", "marked", 3) == pytest.approx(
        100.0 * float(hops["long_markfrac"].to_numpy().mean()), abs=1e-4
    )


def _made(overflow: list[list[float]]) -> Study:
    """Two stages of 50 s in fine periods of 10 s, of one variant with these drops, run by run."""
    names = dict.fromkeys((*MEASURES, *COUNTERS), 0.0)
    rows = [
        {"run": run, "variant": "rem", "label": "REM", "replication": run, "period": index,
         "from_s": 10.0 * index, "to_s": 10.0 * index + 10.0, "users": 20 * (1 + index // 5),
         **names, "mean_queue": 20.0, "delivered": 1000.0, "arrivals": 1000.0, "drops_overflow": drops}
        for run, of_run in enumerate(overflow)
        for index, drops in enumerate(of_run)
    ]  # fmt: skip
    runs = pl.DataFrame(
        [{"run": run, "variant": "rem", "label": "REM", "replication": run} for run in range(len(overflow))]
    )
    series = pl.DataFrame(
        [
            {"run": run, "component": component, "variable": variable, "time_s": float(time), "value": value}
            for run in range(len(overflow))
            for time in range(100)
            # Before 20 s of each stage it is far off, and must not count.
            for component, variable, value in (
                ("flows.ftp.0", "cwnd", 999.0 if time % 50 < 20 else 10.0 + run),
                ("flows.ftp.1", "cwnd", 999.0 if time % 50 < 20 else 20.0 + run),
                ("links.bottleneck.forward", "price", 999.0 if time % 50 < 20 else 5.0),
            )
        ]
    )
    data = Data(pl.DataFrame(rows), runs, (), 50.0, {"series": series}.__getitem__)
    return Study({"wireless": data, "wireline": data})


def test_overflow_is_added_up_and_shared_out() -> None:
    study = _made([[8, 2, 0, 0, 0, 6, 0, 0, 0, 4], [0] * 10])
    added = quantities.cumulative_overflow("rem").samples(study)
    assert [sample.at for sample in added[:2]] == [10.0, 20.0]
    assert [sample.values[0] for sample in added] == [8, 10, 10, 10, 10, 16, 16, 16, 16, 20]
    assert quantities.final_overflow("rem").samples(study)[0].values.tolist() == [20, 0]
    share = quantities.early_share("rem").samples(study)[0].values
    assert share[0] == 70.0
    assert np.isnan(share[1])  # nothing overflowed
    of_arrivals = quantities.overflow_share("rem").samples(study)[0].values
    assert of_arrivals.tolist() == [100.0 * 20 / 10_000, 0.0]


def test_windows_and_prices_are_means_of_the_settled_part() -> None:
    study = _made([[0] * 10, [0] * 10])
    assert quantities.price("rem").samples(study)[1].values.tolist() == [5.0, 5.0]
    # 3000 packets in 30 s are 8 in a round trip; with 20 that wait, 28 for 20 users.
    under_way = quantities.under_way("rem", "wireless")
    assert under_way.samples(study)[0].values[0] == pytest.approx(28.0 / 20.0)
    alone = quantities.only_at(under_way, 40.0).samples(study)
    assert [sample.values[0] for sample in alone] == pytest.approx([28.0 / 40.0])
    over = quantities.window_over_share("rem").samples(study)
    assert over[1].values.tolist() == pytest.approx([15.0 / (28.0 / 40.0), 16.0 / (28.0 / 40.0)])


def _whole(result: weir.Sweep, table: str) -> pl.DataFrame:
    rows: pl.DataFrame = getattr(result, table)
    return rows.filter(pl.col("period") == rows["period"].max(), pl.col("group") == "all")


def test_modified_sources_gain_what_losses_cost() -> None:
    short = weir.Scenario.load(WIRELESS, {"duration": "30 s", "measure.period": "30 s"})
    result = short.compare(variants=["drop-tail", "rem-newreno", "rem"])
    goodput = dict(_whole(result, "groups").select("variant", "goodput").iter_rows())
    assert goodput["rem"] > goodput["drop-tail"] + 0.2
    assert goodput["rem-newreno"] == pytest.approx(goodput["drop-tail"], abs=0.05)


def test_sources_that_fall_back_are_newreno_before_a_router_that_cannot_mark() -> None:
    short = weir.Scenario.load(MIXED, {"duration": "30 s"})
    result = short.compare(variants=["fall-back", "no-fall-back", "newreno"])
    of_group = result.groups.filter(pl.col("period") == -1, pl.col("group") == "phone")
    counted = {
        row["variant"]: (row["sent"], row["delivered"], row["timeouts"])
        for row in of_group.iter_rows(named=True)
    }
    assert counted["fall-back"] == counted["newreno"]
    drops = result.links.filter(
        pl.col("period") == -1, pl.col("link") == "legacy", pl.col("group") == "all", pl.col("class") == "all"
    )
    lost = dict(drops.select("variant", "drops").iter_rows())
    assert lost["no-fall-back"] > 1.3 * lost["newreno"]
    assert drops["marks"].sum() == 0


def test_prices_add_up_along_a_path() -> None:
    lot = weir.Scenario.load(PATHS, {"duration": "70 s"})
    result = lot.compare(variants=["rem", "price-red"])
    long = result.groups.filter(pl.col("period") == -1, pl.col("group") == "long")
    marked = dict(long.select("variant", "mark_fraction").iter_rows())
    product = dict(long.select("variant", "mark_fraction_product").iter_rows())
    measured = result.series.filter(
        pl.col("variable").is_in(["price", "measure"]),
        pl.col("time_s") >= 20.0,
        pl.col("component").str.ends_with("forward"),
    )
    sums = measured.join(result.runs.select("run", "variant"), on="run").group_by("variant", "time_s")
    sums = sums.agg(pl.col("value").sum())
    for variant, margin in (("rem", 0.15), ("price-red", None)):
        _, told = quantities.TOLD[variant]
        mean = float(sums.filter(variant=variant).select(told(pl.col("value")).mean()).item())
        assert marked[variant] == pytest.approx(product[variant], rel=0.05)
        if margin is None:
            assert marked[variant] < 0.95 * mean  # a line with a bend does not turn sums into products
        else:
            assert marked[variant] == pytest.approx(mean, rel=margin)


@pytest.mark.parametrize(("control", "ratio"), [("drop-tail", 0.3), ("vegas-drop-tail", 1.0 / 3.0)])
def test_the_optimum_is_that_of_the_theory(control: str, ratio: float) -> None:
    # A queue of 20 packets is 16 ms: round trips of 56 and 128 ms.
    weights = (2.0, 2.0) if control.startswith("vegas") else (1.5 / 0.128**2, 1.5 / 0.056**2)
    fairness = 1.0 if control.startswith("vegas") else 2.0
    links = tuple(Link(f"hop{n}", 1250.0) for n in (1, 2, 3))
    names = tuple(link.name for link in links)
    sources = [Source("long", names, Utility.fair(weights[0], fairness), count=10)]
    sources += [Source(f"on-{one}", (one,), Utility.fair(weights[1], fairness), count=10) for one in names]
    best = optimum(Network(links, tuple(sources))).rates
    expected = quantities.long_share(control, 0.016)
    assert 10.0 * best[0] / 1250.0 == pytest.approx(expected, rel=1e-3)
    assert expected / (1.0 - expected) == pytest.approx(ratio, rel=0.2)
