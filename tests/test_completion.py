"""Completions in the shell, and the manual page."""

from __future__ import annotations

import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import man
import pytest

from conftest import Command

PAGE = Path(__file__).parents[1] / "crates/weir-python/data/data/share/man/man1/weir.1"


@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        ("weir com", ["compare"]),
        ("weir run rem-w", ["rem-wireline"]),
        ("weir run sm", ["small.toml"]),
        ("weir run web --rep", ["--replications", "--report"]),
        ("weir compare small.toml --variants ", ["drop-tail", "red", "rem"]),
        ("weir compare small.toml --variants red,", ["red,drop-tail", "red,rem"]),
        ("weir compare web --baseline co", ["codel"]),
        ("weir check nowhere.toml --variant ", []),
        ("weir compare web --disciplines red,fq-", ["red,fq-codel", "red,fq-pie"]),
        ("weir run web --measure delay_p9", ["delay_p95", "delay_p99", "delay_p999"]),
        ("weir list tr", ["traffic"]),
        ("weir show poi", ["poisson"]),
        ("weir init l", ["l4s"]),
        ("weir results ", ["2", "1"]),
        ("weir report --store nowhere ", []),
    ],
)
def test_what_is_typed_is_completed(
    typed: str, offered: list[str], weir_command: Command, small: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if "results" in typed:
        for seed in ("1", "2"):
            weir_command("run", small, "--set", "duration=2 s", "--seed", seed, "--quiet")
    monkeypatch.setenv("COMP_WORDS", typed)
    monkeypatch.setenv("COMP_CWORD", str(len(typed.split()) - (not typed.endswith(" "))))
    monkeypatch.setenv("_WEIR_COMPLETE", "complete_bash")
    done = weir_command()
    assert done.stdout.split() == offered
    assert "Traceback" not in done.stderr


def test_the_shell_is_told_how() -> None:
    weir = shlex.quote(str(Path(sys.executable).with_name("weir")))
    # The shell is found by the process that calls: it must not make room for the command.
    done = subprocess.run(
        ["bash", "-c", f"{weir} --show-completion; true"], capture_output=True, text=True, check=True
    )
    assert "_WEIR_COMPLETE" in done.stdout, done.stderr


def test_the_manual_page_is_that_of_the_commands() -> None:
    assert PAGE.read_text(encoding="utf-8") == man.page(), "make pages"


@pytest.mark.skipif(shutil.which("groff") is None, reason="no groff")
def test_the_manual_page_can_be_read() -> None:
    done = subprocess.run(
        ["groff", "-man", "-Tutf8", "-P-cbou", "-ww", str(PAGE)], capture_output=True, text=True, check=True
    )
    assert done.stderr == ""
    assert "--disciplines NAME,NAME" in done.stdout
