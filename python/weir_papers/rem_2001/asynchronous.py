"""REM whose price is updated at irregular times (section 3.1: "periodically or asynchronously")."""

from __future__ import annotations

from weir.aqm import Controller, Link, Seen

PHI, ALPHA, GAMMA, TARGET = 1.001, 0.1, 0.001, 20.0
"""Section 4.2."""
MEAN_S = 0.002
"""Between two updates: the interval of the periodic ones."""


class Asynchronous(Controller):
    """Equation 2 over intervals of exponential length, to within half a millisecond."""

    period = 0.0005
    variables = ("price",)

    def __init__(self, link: Link) -> None:
        """At a link whose packets are of one size."""
        self.price = 0.0
        self._rate = link.packets_per_second
        self._arrived = 0
        self._since = 0.0

    def update(self, seen: Seen) -> float:
        """Rarely a new price, but always counts what arrives."""
        self._arrived += seen.arrived
        if self.random.random() < self.period / MEAN_S:
            rate_mismatch = self._arrived - self._rate * (seen.now - self._since)
            queue_mismatch = ALPHA * (seen.packets - TARGET)
            self.price = max(0.0, self.price + GAMMA * (queue_mismatch + rate_mismatch))
            self._arrived, self._since = 0, seen.now
        return 1.0 - PHI**-self.price
