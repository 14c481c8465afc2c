"""`weir sweep`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from weir.cli.options import (
    Dask,
    Json,
    Measures,
    NoReport,
    Processes,
    Quiet,
    Seed,
    Set,
    Source,
    StorePath,
    SweepThreads,
    assignments,
    chosen_measures,
    names,
    only_one_kind_of_workers,
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
    variants: Annotated[
        str | None, typer.Option(metavar="NAME,NAME", help="Only these variants. Default: all.")
    ] = None,
    disciplines: Annotated[
        str | None, typer.Option(metavar="LAW,LAW", help="These laws with their defaults, not the variants.")
    ] = None,
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
        str | None, typer.Option(metavar="NAME", help="What to call the sweep. Default: the scenario's name.")
    ] = None,
    store: StorePath = None,
    threads: SweepThreads = None,
    processes: Processes = None,
    dask: Dask = None,
    out: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Where the report goes. Default: results/NAME-sweep."),
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Check every point, say what there would be to do, and stop.")
    ] = False,
    measure: Measures = None,
    no_report: NoReport = False,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Run a scenario over axes. What is finished is kept: the same command does only what is missing."""
    only_one_kind_of_workers(threads, processes, dask)
    if disciplines and variants:
        raise typer.BadParameter("choose variants or disciplines, not both")
    overrides = assignments(set_)
    measures = chosen_measures(measure, ())

    from weir import command, console
    from weir.cli import sweeping
    from weir.scenario import Scenario
    from weir.store import DEFAULT
    from weir.sweeps.define import Wishes, define

    with command.guarded():
        plan = define(
            Scenario.load_with(scenario, overrides),
            Wishes(
                axes=axis,
                samples=samples,
                method=method,
                variants=names(variants),
                disciplines=names(disciplines),
                replications=replications,
                until=until,
                seed=seed,
                name=name,
                fixed=[path for path, _ in overrides],
            ),
        )
        place = store or DEFAULT
        if dry_run:
            sweeping.announce(plan, place, as_json=json)
            return
        target = None if no_report else command.report_target(out, plan.name)
        with command.opened(place, create=True, quiet=quiet) as opened:
            done, tally = sweeping.run(
                plan, opened, threads=threads, processes=processes, dask=dask, quiet=quiet
            )
            chosen = measures or sweeping.shown(plan)
            if json:
                console.print_json({**done.document(chosen), **sweeping.cost(done, tally)})
            else:
                console.print_sweep(done, chosen)
            if target is not None:
                sweeping.write_report(done, target, quiet=quiet)
            if not quiet:
                sweeping.say_end(plan, done, tally, place, target)
