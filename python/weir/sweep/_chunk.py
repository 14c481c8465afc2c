"""Chunks, the runs that one worker does in one go, and what does them."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from threading import get_ident

from weir import _core
from weir._errors import AqmFailedError, WeirError
from weir.run._batch import run_each
from weir.sweep._limits import UNLIMITED, Allowed
from weir.sweep._memory import Budget, Ended, worker_budget

_PARTS = 4
"""A chunk is looked at so many times: when it takes far longer than it should, the rest goes back."""


@dataclass(frozen=True)
class Chunk:
    """What a worker is sent."""

    jobs: Sequence[tuple[_core.Scenario, int]]
    """Scenario and seed of each run."""
    budget_s: float
    """Wall clock after which no further part is begun."""
    memory: float | None = None
    """Bytes that the runs of a worker elsewhere may take at a time; None: 80% of what its machine has."""
    version: str = _core.__version__
    results_version: int = _core.results_version


@dataclass(frozen=True)
class Outcome:
    """What a worker gives back: the first runs of its chunk, as many as it did.

    Columns, as the core has them: a worker needs no data frames.
    """

    cpu_s: Sequence[float]
    """Of each run."""
    tables: Mapping[str, _core.Columns]
    wall_s: float
    ended: Mapping[int, Ended] = field(default_factory=dict[int, Ended])
    """By their places in the chunk, runs that took more memory than they may: they are in nothing above."""

    @classmethod
    def of(
        cls, runs: Sequence[_core.Run | _core.Exceeded], wall_s: float, memory: _core.Memory | None = None
    ) -> Outcome:
        """What these runs give."""
        finished = [run for run in runs if isinstance(run, _core.Run)]
        limit = 0 if memory is None else memory.limit
        places = {i: Ended.of(run, limit) for i, run in enumerate(runs) if isinstance(run, _core.Exceeded)}
        return cls([run.cpu_s for run in finished], _core.tables(finished), wall_s, places)

    def sorted_out(
        self, places: Sequence[int]
    ) -> tuple[Sequence[int], Sequence[tuple[int, Ended]], Sequence[int]]:
        """The places of the chunk's runs that are done, that were ended, and that were not begun."""
        tried = len(self.cpu_s) + len(self.ended)
        done = [place for i, place in enumerate(places[:tried]) if i not in self.ended]
        return done, [(places[i], end) for i, end in self.ended.items()], places[tried:]


@dataclass
class Watch:
    """Looks at runs under way in this process."""

    stopped: Callable[[], bool]
    """Whether the rest is not waited for any more."""
    budget: Budget = field(default_factory=Budget)
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
    watch = watch or Watch(lambda: False, worker_budget(chunk.memory))
    runs: list[_core.Run | _core.Exceeded] = []
    size = -(-len(chunk.jobs) // _PARTS)
    for first in range(0, len(chunk.jobs), size):
        part = _run(chunk.jobs[first : first + size], watch)
        runs += part
        if not part or time.monotonic() - started > chunk.budget_s:
            break
    outcome = Outcome.of(runs, time.monotonic() - started, watch.budget.memory)
    runs.clear()
    watch.budget.exchange()
    return outcome


def work_elsewhere(chunk: Chunk, watch: Watch | None = None) -> Outcome:
    """As `work`, in another process, from which an exception of a user's class may not come back."""
    try:
        return work(chunk, watch)
    except Exception as error:
        told = getattr(error, "weir_traceback", None)
        if told is None:
            raise
        raise AqmFailedError(told.rstrip()) from error


def _run(jobs: Sequence[tuple[_core.Scenario, int]], watch: Watch) -> list[_core.Run | _core.Exceeded]:
    """The runs, or none if they are not waited for any more."""

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
    """Something that does chunks, so many at a time."""

    submit: Callable[[Chunk], Future[Outcome]]
    slots: Callable[[], int]
    """Chunks that can be done at the same time; a cluster may grow."""
    what: str
    """For people: `2 threads`."""
    ahead: float = 1.5
    """Chunks to hand out per slot, so that none waits for us. With 1 no more are under
    way than there are slots."""
    shortest_s: float = 0.2
    """A chunk shorter than this costs more to hand over than it is worth."""
    under_way: Callable[[], float] = lambda: 0.0
    """Runs' worth of simulated time in chunks that have not ended, where it can be seen."""
    alive: Callable[[], bool] = lambda: True
    """Whether there are any still."""
    local: bool = False
    """Whether they share the memory of this machine."""
    allowed: Allowed = UNLIMITED
    """What their runs may take: where they are local all together, elsewhere those of each worker."""
    memory: _core.Memory | None = None
    """What the runs of this process share, where there are any."""

    def most(self, slots: int) -> int:
        """Chunks to hand out. Whatever is handed out may be begun: there may be more threads than slots."""
        return slots if self.ahead <= 1.0 else max(slots + 1, round(slots * self.ahead))
