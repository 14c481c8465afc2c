"""`weir sweep`."""

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
)


def sweep(
    scenario: Source,
    *,
    axis: Annotated[
        list[str] | None,
        typer.Option(
            "--axis",
            "-a",
            metavar="PATH=VALUES",
            help='What varies: "links.bottleneck.rate=5, 10, 20 Mbit/s", "flows.ftp.count=10..50 by 10", '
            '"A=1..100 ms in 7 log"; "A=1, 2; B=10, 20" moves two together. May be repeated. '
            "Default: [sweep.axes] of the scenario.",
        ),
    ] = None,
    samples: Annotated[
        int | None,
        typer.Option(min=1, metavar="N", help="Sample the axes instead of taking every combination."),
    ] = None,
    method: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="How: lhs, sobol, morris or saltelli. Default: lhs."),
    ] = None,
    variants: Variants = None,
    disciplines: Disciplines = None,
    set_: Set = None,
    replications: Annotated[
        int | None,
        typer.Option(
            "--replications", "-n", min=1, help="Of every point; with --until, at most. Default: 1, 100."
        ),
    ] = None,
    until: Annotated[
        list[str] | None,
        typer.Option(
            metavar="RULE",
            help='Replicate each point until the interval is narrow enough: "goodput ±0.5%", '
            '"delay_p99 ±1 ms". May be repeated: all must hold.',
        ),
    ] = None,
    seed: Seed = None,
    name: Annotated[
        str | None, typer.Option(metavar="NAME", help="Of the result. Default: the scenario's name.")
    ] = None,
    store: StorePath = None,
    threads: Threads = None,
    processes: Processes = None,
    dask: Dask = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Check every point, say what there would be to do, and stop.")
    ] = False,
    measure: Measures = None,
    report: Report = False,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Run a scenario over axes. What is finished is kept: the same command does only what is missing."""
    workers = WorkerChoice(threads, processes, dask)
    chosen, instead = compared(variants, disciplines)
    overrides = assignments(set_)
    measures = chosen_measures(measure)

    from weir.api import Scenario
    from weir.cli import command, running
    from weir.sweep.define import SweepSpec, define

    with command.guarded():
        plan = define(
            Scenario.load(scenario, overrides),
            SweepSpec(
                axes=axis,
                samples=samples,
                method=method,
                variants=chosen,
                disciplines=instead,
                replications=replications,
                until=until,
                seed=seed,
                name=name,
                fixed=[path for path, _ in overrides],
            ),
        )
        if dry_run:
            running.announce(plan, store, as_json=json)
        else:
            running.run(plan, store, workers, running.Shown(measures, report=report, json=json, quiet=quiet))
