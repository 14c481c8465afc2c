"""The program: `weir`, and `python -m weir`.

Worker processes import it anew: at its head it imports nothing that takes long.
"""

from __future__ import annotations

import atexit
import gc
import os
import signal
import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import NoReturn

_SIGNALS = (signal.SIGINT, signal.SIGTERM)
_INTERRUPTED = 130


def main() -> None:
    """The command line, in a process of its own.

    Ctrl-C, or SIGTERM, raises KeyboardInterrupt in a verb: finished runs are kept, nothing is left behind.
    Before and after it, in the middle of an import, and the second time, the process ends at once: then too,
    what is not finished is removed.
    """
    _on_signals(_end)
    sys.unraisablehook = _unraisable
    # Nothing here is linear algebra, and threads that wait for some cost time.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    # Of semaphores that it removes after a process which ended at once.
    os.environ.setdefault("PYTHONWARNINGS", "ignore:resource_tracker")
    # What a command makes is needed to its end, and goes with the process: to look for garbage among it would
    # take a quarter of the time of a short run.
    gc.set_threshold(1_000_000)
    atexit.register(gc.freeze)

    from weir._extension import mismatch

    if (wrong := mismatch()) is not None:
        sys.exit(f"error: {wrong}")
    # With the verb: an interruption is simplest here.
    from weir import cli

    app = cli.load()
    try:
        cli.main(_interruptible(), app)
    except SystemExit as ending:
        # Where no AQM in Python was called, there is no such module.
        if (calls := sys.modules.get("weir.aqm._calls")) is not None:
            calls.leave(ending.code if isinstance(ending.code, int) else int(ending.code is not None))
        raise


@contextmanager
def _interruptible() -> Generator[None]:
    from weir._core import signal_descriptor

    if (descriptor := signal_descriptor()) is not None:
        signal.set_wakeup_fd(descriptor, warn_on_full_buffer=False)
    _on_signals(_interrupt)
    try:
        yield
    finally:
        _on_signals(_end)


def _on_signals(handler: Callable[[int, FrameType | None], NoReturn]) -> None:
    for one in _SIGNALS:
        # One that is ignored, as in the background of a shell, stays so.
        if signal.getsignal(one) is not signal.SIG_IGN:
            signal.signal(one, handler)


def _interrupt(number: int, frame: FrameType | None) -> NoReturn:
    if _imports(frame) or (frame is not None and str(frame.f_globals.get("__name__")).startswith("numpy.")):
        # Modules of others make another exception of the interruption while they are imported, or none.
        # Polars calls functions of NumPy, and panics where they fail.
        _end(number, frame)
    _on_signals(_end)
    raise KeyboardInterrupt


def _imports(frame: FrameType | None) -> bool:
    """Returns true if a module is being imported."""
    while frame is not None:
        if frame.f_code.co_filename.startswith("<frozen importlib"):
            return True
        frame = frame.f_back
    return False


def _end(_signal: int, _frame: FrameType | None) -> NoReturn:
    # Workers end with their parent.
    with suppress(OSError):
        os.write(2, b"interrupted\n")
    if (temporary := sys.modules.get("weir._temporary")) is not None:
        with suppress(BaseException):
            temporary.remove_ours()
    os._exit(_INTERRUPTED)


def _unraisable(caught: sys.UnraisableHookArgs) -> None:
    """An interruption in code that cannot raise, such as a callback of the import system, is raised later."""
    if isinstance(caught.exc_value, KeyboardInterrupt):
        _on_signals(_interrupt)
        signal.raise_signal(signal.SIGINT)
    else:
        sys.__unraisablehook__(caught)


if __name__ == "__main__":
    # As `weir` does: what lies in the current folder is not imported, unless the scenario lies there.
    if not sys.flags.safe_path and sys.path[:1] == [os.getcwd()]:  # noqa: PTH109 - as `python -m` has it
        del sys.path[0]
    main()
