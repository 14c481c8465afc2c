"""`weir results`."""

from __future__ import annotations

from typing import Annotated

import typer

from weir.cli.options import Export, Json, Measures, Quiet, StorePath, Which, chosen_measures


def results(
    which: Which = None,
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
            "series, results.",
        ),
    ] = None,
    export: Export = None,
    table: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Which rows: a table as for --sql, but not results. Default: estimates; with --where "
            "observations.",
        ),
    ] = None,
    measure: Measures = None,
    remove: Annotated[
        bool,
        typer.Option("--remove", help="Remove the result and its directory. Its runs stay: see --prune."),
    ] = False,
    prune: Annotated[
        bool,
        typer.Option("--prune", help="Remove the runs that belong to no result, and say how much it was."),
    ] = False,
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
    """List the results in the store; show, filter, query and export one; give space back."""
    measures = chosen_measures(measure)
    if sql and (where or table):
        raise typer.BadParameter("a query has its own table and condition: leave out --where and --table")
    if remove and which is None:
        raise typer.BadParameter("name the result to remove: weir results 3 --remove")

    from weir.cli import command, console
    from weir.store import DEFAULT
    from weir.store import rebuild as rebuilt
    from weir.sweep import query

    place = store or DEFAULT
    with command.guarded():
        if rebuild:
            for sentence in rebuilt(place):
                console.note(f"store: {sentence}")
        with command.opened(place, create=False, quiet=quiet) as opened:
            if verify:
                query.verify(opened, say=console.note)
            if remove or prune:
                command.give_back(opened, which if remove else None, prune=prune)
                return
            rows = any((where, sql, export, table))
            if which is None and not rows:
                command.show_results(opened, as_json=json)
                return
            chosen = command.found(opened, which)
            if not rows:
                command.show_result(chosen, measures, as_json=json)
                return
            if sql:
                frame = query.query(opened, chosen, sql)
            else:
                frame = query.rows(opened, chosen, table, where, measures)
            command.show_rows(frame, export, as_json=json, quiet=quiet)
