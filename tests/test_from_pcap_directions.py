"""A capture becomes flows as it becomes a replay: its packets sorted by time, one direction of its link."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from typer.testing import CliRunner, Result

import weir
from capturing import ETHERNET, exchange, framed, scapy, write
from weir.cli._app import program
from weir.traffic import read

REPLAY = """
schema = 1
name = "replay"
duration = "30 s"

[links.bottleneck]
rate = "100 Mbit/s"
delay = "5 ms"
buffer = "1000 packets"

[flows.recorded]
rtt = "40 ms"
traffic.replay.file = "FILE"
"""


def invoke(*words: str | Path) -> Result:
    return CliRunner().invoke(program(), ["traffic", "from-pcap", *map(str, words)])


def replayed(file: Path) -> weir.Scenario:
    """The scenario that replays it."""
    scenario = file.with_name("replay.toml")
    scenario.write_text(REPLAY.replace("FILE", file.name))
    return weir.load(scenario)


SHUFFLED = [4, 0, 7, 2, 10, 1, 3, 9, 5, 8, 6]


@pytest.mark.parametrize("order", [[1, 0, *range(2, 11)], SHUFFLED])
def test_packets_out_of_order_are_sorted_as_in_a_replay(order: list[int], tmp_path: Path) -> None:
    """Times before that of the first packet were negative starts, and a shuffled file had other transfers."""
    later = [(at + 1, ip) for at, ip in exchange(port=4001)]
    packets = [(at, framed(ip)) for at, ip in [*exchange(), *later]]
    whole = read(write(tmp_path / "whole.pcap", packets))
    mixed = [*(packets[at] for at in order), *packets[11:]]
    file = write(tmp_path / "mixed.pcap", mixed)
    found = read(file)
    for name, values in whole.transfers.items():
        assert found.transfers[name].tolist() == values.tolist(), name
    assert (whole.late, found.duration) == (0, whole.duration)
    out = tmp_path / "mine.toml"
    done = invoke(file, "--out", out, "--rate", "10 Mbit/s")
    assert done.exit_code == 0, done.output
    notes = weir.check.notes(replayed(file))
    (note,) = [note for note in notes if note.code == "recording-out-of-order"]
    said, _, _ = note.message.partition(":")
    assert f"{said}: all are sorted by time" in " ".join(done.output.split())
    assert f"# - the order of their times: {said}" in out.read_text()


def test_one_direction_of_the_link_is_taken_and_the_other_is_told(tmp_path: Path) -> None:
    """Downloads and uploads were flows of one direction, and no word of it."""
    up = [(at + 1, ip) for at, ip in exchange("10.0.0.2", "10.0.0.1")]
    more = [(at + 2, ip) for at, ip in exchange(port=4001)]
    packets = [(at, framed(ip)) for at, ip in [*exchange(), *up, *more]]
    file = write(tmp_path / "both.pcap", packets)
    out = tmp_path / "mine.toml"
    done = invoke(file, "--out", out, "--rate", "10 Mbit/s")
    assert done.exit_code == 0, done.output
    rows = pl.read_csv(tmp_path / "mine.csv")
    assert rows["size"].to_list() == [4120, 140, 4120], "the request of the upload went that way too"
    told = "3 transfers (4.4 kB) to 10.0.0.2"
    assert re.search(rf"other direction +{re.escape(told)}: left out; --to 10\.0\.0\.2 takes it", done.stdout)
    assert f"# - what went in the other direction: {told}" in out.read_text()
    other = read(file, ["10.0.0.2"])
    assert sorted(other.transfers["bytes"].tolist()) == [140, 140, 4120]
    assert (other.other.bytes, other.other.to, other.mixed) == (8380, "10.0.0.1", False)
    # The sides of the link are those of a replay.
    (recording,) = [path.recording for path in replayed(file).core.network.paths]
    assert recording is not None
    assert recording.left_out.to == "10.0.0.2"
    wide = invoke(file, "--to", "10.0.0.0/30")
    assert "--to has hosts of both sides of the link" in " ".join(wide.output.split())


def test_a_command_that_fails_leaves_files_as_they_were(tmp_path: Path) -> None:
    file, out = write(tmp_path / "one.pcap", ETHERNET), tmp_path / "mine.toml"
    words = (file, "--out", out, "--rate", "10 apples")
    assert invoke(*words).exit_code == 2
    assert [path.name for path in tmp_path.iterdir()] == ["one.pcap"]
    out.write_text("mine")
    assert invoke(*words, "--force").exit_code == 2
    assert out.read_text() == "mine"
    assert not (tmp_path / "mine.csv").exists()


def test_what_a_router_heard_twice_counts_once(tmp_path: Path) -> None:
    """All interfaces of a router hear packets as they came in and as they left: all were double."""
    once: list[tuple[float, Any]] = []
    twice: list[tuple[float, Any]] = []
    for at, ip in exchange():
        comes, leaves = (scapy.CookedLinux(pkttype=kind, proto=0x800) / ip for kind in (0, 4))
        once.append((at, comes))
        twice += [(at, comes), (at + 0.0003, leaves)]
    whole = read(write(tmp_path / "once.pcap", once))
    file = write(tmp_path / "twice.pcap", twice)
    found = read(file)
    assert (whole.copies, found.copies, found.packets) == (0, len(once), len(once))
    for name, values in whole.transfers.items():
        assert found.transfers[name].tolist() == values.tolist(), name
    out = tmp_path / "mine.toml"
    done = invoke(file, "--out", out, "--rate", "10 Mbit/s")
    assert done.exit_code == 0, done.output
    (note,) = [note for note in weir.check.notes(replayed(file)) if note.code == "recording-copies"]
    said, _, _ = note.message.partition(":")
    assert said == "11 packets of the recording had been captured at another interface before"
    assert f"{said}: each counts once" in " ".join(done.output.split())
    assert f"# - once: {said}" in out.read_text()
    sweep = replayed(file).replace({"measure.warm_up": "0 s"}).run(store=tmp_path / "store")
    whole_run = pl.col("period") == -1
    arrivals = sweep.links.filter(whole_run, pl.col("group") == "all", pl.col("class") == "all")["arrivals"]
    assert arrivals.sum() == sum(ip.dst == "10.0.0.1" for _, ip in exchange())
