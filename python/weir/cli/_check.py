"""`weir check`: the network of a scenario as resolved, and the notes on it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from shutil import get_terminal_size
from textwrap import fill
from typing import TYPE_CHECKING, Annotated, Any

from weir import _core
from weir.cli import _command as command
from weir.cli import _complete as completed
from weir.cli._options import Json, Loading, Source, option, with_groups

if TYPE_CHECKING:
    from weir.check import Load, Repeated, Resolved
    from weir.scenario import Scenario
    from weir.stats import Grid

_MOST = 12
"""Instants that the table of changes shows."""

_PORT = (
    "name", "key", "rate_bps", "rate_changes", "follows_trace", "delay_s", "limit_packets", "limit_bytes",
    "mean_packet_bytes", "largest_rtt_s", "bdp_packets", "queue", "ecn_capable", "loses_packets",
)  # fmt: skip
_PATH = (
    "group", "data", "acks", "base_rtt_s", "base_rtt_range_s", "packet_bytes", "bdp_packets", "traffic",
)  # fmt: skip
_COST = ("packets", "cpu_s", "memory_bytes")
_BOTTLENECK = ("name", "key", "ambiguity")


@with_groups
def check(
    scenario: Source,
    *,
    loading: Loading,
    variant: Annotated[
        str | None,
        option(
            "NAME",
            "Only this variant. Default: the scenario itself, notes of all variants.",
            autocompletion=completed.variant,
        ),
    ] = None,
    json: Json = False,
) -> None:
    """Show the network as resolved, and what may mislead. Runs nothing."""
    from weir.check import notes, notes_together

    loaded = loading.load(scenario)
    chosen = loaded if variant is None else loaded.variant(variant)
    variants = [chosen.variant(name) for name in chosen.variants]
    settings = [("the scenario itself", chosen), *((one.label, one) for one in variants)]
    found = notes_together(
        ((label, notes(one)) for label, one in settings), ((one.label, one.core) for one in variants)
    )
    if json:
        command.print_json(document_of(chosen, found))
    else:
        print_network(chosen, found)


def print_network(scenario: Scenario, found: Sequence[Repeated]) -> None:
    """The tables and the notes, as text."""
    from weir.check import Resolved, duration_of, estimated, units
    from weir.stats import render_grid
    from weir.sweep import memory_refusal

    network, width = scenario.network, get_terminal_size().columns
    bottleneck = network.port(network.bottleneck.name)
    resolved = Resolved.of(scenario.core)
    warm_up = duration_of(resolved.document["measure"], "warm_up")
    facts = [
        f"{units.time(network.duration_s)}, measured from {units.time(warm_up)} on",
        f"bottleneck {bottleneck.name}, {units.rate(bottleneck.rate_bps)}",
    ]
    cost = estimated(resolved)
    refused = memory_refusal(cost)
    head = f"{scenario.label}\n{'; '.join(facts)}\n{cost}"
    if refused is not None:
        head += f"\nweir run refuses it: {refused.message}"
    grids = [_ports(resolved), _paths(resolved), *_changes(network), *_replaced(resolved)]
    command.print_text("\n\n".join([head, *(render_grid(grid, width) for grid in grids)]))
    command.print_text("\nNotes" if found else "\nNo notes")
    for one in found:
        for text, first, rest in ((str(one), "  ", "    "), (f"write: {one.note.hint}", "    ", "    ")):
            command.print_text(wrapped(text, width, first, rest))


def wrapped(text: str, width: int, first: str, rest: str) -> str:
    """The text in lines. A key with its value in quotation marks stays in one, to be copied."""
    whole = re.sub(r'(?:\S+ = )?"[^"]*"', lambda value: value[0].replace(" ", "\N{NO-BREAK SPACE}"), text)
    lines = fill(whole, width, initial_indent=first, subsequent_indent=rest, break_on_hyphens=False)
    return lines.replace("\N{NO-BREAK SPACE}", " ")


def _ports(resolved: Resolved) -> Grid:
    from weir.check import Packets, buffer_limit, units
    from weir.stats import Cell, Grid

    known = Packets(resolved)
    columns = ["rate", "delay", "buffer", "full", "BDP", "queue", "flows"]
    rows: list[tuple[str, list[Cell]]] = []
    for port in resolved.ports:
        texts = [
            units.rate(port.rate_bps) + ("*" if port.rate_changes or port.follows_trace else ""),
            units.time(port.delay_s),
            units.packets(buffer_limit(port))
            if port.limit_bytes is None
            else units.scaled(port.limit_bytes, ("B", "kB", "MB")),
            units.time(known.full_bits(port) / port.rate_bps),
            units.packets(port.bdp_packets) if port.load else "–",
            _queue(resolved, port),
            _span(resolved.load(port)) if port.load else "ACKs",
        ]
        rows.append((port.name, [Cell(text) for text in texts]))
    changing = any("*" in str(cells[0]) for _, cells in rows)
    title = "Ports; full: the time that a full buffer of data takes to send"
    return Grid(title + ("; *: the rate changes" if changing else ""), columns, rows)


def _queue(resolved: Resolved, port: _core.Port) -> str:
    """`red, 70 to 210 packets`: the discipline, with the thresholds that it may have chosen itself."""
    parameters = resolved.aqm(port).parameters
    low, high = parameters.get("min_th"), parameters.get("max_th")
    if not (isinstance(low, str) and isinstance(high, str)):
        return port.queue
    steady = None if port.rate_changes or port.follows_trace else port.rate_bps
    low, high = (_core.level_in_words(level, steady) for level in (low, high))
    unit = f" {high.partition(' ')[2]}"
    return f"{port.queue}, {low.removesuffix(unit)} to {high}"


def _paths(resolved: Resolved) -> Grid:
    from weir.check import units
    from weir.stats import Cell, Grid

    columns = ["traffic", "base RTT", "BDP", "flows", "bottleneck", "data over"]
    rows: list[tuple[str, list[Cell]]] = []
    for path in resolved.paths:
        low, high = path.base_rtt_range_s
        base = units.time(low) if path.base_rtt_s is not None else f"{units.time(low)} to {units.time(high)}"
        texts = [
            path.traffic, base, units.packets(path.bdp_packets), _span(resolved.load(path)),
            path.bottleneck.name, ", ".join(path.data),
        ]  # fmt: skip
        rows.append((path.group, [Cell(text) for text in texts]))
    return Grid("Groups of flows", columns, rows)


def _changes(network: _core.Network) -> list[Grid]:
    """Flows and rates over time, where they change."""
    from weir.check import units
    from weir.scenario import flows_at
    from weir.stats import Cell, Grid

    loads = {path.group: path.load for path in network.paths}
    rated = [port for port in network.ports if port.rate_changes]
    known = {0.0, *(at for port in rated for at, _ in port.rate_changes)}
    known.update(change.at_s for load in loads.values() for change in load)
    instants = sorted(at for at in known if at < network.duration_s)
    if len(instants) < 2:
        return []
    shown = instants[:_MOST]
    rows = [(group, [Cell(f"{flows_at(load, at):,}") for at in shown]) for group, load in loads.items()]
    for port in rated:
        changes = [(0.0, port.rate_bps), *port.rate_changes]
        at_each = (next(bps for since, bps in reversed(changes) if since <= at) for at in shown)
        rows.append((port.name, [Cell(units.rate(bps)) for bps in at_each]))
    left = f", the first {_MOST} of {len(instants):,} changes" if len(instants) > _MOST else ""
    return [Grid(f"Flows and rates from each instant on{left}", [units.time(at) for at in shown], rows)]


def _replaced(resolved: Resolved) -> list[Grid]:
    """Tables of queues, buffers and round trips that change in mid-run."""
    from weir.stats import Cell, Grid

    rows: list[tuple[str, list[Cell]]] = []
    for change in resolved.changes:
        for link, of_link in change.get("links", {}).items():
            of_reverse = of_link.get("reverse", {})
            for name, of in ((link, of_link), (f"{link}.reverse", of_reverse)):
                (queue,) = of.get("queue", {"": {}})
                now = [text for text in (queue, of.get("buffer", "")) if text]
                if now:
                    rows.append((str(change["at"]), [Cell(name), Cell(", ".join(now))]))
        for group, of_group in change.get("flows", {}).items():
            rows.append((str(change["at"]), [Cell(group), Cell(f"round trip {of_group['rtt']}")]))
    if not rows:
        return []
    left = f", the first {_MOST} of {len(rows):,}" if len(rows) > _MOST else ""
    return [Grid(f"Queues, buffers and round trips in mid-run{left}", ["of", "now"], rows[:_MOST])]


def _span(load: Load) -> str:
    """`8`, `20 to 160`; 0 for a group that never has a flow."""
    return f"{load.most:,}" if load.fewest == load.most else f"{load.fewest:,} to {load.most:,}"


def document_of(scenario: Scenario, found: Sequence[Repeated]) -> dict[str, Any]:
    from weir.check import Resolved, duration_of, estimated

    network, resolved = scenario.network, Resolved.of(scenario.core)
    return {
        "scenario": scenario.name,
        "title": scenario.title,
        "duration_s": network.duration_s,
        "warm_up_s": duration_of(resolved.document["measure"], "warm_up"),
        "cost": _plain(estimated(resolved), _COST),
        "bottleneck": _plain(network.bottleneck, _BOTTLENECK),
        "ports": [
            {**_plain(port, _PORT), "parameters": resolved.aqm(port).parameters, "load": _load(port.load)}
            for port in network.ports
        ],
        "paths": [
            {**_plain(path, _PATH), "bottleneck": path.bottleneck.name, "load": _load(path.load)}
            for path in network.paths
        ],
        "changes": resolved.changes,
        "notes": [one.to_json() for one in found],
    }


def _plain(of: object, names: Sequence[str]) -> dict[str, Any]:
    return {name: getattr(of, name) for name in names}


def _load(load: Sequence[_core.LoadChange]) -> list[dict[str, Any]]:
    return [_plain(change, ("at_s", "before", "after")) for change in load]
