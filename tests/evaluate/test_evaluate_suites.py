"""The cells are what their sources say, and what nature says of them comes out."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from pathlib import Path

import polars as pl
import pytest
from evaluation import page
from evaluations import evaluated

import weir
from conftest import Command
from weir import evaluate
from weir.evaluate._values import UNITS
from weir.scenario._scenario import bundled
from weir.store import Store
from weir.sweep import Sweep

RUNNABLE = [cell for cell in evaluate.cells() if not cell.needs]
SPACE = 1e7 * 0.1 / 12_000 * 2.0
"""Packets of a bandwidth-delay product of 10 Mbit/s, 100 ms, and of a buffer of one."""


def run(name: str, place: Path, replications: int, variant: str | None = None) -> Sweep:
    scenario = weir.load(f"evaluation/{name}")
    chosen = scenario if variant is None else scenario.variant(variant)
    assert isinstance(chosen, weir.Scenario)
    return chosen.run(replications, store=place)


def test_every_cell_is_a_bundled_scenario_and_every_such_scenario_a_cell() -> None:
    sources = {cell.source for cell in RUNNABLE}
    assert {name for name in bundled() if name.startswith("evaluation/")} == sources
    assert len({cell.name for cell in evaluate.cells()}) == len(evaluate.cells())


def test_every_pattern_of_a_cell_finds_a_level() -> None:
    for cell in RUNNABLE:
        assert cell.places(quick=False), cell.name
        assert bool(cell.quick) == bool(cell.places(quick=True)), cell.name
        scenario = weir.load(cell.source)
        named = [*cell.groups, *cell.ratio, *cell.left_by, *cell.voice, *cell.load]
        assert set(named) <= set(scenario.groups), cell.name


def test_every_test_of_a_criterion_has_cells_and_a_measure() -> None:
    names = {cell.name for cell in evaluate.cells()}
    for criterion in evaluate.published().all:
        for test in criterion.tests:
            assert set(test.cells) <= names, test.name
            assert any(test.is_about(cell) for cell in evaluate.cells()), test.name
            assert test.measure in UNITS, test.name
    assert [one.number for one in evaluate.published().all] == list(range(1, 17))


def test_a_cell_without_a_model_says_what_it_needs(weir_command: Command) -> None:
    said = weir_command("evaluate", "--list").stdout
    assert len(said.splitlines()) == len(evaluate.cells())
    (line,) = [line for line in said.splitlines() if line.startswith("rfc7928  mix ")]
    assert line.split()[2:4] == ["9.1", "R"]
    assert line.endswith("not available: needs adaptive video, and pages over six connections")


def test_the_page_of_cells_and_criteria_is_current() -> None:
    file = Path(__file__).parents[2] / "docs" / "reference" / "evaluation.md"
    assert file.read_text(encoding="utf-8") == page(), "make pages"


def test_quick_is_a_third_of_the_time() -> None:
    (cell,) = evaluate.chosen("all", ["tcp"])
    (level,) = cell.places(quick=True)
    assert level.scenario.duration == 20.0 + 300.0 / 3.0


def test_a_flood_of_half_above_the_capacity_loses_a_third(tmp_path: Path) -> None:
    (loss,) = run("rfc7928/udp-flood", tmp_path, 1).observations()["loss"]
    assert loss == pytest.approx(100.0 / 3.0, abs=0.1)


def test_equal_round_trips_share_equally(tmp_path: Path) -> None:
    jain = run("rfc7928/rtt-fair", tmp_path, 3, "rtt-100").observations()["jain"]
    assert min(jain) >= 0.98


@pytest.mark.parametrize("load", ["mild", "medium", "heavy"])
def test_loads_lose_what_they_stand_for(load: evaluate.Load, tmp_path: Path) -> None:
    sweep = run(f"rfc7928/{load}", tmp_path, 3, "newreno")
    observed = sweep.observations().select(pl.col("loss", "mean_queue").mean()).row(0, named=True)
    flows = evaluate.flows_for_load(SPACE, load)
    assert weir.load(f"evaluation/rfc7928/{load}").core.value("flows.ftp.count") == flows
    # The formula thinks of a buffer that is always full: with six flows it is not, on average.
    expected = 100.0 * evaluate.loss_at_load(flows, SPACE / 2.0 + observed["mean_queue"] + 1.0)
    assert 1.0 / 1.5 <= observed["loss"] / expected <= 1.5
    nominal = observed["loss"] / (100.0 * evaluate.loss_at_load(flows, SPACE))
    assert 1.0 / 1.5 <= nominal <= (1.75 if load == "mild" else 1.5)


@pytest.mark.soak
def test_dualpi2_couples_cubic_and_prague(tmp_path: Path) -> None:
    """At 40 Mbit/s, 10 ms, as De Schepper and others (CoNEXT 2016) have it: within a factor of two."""
    with Store.open(tmp_path / "store", create=True) as store:
        found = evaluated(store, ["dualpi2"], ["pairs"], 5).values
    ratios = found.filter(
        pl.col("discipline") == "dualpi2",
        pl.col("level") == "prague, 40 Mbit/s, 10 ms",
        pl.col("measure") == "ratio",
    )["value"]
    assert len(ratios) == 5
    assert 0.5 <= ratios.mean() <= 2.0  # type: ignore[operator]


def first_of(cells: Sequence[evaluate.Cell]) -> list[tuple[evaluate.Cell, evaluate.Level]]:
    return [(cell, cell.places(quick=False)[0]) for cell in cells]


def test_a_discipline_is_placed_in_every_queue_of_a_cell() -> None:
    (codel,) = evaluate.subjects(["codel"], [("codel.target", "7 ms")])
    for cell, level in first_of(RUNNABLE):
        placed = tomllib.loads(codel.placed(cell, level).to_toml())
        keys = cell.queues or (level.scenario.network.bottleneck.key,)
        for key in keys:
            where = placed
            for part in key.split("."):
                where = where[part]
            assert where["queue"]["codel"]["target"] == "7 ms", (cell.name, key)
            marks = cell.marks_at(level.name)
            assert where["queue"]["codel"]["ecn"] == marks, cell.name


def test_parameters_are_halved_and_doubled_one_by_one() -> None:
    (pie,) = evaluate.subjects(["pie"])
    (cell,) = evaluate.chosen("all", ["params"])
    levels = dict(pie.configurations(cell, cell.places(quick=False)))
    changed = levels["target x 2"].value("links.bottleneck.queue")["pie"]
    assert changed["target"] == "30 ms"
    assert levels["target x 0.5"].value("links.bottleneck.queue")["pie"]["target"] == "7.5 ms"
    plain = levels["defaults"].value("links.bottleneck.queue")["pie"]
    assert {name for name in plain if plain[name] != changed[name]} == {"target"}


def test_targets_are_those_of_the_aqms() -> None:
    (cell,) = evaluate.chosen("all", ["mild"])
    level = cell.places(quick=False)[0]
    found = {
        one.name: one.target_ms(one.placed(cell, level), 20.0)
        for one in evaluate.subjects(["codel", "pie", "rem", "adaptive-red", "red"])
    }
    # REM's 20 packets of 1.2 ms; RED has no target.
    assert found == {"codel": 5.0, "pie": 15.0, "rem": 24.0, "adaptive-red": 5.0, "red": 20.0}
