"""Recordings that are replayed: which direction, in which order, and what is said of it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from typer.testing import CliRunner

import weir
from capturing import scapy
from weir.cli._app import program
from weir.run._tables import WHOLE_RUN

REPLAY = """
schema = 1
name = "replay"
duration = "3 s"
measure.warm_up = "0 s"

[links.b]
rate = "100 Mbit/s"
delay = "5 ms"
buffer = "1000 packets"

[flows.recorded]
rtt = "20 ms"
traffic.replay.file = "recorded.pcap"

[variants.plain]

[variants.codel]
links.b.queue.codel = {}
"""


def udp(source: str, destination: str, size: int) -> Any:  # noqa: ANN401 - scapy's
    return scapy.IP(src=source, dst=destination) / scapy.UDP(sport=4, dport=5) / scapy.Raw(b"x" * (size - 28))


def record(folder: Path, packets: Sequence[tuple[float, Any]], **options: Any) -> Path:  # noqa: ANN401
    """The scenario with a recording of these packets beside it."""
    made: list[Any] = []
    for at, packet in packets:
        packet.time = 1_700_000_000 + at
        made.append(packet)
    scapy.wrpcap(str(folder / "recorded.pcap"), made, linktype=101, **options)
    file = folder / "replay.toml"
    file.write_text(REPLAY)
    return file


def both(folder: Path) -> Path:
    """Ten large packets one way, twenty small ones the other."""
    there = [(0.1 * at, udp("10.0.0.1", "10.0.0.2", 1000)) for at in range(10)]
    back = [(0.05 * at, udp("10.0.0.2", "10.0.0.1", 60)) for at in range(20)]
    return record(folder, sorted([*there, *back], key=lambda pair: pair[0]))


def arrived(sweep: weir.Sweep, variant: str = "") -> tuple[int, int]:
    """Packets that came to the bottleneck, and bytes that left it."""
    rows = sweep.links.filter(
        pl.col("bottleneck"),
        pl.col("period") == WHOLE_RUN,
        pl.col("group") == "all",
        pl.col("class") == "all",
    )
    rows = rows.filter(pl.col("variant") == variant) if variant else rows
    return int(rows["arrivals"][0]), int(rows["bytes"][0])


def invoke(*words: str | Path) -> str:
    done = CliRunner().invoke(program(), [str(word) for word in words])
    assert done.exit_code == 0, done.output
    return " ".join(done.output.split())


def codes(notes: Sequence[weir.check.Note]) -> list[str]:
    return [note.code for note in notes]


def test_a_queue_gets_one_direction_and_the_check_says_which(tmp_path: Path) -> None:
    """It was both in one queue, and no word of it."""
    scenario = weir.load(both(tmp_path))
    assert arrived(scenario.run()) == (10, 10_000)
    (note,) = [one for one in weir.check.notes(scenario) if one.code == "recording-two-way"]
    assert note.message == (
        "the larger of both directions is replayed: 10 packets (10 kB) to 10.0.0.2; the other is left out: "
        "20 packets (1.2 kB) to 10.0.0.1"
    )
    key = "flows.recorded.traffic.replay.to"
    assert note.hint == f'{key} = "10.0.0.1" for the other, "both" for all'
    # Followed, it leaves no note.
    for to, packets in (("10.0.0.1", 20), ("both", 30)):
        other = scenario.replace({key: to})
        assert arrived(other.run())[0] == packets
        assert codes(weir.check.notes(other)) == []


@pytest.mark.parametrize("to", ["10.0.0.0/30", ["10.0.0.1", "10.0.0.2"]])
def test_a_network_with_both_sides_of_the_link_is_noted(to: str | list[str], tmp_path: Path) -> None:
    """It was both directions in one queue, and no word of it."""
    scenario = weir.load(both(tmp_path), {"flows.recorded.traffic.replay.to": to})
    assert arrived(scenario.run())[0] == 30
    (note,) = weir.check.notes(scenario)
    assert (note.code, note.severity) == ("recording-two-way", "note")
    assert note.message == (
        "it has hosts of both sides of the link: both directions are replayed as one, 30 packets (11.2 kB) "
        "to 10.0.0.2 and 1 more"
    )
    assert str(note.hint).startswith('flows.recorded.traffic.replay.to = "10.0.0.2" or "NETWORK"')


def test_what_a_recording_has_after_the_end_is_noted(tmp_path: Path) -> None:
    """A list said it, a recording did not."""
    file = record(tmp_path, [(0.1 * at, udp("10.0.0.1", "10.0.0.2", 1000)) for at in range(10)])
    key = "flows.recorded.traffic.replay.file"
    for values, number, left in (
        ({"duration": "0.55 s"}, 6, "4 of 10 packets"),
        ({"flows.recorded.stop": "0.35 s"}, 4, "6 of 10 packets"),
        ({"flows.recorded.start": "2.75 s"}, 3, "7 of 10 packets"),
        ({"flows.recorded.start": "2.0 s"}, 10, ""),
    ):
        scenario = weir.load(file, values)
        assert arrived(scenario.run())[0] == number
        found = [note for note in weir.check.notes(scenario) if note.code == "recording-after-end"]
        assert [(note.path, note.severity) for note in found] == ([(key, "note")] if left else [])
        assert [note.message for note in found] == (
            [f"{left} of the recording come when recorded is over: they are left out"] if left else []
        )


def test_a_stored_result_says_that_a_direction_is_left_out(tmp_path: Path) -> None:
    sweep = weir.load(both(tmp_path)).run()
    (tmp_path / "recorded.pcap").unlink()
    (note,) = [one.note for one in sweep.notes if one.note.code == "recording-two-way"]
    assert "the other is left out" in note.message


UPLOADS = """
schema = 1
name = "both"
seed = 3
duration = "3 s"
measure.warm_up = "0 s"

[links.b]
rate = "10 Mbit/s"
delay = "5 ms"
buffer = "50 packets"
reverse = { rate = "5 Mbit/s", buffer = "50 packets" }

[flows.down]
count = 2
rtt = "20 ms"
tcp.preset = "linux"

[flows.up]
rtt = "30 ms"
upload = true
tcp.preset = "linux"
"""


def test_the_two_directions_of_a_simulated_link_are_known_by_their_interfaces(tmp_path: Path) -> None:
    """The larger has data of some flows and ACKs of others: what a capture of it alone replays."""
    files = {name: tmp_path / f"{name}.pcapng" for name in ("both", "one", "in")}
    captures = [f"b={files['both']}", f"b:forward={files['one']}", f"b:forward:in={files['in']}"]
    sweep = weir.Scenario.loads(UPLOADS).run(capture=captures)
    found: dict[str, tuple[int, int]] = {}
    text = REPLAY.replace('"recorded.pcap"', '"FILE"').replace("3 s", "4 s")
    for name, file in files.items():
        (tmp_path / "replay.toml").write_text(text.replace("FILE", file.name))
        scenario = weir.load(tmp_path / "replay.toml")
        found[name] = arrived(scenario.run())
        assert codes(weir.check.notes(scenario)) == (["recording-two-way"] if name == "both" else [])
    assert found["both"] == found["one"]
    # What arrives at one queue has one direction, though half of its flows are ACKs.
    forward = (pl.col("link") == "b") & (pl.col("direction") == "forward")
    rows = sweep.links.filter(
        forward, pl.col("period") == WHOLE_RUN, pl.col("group") == "all", pl.col("class") == "all"
    )
    assert found["in"][0] == rows["arrivals"].item()


def test_packets_out_of_order_are_sorted_and_noted(tmp_path: Path) -> None:
    """The times of captures of several queues go back by microseconds: it was an error."""
    packets = [(at, udp("10.0.0.1", "10.0.0.2", 100)) for at in (0.0, 0.2, 0.19999, 0.3)]
    scenario = weir.load(record(tmp_path, packets))
    assert arrived(scenario.run())[0] == 4
    (note,) = weir.check.notes(scenario)
    assert (note.code, note.severity) == ("recording-out-of-order", "note")
    assert note.message.startswith("1 packet of the recording came after a later one, by up to 10 us")
    packets[2] = (-5.0, packets[2][1])
    (note,) = [
        one
        for one in weir.check.notes(weir.load(record(tmp_path, packets)))
        if one.code == "recording-out-of-order"
    ]
    assert note.severity == "warning"


LATE = ("--set", "measure.warm_up=1.5 s")
ENDS = "the recording ends at 900 ms, before measuring begins at 1.5 s: nothing of it is measured"
NOTHING = "no packet came to the bottleneck after the warm-up: the values are of nothing [nothing-measured]"


def test_a_recording_that_ends_before_measuring_is_a_warning_in_every_command(tmp_path: Path) -> None:
    """All values were zeros and dashes, without a word."""
    file = both(tmp_path)
    store = ("--store", tmp_path / "store")
    (note,) = [
        note
        for note in weir.check.notes(weir.load(file, {"measure.warm_up": "1.5 s"}))
        if note.code == "recording-not-measured"
    ]
    assert note.severity == "warning"
    assert ENDS in invoke("check", file, *LATE)
    for words in (
        ("run", file, *LATE),
        ("compare", file, *LATE),
        ("sweep", file, *LATE, "--axis", "links.b.rate=10, 20 Mbit/s"),
    ):
        said = invoke(*words, *store)
        assert ENDS in said
        assert NOTHING in said
    target = ("--target", "goodput > 50%", "--vary", "codel.target=1..50 ms", "--variant", "codel")
    done = CliRunner().invoke(program(), ["tune", str(file), *LATE, *target, *map(str, store)])
    assert ENDS in " ".join(done.output.split())
    for number in ("1", "2", "3"):
        page = tmp_path / number
        invoke("report", number, *store, "--out", page)
        written = " ".join((page / "report.html").read_text().lower().split())
        assert "no packet came to the bottleneck after the warm-up" in written
        assert ENDS in written
