"""The verbs: those of Weir, and those that other packages add."""

from __future__ import annotations

from contextlib import nullcontext
from importlib import import_module
from importlib.metadata import entry_points
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from weir.cli import _command as command

GROUP = "weir.commands"
"""Entry points: name of the verb to the function that typer calls."""


class _Verbs(TyperGroup):
    def make_context(self, *arguments: Any, **options: Any) -> Any:  # noqa: ANN401 - as its base has it
        with command.guarded():
            return super().make_context(*arguments, **options)

    def invoke(self, ctx: typer.Context) -> object:  # pyright: ignore[reportIncompatibleMethodOverride]
        # Outside of it typer would end without a word.
        with command.guarded(), ctx.obj or nullcontext():
            return super().invoke(ctx)


VERBS = {
    "init": "_init",
    "run": "_runs",
    "compare": "_runs",
    "live": "_live",
    "sweep": "_runs",
    "tune": "_settings",
    "evaluate": "_evaluate",
    "export": "_settings",
    "check": "_check",
    "lesson": "_lesson",
    "results": "_results",
    "report": "_figures",
    "plot": "_figures",
    "responses": "_results",
    "list": "_others",
    "show": "_others",
    "schema": "_others",
    "studio": "_studio",
}
"""Name of the verb to the file of its function."""

GROUPS = {"theory": ("_theory", "_theory_design", "_theory_rest", "_theory_time"), "traffic": ("_traffic",)}
"""Name of the group to its files: the first has the group, each adds its commands."""


def program(verb: str | None = None) -> typer.Typer:
    """The command line with all verbs, or with this one alone if it is Weir's: reading the options of all
    takes long."""
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
    app.callback()(_options)
    own = VERBS.keys() | GROUPS.keys()
    wanted = {verb} if verb in own else own
    for name, file in VERBS.items():
        if name in wanted:
            app.command(name)(_of(file, "listing" if name == "list" else name))
    for name, (first, *others) in GROUPS.items():
        if name in wanted:
            app.add_typer(_of(first, name), name=name)
            for file in others:
                import_module(f"weir.cli.{file}")
    if wanted == own:
        add_others(app)
    return app


def _of(file: str, name: str) -> Any:  # noqa: ANN401 - a function, or a group
    return getattr(import_module(f"weir.cli.{file}"), name)


def add_others(app: typer.Typer) -> None:
    """Adds the verbs that entry points name, of this package and of others."""
    found = {entry.name: entry for entry in entry_points(group=GROUP)}
    for name, entry in found.items():
        app.command(name)(entry.load())


def _version(wanted: bool) -> None:  # noqa: FBT001 - typer's signature
    if wanted:
        from weir import __version__

        typer.echo(f"weir {__version__}")
        raise typer.Exit


def _options(
    *,
    version: Annotated[
        bool,
        typer.Option("--version", callback=_version, is_eager=True, help="Print the version."),
    ] = False,
) -> None:
    """A packet simulator for active queue management."""
