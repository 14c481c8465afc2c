"""Calls that do not end.

The core interrupts one that takes longer than the `time_limit` of its class, or that is not waited for.
"""

from __future__ import annotations

import atexit
import os
import sys
import traceback
from contextlib import suppress
from types import TracebackType


class EndedError(BaseException):
    """Raised by the core within a call. No `except Exception` catches it."""


def interrupted(seconds: float, frames: TracebackType | None) -> TimeoutError:
    """Exception that ends the run: it names the limit, and its traceback shows where the call was."""
    error = TimeoutError(
        f"the call took longer than {seconds:g} s; a class whose calls take long sets time_limit, in seconds"
    )
    return error.with_traceback(frames)


def stuck(thread: int) -> TimeoutError:
    """Exception that ends a run whose call continues after the interrupt; it shows where the call is.

    No thread can be ended from outside: this one is left to itself, and the process ends without it.
    """
    frames = sys._current_frames()  # pyright: ignore[reportPrivateUsage] - the only view of another thread
    frame = frames.get(thread)
    lines = "".join(traceback.format_stack(frame)) if frame is not None else ""
    message = (
        "the call takes too long and cannot be interrupted: it waits outside of Python, or catches everything"
    )
    error = TimeoutError(message)
    told = f"Traceback (most recent call last):\n{lines}TimeoutError: {message}"
    error.weir_traceback = told  # type: ignore[attr-defined]
    return error


_behind = False


def leave_behind() -> None:
    """The core leaves a thread to itself. The interpreter cannot be taken down while one is at work in it:
    the process ends at the end of its program instead."""
    global _behind  # noqa: PLW0603 - as the threads, it is of the process
    if not _behind:
        _behind = True
        atexit.register(_leave)


def leave(code: int) -> None:
    """Ends the process with this code if a thread was left to itself; else it does nothing."""
    if not _behind:
        return
    atexit.unregister(_leave)
    with suppress(Exception):
        atexit._run_exitfuncs()  # pyright: ignore[reportPrivateUsage] - those of others come first
    for stream in (sys.stdout, sys.stderr):
        with suppress(Exception):
            stream.flush()
    os._exit(code)


def _leave() -> None:
    # How the program ended is not known here, but that it ended with a traceback.
    leave(int(hasattr(sys, "last_value")))
