"""Captures: what a reader of pcapng finds in them, and what tshark says of them."""

from __future__ import annotations

import re
import shlex
import subprocess
from collections import Counter
from pathlib import Path

import pytest

import weir
from capturing import (
    DATA,
    LOSSLESS,
    LOSSY,
    TSHARK,
    Header,
    captured,
    checksum_over,
    headers,
    needs_tshark,
    ones_complement,
    packets,
    scapy,
    tshark,
    whole_run,
)  # fmt: skip


@pytest.fixture(scope="module")
def lossless_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return captured(LOSSLESS, tmp_path_factory.mktemp("lossless"))


@pytest.fixture(scope="module")
def lossless(lossless_file: Path) -> list[Header]:
    return list(headers(lossless_file))


@pytest.fixture(scope="module")
def lossy(tmp_path_factory: pytest.TempPathFactory) -> list[Header]:
    return list(headers(captured(LOSSY, tmp_path_factory.mktemp("lossy"))))


def test_every_byte_has_its_number(lossless: list[Header]) -> None:
    """Data of a connection in order have no gaps, and ACKs are where data end."""
    following: dict[str, int] = {}
    times: list[float] = []
    for at, wire, ip in lossless:
        times.append(at)
        tcp = ip[scapy.TCP]
        length = ip.len - 4 * ip.ihl - 4 * tcp.dataofs
        if tcp.dport == 9:
            expected = following.get(ip.src, 0)
            assert tcp.seq == expected
            assert "S" in tcp.flags or (length == DATA - 12 and wire == ip.len == 1000 and tcp.ack == 1)
            following[ip.src] = tcp.seq + length + ("S" in tcp.flags)
        else:
            assert length == 0
            assert tcp.ack <= following[ip.dst]
            assert (tcp.ack - 1) % (DATA - 12) == 0
    assert len(following) == 3
    assert all(octets > 500_000 for octets in following.values())
    assert times == sorted(times)


def test_checksums_are_right(lossy: list[Header]) -> None:
    """Over data of zeros, which is not kept."""
    for _, _, ip in lossy:
        assert ones_complement(bytes(ip)[:20]) == 0xFFFF
        assert checksum_over(bytes(ip)) == 0xFFFF


def test_the_handshake_says_what_was_agreed(tmp_path: Path, lossless: list[Header]) -> None:
    syn, syn_ack = [
        next(ip[scapy.TCP] for _, _, ip in lossless if ip[scapy.TCP].flags == flags) for flags in ("S", "SA")
    ]
    for tcp in (syn, syn_ack):
        options = dict(tcp.options)
        assert options["MSS"] == 960
        assert "SAckOK" in options
        # 40 packets of 948 bytes fit without a scale.
        assert options["WScale"] == 0
        assert tcp.window == 40 * 948
    assert (syn.seq, syn_ack.seq, syn_ack.ack) == (0, 0, 1)
    ecn = captured(LOSSLESS.replace("tcp = {", "tcp = { ecn = true,"), tmp_path)
    flags = Counter(str(ip[scapy.TCP].flags) for _, _, ip in headers(ecn))
    assert flags["SEC"] == flags["SAE"] == 3, "RFC 3168, section 6.1.1"


def test_marks_and_their_echo(tmp_path: Path) -> None:
    queue = "links.bottleneck.queue.red"
    changes = {"flows.ftp.tcp.ecn": True, f"{queue}.ecn": True, f"{queue}.gentle": True}
    file = tmp_path / "marks.pcapng"
    result = weir.Scenario.loads(LOSSLESS, changes).run(capture=[f"bottleneck={file}"])
    seen = Counter[str]()
    for _, _, ip in headers(file):
        tcp = ip[scapy.TCP]
        if tcp.dport == 9 and "S" not in tcp.flags:
            seen["ce"] += ip.tos & 3 == 3
            assert ip.tos & 3 in {2, 3}
            seen["cwr"] += "C" in tcp.flags
        elif "S" not in tcp.flags:
            assert ip.tos & 3 == 0
            seen["ece"] += "E" in tcp.flags
    forward, _ = whole_run(result)
    assert seen["ce"] == forward["marks"] > 0
    assert seen["ece"] > seen["ce"]
    assert 0 < seen["cwr"] <= seen["ce"]


def test_what_was_lost_is_told_by_blocks(lossy: list[Header]) -> None:
    """Blocks are of whole packets, beyond what is acknowledged; what came twice lies below."""
    highest: dict[str, int] = {}
    blocks = 0
    for _, wire, ip in lossy:
        tcp = ip[scapy.TCP]
        if tcp.dport == 9:
            highest[ip.src] = max(highest.get(ip.src, 0), tcp.seq + ip.len - 20 - 4 * tcp.dataofs)
            continue
        assert wire == 72
        edges = dict(tcp.options).get("SAck", ())
        for left, right in zip(edges[::2], edges[1::2], strict=True):
            blocks += 1
            assert (left - 1) % DATA == (right - 1) % DATA == 0
            assert left < right <= highest[ip.dst]
            assert left > tcp.ack or right <= tcp.ack
    assert blocks > 50


def test_what_came_twice_is_told_first(tmp_path: Path) -> None:
    """D-SACK (RFC 2883): a timer that is too short sends again what is on its way."""
    text = LOSSY.replace('"200 ms"', '"60 ms"').replace('"20 packets"', '"100 packets"')
    file = captured(text, tmp_path)
    twice = 0
    for _, _, ip in headers(file):
        left, right, *_ = (*dict(ip[scapy.TCP].options).get("SAck", ()), 0, 0)
        if 0 < right <= ip[scapy.TCP].ack:
            assert right - left == DATA
            twice += 1
    assert twice > 0
    if TSHARK is not None:
        assert len(tshark(file, "tcp.options.sack.dsack")) == twice
        # tshark tells those whose ACK has passed before them.
        assert 0 < len(tshark(file, "tcp.analysis.spurious_retransmission")) <= twice


def test_it_counts_what_the_run_counts(tmp_path: Path) -> None:
    leaving, arriving = tmp_path / "out.pcapng", tmp_path / "in.pcapng"
    wishes = [f"bottleneck:forward={leaving}", f"bottleneck:forward:in={arriving}"]
    result = weir.Scenario.loads(LOSSY).run(capture=wishes)
    forward, _ = whole_run(result)
    # A packet may be on the wire as the run ends.
    assert forward["departures"] - 1 <= len(packets(leaving)) <= forward["departures"]
    assert len(packets(arriving)) == forward["arrivals"]
    # The same packet has the same identification: what is matched has waited and been sent.
    came = {(ip.src, ip.id, ip.seq): at for at, _, ip in headers(arriving)}
    waits = [at - came[ip.src, ip.id, ip.seq] for at, _, ip in headers(leaving)]
    transmission = 1000 * 8 / 5e6 * 1e9
    mean = sum(waits) / len(waits) - transmission
    assert mean / 1e6 == pytest.approx(forward["delay_mean_ms"], rel=0.005)


def test_datagrams_are_udp(tmp_path: Path) -> None:
    text = (
        LOSSLESS
        + '\n[flows.voice]\nrtt = "60 ms"\npacket_size = "200 B"\ntraffic.cbr = { rate = "80 kbit/s" }\n'
    )
    found = [(wire, ip) for _, wire, ip in headers(captured(text, tmp_path)) if ip.proto == 17]
    assert len(found) == pytest.approx(250, abs=3)
    for wire, ip in found:
        assert wire == ip.len == 200
        assert ip[scapy.UDP].len == 180
        assert ip[scapy.UDP].dport == 9
        assert checksum_over(bytes(ip)) == 0xFFFF


TRANSFERS = """
schema = 1
name = "transfers"
seed = 3
duration = "10 s"
measure.warm_up = "0 s"

[links.bottleneck]
rate = "10 Mbit/s"
delay = "10 ms"
buffer = "10000 packets"
reverse.buffer = "10000 packets"

[flows.short]
rtt = "60 ms"
packet_size = "1000 B"
traffic.poisson = { rate = "100 /s", size = "5500 B" }
"""


def test_connections_that_take_each_others_place_are_told_apart(tmp_path: Path) -> None:
    """Five packets of 1000 B and one of 500 B each, whatever connection had the flow before."""
    file = captured(TRANSFERS, tmp_path)
    ends, acknowledged, begun = Counter[tuple[str, int]](), Counter[tuple[str, int]](), Counter[str]()
    for _, wire, ip in headers(file):
        tcp = ip[scapy.TCP]
        length = ip.len - 20 - 4 * tcp.dataofs
        if tcp.dport == 9:
            begun["connections"] += "S" in tcp.flags
            end = tcp.seq + length + ("S" in tcp.flags)
            ends[ip.src, tcp.sport] = max(ends[ip.src, tcp.sport], end)
            assert "S" in tcp.flags or wire == (500 if tcp.seq == 5 * DATA + 1 else 1000)
        else:
            acknowledged[ip.dst, tcp.dport] = max(acknowledged[ip.dst, tcp.dport], tcp.ack)
    assert len(ends) == begun["connections"] > 800
    whole = [connection for connection, end in ends.items() if end == 5 * DATA + 460 + 1]
    assert len(whole) > 0.98 * len(ends)
    assert all(end <= 5 * DATA + 460 + 1 for end in ends.values())
    assert all(acknowledged[connection] <= end for connection, end in ends.items())
    assert sum(acknowledged[connection] == 5 * DATA + 460 + 1 for connection in whole) > 0.98 * len(whole)
    # So many flows never were there at once.
    assert len({source for source, _ in ends}) < 0.1 * len(ends)
    if TSHARK is not None:
        assert tshark(file, "tcp.analysis.flags") == []


def test_the_same_run_makes_the_same_file(tmp_path: Path) -> None:
    first, second = (tmp_path / name for name in ("a.pcapng", "b.pcapng"))
    for file in (first, second):
        weir.Scenario.loads(LOSSY).run(capture=[f"bottleneck={file}"])
    assert first.read_bytes() == second.read_bytes()


def test_captures_change_nothing(tmp_path: Path) -> None:
    with_it = weir.Scenario.loads(LOSSY).run(2, capture=[f"bottleneck={tmp_path / 'a.pcapng'}"])
    without = weir.Scenario.loads(LOSSY).run(2)
    for name, table in without.tables.items():
        assert table.equals(with_it.tables[name], null_equal=True), name


@needs_tshark
def test_tshark_finds_nothing_to_complain_of(lossless_file: Path) -> None:
    assert tshark(lossless_file, "tcp.analysis.flags && !tcp.analysis.window_full") == []
    assert tshark(lossless_file, "ip.checksum.status == 0 || tcp.checksum.status == 0 || _ws.malformed") == []
    (name, description, resolution), *_ = tshark(
        lossless_file,
        "frame.number == 1",
        "frame.interface_name",
        "frame.interface_description",
        "frame.time_epoch",
    )
    assert (name, description) == ("bottleneck:forward", "10000000 bit/s, packets leaving")
    assert len(resolution.partition(".")[2]) == 9
    # A round trip by Wireshark's own reckoning: the link one way, where the receivers are at its end, and
    # 40 B on the way back.
    trips = [float(rtt) for (rtt,) in tshark(lossless_file, "tcp.analysis.ack_rtt", "tcp.analysis.ack_rtt")]
    assert len(trips) > 1000
    assert min(trips) == pytest.approx(0.010032, abs=1e-9)


@needs_tshark
def test_tshark_sees_the_losses_that_there_were(tmp_path: Path) -> None:
    """Before the queue whatever is sent again is known; behind it, gaps are what the queue has dropped."""
    leaving, arriving = tmp_path / "out.pcapng", tmp_path / "in.pcapng"
    result = weir.Scenario.loads(LOSSY).run(capture=[f"bottleneck={leaving}", f"bottleneck:in={arriving}"])
    forward, whole = whole_run(result)
    # What comes within a round trip of newer data Wireshark suspects to be out of order.
    again = tshark(arriving, "tcp.analysis.retransmission || tcp.analysis.out_of_order")
    under_way = 4
    assert whole["retransmitted"] - under_way <= len(again) <= whole["retransmitted"]
    assert len(tshark(arriving, "tcp.analysis.retransmission")) > 0.1 * len(again)
    assert tshark(arriving, "tcp.analysis.lost_segment || tcp.analysis.ack_lost_segment") == []
    assert tshark(leaving, "tcp.analysis.ack_lost_segment") == []
    # One gap for each run of drops that no repair has filled; each is a real one.
    assert 0 < len(tshark(leaving, "tcp.analysis.lost_segment")) <= forward["drops"]
    assert tshark(leaving, "ip.checksum.status == 0 || tcp.checksum.status == 0 || _ws.malformed") == []
    assert len(tshark(leaving, "tcp.options.sack.count >= 1")) > 50


@needs_tshark
def test_what_the_guide_asks_tshark(tmp_path: Path) -> None:
    guide = (Path(__file__).parents[1] / "docs" / "how-to" / "captures.md").read_text(encoding="utf-8")
    commands = re.findall(r"^\$ (tshark .*)$", guide.replace("\\\n", " "), re.MULTILINE)
    names = {"bottleneck": "line.pcapng", "bottleneck:in": "arriving.pcapng"}
    text = LOSSY.replace('"200 ms"', '"60 ms"').replace('"20 packets"', '"100 packets"')
    wishes = [f"{wish}={tmp_path / name}" for wish, name in names.items()]
    weir.Scenario.loads(text).run(capture=wishes)
    assert len(commands) == 6
    for command in commands:
        run = subprocess.run(shlex.split(command), cwd=tmp_path, capture_output=True, text=True, check=True)
        assert run.stdout.strip() or "ecn" in command, command


def test_the_manifest_of_a_capture(lossless_file: Path) -> None:
    """Comments say what it is of."""
    data = lossless_file.read_bytes()
    for comment in ("scenario lossless", "seed 3", f"weir {weir.__version__}"):
        assert comment.encode() in data[:400]
