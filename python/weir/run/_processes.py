"""Processes that end when we do."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any


class Process(subprocess.Popen[str]):
    """A Python process at work. It and its children end with the block, whatever ends that.

    It has a process group of its own, so that Ctrl-C in a terminal reaches us alone.
    """

    def __init__(self, arguments: Sequence[str | Path]) -> None:
        super().__init__(
            [sys.executable, *arguments],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            process_group=0,
        )

    def __exit__(self, *raised: Any) -> None:  # noqa: ANN401 (as its base has it)
        if self.poll() is None:
            with suppress(ProcessLookupError):
                os.killpg(self.pid, signal.SIGKILL)
        super().__exit__(*raised)

    def finish(self) -> str:
        """Waits for the end; returns what was printed. Raises RuntimeError if it failed."""
        printed, complaints = self.communicate()
        if self.returncode != 0:
            raise RuntimeError(complaints.strip() or f"exit code {self.returncode}")
        return printed


def output_of(*arguments: str | Path) -> str:
    """What `python ARGUMENTS` prints. Raises RuntimeError with its complaints if it fails."""
    with Process(arguments) as process:
        return process.finish()
