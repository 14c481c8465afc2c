"""Chunks, the runs that one worker does in one go, and what does them: threads, processes, a Dask cluster, or
any executor."""

from __future__ import annotations

import ctypes
import logging
import math
import os
import signal
import time
from collections.abc import Callable, Generator, Mapping, Sequence
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from importlib import import_module
from threading import Event, current_thread, get_ident, main_thread
from typing import Any, cast

from weir import _core
from weir._errors import AqmFailedError, WeirError
from weir.run._batch import run_batch
from weir.run._processes import end_with_parent

_PARTS = 4
"""A chunk is looked at so many times: when it takes far longer than it should, the rest goes back."""

TIMEOUT_S = 10.0
"""For a scheduler to answer."""

_LOOK_S = 2.0
"""How often the size of a cluster is asked for: workers come and go."""

_PATIENCE_S = 10.0
"""How long a process may take to end by itself."""

_PRELOAD = "import logging; logging.getLogger('distributed').setLevel('CRITICAL')"
"""In Dask's workers: what they log when work is cancelled says nothing new."""


@dataclass(frozen=True)
class Chunk:
    """What a worker is sent."""

    jobs: Sequence[tuple[_core.Scenario, int]]
    """Scenario and seed of each run."""
    budget_s: float
    """Wall clock after which no further part is begun."""
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

    @classmethod
    def of(cls, runs: Sequence[_core.Run], wall_s: float) -> Outcome:
        """What these runs give."""
        return cls([run.cpu_s for run in runs], _core.tables(runs), wall_s)


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
    return Outcome.of(runs, time.monotonic() - started)


def work_elsewhere(chunk: Chunk, watch: Watch | None = None) -> Outcome:
    """As `work`, in another process, from which an exception of a user's class may not come back."""
    try:
        return work(chunk, watch)
    except Exception as error:
        told = getattr(error, "weir_traceback", None)
        if told is None:
            raise
        raise AqmFailedError(told.rstrip()) from error


def _run(jobs: Sequence[tuple[_core.Scenario, int]], watch: Watch | None) -> list[_core.Run]:
    """The runs, or none if they are not waited for any more."""
    if watch is None:
        return run_batch(jobs, 1)

    def look(batch: _core.Batch) -> None:
        if watch.stopped():
            raise _StoppedError
        watch.parts[get_ident()] = batch.progress * len(jobs)

    try:
        return run_batch(jobs, 1, look)
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
    """Chunks to hand out per slot, so that none waits for us."""
    shortest_s: float = 0.2
    """A chunk shorter than this costs more to hand over than it is worth."""
    under_way: Callable[[], float] = lambda: 0.0
    """Runs' worth of simulated time in chunks that have not ended, where it can be seen."""
    alive: Callable[[], bool] = lambda: True
    """Whether there are any still."""
    local: bool = False
    """Whether they share the memory of this machine."""


def chosen_workers(
    *,
    threads: int | None = None,
    processes: int | None = None,
    dask: str | None = None,
    executor: Executor | None = None,
    slots: int = 0,
) -> AbstractContextManager[Workers]:
    """What does the runs: at most one of them, by default threads; 0 of them means one per core.

    Args:
        dask: `local:4`, a cluster of four processes that ends with the sweep; or where a
            scheduler listens, `tcp://host:8786`, or the file in which it wrote that down.
        executor: it is left running; `slots` says how many chunks it does at a time.

    Raises WorkersError where Dask is missing, its address makes no sense, or none answers there.
    """
    if sum(choice is not None for choice in (threads, processes, dask, executor)) > 1:
        raise WeirError("choose one of threads, processes, Dask and an executor")
    if executor is not None:
        return _executor(executor, slots)
    if dask is not None:
        return _dask(dask)
    return _threads(threads or 0) if processes is None else _processes(processes)


@contextmanager
def _threads(number: int) -> Generator[Workers]:
    slots = number or _cores()
    stop = Event()
    watch = Watch(stop.is_set)
    with ThreadPoolExecutor(slots, thread_name_prefix="weir") as pool:
        try:
            yield Workers(
                lambda chunk: pool.submit(work, chunk, watch),
                lambda: slots,
                f"{slots} thread{'s' if slots > 1 else ''}",
                under_way=watch.under_way,
                local=True,
            )
        finally:
            # Whatever ends the sweep ends its runs.
            stop.set()
            pool.shutdown(cancel_futures=True)


@contextmanager
def _processes(number: int) -> Generator[Workers]:
    """Processes of this machine, spawned: a fork after threads have begun is not safe."""
    from concurrent.futures import ProcessPoolExecutor
    from multiprocessing import get_context

    slots = number or _cores()
    context = get_context("spawn")
    # Without a lock, which a process that is killed could keep.
    stop: ctypes.c_bool = context.RawValue(ctypes.c_bool)
    pool = ProcessPoolExecutor(slots, mp_context=context, initializer=_begin, initargs=(stop,))

    def submit(chunk: Chunk) -> Future[Outcome]:
        # The first one begins the processes.
        with _without_ctrl_c():
            return pool.submit(_work, chunk)

    try:
        yield Workers(
            submit,
            lambda: slots,
            f"{slots} process{'es' if slots > 1 else ''}",
            local=True,
        )
    finally:
        # Their chunks are not wanted any more, or there are none. They are asked to end: a process that is
        # ended while it hands over a chunk leaves the pool waiting for the rest of it.
        stop.value = True
        children = list((pool._processes or {}).values())
        pool.shutdown(wait=False, cancel_futures=True)
        for child in children:
            child.join(_PATIENCE_S)
            child.terminate()
            child.join()


@contextmanager
def _executor(pool: Executor, slots: int) -> Generator[Workers]:
    known = getattr(pool, "_max_workers", 0)
    number = slots or (known if isinstance(known, int) else 0) or _cores()
    waiting: set[Future[Outcome]] = set()

    def submit(chunk: Chunk) -> Future[Outcome]:
        future = pool.submit(work_elsewhere, chunk)
        waiting.add(future)
        future.add_done_callback(waiting.discard)
        return future

    try:
        yield Workers(submit, lambda: number, type(pool).__name__)
    finally:
        for future in list(waiting):
            future.cancel()


@contextmanager
def _dask(address: str) -> Generator[Workers]:
    # Before Dask, which has no types of its own, is imported: that alone takes a second.
    kind, colon, number = address.partition(":")
    local = kind == "local"
    if local and not (colon and number.isdigit() and int(number) >= 1):
        raise WorkersError(
            f"{address!r} is not a local cluster", "write local:4 for four workers on this machine"
        )
    try:
        distributed: Any = import_module("distributed")
    except ImportError:
        raise WorkersError("Dask is not installed", "pip install 'weir-aqm[cluster]'") from None
    # What Dask has to say of workers that come and go is said by us, once.
    for name, logger in logging.Logger.manager.loggerDict.items():
        if name.startswith(("distributed", "tornado")) and isinstance(logger, logging.Logger):
            logger.setLevel(logging.CRITICAL)
    with ExitStack() as stack:
        if local:
            # A cluster that is interrupted while it starts cannot be closed.
            with _not_interrupted(), _without_ctrl_c():
                cluster = distributed.LocalCluster(
                    n_workers=int(number),
                    threads_per_worker=1,
                    processes=True,
                    dashboard_address=None,
                    preload=[_PRELOAD],
                )
                client = stack.enter_context(distributed.Client(stack.enter_context(cluster)))
            what = f"Dask, {number} local worker{'s' if int(number) > 1 else ''}"
        else:
            client, what = _connected(address, distributed), f"Dask at {address}"
            stack.callback(_close, client)
        executor = client.get_executor(pure=False)
        known, asked = 1, -math.inf

        def slots() -> int:
            """Threads of the cluster, asked for now and then."""
            nonlocal known, asked
            if time.monotonic() - asked > _LOOK_S and client.status == "running":
                asked = time.monotonic()
                # If the scheduler is going, `alive` will say so.
                with suppress(OSError):
                    known = max(1, sum(cast("dict[str, int]", client.ncores()).values()))
            return known

        yield Workers(
            lambda chunk: cast("Future[Outcome]", executor.submit(work_elsewhere, chunk)),
            slots,
            what,
            # Two chunks a slot: a worker need not wait for the network between two.
            ahead=2.0,
            shortest_s=1.0,
            alive=lambda: client.status == "running",
        )


@contextmanager
def _without_ctrl_c() -> Generator[None]:
    """Ctrl-C in a terminal reaches all its processes: those that begin here never see it, nor do threads.
    Here it waits for the end of the block."""
    from multiprocessing import resource_tracker

    # To begin this one later would let Ctrl-C through again.
    resource_tracker.ensure_running()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


@contextmanager
def _not_interrupted() -> Generator[None]:
    """Ctrl-C, or being asked to end, waits for the end of the block."""
    if current_thread() is not main_thread():
        yield
        return
    came: list[int] = []
    usual = {
        one: signal.signal(one, lambda one, _: came.append(one)) for one in (signal.SIGINT, signal.SIGTERM)
    }
    try:
        yield
    finally:
        for one, handler in usual.items():
            signal.signal(one, handler)
    if came:
        signal.raise_signal(came[0])


def _connected(address: str, distributed: Any) -> Any:  # noqa: ANN401 (Dask has no types)
    where = {"scheduler_file" if address.endswith(".json") else "address": address}
    try:
        return distributed.Client(**where, timeout=TIMEOUT_S)
    except (OSError, ValueError, TypeError) as error:
        reason = str(error).splitlines()[0].rstrip(".") if str(error) else type(error).__name__
        raise WorkersError(
            f"no Dask scheduler answers at {address}: {reason}",
            "start one with `dask scheduler`, or use --dask local:4",
        ) from None


def _close(client: Any) -> None:  # noqa: ANN401 (Dask has no types)
    # The scheduler may be gone already.
    with suppress(OSError):
        client.close(timeout=TIMEOUT_S if client.status == "running" else 0.1)


_watch = Watch(lambda: False)
"""Of a process of `_processes`."""


def _begin(stop: ctypes.c_bool) -> None:
    _watch.stopped = lambda: stop.value
    end_with_parent()


def _work(chunk: Chunk) -> Outcome:
    return work_elsewhere(chunk, _watch)


def _cores() -> int:
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:
        return os.cpu_count() or 1
