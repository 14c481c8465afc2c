"""The standard deviation of the queue: cuts as noise on the linear loop.

Cuts are a point process; a cut takes half of the window that a packet meets. Its intensity, 2 C / 3
packets^2/s whatever the number of flows and p, drives the loop with b = 2/3: sd^2 = 1/pi integral of
|H(jw)|^2 2 C / 3 dw. The integrand is the spectrum of the queue. It holds where the loop is stable and the
deviation is below half of the queue; for windows below 10 packets it is a lower bound.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from weir.theory._margins import grid
from weir.theory._plant import Loop

PER_DECADE = 1000


@dataclass(frozen=True)
class Noise:
    """Predicted spectrum of the queue."""

    frequencies: NDArray[np.float64]
    """Frequencies, rad/s."""
    density: NDArray[np.float64]
    """Two-sided spectral density, packets^2 s."""

    @property
    def deviation(self) -> float:
        """Standard deviation of the queue, packets."""
        return math.sqrt(float(np.trapezoid(self.density, self.frequencies)) / math.pi)

    @property
    def peak_period(self) -> float:
        """Period at which the spectrum is highest, seconds."""
        top = int(np.argmax(self.density))
        w, s = np.log(self.frequencies), self.density
        if 0 < top < len(s) - 1:
            # The vertex of the parabola through three points.
            left, middle, right = s[top - 1], s[top], s[top + 1]
            shift = 0.5 * (left - right) / (left - 2.0 * middle + right)
            return 2.0 * math.pi / math.exp(w[top] + shift * (w[top + 1] - w[top]))
        return 2.0 * math.pi / float(self.frequencies[top])


def noise_of(loop: Loop) -> Noise:
    """Noise of a stable loop. For an unstable loop the numbers mean nothing.

    Example:
        >>> from weir.theory import loop_of, noise_of, system_of
        >>> noise = noise_of(loop_of(system_of(scenario.variant("rem-mark")).system))
        >>> round(noise.deviation, 1), round(noise.peak_period, 2)
        (11.8, 12.77)
    """
    frequencies = grid(loop, PER_DECADE)
    return Noise(frequencies, loop.noise(frequencies))
