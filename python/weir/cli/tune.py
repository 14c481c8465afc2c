"""`weir tune`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from weir.cli.options import Json, NoReport, Quiet, Seed, Set, Source, StorePath, assignments


def tune(
    scenario: Source,
    *,
    target: Annotated[
        list[str] | None,
        typer.Option(
            metavar="TARGET", help='What is wanted: "p99 delay < 20 ms", "loss < 1%". May be repeated.'
        ),
    ] = None,
    vary: Annotated[
        list[str] | None,
        typer.Option(
            metavar="PARAMETER=LOW..HIGH",
            help='What may be changed for it: "red.max_th=5..50 packets". May be repeated.',
        ),
    ] = None,
    over: Annotated[
        list[str] | None,
        typer.Option(
            metavar="CONDITION=LOW..HIGH",
            help='Where it has to do: "rate=5..50 Mbit/s", "flows=1..100", "rtt=10..200 ms". Up to three.',
        ),
    ] = None,
    variant: Annotated[
        str | None, typer.Option(metavar="NAME", help="Tune this variant. Default: the scenario itself.")
    ] = None,
    set_: Set = None,
    seed: Seed = None,
    front: Annotated[
        bool, typer.Option("--front", help="Not one setting but all of which none beats another (Optuna).")
    ] = False,
    op_red: Annotated[
        bool, typer.Option("--op-red", help="Compare with OP-RED, told the same, while the load changes.")
    ] = False,
    store: StorePath = None,
    threads: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="Threads of this process. Default: one per core.")
    ] = None,
    processes: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="Processes of this machine instead.")
    ] = None,
    dask: Annotated[
        str | None,
        typer.Option(metavar="ADDRESS", help="A Dask cluster instead: tcp://host:8786, or local:4."),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Where the evidence goes. Default: results/NAME-tune."),
    ] = None,
    no_report: NoReport = False,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Find a setting that meets targets, or show that there is none."""
    if sum(choice is not None for choice in (threads, processes, dask)) > 1:
        raise typer.BadParameter("choose one of --threads, --processes and --dask")
    overrides = assignments(set_)

    from weir import command, console
    from weir.scenario import Scenario
    from weir.store import DEFAULT
    from weir.sweeps.execute import chosen_workers
    from weir.tuning.follow import following
    from weir.tuning.text import front_text, text_of
    from weir.tuning.tune import Task, front_of
    from weir.tuning.tune import tune as search

    with command.guarded():
        loaded = Scenario.load_with(scenario, overrides)
        if variant is not None:
            loaded = loaded.variant(variant)
        if seed is not None:
            loaded = loaded.with_seed(seed)
        task = Task.of(loaded, target or (), vary or (), over or (), with_op_red=op_red)
        directory = None if no_report or front else command.target(out, f"{loaded.name}-tune")
        with (
            command.opened(store or DEFAULT, create=True, quiet=quiet) as opened,
            chosen_workers(threads=threads, processes=processes, dask=dask) as workers,
        ):
            if front:
                with following(quiet=quiet) as follow:
                    found = front_of(task, opened, workers, follow)
                console.print_text(front_text(found))
                return
            with following(quiet=quiet) as follow:
                tuned = search(task, opened, workers, follow)
        if json:
            console.print_json(tuned.to_json())
        else:
            console.print_text(text_of(tuned))
        if directory is not None:
            pass
