"""A chunk: runs that one worker does in one go, wherever it is."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from weir import _core
from weir.errors import LawFailedError, WeirError
from weir.run.batch import POLL_S

if TYPE_CHECKING:
    import polars as pl

PARTS = 4
"""A chunk is looked at so many times: when it takes far longer than it should, the rest goes back."""


@dataclass(frozen=True)
class Job:
    """One run that is wanted."""

    run: int
    """Its key."""
    place: int
    """Where the plan wants it: configuration times replications plus replication."""
    scenario: _core.Scenario
    seed: int


@dataclass(frozen=True)
class Chunk:
    """What a worker is sent."""

    runs: tuple[int, ...]
    """Keys."""
    jobs: tuple[tuple[_core.Scenario, int], ...]
    """Scenario and seed of each."""
    budget_s: float
    """Wall clock after which no further part is begun."""
    version: str = _core.__version__
    results_version: int = _core.results_version

    @classmethod
    def of(cls, jobs: Sequence[Job], budget_s: float) -> Chunk:
        """The chunk of these jobs."""
        return cls(tuple(job.run for job in jobs), tuple((job.scenario, job.seed) for job in jobs), budget_s)


@dataclass(frozen=True)
class Outcome:
    """What a worker gives back: the first `len(cpu_s)` runs of its chunk."""

    cpu_s: tuple[float, ...]
    packets: tuple[int, ...]
    events: tuple[int, ...]
    wall_s: float
    tables: dict[str, pl.DataFrame]


class Watcher(Protocol):
    """Looks at runs under way: in threads, where both share their memory."""

    def begin(self, batch: _core.Batch, size: int) -> None:
        """A part of a chunk has been started."""
        ...

    def end(self, batch: _core.Batch) -> None:
        """It has ended, whatever the reason."""
        ...

    @property
    def stopped(self) -> bool:
        """Nobody waits for the rest any more."""
        ...


class WorkersError(WeirError):
    """Workers that cannot be had."""


class LostWorkersError(WorkersError):
    """Workers that are gone, or that fail: no fault of what was asked for."""

    exit_code = 1


def work(chunk: Chunk, watcher: Watcher | None = None) -> Outcome:
    """Does the runs of a chunk, one after the other, on one thread.

    Raises WorkersError where another version of Weir is installed, LawFailedError where a law in
    Python raises anything.
    """
    # Imported with the first chunk: a worker that is only started needs no data frames.
    from weir.run.tables import frames

    if (chunk.version, chunk.results_version) != (_core.__version__, _core.results_version):
        raise WorkersError(
            f"a worker has Weir {_core.__version__} (results version {_core.results_version}); "
            f"this is {chunk.version} (results version {chunk.results_version})",
            "install the same version of Weir for all workers",
        )
    started = time.monotonic()
    runs: list[_core.Run] = []
    size = -(-len(chunk.jobs) // PARTS)
    for first in range(0, len(chunk.jobs), size):
        part = _run(chunk.jobs[first : first + size], watcher)
        runs += part
        if not part or time.monotonic() - started > chunk.budget_s:
            break
    tables = frames(runs, chunk.runs[: len(runs)]) if runs else {}
    # What that table says, the outcome says itself.
    tables.pop("runs", None)
    return Outcome(
        cpu_s=tuple(run.cpu_s for run in runs),
        packets=tuple(run.packets for run in runs),
        events=tuple(run.events for run in runs),
        wall_s=time.monotonic() - started,
        tables=tables,
    )


def _run(jobs: Sequence[tuple[_core.Scenario, int]], watcher: Watcher | None) -> list[_core.Run]:
    """The runs, or none if nobody waits for them any more."""
    batch = _core.Batch(jobs, 1)
    if watcher is not None:
        watcher.begin(batch, len(jobs))
    try:
        while not batch.wait(POLL_S):
            if watcher is not None and watcher.stopped:
                batch.cancel()
                return []
    except BaseException:
        batch.cancel()
        raise
    finally:
        if watcher is not None:
            watcher.end(batch)
    try:
        return batch.results()
    except Exception as error:
        # Between processes an exception of a user's class may not survive; within one it stays as it is.
        told = getattr(error, "weir_traceback", None)
        if told is None or watcher is not None:
            raise
        raise LawFailedError(told.rstrip()) from error
