"""The program in hard places: files that are none, streams that take nothing, text that steers a terminal."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest

from conftest import SMALL

PROGRAM = (sys.executable, "-m", "weir")


def run(*arguments: str | Path, **streams: int) -> subprocess.CompletedProcess[str]:
    chosen = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE} | streams
    return subprocess.run([*PROGRAM, *arguments], text=True, timeout=20, check=False, **chosen)  # type: ignore[call-overload]


@pytest.mark.parametrize("verb", ["run", "check", "compare"])
@pytest.mark.parametrize("kind", ["device", "pipe", "directory"])
def test_what_is_no_file_is_not_read(verb: str, kind: str, tmp_path: Path) -> None:
    place = {"device": Path("/dev/zero"), "pipe": tmp_path / "pipe", "directory": tmp_path}[kind]
    if kind == "pipe":
        os.mkfifo(place)
    done = run(verb, place)
    assert done.returncode == 2
    assert "is not a plain file" in done.stderr or "directory" in done.stderr.lower()


def test_a_file_beyond_all_measure_is_not_read(tmp_path: Path) -> None:
    with (place := tmp_path / "large.toml").open("wb") as file:
        file.truncate(2**40)
    done = run("check", place)
    assert done.returncode == 2
    assert "more than a scenario can have" in done.stderr


@pytest.mark.parametrize("arguments", [("list",), ("list", "--json"), ("--help",), ("schema",)])
def test_a_full_device_is_a_message(arguments: tuple[str, ...]) -> None:
    with Path("/dev/full").open("w", encoding="ascii") as full:
        done = run(*arguments, stdout=full.fileno())
    assert done.returncode == 1
    assert done.stderr == "error: stdout cannot be written: No space left on device\n"


def test_a_closed_stdout_is_a_message() -> None:
    done = subprocess.run(
        ["/bin/sh", "-c", 'exec "$@" >&-', "sh", *PROGRAM, "list"],
        stderr=subprocess.PIPE,
        text=True,
        timeout=20,
        check=False,
    )
    assert (done.returncode, done.stderr) == (1, "error: stdout is closed\n")


@pytest.mark.parametrize("sink", ["2>/dev/full", "2>&-"])
def test_messages_that_nobody_takes_are_no_failure_of_their_own(sink: str) -> None:
    shell = ["/bin/sh", "-c", f'exec "$@" {sink}', "sh", *PROGRAM, "run", "no-such-scenario"]
    assert subprocess.run(shell, timeout=20, check=False).returncode == 2


def test_a_pipe_that_closes_is_silent() -> None:
    with subprocess.Popen([*PROGRAM, "schema"], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as pipe:
        assert pipe.stdout is not None
        assert pipe.stderr is not None
        pipe.stdout.close()
        assert pipe.wait(20) == 1
        assert pipe.stderr.read() == b""


def test_no_title_steers_the_terminal(tmp_path: Path) -> None:
    title = r'title = "\u001b]0;mine\u0007 \u009b31m red"'
    place = tmp_path / "steering.toml"
    place.write_text(SMALL.replace('title = "', f'{title}\n# "', 1), encoding="utf-8")
    assert title in place.read_text(encoding="utf-8")
    for arguments in (
        ("run", place, "--store", tmp_path / "store"),
        ("check", place),
        ("check", place, "--set", "links.bottleneck.\x1b[31m=1"),
        ("results", "--store", tmp_path / "store"),
        ("run", place, "--store", tmp_path / "store", "--json"),
    ):
        done = run(*arguments)
        shown = done.stdout + done.stderr
        assert shown, arguments
        assert not set(shown) & {*map(chr, range(9)), "\x1b", "\x07", "\x9b"}, arguments


def descendants(process: int) -> set[int]:
    """The processes that this one, or one of its own, has begun."""
    parents: dict[int, int] = {}
    for place in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            parents[int(place.name)] = int((place / "stat").read_text().rpartition(")")[2].split()[1])
    found: set[int] = set()
    while more := {child for child, parent in parents.items() if parent in found | {process}} - found:
        found |= more
    return found


def lives(process: int) -> bool:
    with suppress(OSError):
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    return False


@pytest.mark.parametrize("sent", [signal.SIGKILL, signal.SIGTERM], ids=lambda sent: sent.name)
@pytest.mark.parametrize("after_s", [1.0, 2.5])
@pytest.mark.parametrize("how", [("--processes", "2"), ("--dask", "local:2")], ids=lambda how: how[0][2:])
def test_workers_end_with_the_command(
    how: tuple[str, str], after_s: float, sent: signal.Signals, small: Path, tmp_path: Path
) -> None:
    store = tmp_path / "store"
    axis = "links.bottleneck.rate=2 Mbit/s,3 Mbit/s,4 Mbit/s,5 Mbit/s"
    command = [*PROGRAM, "sweep", str(small), "--axis", axis, "--replications", "4000"]
    with subprocess.Popen(
        [*command, "--store", str(store), *how, "--quiet"], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    ) as running:
        time.sleep(after_s)
        began = descendants(running.pid)
        running.send_signal(sent)
        running.wait(30)
        assert running.stderr is not None
        assert b"Traceback" not in running.stderr.read()
    end = time.monotonic() + 5.0
    while any(map(lives, began)) and time.monotonic() < end:
        time.sleep(0.05)
    assert began
    assert not [process for process in began if lives(process)]
    if (store / "journal.sqlite").exists():
        done = run("results", "--store", store, "--verify")
        assert done.returncode == 0, done.stderr


def test_what_a_killed_command_left_is_removed_by_the_next(small: Path, tmp_path: Path) -> None:
    def hidden() -> list[Path]:
        return [*tmp_path.rglob(".*.tmp")]

    command = ("run", str(small), "--store", str(tmp_path / "store"), "--report")
    with subprocess.Popen([*PROGRAM, *command], stdout=subprocess.DEVNULL) as running:
        end = time.monotonic() + 20.0
        while not hidden() and time.monotonic() < end:
            time.sleep(0.002)
        running.kill()
    assert hidden()
    done = run(*command)
    assert done.returncode == 0, done.stderr
    assert [*tmp_path.rglob("report.html")]
    assert not hidden()
