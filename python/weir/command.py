"""One command from start to end: errors, exit codes, where results go, what is printed."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import typer

from weir import console
from weir._core import ScenarioError
from weir.errors import LawFailedError, WeirError

if TYPE_CHECKING:
    import polars as pl

    from weir.result import Result
    from weir.store import Store
    from weir.sweeps.view import Sweep

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
        console.note("interrupted; earlier results are as they were")
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


def target(out: Path | None, name: str) -> Path:
    """The results directory, checked before anything runs."""
    directory = out if out is not None else Path("results") / name
    from weir.saved import check_writable

    try:
        check_writable(directory)
    except OSError as error:
        refuse(str(error), "name another directory: --out DIR")
    return directory


@contextmanager
def opened(place: Path, *, create: bool, quiet: bool) -> Generator[Store]:
    """The store; what had to be mended in it is said. Raises StoreError."""
    from weir.store import Store

    with Store.open(place, create=create) as store:
        for repair in store.repairs:
            if not quiet:
                console.note(f"store: {repair}")
        yield store


def found_sweep(store: Store, name: str | None) -> Sweep:
    """The sweep of this name or id, or the latest. Raises StoreError."""
    from weir.sweeps.view import Sweep

    if name is not None:
        return Sweep(store, store.find_sweep(name))
    sweeps = store.sweeps()
    if not sweeps:
        raise WeirError(f"there is no sweep in {store.path}", "weir sweep SCENARIO makes one")
    return Sweep(store, sweeps[-1])


def show_sweeps(store: Store, *, as_json: bool) -> None:
    """What is in a store."""
    from weir.sweeps.tables import listing

    listed = listing(store)
    if as_json:
        console.print_json(listed)
    else:
        console.print_sweeps(listed, store.versions())


def show_sweep(sweep: Sweep, measures: Sequence[str], *, as_json: bool) -> None:
    """What is known of one sweep."""
    from weir.sweeps.tables import SHOWN

    if as_json:
        console.print_json(sweep.document(measures or SHOWN))
    else:
        console.print_sweep(sweep, measures or SHOWN, rows=None)


def show_rows(frame: pl.DataFrame, export: Path | None, *, as_json: bool, quiet: bool) -> None:
    """Rows of a table or query: to a file, as JSON, or as text."""
    from weir.sweeps import tables

    if frame.is_empty() and not quiet:
        console.note("no row meets the condition")
    if export is not None:
        tables.export(frame, export)
        if not quiet:
            console.note(f"{len(frame):,} rows: {export}")
    elif as_json:
        console.print_json(tables.plain(frame))
    else:
        console.print_frame(frame)


def report_target(out: Path | None, name: str) -> Path:
    """Where a sweep's report goes, checked before anything runs."""
    return target(out, f"{name}-sweep")


def written(report: Callable[[Path], Path], directory: Path) -> Path:
    """Writes a report; returns its page."""
    try:
        return report(directory)
    except OSError as error:
        refuse(f"the report: {error}", "the runs are in the store: weir plot draws them again; --out DIR")


def drawn(
    sweep: Sweep, kind: str, options: Mapping[str, str], where: Mapping[str, str], out: Path | None
) -> Path:
    """Writes one figure; returns its file."""
    from weir.charts.render import draw
    from weir.charts.sweep import figure

    path = out if out is not None else Path(f"{kind.replace('_', '-')}.svg")
    try:
        draw(figure(sweep, kind, where=where, **options), path)
    except OSError as error:
        refuse(f"{path} cannot be written: {error.strerror or error}")
    return path


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
