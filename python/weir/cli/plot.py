"""`weir plot`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from weir.cli.options import Quiet, StorePath, Which, assignments

Dimension = Annotated[
    str | None, typer.Option(metavar="AXIS", help="An axis, by path or last part; variant; users.")
]


def plot(
    which: Which = None,
    *,
    kind: Annotated[
        str | None,
        typer.Option(
            metavar="KIND",
            help="lines, heat, tradeoff, ellipses, cdf, tail, over-time, trend or sensitivity. "
            "Default: every figure that suits the sweep, and a report.",
        ),
    ] = None,
    measure: Annotated[str | None, typer.Option(metavar="NAME", help="See weir list measures.")] = None,
    x: Dimension = None,
    y: Annotated[
        str | None, typer.Option(metavar="NAME", help="Of a heat map an axis; of a trade-off a measure.")
    ] = None,
    family: Dimension = None,
    facet: Dimension = None,
    load: Annotated[
        str | None, typer.Option(metavar="AXIS", help="Of a trade-off: what grows along a curve.")
    ] = None,
    only: Annotated[
        list[str] | None,
        typer.Option(metavar="AXIS=VALUE", help="Only this level of an axis. May be repeated."),
    ] = None,
    store: StorePath = None,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            "-o",
            metavar="FILE",
            help="Of one figure: .svg, .pdf, .png, .html or .json; of all, a directory. "
            "Default: KIND.svg, results/NAME-sweep.",
        ),
    ] = None,
    quiet: Quiet = False,
) -> None:
    """Draw figures of a sweep from the store alone: nothing is run."""
    from weir.cli import command, console
    from weir.store import DEFAULT

    options = {"measure": measure, "x": x, "y": y, "family": family, "facet": facet, "load": load}
    given = {name: value for name, value in options.items() if value is not None}
    if kind is None and given:
        raise typer.BadParameter(f"--{next(iter(given))} belongs to a kind of figure: add --kind lines")
    if kind is None and out is not None and out.suffix:
        raise typer.BadParameter(f"{out} is one file, and there are many figures: add --kind lines")
    with command.guarded(), command.opened(store or DEFAULT, create=False, quiet=quiet) as opened:
        chosen = command.found(opened, which)
        if kind is None:
            place = command.report(chosen, quiet=quiet)
        else:
            place = command.drawn(chosen, kind.replace("-", "_"), given, dict(assignments(only)), out)
        if not quiet:
            console.note(str(place))
