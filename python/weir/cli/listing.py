"""`weir list`."""

from __future__ import annotations

from typing import Annotated

import typer

from weir.cli.options import Json


def listing(
    what: Annotated[
        str | None,
        typer.Argument(metavar="[laws|congestion|recovery|scenarios|measures]", help="Default: all."),
    ] = None,
    *,
    json: Json = False,
) -> None:
    """List laws, congestion controls, loss recoveries, bundled scenarios and measures."""
    from weir import command, console
    from weir.catalogue import CATALOGUE

    if what is not None and what not in CATALOGUE:
        raise typer.BadParameter(f"{what!r}; there are: {', '.join(CATALOGUE)}")
    with command.guarded():
        chosen = {name: CATALOGUE[name]() for name in CATALOGUE if what in {None, name}}
        if json:
            console.print_json(chosen)
        else:
            console.print_catalogue(chosen)
            if "laws" in chosen:
                console.note("more of one: weir show NAME; a law of your own, in Python: weir show python")
