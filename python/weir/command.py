"""One command from start to end: errors, exit codes, where results go, what is printed."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import typer

from weir import console
from weir._core import ScenarioError

if TYPE_CHECKING:
    from weir.result import Result

BAD_INPUT = 2
INTERRUPTED = 130


@contextmanager
def guarded() -> Generator[None]:
    """Turns what a person did wrong, and Ctrl-C, into a message and an exit code."""
    try:
        yield
    except ScenarioError as error:
        console.print_scenario_error(error)
        raise typer.Exit(BAD_INPUT) from None
    except KeyboardInterrupt:
        console.note("interrupted; earlier results are as they were")
        raise typer.Exit(INTERRUPTED) from None


def refuse(message: str, hint: str | None = None) -> NoReturn:
    """Ends the command: the input cannot be used."""
    console.print_error(message, hint)
    raise typer.Exit(BAD_INPUT)


def target(out: Path | None, name: str) -> Path:
    """The results directory, checked before anything runs."""
    directory = out if out is not None else Path("results") / name
    from weir.saved import check_writable

    try:
        check_writable(directory)
    except OSError as error:
        refuse(str(error), "name another directory: --out DIR")
    return directory


def deliver(
    result: Result,
    directory: Path,
    *,
    report: bool,
    as_json: bool,
    quiet: bool,
    measures: Sequence[str],
) -> None:
    """Prints, saves, and says where. A document names its directory, so that comes first."""
    if not as_json:
        console.print_result(result, measures)
        sys.stdout.flush()
    try:
        result.save(directory, report=report)
    except OSError as error:
        refuse(str(error), "name another directory: --out DIR")
    if as_json:
        console.print_json({**result.document(), "directory": str(directory)})
    if not quiet:
        cost = result.record.cost
        speed = "" if cost.ns_per_packet is None else f", {cost.ns_per_packet:.0f} ns per packet"
        console.note(f"{cost.runs} runs in {cost.wall_s:.1f} s ({cost.cpu_s:.1f} s of CPU{speed})")
        console.note(f"results: {directory / 'report.html' if report else directory}")


def write_text(path: Path, text: str) -> None:
    """Writes a file that a person asked for."""
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        refuse(f"{path} cannot be written: {error.strerror}")


def command_line() -> str:
    """The command as it was typed, to be typed again."""
    return shlex.join(["weir", *sys.argv[1:]])
