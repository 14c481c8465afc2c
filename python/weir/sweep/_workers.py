"""Who does the chunks: threads, processes, a Dask cluster, or any executor."""

from __future__ import annotations

import ctypes
import os
import signal
from collections.abc import Callable, Generator
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing import get_context

from weir.sweep._chunk import Chunk, Outcome, Watch, work


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
    """Whether anybody is still there."""


@contextmanager
def threads(number: int = 0) -> Generator[Workers]:
    """Threads of this process; 0 means one per core."""
    slots = number or _cores()
    watch = Watch()
    with ThreadPoolExecutor(slots, thread_name_prefix="weir") as pool:
        try:
            yield Workers(
                lambda chunk: pool.submit(work, chunk, watch),
                lambda: slots,
                f"{slots} thread{'s' if slots > 1 else ''}",
                under_way=watch.under_way,
            )
        finally:
            # Whatever ends the sweep ends its runs.
            watch.stop.set()
            pool.shutdown(cancel_futures=True)


@contextmanager
def processes(number: int = 0) -> Generator[Workers]:
    """Processes of this machine, spawned: a fork after threads have begun is not safe."""
    slots = number or _cores()
    context = get_context("spawn")
    # Without a lock, which a process that is killed could keep.
    stop: ctypes.c_bool = context.RawValue(ctypes.c_bool)
    pool = ProcessPoolExecutor(slots, mp_context=context, initializer=_begin, initargs=(stop,))
    try:
        yield Workers(
            lambda chunk: pool.submit(_work, chunk),
            lambda: slots,
            f"{slots} process{'es' if slots > 1 else ''}",
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
def executor(pool: Executor, slots: int = 0) -> Generator[Workers]:
    """An executor of the caller's, which is left running."""
    known = getattr(pool, "_max_workers", 0)
    number = slots or (known if isinstance(known, int) else 0) or _cores()
    waiting: set[Future[Outcome]] = set()

    def submit(chunk: Chunk) -> Future[Outcome]:
        future = pool.submit(work, chunk)
        waiting.add(future)
        future.add_done_callback(waiting.discard)
        return future

    try:
        yield Workers(submit, lambda: number, type(pool).__name__)
    finally:
        for future in list(waiting):
            future.cancel()


_PATIENCE_S = 10.0
"""How long a process may take to end by itself."""


class _Process:
    """A process of `processes`."""

    stop = ctypes.c_bool()
    """Set when nobody waits for its chunk any more."""


def _begin(stop: ctypes.c_bool) -> None:
    _Process.stop = stop
    ignore_ctrl_c()


def _work(chunk: Chunk) -> Outcome:
    return work(chunk, stopped=lambda: _Process.stop.value)


def ignore_ctrl_c() -> None:
    """Ctrl-C in a terminal reaches all its processes; ours tells its own when to end."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _cores() -> int:
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:
        return os.cpu_count() or 1
