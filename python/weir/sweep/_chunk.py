"""Chunks: the runs that one worker does in one go. Workers do them."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from threading import get_ident

from weir import _core
from weir._errors import AqmFailedError, WeirError
from weir.run import run_each
from weir.sweep._limits import UNLIMITED, Allowed
from weir.sweep._memory import Budget, Ended, worker_budget

_PARTS = 4
"""Number of parts of a chunk. Its time is checked between parts: if it takes far too long, the rest goes
back."""


@dataclass(frozen=True)
class Chunk:
    """Runs that are sent to a worker."""

    jobs: Sequence[tuple[_core.Scenario, int]]
    """Scenario and seed of each run."""
    budget_s: float
    """Wall-clock time in seconds after which no further part is begun."""
    memory: float | None = None
    """Memory in bytes that the runs of a worker elsewhere may take together. None: 80% of what its machine
    has."""
    version: str = _core.__version__
    results_version: int = _core.results_version


@dataclass(frozen=True)
class ChunkResult:
    """Results that a worker returns: the first runs of its chunk, as many as it did.

    Columns, as the core has them: a worker needs no data frames.
    """

    cpu_s: Sequence[float]
    """CPU time of each run, in seconds."""
    tables: Mapping[str, _core.Columns]
    wall_s: float
    ended: Mapping[int, Ended] = field(default_factory=dict[int, Ended])
    """Runs that exceeded the memory limit, by their places in the chunk. They are in none of the fields
    above."""

    @classmethod
    def of(
        cls, runs: Sequence[_core.Run | _core.Exceeded], wall_s: float, memory: _core.Memory | None = None
    ) -> ChunkResult:
        """Collects the results of these runs."""
        finished = [run for run in runs if isinstance(run, _core.Run)]
        limit = 0 if memory is None else memory.limit
        places = {i: Ended.of(run, limit) for i, run in enumerate(runs) if isinstance(run, _core.Exceeded)}
        return cls([run.cpu_s for run in finished], _core.tables(finished), wall_s, places)

    def sorted_out(
        self, places: Sequence[int]
    ) -> tuple[Sequence[int], Sequence[tuple[int, Ended]], Sequence[int]]:
        """Places of the chunk's runs that are done, that were ended, and that were not begun."""
        tried = len(self.cpu_s) + len(self.ended)
        done = [place for i, place in enumerate(places[:tried]) if i not in self.ended]
        return done, [(places[i], end) for i, end in self.ended.items()], places[tried:]


@dataclass
class Watch:
    """Observer of the runs under way in this process."""

    stopped: Callable[[], bool]
    """Returns true if nobody waits for the rest any more."""
    budget: Budget = field(default_factory=Budget)
    parts: dict[int, float] = field(default_factory=dict[int, float])
    """Progress of each thread's current part, in runs: fractions count simulated time."""

    def under_way(self) -> float:
        """Simulated time done in chunks that have not ended, counted in runs."""
        return sum(list(self.parts.values()))


class WorkersError(WeirError):
    """Error about workers that are not available."""


class LostWorkersError(WorkersError):
    """Error about workers that are gone or that fail. The request is not at fault."""

    exit_code = 1


class _StoppedError(Exception):
    """Signal that nobody waits for the runs any more."""


def work(chunk: Chunk, watch: Watch | None = None) -> ChunkResult:
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
    watch = watch or Watch(lambda: False, worker_budget(chunk.memory))
    runs: list[_core.Run | _core.Exceeded] = []
    size = -(-len(chunk.jobs) // _PARTS)
    for first in range(0, len(chunk.jobs), size):
        part = _run(chunk.jobs[first : first + size], watch)
        runs += part
        if not part or time.monotonic() - started > chunk.budget_s:
            break
    outcome = ChunkResult.of(runs, time.monotonic() - started, watch.budget.memory)
    runs.clear()
    watch.budget.exchange()
    return outcome


def work_elsewhere(chunk: Chunk, watch: Watch | None = None) -> ChunkResult:
    """Does the runs of a chunk in another process, from which an exception of a user's class may not come
    back."""
    try:
        return work(chunk, watch)
    except Exception as error:
        told = getattr(error, "weir_traceback", None)
        if told is None:
            raise
        raise AqmFailedError(told.rstrip()) from error


def _run(jobs: Sequence[tuple[_core.Scenario, int]], watch: Watch) -> list[_core.Run | _core.Exceeded]:
    """Does the runs; returns none if nobody waits for them any more."""

    def look(batch: _core.Batch) -> None:
        if watch.stopped():
            raise _StoppedError
        watch.budget.exchange()
        watch.parts[get_ident()] = batch.progress * len(jobs)

    try:
        return run_each(jobs, watch.budget.memory, look)
    except _StoppedError:
        return []
    finally:
        watch.parts.pop(get_ident(), None)


@dataclass(frozen=True)
class Workers:
    """Workers that do a number of chunks at a time."""

    submit: Callable[[Chunk], Future[ChunkResult]]
    slots: Callable[[], int]
    """Number of chunks that can be done at the same time. A cluster may grow."""
    what: str
    """Description for people: `2 threads`."""
    ahead: float = 1.5
    """Chunks to hand out per slot, so that no worker waits for us. With 1, no more are under way than there
    are slots."""
    shortest_s: float = 0.2
    """Duration of a chunk in seconds below which it costs more to hand over than it is worth."""
    under_way: Callable[[], float] = lambda: 0.0
    """Simulated time done in chunks that have not ended, counted in runs, where it can be observed."""
    alive: Callable[[], bool] = lambda: True
    """Returns true if workers are still there."""
    local: bool = False
    """True if the workers share the memory of this machine."""
    allowed: Allowed = UNLIMITED
    """Memory that runs may take: of local workers all together, elsewhere each worker's runs."""
    memory: _core.Memory | None = None
    """Memory budget that the runs of this process share; None if it has none."""

    def most(self, slots: int) -> int:
        """Number of chunks to hand out. Each of them may be begun: there may be more threads than slots."""
        return slots if self.ahead <= 1.0 else max(slots + 1, round(slots * self.ahead))
