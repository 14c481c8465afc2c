"""The optimum by a solver that does not use prices: what the algorithms are measured against.

scipy's SLSQP maximises the sum of utilities over the rates within their bounds and capacities. The prices
are then those that make the rates optimal (Karush, Kuhn, Tucker):

    p >= 0;  p_l (c_l - x^l) = 0;  U'(x_s) = p^s, but U'(x_s) >= p^s at M_s and U'(x_s) <= p^s at m_s

which is linear in p: a linear programme finds the prices that come nearest. They need not be unique:
where two links carry the same flows, only the sum of their prices means something.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weir.theory._network import Network, Vector, check_sizes
from weir.theory._utility import require

Which = NDArray[np.bool_]

TIGHT = 1e-6
"""Distance from a bound, as a fraction of a capacity or a range of rates, below which the bound holds with
equality."""


_TRUSTED = 1e-3
"""Error of the conditions that an optimum may have: a tenth of the accuracy to which the algorithms are
measured."""


@dataclass(frozen=True)
class Optimum:
    """Rates and prices at which the sum of utilities is greatest."""

    rates: Vector
    """Rates by source, packets per second."""
    prices: Vector
    """Prices by link."""
    utility: float
    unique_prices: bool
    """True if no other prices would do as well. The rates are always unique."""


@dataclass(frozen=True)
class Conditions:
    """Errors of rates and prices in the conditions of the optimum; all are zero at the optimum alone."""

    overload: float
    """Largest load of a link beyond its capacity, as a fraction of the capacity."""
    slackness: float
    """Largest unused fraction of the capacity of a link with a price, weighted by its price over the greatest
    of all prices."""
    bounds: float
    """Largest distance of a rate from [m, M], as a fraction of M."""
    stationarity: float
    """Largest difference between U' and the price of the path where the rate could move, as a fraction of
    U'."""

    @property
    def worst(self) -> float:
        return max(self.overload, self.slackness, self.bounds, self.stationarity)


def conditions(network: Network, rates: Vector, prices: Vector, tight: float = TIGHT) -> Conditions:
    """Errors of rates and prices in the conditions of Karush, Kuhn and Tucker.

    Raises TheoryError for vectors of another length.

    Example:
        >>> from weir.theory import EXAMPLES, conditions, optimum
        >>> network = EXAMPLES["dumbbell"]()
        >>> best = optimum(network)
        >>> conditions(network, best.rates, best.prices).worst < 1e-6
        True
        >>> round(conditions(network, 0.9 * best.rates, best.prices).slackness, 2)
        0.1
    """
    check_sizes(network, rates=rates, prices=prices)
    free = (network.capacities - network.load(rates)) / network.capacities
    highest = max(float(prices.max()), np.finfo(float).tiny)
    outside = np.maximum(network.least - rates, rates - network.greatest) / network.greatest
    marginal = network.marginal(np.clip(rates, network.least, network.greatest))
    off = (marginal - prices @ network.paths) / marginal
    at_most, at_least = _at_bounds(network, rates, tight)
    off = np.where(at_most, np.minimum(off, 0.0), off)
    off = np.where(at_least, np.maximum(off, 0.0), off)
    off = np.where(at_least & at_most, 0.0, off)
    return Conditions(
        overload=float(np.maximum(-free, 0.0).max()),
        slackness=float((np.maximum(free, 0.0) * np.maximum(prices, 0.0) / highest).max())
        + float(np.maximum(-prices, 0.0).max()) / highest,
        bounds=float(np.maximum(outside, 0.0).max()),
        stationarity=float(np.abs(off).max()),
    )


def optimum(network: Network) -> Optimum:
    """The optimal rates and prices. Raises TheoryError where the solver gives up.

    Example:
        >>> from weir.theory import EXAMPLES, optimum
        >>> best = optimum(EXAMPLES["dumbbell"]())
        >>> best.rates.round().tolist(), best.unique_prices
        ([1082.0, 2165.0, 900.0, 600.0, 878.0], True)
    """
    rates = _rates(network)
    tight = network.load(rates) >= (1.0 - TIGHT) * network.capacities
    prices = _prices(network, rates, tight)
    missed = conditions(network, rates, prices).worst
    require(
        missed < _TRUSTED,
        f"scipy finds no optimum: what it finds misses the conditions by {missed:.2%}",
        "are the weights such that all sources want rates of a like size?",
    )
    at_most, at_least = _at_bounds(network, rates, TIGHT)
    # Unique if the sources that could move tell the tight links apart.
    moving = network.paths[np.ix_(tight, ~(at_most | at_least))]
    rank = int(np.linalg.matrix_rank(moving)) if moving.size else 0
    return Optimum(rates, prices, network.utility(rates), unique_prices=rank == int(tight.sum()))


def _rates(network: Network) -> Vector:
    # By name: it has no types, and takes long to import.
    solvers: Any = import_module("scipy.optimize")
    # In shares of the greatest rate, and utilities of the marginal there: numbers around one.
    scale = network.greatest
    least = network.least / scale
    # All by the same share of the way from least to greatest, so that they fit.
    wanted = network.load(scale - network.least)
    room = (network.capacities - network.load(network.least)) / np.maximum(wanted, 1e-300)
    share = min(float(np.min(np.where(wanted > 0.0, room, 1.0))), 1.0)
    start = (network.least + 0.9 * share * (scale - network.least)) / scale
    worth = float((network.counts * network.marginal(start * scale) * scale).max())
    # Where U' is infinite at zero no optimum is there: it would cost an infinite price.
    infinite = np.array([source.utility.shift == 0.0 for source in network.sources])
    lower = np.where(infinite, np.maximum(least, 1e-9), least)

    def objective(shares: Vector) -> tuple[float, Vector]:
        rates = shares * scale
        return (
            -network.utility(rates) / worth,
            -network.counts * network.marginal(rates) * scale / worth,
        )

    routes = network.routes * scale / network.capacities[:, None]

    # How it ends does not matter: at this tolerance also for want of a step that goes further down. That
    # it is at the optimum is seen by the conditions.
    found = solvers.minimize(
        objective,
        start,
        jac=True,
        method="SLSQP",
        bounds=solvers.Bounds(lower, np.ones_like(lower)),
        constraints=solvers.LinearConstraint(routes, -np.inf, 1.0),
        options={"maxiter": 1000, "ftol": 1e-14},
    )
    rates = np.asarray(found.x, dtype=np.float64) * scale
    return np.clip(rates, network.least, network.greatest)


def _prices(network: Network, rates: Vector, tight: Which) -> Vector:
    """The prices of the tight links that come nearest to the marginals, in the sum of what is missing."""
    solvers: Any = import_module("scipy.optimize")
    prices = np.zeros(len(network.links))
    if not tight.any():
        return prices
    marginal = network.marginal(rates)
    paths = network.paths[tight].T / marginal[:, None]
    sources, links = paths.shape
    at_most, at_least = _at_bounds(network, rates, TIGHT)
    # paths p + short - over = 1, where short costs nothing at M and over nothing at m.
    cost = np.concatenate([np.zeros(links), np.where(at_most, 0.0, 1.0), np.where(at_least, 0.0, 1.0)])
    eye = np.eye(sources)
    equations = np.hstack([paths, eye, -eye])
    found = solvers.linprog(cost, A_eq=equations, b_eq=np.ones(sources), bounds=(0.0, None))
    if found.status == 0:
        prices[tight] = found.x[:links]
    return prices


def _at_bounds(network: Network, rates: Vector, tight: float) -> tuple[Which, Which]:
    near = tight * network.greatest
    return rates >= network.greatest - near, rates <= network.least + near
