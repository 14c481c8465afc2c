"""A chunk: runs that one worker does in one go, wherever it is."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from threading import get_ident

from weir import _core
from weir._errors import AqmFailedError, WeirError
from weir.run._batch import run_batch
from weir.store import Finished, FinishedRun

_PARTS = 4
"""A chunk is looked at so many times: when it takes far longer than it should, the rest goes back."""


@dataclass(frozen=True)
class Job:
    """One run that is wanted."""

    run: int
    """Its key."""
    place: int
    """Where the plan wants it: configuration times replications plus replication."""
    scenario: _core.Scenario
    hash: str
    """Of the scenario."""
    seed: int


@dataclass(frozen=True)
class Chunk:
    """What a worker is sent."""

    jobs: tuple[Job, ...]
    budget_s: float
    """Wall clock after which no further part is begun."""
    version: str = _core.__version__
    results_version: int = _core.results_version


@dataclass(frozen=True)
class Outcome:
    """What a worker gives back: the first runs of its chunk, as many as it did."""

    finished: Finished
    wall_s: float


@dataclass
class Watch:
    """Looks at runs under way in this process."""

    stopped: Callable[[], bool]
    """Whether the rest is not waited for any more."""
    parts: dict[int, float] = field(default_factory=dict[int, float])
    """Runs' worth of simulated time in what each thread is doing."""

    def under_way(self) -> float:
        """Runs' worth of simulated time in chunks that have not ended."""
        return sum(list(self.parts.values()))


class WorkersError(WeirError):
    """Workers that cannot be had."""


class LostWorkersError(WorkersError):
    """Workers that are gone, or that fail: no fault of what was asked for."""

    exit_code = 1


class _StoppedError(Exception):
    """The runs are not waited for any more."""


def work(chunk: Chunk, watch: Watch | None = None) -> Outcome:
    """Does the runs of a chunk, one after the other, on one thread, until the watch has it stopped.

    Raises WorkersError where another version of Weir is installed, and what an AQM in Python raises.
    """
    if (chunk.version, chunk.results_version) != (_core.__version__, _core.results_version):
        raise WorkersError(
            f"a worker has Weir {_core.__version__} (results version {_core.results_version}); "
            f"this is {chunk.version} (results version {chunk.results_version})",
            "install the same version of Weir for all workers",
        )
    started = time.monotonic()
    runs: list[_core.Run] = []
    size = -(-len(chunk.jobs) // _PARTS)
    for first in range(0, len(chunk.jobs), size):
        part = _run(chunk.jobs[first : first + size], watch)
        runs += part
        if not part or time.monotonic() - started > chunk.budget_s:
            break
    return Outcome(finished(chunk.jobs[: len(runs)], runs), time.monotonic() - started)


def work_elsewhere(chunk: Chunk, watch: Watch | None = None) -> Outcome:
    """As `work`, in another process, from which an exception of a user's class may not come back."""
    try:
        return work(chunk, watch)
    except Exception as error:
        told = getattr(error, "weir_traceback", None)
        if told is None:
            raise
        raise AqmFailedError(told.rstrip()) from error


def finished(jobs: Sequence[Job], runs: Sequence[_core.Run]) -> Finished:
    """What the store keeps of runs."""
    # Imported with the first chunk: a worker that is only started needs no data frames.
    from weir.run._tables import frames

    rows = [
        FinishedRun(job.run, job.hash, job.seed, run.cpu_s, run.packets, run.events)
        for job, run in zip(jobs, runs, strict=True)
    ]
    tables = frames(runs, [job.run for job in jobs]) if runs else {}
    # What that table says, the rows say.
    tables.pop("runs", None)
    return Finished(rows, tables)


def _run(jobs: Sequence[Job], watch: Watch | None) -> list[_core.Run]:
    """The runs, or none if they are not waited for any more."""
    pairs = [(job.scenario, job.seed) for job in jobs]
    if watch is None:
        return run_batch(pairs, 1)

    def look(batch: _core.Batch) -> None:
        if watch.stopped():
            raise _StoppedError
        watch.parts[get_ident()] = batch.progress * len(jobs)

    try:
        return run_batch(pairs, 1, look)
    except _StoppedError:
        return []
    finally:
        watch.parts.pop(get_ident(), None)
