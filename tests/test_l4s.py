"""Senders of L4S: against Linux in short, and what the bundled scenarios show."""

from __future__ import annotations

from dataclasses import replace

import polars as pl
import pytest

import weir
from validation import l4s


def test_every_combination_of_linux_has_a_scenario() -> None:
    recorded = l4s.reference()
    text = (l4s.HERE / l4s.SCENARIO).read_text(encoding="utf-8")
    assert len(recorded) == 49
    assert len({l4s.scenario(one, text).hash for one in recorded}) == 49
    assert {one.link for one in recorded} == set("ABCD")
    assert {name for name, _ in l4s.OPEN} <= {one.name for one in recorded}


def test_prague_beside_cubic_is_as_in_linux() -> None:
    chosen = {
        one: rows
        for one, rows in l4s.reference().items()
        if one.qdisc == "dualpi2" and one.congestion.startswith("prague") and one.link in "AB"
    }
    found = l4s.Senders(l4s.compare(chosen))
    assert len(found.bound) == 9
    assert found.unnamed == []
    # A value that does not agree is named.
    first = found.compared[0]
    wrong = replace(first.cells[2], ns2=replace(first.cells[2].ns2, mean=50.0))
    bad = replace(found, compared=[replace(first, cells=[wrong])])
    assert not bad.holds
    assert first.combination.name in bad.unnamed[0]


@pytest.mark.soak
def test_what_misses_is_named() -> None:
    found = l4s.senders()
    assert found.unnamed == []
    assert found.values - len(found.missed) >= 0.93 * found.values


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
