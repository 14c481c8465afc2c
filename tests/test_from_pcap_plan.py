"""Plans for the transfers of a capture: few are written one by one, many are drawn, and transfers that span
the capture have no end."""

from __future__ import annotations

import re
import struct
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from typer.testing import CliRunner

import weir
from capturing import scapy
from weir.cli._app import program
from weir.traffic import read
from weir.traffic._plan import plan

Packets = Sequence[tuple[float, bytes]]

SERVER = bytes([10, 128, 0, 1])


def segment(client: int, *, down: bool, sequence: int, answers: int, flags: int, data: int = 0) -> bytes:
    """IP and TCP headers of a packet between a client and the server."""
    address = bytes([10, 0, client >> 8, client & 255])
    ends = (80, 4000) if down else (4000, 80)
    tcp = struct.pack(">HHIIBBHHH", *ends, sequence, answers, 0x50, flags, 65_535, 0, 0)
    head = struct.pack(">BBHHHBBH", 0x45, 0, 40 + data, 0, 0, 64, 6, 0)
    return head + (SERVER + address if down else address + SERVER) + tcp


def transfer(client: int, start: float, segments: int, gap: float = 0.001) -> Iterator[tuple[float, bytes]]:
    """A connection that carries segments of 1460 bytes to the client, which is 20 ms away and back."""
    yield start, segment(client, down=False, sequence=0, answers=0, flags=2)
    yield start + 0.001, segment(client, down=True, sequence=0, answers=1, flags=18)
    yield start + 0.021, segment(client, down=False, sequence=1, answers=1, flags=16)
    for number in range(segments):
        at = start + 0.022 + gap * number
        end = number == segments - 1
        here = 1 + 1460 * number
        yield at, segment(client, down=True, sequence=here, answers=1, flags=16 + end, data=1460)
        yield at + 0.02, segment(client, down=False, sequence=1, answers=here + 1460 + end, flags=16 + end)


def write(file: Path, packets: Iterator[tuple[float, bytes]] | Packets) -> Path:
    """Raw IP, nanoseconds."""
    with file.open("wb") as out:
        out.write(struct.pack("<IHHiIII", 0xA1B23C4D, 2, 4, 0, 0, 65_535, 101))
        for at, packet in sorted(packets, key=lambda pair: pair[0]):
            nanos = round(1e9 * at)
            length = struct.unpack_from(">H", packet, 2)[0]
            out.write(struct.pack("<4I", nanos // 10**9, nanos % 10**9, len(packet), length) + packet)
    return file


def written(file: Path, *words: str) -> str:
    """The scenario from a capture, at file.toml."""
    out = file.with_suffix(".toml")
    command = ["traffic", "from-pcap", str(file), "--out", str(out), "--rate", "100 Mbit/s", "--force"]
    done = CliRunner().invoke(program(), [*command, *words])
    assert done.exit_code == 0, done.output
    return out.read_text()


def ended(sweep: weir.Sweep) -> list[tuple[int, int]]:
    """Transfers that ended in each run, and their bytes."""
    table = sweep.table("completions").filter(pl.col("upto_bytes").is_nan(), pl.col("group") == "all")
    return list(table.group_by("run", maintain_order=True).agg("count", "bytes").select(
        pl.col("count").list.sum(), pl.col("bytes").list.sum()
    ).iter_rows())  # fmt: skip


@pytest.mark.parametrize("number", [1, 2, 5, 50])
def test_few_transfers_come_in_every_run_when_they_came(number: int, tmp_path: Path) -> None:
    """Checks that each run has every transfer. A Poisson process with the rate of one transfer gave none in
    five of eight runs."""
    packets = [packet for at in range(number) for packet in transfer(at, 0.05 * at, 20 + 10 * (at % 3))] + [
        *transfer(1000, 3.0, 5)
    ]
    text = written(write(tmp_path / "few.pcap", packets))
    assert "poisson" not in text
    assert not (tmp_path / "few.cdf").exists()
    rows = pl.read_csv(tmp_path / "few.csv")
    assert rows["start"].to_list() == pytest.approx([*(0.05 * at for at in range(number)), 3.0])
    assert rows["capture"].unique().to_list() == ["whole"]
    sizes = sum(1500 * (20 + 10 * (at % 3)) for at in range(number)) + 7500
    assert rows["size"].sum() == sizes
    sweep = weir.load(tmp_path / "few.toml", {"duration": "6 s"}).run(replications=8)
    assert ended(sweep) == [(number + 1, sizes)] * 8


def test_many_transfers_are_drawn_and_large_ones_are_not(tmp_path: Path) -> None:
    """Draws vary by a tenth at most: 400 equal transfers by 5%, and one with half of the bytes not at all."""
    mice = [packet for at in range(400) for packet in transfer(at, 0.01 * at, 3, 0.0001)]
    file = write(tmp_path / "many.pcap", [*mice, *transfer(1000, 1.0, 1200)])
    found = read(file)
    how = plan(found)
    assert found.transfers["bytes"][how.single].tolist() == [1_800_000]
    assert len(how.drawn) == 400
    spread = np.sqrt((found.transfers["bytes"][how.drawn] ** 2).sum()) / found.transfers["bytes"].sum()
    assert spread <= 0.1
    text = written(file)
    assert re.findall(r"^\[flows\.(.*)\]", text, re.MULTILINE) == ["listed", "transfers"]
    assert "one by one, in every run as captured: 1 transfer (1.8 MB)" in text
    assert "drawn as Poisson arrivals: 400 transfers (1.8 MB)" in text
    runs = ended(weir.load(tmp_path / "many.toml").run(replications=8))
    octets = np.array([octets for _, octets in runs])
    assert octets.mean() == pytest.approx(3_600_000, rel=0.05)
    assert (octets > 1_800_000).all()


def test_no_load_is_lost_in_a_heavy_tail(tmp_path: Path) -> None:
    """Plans for transfers of any sizes have the bytes of the capture; at most 100 transfers are written one
    by one."""
    rng = np.random.default_rng(3)
    counts = np.minimum(np.ceil(rng.pareto(1.1, 600) * 3) + 1, 3000).astype(int)
    packets = [
        packet for at, count in enumerate(counts) for packet in transfer(at, 0.02 * at, int(count), 0.00005)
    ]
    found = read(write(tmp_path / "tail.pcap", packets))
    how = plan(found)
    assert sorted([*how.endless, *how.single, *how.drawn]) == list(range(600))
    assert 0 < len(how.single) <= 100
    assert found.transfers["bytes"][how.single].min() >= found.transfers["bytes"][how.drawn].max()
    assert found.offered * found.duration / 8 == pytest.approx(1500 * counts.sum())


FULL = """
schema = 1
name = "full"
seed = 7
duration = "12 s"
measure.warm_up = "0 s"

[links.bottleneck]
rate = "100 Mbit/s"
delay = "5 ms"
buffer = "1 BDP"
reverse.buffer = "1000 packets"

[flows.long]
count = 4
rtt = "30 ms"
start_jitter = "1 s"
tcp.preset = "linux"
"""

ENDS = (
    FULL
    + """
[flows.ends]
rtt = "30 ms"
traffic.web = { pages = 1, size = "45 MB" }
tcp.preset = "linux"

[flows.begins]
rtt = "30 ms"
start = "6 s"
traffic.web = { pages = 1, size = "60 MB" }
tcp.preset = "linux"
"""
)


def part(scenario: str, file: Path, begin: float, end: float, keep: Callable[[bytes], bool] = bool) -> Path:
    """Part of a capture of the link between two instants."""
    whole = file.with_suffix(".pcapng")
    weir.Scenario.loads(scenario).run(capture=[f"bottleneck={whole}"])
    packets: list[tuple[float, bytes]] = []
    with scapy.RawPcapNgReader(str(whole)) as reader:
        for data, about in reader:
            at = (about.tshigh << 32 | about.tslow) / 1e9
            if begin <= at < end and keep(data):
                packets.append((at - begin, data))
    return write(file, packets)


@pytest.mark.parametrize(
    ("scenario", "bulk", "cut"),
    [(FULL, 4, []), (ENDS, 4, ["beginning not captured", "not over at its end"])],
)
def test_a_full_link_stays_full(scenario: str, bulk: int, cut: list[str], tmp_path: Path) -> None:
    """Transfers that span the ends of the capture were left out, and 100 Mbit/s became 27."""
    file = part(scenario, tmp_path / "full.pcap", 3.0, 9.0)
    found = read(file)
    assert found.offered == pytest.approx(100e6, rel=0.03)
    assert not found.whole.any()
    text = written(file)
    assert text.count("[flows.bulk-") == bulk
    rows = (
        pl.read_csv(tmp_path / "full.csv")["capture"].to_list()
        if bulk < found.transfers["bytes"].size
        else []
    )
    assert rows == cut
    assert "data without end, since it was sent until the end of the capture: " in text
    sweep = weir.load(tmp_path / "full.toml").run()
    sent = sweep.estimates(["utilisation"])["mean"].item()
    assert sent > 95.0


def test_data_alone_have_no_round_trip(tmp_path: Path) -> None:
    """Connections that began before the capture: ACKs show a part of the round trip, and data alone
    nothing."""
    both = part(FULL, tmp_path / "both.pcap", 3.0, 6.0)
    assert "for a round trip that is not known, a part of it, which was seen: 4 transfers" in written(both)
    data = part(FULL, tmp_path / "data.pcap", 3.0, 6.0, lambda packet: packet[12:14] == b"\x0a\x00")
    done = CliRunner().invoke(
        program(), ["traffic", "from-pcap", str(data), "--out", str(tmp_path / "data.toml")]
    )
    assert done.exit_code == 2
    assert "no round trip can be measured" in done.output
    assert 'rtt = "25 ms"' in written(data, "--rtt", "25 ms")


def test_what_waits_for_its_program_is_no_bulk(tmp_path: Path) -> None:
    """A keystroke each second, and a stream of 64 kbit/s, go on beyond the ends: neither fills a link."""
    typing = list(transfer(1, 0.0, 12, 1.0))
    radio = list(transfer(2, 0.0, 70, 0.18))
    packets = [pair for pair in (*typing, *radio) if 1.0 <= pair[0] < 9.0]
    file = write(tmp_path / "waits.pcap", packets)
    found = read(file)
    assert len(plan(found).endless) == 0
    text = written(file)
    assert "bulk" not in text
    assert "as large as what was seen, though its beginning was not captured: 2 transfers" in text
    sweep = weir.load(tmp_path / "waits.toml").run()
    (done,) = ended(sweep)
    assert done == (2, int(found.transfers["bytes"].sum()))


def test_the_file_says_what_was_left_out(tmp_path: Path) -> None:
    scan = segment(7, down=False, sequence=0, answers=0, flags=2)
    text = written(write(tmp_path / "some.pcap", [*transfer(1, 0.0, 10), (0.01, scan)]))
    assert "# Left out:\n# - 1 conversation (40 B): no data\n" in text
    assert "other direction" not in text, "nothing but ACKs went there"


def test_datagrams_alone_are_written(tmp_path: Path) -> None:
    """Two ways: of each conversation the larger. It was refused, since no transfer was left."""

    def datagram(up: bool, size: int) -> bytes:  # noqa: FBT001
        ends = [bytes([10, 0, 0, 1]), SERVER]
        head = struct.pack(">BBHHHBBH", 0x45, 0, size, 0, 0, 64, 17, 0)
        return head + b"".join(ends if up else ends[::-1]) + struct.pack(">4H", 5004, 5004, size - 20, 0)

    packets = [
        (0.02 * at + 0.001 * up, datagram(up, 200 + 60 * up)) for at in range(100) for up in (False, True)
    ]
    text = written(write(tmp_path / "call.pcap", packets))
    assert re.findall(r"^\[flows\.(.*)\]", text, re.MULTILINE) == ["datagrams"]
    assert 'packet_size = "260 B"' in text
    assert not (tmp_path / "call.cdf").exists()
    sweep = weir.load(tmp_path / "call.toml", {"measure.warm_up": "0 s"}).run()
    assert sweep.links["bytes"].max() == pytest.approx(26_000, rel=0.03)
