"""An AQM about rest: a state that follows the queue, and the signal that it makes.

    signal = on_state x + on_queue q,    x' = state x + now q(t) + before q(t-T)

in deviations, of which the transfer function follows.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Complex = NDArray[np.complexfloating[Any, Any]]


@dataclass(frozen=True)
class Realisation:
    """An AQM about rest, in deviations."""

    on_state: float = 0.0
    on_queue: float = 0.0
    state: float = 0.0
    """Coefficient of the state in its own derivative, 1/s."""
    now: float = 0.0
    before: float = 0.0
    interval: float = 0.0
    """Interval T, seconds."""

    def transfer(self, s: Complex) -> Complex:
        """Transfer function C(s) from the queue to the signal."""
        found = np.full_like(s, self.on_queue)
        if self.on_state:
            driven = self.now + (self.before * np.exp(-s * self.interval) if self.before else 0.0)
            found = found + self.on_state * driven / (s - self.state)
        return found
