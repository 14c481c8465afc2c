"""Rates and prices of a network of TCP by duality: maximise the sum of U_s(x_s) within the capacities (Low,
2003).

A sender of each kind at rate x and round trip D sees a price q, and x = U'^-1(q):

- square root: `1.5 / (x D)^2`; NewReno, SACK, as packets show them
- reno-2003: `2 / (2 + (x D)^2)`; a halving per mark
- reno-round: `3 / (x D (2 x D + 3))`; at most one a round trip
- cubic: `k^(4/3) D / (x D)^(4/3)`; k = 1.0537, RFC 9438
- vegas: `alpha d / x`; its price is queueing delay, seconds
- scalable: `2 / (x D)`; DCTCP, Prague under coupled marks
- rem: `w / (1 + x)`, or `w / x`; hosts of 1999

Prices of a path add: exactly as REM's P = -ln(1 - m) / ln phi, and as probabilities while they are small.
Links in use have sum of rates = c, and links with room have no price: each link in turn, then Newton's method
on all at once.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from weir.scenario import suggestion
from weir.theory._bisection import bisected_by_factors
from weir.theory._utility import TheoryError, require

Vector = NDArray[np.float64]
Demand = Callable[[Vector], Vector]
"""Rates of the flows by the prices of the links."""

Sender = Literal[
    "square-root", "reno-2003", "reno-round", "cubic", "vegas", "scalable", "rem-log1p", "rem-log"
]
"""A kind of sender, by its answer to a price; `reno-2003` and `reno-round` as Low (2003) has them."""

CUBIC_K = (0.4 * 3.7 / 1.2) ** 0.25
"""Constant of CUBIC, 1.0537: C (3 + beta) / (4 (1 - beta)) to the fourth root."""

TOLERANCE = 1e-10
"""Largest error of a link's load, as a fraction of its capacity."""

SCALE: dict[Sender, str] = {"vegas": "delay", "rem-log1p": "price", "rem-log": "price"}
"""Meaning of a price, by kind of sender; for the kinds that are not here it is a probability."""


@dataclass(frozen=True)
class Path:
    """Flows of one kind over the same links.

    Example:
        >>> from weir.theory import Path
        >>> round(Path("ftp", ("link",), rtt=0.1).rate(price=0.015), 1)
        100.0
    """

    name: str
    links: tuple[str, ...]
    rtt: float
    """Round trip D in seconds. It includes the queues, except for Vegas."""
    kind: Sender = "square-root"
    flows: float = 1.0
    weight: float = 1.0
    """Weight, which is alpha d of Vegas in packets, and w of REM's hosts. For the other kinds the price is
    divided by it."""
    most: float = math.inf
    """Greatest rate that the receiver's window allows, packets per second."""
    friendly: bool = False
    """True if CUBIC sends no less than Reno."""

    def rate(self, price: float) -> float:
        """Rate of one flow at a price, packets per second. Raises TheoryError without a round trip."""
        if not self.rtt > 0.0:
            raise TheoryError(f"flows of {self.name} have a delay of zero", "give them a round trip")
        if price <= 0.0:
            return min(self.most, 1e18)
        return min(self._demand(price), self.most)

    def _demand(self, price: float) -> float:  # noqa: PLR0911 - one for each kind
        d, q = self.rtt, price / (1.0 if self.kind in SCALE else self.weight)
        match self.kind:
            case "square-root":
                return math.sqrt(1.5 / q) / d
            case "reno-2003":
                return math.sqrt(max(2.0 / q - 2.0, 0.0)) / d
            case "reno-round":
                # 2 y^2 + 3 y = 3 / q with y = x D.
                return (-3.0 + math.sqrt(9.0 + 24.0 / q)) / 4.0 / d
            case "cubic":
                own = CUBIC_K * (d / q) ** 0.75 / d
                return max(own, math.sqrt(1.5 / q) / d) if self.friendly else own
            case "scalable":
                return 2.0 / (q * d)
            case "vegas" | "rem-log":
                return self.weight / q
            case "rem-log1p":
                return max(self.weight / q - 1.0, 0.0)


@dataclass(frozen=True)
class Balance:
    """Rates and prices at which a network rests."""

    paths: tuple[Path, ...]
    links: tuple[str, ...]
    capacities: Vector
    rates: Vector
    """Rate of one flow of each path, packets per second."""
    prices: Vector
    """Prices of the links."""
    residual: float
    """Largest error in the conditions of Karush, Kuhn and Tucker, as a fraction of a link's capacity. It is
    the excess load, or the unused capacity of a link with a price."""
    mixed: bool
    """True if prices differ in kind, so that there is no single optimum, and no theorem applies."""

    @property
    def load(self) -> Vector:
        """Load of each link, packets per second."""
        return _routes(self.paths, self.links) @ self.rates


def balance(paths: Sequence[Path], capacities: dict[str, float], *, exact: bool = False) -> Balance:
    """Solves for the prices of the links.

    `exact`: signals compose as 1 - prod(1 - m), and a link's price is -ln(1 - m); else they add. Raises
    TheoryError for a network that is none, and where no price is found.

    Example:
        >>> from weir.theory import Path, balance
        >>> paths = [Path("near", ("link",), 0.05), Path("far", ("link",), 0.1)]
        >>> balance(paths, {"link": 1000.0}).rates.round(1).tolist()
        [666.7, 333.3]
    """
    require(bool(paths), "no flow answers a price", "name flows with a model")
    for link, capacity in capacities.items():
        said = f"link {link}: {capacity:g} packets/s is no capacity"
        require(0.0 < capacity < math.inf, said, "more than zero")
    kinds: tuple[str, ...] = get_args(Sender)
    for path in paths:
        said = f"flows of {path.name}"
        if path.kind not in kinds:
            raise TheoryError(f"{said}: there is no kind {path.kind!r}", suggestion(path.kind, kinds))
        require(path.flows > 0.0, f"{said}: {path.flows:g} flows", "more than zero")
        require(path.weight > 0.0, f"{said}: a weight of {path.weight:g}", "more than zero")
        require(bool(path.links), f"{said} pass no link", f"there are: {', '.join(capacities) or 'none'}")
        require(path.rtt > 0.0, f"flows of {path.name} have a delay of zero", "give them a round trip")
        for link in path.links:
            there = f"there are: {', '.join(capacities) or 'none'}"
            require(link in capacities, f"there is no link {link!r}", there)
    links = tuple(capacities)
    routes = _routes(tuple(paths), links)
    size = np.array([capacities[link] for link in links])
    onto = (routes > 0.0).T

    def demand(prices: Vector) -> Vector:
        seen = onto @ prices
        seen = -np.expm1(-seen) if exact else seen
        return np.array([path.rate(float(q)) for path, q in zip(paths, seen, strict=True)])

    prices = _in_turn(demand, routes, size)
    prices = _priced(demand, routes, size, prices)
    rates = demand(prices)
    excess = (routes @ rates - size) / size
    residual = float(np.max(np.where(prices > 0.0, np.abs(excess), np.maximum(excess, 0.0))))
    if not math.isfinite(residual) or residual > 1e-5:
        raise TheoryError(
            "no prices were found at which the flows fill the links", "windows of receivers that fill them"
        )
    scales = {SCALE.get(path.kind, "probability") for path in paths}
    return Balance(tuple(paths), links, size, rates, prices, residual, mixed=len(scales) > 1)


def _routes(paths: tuple[Path, ...], links: Sequence[str]) -> Vector:
    """Number of flows of a path over a link, shape (links, paths)."""
    return np.array([[path.flows if link in path.links else 0.0 for path in paths] for link in links])


def _in_turn(demand: Demand, routes: Vector, size: Vector) -> Vector:
    """Each link in turn takes the price at which its load is its capacity, the others' being as they are. It
    takes none where it has room. The dual is convex, so that this converges; roughly is enough."""
    prices = np.full(len(size), 1e-3)

    def over(link: int, price: float) -> bool:
        prices[link] = price
        return float((routes @ demand(prices))[link]) > size[link]

    for _ in range(300):
        before = prices.copy()
        for link in range(len(size)):
            if not over(link, 0.0):
                prices[link] = 0.0
                continue
            prices[link] = bisected_by_factors(partial(over, link), 1e-15, 1e6, 40)
        if np.all(np.abs(prices - before) <= 1e-4 * np.maximum(prices, 1e-12)):
            break
    return prices


def _priced(demand: Demand, routes: Vector, size: Vector, start: Vector) -> Vector:
    """Prices of the links that have one, exactly: Newton's method on ln p for ln(load / c) = 0, from `start`
    on."""
    index = np.flatnonzero(start > 0.0)
    y = np.log(start[index])

    def priced(y: Vector) -> Vector:
        prices = np.zeros(len(size))
        prices[index] = np.exp(y)
        return prices

    def missing(y: Vector) -> Vector:
        load = (routes @ demand(priced(y)))[index]
        return np.log(np.maximum(load, 1e-300) / size[index])

    for _ in range(30):
        found = missing(y)
        if not len(index) or np.max(np.abs(found)) < TOLERANCE:
            break
        jacobian = np.empty((len(index), len(index)))
        for k in range(len(index)):
            moved = y.copy()
            moved[k] += 1e-6
            jacobian[:, k] = (missing(moved) - found) / 1e-6
        move = np.asarray(np.linalg.lstsq(jacobian, -found, rcond=None)[0], dtype=np.float64)
        y = np.asarray(y + np.clip(move, -1.0, 1.0), dtype=np.float64)
    return priced(y)
