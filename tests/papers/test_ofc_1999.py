"""The OFC paper of 1999: its claims, its scenarios, its theory, and what is computed from its runs."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from weir import Scenario
from weir.stats import MEASURES
from weir.store import Store
from weir.sweep import chosen_workers, execute_plan
from weir_papers import ns2
from weir_papers.data import COUNTERS, Data, Study
from weir_papers.expected import Range
from weir_papers.ofc_1999 import optimum, quantities, tables
from weir_papers.ofc_1999.figures import dumbbell
from weir_papers.ofc_1999.quantities import PROPAGATION_MS, SENDING_MS, OfRuns, measured
from weir_papers.paper import Experiment, FigureText
from weir_papers.quantities import Level
from weir_papers.registry import paper

PAPER = paper("ofc-1999")
EXPERIMENTS = PAPER.experiments
FIGURES = {plot.name: plot for plot in PAPER.plots if isinstance(plot, FigureText)}
LINK = 5625.0
"""Packets per second."""


def test_every_assertion_has_a_claim() -> None:
    stems = {claim.id.rstrip("ab") for claim in PAPER.claims}
    assert {f"A-1.{number}" for number in range(1, 8)} <= stems
    assert len({claim.id for claim in PAPER.claims}) == len(PAPER.claims)


def test_table_1_is_expected_as_the_paper_prints_it() -> None:
    rows = {claim.id: claim.parts for claim in PAPER.claims}
    of_rem = (*rows["A-1.1a"], *rows["A-1.1b"])
    table = (of_rem, rows["A-1.2"], rows["A-1.3"])
    printed = [[part.published for part in row] for row in table]
    assert printed == [
        [55_794.0, 0.0, 1.0, 18.7, 3.9],
        [55_992.0, 0.0, 1.0, 8.5, 3.6],
        [56_054.0, 91.0, 0.85, 44.9, 8.0],
    ]
    for row in table:
        for part in row:
            assert part.published is not None
            assert isinstance(part.expected, Range)
            assert part.expected.low <= part.published <= part.expected.high


@pytest.mark.parametrize("experiment", EXPERIMENTS, ids=lambda one: one.name)
def test_every_point_of_every_experiment_can_be_run(experiment: Experiment) -> None:
    quick = experiment.plan(PAPER.key, quick=True)
    full = experiment.plan(PAPER.key, quick=False)
    assert quick.replications >= 2
    assert len(quick.design.rows) <= len(full.design.rows)


def test_the_map_of_phases_has_both_sides_of_21_transmissions() -> None:
    phases = next(one for one in EXPERIMENTS if one.name == "phases")
    text = phases.axes["propagation"].split("; ")[0].partition("=")[2].split(", ")
    trips = [float(one.removesuffix(" ms")) + SENDING_MS for one in text]
    transmissions = [one / 1e3 * LINK for one in trips]
    assert any(20.99 < one < 21.0 for one in transmissions)
    assert any(21.0 < one < 21.01 for one in transmissions)
    assert 21.0 < (PROPAGATION_MS + SENDING_MS) / 1e3 * LINK < 21.01


# --- Theory ---


def test_the_equilibrium_is_the_root_of_the_quadratic() -> None:
    for settled, times, queue in ((optimum.equal(), 4, 20.3261), (optimum.unequal(), 6, 26.5169)):
        assert settled.queue == pytest.approx(queue, abs=1e-4)
        assert settled.queue**2 + 21.0 * settled.queue == pytest.approx(times * 210.0)
        assert sum(settled.windows) == pytest.approx(21.0 + settled.queue)
    assert optimum.equal().windows[0] == pytest.approx(10.33, abs=0.005)
    assert optimum.unequal().windows[:2] == pytest.approx((7.92, 15.84), abs=0.005)


def test_the_textbook_has_twice_the_queue() -> None:
    queue, window = optimum.textbook()
    assert (queue, window) == pytest.approx((39.98, 15.24), abs=0.01)


def test_the_algorithm_reaches_the_optimum_and_too_large_a_step_does_not() -> None:
    for how in ("synchronous", "asynchronous"):
        for example in ("dumbbell", "parking-lot"):
            for case in optimum.solved(example, how, 2):
                assert case.trajectory.converged
                assert max(case.rates_off, case.prices_off, case.conditions_off) < 0.1
    claim = next(claim for claim in PAPER.claims if claim.id == "P-11")
    values = [check.value for check in claim.judge(Study({}, quick=True)).checks]
    assert values == [100.0, 100.0, 0.0, 0.0]


def test_networks_differ() -> None:
    first, second = (optimum.drawn("dumbbell", number) for number in (0, 1))
    assert first[0].sources[0].utility != second[0].sources[0].utility
    assert not np.array_equal(first[1], second[1])


def test_the_convergence_ends_on_its_dotted_lines() -> None:
    rates, prices = dumbbell(Study({}))[:2]
    for facet in (rates, prices):
        runs = {one.label: one.y[-1] for one in facet.curves if one.kind == "runs"}
        dotted = {one.label: one.y[-1] for one in facet.curves if one.kind == "theory"}
        assert runs == pytest.approx(dotted, rel=1e-3)


# --- From tables to numbers ---


def _made() -> Study:
    """One run of two bins from 1 s on and one before, with four sources and their series."""
    names = dict.fromkeys((*MEASURES, *COUNTERS), 0.0)
    key = {"run": 1, "variant": "rem", "label": "REM", "replication": 0}
    periods = ((-1, 0.0, 10.0, 0.99), (0, 0.2, 0.3, 0.5), (1, 0.9, 1.0, 0.995), (2, 1.0, 1.1, 0.999),
               (3, 1.1, 1.2, 1.0))  # fmt: skip
    times = [
        {"run": 1, "period": period, "from_s": begin, "to_s": end, "group": "all", "direction": "forward",
         "bottleneck": True, "utilisation": used}
        for period, begin, end, used in periods
    ]  # fmt: skip
    frame = pl.DataFrame([{**key, "period": -1, "from_s": 0.0, "to_s": 10.0, "users": 4, **names}])
    rates = {"odd.0": (30.0, 10.0, 12.0), "even.0": (0.0, 11.0, 14.0), "odd.1": (5.0, 9.0, 9.0),
             "even.1": (1.0, 4.0, 6.0)}  # fmt: skip
    delivered = {"odd.0": 21, "even.0": 21, "odd.1": 21, "even.1": 4}
    rows = [
        {"run": 1, "flow": flow, "period": period, "goodput_bps": 1e6 * rate, "delivered": delivered[flow]}
        for flow, of_flow in rates.items()
        for period, rate in zip((-1, 1, 2, 3), (0.0, *of_flow), strict=True)
    ]
    series = [
        {"run": 1, "component": component, "variable": variable, "time_s": time_s, "value": value}
        for component, variable, values in (
            ("flows.odd.0", "ownd", (50.0, 8.0, 9.0)),
            ("flows.even.0", "ownd", (50.0, 16.0, 18.0)),
            ("flows.odd.0", "cwnd", (1.0, 22.0, 11.0)),
            ("flows.even.0", "cwnd", (1.0, 2.0, 22.0)),
            ("flows.odd.0", "flight", (1.0, 9.0, 9.0)),
            ("flows.even.0", "flight", (1.0, 2.0, 18.0)),
            ("flows.odd.0", "price", (0.1, 2.0, 2.0)),
            ("links.bottleneck.forward", "queue", (0.0, 4.0, 12.0)),
            ("links.bottleneck.reverse", "queue", (9.0, 9.0, 9.0)),
        )
        for time_s, value in zip((0.1, 1.0, 1.1), values, strict=True)
    ]
    read = {"flows": pl.DataFrame(rows), "series": pl.DataFrame(series)}
    read |= dict.fromkeys(("groups", "links"), pl.DataFrame(times))
    runs = pl.DataFrame([key])
    return Study({"base": Data(frame, runs, (), None, read.__getitem__)})


MADE = _made()


@pytest.mark.parametrize(
    ("what", "values"),
    [
        (quantities.JAIN, [0.838]),
        (quantities.RATES, [11.0, 12.5, 9.0, 5.0]),
        (quantities.SWING, [(2.0 + 3.0 + 0.0 + 2.0) / 4]),
        (quantities.LATE_SHARE, [5.0 / ((11.0 + 12.5 + 9.0) / 3)]),
        (quantities.FIRST_RATES, [30.0, 0.0, 5.0, 1.0]),
        (quantities.WINDOW_RATIO, [2.0]),
        (quantities.FALLS, [1.0]),
        (quantities.SHORTEST, [4.0]),
        (quantities.SETTLED_QUEUE, [8.0]),
        (quantities.BETWEEN_THRESHOLDS, [50.0]),
        (quantities.LEAST_USE, [99.5]),
        (quantities.LEAST_WINDOWS, [1.0]),
        (quantities.OPTIMAL_BINDS, [75.0]),
        (quantities.BEYOND_WINDOW, [0.0]),
    ],
    ids=lambda one: one.name if isinstance(one, OfRuns) else "",
)
def test_numbers_of_runs(what: OfRuns, values: list[float]) -> None:
    samples = measured("base", "rem", what).samples(MADE)
    assert [float(sample.values[0]) for sample in samples] == pytest.approx(values, abs=5e-4)


def test_a_rate_is_compared_with_the_one_that_the_price_is_worth() -> None:
    (sample,) = measured("base", "rem", quantities.OVER_WANTED, ("odd.0",)).samples(MADE)
    assert sample.values.tolist() == pytest.approx([11.0 / (2812.0 * 0.008)])


def test_sources_are_counted_by_their_starts() -> None:
    places = [sample.place for sample in measured("base", "rem", quantities.RATES).samples(MADE)]
    assert [place[-8:] for place in places] == [f"source {number}" for number in (1, 2, 3, 4)]
    (late,) = measured("base", "rem", quantities.RATES, ("even.1",)).samples(MADE)
    assert late.place.endswith("source 4")


def test_numbers_show_two_digits_of_their_uncertainty() -> None:
    assert tables.said(19.9231, 0.0304) == "19.923 ± 0.030"
    assert tables.said(86.0, 0.0) == "86"
    assert tables.said(0.05, 0.1) == "0.05 ± 0.10"


def test_numbers_of_ns_2_are_those_of_the_reference() -> None:
    assert ns2.mean("ofc_1999", "base", "drop-tail", "drops", 3.7333) == 140.0
    assert ns2.mean("ofc_1999", "instant", "drop-tail", "delivered", 3.7333) == pytest.approx(56_054, abs=1)
    assert ns2.mean("ofc_1999", "base", "rem", "drops", 3.7333) is None


# --- Physics ---


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Study]:
    """Three replications of what decides table 1; one of the networks, of which `make soak` does more."""
    replications = {"base": 3, "measured": 3, "as-ns2": 3, "network": 1, "network-measured": 1}
    found: dict[str, Data] = {}
    directory: Path = tmp_path_factory.mktemp("ofc")
    with Store.open(directory / "store", create=True) as store, chosen_workers(threads=2) as workers:
        for experiment in EXPERIMENTS:
            if experiment.name in replications:
                plan = experiment.plan(PAPER.key, quick=True, replications=replications[experiment.name])
                sweep, _ = execute_plan(plan, store, workers)
                found[experiment.name] = Data.of(sweep, experiment.axis_columns, experiment.stage_s)
        yield Study(found, quick=True)


def _values(study: Study, variant: str, measure: str) -> np.ndarray:
    return Level("base", variant, measure).samples(study)[0].values


def test_rem_loses_nothing_and_settles_where_theory_has_it(study: Study) -> None:
    assert _values(study, "rem", "drops").tolist() == [0.0] * 3
    (queue,) = measured("base", "rem", quantities.SETTLED_QUEUE).samples(study)
    assert queue.values == pytest.approx(optimum.equal().queue, abs=0.5)
    rows = quantities.series(study["base"].read, "ownd").filter(pl.col("time_s") >= quantities.SETTLED_S)
    sent = rows.join(study["base"].runs.filter(variant="rem"), on="run")["value"].floor().to_numpy().mean()
    assert sent == pytest.approx(optimum.equal().windows[0], abs=0.25)


@pytest.mark.parametrize("variant", ["synchronous", "asynchronous", "occupancy"])
def test_packets_over_three_links_come_to_the_optimum(study: Study, variant: str) -> None:
    for quantity in (quantities.rate_off, quantities.link_price_off, quantities.price_off):
        samples = quantity(variant).samples(study)
        assert len(samples) in (3, 5)
        assert all(abs(sample.values.mean()) < 5.0 for sample in samples)


@pytest.mark.parametrize("variant", ["synchronous", "asynchronous", "occupancy"])
def test_so_they_do_where_hosts_go_on_measuring_their_round_trip(study: Study, variant: str) -> None:
    for quantity in (quantities.rate_off, quantities.link_price_off):
        samples = quantities.measuring(quantity(variant)).samples(study)
        assert len(samples) in (3, 5)
        assert all(abs(sample.values.mean()) < 5.0 for sample in samples)


def test_on_the_paper_s_link_measuring_ends_at_the_optimum_of_rates(study: Study) -> None:
    queue, window = optimum.textbook()
    for what, wanted, margin in (
        (quantities.SETTLED_QUEUE, queue, 2.5),
        (quantities.WINDOWS, window, 1.0),
        (quantities.OVER_WANTED, 1.0, 0.05),
    ):
        for sample in measured("measured", "rem", what).samples(study):
            assert sample.values.mean() == pytest.approx(wanted, abs=margin)


def test_without_the_queue_in_tau_long_paths_get_less(study: Study) -> None:
    off = {
        variant: {sample.place.split(", ")[-1]: sample.values.mean() for sample in samples}
        for variant in ("synchronous", "least-tau")
        for samples in [quantities.rate_off(variant).samples(study)]
    }
    assert off["least-tau"]["long"] < off["synchronous"]["long"] - 1.0


def test_the_network_of_packets_has_prices_as_the_paper_s_link() -> None:
    network, found = quantities.best("synchronous")
    assert [len(source.path) for source in network.sources] == [3, 2, 1, 1, 1]
    assert ((found.prices > 0.5) & (found.prices < 0.7)).all()
    assert found.prices.sum() == pytest.approx(1.75, abs=0.02)


def test_windows_fill_pipe_and_queue(study: Study) -> None:
    for variant in ("rem", "differentiated"):
        runs = study["base"].runs.filter(variant=variant)
        rows = quantities.series(study["base"].read, "flight").join(runs, on="run")
        flight = rows.filter(pl.col("time_s") >= quantities.SETTLED_S)["value"].to_numpy().mean()
        (queue,) = measured("base", variant, quantities.SETTLED_QUEUE).samples(study)
        assert 4.0 * flight == pytest.approx(21.0 + queue.values.mean(), rel=0.02)


def test_drop_tail_loses_the_same_whatever_the_seed(study: Study) -> None:
    drops = _values(study, "drop-tail", "drops")
    assert np.ptp(drops) == 0.0
    assert 30.0 <= drops[0] <= 300.0


def test_just_below_21_transmissions_drop_tail_is_another(study: Study) -> None:
    shorter = {f"flows.{group}.rtt": "3.3817 ms" for group in ("odd", "even")}
    there = Scenario.load("papers/ofc-1999-base", shorter).compare(2, variants=["drop-tail"])
    queue = there.links.filter(pl.col("period") == -1, direction="forward", group="all", **{"class": "all"})[
        "queue_mean"
    ]
    assert queue.to_numpy().mean() < _values(study, "drop-tail", "mean_queue").mean() - 3.0


def test_ns_2_is_met_at_its_own_settings(study: Study) -> None:
    there = study.at("as-ns2", "as-ns2", propagation=3.7333)
    for variant, of_ns2, measure, margin in (
        ("drop-tail-49", "drop-tail", "mean_queue", 1.0),
        ("drop-tail-49", "drop-tail", "queue_sd", 1.0),
        ("red", "red", "mean_queue", 0.5),
        ("red-drop", "red-drop", "mean_queue", 0.5),
    ):
        (sample,) = Level("as-ns2", variant, measure).samples(there)
        wanted = ns2.mean("ofc_1999", "base", of_ns2, measure, 3.7333)
        assert sample.values.mean() == pytest.approx(wanted, abs=margin)


def test_figures_of_the_paper_have_its_panels(study: Study) -> None:
    for name in ("figure-1", "figure-3", "figure-4"):
        facets = FIGURES[name](study).facets
        assert len(facets) == 4
        for facet in facets:
            runs = [one for one in facet.curves if one.kind == "runs" and len(one.x) > 0]
            assert runs
            assert all(len(one.x) == len(one.y) for one in runs)
    for facet in FIGURES["figure-1"](study).facets[:2]:
        drawn = [value for one in facet.curves if one.kind == "runs" for value in one.y]
        assert max(drawn) == pytest.approx(21.0)


def test_the_theory_table_has_printed_and_measured_numbers(study: Study) -> None:
    rows = {row[0]: row[1:] for row in tables.table_theory(study)}
    assert rows["queue"][:3] == ["40.0", "20.33", "18.7"]
    assert float(rows["queue"][3].split(" ")[0]) == pytest.approx(19.9, abs=0.5)
    assert rows["queue, two weights"][1] == "26.52"
