"""`weir show`."""

from __future__ import annotations

from typing import Annotated

import typer

from weir.cli.options import Json


def show(
    discipline: Annotated[
        str,
        typer.Argument(metavar="NAME", help="A discipline, congestion control or recovery: see weir list."),
    ],
    *,
    json: Json = False,
) -> None:
    """Show the reference of a discipline: idea, equations, parameters, deviations, `tc` line.

    For a congestion control or a loss recovery, show its parameters.
    """
    from dataclasses import asdict
    from shutil import get_terminal_size

    from weir.cli import command, console
    from weir.disciplines import find
    from weir.disciplines.text import text_of, text_of_endpoint
    from weir.scenario.declared import endpoints

    with command.guarded():
        if discipline == "python" and not json:
            from weir import aqm

            console.print_text(str(aqm.__doc__).strip())
            return
        parts = endpoints(discipline)
        if parts:
            if json:
                console.print_json({key: asdict(declared) for key, declared in parts.items()})
            else:
                width = get_terminal_size().columns
                texts = (text_of_endpoint(key, declared, width) for key, declared in parts.items())
                console.print_text("\n\n\n".join(texts))
            return
        found = find(discipline)
        if json:
            console.print_json(asdict(found))
        else:
            console.print_text(text_of(found, get_terminal_size().columns))
