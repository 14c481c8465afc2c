"""`weir run`."""

from __future__ import annotations

from typing import Annotated

import typer

from weir.cli.options import (
    Dask,
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
    WorkerChoice,
    assignments,
    chosen_measures,
)


def run(
    scenario: Source,
    *,
    set_: Set = None,
    replications: Replications = 1,
    seed: Seed = None,
    capture: Annotated[
        list[str] | None,
        typer.Option(
            metavar="LINK[:reverse][:in][=FILE]",
            help="Write the packets of a link as pcapng, of the first replication. May be repeated.",
        ),
    ] = None,
    store: StorePath = None,
    threads: Threads = None,
    processes: Processes = None,
    dask: Dask = None,
    measure: Measures = None,
    report: Report = False,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Run a scenario and show what was measured. The result gets a number, and is kept."""
    workers = WorkerChoice(threads, processes, dask)
    overrides = assignments(set_)
    measures = chosen_measures(measure)

    from weir.api import Scenario
    from weir.cli import command, console, running
    from weir.run.captures import parsed

    with command.guarded():
        loaded = Scenario.load(scenario, overrides)
        plan = loaded.plan_run(replications, seed)
        captures = parsed(capture or (), loaded.core)
        shown = running.Shown(measures, report=report, json=json, quiet=quiet)
        running.run(plan, store, workers, shown, captures)
        if loaded.variants and not quiet:
            console.note(f"{loaded.name} has {len(loaded.variants)} variants: weir compare {scenario}")
