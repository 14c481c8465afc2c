"""Options that several verbs share."""

from __future__ import annotations

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
Set = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="PATH=VALUE",
        help='Replace a value: --set links.bottleneck.rate="10 Mbit/s". May be repeated.',
    ),
]
Replications = Annotated[
    int, typer.Option("--replications", "-n", min=1, help="Independent runs, each with its seed.")
]
Seed = Annotated[
    int | None, typer.Option(min=0, max=2**62, help="Of the first replication. Default: the scenario's.")
]
Threads = Annotated[int, typer.Option(min=0, help="0: every core.")]
Out = Annotated[Path | None, typer.Option(metavar="DIR", help="Results directory. Default: results/NAME.")]
StorePath = Annotated[
    Path | None,
    typer.Option("--store", metavar="DIR", help="Where finished runs are kept. Default: results/store."),
]
SweepName = Annotated[
    str | None,
    typer.Argument(metavar="[SWEEP]", help="Name or id of a sweep: see weir results. Default: the latest."),
]
SweepThreads = Annotated[
    int | None, typer.Option(min=1, metavar="N", help="Threads of this process. Default: one per core.")
]
Processes = Annotated[int | None, typer.Option(min=1, metavar="N", help="Processes of this machine instead.")]
Dask = Annotated[
    str | None, typer.Option(metavar="ADDRESS", help="A Dask cluster instead: tcp://host:8786, or local:4.")
]
NoReport = Annotated[bool, typer.Option("--no-report", help="Tables only: no figures, no report.")]
Json = Annotated[bool, typer.Option("--json", help="Print a JSON document instead of tables.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No progress, no notes.")]
Measures = Annotated[
    list[str] | None,
    typer.Option("--measure", metavar="NAME", help="Show this measure: see weir list. May be repeated."),
]


def assignments(values: list[str] | None) -> list[tuple[str, str]]:
    """(path, value) of every `--set`."""
    return [_assignment(value) for value in values or []]


def only_one_kind_of_workers(*chosen: object) -> None:
    """Of threads, processes and Dask; None is not chosen."""
    if sum(choice is not None for choice in chosen) > 1:
        raise typer.BadParameter("choose one of --threads, --processes and --dask")


def names(text: str | None) -> list[str] | None:
    """The parts of `NAME,NAME`."""
    return [name.strip() for name in text.split(",") if name.strip()] if text else None


def stated_margins(values: list[str] | None) -> dict[str, float]:
    """Measure to number of every `--margin`."""
    margins: dict[str, float] = {}
    for name, text in assignments(values):
        (measure,) = chosen_measures([name], ())
        try:
            margins[measure] = float(text)
        except ValueError:
            raise typer.BadParameter(f"{text!r} is not a number", param_hint="--margin") from None
    return margins


def chosen_measures(names: list[str] | None, default: tuple[str, ...]) -> tuple[str, ...]:
    """The measures to show. A hyphen is as good as an underscore."""
    from weir.measures import MEASURES

    chosen = tuple(name.replace("-", "_") for name in names or ()) or default
    for name in chosen:
        if name not in MEASURES:
            raise typer.BadParameter(
                f"there is no measure {name!r}; there are: {', '.join(MEASURES)}",
                param_hint="--measure",
            )
    return chosen
