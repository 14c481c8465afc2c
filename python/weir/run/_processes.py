"""Processes that end with this one."""

from __future__ import annotations

import ctypes
import multiprocessing
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

_PR_SET_PDEATHSIG = 1

_LIFELINE = "WEIR_LIFELINE"
"""The variable that names the pipe which is open as long as the parent lives."""


_POSIX = hasattr(os, "killpg")
"""Windows has neither groups of processes nor pipes that they inherit: there, a renderer ends by itself."""


class Process(subprocess.Popen[str]):
    """A Python process. It and its children end with the block, and with this process if it calls
    `end_with_parent`.

    It has a process group of its own, so that Ctrl-C in a terminal does not reach it.
    """

    def __init__(self, arguments: Sequence[str | Path]) -> None:
        theirs, self._ours = os.pipe()
        try:
            super().__init__(
                [sys.executable, *arguments],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
                process_group=0 if _POSIX else None,
                pass_fds=(theirs,) if _POSIX else (),
                env={**os.environ, **({_LIFELINE: str(theirs)} if _POSIX else {})},
            )
        except BaseException:
            os.close(self._ours)
            raise
        finally:
            os.close(theirs)

    def __exit__(self, *raised: Any) -> None:  # noqa: ANN401 (as its base has it)
        if self.poll() is None:
            with suppress(ProcessLookupError):
                if _POSIX:
                    os.killpg(self.pid, signal.SIGKILL)
                else:
                    self.kill()
        os.close(self._ours)
        super().__exit__(*raised)

    def finish(self) -> str:
        """Waits for the end; returns what was printed. Raises RuntimeError if it failed."""
        printed, complaints = self.communicate()
        if self.returncode != 0:
            raise RuntimeError(complaints.strip() or f"exit code {self.returncode}")
        return printed


def end_with_parent() -> None:
    """Ends this process when the one that began it has ended, in whatever way."""
    if (parent := multiprocessing.parent_process()) is not None:
        threading.Thread(target=_end_after, args=(parent.join,), daemon=True).start()
    elif pipe := os.environ.pop(_LIFELINE, None):
        _killed_with_parent()
        descriptor = int(pipe)
        os.set_inheritable(descriptor, False)  # noqa: FBT003
        threading.Thread(target=_end_after, args=(lambda: os.read(descriptor, 1),), daemon=True).start()


def _killed_with_parent() -> None:
    """Makes Linux end this process with its parent. A thread that waits does not run while a library holds
    the interpreter, as the renderer does for a second and more. On other systems the process ends after
    that."""
    with suppress(AttributeError, OSError, TypeError):
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


def _end_after(wait: Callable[[], object]) -> None:
    wait()
    os._exit(1)
