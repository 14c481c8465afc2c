"""The speed of the core: CPU nanoseconds per bottleneck packet, case by case.

Each run is a process of its own, so that its memory is its own, and the minimum of several runs
counts: other work on the machine can only add time.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from weir.run._processes import output_of
from weir.scenario._scenario import bundled

_NS2 = Path(__file__).parents[3] / "tests" / "reference" / "ns2" / "run.py"

PEERED = (
    "wireline-access",
    "wireline-delay",
    "wireline-delay-rem",
    "gigabit-100",
    "gigabit-1000",
    "gigabit-10000",
)
"""Run in ns-2, too, where it is installed."""

CROWD = "ten-gigabit-crowd"
CROWD_FLOWS = 100_000
"""In this case."""

CASES = (*PEERED, "gigabit-linux", CROWD, "ten-gigabit-crowd-rtts")
"""Bundled as `bench/NAME`."""

PEER_BUDGET_S = 60.0
"""ns-2 is not run again once a case has taken it so long: its largest cases take minutes."""


@dataclass(frozen=True)
class Timing:
    """One run of a case in ns-2."""

    user_s: float
    """User CPU time of the whole process, building the network included."""
    packets: int


@dataclass(frozen=True)
class Measurement:
    """One case: the run with the least user CPU time of several."""

    case: str
    ns_per_packet: float
    packets: int
    user_s: float
    """User CPU time around the run alone."""
    peak_rss_mb: float
    """Of the whole process."""
    added_rss_mb: float
    """Above the same interpreter with weir imported."""
    events: int
    wall_s: float
    repeat: int
    ns2_ns_per_packet: float | None = None
    ns2_user_s: float | None = None
    ns2_packets: int | None = None
    ratio: float | None = None
    """How many times as long ns-2 takes per packet."""

    @property
    def bytes_per_flow(self) -> float:
        """Of a crowd: what the run added to the memory, shared among its flows."""
        return self.added_rss_mb * 2**20 / CROWD_FLOWS

    def to_json(self) -> dict[str, Any]:
        """Plain values, without what was not measured."""
        return {key: value for key, value in asdict(self).items() if value is not None}


def measure(
    cases: Sequence[str],
    repeat: int,
    *,
    with_peer: bool,
    say: Callable[[str], None],
) -> Iterator[Measurement]:
    """Measures case after case; where ns-2 takes part, the two take turns.

    Raises RuntimeError if a run fails.
    """
    files = bundled()
    for case in cases:
        runs: list[dict[str, Any]] = []
        peers: list[Timing] = []
        for turn in range(repeat):
            say(f"{case}: run {turn + 1} of {repeat}")
            runs.append(json.loads(output_of("-m", "weir.bench._worker", files[f"bench/{case}"])))
            if with_peer and case in PEERED and sum(timing.user_s for timing in peers) < PEER_BUDGET_S:
                say(f"{case}: ns-2")
                peers.append(time_in_ns2(case))
        yield _best(case, runs, peers)


def has_ns2() -> bool:
    """Whether cases can be run in ns-2: it is installed, and its scripts in the source tree are at hand."""
    return shutil.which("ns") is not None and _NS2.exists()


def time_in_ns2(case: str) -> Timing:
    """Runs a case in ns-2, with the same network, flows and duration. Raises RuntimeError."""
    (row,) = json.loads(output_of(_NS2, "--time", case))
    return Timing(row["user_s"], row["packets"])


def _best(case: str, runs: Sequence[dict[str, Any]], peers: Sequence[Timing]) -> Measurement:
    best = min(runs, key=lambda run: run["user_s"])
    own = 1e9 * best["user_s"] / best["packets"]
    measurement = Measurement(case=case, ns_per_packet=own, repeat=len(runs), **best)
    if not peers:
        return measurement
    fastest = min(peers, key=lambda timing: timing.user_s)
    theirs = 1e9 * fastest.user_s / fastest.packets
    return replace(
        measurement,
        ns2_ns_per_packet=theirs,
        ns2_user_s=fastest.user_s,
        ns2_packets=fastest.packets,
        ratio=theirs / own,
    )
