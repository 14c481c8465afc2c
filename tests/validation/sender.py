"""Level 2, the sender alone: the Rust test `weir-tcp/tests/it/reference.rs` says what it found."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from validation.places import REPOSITORY

TESTS = [
    *("cargo", "test", "--release", "--quiet", "--workspace", "--exclude", "weir-wasm", "--test", "it"),
    *("--", "reference::", "rfc6582::"),
]
"""Chosen as `make test-rust` chooses, so that nothing is compiled once more."""


@dataclass(frozen=True)
class Trace:
    """One scripted connection."""

    name: str
    about: str
    segments: int
    rows: int
    same: int
    """Rows equal to ns-2's before the first that is not."""
    known: str | None
    """Place where the two part, and the reason, if known."""


@dataclass(frozen=True)
class Senders:
    """The outcome of the tests of sender and receiver."""

    passed: bool
    """No trace parts from ns-2 where it is not known to; every rule of RFC 6582 holds."""
    output: str
    """Output of the tests."""
    traces: list[Trace]
    timeouts: int
    """Timeouts compared while the round trip grows."""
    timeout_ticks: float
    """Largest difference of two timeouts, in ticks of ns-2's clock."""

    @property
    def identical(self) -> int:
        """Traces equal from first to last row."""
        return sum(trace.same == trace.rows for trace in self.traces)


def follow() -> Senders:
    """Runs the tests. Raises FileNotFoundError where there is no cargo."""
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory) / "outcome.json"
        done = subprocess.run(
            TESTS,
            cwd=REPOSITORY,
            env={**os.environ, "WEIR_REFERENCE_OUT": str(path)},
            capture_output=True,
            text=True,
            encoding="utf-8",
            check=False,
        )
        found: dict[str, Any] = {"traces": [], "timeouts": {"compared": 0, "largest_ticks": 0.0}}
        if path.exists():
            found = json.loads(path.read_text(encoding="utf-8"))
    return Senders(
        passed=done.returncode == 0 and bool(found["traces"]),
        output=done.stdout + done.stderr,
        traces=[
            Trace(
                name=trace["trace"].removeprefix("newreno-"),
                about=trace["about"],
                segments=trace["segments"],
                rows=trace["rows"],
                same=trace["same"],
                known=trace["known"],
            )
            for trace in found["traces"]
        ],
        timeouts=found["timeouts"]["compared"],
        timeout_ticks=found["timeouts"]["largest_ticks"],
    )
