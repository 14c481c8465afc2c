"""RED and its kin in the kernel: `red`, `red adaptive`, `choke`; their numbers are powers of two and 32 bits.

Facts: `tc` asks for a burst b, which the average lets pass below min (Floyd and Jacobson, 1993, section 6).
It takes a power of two as the weight: the largest W = 2^-k, k = 1, 2, ..., with
b + 1 - min/avpkt <= (1 - (1-W)^b) / W. The kernel keeps min and max shifted by k in 32 bits, and the
probability as the whole part of p 2^32 / (max - min). It has had p itself since Linux 3.3, before that only
(max - min) / 2^Plog. (Read in iproute2, tc/tc_red.c and q_red.c, and in Linux, include/net/red.h.)
"""

from __future__ import annotations

import math
from bisect import bisect_right
from dataclasses import dataclass

from weir.export._port import Port
from weir.export._qdisc import MUCH, Qdisc, in_32_bits, tc_rate
from weir.queue import Queue
from weir.stats.wording import number

SIGNALS = {"uniform": 2.0, "geometric": 1.0, "wait": 2.0 / 3.0}
"""Signals per packet over p_b, by the spacing; the kernel's is uniform."""

_FASTEST = 34_000_000_000
"""Largest rate in bit/s: tc counts bytes per second in 32 bits here, and nothing depends on higher rates."""

_ADAPTIVE = {"bottom": 0.01, "top": 0.5, "alpha": 0.01, "beta": 0.9, "interval": "500 ms"}
"""Parameters with which the kernel adapts the probability."""

MOST = 31
"""Largest k of a weight 2^-k."""

WIDEST = 2**30 - 1
"""Largest threshold: with a weight of 1/2 it fills the 32 bits."""

TICK = 64e-9
"""Unit of time in tc, in seconds."""


def levels(port: Port) -> tuple[float, float, float]:
    """The thresholds in bytes and the weight; those of Adaptive RED as it computes them from the link."""
    if port.discipline != "adaptive-red":
        return port["min_th"], port["max_th"], port["w_q"]
    queue = Queue(
        {port.discipline: dict(port.settings)},
        rate=port.table["rate"],
        buffer=port.limit,
        mean_packet=f"{port.mean_packet} B",
    )
    stated = [str(port.settings[name]) for name in ("min_th", "max_th") if name in port.settings]
    # Its levels are in the unit in which they were stated, and in packets if none was.
    size = 1 if stated and not stated[0].endswith(("packets", "packet")) else port.mean_packet
    return queue["min_th"] * size, queue["max_th"] * size, queue["w_q"]


def red(found: Qdisc) -> None:
    """Adds the options of RED."""
    _thresholds(found)
    found.differs("mark_p", None, "the kernel marks at any probability")
    if found.port["min_qlen"]:
        found.differs("min_qlen", None, "the kernel signals whatever waits")
    found.differs("byte_mode", None, "the kernel's probability is the same for all sizes")


def adaptive_red(found: Qdisc) -> None:
    """Adds the options of RED with a probability that the kernel adapts."""
    _thresholds(found)
    found.option("adaptive")
    # iproute2, tc/q_red.c, since 5.7; Linux, net/sched/sch_red.c, arms the timer by the older field.
    found.warnings.append(
        f"adaptive: set by tc of iproute2 5.7 or newer, Linux 5.7 or newer never moves max_p from "
        f"{found.port['max_p']:g}: tc sends the flag in TCA_RED_FLAGS alone, and the kernel starts its timer "
        "by the older flags. Use tc of iproute2 5.6, or red with a max_p that suits the load"
    )
    for name, kernels in _ADAPTIVE.items():
        found.differs(name, kernels, f"the kernel has {kernels}")


def choke(found: Qdisc) -> None:
    """Adds the options of CHOKe, whose thresholds the kernel counts in packets."""
    port = found.port
    low, high, w_q = levels(port)
    wanted = low / port.mean_packet, high / port.mean_packet
    # tc finds no weight for a burst above one packet.
    least = max(round(wanted[0]), 2)
    most = max(round(wanted[1]), least + 1)
    if most > port.limit_packets:
        raise found.error(
            f"max_th, {port.settings['max_th']}, is beyond the buffer, {port.table['buffer']}; "
            "tc refuses that",
            "make the buffer larger or max_th smaller",
            "max_th",
        )
    # sch_choke.c, CHOKE_MAX_QUEUE.
    found.whole("limit", port.limit_packets, most=128 * 1024 - 1, why="CHOKe has no more")
    found.option("bandwidth", tc_rate(min(port.rate, _FASTEST)))
    for name, stated, used in (("min", wanted[0], least), ("max", wanted[1], most)):
        found.option(name, used)
        found.rounded(name, stated, used)
    weight = kernel_weight(w_q, least, most, 1, port.packet_s)
    found.option("avpkt", port.mean_packet)
    found.option("burst", weight.burst)
    _weighed(found, weight, w_q)
    _probable(found, most - least, port.mean_packet)
    if port["ecn"]:
        found.option("ecn")
        found.differs("harddrop", kernels=False, said="beyond max the kernel marks what can be marked")
    _shape(found)
    found.differs("draws", 1, "the kernel compares with one packet")
    found.differs("candidate", "random", "the kernel compares with a random packet")


def _thresholds(found: Qdisc) -> None:
    """Adds all options of RED except those on how it adapts."""
    port = found.port
    low, high, w_q = levels(port)
    least, most = in_32_bits("min", low), in_32_bits("max", high)
    if least < 2:
        found.warnings.append(f"min_th of {low:g} B: tc would take a third of max for 0, so min is 2 B")
        least = 2
    if most < least:
        raise found.error("max_th is below min_th", parameter="max_th")
    if most > WIDEST:
        raise found.error(
            f"max_th of {most} B is more than the kernel's RED can keep, {WIDEST} B",
            parameter="max_th",
        )
    weight = kernel_weight(w_q, least, most, port.mean_packet, port.packet_s)
    bandwidth = port.rate
    if weight.avpkt != port.mean_packet:
        # Only their ratio counts, for the time that a packet takes and the average after an idle time.
        bandwidth = max(round(port.rate * weight.avpkt / port.mean_packet), 8)
        found.notes.append(
            f"avpkt and bandwidth are {weight.avpkt}/{port.mean_packet} of packet and link: tc finds no "
            "burst for a min below two packets, and their ratio alone counts"
        )
    found.option("limit", in_32_bits("the buffer", port.limit_bytes))
    found.option("min", least)
    found.option("max", most)
    found.option("avpkt", weight.avpkt)
    found.option("burst", weight.burst)
    found.option("bandwidth", tc_rate(min(bandwidth, _FASTEST)))
    if most > port.limit_bytes:
        found.notes.append("max lies beyond limit: the buffer is full before")
    _weighed(found, weight, w_q)
    _probable(found, most - least)
    if port["ecn"]:
        found.option("ecn")
        if port["harddrop"] is not False:
            found.option("harddrop")
    _shape(found)


def _weighed(found: Qdisc, weight: Weight, wanted: float) -> None:
    found.notes.append(f"burst {weight.burst} makes tc choose the weight 1/{2**weight.log}")
    bounded = weight.value > 1.5 * wanted
    why = "max / w_q and idle times have 32 bits" if bounded else "the kernel has powers of two, to 1/2"
    found.rounded("w_q", wanted, weight.value, why)
    if weight.log >= 10:
        found.notes.append('tc says "Burst seems to be too large" of any weight below 1/512: it is only slow')


def _probable(found: Qdisc, band: int, unit: int = 1) -> None:
    wanted = found.port["max_p"]
    asked, kept = kept_probability(wanted, band, unit)
    found.option("probability", f"{asked:.6g}")
    if asked != wanted:
        found.notes.append(f"probability {asked:.6g} for {wanted:g}, for which tc and kernel have no room")
    if abs(kept - wanted) > MUCH * wanted:
        found.rounded("probability", wanted, kept, "the kernel has 32 bits for p / (max - min)")
    old = plog_probability(asked, band)
    if abs(old - wanted) > MUCH * wanted:
        found.notes.append(
            f"probability: kernels before 3.3 would make it {old:.3g}, a power of two of max - min"
        )


def _shape(found: Qdisc) -> None:
    if found.port["gentle"]:
        found.warnings.append("gentle = true: beyond max the kernel signals every packet, there is no ramp")
    spacing = found.port["spacing"] or "uniform"
    if spacing != "uniform":
        times = number(SIGNALS["uniform"] / SIGNALS[spacing], 0)
        found.warnings.append(
            f'spacing = "{spacing}": the kernel spaces as "uniform", which signals {times} times as often '
            "at the same probability"
        )


# The numbers.


@dataclass(frozen=True)
class Weight:
    """Weight of the average, in the terms of tc."""

    burst: int
    """Burst in packets."""
    log: int
    """Negative binary logarithm of the weight in the kernel: the weight is 2^-log."""
    avpkt: int
    """Packet size in bytes that the burst is counted in."""

    @property
    def value(self) -> float:
        return 2.0**-self.log


def log_of(burst: int, least: float, avpkt: int) -> int | None:
    """The k of the weight 2^-k that tc computes from a burst; None where it finds none."""
    excess = burst + 1.0 - least / avpkt
    if excess < 1.0:
        return None
    return next((log for log in range(1, MOST + 1) if excess <= _passes(burst, log)), None)


def kernel_weight(wanted: float, least: int, most: int, avpkt: int, takes: float) -> Weight:
    """The weight nearest to `wanted` that the kernel can have for thresholds of `least` and `most`, and a
    burst that makes tc choose it. A mean packet `takes` so many seconds. Thresholds are in bytes, or in
    packets with an avpkt of 1.

    tc has a burst for a weight if min is well above a packet. It has one for any weight if min is a whole
    number of packets. So smaller packets are tried, down to a byte.
    """
    # What the average does in an idle time is a table of 512 times 2^31 ticks at most.
    table = int(math.log2(512.0 * 2.0**31 / (31.0 * max(takes / TICK, 1.0))))
    log = max(min(round(-math.log2(max(wanted, 2.0**-MOST))), MOST - most.bit_length(), table), 1)
    for packet in (min(avpkt, least // 2), *(least // parts for parts in range(2, 9)), 1):
        size = max(packet, 1)
        low, high = _longest(log - 1, least / size), _longest(log, least / size)
        # In the middle of the bursts for which tc takes this weight.
        burst = max(round((low + high) / 2.0), low + 1)
        if log_of(burst, least, size) == log:
            return Weight(burst, log, size)
    raise AssertionError(f"tc has a burst for a min of {least} bytes, counted in bytes")


def kept_probability(wanted: float, band: int, unit: int = 1) -> tuple[float, float]:
    """The probability to write for a band of max - min, and the probability that the kernel makes of it.

    Of 1, p 2^32 has no room in 32 bits, and the kernel falls back to (max - min) / 2^Plog. tc wants a Plog of
    31 at most, whether or not the kernel takes it; it counts a band of packets in bytes, `unit` each.
    """
    asked = min(max(wanted, 1.01 * max(band, 1) * unit / 2.0**31), 0.999999)
    step = max(int(asked * 2.0**32) // max(band, 1), 1)
    return asked, min(step * max(band, 1) / 2.0**32, 1.0)


def plog_probability(wanted: float, band: int) -> float:
    """The probability that kernels before 3.3 make of `wanted`."""
    log = next((log for log in range(MOST) if wanted / max(band, 1) * 2.0**log > 1.0), MOST)
    return band / 2.0**log


def _passes(burst: int, log: int) -> float:
    return (1.0 - (1.0 - 2.0**-log) ** burst) * 2.0**log


def _longest(log: int, least: float) -> int:
    """The longest burst for which tc takes 2^-log or more; `least` in packets."""
    shortest = max(math.ceil(least) - 1, 0)
    if log < 1:
        return shortest
    longer = range(shortest + 1, int(2**log + least) + 1)
    refused = bisect_right(longer, 0, key=lambda burst: burst + 1.0 - least > _passes(burst, log))
    return shortest + refused
