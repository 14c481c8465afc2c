"""`weir results`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from weir.cli.options import Json, Measures, Quiet, StorePath, SweepName, chosen_measures


def results(
    sweep: SweepName = None,
    *,
    store: StorePath = None,
    where: Annotated[
        str | None,
        typer.Option(
            metavar="CONDITION", help="Only these rows, in SQL: \"label = 'RED' and replication < 5\"."
        ),
    ] = None,
    sql: Annotated[
        str | None,
        typer.Option(
            metavar="QUERY",
            help="Ask in SQL. Tables: estimates, observations, links, groups, flows, delays, completions, "
            "series, sweeps.",
        ),
    ] = None,
    export: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write the rows to FILE: .csv, .parquet or .json."),
    ] = None,
    table: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Which rows: a table as for --sql, but not sweeps. Default: estimates; with --where "
            "observations.",
        ),
    ] = None,
    measure: Measures = None,
    verify: Annotated[
        bool, typer.Option("--verify", help="Read every file of the store and compare it with the journal.")
    ] = False,
    rebuild: Annotated[
        bool,
        typer.Option("--rebuild", help="Make a damaged or lost journal anew from what there is."),
    ] = False,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """List the sweeps in the store; show, filter, query and export the results of one."""
    measures = chosen_measures(measure, ())
    if sql and (where or table):
        raise typer.BadParameter("--sql says it all: leave out --where and --table")

    from weir import command, console
    from weir.store import DEFAULT
    from weir.store import rebuild as rebuilt
    from weir.sweeps import tables as asked

    place = store or DEFAULT
    with command.guarded():
        if rebuild:
            for sentence in rebuilt(place):
                console.note(f"store: {sentence}")
        with command.opened(place, create=False, quiet=quiet) as opened:
            if verify:
                asked.verify(opened, say=console.note)
            if sweep is None and not any((where, sql, export, table)):
                command.show_sweeps(opened, as_json=json)
                return
            chosen = command.found_sweep(opened, sweep)
            if not any((where, sql, export, table)):
                command.show_sweep(chosen, measures, as_json=json)
                return
            if sql:
                frame = asked.query(opened, chosen, sql)
            else:
                frame = asked.rows(opened, chosen, table, where, measures)
            command.show_rows(frame, export, as_json=json, quiet=quiet)
