"""Ctrl-C while workers begin, and while they are waited for."""

from __future__ import annotations

import signal
from collections.abc import Generator
from contextlib import contextmanager
from threading import current_thread, main_thread


@contextmanager
def without_ctrl_c() -> Generator[None]:
    """Ctrl-C in a terminal reaches all its processes: those that begin here never see it, nor do threads.
    Here it waits for the end of the block."""
    if not hasattr(signal, "pthread_sigmask"):  # Windows
        yield
        return
    from multiprocessing import resource_tracker

    # To begin this one later would let Ctrl-C through again.
    resource_tracker.ensure_running()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


@contextmanager
def not_interrupted() -> Generator[None]:
    """Delays Ctrl-C, and requests to end, until the end of the block."""
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
