"""BBR: against Linux in short, and what the bundled scenarios show."""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import weir
from conftest import Command
from validation import bbr, l4s, misses, shares
from validation.kernel_queues import BUFFERS
from weir.stats._intervals import Interval


def test_every_combination_of_linux_has_a_scenario() -> None:
    recorded = bbr.reference()
    text = (l4s.HERE / l4s.SCENARIO).read_text(encoding="utf-8")
    assert len(recorded) == 148
    assert len({l4s.scenario(one, text).hash for one in recorded}) == 148
    assert {one.link for one in recorded} == set("ABCD")
    assert {one.scen for one in recorded} == {"", "loss1", "step"}
    assert {name for name, _ in misses.known("bbr")} <= {one.name for one in recorded}


def test_bbr_beside_cubic_over_one_bdp_is_as_in_linux() -> None:
    chosen = bbr.reference(lambda one: one.qdisc == "pfifo_1bdp" and one.link == "A" and one.flows == 2)
    chosen = {one: rows for one, rows in chosen.items() if "cubic" in one.congestion}
    found = l4s.judged("bbr", chosen)
    assert len(found.bound) == 2
    assert misses.named(found.misses) == []
    first, third = (cell.weir.mean for _, cell in found.mixes)
    assert first > 5.0, "version 1 answers no losses"
    assert 0.6 < third < 1.3, "version 3 does"


def test_the_picture_has_every_buffer_and_the_mixes_that_linux_ran() -> None:
    ours: dict[shares.Place, Interval] = {
        (link, version, buffer): Interval(50.0, 2.0, 5)
        for link in shares.ON
        for version in shares.VERSIONS
        for buffer in BUFFERS
    }
    linux: dict[shares.Place, list[float]] = {("A", "bbr1", 1): [88.0, 87.0], ("A", "bbr1", 4): [50.0]}
    panels = shares.plot(shares.Shares(ours, linux)).facets
    curves = {(at, curve.label): curve for at, panel in enumerate(panels) for curve in panel.curves}
    assert len(panels) == 3
    assert all(curves[at, name].x == BUFFERS for at in range(3) for name in shares.VERSIONS.values())
    assert curves[0, "BBRv1, Linux"].x == [1, 1, 4]
    assert curves[0, "BBRv1, Linux"].y == [88.0, 87.0, 50.0]
    assert len(curves) == 7, "no curve without points"


def test_shares_of_linux_are_those_of_its_mixes() -> None:
    """A ratio of 1 is a share of a half; FIFOs of 1 and 4 products were recorded."""
    found = dict(shares.recorded())
    assert {buffer for _, _, buffer in found} == {1, 4}
    assert {link for link, _, _ in found} == {"A", "B", "C"}
    mix = next(one for one in bbr.reference() if one.name == "pfifo_1bdp, A, bbr1:1+cubic:1")
    ratios = [float(row["ratio_g1_g2"]) for row in bbr.reference()[mix]]
    assert found["A", "bbr1", 1] == pytest.approx([100 / (1 + 1 / ratio) for ratio in ratios])


@pytest.mark.soak
def test_what_misses_is_named() -> None:
    found = l4s.judged("bbr", bbr.reference())
    assert (misses.named(found.misses), misses.stale("bbr", found.misses)) == ([], [])
    assert found.values - len(found.missed) >= 0.93 * found.values


def _share(scenario: str, variant: str, group: str) -> float:
    flows = weir.load(scenario).variant(variant).run().table("flows")
    rates = dict(flows.group_by("group").agg(pl.col("goodput_bps").sum()).iter_rows())
    return float(rates[group] / sum(rates.values()))


def test_version_3_leaves_cubic_its_share() -> None:
    assert _share("bbr-coexistence", "bbr1", "bbr") > 0.8
    assert 0.3 < _share("bbr-coexistence", "bbr3", "bbr") < 0.65
    assert _share("bbr-coexistence", "versions", "bbr") < 0.5
    assert 0.4 < _share("bbr-coexistence", "cubic", "bbr") < 0.6


def test_the_page_has_what_its_command_prints(weir_command: Command) -> None:
    page = (Path(__file__).parents[1] / "docs/reference/tcp.md").read_text(encoding="utf-8")
    [line] = re.findall(r"weir (run bbr-coexistence [^`]*)`", page)
    without = (f"--set=flows.{group}.tcp.sack_compression=0 s" for group in ("bbr", "other"))
    for words in (line.split(), [*line.split(), *without]):
        printed = weir_command(*words).stdout
        goodput = re.findall(r"^(?:bbr|other) +([0-9.±]+)", printed, re.MULTILINE)
        assert len(goodput) == 2
        assert all(f" {share}%" in page for share in goodput), goodput


def test_the_share_of_version_1_falls_with_the_buffer() -> None:
    shares = [_share("bbr-buffers", variant, "bbr") for variant in ("half", "one", "two", "four", "eight")]
    assert all(before > after for before, after in pairwise(shares[:4])), shares
    assert shares[0] > 0.8
    # A window of two products holds it below half of what stands in a deep buffer.
    assert all(0.3 < share < 0.55 for share in shares[3:]), shares


DATA_CENTRE = """
schema = 1
name = "data-centre"
duration = "6 s"
measure.warm_up = "2 s"
[links.bottleneck]
rate = "1 Gbit/s"
delay = "10 us"
buffer = "1000 packets"
queue.step.threshold = "40 packets"
[flows.bulk]
count = 4
rtt = "2 ms"
start_jitter = "10 ms"
tcp = { preset = "linux", ecn = true, accecn = true, congestion.bbr3 = {} }
"""
ANSWERS: Mapping[str, Any] = {"flows.bulk.tcp.congestion.bbr3.ecn": {}}


def _run(values: Mapping[str, Any], seed: int = 1) -> tuple[dict[str, float], list[float]]:
    """The bottleneck, and the goodput of each flow (bit/s)."""
    run = weir.Scenario.loads(DATA_CENTRE, values).run(seed=seed)
    whole = {"class": "all", "group": "all", "direction": "forward", "period": -1}
    flows = run.table("flows").filter(group="bulk")
    return run.table("links").filter(**whole).row(0, named=True), flows["goodput_bps"].to_list()


@pytest.mark.parametrize("flows", [2, *(pytest.param(flows, marks=pytest.mark.soak) for flows in (4, 8))])
def test_with_its_option_version_3_keeps_the_queue_at_the_step(flows: int) -> None:
    """A probe sends a quarter more than its share. Marks end it once they are told of: a round trip after
    the step. By then a quarter of the product of rate and round trip stands beyond it."""
    step, product, packet = 40.0, 1e9 / 12_000 * 2e-3, 12_000 / 1e9 * 1e3
    count: dict[str, Any] = {"flows.bulk.count": flows}
    for seed in (1, 2, 3):
        (ignoring, _), (answering, _) = _run(count, seed), _run({**count, **ANSWERS}, seed)
        assert answering["drops"] == 0
        assert step / 2 < answering["queue_mean"] < step
        assert answering["delay_p99_ms"] < (step + product / 4) * packet
        # The link is as full: a hundredth is the margin of pacing, and PROBE_RTT takes as much.
        assert answering["utilisation"] > 0.965
        assert answering["utilisation"] > ignoring["utilisation"] - 0.01
        # A window of two products leaves most of one in the queue.
        assert ignoring["queue_mean"] > 0.8 * product


def test_without_its_option_and_on_long_paths_version_3_ignores_marks() -> None:
    """All is as over a queue that does not mark. No ACK is delayed, so that no mark hastens one."""
    without_marks: dict[str, Any] = {"links.bottleneck.queue": {"drop-tail": {}}}
    at_once = {"flows.bulk.tcp.delayed_ack": "0 s"}
    cases: list[dict[str, Any]] = [at_once, {**at_once, "flows.bulk.rtt": "6 ms", **ANSWERS}]
    for values in cases:
        (marking, rates), (plain, expected) = _run(values), _run({**values, **without_marks})
        assert marking["marks"] > 10_000
        assert plain["marks"] == 0
        assert (rates, marking["queue_mean"]) == (expected, plain["queue_mean"])


def test_only_without_its_option_a_note_says_that_marks_are_ignored() -> None:
    scenarios = [weir.Scenario.loads(DATA_CENTRE), weir.Scenario.loads(DATA_CENTRE, ANSWERS)]
    found = [{note.code for note in weir.check.notes(scenario)} for scenario in scenarios]
    assert "marks-ignored" in found[0]
    assert "marks-ignored" not in found[1]


def test_its_option_needs_counted_marks_and_shows_alpha() -> None:
    with pytest.raises(
        weir.ScenarioError, match=r"congestion\.bbr3\.ecn answers how many packets are marked"
    ):
        weir.Scenario.loads(DATA_CENTRE, {**ANSWERS, "flows.bulk.tcp.accecn": False}).run()
    shown = {"interval": "10 ms", "flows": ["bulk.0"]}
    series = {"duration": "2 s", "measure.warm_up": "1 s", "measure.series": shown}
    run = weir.Scenario.loads(DATA_CENTRE, {**ANSWERS, **series}).run()
    alpha = run.table("series").filter(variable="ecn_alpha")["value"].to_list()
    assert alpha
    assert all(0.0 <= one <= 1.0 and (one * 256).is_integer() for one in alpha)
