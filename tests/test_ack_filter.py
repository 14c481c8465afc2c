"""Filters of ACKs in scenarios: their counts in tables, and their errors."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest

import weir
from capturing import scapy
from conftest import Command
from weir.run._tables import WHOLE_RUN

FILTERED = "acks_filtered"
SHORT = {"duration": "12 s", "measure.warm_up": "2 s"}


def back(run: weir.Sweep) -> dict[str, Any]:
    """The row of the upload's queue, all groups and classes."""
    whole = pl.col("period") == WHOLE_RUN
    everything = (pl.col("class") == "all") & (pl.col("group") == "all")
    return run.links.filter(whole, everything, pl.col("direction") == "reverse").row(0, named=True)


@pytest.mark.parametrize("variant", ["conservative", "aggressive", "filtered-fifo"])
def test_what_came_left_or_was_dropped_or_filtered_or_waits(variant: str) -> None:
    scenario = weir.load("slow-upload", {**SHORT, "measure.warm_up": "0 s"}).variant(variant)
    row = back(scenario.run(seed=2))
    waits = row["arrivals"] - row["departures"] - row["drops"] - row[FILTERED]
    assert 0 <= waits <= row["queue_max"]
    assert row[FILTERED] > 1000
    # A filtered ACK is no loss.
    assert row["loss"] == pytest.approx(row["drops"] / (row["drops"] + row["departures"]))


def test_acks_with_accurate_feedback_stay_and_a_note_says_so() -> None:
    """Its remedy leaves ACKs of marked flows to the filter while the counter is below 4 (flag AE)."""
    accurate: dict[str, Any] = {
        "flows.download.tcp.ecn": True,
        "flows.download.tcp.accecn": True,
        "links.line.rate": "10 Mbit/s",
        "links.line.queue": {"fq-codel": {}},
    }
    stay = weir.load("slow-upload", SHORT).variant("aggressive").replace(accurate)
    (found,) = [note for note in weir.check.notes(stay) if note.code == "ack-filter-accecn"]
    assert found.hint.startswith("flows.download.tcp.accecn_option = false, or links.line.reverse.queue.")
    assert back(stay.run(seed=1))[FILTERED] == 0
    some = stay.replace({"flows.download.tcp.accecn_option": False})
    assert "ack-filter-accecn" not in {note.code for note in weir.check.notes(some)}
    assert back(some.run(seed=1))[FILTERED] > 500


def test_without_a_filter_none_is_filtered() -> None:
    assert set(weir.load("slow-upload", SHORT).run(seed=1).links[FILTERED]) == {0}


def test_variants_without_a_filter_have_filtered_none() -> None:
    compared = weir.load("slow-upload", SHORT).compare(2, variants=["cake", "aggressive"])
    sums = compared.links.group_by("variant").agg(
        pl.col(FILTERED).sum(), pl.col(FILTERED).null_count().alias("nulls")
    )
    found = {row["variant"]: row for row in sums.to_dicts()}
    assert found["cake"] == {"variant": "cake", FILTERED: 0, "nulls": 0}
    assert found["aggressive"][FILTERED] > 0
    assert found["aggressive"]["nulls"] == 0


def test_a_capture_has_the_acks_that_left(tmp_path: Path, weir_command: Command) -> None:
    path = tmp_path / "acks.toml"
    path.write_text(weir.load("slow-upload", SHORT).variant("aggressive").to_toml(), encoding="utf-8")
    done = weir_command("run", path, "--capture", "line:reverse=out.pcapng")
    assert done.returncode == 0, done.stderr
    row = back(weir.load(path, {"measure.warm_up": "0 s"}).run())
    assert len(scapy.rdpcap(str(tmp_path / "out.pcapng"))) == pytest.approx(row["departures"], abs=1)


@pytest.mark.parametrize(
    ("changes", "at", "said"),
    [
        ({"links.line.queue.cake.ack_filter": "on"}, "links.line.queue.cake.ack_filter", "conservative"),
        (
            {"links.line.queue": {"ack-filter": {"mode": "hard"}}},
            "links.line.queue.ack-filter.mode",
            "aggressive",
        ),
        (
            {"links.line.queue": {"ack-filter": {"aqm": {"cake": {}}}}},
            "links.line.queue.ack-filter.aqm",
            "cake is a scheduler",
        ),
        (
            {"links.line.queue": {"ack-filter": {"aqm": {"red": {"max_p": 2.0}}}}},
            "links.line.queue.ack-filter.aqm.red.max_p",
            "0",
        ),
    ],
)
def test_what_a_filter_cannot_be_is_refused(changes: dict[str, Any], at: str, said: str) -> None:
    with pytest.raises(weir.ScenarioError) as caught:
        weir.load("slow-upload", changes)
    assert caught.value.path == at
    assert said in f"{caught.value} {caught.value.hint}"


def test_the_command_line_says_what_a_mode_may_be(weir_command: Command) -> None:
    done = weir_command("run", "slow-upload", "--set", "links.line.reverse.queue.cake.ack_filter=yes")
    assert done.returncode == 2
    for word in ("off", "conservative", "aggressive"):
        assert word in done.stderr


def test_live_refuses_a_filter(weir_command: Command) -> None:
    done = weir_command("live", "slow-upload", "--variant", "aggressive", "--", "true")
    assert done.returncode == 2
    assert "links.line.reverse.queue.cake.ack_filter: a live run does not read ACKs" in done.stderr


@pytest.mark.parametrize("name", ["ack_filter_aggressive", "ack-suppression"])
def test_names_of_others_lead_to_it(name: str) -> None:
    with pytest.raises(weir.ScenarioError) as caught:
        weir.load("slow-upload", {f"links.line.queue.{name}": {}})
    assert "`ack-filter`" in str(caught.value.hint)


def test_a_queue_in_hand_has_no_acks() -> None:
    """It tells no headers of transport, and takes nothing away."""
    queue = weir.Queue({"ack-filter": {"mode": "aggressive"}}, rate="1 Mbit/s", buffer="10 packets")
    for _ in range(5):
        queue.offer(0.0, 40)
    assert len(queue) == 5
