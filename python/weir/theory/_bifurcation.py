"""RED as a map from one round trip to the next, by Ranjan, Abed and La (ToN 12(6), 2004): period doubling,
then chaos.

    avg+ = (1 - w) avg + w Q(avg),   Q = 0 for avg >= b1, B for avg <= b2, else n K / sqrt(p(avg)) - R0 C / M

with n flows over C bit/s in packets of M bits. R0 is the propagation round trip, B the buffer, K the constant
of the square root. The fixed point of the map loses stability where the eigenvalue 1 - w + w Q' is -1.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from weir.theory._bisection import bisected
from weir.theory._constants import EVEN
from weir.theory._utility import above_zero, require


@dataclass(frozen=True)
class RedMap:
    """The map for one network and one line; thresholds and queues in packets.

    Raises TheoryError for thresholds that do not rise, for other numbers that are not above zero, and where
    there is no fixed point. Its verbs raise it for a weight that is none, and for no round trips.

    Example:
        >>> import numpy as np
        >>> from weir.theory import ranjan
        >>> network = ranjan()
        >>> [round(network.eigenvalue(weight), 2) for weight in (0.15, 0.16)]
        [-0.9, -1.03]
        >>> network.orbit(0.15, kept=4).round().tolist(), network.orbit(0.16, kept=4).round().tolist()
        ([345.0, 345.0, 345.0, 345.0], [329.0, 366.0, 329.0, 366.0])
        >>> network.diagram(np.array([0.15, 0.16]), kept=4).shape
        (4, 2)
        >>> network.lyapunov(0.16, 2000) < 0.0 < network.lyapunov(0.2, 2000)
        True
        >>> rest = np.array([network.fixed])
        >>> network.queue(rest).round().tolist(), network.step(rest, 0.15).round().tolist()
        ([345.0], [345.0])
    """

    flows: float
    capacity: float
    """Capacity C, packets per second."""
    rtt: float
    """Propagation round trip R0, seconds."""
    min_th: float
    max_th: float
    max_p: float
    buffer: float
    constant: float = EVEN
    """Constant K of the square root."""

    def __post_init__(self) -> None:
        above_zero(flows=self.flows, capacity=self.capacity, rtt=self.rtt, max_p=self.max_p)
        above_zero(buffer=self.buffer, constant=self.constant)
        ends = self.min_th, self.max_th
        require(0.0 <= ends[0] < ends[1], f"thresholds of {ends[0]:g} and {ends[1]:g}", "min_th below max_th")
        require(
            self.fixed < self.max_th, "there is no operating point: the line ends below it", "a larger max_p"
        )

    @property
    def pipe(self) -> float:
        """Bandwidth-delay product R0 C, packets."""
        return self.rtt * self.capacity

    @cached_property
    def empty_above(self) -> float:
        """Average b1 in packets, at and above which the queue is empty."""
        p = (self.flows * self.constant / self.pipe) ** 2
        return self.max_th if p >= self.max_p else self._average(p)

    @cached_property
    def full_below(self) -> float:
        """Average b2 in packets, at and below which the queue is full."""
        return self._average((self.flows * self.constant / (self.buffer + self.pipe)) ** 2)

    def _average(self, p: float) -> float:
        return self.min_th + p / self.max_p * (self.max_th - self.min_th)

    def queue(self, average: NDArray[np.float64]) -> NDArray[np.float64]:
        """Queue Q at an average, packets."""
        p = np.maximum((average - self.min_th) / (self.max_th - self.min_th) * self.max_p, 1e-300)
        found = self.flows * self.constant / np.sqrt(p) - self.pipe
        return np.where(
            average >= self.empty_above, 0.0, np.where(average <= self.full_below, self.buffer, found)
        )

    def step(self, average: NDArray[np.float64], weight: NDArray[np.float64] | float) -> NDArray[np.float64]:
        """Average one round trip later."""
        return (1.0 - weight) * average + weight * self.queue(average)

    @cached_property
    def fixed(self) -> float:
        """The fixed point in packets, by bisection, since the average rises and Q falls."""

        def over(average: float) -> bool:
            return float(self.queue(np.array([average]))[0]) > average

        return bisected(over, self.full_below, self.empty_above, 200)

    @property
    def slope(self) -> float:
        """Slope Q' at the fixed point."""
        share = (self.fixed - self.min_th) / (self.max_th - self.min_th) * self.max_p
        line = self.max_p / (self.max_th - self.min_th)
        return -0.5 * self.flows * self.constant * share**-1.5 * line

    def eigenvalue(self, weight: float) -> float:
        """Eigenvalue of the map at its fixed point."""
        return 1.0 - weight + weight * self.slope

    @property
    def critical(self) -> float:
        """Weight at which the fixed point doubles its period, as the eigenvalue is -1."""
        return 2.0 / (1.0 - self.slope)

    def orbit(self, weight: float, skipped: int = 5000, kept: int = 64) -> NDArray[np.float64]:
        """Averages after so many round trips, from beside the fixed point.

        Raises TheoryError as `diagram` does.
        """
        return self.diagram(np.array([weight]), skipped, kept)[:, 0]

    def diagram(
        self, weights: NDArray[np.float64], skipped: int = 2000, kept: int = 60
    ) -> NDArray[np.float64]:
        """Averages that are visited, of shape (kept, weights): all weights at once.

        Raises TheoryError for a weight that is not from 0 to 1, for a negative `skipped`, and where `kept` is
        not one or more.
        """
        _check_orbit(weights, skipped, kept)
        average, found = np.full(len(weights), self.fixed * 1.01), np.empty((kept, len(weights)))
        for _ in range(skipped):
            average = self.step(average, weights)
        for k in range(kept):
            average = self.step(average, weights)
            found[k] = average
        return found

    def lyapunov(self, weight: float, count: int = 20000) -> float:
        """The mean logarithm of the size of the slope along an orbit: positive is chaos.

        Raises TheoryError as `diagram` does.
        """
        averages = self.orbit(weight, 2000, count)
        inside = (averages > self.full_below) & (averages < self.empty_above)
        share = np.maximum((averages - self.min_th) / (self.max_th - self.min_th) * self.max_p, 1e-300)
        line = self.max_p / (self.max_th - self.min_th)
        slope = np.where(inside, -0.5 * self.flows * self.constant * share**-1.5 * line, 0.0)
        return float(np.log(np.maximum(np.abs(1.0 - weight + weight * slope), 1e-300)).mean())


def _check_orbit(weights: NDArray[np.float64], skipped: int, kept: int) -> None:
    odd = [weight for weight in weights.tolist() if not 0.0 <= weight <= 1.0]
    require(not odd, f"{odd[0] if odd else 0:g} is no weight of an average", "zero or more, at most 1")
    require(skipped >= 0, f"{skipped} round trips cannot be skipped", "zero or more")
    require(kept >= 1, f"{kept} averages are none", "keep one or more")


def ranjan() -> RedMap:
    """The network of the paper: 250 flows, 75 Mbit/s, packets of 4,000 bits, 100 ms, 250/750/0.1, 3,750
    packets.

    Example:
        >>> from weir.theory import ranjan
        >>> network = ranjan()
        >>> network.pipe, round(network.fixed), round(network.critical, 4)
        (1875.0, 345, 0.1578)
    """
    capacity = 75e6 / 4000.0
    return RedMap(250.0, capacity, 0.1, 250.0, 750.0, 0.1, 3750.0)
