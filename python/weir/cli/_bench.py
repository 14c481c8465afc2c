"""`weir bench`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer

from weir.cli._options import Json, Quiet


def bench(
    *,
    case: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="Only this case. May be repeated. Default: all."),
    ] = None,
    repeat: Annotated[int, typer.Option(min=1, help="Runs per case; the fastest counts.")] = 5,
    peer: Annotated[
        bool | None, typer.Option("--peer/--no-peer", help="Run ns-2 too. Default: if installed.")
    ] = None,
    write: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write a page with machine and table.")
    ] = None,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Measure CPU time per packet."""
    from weir.bench import _measure as benchmark
    from weir.cli import _command as command
    from weir.cli import _console as console

    for name in case or ():
        if name not in benchmark.CASES:
            raise typer.BadParameter(
                f"there is no case {name!r}; there are: {', '.join(benchmark.CASES)}",
                param_hint="--case",
            )
    if peer and not benchmark.has_ns2():
        command.refuse("ns-2 is not installed", "Debian has it: apt install ns2")
    if write is not None and not write.resolve().parent.is_dir():
        command.refuse(f"{write} cannot be written: there is no directory {write.parent}")
    say: Callable[[str], None] = (lambda _: None) if quiet else console.note
    with_peer = benchmark.has_ns2() if peer is None else peer
    measurements = list(benchmark.measure(case or benchmark.CASES, repeat, with_peer=with_peer, say=say))
    if write is not None:
        from weir.bench import _costs as costs
        from weir.bench._page import page

        scaling, sweeps = costs.scaling(say=say), costs.sweep_costs(say=say)
        command.write_text(write, page(measurements, scaling, sweeps, costs.discipline_costs(say=say)))
    if json:
        console.print_json([measurement.to_json() for measurement in measurements])
    else:
        console.print_measurements(measurements)
