"""The rule on thresholds and targets against what the buffer holds, at the start and after each change."""

from __future__ import annotations

from collections.abc import Iterator
from math import ceil

from weir import _core
from weir.check import _levels as levels
from weir.check._levels import Level
from weir.check._note import Remark, note, warning
from weir.check._resolved import Phase, Resolved
from weir.check._units import packets, time


def threshold_above_buffer(scene: Resolved) -> Iterator[Remark]:
    """A threshold or target lies above what the buffer holds: the AQM never or hardly acts.

    The buffer overflows first, so that the queue is DropTail in all but name.
    """
    for port in scene.data_ports:
        told: set[str] = set()
        for phase in scene.phases(port):
            if phase.at_s >= scene.network.duration_s:
                break
            for one in _between_changes(scene, port, phase):
                if one.path not in told:
                    told.add(one.path)
                    yield one


def _between_changes(scene: Resolved, port: _core.Port, phase: Phase) -> Iterator[Remark]:
    aqm, limit = phase.aqm, phase.buffer[2]
    since = f"from {time(phase.at_s)} on, " if phase.at_s > 0.0 else ""
    first = levels.weakest(scene, port, aqm)
    last = levels.level_of(scene, port, aqm, aqm.parameter("last"))
    # A level that fills the buffer is at it, though a buffer in time is one of whole packets.
    if first is not None and first.packets >= limit:
        strong = last is None or last.path == first.path
        least = levels.enough_of(scene, port, aqm) if strong else 0.0
        said = levels.in_words(scene, port, first.written)
        yield warning(
            first.path,
            f"{since}{said} is not below the buffer of {packets(limit)}: {aqm.name} acts as DropTail",
            _lowered(scene, port, phase, first, 0.25, least),
        )
    elif last is not None and last.packets > limit + 0.5:
        least = max(levels.enough_of(scene, port, aqm), first.packets + 1.0 if first is not None else 0.0)
        yield note(
            last.path,
            f"{since}the buffer of {packets(limit)} overflows before the queue reaches "
            f"{levels.in_words(scene, port, last.written)}",
            _lowered(scene, port, phase, last, levels.ROOM, least),
        )
    delay = None if aqm.per_flow else levels.level_of(scene, port, aqm, aqm.parameter("delay"))
    # The ramp of a low-latency queue has a delay of its own.
    if delay is None or scene.follows_trace(port) or aqm.parameters.get("low_latency") == "any-ect":
        return
    drained = limit * 8.0 * port.mean_packet_bytes / min(scene.rates_between(port, phase.at_s, phase.until_s))
    target_s = _core.quantity(delay.written)[0]
    if drained <= target_s:
        least = 1.5 * levels.sent_s(scene, port)
        if least > drained / 2.0:
            reached = 2.0 * limit * target_s / drained
            hint = levels.larger_buffer(phase.buffer[0], max(reached, levels.PACKETS_FOR_DELAY))
        else:
            hint = f'{delay.path} = "{time(max(drained / 4.0, least))}", or a larger buffer'
        yield warning(
            delay.path,
            f"{since}a full buffer waits {time(drained)}, not over {delay.written}: {aqm.name} hardly acts",
            hint,
        )


def _lowered(
    scene: Resolved, port: _core.Port, phase: Phase, level: Level, share: float, least: float
) -> str:
    """A level at a share of the buffer, but not below what another rule wants: else a larger buffer."""
    limit = phase.buffer[2]
    value = max(1, round(limit * share))
    if value < least:
        value = ceil(least)
    if value <= levels.ROOM * limit:
        return f'{level.path} = "{levels.in_unit_of(port, level, value)}", or a larger buffer'
    highest = max(one.packets for one in levels.fixed_levels(scene, port, phase.aqm))
    wanted = max(highest, 2.0 * levels.enough_of(scene, port, phase.aqm))
    return f"{levels.larger_buffer(phase.buffer[0], wanted / levels.ROOM)}, or a lower {level.name}"
