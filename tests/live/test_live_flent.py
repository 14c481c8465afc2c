"""`weir live --flent`: a file that flent reads, beside one that it wrote."""

from __future__ import annotations

import gzip
import json
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from sessions import SEND, SERVE, Finish, finish, live, needs_namespaces, place, python

from weir import _core
from weir.flent import PING
from weir.live._flent import FlentRecord

__all__ = ["finish", "place"]

RECORDED = {
    "NAME",
    "HOST",
    "HOSTS",
    "TIME",
    "LOCAL_HOST",
    "TITLE",
    "NOTE",
    "LENGTH",
    "TOTAL_LENGTH",
    "STEP_SIZE",
}
"""Entries that flent 2.3.0 keeps of each of its runs."""

LONG = "20000000"
"""Bytes that take 1.6 s at 100 Mbit/s, and more on a busy machine: some ticks of 0.25 s."""


def state(time_s: float, sent: int, wait_ms: float) -> dict[str, Any]:
    link = {"link": "bottleneck", "direction": "forward", "bytes": sent, "delay_p50_ms": wait_ms}
    return {"time_s": time_s, "links": [link]}


def test_throughput_and_round_trip_are_those_of_the_bottleneck(place: Path) -> None:
    scenario = _core.Scenario.load(str(place / "access.toml"))
    record = FlentRecord(scenario, 0.01, download=False, command="weir live")
    record.add(state(0.25, 250_000, 3.0))
    record.add({"time_s": 0.5, "links": []})
    record.add(state(0.75, 1_250_000, float("nan")))
    document = record.recorded().document()
    assert document["x_values"] == [0.25, 0.75]
    assert document["results"] == {"TCP upload": [8.0, 16.0], PING: [13.0, 10.0]}
    assert document["metadata"].keys() >= RECORDED


def flent(place: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "flent", "-i", "x.flent.gz", *arguments]
    return subprocess.run(command, cwd=place, capture_output=True, text=True, check=True)


@needs_namespaces
@pytest.mark.soak
def test_flent_reads_and_plots_it(finish: Finish, place: Path) -> None:
    pytest.importorskip("flent", reason="needs flent")
    far = shlex.join(python(SERVE, "9000", "far"))
    send = python(SEND, "198.18.0.1", "9000", LONG)
    ended = finish(live("--flent", "x.flent.gz", "--far", far, "--", *send))
    assert ended.returncode == 0, ended.stderr
    read = flent(place, "-f", "csv")
    head, *rows = [line for line in read.stdout.splitlines() if "," in line]
    name, *columns = head.split(",")
    # flent gives them in any order.
    assert (name, set(columns)) == ("tcp_1up", {"TCP upload", PING})
    with gzip.open(place / "x.flent.gz", "rt", encoding="utf-8") as opened:
        written = json.load(opened)
    assert len(rows) == len(written["x_values"]) > 2
    assert max(written["results"]["TCP upload"]) > 1.0
    flent(place, "-p", "totals", "-o", "x.png")
    assert (place / "x.png").read_bytes().startswith(b"\x89PNG")
