from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path

import pytest
from bench import measure, worker
from bench.costs import (
    FLOWS_CASE,
    HOPS_CASE,
    SWEEP_CASE,
    Growth,
    Scaling,
    SweepCost,
    costs_of,
    discipline_costs,
    growth,
    page,
    scaling,
    sweep_costs,
)
from bench.counting import has_valgrind, instructions
from bench.measure import CASES, SIZE_BUDGET_S, Measurement
from instructions import EXPECTED, verdicts

from weir.scenario._scenario import bundled


def measurement(**changes: float | None) -> Measurement:
    numbers = {
        "ns_per_packet": 101.5,
        "packets": 3_000_000,
        "user_s": 0.3045,
        "peak_rss_mb": 60.0,
        "added_rss_mb": 20.0,
        "events": 12_000_000,
        "wall_s": 0.31,
        "repeat": 5,
    }
    return Measurement(case="wireline-access", **{**numbers, **changes})  # pyright: ignore[reportArgumentType]


def test_every_case_is_bundled() -> None:
    assert {f"bench/{case}" for case in CASES} <= set(bundled())


def test_the_memory_of_a_process_is_its_own() -> None:
    assert 5 < worker.peak_rss_mb() < 2000


def test_the_fastest_run_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    costs = iter([0.5, 0.3, 0.4])

    def run(program: Path, *_: object) -> str:
        if program.name != "worker.py":
            return json.dumps([{"case": "gigabit-100", "user_s": next(peers), "packets": 2000}])
        cost = {"packets": 1000, "events": 4000, "wall_s": 1.0, "peak_rss_mb": 60.0, "added_rss_mb": 9.0}
        return json.dumps({**cost, "user_s": next(costs)})

    peers = iter([30.0, 40.0])
    monkeypatch.setattr(measure, "output_of", run)
    said: list[str] = []
    (measured,) = measure.measure(["gigabit-100"], 3, with_peer=True, say=said.append)
    assert measured.user_s == 0.3
    assert measured.ns_per_packet == pytest.approx(300_000)
    # The third turn would take it above the budget.
    assert measured.ns2_user_s == 30.0
    assert measured.ratio == pytest.approx(50.0)
    assert said[0] == "gigabit-100: run 1 of 3"


def test_networks_of_all_sizes_are_measured_in_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    runs: list[tuple[str, ...]] = []

    def run(*arguments: object) -> str:
        settings = tuple(str(argument) for argument in arguments[2:])
        runs.append(settings)
        user_s = SIZE_BUDGET_S if "flows.ftp.count=1000000" in settings else 0.1
        cost = {"packets": 1000, "events": 4000, "wall_s": 1.0, "peak_rss_mb": 60.0, "added_rss_mb": 9.0}
        return json.dumps({**cost, "user_s": user_s})

    monkeypatch.setattr(measure, "output_of", run)
    grown = growth(2, say=lambda _: None)
    assert list(grown.flows) == [10, 100, 1_000, 10_000, 100_000, 1_000_000]
    assert list(grown.hops) == [1, 10, 100]
    assert grown.hops[10].repeat == 2
    # The largest has used up its time.
    assert grown.flows[1_000_000].repeat == 1
    assert runs[0] == ("flows.ftp.count=10", "links.bottleneck.rate=1 Mbit/s", "duration=12000 s")
    assert runs[5] == ("flows.ftp.count=1000000", "links.bottleneck.rate=100000 Mbit/s", "duration=4 s")
    assert runs[-1] == ("links.hop.hops=100", "duration=20 s")


def test_other_sizes_are_values_of_the_same_scenario() -> None:
    """A second of each: the scenarios take the values."""
    for case, setting in [(FLOWS_CASE, "flows.ftp.count=10"), (HOPS_CASE, "links.hop.hops=2")]:
        cost = worker.measure(str(bundled()[f"bench/{case}"]), setting, "duration=1 s")
        assert cost["packets"] > 0


def test_the_page_names_machine_and_numbers() -> None:
    batch = Scaling("wireline-delay", replications=20, cores=2, one_s=6.0, all_s=3.0)
    sweeps = [
        SweepCost("one thread", 10_000, 20.0, 21.0, 20.5),
        SweepCost("two threads", 10_000, 10.0, 10.4, 20.8),
    ]
    growth = Growth(
        {10: measurement(), 1_000_000: measurement(ns_per_packet=406.0)},
        {1: measurement(), 100: measurement()},
    )
    alone = page([measurement()], growth, batch, sweeps, [])
    assert "A sweep of 10,000 runs" in alone
    assert "| two threads | 10.00 | 10.40 | 4.0% | 20.80 | 2.02 |" in alone
    assert "20 replications of `wireline-delay` take 6.00 s on one thread" in alone
    assert "2.00 times as fast" in alone
    assert "| wireline-access | 102 | 3,000,000 | 0.30 | 4.00 | 20.0 |" in alone
    assert "the least of 5 runs, each in a process of its own" in alone
    assert "| 10 | 1 Mbit/s | 102 | 1.00 | 3,000,000 | 0.30 | 20.0 |" in alone
    assert "| 1,000,000 | 100,000 Mbit/s | 406 | 4.00 |" in alone
    assert "| 100 | 102 | 3,000,000 | 0.30 | 20.0 |" in alone
    assert "ns-2" not in alone
    once = page([measurement(repeat=1)], growth, batch, sweeps, [])
    assert "one run in a process of its own" in once
    assert "Not measured" in alone
    disciplines = costs_of(
        '{"discipline": "ring", "flows": 32, "ns_per_packet": 4.0}\n'
        '{"discipline": "pi", "flows": 32, "ns_per_packet": 9.5}\n'
        '{"discipline": "fq", "flows": 32, "ns_per_packet": 30.0}\n'
        '{"discipline": "ring", "flows": 1000, "ns_per_packet": 4.2}\n'
        '{"discipline": "fq", "flows": 1000, "ns_per_packet": 38.0}\n'
    )
    counted = page([measurement(instructions_per_packet=1032.4), measurement()], growth, batch, sweeps, [])
    assert "| 20.0 | 1,032 |" in counted
    assert "| 20.0 | – |" in counted
    peers = [measurement(ns2_ns_per_packet=2100.0, ratio=20.7), measurement()]
    together = page(peers, growth, batch, sweeps, disciplines)
    assert "| pi | 9.5 | 5.5 | – |" in together
    assert "| fq | 30.0 | 26.0 | 38.0 |" in together
    assert "| 2,100 | 20.7 |" in together
    assert "| – | – |" in together
    yardstick = replace(measurement(instructions_per_packet=850.0), case=measure.YARDSTICK)
    paced = replace(measurement(ns_per_packet=203.0, instructions_per_packet=1530.0), case="gigabit-paced")
    compared = page([yardstick, paced], growth, batch, sweeps, [])
    assert (
        "`gigabit-paced` takes 2.0 times the time of `gigabit-linux` and 1.80 times its instructions."
        in compared
    )
    assert "times the time" not in alone
    assert "- Processor: " in together


def test_without_cargo_disciplines_are_not_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    said: list[str] = []
    assert discipline_costs(say=said.append) == []
    assert said == ["disciplines alone: skipped, they need cargo"]


def test_instructions_of_packets_are_hundreds() -> None:
    """`make instructions` counts them and compares with these."""
    expected: dict[str, float] = json.loads(EXPECTED.read_text(encoding="utf-8"))
    assert set(expected) == set(CASES)
    assert all(200 < count < 10_000 for count in expected.values())


@pytest.mark.soak
@pytest.mark.skipif(not has_valgrind(), reason="valgrind is not installed")
def test_instructions_are_those_of_packets() -> None:
    """With all that a packet causes they are hundreds; the interpreter's millions are left out."""
    assert 200 < instructions(["gigabit-100"], say=lambda _: None)["gigabit-100"] < 5_000


def test_more_and_fewer_instructions_are_found() -> None:
    expected = {"a": 1000.0, "b": 1000.0}
    assert verdicts(expected, {"a": 1029.0, "b": 971.0}) == {}
    assert verdicts(expected, {"a": 1031.0, "b": 969.0, "c": 5.0}) == {
        "a": "takes 3.1% more",
        "b": "takes 3.1% fewer",
        "c": "is not in the file",
    }


def test_the_table_has_a_line_per_case() -> None:
    head, line = measure.table([measurement(ns2_ns_per_packet=2030.0, ratio=20.0)]).splitlines()
    assert head.split() == [
        "ns/packet",
        "user",
        "s",
        "added",
        "MB",
        "instructions",
        "ns-2",
        "ns/packet",
        "ratio",
    ]
    assert line.split() == ["wireline-access", "102", "0.30", "20.0", "–", "2030", "20.0"]


@pytest.mark.slow
def test_a_case_is_timed_and_counted() -> None:
    (case,) = measure.measure(["gigabit-100"], 1, with_peer=False, say=lambda _: None)
    assert case.case == "gigabit-100"
    assert case.ns_per_packet == pytest.approx(1e9 * case.user_s / case.packets)


@pytest.mark.slow
def test_replications_are_timed_on_one_thread_and_on_all() -> None:
    timed = scaling(2, 1, say=lambda _: None)
    # How fast is for a page to say, not for a test.
    assert (timed.replications, timed.cores) == (2, os.cpu_count())
    assert min(timed.one_s, timed.all_s) > 0


@pytest.mark.slow
@pytest.mark.soak
def test_a_sweep_is_timed_with_everything_beside_its_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A fifth of its settings."""
    text = bundled()[SWEEP_CASE].read_text(encoding="utf-8")
    (tmp_path / "sweep.toml").write_text(text.replace("packets by 1", "packets by 5"), encoding="utf-8")
    monkeypatch.setattr("bench.costs.SWEEP_CASE", str(tmp_path / "sweep.toml"))
    costs = sweep_costs(1, 1, say=lambda _: None)
    assert next(cost.workers for cost in costs) == "one thread"
    for cost in costs:
        assert cost.runs == 100
        assert cost.wall_s > cost.alone_s > 0.0
