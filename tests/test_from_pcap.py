"""Traffic from a capture: what `weir traffic from-pcap` finds, against what was sent."""

from __future__ import annotations

import gzip
import json
import re
import shutil
import struct
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from typer.testing import CliRunner, Result

import weir
from capturing import ETHERNET, exchange, framed, needs_tshark, scapy, tshark, write
from weir._errors import WeirError
from weir.cli._app import program
from weir.traffic import cdf_of, read

KNOWN = """
schema = 1
name = "known"
seed = 7
duration = "30 s"
measure.warm_up = "0 s"

[links.bottleneck]
rate = "100 Mbit/s"
delay = "5 ms"
buffer = "1000 packets"
reverse.buffer = "1000 packets"

[flows.near]
rtt = "20 ms"
packet_size = "1500 B"
traffic.poisson = { rate = "30 /s", size.exponential.mean = "40 kB" }
tcp.preset = "linux"

[flows.far]
rtt = "80 ms"
packet_size = "1500 B"
traffic.poisson = { rate = "30 /s", size = "30 kB" }
tcp.preset = "linux"
"""


def invoke(*words: str | Path) -> Result:
    return CliRunner().invoke(program(), ["traffic", "from-pcap", *map(str, words)])


@pytest.fixture(scope="module")
def known(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, weir.Sweep]:
    file = tmp_path_factory.mktemp("known") / "known.pcapng"
    return file, weir.Scenario.loads(KNOWN).run(capture=[f"bottleneck={file}"])


def test_known_transfers_come_back(known: tuple[Path, weir.Sweep]) -> None:
    """Numbers, sizes, starts and round trips of what Weir itself has sent."""
    file, sweep = known
    found = read(file)
    done, octets = ended(sweep)
    # Transfers of the last second are not known to be over.
    cut, _ = found.cut["not over at its end"]
    assert len(found.sizes) + cut == pytest.approx(done, abs=10)
    assert cut < 0.06 * done
    assert found.sizes.mean() == pytest.approx(octets / done, rel=0.01)
    near = found.transfers["rtt"] < 0.05
    assert np.mean(near) == pytest.approx(0.5, abs=0.05)
    assert set(found.transfers["bytes"][~near & found.whole]) == {30_000}
    sizes = found.transfers["bytes"][near]
    for share in (0.25, 0.5, 0.75, 0.9):
        assert np.quantile(sizes, share) == pytest.approx(-40_000 * np.log(1 - share), rel=0.12)
    # Uniform in time, to the accuracy of the Kolmogorov-Smirnov test at 0.1%.
    starts = np.sort(found.transfers["start"])
    starts = starts[starts < 0.9 * found.duration]
    expected = starts / (0.9 * found.duration)
    distance = np.abs(expected - np.arange(len(starts)) / len(starts)).max()
    assert distance < 1.95 / np.sqrt(len(starts))
    assert found.dispersion == pytest.approx(1, abs=0.5)
    assert np.isfinite(found.transfers["rtt"]).mean() > 0.99
    for of, rtt in ((near, 0.020), (~near, 0.080)):
        assert np.nanmedian(found.transfers["rtt"][of]) == pytest.approx(rtt, rel=0.05)


def ended(sweep: weir.Sweep) -> tuple[int, int]:
    """Transfers that ended in a run, and their bytes."""
    table = sweep.table("completions")
    whole = table.filter(pl.col("upto_bytes").is_nan(), pl.col("group") == "all")
    return int(whole["count"].sum()), int(whole["bytes"].sum())


def test_what_is_written_is_checked_and_runs(known: tuple[Path, weir.Sweep], tmp_path: Path) -> None:
    out = tmp_path / "mine.toml"
    done = invoke(known[0], "--out", out, "--rate", "100 Mbit/s", "--buffer", "1000 packets", "--groups", "2")
    assert done.exit_code == 0, done.output
    assert "transfers" in done.output
    assert "left out" in done.output
    assert CliRunner().invoke(program(), ["check", str(out)]).exit_code == 0
    scenario = weir.load(out)
    assert scenario.groups == ["transfers-1", "transfers-2"]
    first, again = ended(known[1]), ended(scenario.replace({"measure.warm_up": "0 s"}).run())
    assert again[0] == pytest.approx(first[0], rel=0.1)
    assert again[1] == pytest.approx(first[1], rel=0.15)
    refused = invoke(known[0], "--out", out, "--rate", "100 Mbit/s")
    assert refused.exit_code == 2
    assert "--force" in refused.output


def test_without_a_rate_the_link_is_left_to_fill_in(known: tuple[Path, weir.Sweep], tmp_path: Path) -> None:
    out = tmp_path / "mine.toml"
    assert "describe the link" in invoke(known[0], "--out", out).output
    text = out.read_text()
    assert "# [links.bottleneck]" in text
    out.write_text(re.sub(r"^# (?=\[links|rate =|delay =|buffer =)", "", text, flags=re.MULTILINE))
    assert weir.load(out).links == ["bottleneck"]


@needs_tshark
def test_tshark_agrees_on_connections_and_bytes(known: tuple[Path, weir.Sweep]) -> None:
    streams = tshark(known[0], "tcp", "tcp.stream", "ip.len")
    count, octets = read(known[0]).conversations["TCP"]
    assert count == len({stream for stream, _ in streams})
    assert octets == sum(int(length) for _, length in streams)


FORMS: dict[str, tuple[list[tuple[float, Any]], dict[str, Any]]] = {
    "ethernet": (ETHERNET, {}),
    "vlan": ([(at, framed(scapy.Dot1Q(vlan=7) / ip)) for at, ip in exchange()], {}),
    "ipv6": ([(at, framed(ip)) for at, ip in exchange("2001:db8::1", "2001:db8::2")], {}),
    "cooked": (
        [(at, scapy.CookedLinux(proto=0x800, lladdrtype=512) / ip) for at, ip in exchange()],
        {"linktype": 113},
    ),
    "raw": (exchange(), {"linktype": 101}),
    "nanoseconds": (ETHERNET, {"nano": True}),
    "big-endian": (ETHERNET, {"endianness": ">"}),
    "gzip": (ETHERNET, {"gz": True}),
}


@pytest.mark.parametrize("form", FORMS)
def test_every_form_of_capture_is_read(form: str, tmp_path: Path) -> None:
    packets, options = FORMS[form]
    found = read(write(tmp_path / "one.pcap", packets, **options))
    header = 60 if form == "ipv6" else 40
    # Each byte once, in the packets that carry it.
    assert found.sizes.tolist() == [4000 + 3 * header]
    assert found.transfers["rtt"][0] == pytest.approx(0.030, abs=2e-6)
    assert found.transfers["start"][0] == 0
    assert found.conversations["TCP"][0] == 1
    assert not any(count for count, _ in found.left_out.values())


@pytest.mark.skipif(shutil.which("editcap") is None, reason="editcap is not installed")
def test_headers_that_are_cut_are_enough(tmp_path: Path) -> None:
    """54 bytes: Ethernet, IP, TCP without options."""
    whole = write(tmp_path / "whole.pcap", ETHERNET)
    short = tmp_path / "short.pcap"
    subprocess.run(["editcap", "-s", "54", whole, short], check=True)
    # Without options the MSS is not known: four packets of 1000 bytes were seen.
    assert read(short).sizes.tolist() == [4000 + 4 * 40]
    assert read(short).transfers["rtt"][0] == pytest.approx(0.030, abs=2e-6)


@pytest.mark.parametrize("layers", ["ethernet", "vlan"])
def test_segments_without_a_length_are_as_long_as_their_frames_less_the_headers(
    layers: str, tmp_path: Path
) -> None:
    """With segmentation offload the IP header of a frame that is sent may have no length."""
    packets = [(at, framed(scapy.Dot1Q(vlan=7) / ip if layers == "vlan" else ip)) for at, ip in exchange()]
    for _, packet in packets:
        packet[scapy.IP].len = 0
    found = read(write(tmp_path / "offload.pcap", packets))
    whole = read(write(tmp_path / "whole.pcap", ETHERNET))
    assert found.sizes.tolist() == whole.sizes.tolist()
    assert found.transfers["rtt"].tolist() == whole.transfers["rtt"].tolist()


def test_what_is_left_out_says_why(tmp_path: Path) -> None:
    others = [(at, framed(ip)) for at, ip in exchange("10.0.0.3")[4:]]  # no SYN: began before
    late = [(at + 5, framed(ip)) for at, ip in exchange("10.0.0.4")[:6]]  # goes on after the end
    scan = [(1.0, framed(exchange("10.0.0.5")[0][1]))]
    arp = [(0.5, framed(scapy.ARP()))]
    packets = sorted([*ETHERNET, *others, *late, *scan, *arp], key=lambda pair: pair[0])
    file = write(tmp_path / "some.pcap", packets)
    found = read(file)
    assert {why: count for why, (count, _) in found.cut.items()} == {
        "beginning not captured": 1,
        "not over at its end": 1,
    }
    assert {why: count for why, (count, _) in found.left_out.items()} == {
        "no data": 1,
        "fewer than 10 datagrams": 0,
    }
    assert found.others == 1
    assert len(found.sizes) == 1
    assert len(read(file, ["10.0.0.2/32"]).sizes) == 1, "the request of 100 bytes"
    assert read(file, ["10.0.0.2/32"]).sizes.tolist() == [140]
    assert len(read(file, ["192.0.2.0/24"]).sizes) == 0
    told = json.loads(invoke(file, "--json").stdout)
    assert told["cut"]["not over at its end"]["count"] == 1
    assert "of the bytes are of transfers whose beginning was not captured" in invoke(file).output
    assert re.search(r"of these in part +1, .*: beginning not captured", invoke(file).stdout)
    assert re.search(r"left out .*1, .*% of the bytes: no data", invoke(file).stdout)


def test_a_port_that_is_used_again_is_another_connection(tmp_path: Path) -> None:
    again = [(at + 2, packet.copy()) for at, packet in ETHERNET]
    for _, packet in again:
        packet[scapy.TCP].seq = (packet[scapy.TCP].seq + 5_000_000) % 2**32
        packet[scapy.TCP].ack = (packet[scapy.TCP].ack + 5_000_000) % 2**32
    found = read(write(tmp_path / "two.pcap", [*ETHERNET, *again]))
    assert found.sizes.tolist() == [4120, 4120]
    assert found.transfers["start"].tolist() == pytest.approx([0, 2])


def test_the_rest_of_an_earlier_connection_hides_no_later_one(tmp_path: Path) -> None:
    rest = [(at - 1, framed(ip)) for at, ip in exchange()[9:]]
    found = read(write(tmp_path / "rest.pcap", [rest[-1], *ETHERNET]))
    assert found.sizes.tolist() == [4120]


def test_streams_of_datagrams_have_a_rate(tmp_path: Path) -> None:
    def datagram(at: float) -> tuple[float, Any]:
        packet = scapy.IP(src="10.0.0.1", dst="10.0.0.2") / scapy.UDP(sport=5004, dport=5004)
        return at, framed(packet / scapy.Raw(b"x" * 172))

    call = [datagram(number * 0.02) for number in range(100)]
    file = write(tmp_path / "call.pcap", sorted([*ETHERNET, *call], key=lambda pair: pair[0]))
    out = tmp_path / "call.toml"
    assert invoke(file, "--out", out, "--rate", "10 Mbit/s").exit_code == 0
    text = out.read_text()
    assert 'packet_size = "200 B"' in text
    rate = re.search(r'cbr.rate = "([\d.]+) kbit/s"', text)
    assert rate is not None
    assert float(rate[1]) == pytest.approx(80, rel=0.03)


def test_files_that_are_no_captures(tmp_path: Path) -> None:
    file = tmp_path / "no.pcap"
    file.write_bytes(b"time,bytes\n" * 10)
    done = invoke(file)
    assert done.exit_code == 2
    assert "gzip" in done.output
    whole = write(tmp_path / "whole.pcap", ETHERNET).read_bytes()
    file.write_bytes(whole[:-10])
    done = invoke(file)
    assert done.exit_code == 0
    assert "packet 11: the file ends within it" in done.output
    assert "is no file" in invoke(tmp_path / "none.pcap").output
    with pytest.raises(WeirError, match="is no network"):
        read(file, ["nowhere"])


def test_a_distribution_with_many_sizes_keeps_its_mean() -> None:
    sizes = np.sort(np.round(np.random.default_rng(1).pareto(1.3, 20_000) * 10_000 + 100))
    text = cdf_of(sizes)
    points = np.loadtxt(text.splitlines())
    assert len(points) < 1500
    mean = np.sum(np.diff(points[:, 1]) * (points[1:, 0] + points[:-1, 0]) / 2)
    assert mean == pytest.approx(sizes.mean(), rel=0.01)


def test_a_replay_reads_what_is_compressed(tmp_path: Path) -> None:
    text = KNOWN[: KNOWN.index("[flows.near]")]
    flows = '[flows.recorded]\nrtt = "40 ms"\ntraffic.replay.file = "one.pcap.gz"\n'
    (tmp_path / "mine.toml").write_text(text + flows)
    packed = gzip.compress(write(tmp_path / "one.pcap", ETHERNET).read_bytes())
    (tmp_path / "one.pcap.gz").write_bytes(packed)
    assert weir.load(tmp_path / "mine.toml").groups == ["recorded"]
    (tmp_path / "one.pcap.gz").write_bytes(packed[:-20])
    with pytest.raises(weir.ScenarioError, match="cannot be decompressed"):
        weir.load(tmp_path / "mine.toml")


MEMORY = r"""
import re, sys, time
from pathlib import Path
from weir.traffic import read

def peak():
    return int(re.search(r"VmHWM:\s+(\d+) kB", Path("/proc/self/status").read_text())[1])

before = peak()
began = time.process_time()
found = read(Path(sys.argv[1]))
print(peak() - before, time.process_time() - began, found.packets)
"""


def grown(file: Path, size: int) -> Path:
    """A capture of this many bytes: the connection again each millisecond, from another address."""
    whole = write(file, ETHERNET).read_bytes()
    head, block = whole[:24], bytearray(whole[24:])
    times: list[tuple[int, int]] = []
    at = 0
    while at < len(block):
        seconds, micros, kept, _ = struct.unpack_from("<4I", block, at)
        times.append((at, seconds * 1_000_000 + micros))
        at += 16 + kept
    places = [match.start() for match in re.finditer(rb"\x0a\x00\x00\x01", block)]
    with file.open("wb") as out:
        out.write(head)
        for number in range(size // len(block)):
            for at in places:
                block[at + 1 : at + 4] = number.to_bytes(3, "big")
            for at, micros in times:
                struct.pack_into("<2I", block, at, *divmod(micros + 1000 * number, 1_000_000))
            out.write(block)
    return file


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="not Linux")
def test_memory_does_not_grow_with_the_file(tmp_path: Path) -> None:
    file = grown(tmp_path / "large.pcap", 40_000_000)
    done = subprocess.run([sys.executable, "-c", MEMORY, file], capture_output=True, text=True, check=True)
    kilobytes, seconds, packets = map(float, done.stdout.split())
    assert packets > 70_000
    assert kilobytes < 20_000
    assert 40 / seconds > 50, "MB/s"
