"""`weir live`: a program behind the links of a scenario."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Mapping
from contextlib import ExitStack, suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple

import typer

from weir.cli import _command as command
from weir.cli import _complete as completed
from weir.cli._options import Json, NoPython, Open, Quiet, Report, Seed, Set, Source, StorePath, flag, option

if TYPE_CHECKING:
    from weir._api import Scenario
    from weir.live import LiveSpec, SessionResult
    from weir.store import Store
    from weir.sweep import Sweep

_REPEATS = 5
"""Number of runs when a live run is compared with simulations."""

OF_QUEUE = ("utilisation", "delay_mean", "delay_p99", "mean_queue", "loss", "mark_fraction")
"""Measures that mean the same for real and for simulated senders."""


def live(
    scenario: Source,
    arguments: Annotated[
        list[str] | None,
        typer.Argument(metavar="[-- COMMAND…]", help="The program at the near end, with its arguments."),
    ] = None,
    *,
    shell: Annotated[bool, flag("--shell", "A shell at the near end instead.")] = False,
    far: Annotated[
        str | None,
        option("COMMAND", "A program at the far end, 198.18.0.1: --far 'iperf3 -s -1'. It is started first."),
    ] = None,
    forward: Annotated[
        list[str] | None,
        option(
            "PORT[:HOSTPORT][/udp]",
            "A port of the far end that a service of this machine answers. May be repeated.",
        ),
    ] = None,
    internet: Annotated[
        str | None,
        option("PORT,PORT", "These ports of any host of this machine's own network, and names: 80,443."),
    ] = None,
    clients: Annotated[
        int, option("N", "So many near ends; WEIR_CLIENT tells the command which it is.", min=1, max=64)
    ] = 1,
    download: Annotated[
        bool, flag("--download", "The forward direction carries what comes to the command.")
    ] = False,
    group: Annotated[
        str | None,
        option("NAME", "The flow group whose path is taken. Default: the first over the bottleneck."),
    ] = None,
    rtt: Annotated[
        str | None, option("DURATION", "Base round trip instead of the group's, such as '40 ms'.")
    ] = None,
    congestion: Annotated[
        str | None,
        option("NAME", "Congestion control of the ends: cubic, reno, bbr, … Default: this machine's."),
    ] = None,
    duration: Annotated[str | None, option("DURATION", "End the command after this time.")] = None,
    warm_up: Annotated[
        str | None, option("DURATION", "Leave this out of the results. Default: the scenario's.", "--warm-up")
    ] = None,
    mtu: Annotated[int, option("BYTES", "Of the devices.", min=1280, max=9000)] = 1500,
    veth: Annotated[bool, flag("--veth", "Veth pairs though TUN devices can be made.")] = False,
    repeats: Annotated[
        int | None,
        option("N", "Run it so often: each is a replication. Default: 1, or 5 with --against.", min=1),
    ] = None,
    against: Annotated[
        Literal["simulation", "tc"] | None,
        option(
            "simulation|tc",
            "Instead of a command, the flow groups as senders of the kernel's TCP; beside them the same "
            "scenario simulated, or the same senders through the kernel's own queue.",
        ),
    ] = None,
    capture: Annotated[Path | None, option("FILE", "Write the packets that leave, as pcapng.")] = None,
    flent: Annotated[
        Path | None,
        option("FILE.flent.gz", "Write throughput and round trip over time for flent, as its test tcp_1up."),
    ] = None,
    variant: Annotated[
        str | None,
        option("NAME", "A variant of the scenario instead of itself.", autocompletion=completed.variant),
    ] = None,
    set_: Set = None,
    no_python: NoPython = False,
    seed: Seed = None,
    watch: Annotated[
        bool, flag("--watch", "Show links and flows as they are now; what the command prints stands above.")
    ] = False,
    studio: Annotated[
        bool, flag("--studio", "Open the studio, which shows the run beside a simulation.")
    ] = False,
    store: StorePath = None,
    report: Report = False,
    opens: Open = False,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Put a program behind the links of a scenario. Its packets are real; root is not needed.

    The program gets a network of its own, from which only the far end, 198.18.0.1 (WEIR_FAR), can be
    reached: services of this machine with --forward, or a second program with --far. Its exit code is that of
    this command.
    """
    command.require("fcntl", "weir live", "Linux")

    from weir._api import Scenario
    from weir.live import LiveSpec, listens, parsed_forwards, parsed_ports

    _check(arguments, shell=shell, watch=watch, json=json, against=against)
    if against and (far or forward or internet or clients > 1 or download or congestion or duration):
        command.refuse(
            "with --against the scenario says who sends, and how long",
            "leave out --far, --forward, --internet, --clients, --download, --congestion and --duration",
        )
    often = repeats or (_REPEATS if against else 1)
    for file, name in ((capture, "--capture"), (flent, "--flent")):
        command.check_file(file, name)
        if file is not None and often > 1:
            command.refuse(
                f"the file of {name} would be that of the last run alone", f"--repeats 1, or no {name}"
            )
    if rtt is not None:
        _seconds(rtt, "--rtt")
    overrides = [*(set_ or ()), *([("measure.warm_up", warm_up)] if warm_up else [])]
    loaded = Scenario.load(scenario, overrides, python=not no_python)
    loaded = loaded if variant is None else loaded.variant(variant)
    loaded = loaded if seed is None else loaded.with_seed(seed)
    spec = LiveSpec(
        loaded.core,
        arguments or [os.environ.get("SHELL", "/bin/sh")],
        None if far is None else _words(far),
        clients,
        parsed_forwards(forward or ()),
        parsed_ports(internet) if internet is not None else (),
        group,
        rtt,
        download,
        None if duration is None else _seconds(duration, "--duration"),
        congestion,
        mtu,
        capture,
        veth,
        quiet,
    )
    spec.check()
    for one in spec.forwards:
        if not listens(one) and not quiet:
            command.note(f"note: nothing listens to port {one.host_port} of this machine yet")
    with command.opened(store, create=True, quiet=quiet) as opened:
        shown = _Shown(watch, studio, json, quiet, flent)
        if against:
            sweep, last = _compared(loaded, spec, against, often, opened, shown)
        else:
            sweep, last = _measured(spec, loaded.seed, often, opened, shown)
        if not quiet:
            _say_end(sweep, last, store)
        if report or opens:
            page = command.report(sweep, quiet=quiet)
            command.say_page(page, opens=opens, quiet=quiet)
    raise typer.Exit(last.exit_code)


class _Shown(NamedTuple):
    """Options on what is shown and written of a live run."""

    watch: bool
    studio: bool
    json: bool
    quiet: bool
    flent: Path | None


def _measured(
    spec: LiveSpec, seed: int, often: int, store: Store, shown: _Shown
) -> tuple[Sweep, SessionResult]:
    """Runs the command `often` times."""
    from weir.live import LiveResult
    from weir.sweep import not_interrupted

    result = LiveResult(store, spec, seed, command.command_line())
    with suppress(KeyboardInterrupt):
        for number in range(often):
            outcome = _whole(spec, seed + number, shown, number, often)
            with not_interrupted():
                result.add(outcome)
    is_cut = _said_interrupted(result.replications, often)
    sweep, last = result.recorded(), _ended(result.last, is_cut=is_cut)
    if shown.json:
        command.print_json({**sweep.document(), "exit_code": last.exit_code})
    return sweep, last


def _compared(
    loaded: Scenario, spec: LiveSpec, against: str, often: int, store: Store, shown: _Shown
) -> tuple[Sweep, SessionResult]:
    """Has the kernel send as the flow groups do; and simulates the same, or sends the same through a queue of
    the kernel."""
    from weir.cli import _tables as tables
    from weir.live import LiveResult, Senders, kernel_queue, simulate
    from weir.sweep import not_interrupted

    senders = Senders.of(spec.scenario, spec.ways)
    queue = kernel_queue(spec.scenario, spec.ways) if against == "tc" else None
    routers = [None] if queue is None else [None, queue]
    results = [
        LiveResult(store, senders.spec(spec, loaded.seed, router), loaded.seed, command.command_line())
        for router in routers
    ]
    with suppress(KeyboardInterrupt):
        if not shown.quiet:
            span = f"{often} × {senders.duration_s:g} s" if often > 1 else f"{senders.duration_s:g} s"
            then = f"then {often} simulated" if queue is None else "then as long through Linux's queue"
            command.note(f"{span} of real time, {then}")
        # In turns: what else the machine does then meets both.
        for number in range(often):
            seed = loaded.seed + number
            outcomes = [
                _whole(senders.spec(spec, seed, router), seed, shown, number, often) for router in routers
            ]
            with not_interrupted():
                for result, outcome in zip(results, outcomes, strict=True):
                    result.add(outcome)
    is_cut = _said_interrupted(results[0].replications, often)
    ours = results[0]
    if queue is None:
        sweep = ours.recorded(simulate(loaded, store, loaded.seed, ours.replications))
    else:
        sweep = ours.recorded(of_kernel=results[1])
    last = _ended(ours.last, is_cut=is_cut)
    if shown.json:
        command.print_json({**sweep.document(), "exit_code": last.exit_code})
    else:
        tables.print_sweep(sweep, OF_QUEUE)
    return sweep, last


def _ended(last: SessionResult, *, is_cut: bool) -> SessionResult:
    """The outcome for which the command stands: where it was cut short, that of Ctrl-C."""
    return replace(last, exit_code=130) if is_cut else last


def _said_interrupted(complete: int, often: int) -> bool:
    """Says what is kept where fewer runs are complete than were asked for. Without any, this is the end."""
    if not complete:
        command.note("interrupted before a run was complete: nothing is kept")
        raise typer.Exit(130)
    if complete < often:
        command.note(f"interrupted: {complete} of {often} runs are complete, and kept")
    return complete < often


def _check(arguments: list[str] | None, *, shell: bool, watch: bool, json: bool, against: str | None) -> None:
    if sum(map(bool, (shell, arguments, against))) != 1:
        command.refuse(
            "say one thing that runs at the near end: a command, --shell, --against simulation or tc",
            "weir live SCENARIO -- curl http://198.18.0.1:8000/",
        )
    if watch and (shell or not sys.stderr.isatty()):
        command.refuse(
            "--watch needs a terminal that nothing else uses",
            "start a second shell for it, or leave it out" if shell else "leave it out",
        )
    if json and shell:
        command.refuse("--json and --shell both print to stdout", "leave one of them out")


def _words(text: str) -> list[str]:
    try:
        words = shlex.split(text)
    except ValueError as error:
        command.refuse(f"--far: {error}")
    if not words:
        command.refuse("--far: no command is named", "write for example --far 'iperf3 -s -1'")
    return words


def _seconds(text: str, name: str) -> float:
    from weir import _core

    try:
        value, kind = _core.quantity(text)
    except ValueError as error:
        message, _, hint = str(error).partition("; hint: ")
        command.refuse(f"{name}: {message}", hint)
    if kind != "s" or value <= 0.0:
        command.refuse(f"{name}: {text!r} is not a duration", "write 60s, or 500 ms")
    return value


def _once(spec: LiveSpec, seed: int, shown: _Shown, number: int, often: int) -> SessionResult:
    from weir.cli._live_view import dashboard
    from weir.live import FlentRecord, run_session, verdict

    record = FlentRecord(
        spec.scenario, spec.ways.rtt_s, download=spec.download, command=command.command_line()
    )
    opened = _open_studio if shown.studio else None
    with ExitStack() as stack:
        # Of stdout a JSON document is all.
        show, output = stack.enter_context(dashboard()) if shown.watch else (None, 2 if shown.json else None)

        def on_tick(snapshot: Mapping[str, Any]) -> None:
            record.add(snapshot)
            if show is not None:
                show(snapshot)

        outcome = run_session(spec, seed, on_tick if show or shown.flent else None, output, opened)
    if outcome.run.capture_error is not None:
        command.note(f"the capture is not whole: {outcome.run.capture_error}")
    if shown.flent is not None:
        try:
            record.write(shown.flent)
        except OSError as error:
            command.note(f"{shown.flent} cannot be written: {error.strerror}")
    if not shown.quiet:
        where = ", Linux's queue" if spec.router is not None else ""
        command.note(f"{f'run {number + 1} of {often}{where}: ' if often > 1 else ''}{verdict(outcome)}")
    return outcome


def _whole(spec: LiveSpec, seed: int, shown: _Shown, number: int, often: int) -> SessionResult:
    """The outcome of a run. Raises KeyboardInterrupt if Ctrl-C cut it short; the only run of a command is
    whole then, too."""
    outcome = _once(spec, seed, shown, number, often)
    if outcome.is_interrupted and (often > 1 or spec.controls):
        raise KeyboardInterrupt
    return outcome


def _open_studio(address: str) -> None:
    command.note(f"studio: {address}")
    command.open_in_browser(address)


def _say_end(sweep: Sweep, outcome: SessionResult, store: Path | None) -> None:
    """The links, the flows, how far they can be trusted, and where the result is."""
    from weir.cli._live_view import summary

    command.note(f"\n{summary(sweep, outcome.last)}\n")
    command.print_notes(sweep.live_notes)
    command.note(command.where_it_is(sweep.number, store))
