"""The verbs: those of Weir, and those that other packages add."""

from __future__ import annotations

from contextlib import nullcontext
from importlib.metadata import entry_points
from typing import Annotated

import typer
from typer.core import TyperGroup

from weir.cli import _check as checks
from weir.cli import _command as command
from weir.cli import _init as beginnings
from weir.cli import _others as others
from weir.cli import _results as results
from weir.cli import _runs as runs
from weir.cli import _settings as settings
from weir.cli import _studio as page
from weir.cli import _traffic as measured

GROUP = "weir.commands"
"""Entry points: name of the verb to the function that typer calls."""

PACKAGES = {"reproduce": "weir-papers"}
"""Verbs that a user may look for, and the packages that add them."""


class _Verbs(TyperGroup):
    def invoke(self, ctx: typer.Context) -> object:  # pyright: ignore[reportIncompatibleMethodOverride]
        # Outside of it typer would end without a word.
        with command.guarded(), ctx.obj or nullcontext():
            return super().invoke(ctx)


app = typer.Typer(
    name="weir",
    cls=_Verbs,
    help="A packet simulator for active queue management.",
    no_args_is_help=True,
    add_completion=True,
    pretty_exceptions_enable=False,
    # Help without rich: half the time.
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)
VERBS = {
    "init": beginnings.init,
    "run": runs.run,
    "compare": runs.compare,
    "sweep": runs.sweep,
    "tune": settings.tune,
    "export": settings.export,
    "check": checks.check,
    "results": results.results,
    "report": results.report,
    "plot": results.plot,
    "responses": results.responses,
    "list": others.listing,
    "show": others.show,
    "schema": others.schema,
    "bench": others.bench,
    "studio": page.studio,
}
for name, verb in VERBS.items():
    app.command(name)(verb)
app.add_typer(others.theory, name="theory")
app.add_typer(measured.traffic, name="traffic")


def add_others(app: typer.Typer) -> None:
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
    package = PACKAGES[str(context.info_name)]
    command.refuse(
        f"`weir {context.info_name}` is part of {package}, which is not installed",
        f"run `pip install {package}`, or `pip install ./papers` in a copy of the sources",
    )


add_others(app)


def _version(wanted: bool) -> None:  # noqa: FBT001 - typer's signature
    if wanted:
        from weir import __version__

        typer.echo(f"weir {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    *,
    version: Annotated[
        bool,
        typer.Option("--version", callback=_version, is_eager=True, help="Print the version."),
    ] = False,
) -> None:
    """A packet simulator for active queue management."""
