"""`weir compare`."""

from __future__ import annotations

from typing import Annotated

import typer

from weir.cli.options import (
    Dask,
    Disciplines,
    Json,
    Measures,
    Processes,
    Quiet,
    Replications,
    Report,
    Seed,
    Set,
    Source,
    StorePath,
    Threads,
    Variants,
    WorkerChoice,
    assignments,
    chosen_measures,
    compared,
    stated_margins,
)


def compare(
    scenario: Source,
    *,
    disciplines: Disciplines = None,
    variants: Variants = None,
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
    store: StorePath = None,
    threads: Threads = None,
    processes: Processes = None,
    dask: Dask = None,
    measure: Measures = None,
    report: Report = False,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Run the variants of a scenario with common seeds and show paired differences."""
    workers = WorkerChoice(threads, processes, dask)
    chosen = compared(variants, disciplines)
    overrides = assignments(set_)
    margins = stated_margins(margin)
    measures = chosen_measures(measure)

    from weir.api import Scenario
    from weir.cli import command, running

    with command.guarded():
        loaded = Scenario.load(scenario, overrides)
        plan = loaded.plan_comparison(replications, seed, *chosen, baseline, margins)
        running.run(plan, store, workers, running.Shown(measures, report=report, json=json, quiet=quiet))
