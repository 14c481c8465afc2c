"""The program in hard places: files that are none, streams that take nothing, text that steers a terminal."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from conftest import SMALL
from soak import kills
from soak.kills import descendants
from waiting import HANG_S
from weir import _temporary as temporary
from weir._temporary import temporary_directory, temporary_file
from weir.store._replace import write_whole

PROGRAM = (sys.executable, "-m", "weir")


def run(*arguments: str | Path, **streams: int) -> subprocess.CompletedProcess[str]:
    chosen = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE} | streams
    return subprocess.run([*PROGRAM, *arguments], text=True, timeout=HANG_S, check=False, **chosen)  # type: ignore[call-overload]


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
        timeout=HANG_S,
        check=False,
    )
    assert (done.returncode, done.stderr) == (1, "error: stdout is closed\n")


@pytest.mark.parametrize("sink", ["2>/dev/full", "2>&-"])
def test_messages_that_nobody_takes_are_no_failure_of_their_own(sink: str) -> None:
    shell = ["/bin/sh", "-c", f'exec "$@" {sink}', "sh", *PROGRAM, "run", "no-such-scenario"]
    assert subprocess.run(shell, timeout=HANG_S, check=False).returncode == 2


def test_a_pipe_that_closes_is_silent() -> None:
    with subprocess.Popen([*PROGRAM, "schema"], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as pipe:
        assert pipe.stdout is not None
        assert pipe.stderr is not None
        pipe.stdout.close()
        assert pipe.wait(HANG_S) == 1
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


@pytest.mark.parametrize("sent", ["SIGKILL", pytest.param("SIGTERM", marks=pytest.mark.soak)])
@pytest.mark.parametrize("what", kills.COMMANDS)
def test_a_killed_command_leaves_no_process_and_loses_no_run(
    what: str, sent: str, small: Path, tmp_path: Path
) -> None:
    kills.trial(what, sent, 1, small, tmp_path)


@pytest.mark.soak
def test_what_a_killed_command_left_is_removed_by_the_next(small: Path, tmp_path: Path) -> None:
    def hidden() -> list[Path]:
        return [*tmp_path.rglob(".*.weir-*")]

    command = ("run", str(small), "--store", str(tmp_path / "store"), "--report")
    # Where it comes to its end before anybody has looked, once more.
    for _ in range(50):
        with subprocess.Popen([*PROGRAM, *command], stdout=subprocess.DEVNULL) as running:
            while running.poll() is None and not hidden():
                time.sleep(0.002)
            running.send_signal(signal.SIGSTOP)
            running.kill()
        if hidden():
            break
    assert hidden()
    done = run(*command)
    assert done.returncode == 0, done.stderr
    assert [*tmp_path.rglob("report.html")]
    assert not hidden()


def test_a_file_that_a_killed_command_left_is_removed_by_the_next(tmp_path: Path) -> None:
    def write(name: str, text: str) -> None:
        write_whole(tmp_path / name, lambda place: place.write_text(text))

    (orphan := tmp_path / ".rows.csv.a1b2c3d4.weir-flock.tmp").write_text("half")
    (folder := tmp_path / ".1-small.a1b2c3d4.weir-flock.tmp").mkdir()
    foreign = [tmp_path / ".rows.csv.swp", tmp_path / ".rows.tmp", tmp_path / "rows.tmp"]
    for place in foreign:
        place.write_text("of another program")
    with temporary_file(".used.csv.", tmp_path) as used, temporary_directory(".used.", tmp_path) as also:
        write("other.csv", "whole")
        assert used.exists()
        assert also.exists()
    assert not orphan.exists()
    assert not folder.exists()
    assert all(place.exists() for place in foreign)
    assert (tmp_path / "other.csv").read_text() == "whole"


def interrupted(command: list[str], ready: Callable[[int], bool], *pauses_s: float) -> tuple[int, str]:
    """Exit code and messages of a command that gets Ctrl-C after each pause, with all its processes."""
    with subprocess.Popen(
        [*PROGRAM, *command],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as running:
        end = time.monotonic() + HANG_S
        while not ready(running.pid) and time.monotonic() < end:
            time.sleep(0.002)
        for pause_s in pauses_s:
            time.sleep(pause_s)
            with suppress(ProcessLookupError):
                os.killpg(running.pid, signal.SIGINT)
        return running.wait(HANG_S), running.communicate()[1]


def long_sweep(small: Path, store: Path) -> list[str]:
    axis = "links.bottleneck.rate=2 Mbit/s,3 Mbit/s,4 Mbit/s,5 Mbit/s"
    return ["sweep", str(small), "--axis", axis, "--replications", "4000", "--store", str(store)]


@pytest.mark.parametrize("after_s", [0.0, 0.05, 0.1, 0.2, 0.3, 0.45, 0.6])
def test_ctrl_c_during_imports_is_no_traceback(after_s: float, small: Path, tmp_path: Path) -> None:
    def has_begun(process: int) -> bool:
        with suppress(OSError):
            return "_core.abi3" in Path(f"/proc/{process}/maps").read_text()
        return False

    code, said = interrupted(long_sweep(small, tmp_path / "store"), has_begun, after_s)
    # Python ends by the signal itself where it interrupted code that a module had compiled.
    assert code in {130, -signal.SIGINT}
    assert "interrupted" in said
    assert "Traceback" not in said
    assert "ignored" not in said


@pytest.mark.parametrize("step", ["make_context", "invoke", "main"])
def test_ctrl_c_around_the_verb_is_said(step: str) -> None:
    # While arguments are read, before the verb begins, and when it is over.
    program = f"""
import signal
from typer.core import TyperGroup
from weir.__main__ import main

plain = TyperGroup.{step}

def interrupted(*given, **named):
    try:
        return plain(*given, **named)
    finally:
        signal.raise_signal(signal.SIGINT)

TyperGroup.{step} = interrupted
main()
"""
    done = subprocess.run(
        [sys.executable, "-c", program, "list", "disciplines"],
        capture_output=True,
        text=True,
        timeout=HANG_S,
        check=False,
    )
    assert done.returncode == 130
    assert done.stderr.splitlines()[-1].startswith("interrupted")
    assert "Traceback" not in done.stderr


def test_ctrl_c_in_an_import_is_not_lost(tmp_path: Path) -> None:
    # As modules do that are in part written in another language: what is raised in them goes no further.
    swallowing = (
        "import signal\ntry:\n    signal.raise_signal(signal.SIGINT)\nexcept BaseException:\n    pass\n"
    )
    (tmp_path / "swallowing.py").write_text(swallowing)
    program = f"""
import sys
from typer.core import TyperGroup
from weir.__main__ import main

plain = TyperGroup.invoke

def importing(*given, **named):
    sys.path.insert(0, {str(tmp_path)!r})
    import swallowing
    return plain(*given, **named)

TyperGroup.invoke = importing
main()
"""
    done = subprocess.run(
        [sys.executable, "-c", program, "list", "disciplines"],
        capture_output=True,
        text=True,
        timeout=HANG_S,
        check=False,
    )
    assert (done.returncode, done.stderr) == (130, "interrupted\n")


def test_a_name_too_long_for_a_file_is_one_line() -> None:
    done = run("check", "x" * 5000)
    assert (done.returncode, len(done.stderr.splitlines())) == (2, 1)
    assert "cannot be read" in done.stderr


def test_no_name_is_too_long_for_what_is_temporary(tmp_path: Path) -> None:
    """Between the longest name that a file may have, and one that none may have."""
    longest, none = tmp_path / f"{'é' * 125}.toml", f"{'n' * 256}.toml"
    assert run("init", "access", "-o", longest).returncode == 0
    assert longest.is_file()
    with pytest.raises(OSError, match="File name too long"):
        write_whole(tmp_path / none, lambda place: place.write_text(""))
    # Nor is there anything that the end of the process would look for.
    with pytest.raises(OSError, match="File name too long"), temporary_directory("x", tmp_path / none):
        pass
    assert not [place for place in temporary._OURS if none in str(place)]  # pyright: ignore[reportPrivateUsage]
    assert [*tmp_path.iterdir()] == [longest]


def test_what_is_no_file_is_written_where_it_is(tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to("/dev/full")
    with pytest.raises(OSError, match="No space left"):
        write_whole(link, lambda place: place.write_text("x"))
    assert link.is_symlink()


@pytest.mark.parametrize("again_s", [0.0, pytest.param(0.2, marks=pytest.mark.soak)])
@pytest.mark.parametrize(
    "how",
    [
        pytest.param(("--processes", "2"), id="processes"),
        pytest.param(("--dask", "local:2"), id="dask", marks=pytest.mark.soak),
    ],
)
def test_a_second_ctrl_c_ends_at_once(
    how: tuple[str, str], again_s: float, small: Path, tmp_path: Path
) -> None:
    def is_at_work(process: int) -> bool:
        return len(descendants(process)) >= 3

    command = [*long_sweep(small, tmp_path / "store"), *how]
    code, said = interrupted(command, is_at_work, 1.0, again_s)
    # Where Python is about to end anyway, it ends by the signal itself.
    assert code in {130, -signal.SIGINT}
    assert not {"Traceback", "Error", "ignored", "resource_tracker", "distributed"} & set(
        re.findall(r"\w+", said)
    )
    done = run("results", "--store", tmp_path / "store", "--verify")
    assert done.returncode == 0, done.stderr


def test_ctrl_c_in_a_function_that_polars_calls_ends_at_once() -> None:
    # Polars asks NumPy for its version when it makes its first series, and panics if that raises.
    program = """
import os, signal, sys
import numpy
from numpy.lib import NumpyVersion

def begun(version, *args, plain=NumpyVersion.__init__):
    exec("os.kill(os.getpid(), signal.SIGINT)", {"__name__": name, "os": os, "signal": signal})
    plain(version, *args)

name = "numpy.lib._version"
NumpyVersion.__init__ = begun

from weir import __main__ as program

with program._interruptible():
    import polars
    polars.Series(numpy.arange(3))
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 130, done.stderr
    assert done.stderr == "interrupted\n"
