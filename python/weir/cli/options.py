"""Options that several verbs share."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer


def _assignment(text: str) -> tuple[str, str]:
    path, equals, value = text.partition("=")
    if not equals or not path.strip():
        raise typer.BadParameter(f"{text!r} is not PATH=VALUE")
    return path.strip(), value.strip()


Source = Annotated[
    str, typer.Argument(metavar="SCENARIO", help="A TOML file, or a bundled scenario: see weir list.")
]
Which = Annotated[
    str | None,
    typer.Argument(
        metavar="[RESULT]", help="Number, name or id of a result: see weir results. Default: the newest."
    ),
]
Set = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="PATH=VALUE",
        help='Replace a value: --set links.bottleneck.rate="10 Mbit/s". May be repeated.',
    ),
]
Variants = Annotated[str | None, typer.Option(metavar="NAME,NAME", help="Only these variants. Default: all.")]
Disciplines = Annotated[
    str | None,
    typer.Option(metavar="NAME,NAME", help="Queue disciplines with their defaults instead of the variants."),
]
Replications = Annotated[
    int, typer.Option("--replications", "-n", min=1, help="Independent runs, each with its seed.")
]
Seed = Annotated[
    int | None, typer.Option(min=0, max=2**62, help="Of the first replication. Default: the scenario's.")
]
StorePath = Annotated[
    Path | None,
    typer.Option("--store", metavar="DIR", help="Where finished runs are kept. Default: results/store."),
]
Threads = Annotated[
    int | None, typer.Option(min=1, metavar="N", help="Threads of this process. Default: one per core.")
]
Processes = Annotated[int | None, typer.Option(min=1, metavar="N", help="Processes of this machine instead.")]
Dask = Annotated[
    str | None, typer.Option(metavar="ADDRESS", help="A Dask cluster instead: tcp://host:8786, or local:4.")
]
Report = Annotated[
    bool, typer.Option("--report", help="Write a page with the figures as well; weir report does it later.")
]
NoReport = Annotated[bool, typer.Option("--no-report", help="Write no page.")]
Json = Annotated[bool, typer.Option("--json", help="Print a JSON document instead of tables.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No progress, no notes.")]
Export = Annotated[
    Path | None, typer.Option(metavar="FILE", help="Write the rows to FILE: .csv, .parquet or .json.")
]
Measures = Annotated[
    list[str] | None,
    typer.Option("--measure", metavar="NAME", help="Show this measure: see weir list. May be repeated."),
]


@dataclass(frozen=True)
class WorkerChoice:
    """Who does the runs: at most one of them."""

    threads: int | None
    processes: int | None
    dask: str | None

    def __post_init__(self) -> None:
        if sum(choice is not None for choice in (self.threads, self.processes, self.dask)) > 1:
            raise typer.BadParameter("choose one of --threads, --processes and --dask")


def assignments(values: list[str] | None) -> list[tuple[str, str]]:
    """(path, value) of every `--set`."""
    return [_assignment(value) for value in values or []]


def names(text: str | None) -> list[str] | None:
    """The parts of `NAME,NAME`."""
    return [name.strip() for name in text.split(",") if name.strip()] if text else None


def compared(variants: str | None, disciplines: str | None) -> tuple[list[str] | None, list[str] | None]:
    """The names of variants or of disciplines."""
    if variants and disciplines:
        raise typer.BadParameter("choose --variants or --disciplines, not both")
    return names(variants), names(disciplines)


def stated_margins(values: list[str] | None) -> dict[str, float]:
    """Measure to number of every `--margin`."""
    margins: dict[str, float] = {}
    for name, text in assignments(values):
        (measure,) = chosen_measures([name])
        try:
            margins[measure] = float(text)
        except ValueError:
            raise typer.BadParameter(f"{text!r} is not a number", param_hint="--margin") from None
    return margins


def chosen_measures(names: list[str] | None) -> tuple[str, ...]:
    """The measures to show. A hyphen is as good as an underscore."""
    if not names:
        return ()
    from weir.stats.measures import MEASURES

    chosen = tuple(name.replace("-", "_") for name in names)
    for name in chosen:
        if name not in MEASURES:
            raise typer.BadParameter(
                f"there is no measure {name!r}; there are: {', '.join(MEASURES)}",
                param_hint="--measure",
            )
    return chosen
