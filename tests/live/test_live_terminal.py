"""A live run in a terminal: the keyboard is the command's, and the terminal is given back."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from sessions import live, needs_namespaces, place

import weir
from waiting import HANG_S, Said

__all__ = ["place"]

pytestmark = needs_namespaces

PROMPT = "next: "
"""Prompt of a shell. Text typed before the prompt appears, or before a command says that it runs, may be lost
while the terminal changes hands."""

LEADER = """\
import fcntl, os, signal, subprocess, sys, termios
signal.signal(signal.SIGINT, lambda *_: None)
fcntl.ioctl(0, termios.TIOCSCTTY, 0)
code = subprocess.run(sys.argv[1:]).returncode
attributes = termios.tcgetattr(0)
print("code", code, "foreground", os.tcgetpgrp(0) == os.getpgrp(), "echo", bool(attributes[3] & termios.ECHO))
"""
"""A session with the terminal, as a shell has it."""


class Terminal(Said):
    def __init__(self, descriptor: int) -> None:
        super().__init__(descriptor)
        self._keys = descriptor

    def type(self, text: str) -> None:
        os.write(self._keys, text.encode())


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
            leader.wait(HANG_S)
        finally:
            leader.kill()
            os.close(ours)
            os.close(theirs)


def test_ctrl_c_is_for_the_command(place: Path) -> None:
    text = "trap 'echo caught; exit 9' INT; echo ready; while :; do sleep 0.05; done"
    with terminal(live("--quiet", "--", "sh", "-c", text), place) as opened:
        opened.until("ready")
        opened.type("\x03")
        opened.until("caught")
        opened.until("code 9 foreground True echo True")


def test_a_shell_has_jobs_and_its_terminal_is_given_back(place: Path) -> None:
    shell = live("--quiet", "--shell")
    (place / ".bashrc").write_text(f"PS1='{PROMPT}'\n")
    with terminal(shell, place, SHELL="/bin/bash", HOME=str(place)) as opened:
        said = opened.until(PROMPT)
        opened.type("sleep 1000 &\n")
        said += opened.until(PROMPT)
        opened.type("kill -TERM %1; wait; echo waited\n")
        said += opened.until("waited\r\n")
        said += opened.until(PROMPT)
        assert "no job control" not in said
        opened.type("stty -echo; exit 3\n")
        opened.until("code 3 foreground True echo True")


def test_a_stopped_command_goes_on_where_it_was(place: Path) -> None:
    # It says when it has the terminal again.
    text = "echo ready; until [ -e go ]; do sleep 0.05; done; echo awake; read line; echo got $line; exit 6"
    shell = ["bash", "--norc", "--noprofile", "-i"]
    with terminal(shell, place, PS1=PROMPT, HOME=str(place)) as opened:
        opened.until(PROMPT)
        opened.type(f"{shlex.join(live('--quiet', '--', 'sh', '-c', text))}\n")
        opened.until("ready\r\n")
        opened.type("\x1a")
        opened.until("Stopped")
        opened.until(PROMPT)
        opened.type("touch go; echo meanwhile; fg\n")
        opened.until("meanwhile\r\n")
        opened.until("awake\r\n")
        opened.type("here it goes on\n")
        opened.until("got here it goes on")
        opened.until(PROMPT)
        opened.type("exit $?\n")
        opened.until("code 6 foreground True echo True")


def test_what_is_printed_while_it_is_watched_stands_above_the_picture(place: Path) -> None:
    text = "echo first; read line; echo second"
    with terminal(live("--watch", "--", "sh", "-c", text), place) as opened:
        opened.until("first")
        opened.until("wake-ups")
        opened.type("\n")
        opened.until("second")
        opened.until("code 0")


def test_ctrl_c_ends_a_comparison_and_keeps_what_is_complete(place: Path) -> None:
    against = ("--against", "simulation", "--repeats", "50", "--set", "duration=1s")
    with terminal(live(*against), place) as opened:
        opened.until("run 1 of 50: ")
        opened.type("\x03")
        said = opened.until("foreground True")
    assert "Traceback" not in said
    assert "of 50 runs are complete, and kept" in said
    assert "code 130" in said
    with weir.Sweep.open(1, place / "results/store") as sweep:
        # Each live run has a simulated one, and none was cut short.
        assert sweep.runs["variant"].value_counts(sort=True)["count"].n_unique() == 1
        spans = sweep.links.filter(period=-1)["to_s"]
        assert (spans > 0.9).all()


def test_ctrl_c_before_anything_is_complete_keeps_nothing(place: Path) -> None:
    with terminal(live("--against", "simulation", "--repeats", "2"), place) as opened:
        opened.until("of real time")
        opened.type("\x03")
        said = opened.until("foreground True")
    assert "interrupted" in said
    assert "code 130" in said
    assert "result 1" not in said
