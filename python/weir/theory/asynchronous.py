"""The asynchronous algorithm: nobody waits for anybody, and what is known of others is old.

Low and Lapsley (Optimization Flow Control, I, IEEE/ACM Transactions on Networking 7(6), 1999), section IV:
each link and each source computes at instants of its own, with averages of what the others had up to t0
steps before:

    p^_l(t) = sum of b(t') p_l(t'),   x^_s(t) = sum of a(t') x_s(t')     over t' in t-t0 ... t

with weights b, and a, that sum to one.

Theorem 2: for gamma small enough, if t0 and the time between two updates are bounded, rates and prices
still reach the optimum.

The instants, the ages of what is known and the weights are drawn from a generator with a seed: the same
seed, the same trajectory.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from weir.theory.errors import TheoryError
from weir.theory.network import Network, Vector
from weir.theory.prices import MOST, Trajectory, checked_step, residual, sharp_bound

Knowledge = Literal["latest", "average"]


@dataclass(frozen=True)
class Timing:
    """How little the parts of a network know of each other, in steps of a common clock."""

    often: float = 0.5
    """The chance that a link or a source updates at a step."""
    gap: int = 5
    """The longest that one goes without an update."""
    delay: int = 5
    """t0: the oldest that is known of another."""
    knowledge: Knowledge = "average"
    """`latest`: one value, whose age is drawn anew at each update, so that an older one may come after a
    newer one. `average`: a mean of the last t0 + 1 values with random weights."""

    def __post_init__(self) -> None:
        if not 0.0 < self.often <= 1.0:
            raise TheoryError(f"{self.often:g} is no chance of an update", "more than 0, at most 1")
        if self.gap < 1 or self.delay < 0:
            raise TheoryError("no gap is shorter than a step, and no delay than none", "gap 1, delay 0")

    @property
    def loop(self) -> int:
        """The most steps by which the answer to a price is late: one, and twice a gap and the oldest news."""
        return 1 + 2 * (self.gap - 1 + self.delay)


def asynchronous(
    network: Network,
    step: float | None = None,
    *,
    timing: Timing | None = None,
    seed: int = 1,
    most: int = MOST,
    tolerance: float = 1e-5,
) -> Trajectory:
    """Runs until the residual of the prices is at most `tolerance`, or for `most` steps.

    `step` is gamma; if None, half of `sharp_bound` over one more than the steps of the loop, with which
    p(t+1) = p(t) - gamma k p(t - loop) dies out. The residual is that of an observer who sees all prices
    at once. Raises TheoryError for a step that is none.
    """
    timing = timing or Timing()
    gamma = checked_step(step, sharp_bound(network) / (2.0 * (1 + timing.loop)))
    rng = np.random.default_rng(seed)
    links, sources = len(network.links), len(network.sources)
    p, x = np.zeros(links), network.demand(np.zeros(links))
    past_p, past_x = np.tile(p, (timing.delay + 1, 1)), np.tile(x, (timing.delay + 1, 1))
    idle_links, idle_sources = np.zeros(links, dtype=np.int64), np.zeros(sources, dtype=np.int64)
    all_rates, all_prices = [x], [p]
    left = residual(network, p, x)
    while left > tolerance and len(all_rates) <= most:
        # Each pair of link and source has news of its own age.
        known_p = np.einsum("tls,tl->ls", _weights(rng, timing, (links, sources)), past_p)
        known_x = np.einsum("tls,ts->ls", _weights(rng, timing, (links, sources)), past_x)
        answers = network.demand_at((known_p * network.paths).sum(axis=0))
        excess = (known_x * network.routes).sum(axis=1) - network.capacities
        x = np.where(_updating(rng, timing, idle_sources), answers, x)
        p = np.where(_updating(rng, timing, idle_links), np.maximum(p + gamma * excess, 0.0), p)
        past_p = np.vstack([p, past_p[:-1]])
        past_x = np.vstack([x, past_x[:-1]])
        all_rates.append(x)
        all_prices.append(p)
        left = _left(network, p, x)
    return Trajectory(network, gamma, np.array(all_rates), np.array(all_prices), left, left <= tolerance)


def _left(network: Network, prices: Vector, rates: Vector) -> float:
    """The residual of the prices, or how far the rates still are from their answer, if that is more."""
    answer = network.demand(prices)
    return max(residual(network, prices, answer), float((np.abs(answer - rates) / network.greatest).max()))


def _updating(rng: np.random.Generator, timing: Timing, idle: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Who updates now; notes how long the others have not."""
    now = (rng.random(idle.size) < timing.often) | (idle >= timing.gap - 1)
    idle += 1
    idle[now] = 0
    return now


def _weights(rng: np.random.Generator, timing: Timing, pairs: tuple[int, int]) -> Vector:
    """Of shape (t0 + 1, links, sources): of the newest value first; each column sums to one."""
    ages = timing.delay + 1
    if timing.knowledge == "latest":
        age = rng.integers(0, ages, size=pairs)
        return (np.arange(ages)[:, None, None] == age).astype(np.float64)
    drawn = rng.standard_exponential((ages, *pairs))
    return drawn / drawn.sum(axis=0)
