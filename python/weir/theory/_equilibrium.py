"""Equilibria of queues and windows, by short formulas for one link.

REM hosts (Lapsley and Low 1999): a window is the rate that the price is worth times the round trip without
queues, and windows fill pipe and queue:

    W_s = min(awnd_s, max(1, x_s(p) tau)),   p = gamma q,   sum of W_s = c tau + q

With a ln x, n hosts and no bound that is q^2 + c tau q = n a tau / gamma.

Reno's family, marked or losing with probability p: p = 1.5 / W^2, n W = c rtt + q; REM's price for it
is -ln(1 - p) / ln phi.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from weir.theory._utility import Utility, above_zero, not_below_zero, require


@dataclass(frozen=True)
class Host:
    """A host of the 1999 paper.

    Raises TheoryError for bounds between which there is no rate. Its window has it for a round trip that is
    not above zero.

    Example:
        >>> from weir.theory import Host, Utility
        >>> Host(Utility.log(1000.0), receive_window=50.0).window(price=0.5, tau=0.02)
        40.0
    """

    utility: Utility
    receive_window: float = math.inf
    """Receive window awnd, packets."""
    least: float = 0.0
    """Least rate m, packets per second."""
    greatest: float = math.inf
    """Greatest rate M, packets per second."""

    def __post_init__(self) -> None:
        require(
            0.0 <= self.least <= self.greatest > 0.0,
            f"no rate lies between {self.least:g} and {self.greatest:g} packets/s",
            "the least is zero or more; the greatest is above zero, and not below the least",
        )
        require(self.receive_window > 0.0, f"a receive window of {self.receive_window:g}", "more than zero")

    def window(self, price: float, tau: float) -> float:
        """Window at a price, packets."""
        above_zero(tau=tau)
        rate = self.utility.demand(price, self.least, self.greatest)
        return min(self.receive_window, max(1.0, rate * tau))


@dataclass(frozen=True)
class Settled:
    """REM hosts in equilibrium."""

    queue: float
    """Queue, packets."""
    windows: tuple[float, ...]
    """Windows by host, packets."""
    price: float

    @property
    def marked(self) -> float:
        """Fraction of packets that carry a mark, 1 - exp(-p)."""
        return -math.expm1(-self.price)


def rem_hosts(hosts: Sequence[Host], capacity: float, tau: float, gamma: float) -> Settled:
    """Equilibrium of hosts over one link that marks by its queue.

    `capacity` in packets per second; `tau`, the round trip without queues, in seconds; `gamma`, price per
    packet of queue. Where the windows do not fill the pipe the queue is zero. Raises TheoryError for
    parameters that are not above zero, and without a host.

    Example:
        >>> from weir.theory import Host, Utility, rem_hosts
        >>> rest = rem_hosts([Host(Utility.log(1000.0))] * 2, capacity=5000.0, tau=0.08, gamma=0.005)
        >>> round(rest.queue), round(rest.windows[0])
        (68, 234)
    """
    require(len(hosts) > 0, "there is no host", "name one or more")
    above_zero(capacity=capacity, tau=tau, gamma=gamma)

    def missing(queue: float) -> float:
        windows = sum(host.window(gamma * queue, tau) for host in hosts)
        return windows - capacity * tau - queue

    queue = 0.0
    if missing(0.0) > 0.0:
        high = 1.0
        while missing(high) > 0.0:
            high *= 2.0
        queue = _root(missing, 0.0, high)
    price = gamma * queue
    return Settled(queue, tuple(host.window(price, tau) for host in hosts), price)


def reno_probability(window: float) -> float:
    """The probability at which Reno's family has this mean window, without delayed ACKs: 1.5 / W^2.

    Raises TheoryError for a window that is not above zero.

    Example:
        >>> from weir.theory import reno_probability
        >>> reno_probability(10.0)
        0.015
    """
    above_zero(window=window)
    return 1.5 / window**2


def mean_window(flows: int, pipe: float, queue: float) -> float:
    """Mean window in packets: n windows fill the pipe, which is capacity times round trip, and the queue.

    Raises TheoryError without flows, and for a negative pipe or queue.

    Example:
        >>> from weir.theory import mean_window
        >>> mean_window(flows=20, pipe=640.0, queue=60.0)
        35.0
    """
    above_zero(flows=flows)
    not_below_zero(pipe=pipe, queue=queue)
    return (pipe + queue) / flows


def rem_price(probability: float, phi: float = 1.001) -> float:
    """The price at which REM marks with this probability: 1 - phi^-price.

    Raises TheoryError for a probability that is not from 0 to below 1, and for a `phi` that is not above 1.

    Example:
        >>> from weir.theory import rem_price
        >>> round(rem_price(0.1), 1)
        105.4
    """
    require(0.0 <= probability < 1.0, f"a probability of {probability:g}", "zero or more, and below 1")
    require(1.0 < phi < math.inf, f"phi is {phi:g}", "more than 1")
    return -math.log1p(-probability) / math.log(phi)


def red_queue(
    flows: int, pipe: float, min_th: float, max_th: float, max_p: float, spread: float = 1.0
) -> float | None:
    """RED's mean queue in packets under Reno's family; None where no average below max_th marks enough.

    `spread` is the share of RED's probability that its spacing of marks leaves: 2/3 with `wait` (aqm of
    ns-2 in 2000), 2 between marks spread evenly; 1 for draws without memory.

    Raises TheoryError for numbers that are not above zero, and for thresholds that do not rise.

    Example:
        >>> from weir.theory import red_queue
        >>> round(red_queue(flows=20, pipe=640.0, min_th=20.0, max_th=80.0, max_p=0.1), 1)
        20.8
        >>> red_queue(flows=200, pipe=640.0, min_th=20.0, max_th=80.0, max_p=0.1) is None
        True
    """

    above_zero(flows=flows, pipe=pipe, max_p=max_p, spread=spread)
    require(0.0 <= min_th < max_th, f"thresholds of {min_th:g} and {max_th:g}", "min_th below max_th")

    def missing(queue: float) -> float:
        wanted = reno_probability(mean_window(flows, pipe, queue))
        return wanted - spread * max_p * (queue - min_th) / (max_th - min_th)

    return None if missing(max_th) > 0.0 else _root(missing, min_th, max_th)


def _root(function: Callable[[float], float], low: float, high: float) -> float:
    # By name: it has no types, and takes long to import.
    solvers: Any = import_module("scipy.optimize")
    return float(solvers.bisect(function, low, high, xtol=1e-13))
