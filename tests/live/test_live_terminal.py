"""A live run in a terminal: the keyboard is the command's, and the terminal is given back."""

from __future__ import annotations

import os
import select
import shlex
import subprocess
import sys
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from sessions import LONG_S, live, needs_namespaces, place

__all__ = ["place"]

pytestmark = needs_namespaces

LEADER = """\
import fcntl, os, signal, subprocess, sys, termios
signal.signal(signal.SIGINT, lambda *_: None)
fcntl.ioctl(0, termios.TIOCSCTTY, 0)
code = subprocess.run(sys.argv[1:]).returncode
attributes = termios.tcgetattr(0)
print("code", code, "foreground", os.tcgetpgrp(0) == os.getpgrp(), "echo", bool(attributes[3] & termios.ECHO))
"""
"""A session with the terminal, as a shell has it."""


class Terminal:
    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._said = ""

    def type(self, text: str) -> None:
        os.write(self._descriptor, text.encode())

    def read_until(self, text: str) -> str:
        """What was said up to this text."""
        end = time.monotonic() + LONG_S
        while text not in self._said:
            assert time.monotonic() < end, self._said
            if select.select([self._descriptor], [], [], 0.1)[0]:
                self._said += os.read(self._descriptor, 4096).decode(errors="replace")
        before, _, self._said = self._said.partition(text)
        return before


@contextmanager
def terminal(command: list[str], folder: Path, **environment: str) -> Generator[Terminal]:
    ours, theirs = os.openpty()
    with subprocess.Popen(
        [sys.executable, "-c", LEADER, *command],
        cwd=folder,
        env={**os.environ, **environment},
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        start_new_session=True,
    ) as leader:
        try:
            yield Terminal(ours)
            leader.wait(LONG_S)
        finally:
            leader.kill()
            os.close(ours)
            os.close(theirs)


def test_ctrl_c_is_for_the_command(place: Path) -> None:
    text = "trap 'echo caught; exit 9' INT; echo ready; while :; do sleep 0.05; done"
    with terminal(live("--quiet", "--", "sh", "-c", text), place) as opened:
        opened.read_until("ready")
        opened.type("\x03")
        opened.read_until("caught")
        opened.read_until("code 9 foreground True echo True")


def test_a_shell_has_jobs_and_its_terminal_is_given_back(place: Path) -> None:
    shell = live("--quiet", "--shell")
    with terminal(shell, place, SHELL="/bin/bash", PS1="$ ", HOME=str(place)) as opened:
        opened.type("sleep 1000 &\n")
        opened.type("kill -TERM %1; wait; echo waited\n")
        said = opened.read_until("waited\r\n")
        assert "no job control" not in said
        opened.type("stty -echo; exit 3\n")
        opened.read_until("code 3 foreground True echo True")


def test_a_stopped_command_goes_on_where_it_was(place: Path) -> None:
    text = "echo ready; read line; echo got $line; exit 6"
    shell = ["bash", "--norc", "--noprofile", "-i"]
    with terminal(shell, place, PS1="$ ", HOME=str(place)) as opened:
        opened.type(f"{shlex.join(live('--quiet', '--', 'sh', '-c', text))}\n")
        opened.read_until("ready\r\n")
        opened.type("\x1a")
        opened.read_until("Stopped")
        opened.type("echo meanwhile; fg\n")
        opened.read_until("meanwhile\r\n")
        opened.type("here it goes on\n")
        opened.read_until("got here it goes on")
        opened.type("exit $?\n")
        opened.read_until("code 6 foreground True echo True")


def test_what_is_printed_while_it_is_watched_stands_above_the_picture(place: Path) -> None:
    text = "echo first; sleep 0.6; echo second"
    with terminal(live("--watch", "--", "sh", "-c", text), place) as opened:
        opened.read_until("first")
        opened.read_until("wake-ups")
        opened.read_until("second")
        opened.read_until("code 0")
