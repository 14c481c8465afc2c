"""CAKE in scenarios: hosts and their flows, tins by codepoint, and the shaper."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest

import weir
from capturing import scapy
from conftest import Command
from weir.run._tables import WHOLE_RUN

HOME = """\
schema = 1
name = "home"
duration = "40 s"
measure.warm_up = "10 s"

[links.down]
rate = "20 Mbit/s"
delay = "10 ms"
buffer = "1000 packets"
queue.cake = {}

[flows.many]
count = 9
rtt = "40 ms"
start_jitter = "1 s"
to_host = "desktop"
tcp.preset = "linux"

[flows.one]
rtt = "40 ms"
start_jitter = "1 s"
to_host = "laptop"
tcp.preset = "linux"
"""

FLOOD = """\
[flows.flood]
rtt = "40 ms"
traffic.cbr = { rate = "30 Mbit/s" }
"""

SEEDS = range(1, 4)


def shares(text: str, changes: dict[str, Any] | None = None) -> list[dict[str, float]]:
    """The share of each group in the goodput, seed by seed."""
    found: list[dict[str, float]] = []
    for seed in SEEDS:
        flows = weir.Scenario.loads(text, changes).run(seed=seed).flows
        whole = flows.filter(pl.col("period") == WHOLE_RUN).group_by("group").agg(pl.col("goodput_bps").sum())
        rates = {row["group"]: row["goodput_bps"] for row in whole.to_dicts()}
        found.append({group: rate / sum(rates.values()) for group, rate in rates.items()})
    return found


@pytest.mark.parametrize(
    ("isolation", "of_one"),
    [
        ("triple-isolate", 0.5),
        ("dual-dsthost", 0.5),
        ("dsthost", 0.5),
        # Each flow is sent by a host of its own.
        ("dual-srchost", 0.1),
        ("flows", 0.1),
    ],
)
def test_a_rate_is_shared_among_hosts_or_flows(isolation: str, of_one: float) -> None:
    """A host with nine flows against one with a single flow. A flow of Linux does not always use its whole
    part, and the others take what it leaves: up to a tenth here."""
    for share in shares(HOME, {"links.down.queue": {"cake": {"isolation": isolation}}}):
        assert share["one"] == pytest.approx(of_one, rel=0.1)


@pytest.mark.parametrize(
    ("tins", "dscp", "of_one"),
    [
        # A sixteenth is what it has for certain, and all that best effort leaves it.
        ("diffserv3", "CS1", 1 / 16),
        ("diffserv4", "LE", 1 / 16),
        # Up to a quarter, and a half, before the others.
        ("diffserv3", "EF", 1 / 4),
        ("diffserv4", "AF41", 1 / 2),
        ("diffserv4", "CS5", 1 / 4),
    ],
)
def test_a_tin_has_its_share_of_a_busy_link(tins: str, dscp: str, of_one: float) -> None:
    """Datagrams that ask for more than the tin's share, beside others in best effort that take the rest."""
    one = f'[flows.one]\nrtt = "40 ms"\ndscp = "{dscp}"\ntraffic.cbr.rate = "15 Mbit/s"\n'
    flood = HOME[: HOME.index("[flows.many]")] + FLOOD + one
    for share in shares(flood, {"links.down.queue": {"cake": {"tins": tins}}}):
        assert share["one"] == pytest.approx(of_one, rel=0.001)


def test_a_tin_has_the_whole_link_where_the_others_are_idle() -> None:
    bulk = {"flows.many.dscp": "CS1", "flows.one.dscp": "CS1"}
    run = weir.Scenario.loads(HOME, bulk).run(seed=1)
    row = run.links.filter(pl.col("period") == WHOLE_RUN, pl.col("class") == "bulk", pl.col("group") == "all")
    assert row["utilisation"].item() > 0.99


def test_a_call_does_not_wait_for_bulk() -> None:
    """A call of 100 kbit/s, marked EF, waits for the packet on the wire and its own kind: 0.6 ms each."""
    call = 'dscp = "EF"\npacket_size = "200 B"\ntraffic.cbr = { rate = "100 kbit/s" }'
    text = HOME.replace('to_host = "laptop"\ntcp.preset = "linux"', call)
    run = weir.Scenario.loads(text).run(seed=1)
    voice = run.links.filter(
        pl.col("period") == WHOLE_RUN, pl.col("class") == "voice", pl.col("group") == "all"
    )
    assert voice["delay_p99_ms"].item() < 1.2
    assert voice["drops"].item() == 0


def test_acks_have_the_codepoint_of_their_flow_and_hops_keep_it() -> None:
    text = HOME.replace(
        "queue.cake = {}", 'queue.cake = {}\nreverse = { buffer = "1000 packets", queue.cake = {} }'
    )
    text += '\n[links.next]\nrate = "30 Mbit/s"\ndelay = "1 ms"\nbuffer = "1000 packets"\nqueue.cake = {}\n'
    text = text.replace('rtt = "40 ms"', 'rtt = "40 ms"\npath = ["down", "next"]')
    run = weir.Scenario.loads(text, {"flows.one.dscp": "EF"}).run(seed=1)
    rows = run.links.filter(pl.col("period") == WHOLE_RUN, pl.col("group") != "all", pl.col("class") != "all")
    passed = rows.filter(pl.col("arrivals") > 0).select("link", "direction", "group", "class")
    expected = {
        (link, direction, group, tin)
        for link, direction in [("down", "forward"), ("down", "reverse"), ("next", "forward")]
        for group, tin in [("many", "best-effort"), ("one", "voice")]
    }
    assert set(passed.iter_rows()) == expected


@pytest.mark.parametrize(
    ("cake", "rate"),
    [
        ({"bandwidth": "5 Mbit/s"}, 5.0),
        ({"bandwidth": "5 Mbit/s", "overhead": "38 B"}, 5.0 * 1500 / 1538),
        # 33 cells of 53 bytes carry 1544 bytes.
        ({"bandwidth": "5 Mbit/s", "overhead": "44 B", "carrier": "atm"}, 5.0 * 1500 / 1749),
        # One byte more for each of 24.03 times 64.
        ({"bandwidth": "5 Mbit/s", "overhead": "38 B", "carrier": "ptm"}, 5.0 * 1500 / 1563),
        ({"overhead": "44 B", "carrier": "atm"}, 20.0 * 1500 / 1749),
        # Its shaper is faster than the link.
        ({"bandwidth": "50 Mbit/s"}, 20.0),
    ],
)
def test_the_shaper_counts_what_packets_take_on_the_wire(cake: dict[str, str], rate: float) -> None:
    """Datagrams that always keep it busy."""
    flood = HOME[: HOME.index("[flows.many]")] + FLOOD
    run = weir.Scenario.loads(flood, {"links.down.queue": {"cake": cake}}).run(seed=1)
    whole = run.links.filter(
        pl.col("period") == WHOLE_RUN, pl.col("group") == "all", pl.col("class") == "all"
    )
    assert whole["utilisation"].item() * 20.0 == pytest.approx(rate, rel=0.0005)


def test_the_shaper_holds_before_a_link_that_follows_a_trace(tmp_path: Path) -> None:
    """An opportunity of 1504 bytes each millisecond, of which the shaper takes five in twelve."""
    (tmp_path / "one.trace").write_text("".join(f"{ms}\n" for ms in range(1, 101)), encoding="utf-8")
    path = tmp_path / "traced.toml"
    flood = HOME[: HOME.index("[flows.many]")] + FLOOD
    path.write_text(flood.replace('rate = "20 Mbit/s"', 'trace = "one.trace"'), encoding="utf-8")
    run = weir.load(path, {"links.down.queue": {"cake": {"bandwidth": "5 Mbit/s"}}}).run(seed=1)
    whole = run.links.filter(
        pl.col("period") == WHOLE_RUN, pl.col("group") == "all", pl.col("class") == "all"
    )
    assert whole["departures"].item() * 12_000 / 30 == pytest.approx(5e6, rel=0.0005)


@pytest.mark.parametrize(
    ("changes", "at", "said"),
    [
        ({"flows.one.dscp": "AF14"}, "flows.one.dscp", '"CS1", "AF41"'),
        ({"flows.one.dscp": 64}, "flows.one.dscp", "0 to 63"),
        ({"flows.one.to_host": "my laptop"}, "flows.one.to_host", "plain name"),
        ({"flows.one.packet_size": "70 kB"}, "flows.one.packet_size", "65535 B"),
        ({"links.down.queue.cake.tins": "diffserv5"}, "links.down.queue.cake.tins", "diffserv8"),
        ({"links.down.queue.cake.rtt": "0 s"}, "links.down.queue.cake.rtt", "100 ms"),
        ({"links.down.queue.cake.overhead": "300 B"}, "links.down.queue.cake.overhead", "256 B"),
        (
            {"links.down.queue.cake": {"unlimited": True, "bandwidth": "9 Mbit/s"}},
            "links.down.queue.cake.bandwidth",
            "unlimited",
        ),
    ],
)
def test_what_cake_and_its_keys_cannot_be_is_refused(changes: dict[str, Any], at: str, said: str) -> None:
    with pytest.raises(weir.ScenarioError) as caught:
        weir.Scenario.loads(HOME, changes)
    error = caught.value
    assert error.path == at
    assert said in f"{error} {error.hint}"


def test_a_hundred_and_twenty_seven_hosts_have_names() -> None:
    group = '[flows.g{n}]\nrtt = "40 ms"\nfrom_host = "host{n}"\n'
    links = HOME[: HOME.index("[flows.many]")]
    most = links + "".join(group.format(n=n) for n in range(127))
    weir.Scenario.loads(most)
    with pytest.raises(weir.ScenarioError, match="128 hosts have names"):
        weir.Scenario.loads(most + group.format(n=127))


def test_a_capture_shows_codepoints(tmp_path: Path, weir_command: Command) -> None:
    """The third byte of the IP header is the codepoint before the bits of ECN."""
    path = tmp_path / "home.toml"
    path.write_text(HOME.replace('to_host = "laptop"', 'dscp = "EF"'), encoding="utf-8")
    short = ("--set", "duration=2 s", "--set", "measure.warm_up=0 s")
    done = weir_command("run", path, *short, "--capture", "down=out.pcapng")
    assert done.returncode == 0, done.stderr
    packets = scapy.rdpcap(str(tmp_path / "out.pcapng"))
    assert {bytes(packet)[1] >> 2 for packet in packets} == {0, 46}


def test_a_queue_in_hand_takes_codepoints_and_hosts() -> None:
    queue = weir.Queue("cake", rate="10 Mbit/s", buffer="1000 packets")
    for flow, dscp in ((1, "CS0"), (2, "CS1"), (3, "EF")):
        queue.offer(0.0, 1500, flow, dscp=dscp)
    taken = [queue.take(0.0012 * turn) for turn in range(1, 4)]
    assert [one.flow for one in taken if one is not None] == [3, 2, 1]
    with pytest.raises(ValueError, match="Diffserv codepoint"):
        queue.offer(1.0, 1500, dscp="gold")
