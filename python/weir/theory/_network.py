"""The network of the model: links of some capacity, sources with a path, a utility and bounds.

Lapsley and Low (1999), section 2.1: link l has the capacity c_l, source s has (L(s), U_s, m_s, M_s), and x_s
is within [m_s, M_s]. What passes link l is at most c_l: the sum of x_s over the sources s with l on their
path. c_l is rho_l times the link's real capacity, with the target utilisation rho_l.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from weir.theory._utility import TheoryError, Utility, require

Vector = NDArray[np.float64]
"""Numbers for each source or link, in the order of the network."""


@dataclass(frozen=True)
class Link:
    """Link of the model: one direction of a link."""

    name: str
    rate: float
    """Rate of the link, packets per second."""
    target: float = 1.0
    """Target utilisation rho, the fraction of the rate to be used."""

    @property
    def capacity(self) -> float:
        """Capacity c, the packets per second that may pass."""
        return self.rate * self.target


@dataclass(frozen=True)
class Source:
    """Source of the model: one sender, or `count` of a kind."""

    name: str
    path: tuple[str, ...]
    utility: Utility
    least: float = 0.0
    """Least rate m, packets per second."""
    greatest: float = math.inf
    """Greatest rate M, packets per second. If infinite, it becomes the rate of the narrowest link of the path
    plus a quarter, divided by `count`. No feasible rate is as high, so that it matters only at a price near
    zero."""
    count: int = 1


@dataclass(frozen=True)
class Network:
    """Links and sources, checked: there are rates that fit.

    Raises TheoryError for parts that do not fit together.

    Example:
        >>> from weir.theory import EXAMPLES, optimum
        >>> network = EXAMPLES["dumbbell"]().with_target(0.9)
        >>> best = optimum(network)
        >>> network.load(best.rates).round(1).tolist()
        [5062.5]
        >>> bool(abs(network.demand(best.prices) - best.rates).max() < 0.1)
        True
        >>> round(network.utility(best.rates)), network.marginal(best.rates).round(1).tolist()
        (200947, [6.1, 6.1, 12.5, 1.7, 6.1])
    """

    links: tuple[Link, ...]
    sources: tuple[Source, ...]
    name: str = "network"

    def __post_init__(self) -> None:
        for kind, parts in (("link", self.links), ("source", self.sources)):
            names = [part.name for part in parts]
            require(bool(names), f"there is no {kind}", "a network has links and sources")
            twice = next((name for name in names if names.count(name) > 1), None)
            require(twice is None, f"two {kind}s are called {twice!r}", "give each a name of its own")
        for link in self.links:
            said, target = f"link {link.name}", link.target
            require(
                0.0 < link.rate < math.inf, f"{said}: {link.rate:g} packets/s is no rate", "more than zero"
            )
            require(
                0.0 < target <= 1.0, f"{said}: {target:g} is no target utilisation", "more than 0, at most 1"
            )
        for source in self.sources:
            self._check(source)
        for link, least in zip(self.links, self.load(self.least), strict=True):
            require(
                bool(least <= link.capacity),
                f"the least rates of the sources over {link.name} make {least:g} packets/s, "
                f"and {link.capacity:g} may pass",
                "lower them, or raise the target utilisation",
            )

    def _check(self, source: Source) -> None:
        said, known = f"source {source.name}", sorted(link.name for link in self.links)
        once = 0 < len(source.path) == len(set(source.path))
        require(once, f"{said}: its path is empty or passes a link twice", "name each link once")
        for name in source.path:
            require(name in known, f"{said}: there is no link {name!r}", f"there are: {', '.join(known)}")
        require(source.count >= 1, f"{said}: {source.count} flows are none", "one or more")
        require(
            0.0 <= source.least <= source.greatest > 0.0,
            f"{said}: no rate lies between {source.least:g} and {source.greatest:g} packets/s",
            "the least is zero or more; the greatest is above zero, and not below the least",
        )

    @cached_property
    def routes(self) -> Vector:
        """Number of flows of a source over a link, shape (links, sources)."""
        passes = [[link.name in source.path for source in self.sources] for link in self.links]
        return np.asarray(passes, dtype=np.float64) * self.counts

    @cached_property
    def paths(self) -> Vector:
        """Incidence matrix, shape (links, sources), with 1 if the link is on the path."""
        return np.minimum(self.routes, 1.0)

    @cached_property
    def counts(self) -> Vector:
        """Number of flows of each source."""
        return np.array([source.count for source in self.sources], dtype=np.float64)

    @cached_property
    def capacities(self) -> Vector:
        """Capacity c of each link, packets per second."""
        return np.array([link.capacity for link in self.links])

    @cached_property
    def least(self) -> Vector:
        """Least rates m, packets per second."""
        return np.array([source.least for source in self.sources])

    @cached_property
    def greatest(self) -> Vector:
        """Greatest rates M, packets per second; finite."""
        of = {link.name: link.capacity for link in self.links}
        return np.array(
            [
                source.greatest
                if math.isfinite(source.greatest)
                else 1.25 * min(of[name] for name in source.path) / source.count
                for source in self.sources
            ]
        )

    @cached_property
    def largest_step(self) -> float:
        """Bound on the step, 2 over the Lipschitz constant of the loads as functions of the prices. The
        constant is the largest eigenvalue of R diag(alpha bar) R', with the steepest slope that each demand
        can have, at its greatest rate."""
        curvature = (self.routes * self.slopes(self.greatest)) @ self.paths.T
        return 2.0 / float(np.linalg.eigvalsh(curvature)[-1])

    def load(self, rates: Vector) -> Vector:
        """Load of each link, packets per second. Raises TheoryError unless each source has a rate."""
        check_sizes(self, rates=rates)
        return self.routes @ rates

    def demand(self, prices: Vector) -> Vector:
        """Rate of each source at these prices of the links, packets per second: equation 3. Raises
        TheoryError unless each link has a price."""
        check_sizes(self, prices=prices)
        return self.demand_at(prices @ self.paths)

    def demand_at(self, price: Vector) -> Vector:
        """Rate of each source by the price of its path, packets per second."""
        weight, exponent, shift = self._shapes
        with np.errstate(divide="ignore", over="ignore"):
            worth = (weight / np.maximum(price, 0.0)) ** exponent - shift
        return np.clip(worth, self.least, self.greatest)

    def utility(self, rates: Vector) -> float:
        """Sum of all utilities, which is maximised. Raises TheoryError unless each source has a rate."""
        return sum((self.counts * self._of_each(Utility.value, rates)).tolist())

    def marginal(self, rates: Vector) -> Vector:
        """Marginal utility U' of each source. Raises TheoryError unless each source has a rate."""
        return self._of_each(Utility.marginal, rates)

    def slopes(self, rates: Vector) -> Vector:
        """Decrease of each source's demand where it equals its rate, packets/s per unit of price."""
        return self._of_each(Utility.slope, rates)

    def with_target(self, target: float) -> Network:
        """Network with another target utilisation of its links.

        Raises TheoryError for a target that is not above zero and at most 1, or that leaves too little for
        the least rates.
        """
        return replace(self, links=tuple(replace(link, target=target) for link in self.links))

    def _of_each(self, function: Callable[[Utility, float], float], rates: Vector) -> Vector:
        check_sizes(self, rates=rates)
        pairs = zip(self.sources, rates.tolist(), strict=True)
        return np.array([function(source.utility, rate) for source, rate in pairs])

    @cached_property
    def _shapes(self) -> Vector:
        utilities = [source.utility for source in self.sources]
        return np.array([(one.weight, 1.0 / one.fairness, one.shift) for one in utilities]).T


def check_sizes(network: Network, *, rates: Vector | None = None, prices: Vector | None = None) -> None:
    """Raises TheoryError unless there is a rate for each source, and a price for each link."""
    for what, given, parts, of in (
        ("rates", rates, network.sources, "sources"),
        ("prices", prices, network.links, "links"),
    ):
        if given is not None and given.shape != (len(parts),):
            named = ", ".join(part.name for part in parts)
            message = f"{given.size} {what} are not those of {len(parts)} {of}"
            raise TheoryError(message, f"give one for each, in this order: {named}")


def dumbbell() -> Network:
    """Network of one link of 5625 packets/s, as in Lapsley and Low (1999), shared by five sources with
    different utilities."""
    path = ("bottleneck",)
    return Network(
        (Link("bottleneck", 5625.0),),
        (
            Source("plain", path, Utility.log_one_plus(5626.0)),
            Source("double", path, Utility.log_one_plus(11252.0)),
            Source("capped", path, Utility.log(11252.0), greatest=900.0),
            Source("assured", path, Utility.log(1000.0), least=600.0),
            Source("reno-like", path, Utility.fair(4e6, 2.0)),
        ),
        "dumbbell",
    )


def parking_lot() -> Network:
    """Network of three links in a row. One source crosses them all, one two, and each link has a source of
    its own."""
    return Network(
        (Link("first", 1000.0), Link("second", 800.0), Link("third", 1200.0)),
        (
            Source("long", ("first", "second", "third"), Utility.log(1000.0), least=50.0),
            Source("middle", ("first", "second"), Utility.fair(4e5, 2.0), least=260.0),
            Source("a", ("first",), Utility.log_one_plus(1000.0)),
            Source("b", ("second",), Utility.log(2000.0)),
            Source("c", ("third",), Utility.log_one_plus(3000.0), greatest=700.0),
            Source("d", ("third",), Utility.fair(100.0, 0.5)),
        ),
        "parking-lot",
    )


EXAMPLES = {"dumbbell": dumbbell, "parking-lot": parking_lot}
"""Networks by their names for `weir theory ofc --example`."""
