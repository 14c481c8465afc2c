"""`weir theory`: what theory predicts, without the simulator."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from shutil import get_terminal_size
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer

from weir.cli import _command as command
from weir.cli import _complete as completed
from weir.cli._options import Json, Loading, Quiet, Source, StorePath, flag, option, with_groups

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import polars as pl

    from weir.plot import Curve
    from weir.scenario import Scenario
    from weir.theory import Analysis, TheoryError

T = TypeVar("T")

theory = typer.Typer(
    help="Compute what theory predicts, without the simulator.",
    no_args_is_help=True,
    rich_markup_mode=None,
)

At = Annotated[
    float | None,
    option("SECONDS", "With load, rate and parameters of this instant. Default: the end.", min=0.0),
]
Variant = Annotated[
    str | None, option("NAME", "Of the scenario's variants. Default: all.", autocompletion=completed.variant)
]
LinkName = Annotated[str | None, option("NAME", "The queue of this link. Default: the bottleneck.")]
Cut = Annotated[
    float,
    option(
        "B",
        "What a signal takes of a window in the fluid: 2/3 agrees with packets, papers have 0.5.",
        min=0.01,
        max=0.99,
    ),
]
Out = Annotated[Path | None, option("FILE", "Draw it: .svg, .pdf, .png, .html or .json.", "--out", "-o")]
Beside = Annotated[
    str | None, option("RESULT", "Draw the packets of this result of the same scenario: number, name or id.")
]
CUT = 2.0 / 3.0


@dataclass(frozen=True)
class Output:
    """Options on what is drawn and printed."""

    out: Out = None
    json: Json = False
    quiet: Quiet = False

    def check(self) -> None:
        """Refuses a file of the drawing where it cannot be."""
        command.check_file(self.out, "--out")

    def needs_drawing(self, **stated: str | None) -> None:
        """Refuses options of a drawing where none is asked for."""
        for name, value in stated.items():
            if value is not None and self.out is None:
                command.refuse(f"--{name} is about a drawing, and none is asked for", "-o FILE")

    def say_file(self) -> None:
        """Says where the drawing is."""
        if self.out is not None and not self.quiet:
            command.note(str(self.out))


@theory.callback()
def _theory() -> None:
    """Compute what theory predicts, without the simulator."""


def variants_of(scenario: Scenario, variant: str | None) -> list[tuple[str, Scenario]]:
    """Labels and scenarios to analyse: one variant, all of them, or the scenario itself where it has none."""
    if variant is not None:
        return [(variant, scenario.variant(variant))]
    return [(name, scenario.variant(name)) for name in scenario.variants] or [(scenario.name, scenario)]


def modelled(
    variants: Sequence[tuple[str, Scenario]], model: Callable[[str, Scenario], T]
) -> tuple[list[T], list[tuple[str, TheoryError]]]:
    """The results of `model` for the variants, and the errors of those without. Raises TheoryError if all
    have errors."""
    from weir.theory import TheoryError

    found: list[T] = []
    refused: list[tuple[str, TheoryError]] = []
    for label, one in variants:
        try:
            found.append(model(label, one))
        except TheoryError as error:
            refused.append((label, error))
    if not found:
        raise refused[0][1]
    return found, refused


def without_model(refused: Sequence[tuple[str, TheoryError]]) -> list[dict[str, Any]]:
    """Documents of the variants without a model."""
    return [{"variant": label, "no_model": error.message} for label, error in refused]


@theory.command("loop")
@with_groups
def loop(
    scenario: Source,
    *,
    variant: Variant = None,
    at: At = None,
    link: LinkName = None,
    loading: Loading,
    cut: Cut = CUT,
    simple: Annotated[
        bool, flag("--simple", "With the plant as Hollot and others simplify it, to compare with papers.")
    ] = False,
    kind: Annotated[
        str | None, option("KIND", "Of the drawing: bode, nyquist or spectrum. Default: bode.")
    ] = None,
    beside: Beside = None,
    store: StorePath = None,
    output: Output,
) -> None:
    """Operating point, margins, roots, period and deviation of a queue and its senders.

    One row for each variant, with what makes a prediction doubtful there. Ends with 2 where there is no
    model.
    """
    from weir.theory import Analysis, TheoryError, analyse, system_of, text_of_loops

    output.check()
    if kind not in {None, "bode", "nyquist", "spectrum"}:
        raise typer.BadParameter(f"{kind!r}; there are: bode, nyquist, spectrum", param_hint="--kind")
    output.needs_drawing(kind=kind, beside=beside)
    if beside is not None and kind != "spectrum":
        command.refuse("only a spectrum has that of packets beside it", "--kind spectrum")
    loaded = loading.load(scenario)
    rows: list[tuple[str, Analysis | TheoryError]] = []
    for label, one in variants_of(loaded, variant):
        try:
            reading = system_of(one, at, link=link, cut=cut)
            rows.append((label, analyse(reading.system, reading.flags, simple=simple)))
        except TheoryError as error:
            rows.append((label, error))
    found = [(label, one) for label, one in rows if isinstance(one, Analysis)]
    if not found and isinstance(first := rows[0][1], TheoryError):
        raise first
    if output.out is not None:
        from weir.plot import LOOP_FIGURES, spectrum

        if beside is not None:
            drawn = spectrum(loaded.name, found, _spectra(loaded, found, packets_of(beside, store), link))
        else:
            drawn = LOOP_FIGURES[kind or "bode"](loaded.name, found)
        command.write_file(output.out, drawn)
    if output.json:
        command.print_json([_document(label, one) for label, one in rows])
    else:
        instant = loaded.duration if at is None else at
        title = f"{loaded.name} at {instant:g} s: the loop of queue and senders"
        command.print_text(text_of_loops(title, rows, get_terminal_size().columns))
    output.say_file()


def packets_of(result: str, store: Path | None) -> pl.DataFrame:
    """The series of all replications of a result. Refuses one without."""
    from weir.stats import HOW_TO_ASK, NO_SERIES
    from weir.sweep import Sweep

    with command.opened(store, quiet=True) as opened:
        found = Sweep(opened, opened.find_sweep(result)).series_of(every=True)
    if found.is_empty():
        command.refuse(NO_SERIES, HOW_TO_ASK)
    return found


def _spectra(
    loaded: Scenario, rows: Sequence[tuple[str, Analysis]], packets: pl.DataFrame, link: str | None
) -> list[Curve]:
    """Spectra of the queue of each variant that the result has, without the warm-up."""
    import polars as pl

    from weir import _core
    from weir.plot import measured_spectrum
    from weir.stats import component_of

    warm_up = _core.quantity(loaded.core.value("measure.warm_up"))[0]
    queue = packets.filter(
        pl.col("component").cast(pl.String) == component_of(link or loaded.network.bottleneck.name),
        pl.col("variable").cast(pl.String) == "queue",
        pl.col("time_s") >= warm_up,
    )
    curves: list[Curve] = []
    for label, one in rows:
        mine = queue.filter(pl.col("variant").cast(pl.String) == label)
        # A run has one variant, the scenario itself.
        chosen = queue if mine.is_empty() and len(rows) == 1 else mine
        if not chosen.is_empty():
            curves.append(measured_spectrum(chosen, label, one))
    return curves


def _document(label: str, one: Any) -> dict[str, Any]:  # noqa: ANN401 - an analysis or an error
    from weir.theory import TheoryError

    if isinstance(one, TheoryError):
        return {"variant": label, "no_model": one.message, "hint": one.hint}
    return {"variant": label, **one.document()}


@theory.command("ofc")
@with_groups
def ofc(
    scenario: Annotated[
        str | None,
        typer.Argument(metavar="[SCENARIO]", help="A TOML file, or a bundled scenario: see weir list."),
    ] = None,
    *,
    example: Annotated[str | None, option("NAME", "Instead of a scenario: dumbbell or parking-lot.")] = None,
    loading: Loading,
    at: Annotated[
        float | None, option("SECONDS", "With the flows of this instant. Default: the end.", min=0.0)
    ] = None,
    target_utilisation: Annotated[float, option("SHARE", "Of every link: above 0, at most 1.")] = 1.0,
    step: Annotated[
        float | None, option("GAMMA", "Price per packet. Default: half of what the optimum bears.")
    ] = None,
    steps: Annotated[int, option("N", "Give up after so many.", min=1)] = 100_000,
    asynchronous: Annotated[
        bool, flag("--asynchronous", "Everybody at instants of its own, with old news of others.")
    ] = False,
    seed: Annotated[int, option("N", "Of those instants and ages.", min=0)] = 1,
    output: Output,
) -> None:
    """Optimisation flow control: rates and prices that its links and sources reach, and the optimum.

    Ends with 1 where they do not reach it.
    """
    if (scenario is None) == (example is None):
        raise typer.BadParameter("name a scenario or --example NAME, and not both")
    from weir import theory as optima
    from weir.scenario import suggestion
    from weir.theory import text_of_study

    if example is None:
        network = optima.network_of(loading.load(str(scenario)), at, target_utilisation)
    elif example in optima.EXAMPLES:
        network = optima.EXAMPLES[example]().with_target(target_utilisation)
    else:
        command.refuse(f"there is no example {example!r}", suggestion(example, list(optima.EXAMPLES)))
    timing = optima.Timing() if asynchronous else None
    study = optima.Study.run(network, step, timing=timing, seed=seed, most=steps)
    if output.out is not None:
        from weir.plot import convergence

        command.write_file(output.out, convergence(study))
    if output.json:
        command.print_json(study.document())
    else:
        command.print_text(text_of_study(study, get_terminal_size().columns))
    output.say_file()
    if not study.trajectory.converged:
        if not output.quiet:
            command.note(
                f"not converged: {study.trajectory.residual:.2g} of a capacity is still missing; "
                "a smaller --step, or more --steps"
            )
        raise typer.Exit(1)
