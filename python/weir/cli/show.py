"""`weir show`."""

from __future__ import annotations

from typing import Annotated

import typer

from weir.cli.options import Json


def show(
    discipline: Annotated[
        str,
        typer.Argument(
            metavar="NAME", help="Of a discipline, a congestion control or a recovery: see weir list."
        ),
    ],
    *,
    json: Json = False,
) -> None:
    """Show what a discipline does: idea, equations, parameters, deviations, its line for tc.

    Of a congestion control or a loss recovery: its parameters.
    """
    from dataclasses import asdict
    from shutil import get_terminal_size

    from weir import command, console, endpoints
    from weir.lineage import find
    from weir.lineage.text import text_of

    with command.guarded():
        if discipline == "python" and not json:
            from weir import laws

            console.print_text(str(laws.__doc__).strip())
            return
        ends = endpoints.find(discipline)
        if ends:
            if json:
                console.print_json(ends)
            else:
                width = get_terminal_size().columns
                shown = (endpoints.text_of(place, entry, width) for place, entry in ends.items())
                console.print_text("\n\n\n".join(shown))
            return
        found = find(discipline)
        if json:
            console.print_json(asdict(found))
        else:
            console.print_text(text_of(found, get_terminal_size().columns))
