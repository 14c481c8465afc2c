"""Rules on what changes during a run: which port is the bottleneck, and the rate of a port."""

from __future__ import annotations

from collections.abc import Iterator

from weir import _core
from weir.check._levels import fixed_levels
from weir.check._note import Note
from weir.check._resolved import Resolved, limit_of
from weir.check._units import packets, rate, time

_CLEARLY = 0.9
"""Rates per flow that are closer than this ratio count as equal."""

_TOLD = frozenset({"adaptive-red", "avq", "hred", "rem", "modular"})
"""AQMs that compute with the rate of the link."""


def ambiguous_bottleneck(scene: Resolved) -> Iterator[Note]:
    """More than one port could be the bottleneck: the headline measures are about one of them.

    Queue, marks and delay are measured at one port, which `measure.bottleneck` names.
    """
    found = scene.network.bottleneck
    if found.ambiguity is not None and not any(True for _ in moving_bottleneck(scene)):
        yield Note(
            "ambiguous-bottleneck",
            "note",
            "measure.bottleneck",
            f"results are about {found.name}, but {found.ambiguity}",
            f'measure.bottleneck = "{found.name}"',
        )


def moving_bottleneck(scene: Resolved) -> Iterator[Note]:
    """For some time at least, another port than the bottleneck has the least rate per flow.

    The bottleneck of a path is the port with the least rate at the start. Which port limits flows follows
    from their number too: the least rate per flow comes first in max-min fairness (Bertsekas and Gallager,
    Data Networks, section 6.5.2).
    """
    if scene.document["measure"].get("bottleneck") is not None:
        return
    for path in scene.paths:
        ports = [scene.network.port(name) for name in path.data]
        passed = [port for port in ports if port in scene.ports]
        named = next(port for port in passed if port.name == path.bottleneck.name)
        for at in scene.instants() if len(passed) > 1 and path.traffic == "bulk" else ():
            shares = {port.name: scene.rate_per_flow(port, at) for port in passed}
            least = min(passed, key=lambda port: shares[port.name])
            if shares[least.name] < _CLEARLY * shares[named.name]:
                yield Note(
                    "moving-bottleneck",
                    "warning",
                    least.key,
                    f"from {time(at)} on, {least.name} gives a flow {rate(shares[least.name])}, less than "
                    f"{named.name}, the bottleneck of {path.group}",
                    f'measure.bottleneck = "{least.name}", or measure.period to see each phase',
                )
                break


def fixed_while_rate_varies(scene: Resolved) -> Iterator[Note]:
    """The rate changes, and a threshold, gain or buffer that was chosen for one rate does not.

    A queue of so many packets is another delay at another rate. That is why CoDel and PIE control the delay
    (RFC 8289, section 3.1; RFC 8033, section 3).
    """
    for port in scene.data_ports:
        low, high = scene.rates(port)
        if low == high and not port.follows_trace:
            continue
        aqm, written = scene.aqm(port), str(scene.link(port)["buffer"])
        levels = [(level.path, level.written, level.packets) for level in fixed_levels(scene, port, aqm)]
        if _core.quantity(written)[1] in {"BDP", "s"}:
            levels.append((f"{port.key}.buffer", written, limit_of(port)))
        if not levels:
            continue
        where, _, level = levels[-1]
        parameters = " and ".join(path.rpartition(".")[2] for path, _, _ in levels)
        at = [time(level * 8.0 * port.mean_packet_bytes / bps) for bps in (high, low)]
        delays = (
            "the rate follows a trace"
            if port.follows_trace
            else f"{at[0]} at {rate(high)}, {at[1]} at {rate(low)}"
        )
        yield Note(
            "fixed-while-rate-varies",
            "note",
            where,
            f"{parameters} of {port.name} stay{'s' if len(levels) == 1 else ''} at so many packets while the "
            f"rate changes: {packets(level)} last {delays}",
            f"an AQM with a target delay, for example {port.key}.queue.codel = {{}}",
        )


def mean_rate_of_trace(scene: Resolved) -> Iterator[Note]:
    """An AQM computes with the rate of the link, and the link follows a trace.

    It is told one rate, `rate` or the mean of the trace, not what the trace delivers at the time.
    """
    for port in scene.data_ports:
        aqm = scene.aqm(port)
        if port.follows_trace and (aqm.name in _TOLD or "design" in aqm.parameters):
            yield Note(
                "mean-rate-of-trace",
                "warning",
                aqm.path,
                f"{aqm.name} computes with {rate(port.rate_bps)}, not with what the trace delivers then",
                f"an AQM that needs no rate, for example {port.key}.queue.codel = {{}}",
            )
