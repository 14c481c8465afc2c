"""The rule on what a line does behind the transmitter of its port."""

from __future__ import annotations

from collections.abc import Iterator
from math import ceil

from weir.check._note import Remark, warning
from weir.check._resolved import Resolved
from weir.check._units import rate


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
