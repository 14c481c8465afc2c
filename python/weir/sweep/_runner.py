"""Execution of plans: records the result, does the runs that the store does not have, and opens it."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Generator, Iterable, Sequence
from concurrent.futures import FIRST_COMPLETED, CancelledError, Future, wait
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from itertools import chain

import numpy as np
import polars as pl

from weir import _core
from weir._errors import WeirError
from weir.run import Capture, capture_run, frames
from weir.scenario import Variant
from weir.store import DEFAULT, Finished, FinishedRun, Record, Store
from weir.sweep._chunk import Chunk, ChunkResult, LostWorkersError, Workers
from weir.sweep._fits import exceeded, within_limits
from weir.sweep._interrupts import not_interrupted
from weir.sweep._memory import Ended
from weir.sweep._monitor import PrecisionMonitor, Widest
from weir.sweep._plan import Plan, plan_at_one_point
from weir.sweep._view import Sweep
from weir.sweep._workers import chosen_workers

POLL_S = 0.25
"""Seconds to wait between looks."""

CHUNK_S = 3.0
"""Target duration of a chunk in seconds: to hand one over and to keep it costs 10 ms."""

_LARGEST = 4000
"""Maximum number of runs in a chunk, so that its tables stay small beside everything else in memory."""

_OTHERS_S = 1.0
"""Seconds between looks at runs that another sweep does."""

_COMPACT_RUNS = 20_000
"""Finished runs after which Parquet files are written though the sweep goes on."""


# Dask's own errors, named without importing Dask, as that of a pool of processes below.
_LOST = {"KilledWorker", "FutureCancelledError", "CommClosedError", "ClosedClientError"}


@dataclass
class Tally:
    """Work of a sweep, in runs and time."""

    found: int = 0
    """Runs that were in the store before."""
    done: int = 0
    """Runs that this sweep has done since."""
    elsewhere: int = 0
    """Runs that another sweep on the same store is doing, or has done meanwhile."""
    cpu_s: float = 0.0
    wall_s: float = 0.0


@dataclass
class Progress(Tally):
    """Progress of a sweep."""

    wanted: int = 0
    """Number of runs of the plan; with a rule for stopping, of those wanted so far."""
    under_way: float = 0.0
    """Simulated time done in chunks that have not ended, counted in runs."""
    open_ended: bool = False
    """True if more runs may be wanted: a rule decides."""
    widest: Sequence[Widest] = ()
    """Configuration with the widest interval, for each watched measure."""

    @property
    def rate(self) -> float:
        """Runs per second."""
        return (self.done + self.under_way) / self.wall_s if self.wall_s > 0.0 else 0.0

    @property
    def remaining_s(self) -> float | None:
        """Seconds to go at the pace so far; None before there is a pace."""
        left = self.wanted - self.found - self.done - self.elsewhere - self.under_way
        return max(0.0, left) / self.rate if self.rate > 0.0 else None


OnProgress = Callable[[Progress], None]


def execute_plan(
    plan: Plan,
    store: Store,
    workers: Workers,
    progress: OnProgress | None = None,
    *,
    watch: bool = False,
    command: str | None = None,
    captures: Sequence[Capture] = (),
) -> tuple[Sweep, Tally]:
    """Does the missing runs of a plan and opens its result. The result is recorded first, so that an
    interrupted one can be opened.

    Captures are made of the first run. Raises LimitError for what does not fit into memory,
    MemoryExceededError after the other runs where some took more, WorkersError, StoreError, WeirError.
    """
    workers = within_limits(plan, store, workers)
    recorded = store.record_sweep(Record(plan.id, plan.name, plan.title, plan.definition(), command))
    done = _capture(plan, store, recorded, captures, progress, workers.memory) if captures else Tally()
    tally = run_plan(plan, store, workers, progress, watch=watch, done=done)
    store.compact(force=True)
    sweep = Sweep(store, recorded)
    store.write_sweep_table(recorded, sweep.observations())
    return sweep, tally


def run_plan(
    plan: Plan,
    store: Store,
    workers: Workers,
    progress: OnProgress | None = None,
    *,
    watch: bool = False,
    done: Tally | None = None,
) -> Tally:
    """Does the runs that the store does not have, and commits each chunk as it ends; compacts nothing.

    Args:
        watch: whether `progress` is to be told of the widest intervals.
        done: what was done before, by other means; it is counted with the rest.

    Raises LimitError for what does not fit into memory, MemoryExceededError after the other runs where some
    took more. Raises WorkersError where the workers are lost, StoreError where nothing can be kept.
    """
    workers = within_limits(plan, store, workers)
    monitor = PrecisionMonitor(plan, needed=watch or bool(plan.until))
    runner = _Runner(plan, store, workers, monitor, progress, done or Tally())
    runner.run()
    if runner.ended:
        raise exceeded(plan, store, runner.ended, local=workers.local)
    return runner.tally


@contextmanager
def unrecorded(
    scenario: _core.Scenario,
    variants: Sequence[Variant],
    replications: int,
    threads: int = 0,
    progress: OnProgress | None = None,
) -> Generator[Sweep]:
    """Opens a comparison in a store that ends with the block, for results that are not opened again."""
    plan = plan_at_one_point("compare", scenario, variants, replications)
    with Store.unkept(DEFAULT.parent) as store, chosen_workers(threads=threads) as workers:
        yield execute_plan(plan, store, workers, progress)[0]


def _capture(
    plan: Plan,
    store: Store,
    record: Record,
    captures: Sequence[Capture],
    progress: OnProgress | None,
    memory: _core.Memory | None,
) -> Tally:
    """Does the first run with its packets captured, also if the store has it. Raises MemoryExceededError."""
    started = time.monotonic()
    runs = plan.keys.size

    def look(batch: _core.Batch) -> None:
        if progress is not None:
            progress(Progress(wall_s=time.monotonic() - started, wanted=runs, under_way=batch.progress))

    scenario, seed = plan.configurations[0].scenario, plan.seeds[0]
    directory = store.claim_directory(record) / "captures"
    run, _ = capture_run(scenario, seed, captures, directory, look, memory)
    outcome = ChunkResult.of([run], wall_s := time.monotonic() - started, memory)
    if outcome.ended:
        raise exceeded(plan, store, [(0, outcome.ended[0])], local=True)
    new = store.commit(_finished(plan, [0], outcome))
    return Tally(found=-new, done=new, cpu_s=new * sum(outcome.cpu_s), wall_s=new * wall_s)


def as_finished(tables: dict[str, pl.DataFrame], hashes: Iterable[str], cpu_s: Iterable[float]) -> Finished:
    """Runs as the store keeps them: their tables, and the hash of each run's scenario and its CPU time."""
    # What this table says, the rows say.
    runs = tables.pop("runs")
    keys, seeds, packets, events = (runs[name].to_list() for name in ("run", "seed", "packets", "events"))
    return Finished(list(map(FinishedRun, keys, hashes, seeds, cpu_s, packets, events)), tables)


def _finished(plan: Plan, places: Sequence[int], outcome: ChunkResult) -> Finished:
    """Runs at these places as the store keeps them."""
    hashes = (plan.hashes[place // plan.replications] for place in places)
    # Polars imports modules as it goes, and an interrupt within an import of its own ends the process.
    with not_interrupted():
        return as_finished(frames(outcome.tables, plan.keys.ravel()[np.array(places)]), hashes, outcome.cpu_s)


@dataclass
class _Runner:
    plan: Plan
    store: Store
    workers: Workers
    monitor: PrecisionMonitor
    progress: OnProgress | None
    tally: Tally
    queue: deque[int] = field(default_factory=deque[int])
    """Places of runs to be done: configuration times replications plus replication."""
    others: set[int] = field(default_factory=set[int])
    """Keys that another sweep has claimed."""
    pending: dict[Future[ChunkResult], list[int]] = field(
        default_factory=dict["Future[ChunkResult]", list[int]]
    )
    """Chunks handed out: the places of their runs."""
    asked: set[int] = field(default_factory=set[int])
    """Keys that were queued or found. Each is requested only once."""
    ended: list[tuple[int, Ended]] = field(default_factory=list["tuple[int, Ended]"])
    """Places of runs that took more memory than they may."""
    seconds_per_run: float | None = None
    compacted: int = 0
    looked: float = 0.0

    def __post_init__(self) -> None:
        self._keys: list[int] = self.plan.keys.ravel().tolist()

    def run(self) -> None:
        started = time.monotonic()
        try:
            self._want(self.monitor.first())
            while True:
                self._hand_out()
                self._report(started)
                if not self.pending and not self.queue and not self.others:
                    break
                self._take_in()
                self._look_at_others()
                if not self.workers.alive():
                    raise self._gone("the cluster is gone")
        finally:
            self.tally.wall_s += time.monotonic() - started
            self._release(chain.from_iterable(self.pending.values()))

    def _want(self, places: Iterable[int]) -> None:
        """Requests runs. Those in the store count at once, which may make others wanted."""
        while True:
            new: dict[int, int] = {}
            for place in places:
                key = self._keys[place]
                if key not in self.asked:
                    new.setdefault(key, place)
            if not new:
                return
            self.asked.update(new)
            found = self.store.finished(new)
            self.tally.found += len(found)
            self.queue.extend(place for key, place in new.items() if key not in found)
            if not found:
                return
            places = self.monitor.found(self.store, found)

    def _hand_out(self) -> None:
        slots = self.workers.slots()
        while len(self.pending) < self.workers.most(slots):
            places = self._next(slots)
            if not places:
                return
            try:
                self.pending[self.workers.submit(self._chunk(places))] = places
            except Exception as error:
                self._release(places)
                raise self._translated(error) from error

    def _next(self, slots: int) -> list[int]:
        """Claims runs for a chunk; returns their places, none if nothing is left."""
        while self.queue:
            size = self._size(slots)
            places = [self.queue.popleft() for _ in range(min(size, len(self.queue)))]
            keys = self._keys_of(places)
            mine = self.store.claim(keys)
            self.others.update(keys - mine)
            if mine:
                return [place for place in places if self._keys[place] in mine]
        return []

    def _chunk(self, places: Sequence[int]) -> Chunk:
        scenarios, seeds, n = self.plan.configurations, self.plan.seeds, self.plan.replications
        jobs = tuple((scenarios[place // n].scenario, seeds[place % n]) for place in places)
        return Chunk(jobs, 1.5 * CHUNK_S, self.workers.allowed.of_worker)

    def _keys_of(self, places: Iterable[int]) -> set[int]:
        return {self._keys[place] for place in places}

    def _release(self, places: Iterable[int]) -> None:
        self.store.release(self._keys_of(places))

    def _size(self, slots: int) -> int:
        if self.seconds_per_run is None:
            return 1
        per_run = max(self.seconds_per_run, 1e-6)
        whole = int(CHUNK_S / per_run)
        # Towards the end smaller, so that all workers end together.
        share = -(-len(self.queue) // (2 * slots)) if slots > 1 else len(self.queue)
        least = int(self.workers.shortest_s / per_run)
        return max(1, min(whole, max(share, least), _LARGEST))

    def _take_in(self) -> None:
        if not self.pending:
            time.sleep(POLL_S)
            return
        # An interruption in the middle of these would leave locks taken that the workers need to end.
        with not_interrupted():
            ended, _ = wait(self.pending, timeout=POLL_S, return_when=FIRST_COMPLETED)
        for future in ended:
            places = self.pending.pop(future)
            try:
                with not_interrupted():
                    outcome = future.result()
            except BaseException as error:
                self._release(places)
                raise self._translated(error) from error
            self._absorb(places, outcome)

    def _absorb(self, places: Sequence[int], outcome: ChunkResult) -> None:
        done, ended, rest = outcome.sorted_out(places)
        # What did not fit into the chunk's time is first in line again.
        self.queue.extendleft(reversed(rest))
        self.ended += ended
        self._release((*rest, *(place for place, _ in ended)))
        n = len(done)
        if not n:
            return
        chunk = _finished(self.plan, done, outcome)
        self.store.commit(chunk)
        self.tally.done += n
        self.tally.cpu_s += sum(outcome.cpu_s)
        self.seconds_per_run = outcome.wall_s / n
        self._want(self.monitor.measured(chunk.tables))
        if self.tally.done - self.compacted >= _COMPACT_RUNS:
            self.compacted = self.tally.done
            self.store.compact()

    def _look_at_others(self) -> None:
        """Checks the runs that another sweep has claimed: they are done by now, abandoned, or still under
        way."""
        if not self.others or time.monotonic() - self.looked < _OTHERS_S:
            return
        self.looked = time.monotonic()
        finished = self.store.finished(self.others)
        self.others -= finished
        self.tally.elsewhere += len(finished)
        if finished:
            self._want(self.monitor.found(self.store, finished))
        if self.queue:
            return
        # The claims of a process that has died are void.
        mine = self.store.claim(sorted(self.others)) if self.others else set[int]()
        if mine:
            self.others -= mine
            self.store.release(mine)
            self.queue.extend(int(self.monitor.places(run)[0]) for run in sorted(mine))

    def _report(self, started: float) -> None:
        if self.progress is None:
            return
        now = replace(self.tally, wall_s=time.monotonic() - started)
        progress = Progress(
            **vars(now),
            wanted=len(self.asked),
            under_way=self.workers.under_way(),
            open_ended=bool(self.plan.until),
            widest=self.monitor.widest(),
        )
        self.progress(progress)

    def _translated(self, error: BaseException) -> BaseException:
        """Error about workers that failed or are gone. An error that is not theirs is returned unchanged."""
        name = type(error).__name__
        if name == "BrokenProcessPool":
            return self._gone("a worker process was killed")
        if isinstance(error, CancelledError):
            return self._gone("the cluster gave up the work it had")
        if name in _LOST:
            return self._gone(f"the cluster lost its workers ({name})")
        is_users = hasattr(error, "weir_traceback")
        if isinstance(error, WeirError) or is_users or not isinstance(error, Exception):
            return error
        return LostWorkersError(
            f"a worker failed: {name}: {error}", "every worker needs the same Weir, and memory for its runs"
        )

    def _gone(self, reason: str) -> LostWorkersError:
        return LostWorkersError(
            f"{reason}; {self.tally.done} runs of this sweep are finished and safe",
            "run the same command again: only the missing runs are done",
        )
