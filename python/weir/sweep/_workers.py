"""Workers of a sweep: threads, processes, a Dask cluster, or any executor."""

from __future__ import annotations

import ctypes
import os
import sys
import time
from collections.abc import Generator
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager
from threading import Event
from typing import TYPE_CHECKING

from weir._errors import WeirError
from weir.run import end_with_parent
from weir.sweep._chunk import Chunk, ChunkResult, Watch, Workers, work, work_elsewhere
from weir.sweep._cluster import dask_workers
from weir.sweep._interrupts import not_interrupted, without_ctrl_c
from weir.sweep._limits import Allowed
from weir.sweep._memory import budget, shared_budget

if TYPE_CHECKING:
    from multiprocessing.sharedctypes import Synchronized

_PATIENCE_S = 10.0
"""Seconds that processes have to end by themselves."""


def chosen_workers(
    *,
    threads: int | None = None,
    processes: int | None = None,
    dask: str | None = None,
    executor: Executor | None = None,
    slots: int = 0,
    memory: str | None = None,
) -> AbstractContextManager[Workers]:
    """Chooses the workers for the runs: at most one kind, by default threads; 0 of them means one per core.

    Args:
        dask: `local:4`, a cluster of four processes that ends with the sweep. Otherwise it says where a
            scheduler listens: `tcp://host:8786`, or the file in which the scheduler wrote that down.
        executor: it is left running; `slots` says how many chunks it does at a time.
        memory: memory that runs may take at a time, `8 GB`; 80% of what is available if None. For a cluster
            and an executor it is the memory of each worker.

    Raises WeirError for what is no size, and for a negative number of workers. Raises WorkersError where Dask
    is missing, its address makes no sense, or none answers there.
    """
    if sum(choice is not None for choice in (threads, processes, dask, executor)) > 1:
        raise WeirError("choose one of threads, processes, Dask and an executor")
    for name, number in (("threads", threads), ("processes", processes), ("workers", slots)):
        if number is not None and number < 0:
            raise WeirError(f"there cannot be {number} {name}", "give one or more; 0: one for each core")
    allowed = Allowed.chosen(memory)
    if executor is not None:
        return _executor(executor, slots, allowed)
    if dask is not None:
        return dask_workers(dask, allowed)
    return _threads(threads or 0, allowed) if processes is None else _processes(processes, allowed)


@contextmanager
def _threads(number: int, allowed: Allowed) -> Generator[Workers]:
    slots = number or _cores()
    stop = Event()
    watch = Watch(stop.is_set, budget(allowed))
    with ThreadPoolExecutor(slots, thread_name_prefix="weir") as pool:

        def submit(chunk: Chunk) -> Future[ChunkResult]:
            # A thread that is interrupted while it begins never ends.
            with not_interrupted():
                return pool.submit(work, chunk, watch)

        try:
            yield Workers(
                submit,
                lambda: slots,
                f"{slots} thread{'s' if slots > 1 else ''}",
                under_way=watch.under_way,
                local=True,
                allowed=allowed,
                memory=watch.budget.memory,
            )
        finally:
            # Whatever ends the sweep ends its runs.
            stop.set()
            pool.shutdown(cancel_futures=True)


@contextmanager
def _processes(number: int, allowed: Allowed) -> Generator[Workers]:
    """Processes of this machine, spawned: a fork after threads have begun is not safe."""
    from concurrent.futures import ProcessPoolExecutor
    from multiprocessing import get_context

    slots = number or _cores()
    context = get_context("spawn")
    # Without a lock, which a process that is killed could keep.
    stop: ctypes.c_bool = context.RawValue(ctypes.c_bool)
    # A row for each process, which alone writes it, and the number of rows that are given away.
    table: ctypes.Array[ctypes.c_uint64] = context.RawArray(ctypes.c_uint64, 2 * slots)
    given: Synchronized[int] = context.Value(ctypes.c_int, 0)
    pool = ProcessPoolExecutor(
        slots, mp_context=context, initializer=_begin, initargs=(stop, allowed.bytes, table, given)
    )

    def submit(chunk: Chunk) -> Future[ChunkResult]:
        # The first one begins the processes: each waits for what it is told.
        with not_interrupted(), without_ctrl_c():
            return pool.submit(_work, chunk)

    try:
        yield Workers(
            submit,
            lambda: slots,
            f"{slots} process{'es' if slots > 1 else ''}",
            local=True,
            allowed=allowed,
            memory=budget(allowed).memory,
        )
    finally:
        # Their chunks are not wanted any more, or there are none. They are asked to end: a process that is
        # ended while it hands over a chunk leaves the pool waiting for the rest of it.
        stop.value = True
        children = list((pool._processes or {}).values())
        pool.shutdown(wait=False, cancel_futures=True)
        until = time.monotonic() + _PATIENCE_S
        for child in children:
            child.join(max(0.0, until - time.monotonic()))
        for child in children:
            child.terminate()
            child.join()


@contextmanager
def _executor(pool: Executor, slots: int, allowed: Allowed) -> Generator[Workers]:
    known = getattr(pool, "_max_workers", 0)
    number = slots or (known if isinstance(known, int) else 0) or _cores()
    waiting: set[Future[ChunkResult]] = set()

    def submit(chunk: Chunk) -> Future[ChunkResult]:
        future = pool.submit(work_elsewhere, chunk)
        waiting.add(future)
        future.add_done_callback(waiting.discard)
        return future

    try:
        yield Workers(submit, lambda: number, type(pool).__name__, allowed=allowed)
    finally:
        for future in list(waiting):
            future.cancel()


_watch = Watch(lambda: False)
"""Watch of a process of `_processes`."""


def _begin(
    stop: ctypes.c_bool, limit: float | None, table: ctypes.Array[ctypes.c_uint64], given: Synchronized[int]
) -> None:
    with given.get_lock():
        row, given.value = given.value, given.value + 1
    # A class in Python may print; the stdout of the command has its tables.
    sys.stdout = sys.stderr
    _watch.stopped = lambda: stop.value
    _watch.budget = shared_budget(limit, table, row)
    end_with_parent()


def _work(chunk: Chunk) -> ChunkResult:
    return work_elsewhere(chunk, _watch)


def _cores() -> int:
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:
        return os.cpu_count() or 1
