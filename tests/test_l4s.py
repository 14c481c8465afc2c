"""Senders of L4S: against Linux in short, and what the bundled scenarios show."""

from __future__ import annotations

from dataclasses import replace

import polars as pl
import pytest

import weir
from validation import l4s, misses


def test_every_combination_of_linux_has_a_scenario() -> None:
    recorded = l4s.reference()
    text = (l4s.HERE / l4s.SCENARIO).read_text(encoding="utf-8")
    assert len(recorded) == 62
    assert len({l4s.scenario(one, text).hash for one in recorded}) == 62
    assert {one.link for one in recorded} == set("ABCD")
    assert {one.switch for one in recorded if isinstance(one, l4s.Switched)} == set(l4s.SWITCHES)
    assert {name for name, _ in misses.known("l4s")} <= {one.name for one in recorded}


def test_prague_beside_cubic_is_as_in_linux() -> None:
    found = l4s.senders(quick=True)
    assert len(found.bound) == 12
    assert misses.named(found.misses) == []
    # A value that does not agree is named.
    [first] = [one for one in found.compared if one.combination.name == "dualpi2, A, prague:1+cubic:1"]
    wrong = replace(first.cells[2], ns2=replace(first.cells[2].ns2, mean=50.0))
    bad = replace(found, compared=[replace(first, cells=[wrong])])
    assert not bad.holds
    assert first.combination.name in misses.named(bad.misses)[0]


@pytest.mark.soak
def test_what_misses_is_named() -> None:
    found = l4s.judged("l4s", l4s.reference())
    assert (misses.named(found.misses), misses.stale("l4s", found.misses)) == ([], [])
    assert found.values - len(found.missed) >= 0.93 * found.values


def test_on_a_slow_link_segments_shrink_and_rates_count_bytes() -> None:
    """Two segments of 250 kbit/s within 25 ms have 391 bytes each."""
    text = """
schema = 1
name = "slow"
duration = "20 s"
measure.warm_up = "5 s"
[links.bottleneck]
rate = "1 Mbit/s"
delay = "1 ms"
buffer = "1000 packets"
queue.dualpi2 = {}
[flows.prague]
count = 4
rtt = "10 ms"
tcp = { preset = "linux", ecn = true, accecn = true, congestion.prague = {} }
"""
    run = weir.Scenario.loads(text).run()
    flows = run.table("flows")
    every = (pl.col("group") == "all", pl.col("class") == "all", pl.col("direction") == "forward")
    [link] = run.table("links").filter(*every).to_dicts()
    delivered, bits = sum(flows["delivered"].to_list()), sum(flows["goodput_bps"].to_list())
    assert 0.999 < bits / (1e6 * link["utilisation"]) < 1.001
    assert 15.0 * bits / 8 / delivered == pytest.approx(391, rel=0.2)


def test_round_trips_below_25_ms_share_equally() -> None:
    """The shorter round trip has the greater rate only where each counts as it is."""

    def share(variant: str) -> float:
        flows = weir.load("prague-rtt").variant(variant).run().table("flows")
        short, long = (
            flows.filter(pl.col("group") == group).get_column("goodput_bps").to_list()
            for group in ("short", "long")
        )
        return float(short[0]) / float(long[0])

    assert 0.7 < share("independent") < 1.4
    assert share("dependent") > 1.5


def test_a_peer_without_feedback_makes_prague_reno() -> None:
    """It fills the classic queue."""

    def low_latency(able: str) -> int:
        values = {"duration": "20 s", "flows.prague.tcp.receiver_ecn": able}
        links = weir.load("l4s-pair", values).run().table("links")
        return len(links.filter(pl.col("class") == "L", pl.col("departures") > 10_000))

    assert low_latency("accecn") > 0
    assert low_latency("none") == 0


@pytest.mark.parametrize("control", ["cubic", "reno", "dctcp"])
def test_a_control_with_accurate_feedback_keeps_link_and_queue_as_without(control: str) -> None:
    """They cut once a round trip, as by RFC 3168; DCTCP by the counts. They fall back with others."""
    text = """
        schema = 1
        name = "accurate"
        duration = "60 s"
        measure.warm_up = "10 s"

        [links.bottleneck]
        rate = "20 Mbit/s"
        delay = "10 ms"
        buffer = "200 packets"
        queue.codel = { ecn = true }

        [flows.ftp]
        count = 2
        rtt = "30 ms"
        start_jitter = "1 s"
        send_jitter = "0.1 ms"
        tcp = { ecn = true, recovery.sack = {}, delayed_ack = "40 ms" }
    """

    def of(**tcp: bool | str) -> dict[str, float]:
        values = {f"flows.ftp.tcp.{key}": value for key, value in tcp.items()}
        scenario = weir.Scenario.loads(text, {**values, f"flows.ftp.tcp.congestion.{control}": {}})
        whole = scenario.run().table("links").filter(period=-1, direction="forward", **{"class": "all"})
        return whole.filter(group="all").row(0, named=True)

    without, accurate = of(), of(accecn=True)
    classic, none = (of(accecn=True, receiver_ecn=able) for able in ("classic", "none"))
    assert accurate["utilisation"] == pytest.approx(without["utilisation"], abs=0.02)
    assert accurate["queue_mean"] == pytest.approx(without["queue_mean"], rel=0.15)
    assert accurate["marks"] == pytest.approx(without["marks"], rel=0.2)
    assert accurate["marks"] > 50
    assert accurate["drops"] == 0
    assert classic["marks"] == pytest.approx(without["marks"], rel=0.2)
    assert (none["marks"], none["drops"] > 50) == (0, True)


OVERLOAD = """
schema = 1
name = "overload"
duration = "20 s"
measure.warm_up = "5 s"

[links.l]
rate = "10 Mbit/s"
delay = "5 ms"
buffer = "250 ms"
queue.dualpi2 = { low_latency = "any-ect" }

[flows.flood]
rtt = "20 ms"
packet_size = "1000 B"
traffic.cbr = { rate = "13.3 Mbit/s", ecn = true }
"""


def test_a_flood_that_ignores_marks_does_not_fill_the_low_latency_queue() -> None:
    """RFC 9332, A.2: what drops in overload follows the longer delay. With that of the Classic queue alone,
    which is empty, nothing drops before the buffer is full."""
    p99 = {
        delay: weir.Scenario.loads(OVERLOAD, {"links.l.queue.dualpi2.delay": delay})
        .run()
        .summary()["delay_p99"]
        .item()
        for delay in ("longer", "classic")
    }
    assert p99["longer"] < 30.0
    assert p99["classic"] > 200.0
    assert weir.Scenario.loads(OVERLOAD).core.value("links.l.queue.dualpi2.delay") == "longer"
