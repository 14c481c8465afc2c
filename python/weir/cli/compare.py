"""`weir compare`."""

from __future__ import annotations

from typing import Annotated

import typer

from weir.cli.options import (
    Json,
    Measures,
    NoReport,
    Out,
    Quiet,
    Replications,
    Seed,
    Set,
    Source,
    Threads,
    assignments,
    chosen_measures,
    names,
    stated_margins,
)  # fmt: skip


def compare(
    scenario: Source,
    *,
    disciplines: Annotated[
        str | None,
        typer.Option(metavar="LAW,LAW", help="Compare these laws with their defaults, not the variants."),
    ] = None,
    variants: Annotated[
        str | None, typer.Option(metavar="NAME,NAME", help="Only these variants. Default: all.")
    ] = None,
    baseline: Annotated[
        str | None, typer.Option(metavar="NAME", help="What to compare with. Default: the first.")
    ] = None,
    margin: Annotated[
        list[str] | None,
        typer.Option(
            metavar="MEASURE=VALUE",
            help="Call it equal if the whole interval lies within. May be repeated.",
        ),
    ] = None,
    set_: Set = None,
    replications: Replications = 1,
    seed: Seed = None,
    threads: Threads = 0,
    out: Out = None,
    measure: Measures = None,
    no_report: NoReport = False,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Run the variants of a scenario with common seeds and compare them in pairs."""
    if disciplines and variants:
        raise typer.BadParameter("choose variants or disciplines, not both")
    overrides = assignments(set_)
    margins = stated_margins(margin)
    measures = chosen_measures(measure, ())

    from weir import command, console
    from weir.scenario import Scenario

    with command.guarded():
        loaded = Scenario.load_with(scenario, overrides)
        target = command.target(out, loaded.name)
        laws, chosen = names(disciplines), names(variants)
        arms = len(laws or chosen or loaded.variants)
        with console.progress_bar(arms * replications, quiet=quiet) as progress:
            result = loaded.compare(
                replications,
                seed,
                threads,
                progress,
                variants=chosen,
                disciplines=laws,
                baseline=baseline,
                margins=margins,
                command=command.command_line(),
            )
        command.deliver(result, target, report=not no_report, as_json=json, quiet=quiet, measures=measures)
