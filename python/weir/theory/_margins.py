"""Margins of a loop, with its delays as they are.

L(jw) on a grid of 2,000 points a decade, crossings refined by bisection. Loops with several phase crossovers
are conditionally stable: the roots decide what is stable (`weir.theory.roots`), margins say by how much.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weir.theory._plant import Loop
from weir.theory._realised import Complex
from weir.theory._utility import require

Real = NDArray[np.floating[Any]]

PER_DECADE = 2000
LEAST = 1e-4
"""Lowest frequency, rad/s."""
MOST = 1000.0
"""Highest frequency, rad/s. It is higher for loops of shorter round trips, and at most half the rate of a
sampled AQM."""


@dataclass(frozen=True)
class Crossover:
    """A frequency at which L(jw) has size one, or is real and negative."""

    frequency: float
    """Frequency of the crossover, rad/s."""
    margin: float
    """Phase margin in degrees, or gain margin as a factor."""


@dataclass(frozen=True)
class Margins:
    """Margins of a loop at all crossovers. The smallest margin of each kind counts."""

    gains: tuple[Crossover, ...]
    """Gain crossovers, where L has size 1, with their phase margins."""
    phases: tuple[Crossover, ...]
    """Phase crossovers, where the phase is -180 degrees, with their gain margins."""

    @property
    def gain_crossover(self) -> float | None:
        """Frequency of the gain crossover with the smallest margin, rad/s."""
        return None if not self.gains else self._phase.frequency

    @property
    def phase_margin(self) -> float | None:
        """Smallest phase margin, degrees."""
        return None if not self.gains else self._phase.margin

    @property
    def delay_margin(self) -> float | None:
        """Delay in seconds that the loop bears in addition, the queue being the same."""
        return None if not self.gains else math.radians(self._phase.margin) / self._phase.frequency

    @property
    def phase_crossover(self) -> float | None:
        """Frequency of the phase crossover with the smallest margin, rad/s."""
        return None if not self.phases else self._gain.frequency

    @property
    def gain_margin(self) -> float | None:
        """Smallest gain margin, a factor; None if the phase never reaches -180 degrees."""
        return None if not self.phases else self._gain.margin

    @property
    def _phase(self) -> Crossover:
        return min(self.gains, key=lambda one: one.margin)

    @property
    def _gain(self) -> Crossover:
        return min(self.phases, key=lambda one: one.margin)


def frequency_span(loop: Loop) -> tuple[float, float]:
    """Lowest and highest frequency of the analysis, rad/s."""
    most = max(MOST, 50.0 / loop.shortest_rtt)
    least = LEAST if loop.longest_rtt > 1e-3 else LEAST * 1e-2 / loop.longest_rtt
    return least, min(most, math.pi / loop.interval) if loop.interval else most


def grid(loop: Loop, per_decade: int = PER_DECADE) -> NDArray[np.float64]:
    """Frequencies of the analysis, rad/s."""
    least, most = frequency_span(loop)
    return np.geomspace(least, most, round(per_decade * math.log10(most / least)) + 1)


def margins_of(loop: Loop, per_decade: int = PER_DECADE, halvings: int = 45) -> Margins:
    """Every crossover, from the lowest frequency to the highest; a step of the grid is halved so often.

    Raises TheoryError for a grid without frequencies, and for less than no halvings.

    Example:
        >>> from weir.theory import loop_of, margins_of, system_of
        >>> margins = margins_of(loop_of(system_of(scenario.variant("rem-mark")).system))
        >>> round(margins.gain_margin, 2), round(margins.phase_margin)
        (22.83, 76)
    """
    require(per_decade >= 1, f"{per_decade} frequencies a decade are none", "one or more")
    require(halvings >= 0, f"a step cannot be halved {halvings} times", "zero or more")
    frequencies = grid(loop, per_decade)
    values = loop.open_loop(1j * frequencies)

    def size(value: Complex) -> Real:
        return np.abs(value) - 1.0

    def imaginary(value: Complex) -> Real:
        return value.imag

    gains: list[Crossover] = []
    for w, value in _crossings(loop, frequencies, values, size, halvings):
        phase = math.degrees(math.atan2(value.imag, value.real))
        gains.append(Crossover(w, (phase + 360.0) % 360.0 - 180.0))
    phases = [
        Crossover(w, 1.0 / abs(value))
        for w, value in _crossings(loop, frequencies, values, imaginary, halvings)
        if value.real < 0.0
    ]
    return Margins(tuple(gains), tuple(phases))


def _crossings(
    loop: Loop, frequencies: Real, values: Complex, of: Callable[[Complex], Real], halvings: int
) -> list[tuple[float, complex]]:
    """Values of L at which a function of L(jw) changes its sign, with their frequencies."""
    found = of(values)
    places = np.flatnonzero(np.signbit(found[:-1]) != np.signbit(found[1:]))
    if not places.size:
        return []
    low, high, sign = np.log(frequencies[places]), np.log(frequencies[places + 1]), np.signbit(found[places])
    for _ in range(halvings):
        middle = 0.5 * (low + high)
        same = np.signbit(of(loop.open_loop(1j * np.exp(middle)))) == sign
        low, high = np.where(same, middle, low), np.where(same, high, middle)
    at = np.exp(0.5 * (low + high))
    return list(zip(at.tolist(), loop.open_loop(1j * at).tolist(), strict=True))
