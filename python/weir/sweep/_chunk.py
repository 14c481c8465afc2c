"""A chunk: runs that one worker does in one go, wherever it is."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from threading import Event

from weir import _core
from weir._errors import AqmFailedError, WeirError
from weir.run._batch import POLL_S
from weir.store import Finished, FinishedRun

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
    """Looks at runs under way in threads of this process."""

    stop: Event = field(default_factory=Event)
    """Set when nobody waits for the rest any more."""
    batches: dict[_core.Batch, int] = field(default_factory=dict["_core.Batch", int])
    """Those under way, and how many runs each has."""

    def under_way(self) -> float:
        """Runs' worth of simulated time in them."""
        return sum(batch.progress * size for batch, size in list(self.batches.items()))


class WorkersError(WeirError):
    """Workers that cannot be had."""


class LostWorkersError(WorkersError):
    """Workers that are gone, or that fail: no fault of what was asked for."""

    exit_code = 1


def work(chunk: Chunk, watch: Watch | None = None, stopped: Callable[[], bool] = lambda: False) -> Outcome:
    """Does the runs of a chunk, one after the other, on one thread, until it is `stopped`.

    Raises WorkersError where another version of Weir is installed, AqmFailedError where an AQM in
    Python raises anything.
    """
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
        part = _run(chunk.jobs[first : first + size], watch, stopped)
        runs += part
        if not part or time.monotonic() - started > chunk.budget_s:
            break
    return Outcome(finished(chunk.jobs[: len(runs)], runs), time.monotonic() - started)


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


def _run(jobs: Sequence[Job], watch: Watch | None, stopped: Callable[[], bool]) -> list[_core.Run]:
    """The runs, or none if nobody waits for them any more."""
    batch = _core.Batch([(job.scenario, job.seed) for job in jobs], 1)
    if watch is not None:
        watch.batches[batch] = len(jobs)
    try:
        while not batch.wait(POLL_S):
            if stopped() or (watch is not None and watch.stop.is_set()):
                batch.cancel()
                return []
        return batch.results()
    except Exception as error:
        batch.cancel()
        # Between processes an exception of a user's class may not survive; within one it stays as it is.
        told = getattr(error, "weir_traceback", None)
        if told is None or watch is not None:
            raise
        raise AqmFailedError(told.rstrip()) from error
    except BaseException:
        batch.cancel()
        raise
    finally:
        if watch is not None:
            del watch.batches[batch]
