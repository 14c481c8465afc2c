"""Runs on all cores, with a prompt end on Ctrl-C."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from weir import _core

POLL_S = 0.1
"""Seconds to wait between looks: Ctrl-C is seen within this time."""

OnProgress = Callable[[_core.Batch], object]


def run_batch(
    jobs: Sequence[tuple[_core.Scenario, int]],
    threads: int = 0,
    progress: OnProgress | None = None,
) -> list[_core.Run]:
    """Does one run per (scenario, seed), in the order of the jobs. `threads` 0 means every core.

    `progress` is called several times a second, and at the end. Whatever interrupts the wait, Ctrl-C or an
    error in `progress`, stops every run before it is passed on.
    """
    return _waited(_core.Batch(jobs, threads, ()), progress).results()


def run_each(
    jobs: Sequence[tuple[_core.Scenario, int]],
    memory: _core.Memory | None,
    progress: OnProgress | None = None,
    captures: Sequence[tuple[str, str | None, bool, Path]] = (),
) -> list[_core.Run | _core.Exceeded]:
    """Does the runs as `run_batch` does, but one after the other. Those that take too much of `memory` end
    before the others. `captures` are made of the first run: see `_core.Batch`."""
    return _waited(_core.Batch(jobs, 1, captures, memory), progress).outcomes()


def _waited(batch: _core.Batch, progress: OnProgress | None) -> _core.Batch:
    """The batch, once all its runs have ended."""
    done = False
    try:
        while not done:
            done = batch.wait(POLL_S)
            if progress is not None:
                progress(batch)
    except BaseException:
        batch.cancel()
        raise
    return batch
