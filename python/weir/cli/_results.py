"""`weir results`, `report`, `plot` and `responses`: what a store has. Nothing is run."""

from __future__ import annotations

from pathlib import Path
from shutil import get_terminal_size
from typing import TYPE_CHECKING, Annotated

import typer

from weir._errors import WeirError
from weir.cli import _command as command
from weir.cli._answers import Answer, answered, say
from weir.cli._options import Assignment, By, Export, Json, Measures, Open, Quiet, StorePath, Which, option

if TYPE_CHECKING:
    from collections.abc import Sequence

    import polars as pl

    from weir.stats._measures import By as Parts
    from weir.store import Store
    from weir.store import Sweep as Record
    from weir.sweep import Sweep
    from weir.sweep._query import Rows
    from weir.tune._sampled import Front
    from weir.tune._tune import Choice, Tuned

Dimension = Annotated[str | None, option("AXIS", "An axis, by path or last part; variant; users.")]


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
    """List, show, filter, query, export and remove stored results."""
    if sql and (where or table):
        raise typer.BadParameter("a query has its own table and condition: leave out --where and --table")
    if remove and which is None:
        raise typer.BadParameter("name the result to remove: weir results 3 --remove")

    from weir import store as stores
    from weir.sweep import _query as query

    if rebuild:
        for sentence in stores.rebuild(store or stores.DEFAULT):
            command.note(f"store: {sentence}")
    with command.opened(store, quiet=quiet) as opened:
        if verify:
            query.verify(opened, say=command.note)
        if remove or prune:
            if remove and which is not None:
                command.print_text(query.remove(opened, which))
            if prune:
                command.print_text(query.prune(opened))
            return
        if not any((where, sql, export, table)):
            _show(opened, which, measure or (), by, as_json=json, quiet=quiet)
            return
        found = _rows(opened, which, sql, table, where, measure or (), by)
        say(opened, which, found, quiet=quiet)
        _show_rows(found.value.frame, export, as_json=json, quiet=quiet)


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
    from weir.sweep import Sweep
    from weir.sweep import _query as query

    def ask(record: Record) -> Rows:
        sweep = Sweep(store, record)
        if sql:
            return query.query(store, sweep, sql, measures, by)
        return query.rows(store, sweep, table, where, measures, by)

    return answered(store, which, ask, lacks=lambda rows: rows.lacking)


def _show(
    store: Store,
    which: str | None,
    measures: Sequence[str],
    by: Parts | None,
    *,
    as_json: bool,
    quiet: bool,
) -> None:
    """One result, or the list of all."""
    from weir.cli import _tables as tables
    from weir.stats import HEADLINE
    from weir.sweep import Sweep
    from weir.sweep import _query as query

    if which is None:
        listed = query.listing(store)
        if as_json:
            command.print_json(listed)
        else:
            tables.print_results(listed, store.versions())
        return

    def ask(record: Record) -> Sweep | Tuned | Front | Choice:
        one = _opened(store, record)
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


def _opened(store: Store, record: Record) -> Sweep | Tuned | Front | Choice:
    """A result of any kind. Raises WeirError if it has nothing to show."""
    from weir.sweep import Sweep
    from weir.sweep._plan import TUNING

    with store.reading(record) as definition:
        is_tuning = definition["kind"] == TUNING
    if not is_tuning:
        return Sweep(store, record)
    from weir.tune._tune import again

    return again(store, record)


def report(
    which: Which = None,
    *,
    figures: Annotated[
        bool, typer.Option("--figures", help="Write the figures as SVG, PDF and PNG too, into figures/.")
    ] = False,
    theory: Annotated[
        bool, typer.Option("--theory", help="With what the fluid model says, beside the packets.")
    ] = False,
    opens: Open = False,
    store: StorePath = None,
    out: Annotated[Path | None, option("DIR", "Where. Default: results/NUMBER-NAME.", "--out", "-o")] = None,
    quiet: Quiet = False,
) -> None:
    """Write the page of a result, with its figures. Nothing is run: the store has all that it shows."""
    from weir.plot import IMAGES
    from weir.sweep import Sweep

    images = IMAGES if figures else ()
    with command.opened(store, quiet=quiet) as opened:

        def ask(record: Record) -> Sweep | Tuned | Front | Choice:
            one = _opened(opened, record)
            if theory and not isinstance(one, Sweep):
                raise WeirError("theory is drawn beside packets, and this result is of tuning", "weir theory")
            return one

        answer = answered(opened, which, ask)
        say(opened, which, answer, quiet=quiet)
        found = answer.value
        if isinstance(found, Sweep):
            page = command.report(found, out, images, theory=theory, quiet=quiet)
        else:
            from weir.cli import _tuning as tuning

            page = tuning.report(opened, found, images=images, out=out, quiet=quiet)
        command.print_text(str(page))
    if opens:
        command.open_in_browser(page)


def plot(
    which: Which = None,
    *,
    kind: Annotated[
        str | None,
        option(
            "KIND",
            "lines, heat, tradeoff, ellipses, cdf, tail, slowdown, over-time, trend or sensitivity. "
            "Default: every figure that suits the sweep, and a report.",
        ),
    ] = None,
    measure: Annotated[
        str | None,
        option(
            "MEASURE",
            'As in weir list measures, or "goodput of GROUP", "p99 delay of CLASS"; over time what was '
            'recorded, with commas: "queue,cwnd of GROUP,srtt".',
        ),
    ] = None,
    x: Dimension = None,
    y: Annotated[str | None, option("NAME", "Of a heat map an axis; of a trade-off a measure.")] = None,
    family: Dimension = None,
    facet: Dimension = None,
    load: Annotated[str | None, option("AXIS", "Of a trade-off: what grows along a curve.")] = None,
    only: Annotated[
        list[Assignment] | None,
        option("AXIS=VALUE", "Only this level of an axis. May be repeated.", parser=Assignment.parse),
    ] = None,
    title: Annotated[str | None, option("TEXT", "Above the figure, instead of its own.")] = None,
    no_title: Annotated[
        bool, typer.Option("--no-title", help="Neither title nor caption: a paper has its own.")
    ] = False,
    size: Annotated[
        str | None,
        option("WxH", "Of the image: 800x500 (pixels), 8.4x6cm, 3.3x2.5in. Letters keep their size."),
    ] = None,
    x_title: Annotated[str | None, option("TEXT", "Of the horizontal axis, with the unit.")] = None,
    y_title: Annotated[str | None, option("TEXT", "Of the vertical axis, with the unit.")] = None,
    log: Annotated[str | None, option("AXES", "Logarithmic axes: x, y or xy.")] = None,
    legend: Annotated[str | None, option("PLACE", "top, bottom, left, right or none.")] = None,
    store: StorePath = None,
    out: Annotated[
        Path | None,
        option(
            "FILE",
            "Of one figure: .svg, .pdf, .png, .html or .json; of all, a directory. "
            "Default: KIND.svg, results/NUMBER-NAME.",
            "--out",
            "-o",
        ),
    ] = None,
    opens: Annotated[bool, typer.Option("--open", help="Open it in the browser (BROWSER).")] = False,
    quiet: Quiet = False,
) -> None:
    """Draw figures of a result. Nothing is run: the store has all that they show."""
    options = {"measure": measure, "x": x, "y": y, "family": family, "facet": facet, "load": load}
    given = {name: value for name, value in options.items() if value is not None}
    texts = {
        "title": title, "size": size, "x_title": x_title, "y_title": y_title, "log": log, "legend": legend,
    }  # fmt: skip
    style = {name: value for name, value in texts.items() if value is not None}
    if title is not None and no_title:
        raise typer.BadParameter("--title or --no-title, not both")
    named = [name.replace("_", "-") for name in (*given, *style, *(["no-title"] if no_title else []))]
    if kind is None and named:
        raise typer.BadParameter(f"--{named[0]} belongs to a kind of figure: add --kind lines")
    if kind is None and out is not None and out.suffix:
        raise typer.BadParameter(f"{out} is one file, and there are many figures: add --kind lines")

    from weir.plot import IMAGES, Figure, figure
    from weir.sweep import Sweep
    from weir.sweep import _query as query

    with command.opened(store, quiet=quiet) as opened:

        def ask(record: Record) -> tuple[Sweep, Figure | None]:
            sweep = Sweep(opened, record)
            if kind is None:
                return sweep, None
            return sweep, figure(sweep, kind, where=dict(only or ()), **given).styled(**style)

        measures = [one for one in (measure, y if kind == "tradeoff" else None) if one is not None]
        answer = answered(opened, which, ask, lacks=lambda drawn: query.without_values(drawn[0], measures))
        chosen, drawn = answer.value
        if drawn is None or kind is None:
            place = command.report(chosen, out, IMAGES, quiet=quiet)
        else:
            place = out or Path(f"{kind.replace('_', '-')}.svg")
            command.write_file(place, drawn, caption=not no_title)
        if not quiet:
            command.note(f"{place}: {answer.took}")
    if opens:
        command.open_in_browser(place)


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
    runs: Annotated[bool, typer.Option("--runs", help="Every run by itself.")] = False,
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

    from weir.stats import _responses as found
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


def _show_rows(frame: pl.DataFrame, export: Path | None, *, as_json: bool, quiet: bool) -> None:
    """Rows of a table or query: to a file, as JSON, or as text."""
    from weir.cli import _tables as tables
    from weir.sweep import _query as query

    if frame.is_empty() and not quiet:
        command.note("no row meets the condition")
    if export is not None:
        query.export(frame, export)
        if not quiet:
            command.note(f"{len(frame):,} rows: {export}")
    elif as_json:
        command.print_json(query.plain(frame))
    else:
        tables.print_frame(frame)
