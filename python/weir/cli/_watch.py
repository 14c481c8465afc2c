"""`--watch`: does a command again each time its scenario is saved."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path

import typer

from weir.cli import _command as command

LOOK_S = 0.2
"""Seconds between two checks of the file."""


def watching(source: str, do: Callable[[bool], None], *, watch: bool, quiet: bool) -> None:
    """Runs `do`; with `watch` again each time the file of the scenario is saved, until Ctrl-C.

    `do` is told whether it is the first time. What is wrong with the file is said, and the next version
    of it is waited for.
    """
    if not watch:
        do(True)  # noqa: FBT003
        return
    from weir.scenario import file_of

    file, first = file_of(source), True
    while True:
        seen = _stamp(file)
        if sys.stdout.isatty():
            typer.echo("\x1b[2J\x1b[H", nl=False)
        try:
            with command.guarded():
                do(first)
            first = False
        except typer.Exit as end:
            if end.exit_code == command.INTERRUPTED:
                raise
        command.flush()
        try:
            if not quiet:
                command.note(f"watching {file}: save it and it runs again; Ctrl-C ends")
            while _stamp(file) in {None, seen}:
                time.sleep(LOOK_S)
        except KeyboardInterrupt:
            return


def _stamp(file: Path) -> tuple[int, int, int] | None:
    """State of a file that changes when it is written; None while an editor replaces it."""
    try:
        found = file.stat()
    except FileNotFoundError:
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino
