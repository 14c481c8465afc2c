"""The command line on a terminal: what it shows as it goes, and Ctrl-C."""

from __future__ import annotations

import os
import pty
import signal
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import pytest

from conftest import ENDLESS_OPTIONS, Command, names_in
from waiting import HANG_S, Said, children_cpu_s, cpu_s, killed, until

ESCAPE = "\x1b"


@contextmanager
def on_a_terminal(
    arguments: list[str | Path], directory: Path, **environment: str
) -> Generator[tuple[subprocess.Popen[bytes], Said]]:
    """A command whose stderr is a terminal, with what that shows; its stdout is a pipe."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "weir", *arguments],
        cwd=directory,
        stdout=subprocess.PIPE,
        stderr=theirs,
        env={**os.environ, "TERM": "xterm", "COLUMNS": "100", **environment},
    )
    os.close(theirs)
    with killed(process):
        yield process, Said(ours)
    os.close(ours)


@pytest.mark.parametrize(("environment", "colour"), [({}, "in colour"), ({"NO_COLOR": "1"}, "plain")])
def test_progress_is_shown(environment: dict[str, str], colour: str, small: Path, tmp_path: Path) -> None:
    with on_a_terminal(["run", small, "--set", "duration=200 s"], tmp_path, **environment) as (process, said):
        shown = said.rest()
        out, _ = process.communicate(timeout=HANG_S)
    assert process.returncode == 0
    assert "of 1 run" in shown
    assert ("\x1b[9" in shown or "\x1b[3" in shown) is (colour == "in colour")
    assert ESCAPE.encode() not in out


def test_ctrl_c_stops_and_says_what_is_safe(weir_command: Command, small: Path, tmp_path: Path) -> None:
    assert weir_command("run", small, "--report").returncode == 0
    pages = tmp_path / "results" / "1-small"
    before = {path: path.read_bytes() for path in pages.rglob("*") if path.is_file()}

    earlier = children_cpu_s()
    arguments = ["run", small, *ENDLESS_OPTIONS, "-n", "4", "--threads", "2"]
    with on_a_terminal(arguments, tmp_path) as (process, said):
        said.until("of 4 runs")
        asked_at = cpu_s(process.pid)
        process.send_signal(signal.SIGINT)
        shown = said.rest()
        process.communicate(timeout=HANG_S)
    seconds = children_cpu_s() - earlier - asked_at

    assert process.returncode == 130
    assert "interrupted; 0 of 4 runs are finished and safe" in shown
    assert "does the rest" in shown
    assert "Traceback" not in shown
    # Both simulations go on until they are told, within 0.2 s; the rest is for the interpreter.
    assert seconds < 1.0
    assert {path: path.read_bytes() for path in pages.rglob("*") if path.is_file()} == before
    assert names_in(tmp_path / "results") == ["1-small", "store"]


def test_ctrl_c_while_the_page_is_drawn_leaves_nothing_behind(small: Path, tmp_path: Path) -> None:
    earlier = children_cpu_s()
    results = tmp_path / "results"
    command = [sys.executable, "-m", "weir", "run", small, "--report"]
    running = subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    with killed(running) as process:
        until(lambda: list(results.glob("1-small/.new-*")), "no page is begun", process)
        asked_at = cpu_s(process.pid)
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=HANG_S)
    assert process.returncode == 130
    assert b"Traceback" not in said
    assert children_cpu_s() - earlier - asked_at < 1.0
    assert names_in(results / "1-small") == ["manifest.json"]
