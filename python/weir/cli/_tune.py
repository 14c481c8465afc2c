"""`weir tune`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from weir.cli._options import (
    Json,
    Quiet,
    Report,
    Seed,
    Set,
    Source,
    StorePath,
    WorkerChoice,
    assignments,
    with_groups,
)


@dataclass(frozen=True)
class Wanted:
    """What is made of the answer."""

    export: Annotated[
        str | None,
        typer.Option(
            metavar="FORM", help="Print the tuned queue as tc, sqm or wred instead: see weir export."
        ),
    ] = None
    device: Annotated[str, typer.Option(metavar="NAME", help="Of --export: the network interface.")] = "eth0"
    save: Annotated[Path | None, typer.Option(metavar="FILE", help="Write the tuned scenario to FILE.")] = (
        None
    )
    report: Report = False
    json: Json = False
    quiet: Quiet = False


@with_groups
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
    store: StorePath = None,
    workers: WorkerChoice,
    wanted: Wanted,
) -> None:
    """Find a setting that meets targets, or show that there is none. The result gets a number."""
    overrides = assignments(set_)
    if front and (wanted.export or wanted.save or wanted.report or op_red or optuna):
        raise typer.BadParameter(
            "--front gives many settings: leave --export, --save, --op-red, --optuna, --report out"
        )

    from weir.cli import _command as command
    from weir.cli import _console as console
    from weir.cli import _tuning as tuning
    from weir.export import export
    from weir.scenario._scenario import Scenario
    from weir.sweep import chosen_workers
    from weir.tune._tune import Question, Task, front_of
    from weir.tune._tune import tune as search

    save = wanted.save
    if save is not None and (save.is_dir() or not save.parent.is_dir()):
        command.refuse(f"{save} cannot be written", "name a file in a folder that is there: --save FILE")
    chosen = Scenario.load(scenario, overrides)
    chosen = chosen if variant is None else chosen.variant(variant)
    chosen = chosen if seed is None else chosen.with_seed(seed)
    question = Question(
        target or (), vary or (), over or (),
        scenario, with_op_red=op_red, with_loads=wanted.report, optuna=optuna, front=front,
    )  # fmt: skip
    task = Task.of(chosen, question)
    if wanted.export is not None:
        # What cannot be exported is refused before any run.
        export(task.scenario, None, wanted.export, wanted.device)  # type: ignore[arg-type] # checked there
    for sentence in () if wanted.quiet else task.space.left_out:
        console.note(f"note: {sentence}")
    with command.opened(store, create=True, quiet=wanted.quiet) as opened:
        with chosen_workers(**workers.options) as chosen_by, tuning.following(quiet=wanted.quiet) as follow:
            found = (front_of if front else search)(task, opened, chosen_by, follow, command.command_line())
        tuning.finish(found, opened, store, wanted)
