"""The terminal and the signals of a live run: they are the commands', and given back."""

from __future__ import annotations

import os
import signal
from collections.abc import Generator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import Any


class Signals:
    """Block in which SIGINT, SIGTERM and SIGHUP are noted, and do nothing else.

    One that was ignored before, as SIGINT in the background of a shell, stays so.
    """

    def __init__(self) -> None:
        self._taken: list[int] = []
        self._before: dict[int, Any] = {}

    def taken(self) -> list[int]:
        """Signals since the last call."""
        taken, self._taken = self._taken, []
        return taken

    def _note(self, number: int, _frame: FrameType | None) -> None:
        self._taken.append(number)

    def __enter__(self) -> Signals:
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            if signal.getsignal(number) is not signal.SIG_IGN:
                self._before[number] = signal.signal(number, self._note)
        return self

    def __exit__(self, *_: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)


def in_foreground() -> bool:
    """Returns true if a terminal sends its signals to the process group of this process."""
    for descriptor in (0, 1, 2):
        with suppress(OSError):
            return os.tcgetpgrp(descriptor) == os.getpgrp()
    return False


@contextmanager
def kept_terminal() -> Generator[None]:
    """Block after which the terminal is as before, with this process group in its foreground, if it was
    there.

    A shell that ends may leave it to a group of processes that is gone, an editor without echo.
    """
    import termios

    attributes: list[Any] | None = None
    with suppress(OSError, termios.error):
        attributes = termios.tcgetattr(0) if in_foreground() else None
    try:
        yield
    finally:
        if attributes is not None:
            # From the background it would stop this process.
            before = signal.signal(signal.SIGTTOU, signal.SIG_IGN)
            with suppress(OSError, termios.error):
                os.tcsetpgrp(0, os.getpgrp())
                termios.tcsetattr(0, termios.TCSADRAIN, attributes)
            signal.signal(signal.SIGTTOU, before)
