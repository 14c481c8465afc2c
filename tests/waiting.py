"""Waits of tests: for events, whatever they take. Excessive cost is found by CPU time.

The machine may be busy with other things and may have one core: the time on the clock says nothing.
"""

from __future__ import annotations

import os
import resource
import select
import subprocess
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, AnyStr

if TYPE_CHECKING:
    from playwright.sync_api import Page

HANG_S = 600.0
"""Seconds after which an event is taken as never to come. No promise: it ends a test that would wait for
ever."""


def until(holds: Callable[[], object], what: str, by: subprocess.Popen[AnyStr] | None = None) -> None:
    """Waits for what a thread or a process does; with `by`, as long as that process runs."""
    end = time.monotonic() + HANG_S
    while not holds():
        assert time.monotonic() < end, what
        assert by is None or by.poll() is None, what
        time.sleep(0.01)


@contextmanager
def killed(process: subprocess.Popen[AnyStr]) -> Generator[subprocess.Popen[AnyStr]]:
    """A process that does not outlive the block, whatever fails in it."""
    with process:
        try:
            yield process
        finally:
            process.kill()


class Said:
    """Output of a pipe or a terminal, read as it comes."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._said = b""

    def until(self, text: str) -> str:
        """Reads up to and including this text; the rest is for the next call."""
        wanted = text.encode()
        while wanted not in self._said:
            assert self._more(), f"{text!r} was not said, but: {self._said.decode(errors='replace')}"
        before, _, self._said = self._said.partition(wanted)
        return (before + wanted).decode(errors="replace")

    def rest(self) -> str:
        """Reads up to the end, which comes when no process holds the other side any longer."""
        while self._more():
            pass
        return self._said.decode(errors="replace")

    def _more(self) -> bool:
        ready, _, _ = select.select([self._descriptor], [], [], HANG_S)
        assert ready, f"nothing more was said, but: {self._said.decode(errors='replace')}"
        try:
            some = os.read(self._descriptor, 65536)
        except OSError:  # a terminal whose other side is closed
            return False
        self._said += some
        return some != b""


def cpu_s(process: int) -> float:
    """CPU time of a process that runs, of its threads and of its children; from /proc of Linux."""
    of = Path(f"/proc/{process}")
    fields = (of / "stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    seconds = sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")
    for task in of.glob("task/*/children"):
        # Of what ends meanwhile.
        with suppress(FileNotFoundError, ProcessLookupError):
            seconds += sum(cpu_s(int(child)) for child in task.read_text(encoding="utf-8").split())
    return seconds


def children_cpu_s() -> float:
    """CPU time of all processes that this one has started and waited for."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def patient(page: Page) -> Page:
    """The page, which gives up after HANG_S and not after half a minute; and so does `expect`."""
    from playwright.sync_api import expect

    expect.set_options(timeout=1000.0 * HANG_S)
    page.set_default_timeout(1000.0 * HANG_S)
    return page
