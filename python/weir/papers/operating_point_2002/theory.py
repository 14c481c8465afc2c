"""Where windows and queue settle by p = 1.5 / W^2 on RED's line, for the network of the main figures."""

from __future__ import annotations

from dataclasses import dataclass

from weir.theory.equilibrium import mean_window, red_queue, reno_probability

PIPE = 125.0
"""Packets: 1250 a second times 100 ms."""
MIN_TH = 5.0
WAIT = 2.0 / 3.0
"""The share of RED's probability that ns-2's wait between drops leaves."""


@dataclass(frozen=True)
class Settled:
    """An equilibrium."""

    queue: float
    """Packets."""
    loss: float
    """A share."""
    window: float
    """Packets, the mean of the users."""


def settled(flows: float, max_th: float, max_p: float) -> Settled:
    """RED's; at max_th, where forced drops make up the rest, if its line ends below what the load needs."""
    queue = red_queue(int(flows), PIPE, MIN_TH, max_th, max_p, WAIT)
    queue = max_th if queue is None else queue
    window = mean_window(int(flows), PIPE, queue)
    return Settled(queue, reno_probability(window), window)
