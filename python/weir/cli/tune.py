"""`weir tune`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from weir.cli.options import (
    Dask,
    Json,
    NoReport,
    Processes,
    Quiet,
    Seed,
    Set,
    Source,
    StorePath,
    Threads,
    WorkerChoice,
    assignments,
)


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
    optuna: Annotated[
        bool, typer.Option("--optuna", help="Let Optuna's default sampler search, as with many parameters.")
    ] = False,
    op_red: Annotated[
        bool, typer.Option("--op-red", help="Compare with OP-RED, told the same, while the load changes.")
    ] = False,
    export: Annotated[
        str | None,
        typer.Option(
            metavar="FORM", help="Print the tuned queue as tc, sqm or wred instead: see weir export."
        ),
    ] = None,
    device: Annotated[str, typer.Option(metavar="NAME", help="Of --export: the network interface.")] = "eth0",
    save: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write the tuned scenario to FILE.")
    ] = None,
    store: StorePath = None,
    threads: Threads = None,
    processes: Processes = None,
    dask: Dask = None,
    out: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Where the evidence goes. Default: results/NAME-tune."),
    ] = None,
    no_report: NoReport = False,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Find a setting that meets targets, or show that there is none."""
    WorkerChoice(threads, processes, dask)
    overrides = assignments(set_)

    from weir.cli import command, console, tuning
    from weir.cli.search import following
    from weir.scenario.scenario import Scenario
    from weir.store import DEFAULT
    from weir.sweep.execute import chosen_workers
    from weir.tune.text import front_text
    from weir.tune.tune import Task, front_of
    from weir.tune.tune import tune as search

    with command.guarded():
        if save is not None and (save.is_dir() or not save.parent.is_dir()):
            command.refuse(f"{save} cannot be written", "name a file in a folder that is there: --save FILE")
        loaded = Scenario.load(scenario, overrides)
        chosen = loaded if variant is None else loaded.variant(variant)
        chosen = chosen if seed is None else chosen.with_seed(seed)
        task = Task.of(chosen, target or (), vary or (), over or (), with_op_red=op_red)
        if front and (export or save or op_red or optuna):
            raise typer.BadParameter(
                "--front gives many settings: leave --export, --save, --op-red, --optuna out"
            )
        if not quiet:
            for sentence in task.space.left_out:
                console.note(f"note: {sentence}")
        if export is not None:
            tuning.check_export(task, export, device)
        directory = (
            None if no_report or front else command.target(out or Path("results") / f"{chosen.name}-tune")
        )
        with (
            command.opened(store or DEFAULT, create=True, quiet=quiet) as opened,
            chosen_workers(threads=threads, processes=processes, dask=dask) as workers,
            following(quiet=quiet) as follow,
        ):
            if front:
                found = front_of(task, opened, workers, follow)
            else:
                tuned = search(task, opened, workers, follow, with_loads=directory is not None, optuna=optuna)
        if front:
            if json:
                console.print_json(found.to_json())  # pyright: ignore[reportPossiblyUnboundVariable]
            else:
                console.print_text(front_text(found))  # pyright: ignore[reportPossiblyUnboundVariable]
            return
        options = [word for path, value in overrides for word in ("--set", f"{path}={value}")]
        options += [] if variant is None else ["--variant", variant]
        tuning.show(
            tuned,  # pyright: ignore[reportPossiblyUnboundVariable]
            tuning.Wanted(scenario, tuple(options), export, device, save, directory, json=json, quiet=quiet),
        )
