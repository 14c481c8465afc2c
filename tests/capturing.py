"""Helpers for tests of captures: scenarios, captures that scapy writes, and readers of pcapng."""

from __future__ import annotations

import importlib
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import polars as pl
import pytest

import weir
from weir.run._tables import WHOLE_RUN

# All of scapy takes a second to import. Its types are of little help: fields come and go with what is read.
_PARTS = ("packet", "utils", "layers.l2", "layers.inet", "layers.inet6")
scapy: Any = SimpleNamespace(
    **{name: one for part in _PARTS for name, one in vars(importlib.import_module(f"scapy.{part}")).items()}
)

TSHARK = shutil.which("tshark")
needs_tshark = pytest.mark.skipif(TSHARK is None, reason="tshark is not installed")

LOSSLESS = """\
schema = 1
name = "lossless"
seed = 3
duration = "5 s"
measure.warm_up = "0 s"

[links.bottleneck]
rate = "10 Mbit/s"
delay = "10 ms"
buffer = "1000 packets"
reverse.buffer = "1000 packets"

[flows.ftp]
count = 3
rtt = "60 ms"
packet_size = "1000 B"
start_jitter = "100 ms"
tcp = { receive_window = "40 packets", timestamps = true, recovery.sack = {} }
"""

LOSSY = """\
schema = 1
name = "lossy"
seed = 3
duration = "10 s"
measure.warm_up = "0 s"

[links.bottleneck]
rate = "5 Mbit/s"
delay = "10 ms"
buffer = "20 packets"
reverse.buffer = "1000 packets"

[flows.ftp]
count = 4
rtt = "60 ms"
packet_size = "1000 B"
start_jitter = "100 ms"
tcp = { recovery.sack = {}, ack_size = "72 B", min_rto = "200 ms" }
"""

Header = tuple[float, int, Any]
"""Time in nanoseconds, length on the wire, and the IP packet."""

DATA = 960
"""Bytes of data in a packet of 1000 B without options."""


def captured(text: str, tmp_path: Path) -> Path:
    """The file of a capture of the bottleneck."""
    file = tmp_path / "capture.pcapng"
    weir.Scenario.loads(text).run(capture=[f"bottleneck={file}"])
    return file


def packets(file: Path) -> list[Any]:
    with scapy.RawPcapNgReader(str(file)) as reader:
        return list(reader)


def headers(file: Path) -> Iterator[Header]:
    for raw, meta in packets(file):
        yield (meta.tshigh << 32) + meta.tslow, meta.wirelen, scapy.IP(raw)


def tshark(file: Path, condition: str, *fields: str) -> list[list[str]]:
    """The fields of the packets that meet a condition; checksums are looked at."""
    assert TSHARK is not None
    wanted = [part for field in fields for part in ("-e", field)]
    command = [TSHARK, "-n", "-r", str(file), "-o", "tcp.check_checksum:TRUE", "-o", "ip.check_checksum:TRUE"]
    command += ["-Y", condition, "-T", "fields", "-E", "separator=;", *(wanted or ["-e", "frame.number"])]
    run = subprocess.run(command, capture_output=True, text=True, check=True)
    return [line.split(";") for line in run.stdout.splitlines()]


def whole_run(result: weir.Sweep) -> tuple[dict[str, Any], dict[str, Any]]:
    """Rows of the link and of the groups about all packets of the whole run."""
    of_all = (pl.col("group") == "all") & (pl.col("period") == WHOLE_RUN)
    forward = (pl.col("direction") == "forward") & (pl.col("class") == "all")
    return result.links.row(by_predicate=of_all & forward, named=True), result.groups.row(
        by_predicate=of_all, named=True
    )


def checksum_over(packet: bytes) -> int:
    """Checksum over a whole TCP or UDP packet, with its data of zeros: all ones if it is right."""
    addresses, protocol = packet[12:20], packet[9]
    length = int.from_bytes(packet[2:4], "big") - 20
    return ones_complement(addresses + bytes([0, protocol]) + length.to_bytes(2, "big") + packet[20:])


def ones_complement(data: bytes) -> int:
    """The sum of RFC 1071 over whole words."""
    total = sum(int.from_bytes(data[at : at + 2], "big") for at in range(0, len(data) - 1, 2))
    total += data[-1] << 8 if len(data) % 2 else 0
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return total


def exchange(client: str = "10.0.0.1", server: str = "10.0.0.2", port: int = 4000) -> list[tuple[float, Any]]:
    """A connection: time and IP packet. 4000 bytes from the server, a round trip of 30 ms, of which 10 ms
    are behind the server."""
    ip = scapy.IPv6 if ":" in client else scapy.IP

    def packet(at: float, way: str, seq: int, ack: int, flags: str, data: int = 0) -> tuple[float, Any]:
        ends = (client, server, port, 80) if way == "up" else (server, client, 80, port)
        options = [("MSS", 1460)] if "S" in flags else []
        tcp = scapy.TCP(sport=ends[2], dport=ends[3], seq=seq, ack=ack, flags=flags, options=options)
        return at, ip(src=ends[0], dst=ends[1]) / tcp / scapy.Raw(b"x" * data)

    start = 2**32 - 2000  # numbers wrap within the data
    return [
        packet(0.000, "up", 100, 0, "S"),
        packet(0.010, "down", start - 1, 101, "SA"),
        packet(0.030, "up", 101, start % 2**32, "A"),
        packet(0.031, "up", 101, start % 2**32, "PA", 100),
        packet(0.041, "down", start, 201, "A", 1000),
        packet(0.042, "down", (start + 2000) % 2**32, 201, "A", 1000),  # out of order
        packet(0.043, "down", (start + 1000) % 2**32, 201, "A", 1000),
        packet(0.044, "down", (start + 2000) % 2**32, 201, "A", 1000),  # retransmission
        packet(0.045, "down", (start + 3000) % 2**32, 201, "FA", 1000),
        packet(0.070, "up", 201, (start + 4001) % 2**32, "FA"),
        packet(0.080, "down", (start + 4001) % 2**32, 202, "A"),
    ]


def write(file: Path, packets: Sequence[tuple[float, Any]], **options: Any) -> Path:  # noqa: ANN401 - scapy's
    made: list[Any] = []
    for at, packet in packets:
        packet.time = 1_700_000_000 + at
        made.append(packet)
    scapy.wrpcap(str(file), made, **options)
    return file


def framed(packet: Any) -> Any:  # noqa: ANN401 - scapy's
    """The packet on Ethernet. Without addresses scapy asks the network for them."""
    return scapy.Ether(src="02:00:00:00:00:01", dst="02:00:00:00:00:02") / packet


ETHERNET = [(at, framed(ip)) for at, ip in exchange()]
