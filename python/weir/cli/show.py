"""`weir show`."""

from __future__ import annotations

from typing import Annotated

import typer

from weir.cli.options import Json


def show(
    discipline: Annotated[str, typer.Argument(metavar="NAME", help="Of a discipline: see weir list laws.")],
    *,
    json: Json = False,
) -> None:
    """Show what a discipline does: idea, equations, parameters, deviations, its line for tc."""
    from dataclasses import asdict
    from shutil import get_terminal_size

    from weir import command, console
    from weir.lineage import find
    from weir.lineage.text import text_of

    with command.guarded():
        if discipline == "python" and not json:
            from weir import laws

            console.print_text(str(laws.__doc__).strip())
            return
        found = find(discipline)
        if json:
            console.print_json(asdict(found))
        else:
            console.print_text(text_of(found, get_terminal_size().columns))
