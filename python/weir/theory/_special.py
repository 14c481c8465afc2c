"""AQMs that are neither a line over an average nor an integrator: HRED, AVQ, and DCTCP's step."""

from __future__ import annotations

import math
from dataclasses import dataclass

from weir.theory._realised import Realisation
from weir.theory._utility import above_zero, not_below_zero, require


def check_thresholds(name: str, low: float, high: float) -> None:
    """Raises TheoryError unless the lower threshold, in packets, is below the upper one."""
    said = f"{name}'s thresholds are {low:g} and {high:g} packets"
    require(0.0 <= low < high, said, "min_th below max_th")


@dataclass(frozen=True)
class Hred:
    """HRED: a line in its band, whose height p_min moves outside of it. Levels in packets.

        p = p_min [1 + (q - min_th) / (k max_th)]
        (ln p_min)' = rate (p / p_min) [k_alpha (q - max_th)^+ - fall k_alpha (min_th - q)^+],
        k_alpha = 2 / (C rtt)^2

    In the band any queue is a resting point: the one named by `rest`, its middle if None, is analysed.

    Raises TheoryError for thresholds that do not rise, and for a `k` or a round trip that is not above zero.

    Example:
        >>> from weir.theory import Hred
        >>> hred = Hred(min_th=20.0, max_th=80.0, k=2.0)
        >>> hred.aim(capacity=8000.0), hred.height(queue=80.0), f"{hred.rate(8000.0):.1e}"
        (50.0, 1.375, '5.4e-07')
    """

    min_th: float
    max_th: float
    k: float = 2.0
    rtt: float = 0.24
    """Round trip in seconds from which the gains follow."""
    fall: float = 2.0
    rest: float | None = None
    name: str = "HRED"

    def __post_init__(self) -> None:
        check_thresholds(self.name, self.min_th, self.max_th)
        above_zero(k=self.k, rtt=self.rtt)
        not_below_zero(fall=self.fall)

    def aim(self, capacity: float) -> float:  # noqa: ARG002
        """Queue at rest, packets."""
        return 0.5 * (self.min_th + self.max_th) if self.rest is None else self.rest

    def height(self, queue: float) -> float:
        """Ratio of p to p_min at a queue."""
        return 1.0 + (queue - self.min_th) / (self.k * self.max_th)

    def rate(self, capacity: float) -> float:
        """Gain k_alpha, per packet."""
        return 2.0 / (capacity * self.rtt) ** 2

    def realised(self, queue: float, signal: float, capacity: float) -> Realisation:
        """Linear form of the line in the band."""
        return self.swinging(queue, signal, capacity, 0.0)

    def swinging(self, queue: float, signal: float, capacity: float, share: float) -> Realisation:
        """Linear form in which p_min moves by this fraction of its motion without a band: the describing
        function n(A)."""
        p_min = signal / self.height(queue)
        mean = 0.5 * (1.0 + self.fall) * self.rate(capacity)
        return Realisation(
            share * capacity * mean * signal * signal / p_min, p_min / (self.k * self.max_th), 0.0, 1.0
        )

    @property
    def half_band(self) -> float:
        """Half width h of the band, packets."""
        return 0.5 * (self.max_th - self.min_th)


def dead_zone(amplitude: float, half: float) -> float:
    """Describing function n(A) of a dead zone of half width h: the fraction that passes of a swing of
    amplitude A."""
    if amplitude <= half:
        return 0.0
    ratio = half / amplitude
    return 1.0 - 2.0 / math.pi * (math.asin(ratio) + ratio * math.sqrt(1.0 - ratio * ratio))


@dataclass(frozen=True)
class Avq:
    """AVQ with a full virtual queue: p = 1 - C~ / rate, C~' = alpha (gamma C - rate) (Kunniyur and Srikant,
    2001).

    Its real queue is near zero, so a round trip is the delay. Raises TheoryError for gains that are not above
    zero.
    """

    gamma: float = 0.98
    alpha: float = 0.15
    """Gain alpha, 1/s."""
    name: str = "AVQ"

    def __post_init__(self) -> None:
        above_zero(gamma=self.gamma, alpha=self.alpha)


@dataclass(frozen=True)
class Step:
    """Every packet that finds more than `threshold` packets is marked: DCTCP's switch.

    Raises TheoryError for a negative threshold.
    """

    threshold: float
    name: str = "step"

    def __post_init__(self) -> None:
        not_below_zero(threshold=self.threshold)
