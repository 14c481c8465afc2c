"""RED and its kin in the kernel: `red`, `red adaptive`, `choke`."""

from __future__ import annotations

from weir.export import kernel_red
from weir.export.errors import ExportError
from weir.export.port import Port
from weir.export.qdisc import MUCH, Qdisc, checked, rate_told
from weir.queue import Queue
from weir.stats.wording import number

_SIGNALS = {"uniform": 2.0, "geometric": 1.0, "wait": 2.0 / 3.0}
"""Signals per packet over p_b, by the spacing; the kernel's is uniform."""


_FASTEST = 34_000_000_000
"""Bits per second: tc counts bytes per second in 32 bits here, and nothing depends on more than that."""


def red(port: Port) -> Qdisc:
    """RED."""
    found = Qdisc(port, "red", "3.3")
    w_q = float(port.parameters["w_q"])
    _thresholds(found, port.level("min_th"), port.level("max_th"), w_q, float(port.parameters["max_p"]))
    for name, said in (
        ("mark_p", "the kernel marks at any probability"),
        ("min_qlen", "the kernel signals whatever waits"),
        ("byte_mode", "the kernel's probability is the same for all sizes"),
    ):
        found.differs(name, None, said)
    return found


def computed(port: Port) -> tuple[float, float, float]:
    """Adaptive RED's thresholds in bytes and its weight, as the law computes them from the link."""
    law = Queue(
        {port.law: dict(port.parameters)},
        rate=port.rate_told,
        buffer=f"{port.room} B" if port.in_bytes else f"{port.room} packets",
        mean_packet=f"{port.mean_packet} B",
    )
    stated = [str(port.parameters[name]) for name in ("min_th", "max_th") if name in port.parameters]
    # Levels of the law are in the unit in which they were stated, and in packets if none was.
    size = 1 if stated and not stated[0].endswith(("packets", "packet")) else port.mean_packet
    return law["min_th"] * size, law["max_th"] * size, law["w_q"]


def adaptive_red(port: Port) -> Qdisc:
    """RED of which the kernel moves the probability."""
    found = Qdisc(port, "red", "3.3")
    _thresholds(found, *computed(port), float(port.parameters["max_p"]))
    found.option("adaptive")
    for name, kernels in (
        ("bottom", 0.01),
        ("top", 0.5),
        ("alpha", 0.01),
        ("beta", 0.9),
        ("interval", "500 ms"),
    ):
        found.differs(name, kernels, f"the kernel has {kernels}")
    return found


def choke(port: Port) -> Qdisc:
    """CHOKe, whose thresholds the kernel counts in packets."""
    found = Qdisc(port, "choke", "3.3")
    levels = [port.level(name) / port.mean_packet for name in ("min_th", "max_th")]
    # tc finds no weight for a burst above one packet.
    least = max(round(levels[0]), 2)
    most = max(round(levels[1]), least + 1)
    if most > port.room_packets:
        raise ExportError(
            f"max_th, {port.parameters['max_th']}, is beyond the buffer, {port.buffer_told}; tc refuses that",
            "make the buffer larger or max_th smaller",
            f"links.{port.link}.queue.choke.max_th",
        )
    # sch_choke.c, CHOKE_MAX_QUEUE.
    found.whole("limit", port.room_packets, most=128 * 1024 - 1, why="CHOKe has no more")
    found.option("bandwidth", rate_told(min(port.rate, _FASTEST)))
    for name, wanted, used in (("min", levels[0], least), ("max", levels[1], most)):
        found.option(name, used)
        found.rounded(name, wanted, used)
    weight = kernel_red.weight(float(port.parameters["w_q"]), least, most, 1, 1 / port.packets_per_second)
    found.option("avpkt", port.mean_packet)
    found.option("burst", weight.burst)
    _weighed(found, weight, float(port.parameters["w_q"]))
    _probable(found, float(port.parameters["max_p"]), most - least, port.mean_packet)
    if port.on("ecn"):
        found.option("ecn")
        found.differs("harddrop", kernels=False, said="beyond max the kernel marks what can be marked")
    _shapes(found)
    found.differs("draws", 1, "the kernel compares with one packet")
    found.differs("candidate", "random", "the kernel compares with a random packet")
    return found


def _thresholds(found: Qdisc, low: float, high: float, w_q: float, max_p: float) -> None:
    """All that RED is asked for but how it adapts."""
    port = found.port
    least, most = checked("min", low), checked("max", high)
    if least < 2:
        found.warnings.append(f"min_th of {low:g} B: tc would take a third of max for 0, so min is 2 B")
        least = 2
    if most < least:
        raise ExportError("max_th is below min_th", path=f"links.{port.link}.queue.{port.law}.max_th")
    if most > kernel_red.WIDEST:
        raise ExportError(
            f"max_th of {most} B is more than the kernel's RED can keep, {kernel_red.WIDEST} B",
            path=f"links.{port.link}.queue.{port.law}.max_th",
        )
    weight = kernel_red.weight(w_q, least, most, port.mean_packet, 1 / port.packets_per_second)
    bandwidth = port.rate
    if weight.avpkt != port.mean_packet:
        # Only their ratio counts, for the time that a packet takes and the average after an idle time.
        bandwidth = max(round(port.rate * weight.avpkt / port.mean_packet), 8)
        found.notes.append(
            f"avpkt and bandwidth are {weight.avpkt}/{port.mean_packet} of packet and link: tc finds no "
            "burst for a min below two packets, and their ratio alone counts"
        )
    found.option("limit", checked("the buffer", port.room_bytes))
    found.option("min", least)
    found.option("max", most)
    found.option("avpkt", weight.avpkt)
    found.option("burst", weight.burst)
    found.option("bandwidth", rate_told(min(bandwidth, _FASTEST)))
    if most > port.room_bytes:
        found.notes.append("max lies beyond limit: the buffer is full before")
    _weighed(found, weight, w_q)
    _probable(found, max_p, most - least)
    if port.on("ecn"):
        found.option("ecn")
        if port.parameters.get("harddrop", True):
            found.option("harddrop")
    _shapes(found)


def _weighed(found: Qdisc, weight: kernel_red.Weight, wanted: float) -> None:
    found.notes.append(f"burst {weight.burst} makes tc choose the weight 1/{2**weight.log}")
    bounded = 2.0**-weight.log > 1.5 * wanted
    why = "max / w_q and idle times have 32 bits" if bounded else "the kernel has powers of two, to 1/2"
    found.rounded("w_q", wanted, weight.value, why)
    if weight.log >= 10:
        found.notes.append('tc says "Burst seems to be too large" of any weight below 1/512: it is only slow')


def _probable(found: Qdisc, wanted: float, band: int, unit: int = 1) -> None:
    asked, kept = kernel_red.probability(wanted, band, unit)
    found.option("probability", f"{asked:.6g}")
    if asked != wanted:
        found.notes.append(f"probability {asked:.6g} for {wanted:g}, for which tc and kernel have no room")
    if abs(kept - wanted) > MUCH * wanted:
        found.rounded("probability", wanted, kept, "the kernel has 32 bits for p / (max - min)")
    old = kernel_red.plog_probability(asked, band)
    if abs(old - wanted) > MUCH * wanted:
        found.notes.append(
            f"probability: kernels before 3.3 would make it {old:.3g}, a power of two of max - min"
        )


def _shapes(found: Qdisc) -> None:
    if found.port.on("gentle"):
        found.warnings.append("gentle = true: beyond max the kernel signals every packet, there is no ramp")
    spacing = str(found.port.parameters.get("spacing", "uniform"))
    if spacing != "uniform":
        times = number(_SIGNALS["uniform"] / _SIGNALS[spacing], 0)
        found.warnings.append(
            f'spacing = "{spacing}": the kernel spaces as "uniform", which signals {times} times as often '
            "at the same probability"
        )
