"""`weir theory`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from weir.cli._options import Json, Quiet, Set, assignments

app = typer.Typer(
    help="What the papers say should come out, computed without the simulator.",
    no_args_is_help=True,
    rich_markup_mode=None,
)


@app.callback()
def _theory() -> None:
    """What the papers say should come out, computed without the simulator."""


@app.command("ofc")
def ofc(
    scenario: Annotated[
        str | None,
        typer.Argument(metavar="[SCENARIO]", help="A TOML file, or a bundled scenario: see weir list."),
    ] = None,
    *,
    example: Annotated[
        str | None, typer.Option(metavar="NAME", help="Instead of a scenario: dumbbell or parking-lot.")
    ] = None,
    set_: Set = None,
    at: Annotated[
        float | None,
        typer.Option(metavar="SECONDS", min=0.0, help="With the flows of this instant. Default: the end."),
    ] = None,
    target_utilisation: Annotated[
        float, typer.Option(metavar="SHARE", help="Of every link: above 0, at most 1.")
    ] = 1.0,
    step: Annotated[
        float | None,
        typer.Option(metavar="GAMMA", help="Price per packet. Default: half of what the optimum bears."),
    ] = None,
    steps: Annotated[int, typer.Option(min=1, help="Give up after so many.")] = 100_000,
    asynchronous: Annotated[
        bool,
        typer.Option("--asynchronous", help="Everybody at instants of its own, with old news of others."),
    ] = False,
    seed: Annotated[int, typer.Option(min=0, help="Of those instants and ages.")] = 1,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", metavar="FILE", help="Draw it: .svg, .pdf, .png, .html or .json."),
    ] = None,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Optimisation flow control: rates and prices that its links and sources reach, and the optimum.

    Ends with 1 where they do not reach it.
    """
    if (scenario is None) == (example is None):
        raise typer.BadParameter("name a scenario or --example NAME, and not both")
    overrides = assignments(set_)

    from shutil import get_terminal_size

    from weir import theory
    from weir.cli import _command as command
    from weir.cli import _console as console
    from weir.scenario import Scenario, suggestion
    from weir.theory._text import text_of

    if example is None:
        network = theory.network_of(Scenario.load(str(scenario), overrides), at, target_utilisation)
    elif example in theory.EXAMPLES:
        network = theory.EXAMPLES[example]().with_target(target_utilisation)
    else:
        command.refuse(f"there is no example {example!r}", suggestion(example, list(theory.EXAMPLES)))
    timing = theory.Timing() if asynchronous else None
    study = theory.Study.run(network, step, timing=timing, seed=seed, most=steps)
    if out is not None:
        from weir.plot._theory import convergence

        command.save_figure(convergence(study), out)
    if json:
        console.print_json(study.document())
    else:
        console.print_text(text_of(study, get_terminal_size().columns))
    if out is not None and not quiet:
        console.note(str(out))
    if not study.trajectory.converged:
        if not quiet:
            console.note(
                f"not converged: {study.trajectory.residual:.2g} of a capacity is still missing; "
                "a smaller --step, or more --steps"
            )
        raise typer.Exit(1)
