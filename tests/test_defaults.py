"""Defaults of a scenario: packet size, warm-up, RED's thresholds."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import weir
from weir.check import trend_notes
from weir.scenario._toml import Value

FOUR = """
schema = 1
name = "four"
duration = "120 s"
[links.l]
rate = "50 Mbit/s"
delay = "10 ms"
buffer = "1 BDP"
queue.red = {}
[flows.f]
count = 4
rtt = "100 ms"
start_jitter = "1 s"
"""


def resolved(text: str, **values: Value) -> dict[str, Any]:
    return tomllib.loads(weir.Scenario.loads(text).replace(values).to_toml())


def measured(text: str, values: dict[str, Any], measure: str, tmp_path: Path) -> float:
    sweep = weir.Scenario.loads(text, values).run(replications=3, store=tmp_path / "store")
    return sweep.summary()[measure].item()


def test_packets_fill_an_ethernet_frame() -> None:
    assert resolved(FOUR)["flows"]["f"]["packet_size"] == "1500 B"


@pytest.mark.parametrize(
    ("values", "warm_up"),
    [
        ({}, "11 s"),  # the last start at 1 s, and 100 round trips of 100 ms
        ({"flows.f.start": "20 s"}, "31 s"),
        ({"flows.f.rtt": "20 ms"}, "3 s"),
        ({"flows.f.rtt": {"uniform": {"from": "20 ms", "to": "200 ms"}}}, "21 s"),
        ({"duration": "8 s"}, "4 s"),  # at most half
        ({"measure.warm_up": "0 s"}, "0 s"),
    ],
)
def test_the_warm_up_follows_from_starts_and_round_trips(values: dict[str, Value], warm_up: str) -> None:
    assert resolved(FOUR, **values)["measure"]["warm_up"] == warm_up


def test_the_start_is_no_part_of_what_is_measured(tmp_path: Path) -> None:
    """Slow start overshoots: with it, the 99th percentile is that of the first second."""
    values: dict[str, Any] = {"duration": "60 s", "links.l.queue": {"codel": {}}}
    usual = measured(FOUR, values, "delay_p99", tmp_path)
    whole = measured(FOUR, {**values, "measure.warm_up": "0 s"}, "delay_p99", tmp_path)
    assert usual < whole / 1.5, (usual, whole)


@pytest.mark.parametrize("buffer", ["1 BDP", "2 BDP"])
def test_red_fills_the_link_of_few_flows(buffer: str, tmp_path: Path) -> None:
    """Thresholds for the link, where the 5 ms of ns-2's rule, Adaptive RED's default, are too little."""
    values: dict[str, Any] = {"links.l.buffer": buffer}
    assert measured(FOUR, values, "utilisation", tmp_path) > 90.0
    short: dict[str, Any] = {**values, "links.l.queue": {"adaptive-red": {}}}
    assert measured(FOUR, short, "utilisation", tmp_path) < 85.0


def test_red_derives_one_threshold_from_the_other() -> None:
    red = resolved(FOUR)["links"]["l"]["queue"]["red"]
    assert (red["min_th"], red["max_th"]) == ("70 packets", "210 packets")  # half of a buffer of 417 packets
    red = resolved(FOUR, **{"links.l.queue.red.min_th": "10 packets"})["links"]["l"]["queue"]["red"]
    assert (red["min_th"], red["max_th"]) == ("10 packets", "30 packets")
    red = resolved(FOUR, **{"links.l.queue.red.max_th": "60 packets"})["links"]["l"]["queue"]["red"]
    assert (red["min_th"], red["max_th"]) == ("20 packets", "60 packets")


def test_a_queue_that_has_not_settled_is_noted(tmp_path: Path) -> None:
    """A Reno flow before a deep buffer: its window, and the queue, grow through all of a short run."""
    values: dict[str, Any] = {
        "duration": "20 s", "measure.warm_up": "2 s", "flows.f.count": 1, "flows.f.rtt": "20 ms",
        "flows.f.tcp.initial_ssthresh": "90 packets", "links.l.queue": {"drop-tail": {}},
        "links.l.buffer": "90 BDP",
    }  # fmt: skip
    early = weir.Scenario.loads(FOUR, values).run(replications=2, store=tmp_path / "store")
    assert [note.note.code for note in early.trend_notes] == ["not-stationary"]
    assert "measure.warm_up" in str(early.notes[-1])
    steady = weir.Scenario.loads(FOUR).run(replications=2, store=tmp_path / "store")
    assert steady.trend_notes == ()


def test_a_trend_has_to_be_certain_and_worth_a_note() -> None:
    text = weir.Scenario.loads(FOUR).to_toml()
    # Halves of 1 and 3 packets: the second is three times the first.
    (note,) = trend_notes(text, [45.0], [1.0])
    assert (
        "from the first half of what is measured to the second, it grew by 100% of its mean" in note.message
    )
    assert not trend_notes(text, [20.0], [0.5]), "one run alone has to be monotone"
    assert trend_notes(text, [20.0] * 8, [0.5] * 8)
    assert not trend_notes(text, [45.0] * 8, [0.01] * 8)
    periods = weir.Scenario.loads(FOUR, {"measure.period": "10 s"}).to_toml()
    assert not trend_notes(periods, [45.0], [0.5]), "periods show it themselves"


@pytest.mark.soak
@pytest.mark.parametrize("name", ["red", "codel", "drop-tail", "pie"])
def test_a_queue_that_has_settled_is_hardly_ever_noted(name: str, tmp_path: Path) -> None:
    """Neighbouring parts are not independent: so the rate of false notes is measured, not only calculated."""
    values: dict[str, Any] = {"duration": "60 s", "links.l.queue": {name: {}}}
    sweep = weir.Scenario.loads(FOUR, values).run(replications=400, store=tmp_path / "store")
    whole = (pl.col("class") == "all") & (pl.col("group") == "all") & (pl.col("period") == -1)
    rows = sweep.table("links").filter(pl.col("bottleneck"), whole).sort("run")
    trends, drifts = rows["queue_trend"].to_list(), rows["queue_drift"].to_list()
    text = sweep.resolved_at(0, sweep.baseline)
    for n in (1, 5):
        parts = [slice(at, at + n) for at in range(0, 400, n)]
        noted = sum(bool(trend_notes(text, trends[part], drifts[part])) for part in parts)
        assert noted <= 0.01 * len(parts), f"{noted} of {len(parts)} with {n} replications"
