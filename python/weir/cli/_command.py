"""What surrounds the work of a verb: errors and exit codes, the store, files that the user names."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import typer

from weir._core import ScenarioError
from weir._errors import AqmFailedError, WeirError
from weir.cli import _console as console

if TYPE_CHECKING:
    from weir.plot import Figure
    from weir.store import Store
    from weir.store import Sweep as Record
    from weir.sweep import Sweep

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
    except AqmFailedError as error:
        console.note(error.message)
        raise typer.Exit(error.exit_code) from None
    except WeirError as error:
        console.print_error(error.told, error.hint)
        raise typer.Exit(error.exit_code) from None
    except KeyboardInterrupt:
        console.note("interrupted; finished runs are safe")
        raise typer.Exit(INTERRUPTED) from None
    except Exception as error:
        told = getattr(error, "weir_traceback", None)
        if told is None:
            raise
        console.note(told.rstrip())
        raise typer.Exit(AqmFailedError.exit_code) from None


def refuse(message: str, hint: str | None = None) -> NoReturn:
    """Ends the command: the input cannot be used."""
    console.print_error(message, hint)
    raise typer.Exit(BAD_INPUT)


def target(out: Path) -> Path:
    """A directory of pages that the user named, checked before anything runs."""
    from weir.report._directory import check_writable

    try:
        check_writable(out)
    except OSError as error:
        refuse(str(error), "name another directory: --out DIR")
    return out


@contextmanager
def opened(place: Path | None, *, create: bool = False, quiet: bool) -> Generator[Store]:
    """The store, results/store if None; what had to be mended in it is said. Raises StoreError."""
    from weir.store import DEFAULT, Store

    with Store.open(place or DEFAULT, create=create) as store:
        for repair in store.repairs:
            if not quiet:
                console.note(f"store: {repair}")
        yield store


def found(store: Store, which: str | None) -> Sweep:
    """The result of this number, name or id, or the newest. Raises StoreError."""
    from weir.sweep import Sweep

    return Sweep(store, store.find_sweep(which))


def report(sweep: Sweep, out: Path | None = None, *, quiet: bool) -> Path:
    """Writes the page of a sweep into `out`, or its own directory; returns the page. Takes some seconds."""
    from weir import __version__
    from weir.report import REPORT, replacing, write, write_manifest

    if out is None:
        return write_page(sweep.store, sweep.record, lambda place: write(sweep, place), quiet=quiet)

    def into(directory: Path) -> Path:
        with replacing(directory) as place:
            write(sweep, place)
            write_manifest(place, {"weir": __version__, "sweep": sweep.name})
        return directory / REPORT

    return written(into, target(out))


def write_page(store: Store, record: Record, write: Callable[[Path], object], *, quiet: bool) -> Path:
    """Has the page of a result written into its directory; returns the page."""
    from weir.report._directory import REPORT, write_into

    if not quiet:
        sys.stdout.flush()
        console.note("drawing the figures ...")

    def pages_into(directory: Path) -> Path:
        store.claim_directory(record)
        write_into(directory, write)
        return directory / REPORT

    return written(pages_into, store.directory(record))


def written(report: Callable[[Path], Path], directory: Path) -> Path:
    """Writes a page; returns it."""
    try:
        return report(directory)
    except OSError as error:
        refuse(f"the page cannot be written: {error}", "the runs are in the store: the same command goes on")


def save_figure(figure: Figure, path: Path) -> None:
    """Writes a figure that a person asked for. Raises ChartError for a form that there is not."""
    from weir.plot import save

    try:
        save(figure, path)
    except OSError as error:
        refuse(f"{path} cannot be written: {error.strerror or error}")


def write_text(path: Path, text: str) -> None:
    """Writes a file that a person asked for."""
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        refuse(f"{path} cannot be written: {error.strerror}")


def where_it_is(number: int | None, store: Path | None, *, page: bool = True) -> str:
    """How to open a result."""
    rest = f"{number}" if store is None else f"{number} --store {store}"
    report = f"weir report {rest} writes its page, " if page else ""
    return f"result {number}: {report}weir results {rest} shows it again"


def command_line() -> str:
    """The command as it was typed, to be typed again."""
    return shlex.join(["weir", *sys.argv[1:]])
