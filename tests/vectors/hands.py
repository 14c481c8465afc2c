"""Helpers for the vectors: queues whose arrivals find exactly the queue that a published number supposes.

An arrival at an idle line leaves every average at 0. So one packet of `level` bytes is a queue of
that level without a past. Thresholds in bytes then stand for a paper's packets.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from math import sqrt
from typing import Any

import weir
from weir.queue import Ecn, Offered, Taken

Aqm = str | Mapping[str, Any]


def holding(aqm: Aqm, level: int, *, rate: str = "8 Mbit/s", seed: int = 1) -> weir.Queue:
    """A queue in which one packet of so many bytes waits."""
    queue = weir.Queue(aqm, rate=rate, buffer="500 kB", seed=seed)
    queue.offer(0.0, level, ecn="ect0")
    assert queue.bytes == level
    return queue


def arrive(queue: weir.Queue, size: int, now: float = 0.0, ecn: Ecn = "not-ect") -> Offered:
    """Offers a packet; if it is let in, one of its size leaves, so that the next packet finds the same
    queue."""
    offered = queue.offer(now, size, ecn=ecn)
    if offered.verdict != "dropped":
        queue.take(now)
    return offered


def fill(queue: weir.Queue, packets: int, now: float = 0.0, ecn: Ecn = "not-ect", size: int = 1000) -> None:
    """Fills the queue with more packets, all of which are let in."""
    for _ in range(packets):
        assert queue.offer(now, size, ecn=ecn).verdict != "dropped"


def drain(queue: weir.Queue, packets: int, now: float) -> None:
    """Takes packets from the queue."""
    for _ in range(packets):
        assert queue.take(now) is not None


def everything(queue: weir.Queue, now: float) -> Iterator[Taken]:
    """Takes all packets from the queue until the line is idle."""
    while (taken := queue.take(now)) is not None:
        yield taken


def signals(offers: Iterable[Offered]) -> Iterator[bool]:
    """Signals by offer: true if the packet was marked or dropped."""
    return (offered.verdict != "accepted" for offered in offers)


def likely(hits: int, trials: int, p: float) -> bool:
    """Returns true if `hits` lies within five standard deviations of its mean, at a probability of `p` per
    trial."""
    return abs(hits - trials * p) <= 5.0 * sqrt(trials * p * (1.0 - p)) + 1e-9
