"""`weir live --against tc`: senders of the kernel through a queue of the kernel, and through Weir's."""

from __future__ import annotations

import json
import math
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from sessions import SCENARIO, Finish, finish, needs_namespaces, needs_tun, place, weir

import weir as api
from conftest import Command
from weir.live._passed import PassedPackets
from weir.live._router import search_path

__all__ = ["finish", "place"]

MS = 1_000_000

Row = tuple[int, int | None, int, bool, bool]

needs_tc = pytest.mark.skipif(shutil.which("tc", path=search_path()) is None, reason="needs iproute2")


def passed(rows: Sequence[Row], from_s: float, to_s: float) -> PassedPackets:
    """Packets of 1250 bytes at 10 Mbit/s, 1 ms each: arrival and end in ms, flow, marked, dropped."""
    kinds = {"arrived_ns": "i8", "left_ns": "i8", "bytes": "u4", "flow": "u4", "marked": "?", "dropped": "?"}
    values = [
        (at * MS, -1 if left is None else left * MS, 1250, flow, marked, dropped)
        for at, left, flow, marked, dropped in rows
    ]
    columns: Any = {
        name: (kind, np.array([row[place] for row in values], kind).tobytes(), None)
        for place, (name, kind) in enumerate(kinds.items())
    }
    return PassedPackets(columns, "uplink", "forward", 1e7, 0.04, from_s, to_s)


def of_a_queue(count: int) -> list[Row]:
    """A packet every millisecond, two of every third: the transmitter is busy, and the queue grows."""
    rows: list[Row] = []
    free = 0
    for number in range(count):
        for _ in range(2 if number % 3 == 0 else 1):
            free = max(free, number) + 1
            rows.append((number, free, number % 2, number % 5 == 0, False))
    return rows


def test_what_is_measured_is_what_the_packets_did() -> None:
    rows = of_a_queue(300)
    tables = passed(rows, 0.0, 0.4).tables(7, 3)
    (link,) = tables["links"].iter_rows(named=True)
    waits = [left - at - 1 for at, left, *_ in rows if left is not None]
    assert link["departures"] == link["arrivals"] == len(rows) == 400
    assert link["utilisation"] == pytest.approx(1.0)
    assert link["delay_mean_ms"] == pytest.approx(np.mean(waits))
    for name, share in {"p50": 0.5, "p95": 0.95, "p99": 0.99}.items():
        exact = sorted(waits)[math.ceil(share * len(waits)) - 1]
        assert exact <= link[f"delay_{name}_ms"] <= 1.008 * exact
    # Little's law.
    assert link["queue_mean"] == pytest.approx(sum(waits) / 400.0)
    assert link["queue_max"] == pytest.approx(max(waits), abs=1.0)
    assert link["marks"] == sum(marked for *_, marked, _ in rows)
    assert tables["delays"]["count"].explode().sum() == 400
    (group,) = tables["groups"].iter_rows(named=True)
    assert group["goodput_bps"] == pytest.approx(1e7)
    flows = tables["flows"]
    assert flows["delivered"].sum() == 400
    assert group["jain"] == pytest.approx(400.0**2 / (2.0 * sum(one**2 for one in flows["delivered"])))
    (run,) = tables["runs"].iter_rows(named=True)
    assert (run["run"], run["seed"], run["packets"]) == (7, 3, 400)


def test_drops_count_where_they_came_and_the_warm_up_is_left_out() -> None:
    rows = [
        (0, 1, 0, True, False),
        (5, None, 0, False, True),
        (20, 21, 0, True, False),
        (25, None, 1, False, True),
        (30, 31, 1, False, False),
        (39, None, 1, False, False),
    ]
    (link,) = passed(rows, 0.01, 0.04).tables(1, 1)["links"].iter_rows(named=True)
    assert (link["arrivals"], link["departures"], link["drops"], link["marks"]) == (4, 2, 1, 1)
    assert link["loss"] == pytest.approx(1.0 / 3.0)
    assert link["mark_fraction"] == pytest.approx(0.25)
    assert link["delay_mean_ms"] == link["queue_mean"] == 0.0


def test_no_packets_are_no_numbers() -> None:
    tables = passed([], 0.0, 1.0).tables(1, 1)
    (link,) = tables["links"].iter_rows(named=True)
    assert (link["departures"], link["utilisation"], link["queue_mean"]) == (0, 0.0, 0.0)
    assert math.isnan(link["delay_mean_ms"])
    assert math.isnan(link["loss"])
    assert tables["flows"].is_empty()


@needs_namespaces
@needs_tun
@needs_tc
def test_both_queues_are_variants_of_one_result(finish: Finish, place: Path) -> None:
    # With SACK: what the first burst loses is sent again at once.
    (place / "access.toml").write_text(SCENARIO.replace('"10 s"', '"1 s"') + 'tcp.preset = "linux"\n')
    ended = finish(weir("live", "access.toml", "--against", "tc", "--repeats", "2", "--json"))
    assert ended.returncode == 0, ended.stderr
    assert "run 2 of 2, Linux's queue:" in ended.stderr
    document = json.loads(ended.stdout)
    assert [variant["name"] for variant in document["variants"]] == ["live", "tc"]
    assert (document["kind"], document["replications"], document["runs"]) == ("compare", 2, 4)
    with api.Sweep.open(1, place / "results/store") as sweep:
        facts = sweep.live["facts"]
        assert facts["Same decisions as the simulator's port"] == "yes"
        assert facts["Queue of Linux"].startswith(
            "tc qdisc replace dev DEV root handle 100: tbf rate 100mbit"
        )
        assert "pfifo limit 100" in facts["Queue of Linux"]
        rows = sweep.links.filter(period=-1, bottleneck=True)
    both = rows.filter((pl.col("group") == "all") & (pl.col("class") == "all"))
    assert both["variant"].to_list() == ["live", "live", "tc", "tc"]
    assert (both["utilisation"] > 0.3).all()
    # 100 packets of 1500 bytes at 100 Mbit/s, and what the relay takes to look.
    assert (both["delay_p50_ms"] < 13.0).all()
    assert (both["departures"] > 1000).all()
    # Every packet left, was dropped, or waits.
    waits = both["arrivals"] - both["departures"] - both["drops"]
    assert (waits >= 0).all()
    assert (waits <= 101).all()


@needs_tun
@needs_tc
@pytest.mark.parametrize(
    ("change", "said"),
    [
        ("queue.rem = {}", "no kernel has this discipline; what comes closest is pie"),
        ("loss.bernoulli = { per_packet = 0.01 }", "the shaper of the kernel has one rate, no losses"),
        ('rate_schedule = [{ at = "1 s", rate = "5 Mbit/s" }]', "the shaper of the kernel has one rate"),
    ],
)
def test_what_the_kernel_cannot_be_is_said(
    weir_command: Command, tmp_path: Path, change: str, said: str
) -> None:
    (tmp_path / "access.toml").write_text(SCENARIO.replace("[flows.data]", f"{change}\n\n[flows.data]"))
    ended = weir_command("live", "access.toml", "--against", "tc")
    assert ended.returncode == 2
    assert said in " ".join(ended.stderr.split())
    assert not (tmp_path / "results/store/1-access-live").exists()


@needs_namespaces
@needs_tun
@needs_tc
def test_a_queue_that_this_kernel_has_not_is_said_before_the_first_run(
    weir_command: Command, tmp_path: Path
) -> None:
    (tmp_path / "access.toml").write_text(
        SCENARIO.replace("[flows.data]", "queue.pie = {}\n\n[flows.data]").replace('"10 s"', '"0.2 s"')
    )
    ended = weir_command("live", "access.toml", "--against", "tc", "--repeats", "1")
    if ended.returncode == 0:
        pytest.skip("this kernel has PIE")
    assert ended.returncode == 1
    assert "this kernel does not make the queue, pie; tc says: Error: " in ended.stderr
    assert "more than 1 ms late" not in ended.stderr
