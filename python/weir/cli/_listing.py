"""`weir list`, `show` and `schema`: what there is to choose from."""

from __future__ import annotations

from dataclasses import asdict
from shutil import get_terminal_size
from textwrap import fill
from typing import Annotated

import typer

from weir.cli._options import Json


def listing(
    what: Annotated[
        str | None,
        typer.Argument(metavar="[disciplines|congestion|recovery|scenarios|measures]", help="Default: all."),
    ] = None,
    *,
    json: Json = False,
) -> None:
    """List disciplines, congestion controls, loss recoveries, bundled scenarios and measures."""
    from weir.cli import _console as console
    from weir.disciplines._catalogue import CATALOGUE

    if what is not None and what not in CATALOGUE:
        raise typer.BadParameter(f"{what!r}; there are: {', '.join(CATALOGUE)}")
    chosen = {name: CATALOGUE[name]() for name in CATALOGUE if what in {None, name}}
    if json:
        console.print_json(chosen)
        return
    width = max(get_terminal_size().columns, 40)
    blocks: list[str] = []
    for kind, entries in chosen.items():
        longest = max((len(str(entry["name"])) for entry in entries), default=0)
        lines = [
            fill(str(entry["summary"]), width, initial_indent=head, subsequent_indent=" " * len(head))
            for entry in entries
            for head in (f"  {entry['name']!s:{longest}}  ",)
        ]
        blocks.append("\n".join([kind.capitalize(), *lines]))
    console.print_text("\n\n".join(blocks))
    if "disciplines" in chosen:
        console.note("details: weir show NAME; your own AQM in Python: weir show python")


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
    from weir.cli import _console as console
    from weir.disciplines import find
    from weir.disciplines._text import text_of, text_of_endpoint
    from weir.scenario._declared import endpoints

    width = get_terminal_size().columns
    if discipline == "python" and not json:
        from weir import aqm

        console.print_text(str(aqm.__doc__).strip())
    elif parts := endpoints(discipline):
        if json:
            console.print_json({key: asdict(declared) for key, declared in parts.items()})
        else:
            texts = (text_of_endpoint(key, declared, width) for key, declared in parts.items())
            console.print_text("\n\n\n".join(texts))
    elif json:
        console.print_json(asdict(find(discipline)))
    else:
        console.print_text(text_of(find(discipline), width))


def schema() -> None:
    """Print the JSON schema of scenario files, for completion and checks in an editor."""
    from weir import _core
    from weir.cli import _console as console

    console.print_text(_core.schema())
