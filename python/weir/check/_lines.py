"""Rules on when packets leave: grants of a line behind its port, and those of a cable modem."""

from __future__ import annotations

from collections.abc import Iterator
from math import ceil, floor

from weir import _core
from weir.check._modem import carried_bps, guaranteed_bps, is_guaranteed, loop_s, modem_of
from weir.check._note import Remark, note, warning
from weir.check._packets import Packets
from weir.check._resolved import Resolved, duration_of
from weir.check._units import level, packets, rate, size, time

_TURNS = 20
"""Waits for a grant that a run has time for, below which its results are those of few turns. Senders double
their windows once a turn: `tests/test_cable.py` has 0.3% of 10 Mbit/s in six turns of 10 s."""


def grants_below_rate(scene: Resolved) -> Iterator[Remark]:
    """Grants let less leave a line than its link sends: packets wait on the line, where no queue sees them.

    The queue does not limit them, and utilisation and goodput are shares of a rate that nothing can reach.
    """
    for port in scene.data_ports:
        granted = scene.granted_bps(port)
        if granted < scene.rates(port)[0]:
            where = f"{port.key}.aggregation.packets"
            most = scene.link(port)["aggregation"]["packets"]
            yield warning(
                where,
                f"grants let {rate(granted)} leave the line of {port.name}, in packets of "
                f"{port.mean_packet_bytes:.0f} B, and it sends {rate(port.rate_bps)}: packets wait behind "
                "its queue, which does not see them",
                f"{where} = {ceil(most * port.rate_bps / granted)}",
            )


def burst_below_interval(scene: Resolved) -> Iterator[Remark]:
    """The bucket of a cable modem holds less than comes in a MAP interval: it never reaches its rate.

    A grant takes its bytes from the bucket, once in an interval. Tokens above its depth are lost.
    """
    for port in scene.data_ports:
        line = scene.link(port)
        if "docsis" not in line or "token_bucket" not in line:
            continue
        interval = duration_of(line["docsis"], "map_interval")
        held, _ = _core.quantity(line["token_bucket"]["burst"])
        needed = max(scene.rates(port)) * interval / 8.0
        if held < needed:
            where = f"{port.key}.token_bucket.burst"
            yield warning(
                where,
                f"the bucket of {port.name} holds {size(held)}, and {size(needed)} come in a MAP interval of "
                f"{time(interval)}: grants let at most {rate(8.0 * held / interval)} leave",
                f'{where} = "{size(2 * ceil(needed))}"',
            )


def interval_too_short(scene: Resolved) -> Iterator[Remark]:
    """MAP intervals of a cable modem are so short that grants of whole bytes let less leave than its rate."""
    for port in scene.data_ports:
        if (modem := modem_of(scene, port)) is None:
            continue
        interval, highest = duration_of(modem, "map_interval"), max(scene.rates(port))
        channel, _ = _core.quantity(modem["channel"])
        peak = scene.link(port).get("token_bucket", {}).get("peak")
        fastest = channel if peak is None else min(channel, _core.quantity(peak)[0])
        # Rounded down by the core, from whole nanoseconds and bits.
        granted = floor(fastest * interval / 8.0 + 1e-6) * 8.0 / interval
        if granted < highest:
            where = f"{port.key}.docsis.map_interval"
            yield warning(
                where,
                f"a grant has whole bytes: in {time(interval)} at {rate(fastest)} they are {rate(granted)}, "
                f"less than the {rate(highest)} of {port.name}",
                f'{where} = "2 ms"',
            )


def grant_after_run(scene: Resolved) -> Iterator[Remark]:
    """A packet waits for its grant during much of the run: the run has time for few turns, or for none."""
    for port in scene.ports:
        modem, duration = modem_of(scene, port), scene.network.duration_s
        if modem is None or is_guaranteed(scene, port) or (wait := loop_s(modem)) * _TURNS <= duration:
            continue
        asked = duration_of(modem, "request_to_grant") >= wait / 2.0
        key, usual = ("request_to_grant", "1.62 ms") if asked else ("map_interval", "2 ms")
        where, granted = f"{port.key}.docsis.{key}", guaranteed_bps(modem)
        ends = wait >= duration
        beyond = f", beyond {rate(granted)}" if granted else ""
        turns = "none comes before its end" if ends else f"it has time for {duration / wait:.0f} turns"
        yield (warning if ends else note)(
            where,
            f"a packet waits about {time(wait)} for its grant{beyond}, and the run lasts {time(duration)}: "
            f"{turns}",
            f'{where} = "{usual}", or duration = "{time(5.0 * _TURNS * wait)}"',
        )


def buffer_below_loop(scene: Resolved) -> Iterator[Remark]:
    """A buffer holds less than a cable modem sends while a packet waits for its grant: the line idles.

    Packets wait for their grants in the queue (`docsis`). In a turn no more is asked for than waits there.
    """
    known = Packets(scene)
    for port in scene.data_ports:
        modem = modem_of(scene, port)
        if modem is None or is_guaranteed(scene, port):
            continue
        wait, each, held = loop_s(modem), 8.0 * known.mean_bytes(port), known.full_bits(port)
        if wait >= scene.network.duration_s:
            continue
        wanted = carried_bps(scene, port)
        carried = held / wait + guaranteed_bps(modem)
        if carried < wanted:
            where, needed = f"{port.key}.buffer", 2.0 * wanted * wait
            yield warning(
                where,
                f"the buffer of {port.name} holds {packets(held / each)}, and a packet waits about "
                f"{time(wait)} for its grant: at most {rate(carried)} leave",
                f'{where} = "{level(ceil(needed / each))}"',
            )
