"""A buffer is what the scenario says: a time or a bandwidth-delay product holds whatever the packets are."""

from __future__ import annotations

from pathlib import Path

import pytest

import weir
from conftest import SMALL
from weir import _core

ONE_SIZE = [("flows.ftp.tcp.handshake", "false")]
"""Setting without a handshake, in which a SYN of the size of an ACK would open each connection."""

SHARED = """
schema = 1
name = "shared"
title = "Uploads share their queue with the ACKs of downloads"
duration = "20 s"
measure = { bottleneck = "line.reverse" }

[links.line]
rate = "50 Mbit/s"
delay = "10 ms"
buffer = "250 ms"

[links.line.reverse]
rate = "5 Mbit/s"
buffer = "250 ms"

[flows.download]
count = 4
rtt = "40 ms"

[flows.upload]
count = 2
upload = true
rtt = "40 ms"
start_jitter = "1 s"
"""


def columns(scenario: _core.Scenario) -> dict[str, _core.Columns]:
    """Columns of the tables of a run."""
    batch = _core.Batch([(scenario, 1)])
    while not batch.wait(1.0):
        pass
    return _core.tables(batch.results())


@pytest.mark.parametrize("discipline", _core.disciplines())
def test_packets_of_one_size_fill_a_time_as_they_fill_its_packets(discipline: str) -> None:
    """2 Mbit/s send 20 packets of 1000 B in 80 ms; the round trip is 60 ms."""
    scenario = _core.Scenario.loads(
        SMALL, overrides=[(f"links.bottleneck.queue.{discipline}", "{}"), *ONE_SIZE]
    )
    # HRED, whose thresholds follow from its buffer, rounds in bytes where that is in bytes.
    in_bytes = () if discipline == "hred" else ("20000 B",)
    buffers = ("20 packets", "80 ms", *in_bytes, "1.3333333 BDP")
    in_packets, *others = (
        columns(scenario.replace([("links.bottleneck.buffer", f'"{buffer}"')])) for buffer in buffers
    )
    assert all(tables == in_packets for tables in others)


@pytest.mark.parametrize("buffer", ["250 ms", "6.25 BDP"])
def test_acks_do_not_fill_a_buffer_in_time(buffer: str, tmp_path: Path) -> None:
    """DropTail keeps its queue full. What waits longest waits for the time that the buffer is given as, and
    for the packet that is being sent. It does so though most of what waits are ACKs."""
    scenario = weir.Scenario.loads(SHARED, {"links.line.reverse.buffer": buffer})
    assert scenario.network.port("line.reverse").limit_bytes == 104 * 1500
    waited = scenario.run(store=tmp_path / "store").summary()["delay_p99"].item()
    assert 240.0 <= waited <= 250.0 + 1e3 * 8.0 * 1500 / 5e6


def test_an_overfull_buffer_in_time_never_holds_more(tmp_path: Path) -> None:
    """Neither one packet nor all of them wait longer, whatever their sizes."""
    scenario = weir.Scenario.loads(SHARED, {"flows.upload.packet_size": "600 B", "flows.upload.count": 20})
    limit = scenario.network.port("line.reverse").limit_bytes
    assert limit is not None
    longest = 1e3 * 8.0 * (limit + 600) / 5e6
    links = scenario.run(store=tmp_path / "store").tables["links"].filter(direction="reverse")
    assert 0.9 * longest < links["delay_p999_ms"].to_numpy().max() <= longest * 1.005
