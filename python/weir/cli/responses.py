"""`weir responses`."""

from __future__ import annotations

from typing import Annotated

import typer

from weir.cli.options import Export, Json, Quiet, StorePath, Which


def responses(
    which: Which = None,
    *,
    band: Annotated[
        str, typer.Option(metavar="LOW..HIGH", help='Where the queue belongs: "62.5 kB..375 kB".')
    ],
    link: Annotated[str | None, typer.Option(metavar="NAME", help="Default: the bottleneck.")] = None,
    hold: Annotated[str, typer.Option(metavar="TIME", help="For so long it must stay there.")] = "10 s",
    average: Annotated[
        str, typer.Option(metavar="TIME", help="Of the moving average, shown beside the samples.")
    ] = "100 ms",
    at: Annotated[
        list[str] | None,
        typer.Option(
            metavar="TIME",
            help="Times count from here. May be repeated. Default: when flows or the rate change.",
        ),
    ] = None,
    runs: Annotated[bool, typer.Option("--runs", help="Every run by itself.")] = False,
    store: StorePath = None,
    export: Export = None,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Show how long a queue takes to return into a band after each change of load."""
    low, dots, high = (part.strip() for part in band.partition(".."))
    if not (low and dots and high):
        raise typer.BadParameter(f"{band!r} is not LOW..HIGH", param_hint="--band")

    from shutil import get_terminal_size

    from weir.cli import command, console
    from weir.stats import responses as found
    from weir.store import DEFAULT

    with command.guarded(), command.opened(store or DEFAULT, create=False, quiet=quiet) as opened:
        sweep = command.found(opened, which)
        rows = sweep.responses(low, high, link=link, hold=hold, average=average, at=at)
        if not runs:
            rows = found.estimates(rows)
        if export is not None or json or runs:
            if json or (export is not None and export.suffix == ".json"):
                rows = found.without_infinity(rows)
            command.show_rows(rows, export, as_json=json, quiet=quiet)
        else:
            console.print_text(found.text_of(rows, hold, get_terminal_size().columns))
