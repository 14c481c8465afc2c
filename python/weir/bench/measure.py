"""The speed of the core: CPU nanoseconds per bottleneck packet, case by case.

Each run is a process of its own, so that its memory is its own, and the minimum of several runs
counts: other work on the machine can only add time.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from weir import _core
from weir.bench import peer
from weir.run.processes import output_of
from weir.scenario.scenario import bundled

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


SCALING_CASE = "wireline-delay"
"""Whose replications are run on one thread and on all."""


@dataclass(frozen=True)
class Scaling:
    """Replications on one thread and on every core; wall time, the least of several tries."""

    case: str
    replications: int
    cores: int
    one_s: float
    all_s: float

    @property
    def speedup(self) -> float:
        """How many times as fast all cores are as one thread."""
        return self.one_s / self.all_s


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
        peers: list[peer.Timing] = []
        for turn in range(repeat):
            say(f"{case}: run {turn + 1} of {repeat}")
            runs.append(json.loads(output_of("-m", "weir.bench.worker", files[f"bench/{case}"])))
            if with_peer and case in PEERED and sum(timing.user_s for timing in peers) < PEER_BUDGET_S:
                say(f"{case}: ns-2")
                peers.append(peer.time_case(case))
        yield _best(case, runs, peers)


def scaling(replications: int = 20, repeat: int = 3, *, say: Callable[[str], None]) -> Scaling:
    """Times a batch of replications on one thread and on all, in turns."""
    scenario = _core.Scenario.load(str(bundled()[f"bench/{SCALING_CASE}"]))
    jobs = [(scenario, scenario.seed + number) for number in range(replications)]

    def seconds(threads: int) -> float:
        started = time.monotonic()
        batch = _core.Batch(jobs, threads)
        while not batch.wait(1.0):
            pass
        return time.monotonic() - started

    turns: list[tuple[float, float]] = []
    for turn in range(repeat):
        say(f"{replications} replications on one thread and on all: {turn + 1} of {repeat}")
        turns.append((seconds(1), seconds(0)))
    return Scaling(
        case=SCALING_CASE,
        replications=replications,
        cores=os.cpu_count() or 1,
        one_s=min(one for one, _ in turns),
        all_s=min(every for _, every in turns),
    )


def _best(case: str, runs: Sequence[dict[str, Any]], peers: Sequence[peer.Timing]) -> Measurement:
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
