"""Verbs that other packages add."""

from __future__ import annotations

from importlib.metadata import entry_points

import typer

GROUP = "weir.commands"
"""Entry points: name of the verb to the function that typer calls."""

PACKAGES = {"reproduce": "weir-papers"}
"""Verbs that a user may look for, and the packages that add them."""


def add_to(app: typer.Typer) -> None:
    """Adds the verbs of the installed packages; for a known verb without its package, a hint."""
    found = {entry.name: entry for entry in entry_points(group=GROUP)}
    for name, entry in found.items():
        app.command(name)(entry.load())
    for name in PACKAGES.keys() - found.keys():
        app.command(
            name,
            hidden=True,
            context_settings={"ignore_unknown_options": True, "allow_extra_args": True},
        )(_missing)


def _missing(context: typer.Context) -> None:
    from weir.cli import console

    name = str(context.info_name)
    package = PACKAGES[name]
    console.print_error(
        f"`weir {name}` is part of {package}, which is not installed",
        f"run `pip install {package}`, or `pip install ./papers` in a copy of the sources",
    )
    raise typer.Exit(2)
