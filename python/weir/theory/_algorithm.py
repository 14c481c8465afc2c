"""Optimisation flow control: links compute prices by the gradient of the dual, sources answer them.

Lapsley and Low (1999), section 2.1:

    x_s(t+1) = arg max over [m_s, M_s] of U_s(x) - x p^s(t),     p^s = sum of p_l over the path

    p_l(t+1) = [p_l(t) + gamma (x^l(t) - c_l)]^+,                x^l = sum of x_s over the link

Low and Lapsley (Optimization Flow Control, I: Basic Algorithm and Convergence, IEEE/ACM Transactions on
Networking 7(6), 1999), theorem 1: from any start within the bounds every limit of rates and prices is
optimal under three conditions. U is increasing and strictly concave, -U'' is at least 1 / alpha_s on
[m_s, M_s], and

    0 < gamma < 2 / (alpha L S)

with alpha the largest alpha_s, L the most links of a path and S the most sources of a link. The theorem
has x(t) answer p(t): sources and links `in-turn`. As section 2.1 is written, both work with what the other
had a step before, `at-once`: a delay of one step, which halves what a single link may take.

Asynchronous, section IV: each link and each source computes at instants of its own, with averages of what
the others had up to t0 steps before:

    p^_l(t) = sum of b(t') p_l(t'),   x^_s(t) = sum of a(t') x_s(t')     over t' in t-t0 ... t

with weights b, and a, that sum to one. Theorem 2: for gamma small enough, if t0 and the time between two
updates are bounded, rates and prices still reach the optimum. The instants, the ages of what is known and
the weights are drawn from a generator with a seed: the same seed, the same trajectory.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from weir.scenario import suggestion
from weir.theory._network import Network, Vector, check_sizes
from weir.theory._utility import TheoryError, require

Order = Literal["in-turn", "at-once"]
"""Order of the updates. `in-turn`: links answer the rates of the same step. `at-once`: sources and links both
answer the values of the step before."""
Knowledge = Literal["latest", "average"]

MOST = 100_000
"""Steps after which a run is given up."""

TOLERANCE = 1e-6
"""Fraction of a capacity that may be missing at the optimum."""


@dataclass(frozen=True)
class Trajectory:
    """Rates and prices, step by step."""

    network: Network
    step: float
    """Step size gamma, price per packet."""
    rates: Vector
    """Rates of the sources in packets per second, shape (steps + 1, sources)."""
    prices: Vector
    """Prices of the links, shape (steps + 1, links)."""
    residual: float
    """Residual after the last step, see the function `residual`."""
    converged: bool
    """True if the residual became small enough."""

    @property
    def steps(self) -> int:
        return len(self.rates) - 1


@dataclass(frozen=True)
class Timing:
    """Timing of the asynchronous algorithm, in steps of a common clock: how rarely parts update, and how old
    their knowledge of each other is.

    Raises TheoryError for an unknown `knowledge`, and for numbers out of range.
    """

    often: float = 0.5
    """Probability that a link or a source updates at a step."""
    gap: int = 5
    """Longest interval between two updates of a part, in steps."""
    delay: int = 5
    """Greatest age t0 of the values known of another part, in steps."""
    knowledge: Knowledge = "average"
    """Values that are known of another part. With `latest` it is one value, whose age is drawn anew at each
    update, so that an older one may come after a newer one. With `average` it is a mean of the last t0 + 1
    values with random weights."""

    def __post_init__(self) -> None:
        chance = f"{self.often:g} is no chance of an update"
        require(0.0 < self.often <= 1.0, chance, "more than 0, at most 1")
        short = "no gap is shorter than a step, and no delay than none"
        require(self.gap >= 1 and self.delay >= 0, short, "gap 1, delay 0")
        _check_choice("knowledge", self.knowledge, get_args(Knowledge))

    @property
    def loop(self) -> int:
        """Largest delay of the answer to a price, in steps, 1 + 2 (`gap` - 1 + `delay`)."""
        return 1 + 2 * (self.gap - 1 + self.delay)


def theorem_bound(network: Network) -> float:
    """Theorem 1: steps below it converge, by the network's largest numbers alone.

    Example:
        >>> from weir.theory import EXAMPLES, theorem_bound
        >>> f"{theorem_bound(EXAMPLES['dumbbell']()):.1e}"
        '8.1e-06'
    """
    longest = float(network.paths.sum(axis=0).max())
    busiest = float(network.routes.sum(axis=1).max())
    return 2.0 / (float(network.slopes(network.greatest).max()) * longest * busiest)


def sharp_bound(network: Network) -> float:
    """Steps below it converge, for the same reason: 2 over the Lipschitz constant of the dual's gradient.

    That constant is the largest eigenvalue of R diag(alpha_s) R', of which theorem 1 has the bound
    alpha L S.

    Example:
        >>> from weir.theory import EXAMPLES, sharp_bound, theorem_bound
        >>> network = EXAMPLES["parking-lot"]()
        >>> round(sharp_bound(network) / theorem_bound(network), 1)
        2.3
    """
    return network.largest_step


def local_bound(network: Network, rates: Vector, prices: Vector) -> float:
    """Steps above it are driven off the optimum, given by its rates and prices, from however near.

    The bound is 2 over the largest eigenvalue of what `sharp_bound` has, with the slopes at the optimum
    in place of the steepest. Only links that have a price count, and only sources that are at no bound.
    Half of it `at-once`. Infinite where nothing moves.

    Raises TheoryError for rates or prices of another length.

    Example:
        >>> from weir.theory import EXAMPLES, local_bound, optimum, sharp_bound
        >>> network = EXAMPLES["parking-lot"]()
        >>> best = optimum(network)
        >>> round(local_bound(network, best.rates, best.prices) / sharp_bound(network), 2)
        14.25
    """
    check_sizes(network, rates=rates, prices=prices)
    inside = (rates > network.least * (1.0 + TOLERANCE)) & (rates < network.greatest * (1.0 - TOLERANCE))
    moving = network.paths[prices > 0.0] * inside
    if not moving.any():
        return np.inf
    curvature = (moving * network.counts * network.slopes(rates)) @ moving.T
    return 2.0 / float(np.linalg.eigvalsh(curvature)[-1])


def residual(network: Network, prices: Vector, rates: Vector) -> float:
    """Size of the next step of the prices, as a fraction of the capacity; zero at the optimum alone.

    For a link with a price it is how far its load is from its capacity. For a link whose price is zero it
    is by how much the link is overloaded. `rates` are those that answer `prices`.
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
    `prices`. Raises TheoryError for a step that is none, for another order, for prices of another length, and
    for no steps at all.

    Example:
        >>> from weir.theory import EXAMPLES, optimum, synchronous
        >>> network = EXAMPLES["dumbbell"]()
        >>> reached = synchronous(network)
        >>> reached.converged, round(float(abs(reached.rates[-1] - optimum(network).rates).max()), 1)
        (True, 0.0)
    """
    _check_choice("order", order, get_args(Order))
    gamma = _checked_step(step, sharp_bound(network) / (2.0 if order == "in-turn" else 4.0))

    def advance(p: Vector, x: Vector) -> tuple[Vector, Vector, float]:
        seen, p = p, np.maximum(p + gamma * (network.load(x) - network.capacities), 0.0)
        answer = network.demand(p)
        x = answer if order == "in-turn" else network.demand(seen)
        return p, x, residual(network, p, answer)

    return _followed(network, gamma, advance, prices, most, tolerance)


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

    `step` is gamma. If None it is half of `sharp_bound` over one more than the steps of the loop. With that
    step p(t+1) = p(t) - gamma k p(t - loop) dies out. The residual is that of an observer who sees all prices
    at once. Raises TheoryError for a step that is none, for a negative seed, and for no steps at all.

    Example:
        >>> from weir.theory import EXAMPLES, Timing, asynchronous
        >>> timing = Timing(often=0.5, delay=2)
        >>> reached = asynchronous(EXAMPLES["dumbbell"](), timing=timing, tolerance=0.05)
        >>> reached.converged, reached.steps
        (True, 6974)
    """
    require(seed >= 0, f"the seed {seed} is negative", "a whole number from 0 on")
    timing = timing or Timing()
    gamma = _checked_step(step, sharp_bound(network) / (2.0 * (1 + timing.loop)))
    rng = np.random.default_rng(seed)
    pairs = links, sources = network.paths.shape
    zero = np.zeros(links)
    past_p, past_x = (np.tile(v, (timing.delay + 1, 1)) for v in (zero, network.demand(zero)))
    idle_links, idle_sources = np.zeros(links, dtype=np.int64), np.zeros(sources, dtype=np.int64)

    def advance(p: Vector, x: Vector) -> tuple[Vector, Vector, float]:
        nonlocal past_p, past_x
        # Each pair of link and source has news of its own age.
        known_p = np.einsum("tls,tl->ls", _weights(rng, timing, pairs), past_p)
        known_x = np.einsum("tls,ts->ls", _weights(rng, timing, pairs), past_x)
        answers = network.demand_at((known_p * network.paths).sum(axis=0))
        excess = (known_x * network.routes).sum(axis=1) - network.capacities
        x = np.where(_updating(rng, timing, idle_sources), answers, x)
        p = np.where(_updating(rng, timing, idle_links), np.maximum(p + gamma * excess, 0.0), p)
        past_p, past_x = np.vstack([p, past_p[:-1]]), np.vstack([x, past_x[:-1]])
        # The residual of the prices, or how far the rates still are from their answer, if that is more.
        answer = network.demand(p)
        late = float((np.abs(answer - x) / network.greatest).max())
        return p, x, max(residual(network, p, answer), late)

    return _followed(network, gamma, advance, None, most, tolerance)


def _followed(
    network: Network,
    gamma: float,
    advance: Callable[[Vector, Vector], tuple[Vector, Vector, float]],
    prices: Vector | None,
    most: int,
    tolerance: float,
) -> Trajectory:
    """Step after step from `prices`, zero if None; each gives prices, rates and what is left."""
    require(most >= 1, f"{most} steps reach nothing", "one or more")
    require(tolerance >= 0.0, f"a tolerance of {tolerance:g}", "zero or more")
    p = np.zeros(len(network.links)) if prices is None else np.asarray(prices, dtype=np.float64)
    x = network.demand(p)
    all_rates, all_prices, left = [x], [p], residual(network, p, x)
    while left > tolerance and len(all_rates) <= most:
        p, x, left = advance(p, x)
        all_rates.append(x)
        all_prices.append(p)
    return Trajectory(network, gamma, np.array(all_rates), np.array(all_prices), left, left <= tolerance)


def _updating(rng: np.random.Generator, timing: Timing, idle: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Draws which parts update now, and counts how long the others have not."""
    now = (rng.random(idle.size) < timing.often) | (idle >= timing.gap - 1)
    idle += 1
    idle[now] = 0
    return now


def _weights(rng: np.random.Generator, timing: Timing, pairs: tuple[int, ...]) -> Vector:
    """Weights of past values, the newest first, shape (t0 + 1, links, sources). Each column sums to one."""
    ages = timing.delay + 1
    if timing.knowledge == "latest":
        age = rng.integers(0, ages, size=pairs)
        return (np.arange(ages)[:, None, None] == age).astype(np.float64)
    drawn = rng.standard_exponential((ages, *pairs))
    return drawn / drawn.sum(axis=0)


def _check_choice(what: str, chosen: str, known: tuple[str, ...]) -> None:
    if chosen not in known:
        raise TheoryError(f"there is no {what} {chosen!r}", suggestion(chosen, known))


def _checked_step(step: float | None, default: float) -> float:
    chosen = default if step is None else step
    hint = "give a number above zero: weir theory ofc prints the bound"
    require(0.0 < chosen < np.inf, f"{chosen:g} is no step", hint)
    return chosen
