"""The speed of the core: CPU nanoseconds per bottleneck packet, case by case.

Each run is a process of its own, so that its memory is its own, and the minimum of several runs
counts: other work on the machine can only add time.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from weir.scenario import bundled

SOURCES = Path(__file__).parents[2]
_NS2 = SOURCES / "tests" / "reference" / "ns2" / "run.py"
_WORKER = Path(__file__).with_name("worker.py")

_GIGABIT = ("gigabit-100", "gigabit-1000", "gigabit-10000")

PEERED = ("wireline-access", "wireline-delay", "wireline-delay-rem", *_GIGABIT)
"""Run in ns-2, too, where it is installed."""

TEN_GIGABIT_FLOWS = 100_000
"""Number of flows in the cases of ten gigabits."""

YARDSTICK = "gigabit-linux"
"""Senders of today are compared with this case: 100 flows that do not pace."""

TODAY = ("gigabit-paced", "gigabit-prague", "gigabit-bbr", "gigabit-bbr-losses")
"""Cases of senders that pace."""

MANY_FLOWS = ("ten-gigabit-many-flows", "ten-gigabit-many-flows-rtts", "ten-gigabit-many-flows-paced")
"""Cases of `TEN_GIGABIT_FLOWS` flows."""

CASES = (*PEERED, YARDSTICK, *TODAY, *MANY_FLOWS)
"""Bundled as `bench/NAME`."""

PEER_BUDGET_S = 60.0
"""Time that ns-2 may take for a case, in seconds, before it is not run again: its largest cases take
minutes."""

SIZE_BUDGET_S = 10.0
"""A network is not run again once it has taken so long: the largest take several seconds."""


@dataclass(frozen=True)
class Measurement:
    """Measurement of one case: the run with the least user CPU time of several."""

    case: str
    ns_per_packet: float
    packets: int
    user_s: float
    """User CPU time around the run alone."""
    peak_rss_mb: float
    """Peak resident memory of the whole process."""
    added_rss_mb: float
    """Peak resident memory beyond that of the same interpreter with weir imported."""
    events: int
    wall_s: float
    repeat: int
    instructions_per_packet: float | None = None
    """Instructions per bottleneck packet; None if valgrind is not installed."""
    ns2_ns_per_packet: float | None = None
    ns2_user_s: float | None = None
    """User CPU time of the whole ns-2 process, building the network included."""
    ns2_packets: int | None = None
    ratio: float | None = None
    """Time per packet in ns-2, divided by that in Weir."""

    @property
    def bytes_per_flow(self) -> float:
        """Memory per flow of a case with many flows: what the run added, divided by the number of flows."""
        return self.added_rss_mb * 2**20 / TEN_GIGABIT_FLOWS

    def to_json(self) -> dict[str, Any]:
        """Plain values, without what was not measured."""
        return {key: value for key, value in asdict(self).items() if value is not None}


def measure(
    cases: Sequence[str], repeat: int, *, with_peer: bool, say: Callable[[str], None]
) -> Iterator[Measurement]:
    """Measures case after case; where ns-2 takes part, the two take turns.

    Raises RuntimeError if a run fails.
    """
    for case in cases:
        runs: list[dict[str, Any]] = []
        peers: list[dict[str, Any]] = []
        for turn in range(repeat):
            say(f"{case}: run {turn + 1} of {repeat}")
            runs.append(_run(case))
            if with_peer and case in PEERED and sum(run["user_s"] for run in peers) < PEER_BUDGET_S:
                say(f"{case}: ns-2")
                # The same network, flows and duration.
                peers += json.loads(output_of(_NS2, "--time", case))
        yield _best(case, runs, peers)


def measure_sizes(
    case: str, sizes: Mapping[int, Mapping[str, str]], repeat: int, *, say: Callable[[str], None]
) -> dict[int, Measurement]:
    """Measures a case with other values for each size, the sizes in turns.

    Raises RuntimeError if a run fails.
    """
    runs: dict[int, list[dict[str, Any]]] = {size: [] for size in sizes}
    for turn in range(repeat):
        for size, values in sizes.items():
            if sum(run["user_s"] for run in runs[size]) < SIZE_BUDGET_S:
                say(f"{case}: {size:,}, run {turn + 1} of {repeat}")
                runs[size].append(_run(case, values))
    return {size: _best(case, found, ()) for size, found in runs.items()}


def has_ns2() -> bool:
    """Returns true if cases can be run in ns-2: it is installed."""
    return shutil.which("ns") is not None


def table(measurements: Sequence[Measurement]) -> str:
    """A line per case; a dash stands for what was not measured."""
    heads = ("ns/packet", "user s", "added MB", "instructions", "ns-2 ns/packet", "ratio")
    width = max(len(m.case) for m in measurements)
    lines = ["  ".join((" " * width, *heads))]
    for m in measurements:
        cells = (
            f"{m.ns_per_packet:.0f}", f"{m.user_s:.2f}", f"{m.added_rss_mb:.1f}",
            _number(m.instructions_per_packet), _number(m.ns2_ns_per_packet), _number(m.ratio, 1),
        )  # fmt: skip
        aligned = (f"{cell:>{len(head)}}" for cell, head in zip(cells, heads, strict=True))
        lines.append("  ".join((f"{m.case:<{width}}", *aligned)))
    return "\n".join(lines) + "\n"


def _number(value: float | None, digits: int = 0) -> str:
    return "–" if value is None else f"{value:.{digits}f}"


def output_of(*arguments: str | Path) -> str:
    """Returns the output of `python ARGUMENTS`. Raises RuntimeError with its error output if it fails."""
    done = subprocess.run(  # noqa: S603 - our own scripts
        [sys.executable, *arguments], capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        raise RuntimeError(done.stderr.strip() or f"exit code {done.returncode}")
    return done.stdout


def _run(case: str, values: Mapping[str, str] | None = None) -> dict[str, Any]:
    settings = [f"{key}={value}" for key, value in (values or {}).items()]
    return json.loads(output_of(_WORKER, bundled()[f"bench/{case}"], *settings))


def _best(case: str, runs: Sequence[dict[str, Any]], peers: Sequence[dict[str, Any]]) -> Measurement:
    best = min(runs, key=lambda run: run["user_s"])
    own = 1e9 * best["user_s"] / best["packets"]
    measurement = Measurement(case=case, ns_per_packet=own, repeat=len(runs), **best)
    if not peers:
        return measurement
    fastest = min(peers, key=lambda run: run["user_s"])
    theirs = 1e9 * fastest["user_s"] / fastest["packets"]
    found = {f"ns2_{name}": fastest[name] for name in ("user_s", "packets")}
    return replace(measurement, ns2_ns_per_packet=theirs, ratio=theirs / own, **found)
