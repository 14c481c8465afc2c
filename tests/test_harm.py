"""Disturbances by others while a command works: locks, kills, full disks, files with odd names and
contents."""

from __future__ import annotations

import fcntl
import os
import re
import select
import signal
import socket
import subprocess
import sys
import threading
import urllib.request
from base64 import b64encode
from contextlib import suppress
from hashlib import sha256
from html import unescape
from pathlib import Path
from types import FrameType
from typing import Any

import polars as pl
import pytest
import typer

from conftest import SMALL, Command
from full_disk import files_up_to
from waiting import HANG_S
from weir import studio
from weir._errors import WeirError
from weir._temporary import remove_orphans, remove_ours, temporary_directory
from weir.cli._command import guarded
from weir.sweep import _query as query


def test_a_lock_of_somebody_else_is_not_waited_for(tmp_path: Path) -> None:
    program = (
        "import sys; from pathlib import Path; from weir._temporary import temporary_directory\n"
        "with temporary_directory('x-', Path(sys.argv[1])) as place: print(place.is_dir())"
    )
    folder = os.open(tmp_path, os.O_RDONLY)
    try:
        fcntl.flock(folder, fcntl.LOCK_EX)
        done = subprocess.run(
            [sys.executable, "-c", program, tmp_path],
            capture_output=True,
            text=True,
            timeout=HANG_S,
            check=False,
        )
    finally:
        os.close(folder)
    assert done.stdout == "True\n", done.stderr
    assert list(tmp_path.iterdir()) == []


def test_what_is_being_made_is_no_orphan(tmp_path: Path) -> None:
    (old := tmp_path / "y.weir-flock.tmp").mkdir()
    with temporary_directory("x-", tmp_path) as place:
        remove_orphans(tmp_path)
        assert place.is_dir()
    assert not old.exists()
    assert list(tmp_path.iterdir()) == []


def test_an_interruption_at_any_step_leaves_nothing_behind(tmp_path: Path) -> None:
    steps = 0

    def step(_frame: FrameType, event: str, _: Any) -> Any:  # noqa: ANN401 - as `sys` has it
        nonlocal steps
        if event == "line":
            steps -= 1
            if steps == 0:
                raise KeyboardInterrupt
        return step

    # Once before: patterns are compiled the first time.
    with temporary_directory("x-", tmp_path) as directory:
        (directory / "half").mkdir()
    at = 0
    while steps <= 0 and at < 5000:
        steps = at = at + 1
        # One place for each: the next one may not tidy up for this one.
        (place := tmp_path / str(at)).mkdir()
        sys.settrace(step)
        try:
            # Python itself may lose an interruption, where it closes a file twice.
            with temporary_directory("x-", place) as directory:
                (directory / "half").mkdir()
        except KeyboardInterrupt:
            pass
        finally:
            sys.settrace(None)
        # What the process does when it ends.
        remove_ours()
        assert list(place.iterdir()) == [], at
    assert 50 < at < 5000


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere it ends when the library lets go")
def test_a_process_that_holds_the_interpreter_ends_with_its_killed_parent() -> None:
    child = (
        "import ctypes, os, sys; from weir.run._processes import end_with_parent; end_with_parent();"
        "os.write(os.open(sys.argv[1], os.O_WRONLY), str(os.getpid()).encode());"
        "ctypes.PyDLL(None).sleep(10000)"  # with the interpreter's lock
    )
    parent = (
        "import sys, time; from weir.run._processes import Process\n"
        f"with Process(['-c', {child!r}, sys.argv[1]]): time.sleep(10000)"
    )
    ours, theirs = os.pipe()
    # A process begins with the pipe to its parent alone, so this one has a name.
    named = f"/proc/{os.getpid()}/fd/{theirs}"
    running = subprocess.Popen([sys.executable, "-c", parent, named])
    try:
        pid = int(os.read(ours, 20))
        watched = os.pidfd_open(pid)
        running.kill()
        ended, _, _ = select.select([watched], [], [], HANG_S)
        os.close(watched)
        assert ended
    finally:
        running.kill()
        running.wait()
        os.close(ours)
        os.close(theirs)


@pytest.mark.parametrize("suffix", [".csv", ".parquet", ".json"])
def test_an_export_without_room_says_so_and_leaves_nothing(tmp_path: Path, suffix: str) -> None:
    frame = pl.DataFrame({"x": pl.int_range(100_000, eager=True).hash()})
    with files_up_to(4096), pytest.raises(WeirError, match=r"cannot be written: .*[Ff]ile"):
        query.export(frame, tmp_path / f"rows{suffix}")
    assert list(tmp_path.iterdir()) == []


def test_what_a_form_cannot_hold_is_said(tmp_path: Path) -> None:
    with pytest.raises(WeirError, match="cannot be written"):
        query.export(pl.DataFrame({"x": [[1, 2]]}), tmp_path / "rows.csv")


FORMULAS = ["=1+1", "+1", "-1", "@x", "\t=1", "\n=1", "\r\n=1", " =1", " \n+1", "\uff1d1+1", "\nx"]


@pytest.mark.parametrize("text", FORMULAS)
def test_no_text_is_a_formula_in_csv(tmp_path: Path, text: str) -> None:
    query.export(
        pl.DataFrame({"label": [text, "plain", None], text: [-1.0, 2.0, 3.0]}), tmp_path / "rows.csv"
    )
    rows = pl.read_csv(tmp_path / "rows.csv")
    assert rows.columns == ["label", f"'{text}"]
    assert rows["label"].to_list() == [f"'{text}", "plain", None]
    assert rows[f"'{text}"].to_list() == [-1.0, 2.0, 3.0]


def test_a_page_runs_its_own_scripts_alone(weir_command: Command, tmp_path: Path) -> None:
    (tmp_path / "small.toml").write_text(SMALL, encoding="utf-8")
    assert weir_command("run", "small.toml", "-q").returncode == 0
    assert weir_command("plot", "1", "--kind", "over-time", "--out", "figure.html").returncode == 0
    page = (tmp_path / "figure.html").read_text(encoding="utf-8")
    (policy,) = re.findall(r'<meta http-equiv="Content-Security-Policy" content="([^"]*)">', page)
    rules = dict(rule.strip().split(" ", 1) for rule in unescape(policy).split(";"))
    assert rules["default-src"] == rules["base-uri"] == rules["form-action"] == "'none'"
    scripts = re.findall(r"<script>(.*?)</script>", page, re.DOTALL)
    sums = {f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'" for text in scripts}
    assert len(sums) == 2
    assert sums | {"'unsafe-eval'"} == set(rules["script-src"].split())


def test_the_studio_is_in_no_frame_and_sends_no_form(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (page := tmp_path / "index.html").write_text("<title>studio</title>", encoding="utf-8")
    monkeypatch.setattr(studio, "PAGE", page)
    with studio.server(0) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        with urllib.request.urlopen(f"http://127.0.0.1:{server.server_port}/") as answer:
            policy = answer.headers["Content-Security-Policy"]
        server.shutdown()
    for rule in ("frame-ancestors 'none'", "base-uri 'none'", "form-action 'none'"):
        assert rule in policy


@pytest.mark.parametrize("said", [b"", b"GET / HT", b"GET / HTTP/1.1\r\nHost: x\r\n"])
def test_the_studio_closes_connections_that_say_nothing(said: bytes) -> None:
    with studio.server(0, idle_s=0.05) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        with socket.create_connection(("127.0.0.1", server.server_port), timeout=HANG_S) as idle:
            idle.sendall(said)
            with suppress(ConnectionResetError):
                while idle.recv(4096):
                    pass
        server.shutdown()


@pytest.mark.parametrize("program", ["/usr/bin/weir", "-m"])
@pytest.mark.parametrize("module", ["typing", "weir._extension", "weir.__main__"])
def test_ctrl_c_in_the_first_instant_is_no_traceback(program: str, module: str) -> None:
    begin = f"""
import signal, sys
class Interrupt:
    def find_spec(self, name, path=None, target=None):
        if name == {module!r}:
            signal.raise_signal(signal.SIGINT)
sys.meta_path.insert(0, Interrupt())
sys.modules.pop("typing", None)
sys.argv[0] = {program!r}
signal.signal(signal.SIGINT, signal.default_int_handler)
import weir.__main__
"""
    done = subprocess.run([sys.executable, "-c", begin], capture_output=True, text=True, check=False)
    assert done.returncode == -signal.SIGINT
    assert done.stderr == ""


def test_who_imports_weir_keeps_ctrl_c() -> None:
    begin = (
        "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); import weir.__main__;"
        "print(signal.getsignal(signal.SIGINT) is signal.default_int_handler)"
    )
    done = subprocess.run([sys.executable, "-c", begin], capture_output=True, text=True, check=False)
    assert done.stdout == "True\n", done.stderr


def test_an_error_that_a_library_makes_of_ctrl_c_is_none(capsys: pytest.CaptureFixture[str]) -> None:
    class PanicError(BaseException):
        """As those of compiled libraries."""

    with pytest.raises(typer.Exit) as ended, guarded():
        raise PanicError("Traceback: in a call back, raise KeyboardInterrupt")
    assert ended.value.exit_code == 130
    assert capsys.readouterr().err == "interrupted; finished runs are safe\n"
