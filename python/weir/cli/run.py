"""`weir run`."""

from __future__ import annotations

from typing import Annotated

import typer

from weir.cli.options import (
    Json,
    Measures,
    NoReport,
    Out,
    Quiet,
    Replications,
    Seed,
    Set,
    Source,
    Threads,
    assignments,
    chosen_measures,
)  # fmt: skip


def run(
    scenario: Source,
    *,
    set_: Set = None,
    replications: Replications = 1,
    seed: Seed = None,
    threads: Threads = 0,
    capture: Annotated[
        list[str] | None,
        typer.Option(
            metavar="LINK[:reverse][:in][=FILE]",
            help="Write the packets of a link as pcapng, of the first replication. May be repeated.",
        ),
    ] = None,
    out: Out = None,
    measure: Measures = None,
    no_report: NoReport = False,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Run a scenario and report what was measured."""
    overrides = assignments(set_)
    measures = chosen_measures(measure, ())

    from weir import command, console
    from weir.scenario import Scenario

    with command.guarded():
        loaded = Scenario.load_with(scenario, overrides)
        target = command.target(out, loaded.name)
        with console.progress_bar(replications, quiet=quiet) as progress:
            result = loaded.run(
                replications,
                seed,
                threads,
                progress,
                capture=capture or (),
                capture_beside=target,
                command=command.command_line(),
            )
        command.deliver(result, target, report=not no_report, as_json=json, quiet=quiet, measures=measures)
        if loaded.variants and not quiet:
            console.note(f"{loaded.name} has {len(loaded.variants)} variants: weir compare {scenario}")
