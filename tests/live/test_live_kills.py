"""Whichever process of a live run is killed, and when: nothing is left, and nothing else has changed."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest
from sessions import live, machine, marked, needs_namespaces, place, processes

from waiting import HANG_S, until

__all__ = ["place"]

pytestmark = needs_namespaces

WHICH = ("relay", "outside", "first", "command")
"""The process of `weir live`; the one that waits for the first process inside; that one; the command."""


def victims(mark: str, run: int) -> dict[str, int]:
    """Processes of the run that are there, by their roles."""
    found = {"relay": run}
    there = processes(mark)
    helpers = sorted(pid for pid, command in there.items() if "weir.live._inside" in command)
    found.update(zip(("outside", "first"), helpers, strict=False))
    commands = [pid for pid, command in there.items() if command.startswith("sleep")]
    found.update(zip(("command",), commands, strict=False))
    return found


def kill_one(place: Path, which: str, path: list[str], after_s: float | None) -> None:
    """Kills a process of a run, at a moment or when the command runs, and looks at what is left."""
    before = machine()
    mark, environment = marked()
    command = live(*path, "--forward", "80:1", "--quiet", "--", "sleep", "1000")
    with subprocess.Popen(
        command, cwd=place, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as run:
        if after_s is None:
            until(lambda: "command" in victims(mark, run.pid), "the command does not start")
        else:
            time.sleep(after_s)
        with suppress(ProcessLookupError, KeyError):
            os.kill(victims(mark, run.pid)[which], signal.SIGKILL)
        if after_s is not None:
            # It may have been there not yet.
            run.kill()
        _, complaints = run.communicate(timeout=HANG_S)
    until(lambda: not processes(mark), f"still there: {processes(mark)}")
    assert machine() == before
    if after_s is not None:
        return
    if which == "relay":
        assert run.returncode == -signal.SIGKILL
    elif which == "command":
        assert (run.returncode, complaints) == (128 + signal.SIGKILL, "")
    else:
        assert run.returncode == 1
        assert complaints == "error: the processes behind the links were killed from outside\n"


@pytest.mark.parametrize(
    ("which", "path"),
    [
        pytest.param(which, path, marks=[] if number % 2 == at else pytest.mark.soak)
        for number, which in enumerate(WHICH)
        for at, path in enumerate([[], ["--veth"]])
    ],
)
def test_whichever_process_is_killed_nothing_is_left(place: Path, which: str, path: list[str]) -> None:
    kill_one(place, which, path, None)


@pytest.mark.parametrize(
    "number", [*range(2), *(pytest.param(n, marks=pytest.mark.soak) for n in range(2, 40))]
)
def test_nor_at_any_moment(place: Path, number: int) -> None:
    chance = random.Random(number)  # noqa: S311 - to be repeated
    # Imports take most of a second, the namespaces some hundredths, all on a machine at rest.
    kill_one(place, chance.choice(WHICH), chance.choice([[], ["--veth"]]), chance.uniform(0.2, 1.2))


LEADER = """\
import fcntl, subprocess, sys, termios
fcntl.ioctl(0, termios.TIOCSCTTY, 0)
sys.exit(subprocess.run(sys.argv[1:]).returncode)
"""
"""A session with the terminal, as a shell has it."""


def test_when_the_terminal_is_gone_so_is_everything(place: Path) -> None:
    ours, theirs = os.openpty()
    mark, environment = marked()
    with subprocess.Popen(
        [sys.executable, "-c", LEADER, *live("--", "sleep", "1000")],
        cwd=place,
        env=environment,
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        start_new_session=True,
    ) as leader:
        os.close(theirs)
        until(lambda: "command" in victims(mark, leader.pid), "the command does not start")
        os.close(ours)
        until(lambda: not processes(mark), f"still there: {processes(mark)}")
