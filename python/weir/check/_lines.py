"""Rules on when packets leave: grants of a line behind its port, and those of a cable modem."""

from __future__ import annotations

from collections.abc import Iterator
from math import ceil

from weir import _core
from weir.check._note import Remark, warning
from weir.check._resolved import Resolved, duration_of
from weir.check._units import rate, size, time


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
