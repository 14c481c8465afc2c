"""Ctrl-C at the instants at which a lock of the workers is taken: the sweep ends all the same."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from conftest import ENDLESS_OPTIONS
from waiting import HANG_S

WHILE_WAITING = """\
import signal
import weir.__main__
from weir.sweep import _runner

usual = _runner.wait


def wait(pending, timeout, return_when):
    locks = [future._condition for future in pending]
    for lock in locks:
        lock.acquire()
    signal.raise_signal(signal.SIGINT)
    for lock in locks:
        lock.release()
    return usual(pending, timeout, return_when)


_runner.wait = wait
weir.__main__.main()
"""
"""`weir` that is interrupted as soon as it has the locks of the chunks that it waits for."""

WHILE_A_THREAD_BEGINS = """\
import signal
import threading
import weir.__main__

usual = threading.Event.wait


def wait(event, timeout=None):
    if threading.current_thread() is threading.main_thread() and type(event) is threading.Event:
        with_lock = event._cond
        with_lock.acquire()
        signal.raise_signal(signal.SIGINT)
        with_lock.release()
    return usual(event, timeout)


threading.Event.wait = wait
weir.__main__.main()
"""
"""`weir` that is interrupted as soon as it waits for a thread to begin."""

ASKED_TO_END = """\
import os
import signal
from multiprocessing import util
import weir.__main__

usual = util.spawnv_passfds


def spawnv_passfds(path, words, descriptors):
    begun = usual(path, words, descriptors)
    if any("spawn_main" in os.fsdecode(word) for word in words):
        os.kill(os.getpid(), signal.SIGTERM)
    return begun


if __name__ == "__main__":
    util.spawnv_passfds = spawnv_passfds
    weir.__main__.main()
"""
"""`weir` that is asked to end as soon as it has begun a process, which waits to be told what to do."""


@pytest.mark.parametrize("program", [WHILE_WAITING, WHILE_A_THREAD_BEGINS], ids=["waiting", "beginning"])
def test_ctrl_c_while_a_lock_is_taken_ends_the_sweep(program: str, small: Path, tmp_path: Path) -> None:
    """The lock stayed taken, and the threads that the command waited for needed it."""
    (tmp_path / "program.py").write_text(program, encoding="utf-8")
    command = [sys.executable, "program.py", "run", small, *ENDLESS_OPTIONS, "-n", "4", "--threads", "2"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=HANG_S, check=False)
    assert done.returncode == 130, done.stderr
    assert "interrupted; 0 of 4 runs are finished and safe" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_sweep_that_ends_while_its_processes_begin_leaves_no_traceback(small: Path, tmp_path: Path) -> None:
    """The process waited for what it was to do, in vain: "EOFError: Ran out of input"."""
    (tmp_path / "weir_that_ends.py").write_text(ASKED_TO_END, encoding="utf-8")
    axis = "--axis=links.bottleneck.rate=1, 2 Mbit/s"
    command = [sys.executable, "weir_that_ends.py", "sweep", small, axis, "--processes", "2"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=HANG_S, check=False)
    assert done.returncode == 130
    assert "interrupted" in done.stderr
    assert "Traceback" not in done.stderr
