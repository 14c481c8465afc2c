"""`--open` and `--watch`."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from conftest import Command
from waiting import HANG_S, Said, killed

SHORT = ("--set", "duration=2 s", "--set", "measure.period=2 s")


@pytest.fixture
def opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """File with the pages that a browser was asked to open; this browser only notes them."""
    browser = tmp_path / "browser"
    browser.write_text(f'#!/bin/sh\necho "$1" >> {tmp_path}/opened\n', encoding="utf-8")
    browser.chmod(0o755)
    monkeypatch.setenv("BROWSER", str(browser))
    return tmp_path / "opened"


@pytest.mark.soak
def test_the_page_is_opened_in_the_browser(
    weir_process: Command, small: Path, opened: Path, tmp_path: Path
) -> None:
    done = weir_process("run", small, *SHORT, "--open")
    assert done.returncode == 0, done.stderr
    page = tmp_path / "results" / "1-small" / "report.html"
    assert page.exists()
    assert "report: results/1-small/report.html" in done.stderr
    assert opened.read_text(encoding="utf-8") == f"{page.as_uri()}\n"
    done = weir_process("report", "1", "--open")
    assert done.stdout == "results/1-small/report.html\n"
    assert opened.read_text(encoding="utf-8") == f"{page.as_uri()}\n" * 2
    done = weir_process("plot", "1", "--kind", "over-time", "--out", "g.svg", "--open")
    assert done.returncode == 0, done.stderr
    assert opened.read_text(encoding="utf-8").splitlines()[-1] == (tmp_path / "g.svg").as_uri()


def test_without_a_browser_the_file_is_named(
    weir_process: Command, small: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "empty").mkdir()
    monkeypatch.setenv("PATH", str(tmp_path / "empty"))
    for name in ("BROWSER", "DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)
    done = weir_process("run", small, *SHORT, "--open", "--quiet")
    assert done.returncode == 0, done.stderr
    assert "no browser could be started: open results/1-small/report.html yourself" in done.stderr


def test_a_saved_scenario_runs_again_and_only_what_is_new(small: Path, tmp_path: Path, opened: Path) -> None:
    arguments = ("compare", "small.toml", "--variants", "drop-tail,red", "--open", "--watch")
    command = [sys.executable, "-m", "weir", *arguments]
    process = subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    with killed(process) as watching:
        assert watching.stdout is not None
        said = Said(watching.stdout.fileno())
        first = said.until("Ctrl-C ends")
        assert "2 runs in" in first
        assert "\x1b" not in first

        text = small.read_text(encoding="utf-8")
        small.write_text(text.replace("max_th", "max_thr"), encoding="utf-8")
        # It may see the file before all of the text is in it.
        said.until("did you mean `max_th`?")
        said.until("Ctrl-C ends")

        new = tmp_path / "new.toml"
        new.write_text(text.replace('max_th = "12 packets"', 'max_th = "14 packets"'), encoding="utf-8")
        new.replace(small)  # as editors save
        last = said.until("Ctrl-C ends")
        assert "1 run in" in last
        assert "1 run found in the store" in last
        assert len(opened.read_text(encoding="utf-8").splitlines()) == 1

        watching.send_signal(signal.SIGINT)
        assert said.rest().strip() == ""
        assert watching.wait(HANG_S) == 0
