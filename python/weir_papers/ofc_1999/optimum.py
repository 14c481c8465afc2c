"""The basic algorithm of section 2.1, computed, beside the optimum that another solver finds.

Here is no chance, and so no replication in the sense of the runs: the networks are drawn instead. Each has
the links and paths of an example of `weir.theory`, weights of utilities and first prices of its own, all from
seed 1999 and its number. Intervals are over networks.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from weir.theory import (
    EXAMPLES,
    Host,
    Network,
    Optimum,
    Settled,
    Timing,
    Trajectory,
    Utility,
    Vector,
    asynchronous,
    conditions,
    local_bound,
    optimum,
    rem_hosts,
    synchronous,
    theorem_bound,
)
from weir.theory import Study as Computed
from weir_papers.data import Sample, Study
from weir_papers.quantities import Of, Quantity

NETWORKS, QUICK_NETWORKS = 20, 5
"""Drawn of each kind."""
SLOW_NETWORKS = 10
"""Of those that take thousands of steps."""

CAPACITY = 5625.0
"""Packets per second."""
GAMMA = 0.1
"""Price per packet of average queue."""
TAU = 21.0 / CAPACITY
"""Seconds: section 3.2 has 21 packets of round trip times capacity."""


@lru_cache(maxsize=16)
def settled(*weights: float, tau: float = TAU) -> Settled:
    """Where REM hosts of these weights come to rest on the paper's link.

    With a ln x for a ln(1 + x): the difference is one packet per second. So four weights of C make
    q^2 + 21 q = 840.
    """
    hosts = [
        Host(Utility.log(weight), receive_window=21.0, least=1.0 / tau, greatest=CAPACITY)
        for weight in weights
    ]
    return rem_hosts(hosts, CAPACITY, tau, GAMMA)


def equal() -> Settled:
    """Experiment 1: four of one weight."""
    return settled(*[CAPACITY] * 4)


def unequal() -> Settled:
    """Experiment 2: two of them with twice the weight."""
    return settled(*[CAPACITY, 2.0 * CAPACITY] * 2)


def textbook(sources: int = 4) -> tuple[float, float]:
    """Queue and window if rates, not windows, met the capacity: a / (1 + C / n) = gamma q."""
    rate = CAPACITY / sources
    queue = (CAPACITY + 1.0) / (1.0 + rate) / GAMMA
    return queue, (CAPACITY * TAU + queue) / sources


@dataclass(frozen=True)
class Case:
    """One network, and where the algorithm took it."""

    trajectory: Trajectory
    optimum: Optimum

    @property
    def rates_off(self) -> float:
        """The largest difference of a rate from the optimum, per cent."""
        return _worst(self.trajectory.rates[-1], self.optimum.rates)

    @property
    def prices_off(self) -> float:
        """The largest difference of a price, per cent of the highest price where the optimum is zero."""
        return _worst(self.trajectory.prices[-1], self.optimum.prices)

    @property
    def conditions_off(self) -> float:
        """What rates and prices miss of the conditions of Karush, Kuhn and Tucker, per cent."""
        missed = conditions(
            self.trajectory.network, self.trajectory.rates[-1], self.trajectory.prices[-1], 1e-4
        )
        return 100.0 * missed.worst


@lru_cache(maxsize=128)
def drawn(example: str, number: int) -> tuple[Network, Vector, Optimum]:
    """A network of this kind, first prices up to twice the highest of the optimum, and the optimum."""
    rng = np.random.default_rng([1999, number, list(EXAMPLES).index(example)])
    plain = EXAMPLES[example]()
    factors = np.exp(rng.uniform(-np.log(2.0), np.log(2.0), len(plain.sources)))
    sources = tuple(
        replace(source, utility=replace(source.utility, weight=source.utility.weight * float(factor)))
        for source, factor in zip(plain.sources, factors, strict=True)
    )
    network = replace(plain, sources=sources)
    best = optimum(network)
    return network, rng.uniform(0.0, 2.0 * best.prices.max(), len(network.links)), best


@lru_cache(maxsize=4)
def solved(example: str, how: str, count: int) -> tuple[Case, ...]:
    """`count` networks, `synchronous` or `asynchronous`, with half of the step that each optimum bears."""
    return tuple(_case(example, how, number) for number in range(count))


def _case(example: str, how: str, number: int) -> Case:
    network, prices, best = drawn(example, number)
    if how == "asynchronous":
        return Case(Computed.run(network, timing=Timing(), seed=number).trajectory, best)
    step = local_bound(network, best.rates, best.prices) / 2.0
    trajectory = synchronous(network, step, prices=prices)
    if not trajectory.converged:
        trajectory = synchronous(network, prices=prices)
    return Case(trajectory, best)


def of_networks(name: str, how: str, value: Callable[[Case], float]) -> Quantity:
    """A number of each drawn network, at the dumbbell and at the parking lot."""

    def samples(study: Study) -> list[Sample]:
        count = QUICK_NETWORKS if study.quick else NETWORKS
        return [
            Sample(
                f"{example}s of random weights, {how}",
                float("nan"),
                np.array([value(case) for case in solved(example, how, count)]),
            )
            for example in EXAMPLES
        ]

    return Of(name, "%", samples)


def steps_that_converge(
    name: str, factor: float, of: Callable[[Network, Optimum], float], most: int
) -> Quantity:
    """Per cent of the networks in which a step of `factor` times a bound comes within 0.01% of the optimum in
    `most` steps: 100 or 0 of each."""

    def samples(study: Study) -> list[Sample]:
        count = QUICK_NETWORKS if study.quick else SLOW_NETWORKS
        return [
            Sample(
                f"{example}s of random weights",
                float("nan"),
                np.array(
                    [
                        _reaches(example, number, factor * of(*_known(example, number)), most)
                        for number in range(count)
                    ]
                ),
            )
            for example in EXAMPLES
        ]

    return Of(name, "%", samples)


def _known(example: str, number: int) -> tuple[Network, Optimum]:
    network, _, best = drawn(example, number)
    return network, best


def _reaches(example: str, number: int, step: float, most: int) -> float:
    network, prices, _ = drawn(example, number)
    trajectory = synchronous(network, step, prices=prices, most=most, tolerance=1e-4)
    return 100.0 if trajectory.converged else 0.0


def by_theorem(network: Network, _: Optimum) -> float:
    """The step of theorem 1."""
    return theorem_bound(network)


def by_optimum(network: Network, best: Optimum) -> float:
    """The step above which the optimum repels."""
    return local_bound(network, best.rates, best.prices)


def convergence(example: str) -> Computed:
    """The example as it is, from prices of zero."""
    return Computed.run(EXAMPLES[example]())


def late_convergence(example: str) -> Trajectory:
    """The same with news that are up to five steps old."""
    return asynchronous(EXAMPLES[example](), _late_step(example), timing=Timing(), seed=1)


def _late_step(example: str) -> float:
    network = EXAMPLES[example]()
    best = optimum(network)
    return local_bound(network, best.rates, best.prices) / 2.0 / (1 + Timing().loop)


def _worst(reached: Vector, wanted: Vector) -> float:
    scale = np.where(wanted > 0.0, wanted, wanted.max())
    return float(100.0 * (np.abs(reached - wanted) / scale).max())
