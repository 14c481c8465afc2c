"""The command line. Data goes to stdout, everything else to stderr.

Verbs of other packages are entry points in the group `weir.commands`: functions that typer can call. What is
listed here is for them: options that all verbs share, and what a verb does around its own work. A
`WeirError` or `ScenarioError` that a verb raises becomes a message and an exit code.
"""

from __future__ import annotations

import os
import sys
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from weir._lazy import first_use
from weir._printable import cut
from weir.cli._command import (
    BAD_INPUT,
    INTERRUPTED,
    command_line,
    note,
    opened,
    print_error,
    print_json,
    print_text,
    refuse,
    target,
    unwritable,
    writing_pages,
)
from weir.cli._options import Json, NoReport, Quiet, StorePath, WorkerChoice, with_groups
from weir.cli._progress import following

if TYPE_CHECKING:
    from weir.cli._app import GROUPS, VERBS, program
    from weir.cli._templates import templates

__all__ = [
    "INTERRUPTED",
    "Json",
    "NoReport",
    "Quiet",
    "StorePath",
    "WorkerChoice",
    "command_line",
    "following",
    "main",
    "note",
    "opened",
    "print_json",
    "print_text",
    "refuse",
    "target",
    "with_groups",
    "writing_pages",
]

__getattr__ = first_use(__name__)


def load() -> typer.Typer:
    """Loads the verb that is asked for, or all verbs, with everything that they import."""
    from weir.cli._app import program

    return program(next(iter(sys.argv[1:]), None))


def main(interruptible: AbstractContextManager[None] | None = None, app: typer.Typer | None = None) -> None:
    """The entry point. Within `interruptible` the verb works: Ctrl-C may raise KeyboardInterrupt there. `app`
    is what `load` has loaded."""
    _check_streams()
    _check_arguments()
    try:
        (app or load())(prog_name="weir", obj=interruptible)
    except OSError as error:
        # Of a file there would be the name.
        if error.filename is not None:
            raise
        unwritable(error)
    finally:
        try:
            sys.stdout.flush()
        except OSError as error:
            unwritable(error)


def _check_arguments() -> None:
    """Refuses arguments that are not UTF-8: scenarios, stores and pages cannot hold them."""
    for argument in sys.argv[1:]:
        try:
            argument.encode()
        except UnicodeEncodeError:
            print_error(
                f"{cut(ascii(argument))} is not UTF-8", "give the file another name, or set LC_ALL=C.UTF-8"
            )
            sys.exit(BAD_INPUT)


def _check_streams() -> None:
    """Checks that stdout is open: the next file opened would reuse the descriptor of a closed stream."""
    if sys.stderr is None:  # pyright: ignore[reportUnnecessaryComparison]
        sys.stderr = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115
    if sys.stdout is None:  # pyright: ignore[reportUnnecessaryComparison]
        sys.stderr.write("error: stdout is closed\n")
        sys.exit(1)
    for stream in (sys.stdout, sys.stderr):
        # A terminal without "±" shows a question mark instead of a traceback.
        stream.reconfigure(errors="replace")  # type: ignore[union-attr]
