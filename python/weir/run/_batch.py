"""Runs on all cores: progress while they run, and a prompt end on Ctrl-C."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from weir import _core

POLL_S = 0.1
"""How long to wait between looks: Ctrl-C is seen within this time."""


@dataclass(frozen=True)
class Progress:
    """How far a batch has come."""

    fraction: float
    """Simulated time done, of all."""
    finished: int
    """Runs ended."""
    total: int
    elapsed_s: float

    @property
    def remaining_s(self) -> float | None:
        """Seconds to go at the pace so far; None before there is a pace."""
        if self.fraction <= 0.0:
            return None
        return self.elapsed_s * (1.0 - self.fraction) / self.fraction


OnProgress = Callable[[Progress], None]


def run_batch(
    jobs: Sequence[tuple[_core.Scenario, int]],
    threads: int = 0,
    progress: OnProgress | None = None,
    captures: Sequence[tuple[str, str | None, bool, Path]] = (),
) -> list[_core.Run]:
    """One run per (scenario, seed), in the order of the jobs. `threads` 0 means every core.

    Of the first, `captures` are made: see `_core.Batch`.

    Whatever interrupts the wait, Ctrl-C or an error in `progress`, stops every run before it
    is passed on.
    """
    started = time.monotonic()
    batch = _core.Batch(jobs, threads, captures)

    def report() -> None:
        if progress is not None:
            elapsed = time.monotonic() - started
            progress(Progress(batch.progress, batch.finished, len(jobs), elapsed))

    try:
        while not batch.wait(POLL_S):
            report()
        report()
    except BaseException:
        batch.cancel()
        raise
    return batch.results()
