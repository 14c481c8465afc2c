"""The synchronous algorithm: links compute prices by the gradient of the dual, sources answer them.

Lapsley and Low (1999), section 2.1:

    x_s(t+1) = arg max over [m_s, M_s] of U_s(x) - x p^s(t),     p^s = sum of p_l over the path
    p_l(t+1) = [p_l(t) + gamma (x^l(t) - c_l)]^+,                x^l = sum of x_s over the link

Low and Lapsley (Optimization Flow Control, I: Basic Algorithm and Convergence, IEEE/ACM Transactions on
Networking 7(6), 1999), theorem 1: from any start within the bounds every limit of rates and prices is
optimal, if U is increasing and strictly concave, -U'' at least 1 / alpha_s on [m_s, M_s], and

    0 < gamma < 2 / (alpha L S)

with alpha the largest alpha_s, L the most links of a path and S the most sources of a link. The theorem
has x(t) answer p(t): sources and links `in-turn`. As section 2.1 is written, both work with what the other
had a step before, `at-once`: a delay of one step, which halves what a single link may take.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from weir.theory.errors import TheoryError
from weir.theory.network import Network, Vector

Order = Literal["in-turn", "at-once"]

MOST = 100_000
"""Steps after which a run is given up."""

TOLERANCE = 1e-6
"""Of a capacity: what may be missing at the optimum."""


@dataclass(frozen=True)
class Trajectory:
    """Rates and prices, step by step."""

    network: Network
    step: float
    """gamma, price per packet."""
    rates: Vector
    """Of shape (steps + 1, sources), packets per second."""
    prices: Vector
    """Of shape (steps + 1, links)."""
    residual: float
    """At the end: see `residual`."""
    converged: bool
    """Whether the residual has become small enough."""

    @property
    def steps(self) -> int:
        return len(self.rates) - 1


def theorem_bound(network: Network) -> float:
    """Theorem 1: steps below it converge, by the network's largest numbers alone."""
    longest = float(network.paths.sum(axis=0).max())
    busiest = float(network.routes.sum(axis=1).max())
    return 2.0 / (float(network.slopes.max()) * longest * busiest)


def sharp_bound(network: Network) -> float:
    """Steps below it converge, for the same reason: 2 over the Lipschitz constant of the dual's gradient.

    That constant is the largest eigenvalue of R diag(alpha_s) R', of which theorem 1 has the bound
    alpha L S.
    """
    return 2.0 / network.steepest


def local_bound(network: Network, rates: Vector, prices: Vector) -> float:
    """Steps above it are driven off the optimum, given by its rates and prices, from however near.

    2 over the largest eigenvalue of what `sharp_bound` has, with the slopes at the optimum in place of
    the steepest, those links alone that have a price, and those sources alone that are at no bound.
    Half of it `at-once`. Infinite where nothing moves.
    """
    slopes = [source.utility.slope(float(x)) for source, x in zip(network.sources, rates, strict=True)]
    inside = (rates > network.least * (1.0 + TOLERANCE)) & (rates < network.greatest * (1.0 - TOLERANCE))
    moving = network.paths[prices > 0.0] * inside
    if not moving.any():
        return np.inf
    curvature = (moving * network.counts * np.array(slopes)) @ moving.T
    return 2.0 / float(np.linalg.eigvalsh(curvature)[-1])


def residual(network: Network, prices: Vector, rates: Vector) -> float:
    """How far a step of the prices would go, as a share of the capacity; zero at the optimum alone.

    For a link with a price, how far its load is from its capacity; for one whose price is zero, by how
    much it is overloaded. `rates` are those that answer `prices`.
    """
    excess = (network.load(rates) - network.capacities) / network.capacities
    # What a step at the bound takes from a price when nothing passes the link.
    whole = network.capacities * sharp_bound(network)
    return float(np.abs(np.maximum(excess, -prices / whole)).max())


def synchronous(
    network: Network,
    step: float | None = None,
    *,
    order: Order = "in-turn",
    prices: Vector | None = None,
    most: int = MOST,
    tolerance: float = TOLERANCE,
) -> Trajectory:
    """Runs until the residual is at most `tolerance`, or for `most` steps.

    `step` is gamma; half of `sharp_bound` if None, a quarter `at-once`. Prices start at zero, or at
    `prices`. Raises TheoryError for a step that is none.
    """
    gamma = checked_step(step, sharp_bound(network) / (2.0 if order == "in-turn" else 4.0))
    p = np.zeros(len(network.links)) if prices is None else np.asarray(prices, dtype=np.float64)
    x = network.demand(p)
    all_rates, all_prices = [x], [p]
    left = residual(network, p, x)
    while left > tolerance and len(all_rates) <= most:
        p, seen = np.maximum(p + gamma * (network.load(x) - network.capacities), 0.0), p
        answer = network.demand(p)
        x = answer if order == "in-turn" else network.demand(seen)
        all_rates.append(x)
        all_prices.append(p)
        left = residual(network, p, answer)
    rates, path = np.array(all_rates), np.array(all_prices)
    return Trajectory(network, gamma, rates, path, left, left <= tolerance)


def checked_step(step: float | None, default: float) -> float:
    """The step, or the default. Raises TheoryError unless it is above zero."""
    if step is None:
        return default
    if not (step > 0.0 and np.isfinite(step)):
        raise TheoryError(
            f"{step:g} is no step", "give a number above zero: weir theory ofc prints the bound"
        )
    return step
