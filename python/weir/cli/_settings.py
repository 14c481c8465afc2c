"""`weir tune` and `weir export`: from targets to a setting, and from a queue to a script."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from weir._errors import WeirError
from weir.cli import _command as command
from weir.cli import _complete as completed
from weir.cli._options import (
    Loading,
    Quiet,
    Seed,
    Source,
    StorePath,
    Threads,
    Wanted,
    WorkerChoice,
    compared,
    flag,
    option,
    with_groups,
)
from weir.cli._progress import following, live

if TYPE_CHECKING:
    from weir.scenario import Scenario


@with_groups
def tune(
    scenario: Source,
    *,
    target: Annotated[
        list[str] | None,
        option("TARGET", 'What is wanted: "p99 delay < 20 ms", "loss < 1%". May be repeated.'),
    ] = None,
    vary: Annotated[
        list[str] | None,
        option(
            "PARAMETER=LOW..HIGH", 'What may be changed for it: "red.max_th=5..50 packets". May be repeated.'
        ),
    ] = None,
    over: Annotated[
        list[str] | None,
        option(
            "CONDITION=LOW..HIGH",
            'Where it has to hold: "rate=5..50 Mbit/s", "flows=1..100", "rtt=10..200 ms". Up to three.',
        ),
    ] = None,
    variant: Annotated[
        str | None,
        option("NAME", "Tune this variant. Default: the scenario itself.", autocompletion=completed.variant),
    ] = None,
    disciplines: Annotated[
        str | None,
        option(
            "NAME,NAME",
            "Which queue meets it? Tune each of these in place of the queue. Without --vary of a discipline, "
            "its tunable parameters are varied, within the bounds that weir show NAME tells.",
            autocompletion=completed.disciplines,
        ),
    ] = None,
    loading: Loading,
    seed: Seed = None,
    front: Annotated[
        bool, flag("--front", "All settings that no other one beats, instead of one (Optuna).")
    ] = False,
    optuna: Annotated[
        bool, flag("--optuna", "Let Optuna's default sampler search, as with many parameters.")
    ] = False,
    op_red: Annotated[
        bool, flag("--op-red", "Compare with OP-RED, with the same targets, while the load changes.")
    ] = False,
    store: StorePath = None,
    workers: WorkerChoice,
    wanted: Wanted,
) -> None:
    """Find a setting that meets targets, or show that there is none. The result gets a number."""
    if front and (wanted.export or wanted.save or wanted.has_page or op_red or optuna):
        raise typer.BadParameter(
            "--front gives many settings: leave --export, --save, --op-red, --optuna, --report, --open out"
        )
    _, names = compared(None, disciplines)
    if names and (front or wanted.export or wanted.save or op_red):
        raise typer.BadParameter(
            "--disciplines gives several settings: leave --front, --export, --save, --op-red out"
        )

    from weir.cli import _tuning as tuning
    from weir.export import export as exported
    from weir.sweep import chosen_workers
    from weir.tune import Question, Task, ask

    command.check_file(wanted.save, "--save")
    chosen = loading.load(scenario)
    chosen = chosen if variant is None else chosen.variant(variant)
    chosen = chosen if seed is None else chosen.with_seed(seed)
    question = Question(
        target or (), vary or (), over or (),
        scenario, with_op_red=op_red, with_loads=wanted.has_page and not names, optuna=optuna, front=front,
        disciplines=names or (),
    )  # fmt: skip
    task = Task.of(chosen, question)
    if wanted.export is not None:
        # What cannot be exported is refused before any run.
        exported(task.scenario, None, wanted.export, wanted.device)  # type: ignore[arg-type] # checked there
    if not wanted.quiet:
        for one in (task, *task.disciplines.values()):
            for sentence in one.space.left_out:
                command.note(f"note: {sentence}")
        command.print_notes(task.notes)
    with command.opened(store, create=True, quiet=wanted.quiet) as opened:
        with (
            chosen_workers(**workers.options) as chosen_by,
            live(tuning.step_line, tuning.step_picture, quiet=wanted.quiet) as follow,
        ):
            found = ask(task, opened, chosen_by, follow, command.command_line())
        tuning.finish(found, opened, store, wanted)


@with_groups
def export(
    scenario: Source,
    *,
    form: Annotated[
        str,
        option(
            "tc|sqm|wred|junos|scenario",
            "A script for Linux's tc, a section for OpenWrt's sqm, random-detect, Junos, or the scenario.",
            "--as",
        ),
    ] = "tc",
    variant: Annotated[
        str | None, option("NAME", "Of the scenario's variants.", autocompletion=completed.variant)
    ] = None,
    loading: Loading,
    link: Annotated[str | None, option("NAME", "LINK or LINK.reverse. Default: the bottleneck.")] = None,
    device: Annotated[
        str | None,
        option("NAME", "The network interface; of sqm that of the line. Default: eth0, of a router none."),
    ] = None,
    share: Annotated[
        str | None, option("SHARE", "Of the link's rate to shape at: 95%. Default: 100%, for sqm 90%.")
    ] = None,
    replications: Annotated[
        int,
        option(
            "N",
            "Of a discipline that no kernel has, and of what comes closest, to measure the difference.",
            "--replications",
            "-n",
            min=1,
        ),
    ] = 5,
    no_measure: Annotated[bool, flag("--no-measure", "Run nothing.")] = False,
    threads: Threads = None,
    out: Annotated[Path | None, option("FILE", "Default: print it.", "--out", "-o")] = None,
    quiet: Quiet = False,
) -> None:
    """Write the queue of a link as a script for a real one.

    Units, rounding and options that are not there are said in its comments, and on stderr.
    """
    from weir.export import export as exported
    from weir.store import make_readable

    command.check_file(out, "-o")
    loaded = loading.load(scenario)
    chosen = loaded if variant is None else loaded.variant(variant)
    with following(None, "", quiet=quiet) as follow:
        found = exported(
            chosen,
            link,
            form,  # type: ignore[arg-type] # checked there
            device,
            share=None if share is None else _share(share),
            replications=0 if no_measure else replications,
            threads=threads or 0,
            progress=follow,
            command=command.command_line(),
        )
    if out is None:
        command.print_text(found.text)
    else:
        command.write_file(out, found.text)
        if found.form == "tc":
            make_readable(out, 0o777)
    if not quiet:
        for warning in found.warnings:
            command.note(f"warning: {warning}")
        for sentence in (
            _without_effect(loading, scenario, chosen, link, variant) if form != "scenario" else ()
        ):
            command.note(f"warning: {sentence}")
        if found.closest is not None:
            command.note(f"no kernel has this discipline; what comes closest is {found.closest.discipline}")
        if variant is None and loaded.variants:
            command.note(f"{loaded.name} has variants: --variant {loaded.variants[0]}")
        if out is not None:
            command.note(f"{found.form}: {out}")


def _without_effect(
    loading: Loading, source: str, chosen: Scenario, link: str | None, variant: str | None
) -> Iterator[str]:
    """Sentences on values of other ports that leave the exported one as it is."""
    name, known = link or chosen.network.bottleneck.name, [port.name for port in chosen.network.ports]
    for setting in loading.set_ or ():
        kind, _, rest = setting.path.partition(".")
        owner, _, key = rest.partition(".")
        owner += ".reverse" if key.partition(".")[0] == "reverse" else ""
        if kind != "links" or owner == name or owner not in known:
            continue
        others = [one for one in loading.set_ or () if one.path != setting.path]
        try:
            before = Loading(others, loading.no_python).load(source)
            before = before if variant is None else before.variant(variant)
        except WeirError:
            # Values that are right together alone.
            continue
        # The rate of a link is that of its other direction, too, unless this has its own.
        if _read(before, name) == _read(chosen, name):
            ports = ", ".join(known)
            yield f"{setting.path} changes nothing of {name}, which is exported; ports: {ports} (--link)"


def _read(scenario: Scenario, name: str) -> tuple[object, ...]:
    """The part of a port that an export reads."""
    port, table = scenario.network.port(name), scenario.core.value(f"links.{name}")
    return port.rate_bps, port.limit_packets, port.limit_bytes, json.dumps(table)


def _share(text: str) -> float:
    """`95%` or `0.95`, as a number."""
    try:
        return float(text.removesuffix("%")) / (100.0 if text.endswith("%") else 1.0)
    except ValueError:
        raise typer.BadParameter(f"--share {text!r} is no share: write 95% or 0.95") from None
