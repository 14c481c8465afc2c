"""`weir list`."""

from __future__ import annotations

from typing import Annotated

import typer

from weir.cli.options import Json


def listing(
    what: Annotated[
        str | None,
        typer.Argument(metavar="[disciplines|congestion|recovery|scenarios|measures]", help="Default: all."),
    ] = None,
    *,
    json: Json = False,
) -> None:
    """List disciplines, congestion controls, loss recoveries, bundled scenarios and measures."""
    from weir.cli import command, console
    from weir.disciplines.catalogue import CATALOGUE

    if what is not None and what not in CATALOGUE:
        raise typer.BadParameter(f"{what!r}; there are: {', '.join(CATALOGUE)}")
    with command.guarded():
        chosen = {name: CATALOGUE[name]() for name in CATALOGUE if what in {None, name}}
        if json:
            console.print_json(chosen)
        else:
            console.print_catalogue(chosen)
            if "disciplines" in chosen:
                console.note("details: weir show NAME; your own AQM in Python: weir show python")
