"""RED's numbers as the kernel keeps them: powers of two and 32 bits.

Facts: `tc` asks for a burst b and takes for the weight the largest W = 2^-k, k = 1, 2, ..., with
b + 1 - min/avpkt <= (1 - (1-W)^b) / W, the burst that the average lets pass below min (Floyd and Jacobson,
1993, section 6). The kernel keeps min and max shifted by k in 32 bits, and the probability as the whole part
of p 2^32 / (max - min); it has had p itself since Linux 3.3, before that only (max - min) / 2^Plog. (Read in
iproute2, tc/tc_red.c and q_red.c, and in Linux, include/net/red.h.)
"""

from __future__ import annotations

import math
from bisect import bisect_right
from dataclasses import dataclass

MOST = 31
"""Of k."""

WIDEST = 2**30 - 1
"""Of a threshold: with a weight of 1/2 it fills the 32 bits."""

TICK = 64e-9
"""Seconds, in which tc counts time."""


@dataclass(frozen=True)
class Weight:
    """A weight of the average as tc is asked for it."""

    burst: int
    """Packets."""
    log: int
    """The kernel's weight is 2^-log."""
    avpkt: int
    """Bytes: the packet size that the burst is counted in."""

    @property
    def value(self) -> float:
        return 2.0**-self.log


def log_of(burst: int, least: float, avpkt: int) -> int | None:
    """What tc makes of a burst: k of the weight 2^-k; None where it finds none."""
    excess = burst + 1.0 - least / avpkt
    if excess < 1.0:
        return None
    return next((log for log in range(1, MOST + 1) if excess <= _passes(burst, log)), None)


def weight(wanted: float, least: int, most: int, avpkt: int, takes: float) -> Weight:
    """The weight nearest to `wanted` that the kernel can have for thresholds of `least` and `most`, and a
    burst that makes tc choose it. A mean packet `takes` so many seconds. Thresholds are in bytes, or in
    packets with an avpkt of 1.

    tc has a burst for a weight if min is well above a packet, and for any if it is a whole number of packets;
    so smaller packets are tried, down to a byte.
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


def probability(wanted: float, band: int, unit: int = 1) -> tuple[float, float]:
    """What to write for a probability over a band of max - min, and what the kernel makes of it.

    Of 1, p 2^32 has no room in 32 bits, and the kernel falls back to (max - min) / 2^Plog. tc wants a Plog of
    31 at most, whether or not the kernel takes it; it counts a band of packets in bytes, `unit` each.
    """
    asked = min(max(wanted, 1.01 * max(band, 1) * unit / 2.0**31), 0.999999)
    step = max(int(asked * 2.0**32) // max(band, 1), 1)
    return asked, min(step * max(band, 1) / 2.0**32, 1.0)


def plog_probability(wanted: float, band: int) -> float:
    """What kernels before 3.3 make of it."""
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
