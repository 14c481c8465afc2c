"""Models of ns-2.35's queues, calculated independently from their rules: RED's average, REM's price.

`check.py` compares it with the recorded traces. It is written to be read beside SOURCE.md, not to be fast.
"""

from __future__ import annotations

from dataclasses import dataclass

SECOND = 1_000_000_000


@dataclass
class Red:
    """RED's average and the probability it leads to, without the spacing of signals and without the draw."""

    packets_per_second: float
    w_q: float
    min_th: float
    max_th: float
    max_p: float
    average: float = 0.0
    idle_since: int | None = 0
    above: bool = False

    def offer(self, now: int, queue: int) -> None:
        """A packet arrives and finds `queue` packets waiting."""
        missed = 0
        if self.idle_since is not None:
            missed = int(self.packets_per_second * (now - self.idle_since) / SECOND)
            self.idle_since = None
        for _ in range(missed + 1):
            self.average *= 1.0 - self.w_q
        self.average += self.w_q * queue

    def probability(self, queue: int) -> float | None:
        """The marking probability before spacing; none if the packet is not even considered."""
        considered = self.average >= self.min_th and queue > 1
        first = considered and not self.above
        self.above = considered
        if not considered or first:
            return None
        if self.average < self.max_th:
            width = self.max_th - self.min_th
            value = (self.average * (1.0 / width) - self.min_th / width) * self.max_p
        else:
            value = self.ramp()
        return min(value, 1.0)

    def ramp(self) -> float:
        """The probability beyond max_th."""
        return self.average * ((1.0 - self.max_p) / self.max_th) + (2.0 * self.max_p - 1.0)

    def take(self, now: int, size: int) -> None:
        """The transmitter asks; `size` is 0 if it finds nothing."""
        self.idle_since = now if size == 0 else None


@dataclass
class Rem:
    """REM's price by rate and queue, equation (2) of the paper, and the probability it stands for."""

    capacity: float
    gamma: float
    alpha: float
    target: float
    phi: float
    price: float = 0.0
    arrivals: int = 0

    def update(self, queue: int) -> None:
        """The end of a period."""
        change = self.arrivals + self.alpha * (queue - self.target) - self.capacity
        self.price = max(self.price + self.gamma * change, 0.0)
        self.arrivals = 0

    def probability(self) -> float:
        """The marking probability."""
        return 1.0 - self.phi**-self.price
