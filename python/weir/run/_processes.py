"""Processes that end when we do."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path


class Process:
    """A Python process at work. It and its children end with the block, whatever ends that.

    It has a process group of its own, so that Ctrl-C in a terminal reaches us alone.
    """

    def __init__(self, arguments: Sequence[str | Path]) -> None:
        self._process = subprocess.Popen(  # noqa: S603 - our own modules and scripts
            [sys.executable, *arguments],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            process_group=0,
        )

    def __enter__(self) -> Process:
        return self

    def __exit__(self, *_: object) -> None:
        if self._process.poll() is None:
            with suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()
        for stream in (self._process.stdout, self._process.stderr):
            if stream is not None:
                stream.close()

    def finish(self) -> str:
        """Waits for the end; returns what was printed. Raises RuntimeError if it failed."""
        printed, complaints = self._process.communicate()
        if self._process.returncode != 0:
            raise RuntimeError(complaints.strip() or f"exit code {self._process.returncode}")
        return printed


def output_of(*arguments: str | Path) -> str:
    """What `python ARGUMENTS` prints. Raises RuntimeError with its complaints if it fails."""
    with Process(arguments) as process:
        return process.finish()
