"""`weir export`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from weir.cli._options import Quiet, Set, Source, Threads, assignments


def export(
    scenario: Source,
    *,
    form: Annotated[
        str,
        typer.Option(
            "--as",
            metavar="tc|sqm|wred|scenario",
            help="A script for Linux's tc, a section for OpenWrt's sqm, random-detect, or the scenario.",
        ),
    ] = "tc",
    variant: Annotated[str | None, typer.Option(metavar="NAME", help="Of the scenario's variants.")] = None,
    set_: Set = None,
    link: Annotated[
        str | None, typer.Option(metavar="NAME", help="LINK or LINK.reverse. Default: the bottleneck.")
    ] = None,
    device: Annotated[str, typer.Option(metavar="NAME", help="The network interface.")] = "eth0",
    replications: Annotated[
        int,
        typer.Option(
            "--replications",
            "-n",
            min=1,
            help="Of a discipline that no kernel has, and of what comes closest, to measure the difference.",
        ),
    ] = 5,
    no_measure: Annotated[bool, typer.Option("--no-measure", help="Run nothing.")] = False,
    threads: Threads = None,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", metavar="FILE", help="Default: print it.")
    ] = None,
    quiet: Quiet = False,
) -> None:
    """Write the queue of a link as a script or configuration for a real one.

    Units, rounding and options that are not there are said in its comments, and on stderr.
    """
    overrides = assignments(set_)

    from weir.cli import _command as command
    from weir.cli import _console as console
    from weir.cli._live import following
    from weir.export import export as exported
    from weir.scenario._scenario import Scenario
    from weir.store._replace import make_readable

    if out is not None and (out.is_dir() or not out.parent.is_dir()):
        command.refuse(f"{out} cannot be written", "name a file in a folder that is there: -o FILE")
    loaded = Scenario.load(scenario, overrides)
    chosen = loaded if variant is None else loaded.variant(variant)
    with following(None, "", quiet=quiet) as follow:
        found = exported(
            chosen,
            link,
            form,  # type: ignore[arg-type] # checked there
            device,
            replications=0 if no_measure else replications,
            threads=threads or 0,
            progress=follow.show,
            command=command.command_line(),
        )
    if out is None:
        console.print_text(found.text)
    else:
        command.write_text(out, found.text)
        if found.form == "tc":
            make_readable(out, 0o777)
    if not quiet:
        for warning in found.warnings:
            console.note(f"warning: {warning}")
        if found.closest is not None:
            console.note(f"no kernel has this discipline; what comes closest is {found.closest.discipline}")
        if variant is None and loaded.variants:
            console.note(f"{loaded.name} has variants: --variant {loaded.variants[0]}")
        if out is not None:
            console.note(f"{found.form}: {out}")
