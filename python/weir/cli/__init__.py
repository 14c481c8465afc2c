"""The command line. Data goes to stdout, everything else to stderr.

Verbs of other packages are entry points in the group `weir.commands`: functions that typer can call. What is
listed here is for them: options that all verbs share, and what a verb does around its own work. A
`WeirError` or `ScenarioError` that a verb raises becomes a message and an exit code.
"""

from __future__ import annotations

import sys

from weir.cli._command import (
    INTERRUPTED,
    command_line,
    note,
    opened,
    print_json,
    print_text,
    refuse,
    target,
    writing_pages,
)
from weir.cli._live import following
from weir.cli._options import Json, NoReport, Quiet, StorePath, WorkerChoice, with_groups

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


def main() -> None:
    """The entry point."""
    for stream in (sys.stdout, sys.stderr):
        # A terminal without "±" shows a question mark instead of a traceback.
        stream.reconfigure(errors="replace")  # type: ignore[union-attr]
    from weir.cli._app import app

    try:
        app(prog_name="weir")
    except KeyboardInterrupt:
        sys.exit(130)
