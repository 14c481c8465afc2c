"""`weir list`, `show`, `schema` and `bench`: verbs that need no store."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path
from shutil import get_terminal_size
from textwrap import fill
from typing import Annotated

import typer

from weir._errors import WeirError
from weir.cli import _command as command
from weir.cli import _complete as completed
from weir.cli._options import Json, Quiet, flag, option


def listing(
    what: Annotated[
        str | None, typer.Argument(metavar="[KIND]", help="Default: all.", autocompletion=completed.kinds)
    ] = None,
    *,
    json: Json = False,
) -> None:
    """List disciplines, traffic, bundled scenarios and measures.

    And congestion controls, loss recoveries, sizes of transfers and losses of a line. KIND is disciplines,
    congestion, recovery, traffic, sizes, losses, scenarios or measures.
    """
    from weir.disciplines import CATALOGUE

    if what is not None and what not in CATALOGUE:
        raise typer.BadParameter(f"{what!r}; there are: {', '.join(CATALOGUE)}")
    chosen = {name: CATALOGUE[name]() for name in CATALOGUE if what in {None, name}}
    if json:
        command.print_json(chosen)
        return
    width = max(get_terminal_size().columns, 40)
    blocks: list[str] = []
    for kind, entries in chosen.items():
        longest = max((len(str(entry["name"])) for entry in entries), default=0)
        lines = [
            fill(str(entry["summary"]), width, initial_indent=head, subsequent_indent=" " * len(head))
            for entry in entries
            for head in (f"  {entry['name']!s:{longest}}  ",)
        ]
        blocks.append("\n".join([kind.capitalize(), *lines]))
    command.print_text("\n\n".join(blocks))
    command.note("details: weir show NAME; your own AQM in Python: weir show python")


def show(
    name: Annotated[
        str,
        typer.Argument(
            metavar="NAME", help="Anything that weir list lists.", autocompletion=completed.listed
        ),
    ],
    *,
    json: Json = False,
) -> None:
    """Show the reference of anything that weir list lists.

    For a discipline, show idea, equations, parameters, deviations and `tc` line; for a congestion control the
    same with an example. For a loss recovery, traffic, sizes or losses, show what it is, its keys and an
    example. For a measure, show its definition; for a bundled scenario, its file.
    """
    from weir import _core
    from weir.disciplines import CATALOGUE, control_of, find, text_of_choice, text_of_entry, text_of_measure
    from weir.scenario import bundled, chosen_as, suggestion
    from weir.stats import MEASURES

    width = get_terminal_size().columns
    if name == "python" and not json:
        from weir import aqm

        command.print_text(str(aqm.__doc__).strip())
    elif parts := chosen_as(name):
        if json:
            shown = {key: control_of(key, declared) or declared for key, declared in parts.items()}
            command.print_json({key: asdict(one) for key, one in shown.items()})
            return
        texts = (text_of_choice(key, declared, width) for key, declared in parts.items())
        command.print_text("\n\n\n".join(texts))
        if name in bundled():
            command.note(f"{name} is a bundled scenario, too: {bundled()[name]}")
    elif measure := MEASURES.get(name.replace("-", "_")):
        if json:
            command.print_json(asdict(measure))
        else:
            command.print_text(text_of_measure(measure, width))
    elif (file := bundled().get(name)) and not json:
        command.print_text(file.read_text(encoding="utf-8"))
    else:
        try:
            found = find(name)
        except WeirError as error:
            known = [str(entry["name"]) for entries in CATALOGUE.values() for entry in entries()]
            near = suggestion(name.replace("+", "-plus"), known)  # ledbat++
            kinds = ("queue", "congestion", "recovery", "preset")
            ours = next((hint for kind in kinds if (hint := _core.name_of_others(kind, name))), None)
            command.refuse(error.message, ours or (near if near.startswith("did you mean") else error.hint))
        if json:
            command.print_json(asdict(found))
        else:
            command.print_text(text_of_entry(found, width))


def schema() -> None:
    """Print the JSON schema of scenario files, for editors."""
    from weir import _core

    command.print_text(_core.schema())


def bench(
    *,
    case: Annotated[
        list[str] | None, option("NAME", "Only this case. May be repeated. Default: all.")
    ] = None,
    repeat: Annotated[int, option("N", "Runs per case; the fastest counts.", min=1)] = 5,
    peer: Annotated[bool | None, flag("--peer/--no-peer", "Run ns-2 too. Default: if installed.")] = None,
    count: Annotated[
        bool | None,
        flag(
            "--instructions/--no-instructions",
            "Count instructions per packet too. Default: if valgrind is installed.",
        ),
    ] = None,
    write: Annotated[Path | None, option("FILE", "Write a page with machine and table.")] = None,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Measure CPU time per packet."""
    command.require("resource", "weir bench", "Linux or macOS")

    from weir.bench import benchmark, counting

    for name in case or ():
        if name not in benchmark.CASES:
            raise typer.BadParameter(
                f"there is no case {name!r}; there are: {', '.join(benchmark.CASES)}",
                param_hint="--case",
            )
    if peer and not benchmark.has_ns2():
        command.refuse("ns-2 is not installed", "Debian has it: apt install ns2")
    if count and not counting.has_valgrind():
        command.refuse("valgrind is not installed", "Debian has it: apt install valgrind")
    if write is not None and not write.resolve().parent.is_dir():
        command.refuse(f"{write} cannot be written: there is no directory {write.parent}")
    say: Callable[[str], None] = (lambda _: None) if quiet else command.note
    with_peer = benchmark.has_ns2() if peer is None else peer
    measurements = list(benchmark.measure(case or benchmark.CASES, repeat, with_peer=with_peer, say=say))
    if counting.has_valgrind() if count is None else count:
        counted = counting.instructions([m.case for m in measurements], say=say)
        measurements = [replace(m, instructions_per_packet=counted[m.case]) for m in measurements]
    if write is not None:
        from weir.bench import costs

        growth, scaling = costs.growth(repeat, say=say), costs.scaling(say=say)
        sweeps, disciplines = costs.sweep_costs(say=say), costs.discipline_costs(say=say)
        command.write_file(write, costs.page(measurements, growth, scaling, sweeps, disciplines))
    if json:
        command.print_json([measurement.to_json() for measurement in measurements])
    else:
        from weir.cli import _tables as tables

        tables.print_measurements(measurements)
