"""CAKE with its options, and COBALT as CAKE has it."""

from __future__ import annotations

import json

from weir import _core
from weir.export._port import SLOWEST, Port
from weir.export._qdisc import Qdisc, in_32_bits, memory_of_packet, tc_rate

_MTU = 1514
"""Bytes of a full frame, to which CAKE scales its times."""

_FILTERS = {"off": "no-ack-filter", "conservative": "ack-filter", "aggressive": "ack-filter-aggressive"}

_CARRIERS = {"plain": "noatm", "atm": "atm", "ptm": "ptm"}


def cake(found: Qdisc) -> None:
    """All of CAKE. Where it is unlimited, a token bucket before it stands for the link."""
    port = found.port
    if port["unlimited"]:
        found.option("unlimited")
    else:
        _bandwidth(found)
    found.option(port["tins"])
    found.option(port["isolation"])
    # What the kernel can besides; written, since options of an earlier run would stay.
    for word in ("nonat", "nowash", _FILTERS[port["ack_filter"] or "off"]):
        found.option(word)
    if port["isolation"] not in {"flowblind", "flows"}:
        found.notes.append(
            "nonat: hosts are IP addresses; on a router that hides them (NAT) write nat, or they are one host"
        )
    found.option("ingress" if port["ingress"] else "egress")
    found.time("rtt")
    found.option(_CARRIERS[port["carrier"]])
    for name in ("overhead", "mpu"):
        found.option(name, round(port[name]))
    _memory(found)
    _as_in_the_kernel(found)


def _bandwidth(found: Qdisc) -> None:
    port = found.port
    found.shapes, found.counts_frames = True, False
    wanted = port["bandwidth"]
    if wanted is None:
        found.option("bandwidth", tc_rate(port.rate))
        if not _has_framing(port):
            found.notes.append(
                "overhead: bytes count from the IP header on, as in the simulation; a real line takes more "
                "for each packet, 22 to 44 B: set overhead for yours"
            )
        return
    found.bandwidth = round(wanted)
    if found.bandwidth < SLOWEST:
        shown = port.settings["bandwidth"]
        raise found.error(f"a rate of {shown} is none that a shaper can keep", parameter="bandwidth")
    found.option("bandwidth", tc_rate(found.bandwidth))
    found.notes.append("bandwidth: that of the scenario, whatever share of the link's rate is asked for")
    if found.bandwidth > port.core.rate_bps:
        found.warnings.append(
            f"bandwidth = {port.settings['bandwidth']}: above the link's {port.table['rate']}, so "
            "that packets wait behind CAKE, in the device or the modem; in the simulation they wait in CAKE"
        )


def _has_framing(port: Port) -> bool:
    return bool(port["overhead"] or port["mpu"]) or port["carrier"] != "plain"


def _memory(found: Qdisc) -> None:
    """The smaller one of the link's buffer and of CAKE's memory, as the kernel counts it."""
    port = found.port
    wanted, of = float(port.limit_bytes), f"the link's buffer, {port.limit}"
    _, memory = _core.cake_bytes(json.dumps(port.settings), port.mean_packet, port.core.rate_bps)
    if memory <= wanted:
        wanted, of = float(memory), f"memory_limit, {round(memory)} B"
    of_packet = memory_of_packet(port)
    used = in_32_bits("memlimit", wanted * of_packet / port.mean_packet)
    found.option("memlimit", used)
    found.notes.append(
        f"memlimit: {of}; the kernel counts the memory that a packet takes, about {of_packet} B for one of "
        f"{port.mean_packet} B"
    )


def cobalt(found: Qdisc) -> None:
    """COBALT alone, as CAKE has it: its own shaper, one queue."""
    port = found.port
    found.shapes = True
    found.option("bandwidth", tc_rate(port.rate))
    found.option("besteffort")
    found.option("flowblind")
    found.time("rtt", port["interval"])
    # 1.5 packets of an MTU at least, and a twentieth of the round trip.
    used = max(port["interval"] / 20.0, 1.5 * _MTU * 8.0 / port.rate)
    why = "CAKE's is a twentieth of its rtt, or 1.5 MTU"
    found.rounded("target", 1e6 * port["target"], 1e6 * used, why, " us")
    found.differs("ecn", kernels=True, said="CAKE marks whatever is ECN-capable")
    _as_in_the_kernel(found)
    found.differs("blue_threshold", None, "CAKE has no such threshold")
    found.warnings.append(
        f"buffer = {port.table['buffer']}: CAKE's limit, memlimit, counts the kernel's memory and not "
        "packets; it is left to CAKE"
    )


def _as_in_the_kernel(found: Qdisc) -> None:
    """Steps of Blue's probability, which no option sets."""
    found.differs("increment", 1 / 256, "CAKE has 1/256")
    found.differs("decrement", 1 / 4096, "CAKE has 1/4096")
