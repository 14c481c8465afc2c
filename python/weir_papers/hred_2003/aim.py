"""The aim of HRED's gains, equations (9) to (11), computed by the queue itself."""

from __future__ import annotations

from functools import cache

import numpy as np

from weir import Queue
from weir_papers.data import Sample, Study
from weir_papers.hred_2003.parameters import ARRIVALS, BUFFER, CAPACITY, MAX_TH, PACKET, RTT_MAX
from weir_papers.quantities import Of

GROWTHS = (0.1, 0.25, 0.5, 1.0)
"""g: from a tenth more flows to twice as many."""
BEGIN = 0.01
"""p_min when the load grows."""


def reached() -> Of:
    """How far p is from (1 + g)² times what it was, in per cent, one round trip after the load grew by g."""

    def samples(_: Study) -> list[Sample]:
        return [Sample(f"g {g:g}", g, np.array([_reached(g)]), exact=True) for g in GROWTHS]

    return Of("probability against (1 + g)² times what it was", "%", samples)


@cache
def _reached(growth: float) -> float:
    """At full load the queue stands at max_th; then (1 + g) C arrives for a round trip."""
    queue = Queue(
        {"hred": {"p_min": BEGIN, "growth": growth, "rtt": f"{RTT_MAX} s", "ecn": True}},
        rate=f"{8.0 * CAPACITY:.0f} bit/s",
        buffer=f"{BUFFER:.0f} B",
        mean_packet=f"{PACKET:.0f} B",
    )
    size = int(PACKET)
    for _ in range(int(MAX_TH / PACKET)):
        queue.offer(0.0, size, ecn="ect0")
    before = queue["probability"]
    sent = 0
    for n in range(int((1.0 + growth) * ARRIVALS * RTT_MAX)):
        now = n / ((1.0 + growth) * ARRIVALS)
        while sent < int(now * ARRIVALS):
            queue.take(now)
            sent += 1
        queue.offer(now, size, ecn="ect0")
    return 100.0 * (queue["probability"] / before / (1.0 + growth) ** 2 - 1.0)
