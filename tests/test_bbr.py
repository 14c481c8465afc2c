"""BBR: against Linux in short, and what the bundled scenarios show."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path

import polars as pl
import pytest

import weir
from conftest import Command
from validation import bbr, l4s


def test_every_combination_of_linux_has_a_scenario() -> None:
    recorded = bbr.reference()
    text = (l4s.HERE / l4s.SCENARIO).read_text(encoding="utf-8")
    assert len(recorded) == 148
    assert len({l4s.scenario(one, text).hash for one in recorded}) == 148
    assert {one.link for one in recorded} == set("ABCD")
    assert {one.scen for one in recorded} == {"", "loss1", "step"}
    assert {name for name, _ in bbr.OPEN} <= {one.name for one in recorded}


def test_bbr_beside_cubic_over_one_bdp_is_as_in_linux() -> None:
    chosen = bbr.reference(lambda one: one.qdisc == "pfifo_1bdp" and one.link == "A" and one.flows == 2)
    chosen = {one: rows for one, rows in chosen.items() if "cubic" in one.congestion}
    found = l4s.Senders(l4s.compare(chosen), bbr.OPEN)
    assert len(found.bound) == 2
    assert found.unnamed == []
    first, third = (cell.weir.mean for _, cell in found.mixes)
    assert first > 5.0, "version 1 answers no losses"
    assert 0.6 < third < 1.3, "version 3 does"


@pytest.mark.soak
def test_what_misses_is_named() -> None:
    found = bbr.senders()
    assert (found.unnamed, found.stale) == ([], [])
    assert found.values - len(found.missed) >= 0.93 * found.values


def _share(scenario: str, variant: str, group: str) -> float:
    flows = weir.load(scenario).variant(variant).run().table("flows")
    rates = dict(flows.group_by("group").agg(pl.col("goodput_bps").sum()).iter_rows())
    return float(rates[group] / sum(rates.values()))


def test_version_3_leaves_cubic_its_share() -> None:
    assert _share("bbr-coexistence", "bbr1", "bbr") > 0.8
    assert 0.3 < _share("bbr-coexistence", "bbr3", "bbr") < 0.65
    assert _share("bbr-coexistence", "versions", "bbr") < 0.5
    assert 0.4 < _share("bbr-coexistence", "cubic", "bbr") < 0.6


def test_the_page_has_what_its_command_prints(weir_command: Command) -> None:
    page = (Path(__file__).parents[1] / "docs/reference/tcp.md").read_text(encoding="utf-8")
    [line] = re.findall(r"weir (run bbr-coexistence [^`]*)`", page)
    without = (f"--set=flows.{group}.tcp.sack_compression=0 s" for group in ("bbr", "other"))
    for words in (line.split(), [*line.split(), *without]):
        printed = weir_command(*words).stdout
        goodput = re.findall(r"^(?:bbr|other) +([0-9.±]+)", printed, re.MULTILINE)
        assert len(goodput) == 2
        assert all(f" {share}%" in page for share in goodput), goodput


def test_the_share_of_version_1_falls_with_the_buffer() -> None:
    shares = [_share("bbr-buffers", variant, "bbr") for variant in ("half", "one", "two", "four", "eight")]
    assert all(before > after for before, after in pairwise(shares[:4])), shares
    assert shares[0] > 0.8
    # A window of two products holds it below half of what stands in a deep buffer.
    assert all(0.3 < share < 0.55 for share in shares[3:]), shares
