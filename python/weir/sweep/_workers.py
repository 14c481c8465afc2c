"""What does the chunks of a sweep: threads, processes, a Dask cluster, or any executor."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Generator
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager
from threading import Event

from weir._errors import WeirError
from weir.run._processes import end_with_parent
from weir.sweep._chunk import Chunk, Outcome, Watch, Workers, work, work_elsewhere
from weir.sweep._cluster import dask_workers
from weir.sweep._interrupts import without_ctrl_c

_PATIENCE_S = 10.0
"""How long a process may take to end by itself."""


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
        return dask_workers(dask)
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
        with without_ctrl_c():
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
