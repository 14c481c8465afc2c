"""The command line: one file per verb. Data goes to stdout, everything else to stderr."""

from __future__ import annotations

import os
import sys
from typing import Annotated

import typer

from weir.cli import (
    bench,
    compare,
    export,
    listing,
    others,
    plot,
    report,
    responses,
    results,
    run,
    schema,
    show,
    sweep,
    theory,
    tune,
)

app = typer.Typer(
    name="weir",
    help="A packet simulator for active queue management.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    # Help without rich: half the time.
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command("run")(run.run)
app.command("compare")(compare.compare)
app.command("sweep")(sweep.sweep)
app.command("tune")(tune.tune)
app.command("export")(export.export)
app.command("results")(results.results)
app.command("report")(report.report)
app.command("plot")(plot.plot)
app.command("responses")(responses.responses)
app.command("list")(listing.listing)
app.command("show")(show.show)
app.command("schema")(schema.schema)
app.command("bench")(bench.bench)
app.add_typer(theory.app, name="theory")
others.add_to(app)


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


def main() -> None:
    """The entry point."""
    # Nothing here is linear algebra, and threads that wait for some cost time.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    for stream in (sys.stdout, sys.stderr):
        # A terminal without "±" shows a question mark instead of a traceback.
        stream.reconfigure(errors="replace")  # type: ignore[union-attr]
    try:
        app(prog_name="weir")
    except KeyboardInterrupt:
        sys.exit(130)
