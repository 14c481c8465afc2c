"""One command from start to end: errors, exit codes, where results go, what is printed."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import typer

from weir._core import ScenarioError
from weir.cli import console
from weir.errors import LawFailedError, WeirError

if TYPE_CHECKING:
    import polars as pl

    from weir.store import Store
    from weir.sweep.view import Sweep

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
    except LawFailedError as error:
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
        raise typer.Exit(LawFailedError.exit_code) from None


def refuse(message: str, hint: str | None = None) -> NoReturn:
    """Ends the command: the input cannot be used."""
    console.print_error(message, hint)
    raise typer.Exit(BAD_INPUT)


def target(out: Path) -> Path:
    """A directory of pages that the user named, checked before anything runs."""
    from weir.report.directory import check_writable

    try:
        check_writable(out)
    except OSError as error:
        refuse(str(error), "name another directory: --out DIR")
    return out


@contextmanager
def opened(place: Path, *, create: bool, quiet: bool) -> Generator[Store]:
    """The store; what had to be mended in it is said. Raises StoreError."""
    from weir.store import Store

    with Store.open(place, create=create) as store:
        for repair in store.repairs:
            if not quiet:
                console.note(f"store: {repair}")
        yield store


def found(store: Store, which: str | None) -> Sweep:
    """The result of this number, name or id, or the newest. Raises StoreError."""
    from weir.sweep.view import Sweep

    return Sweep(store, store.find_sweep(which))


def report(sweep: Sweep, *, quiet: bool) -> Path:
    """Writes the page of a result into its directory; returns the page. Takes some seconds."""
    if not quiet:
        sys.stdout.flush()
        console.note("drawing the figures ...")
    from weir import report as pages
    from weir.report.directory import REPORT, write_into

    def pages_into(directory: Path) -> Path:
        sweep.store.claim_directory(sweep.record)
        write_into(directory, lambda place: pages.write(sweep, place))
        return directory / REPORT

    return written(pages_into, sweep.directory)


def give_back(store: Store, which: str | None, *, prune: bool) -> None:
    """Removes a result, or the runs that belong to none, or first the one and then the others."""
    from weir.sweep import query

    if which is not None:
        console.print_text(query.remove(store, which))
    if prune:
        console.print_text(query.prune(store))


def show_results(store: Store, *, as_json: bool) -> None:
    """What is in a store."""
    from weir.sweep.query import listing

    listed = listing(store)
    if as_json:
        console.print_json(listed)
    else:
        console.print_results(listed, store.versions())


def show_result(sweep: Sweep, measures: Sequence[str], *, as_json: bool) -> None:
    """What is known of one result."""
    from weir.sweep.query import SHOWN

    chosen = measures or (SHOWN if sweep.axes else ())
    if as_json:
        console.print_json(sweep.document(chosen or None))
    else:
        console.print_sweep(sweep, chosen)


def show_rows(frame: pl.DataFrame, export: Path | None, *, as_json: bool, quiet: bool) -> None:
    """Rows of a table or query: to a file, as JSON, or as text."""
    from weir.sweep import query

    if frame.is_empty() and not quiet:
        console.note("no row meets the condition")
    if export is not None:
        query.export(frame, export)
        if not quiet:
            console.note(f"{len(frame):,} rows: {export}")
    elif as_json:
        console.print_json(query.plain(frame))
    else:
        console.print_frame(frame)


def written(report: Callable[[Path], Path], directory: Path) -> Path:
    """Writes a page; returns it."""
    try:
        return report(directory)
    except OSError as error:
        refuse(f"the page cannot be written: {error}", "the runs are in the store: the same command goes on")


def drawn(
    sweep: Sweep, kind: str, options: Mapping[str, str], where: Mapping[str, str], out: Path | None
) -> Path:
    """Writes one figure; returns its file."""
    from weir.plot import figure, save

    path = out if out is not None else Path(f"{kind.replace('_', '-')}.svg")
    try:
        save(figure(sweep, kind, where=where, **options), path)
    except OSError as error:
        refuse(f"{path} cannot be written: {error.strerror or error}")
    return path


def write_text(path: Path, text: str) -> None:
    """Writes a file that a person asked for."""
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        refuse(f"{path} cannot be written: {error.strerror}")


def command_line() -> str:
    """The command as it was typed, to be typed again."""
    return shlex.join(["weir", *sys.argv[1:]])
