"""The bundled scenario of a home router: what CAKE does there, and that readers of results take its tins."""

from __future__ import annotations

from functools import cache

import polars as pl
import pytest

import weir
from conftest import Command
from weir.stats import By

TINS = ["best-effort", "bulk", "voice"]


@cache
def compared() -> weir.Sweep:
    return weir.load("home-router", {"duration": "20 s"}).compare()


def values(measure: str, by: By, variant: str) -> dict[str, float]:
    rows = compared().summary(by=by).filter(pl.col("variant") == variant)
    return dict(zip(rows[by], rows[measure], strict=True))


def test_the_call_does_not_wait_for_the_backup() -> None:
    waits = {name: values("delay_p99", "group", name) for name in ("drop-tail", "fq-codel", "cake")}
    assert waits["cake"]["call"] < 3.0
    assert waits["drop-tail"]["call"] > 200.0
    assert waits["cake"]["call"] < waits["fq-codel"]["call"]


def test_one_download_of_a_host_is_not_outnumbered_by_eight_of_another() -> None:
    part = {name: values("goodput", "group", name)["download"] for name in ("fq-codel", "cake")}
    # One of nine flows, and one of two hosts; one CUBIC flow does not quite fill a half.
    assert part["fq-codel"] < 15.0
    assert part["cake"] > 30.0


def test_the_bulk_tin_leaves_the_others_their_share() -> None:
    delays = values("delay_mean", "class", "cake")
    assert list(delays) == TINS
    assert delays["voice"] < 2.0
    assert delays["bulk"] > 20.0


@pytest.mark.parametrize(
    ("tins", "known"),
    [
        ("diffserv4", ["best-effort", "bulk", "video", "voice"]),
        ("diffserv8", [f"tin-{number}" for number in range(8)]),
        ("besteffort", []),
    ],
)
def test_results_have_a_row_for_each_tin(tins: str, known: list[str]) -> None:
    path = "links.line.reverse.queue.cake.tins"
    result = weir.load("home-router", {"duration": "6 s", path: tins}).run()
    assert result.queue_classes == known
    rows = result.links.filter(
        pl.col("direction") == "reverse", pl.col("period") == -1, pl.col("group") == "all"
    )
    assert rows["class"].cast(str).to_list() == ["all", *known]
    if known:
        tins_alone = rows.filter(pl.col("class") != "all")
        assert tins_alone["arrivals"].sum() == rows["arrivals"][0]


def test_commands_take_tins(weir_command: Command) -> None:
    short = ("home-router", "--set", "duration=6 s", "-q")
    ran = weir_command("run", *short)
    assert ran.returncode == 0, ran.stderr
    assert all(tin in ran.stdout for tin in TINS)
    done = weir_command(
        "compare", *short, "--variants", "cake,drop-tail", "--measure", "p99 delay of voice", "--report"
    )
    assert done.returncode == 0, done.stderr
    drawn = weir_command("plot", "home-router", "--kind", "cdf", "-o", "delays.svg")
    assert drawn.returncode == 0, drawn.stderr
