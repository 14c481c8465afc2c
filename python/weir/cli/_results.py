"""`weir results` and `responses`: what a store has, as tables. Nothing is run."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from shutil import get_terminal_size
from typing import TYPE_CHECKING, Annotated

import typer

from weir._errors import WeirError
from weir.cli import _command as command
from weir.cli._answers import Answer, answered, say
from weir.cli._options import By, Export, Json, Measures, Quiet, StorePath, Which, flag, option

if TYPE_CHECKING:
    from collections.abc import Sequence

    import polars as pl

    from weir.stats import By as Parts
    from weir.store import Record, Store
    from weir.sweep import Rows, Sweep
    from weir.tune import Choice, Front, Tuned


def results(
    which: Which = None,
    *,
    store: StorePath = None,
    where: Annotated[
        str | None, option("CONDITION", "Only these rows, in SQL: \"label = 'RED' and replication < 5\".")
    ] = None,
    sql: Annotated[
        str | None,
        option(
            "QUERY",
            "Ask in SQL. Tables: estimates, observations, links, groups, flows, delays, completions, "
            "transfers, series, results.",
        ),
    ] = None,
    export: Export = None,
    table: Annotated[
        str | None,
        option(
            "NAME",
            "Which rows: a table as for --sql, but not results. Default: estimates; with --where "
            "observations.",
        ),
    ] = None,
    measure: Measures = None,
    by: By = None,
    remove: Annotated[
        bool, flag("--remove", "Remove the result and its directory. Its runs stay: see --prune.")
    ] = False,
    prune: Annotated[
        bool, flag("--prune", "Remove the runs that belong to no result, and say how much it was.")
    ] = False,
    verify: Annotated[
        bool, flag("--verify", "Read every file of the store and compare it with the journal.")
    ] = False,
    rebuild: Annotated[
        bool, flag("--rebuild", "Make a damaged or lost journal anew from what there is.")
    ] = False,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """List, show, filter, query, export and remove stored results."""
    if sql and (where or table):
        raise typer.BadParameter("a query has its own table and condition: leave out --where and --table")
    if remove and which is None:
        raise typer.BadParameter("name the result to remove: weir results 3 --remove")

    from weir import store as stores
    from weir.sweep import query

    if rebuild:
        for sentence in stores.rebuild(store or stores.DEFAULT):
            command.note(f"store: {sentence}")
    with command.opened(store, quiet=quiet) as opened:
        if _of_store(opened, which, remove=remove, prune=prune, verify=verify):
            return
        if not any((where, sql, export, table)):
            _show(opened, which, measure or (), by, as_json=json, quiet=quiet)
            return
        if export is not None and export.suffix.lower() == query.TEX and not any((where, sql, table)):
            _write_tables(opened, which, export, measure or (), by, quiet=quiet)
            return
        found = _rows(opened, which, sql, table, where, measure or (), by)
        say(opened, which, found, quiet=quiet)
        empty = query.EMPTY.get(table or "") if where is None else None
        _show_rows(found.value.frame, export, as_json=json, quiet=quiet, empty=empty)


def _rows(
    store: Store,
    which: str | None,
    sql: str | None,
    table: str | None,
    where: str | None,
    measures: Sequence[str],
    by: Parts | None,
) -> Answer[Rows]:
    """The answer to a query, or the rows of a table."""
    from weir.sweep import Sweep, query

    def ask(record: Record) -> Rows:
        sweep = Sweep(store, record)
        if sql:
            return query.query(store, sweep, sql, measures, by)
        return query.rows(sweep, table, where, measures, by)

    return answered(store, which, ask, lacks=lambda rows: rows.lacking)


def _write_tables(
    store: Store, which: str | None, path: Path, measures: Sequence[str], by: Parts | None, *, quiet: bool
) -> None:
    """A paper has the tables that are shown, not a row for each number."""
    from weir.cli import _tables as tables
    from weir.sweep import Sweep, query

    ask = partial(Sweep, store)
    found = answered(store, which, ask, lacks=lambda sweep: query.without_values(sweep, measures))
    say(store, which, found, quiet=quiet)
    query.export_tables(tables.grids_shown(found.value, measures, by), path)
    if not quiet:
        command.note(str(path))


def _of_store(store: Store, which: str | None, *, remove: bool, prune: bool, verify: bool) -> bool:
    """Verifies a store, removes results or prunes runs. Returns true if no result is to be shown."""
    from weir.sweep import query

    if verify:
        query.verify(store, say=command.note)
    if remove and which is not None:
        command.print_text(query.remove(store, which))
    if prune:
        command.print_text(query.prune(store))
    return remove or prune


def _show(
    store: Store,
    which: str | None,
    measures: Sequence[str],
    by: Parts | None,
    *,
    as_json: bool,
    quiet: bool,
) -> None:
    """Prints one result, or the list of all."""
    from weir.cli import _tables as tables
    from weir.stats import HEADLINE
    from weir.sweep import Sweep, query

    if which is None:
        listed = query.listing(store)
        if as_json:
            command.print_json(listed)
        else:
            tables.print_results(listed, store.versions())
        return

    def ask(record: Record) -> Sweep | Tuned | Front | Choice:
        one = opened_as(store, record)
        if isinstance(one, Sweep):
            # Raises what `one` lacks, before anything is printed.
            one.estimates(measures or None, by=by)
        elif measures or by:
            raise WeirError("it has no tables of measures")
        return one

    def lacks(one: Sweep | Tuned | Front | Choice) -> str | None:
        return query.without_values(one, measures) if isinstance(one, Sweep) else None

    answer = answered(store, which, ask, lacks=lacks)
    say(store, which, answer, quiet=quiet)
    found = answer.value
    if not isinstance(found, Sweep):
        from weir.cli import _tuning as tuning

        tuning.show(found, as_json=as_json)
        return
    if as_json:
        command.print_json(found.document(measures or (HEADLINE if found.axes else None)))
    else:
        tables.print_sweep(found, measures, by=by)
        if found.finished.is_empty():
            return
        command.print_notes(tables.notes_beside(found, measures, by))


def opened_as(store: Store, record: Record) -> Sweep | Tuned | Front | Choice:
    """A result of any kind. Raises WeirError if it has nothing to show."""
    from weir.sweep import TUNING, Sweep

    with store.reading(record) as definition:
        is_tuning = definition["kind"] == TUNING
    if not is_tuning:
        return Sweep(store, record)
    from weir.tune import recorded_answer

    return recorded_answer(store, record)


def responses(
    which: Which = None,
    *,
    band: Annotated[str, option("LOW..HIGH", 'Where the queue belongs: "62.5 kB..375 kB".')],
    link: Annotated[str | None, option("NAME", "Default: the bottleneck.")] = None,
    hold: Annotated[str, option("TIME", "For so long it must stay there.")] = "10 s",
    average: Annotated[str, option("TIME", "Of the moving average, shown beside the samples.")] = "100 ms",
    at: Annotated[
        list[str] | None,
        option("TIME", "Times count from here. May be repeated. Default: when flows or the rate change."),
    ] = None,
    runs: Annotated[bool, flag("--runs", "Every run by itself.")] = False,
    store: StorePath = None,
    export: Export = None,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Show response and settling times after changes of load.

    They are how long the queue takes to return into a band, and to stay there.
    """
    low, dots, high = (part.strip() for part in band.partition(".."))
    if not (low and dots and high):
        raise typer.BadParameter(f"{band!r} is not LOW..HIGH", param_hint="--band")

    from weir.stats import response_times as found
    from weir.sweep import Sweep

    with command.opened(store, quiet=quiet) as opened:

        def ask(record: Record) -> pl.DataFrame:
            sweep = Sweep(opened, record)
            return sweep.responses(low, high, link=link, hold=hold, average=average, at=at)

        answer = answered(opened, which, ask)
        say(opened, which, answer, quiet=quiet)
        rows = answer.value
        if not runs:
            rows = found.estimates(rows)
        if export is not None or json or runs:
            if json or (export is not None and export.suffix == ".json"):
                rows = found.without_infinity(rows)
            _show_rows(rows, export, as_json=json, quiet=quiet)
        else:
            command.print_text(found.text_of(rows, hold, get_terminal_size().columns))


def _show_rows(
    frame: pl.DataFrame, export: Path | None, *, as_json: bool, quiet: bool, empty: str | None = None
) -> None:
    """Rows of a table or query: to a file, as JSON, or as text."""
    from weir.cli import _tables as tables
    from weir.sweep import query

    if frame.is_empty() and not quiet:
        command.note(empty or "no row meets the condition")
    if export is not None:
        query.export(frame, export)
        if not quiet:
            command.note(f"{len(frame):,} rows: {export}")
    elif as_json:
        command.print_json(query.plain(frame))
    else:
        tables.print_frame(frame)
