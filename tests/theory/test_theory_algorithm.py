"""The algorithm reaches the optimum that other solvers find; too large a step does not."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np
import pytest
from drawn_networks import networks
from hypothesis import given, settings

from weir.theory import (
    EXAMPLES,
    Link,
    Network,
    Order,
    Source,
    Study,
    Timing,
    Utility,
    Vector,
    asynchronous,
    conditions,
    local_bound,
    optimum,
    sharp_bound,
    synchronous,
    theorem_bound,
)

solvers: Any = import_module("scipy.optimize")

ONE_PER_CENT = 0.01


def trust_constr(network: Network) -> tuple[Vector, Vector]:
    """Rates and prices by scipy's interior point method: the prices are its multipliers."""
    scale = network.greatest
    # Strictly inside: an interior point method does not leave a bound.
    start = 0.9 * network.least / scale + 0.1
    worth = float((network.counts * network.marginal(start * scale) * scale).max())
    routes = network.routes * scale

    def objective(x: Vector) -> float:
        return -network.utility(x * scale) / worth

    def gradient(x: Vector) -> Vector:
        return -network.counts * network.marginal(x * scale) * scale / worth

    def curvature(x: Vector) -> Vector:
        slopes = [s.utility.slope(float(y)) for s, y in zip(network.sources, x * scale, strict=True)]
        return np.diag(network.counts / np.array(slopes) * scale**2 / worth)

    capacities = network.capacities
    found = solvers.minimize(
        objective,
        start,
        jac=gradient,
        hess=curvature,
        method="trust-constr",
        bounds=solvers.Bounds(
            np.maximum(network.least / scale, 1e-6), np.ones_like(scale), keep_feasible=True
        ),
        constraints=solvers.LinearConstraint(routes / capacities[:, None], -np.inf, 1.0),
        options={"gtol": 1e-10, "xtol": 1e-12, "barrier_tol": 1e-10, "maxiter": 3000},
    )
    return found.x * scale, found.v[0] * worth / capacities


@pytest.mark.parametrize(
    ("name", "algorithm"),
    [
        # It takes many steps on the dumbbell.
        pytest.param(
            name, algorithm, marks=[pytest.mark.soak] * (algorithm == "asynchronous" and name == "dumbbell")
        )
        for algorithm in ("in-turn", "at-once", "asynchronous", "theorem", "study")
        for name in EXAMPLES
    ],
)
def test_the_optimum_of_two_solvers_is_reached(name: str, algorithm: str) -> None:
    network = EXAMPLES[name]()
    match algorithm:
        case "in-turn" | "at-once":
            reached = synchronous(network, order=algorithm)
        case "theorem":
            reached = synchronous(network, 0.99 * theorem_bound(network))
        case "study":
            reached = Study.run(network).trajectory
        case _:
            reached = asynchronous(network)
    assert reached.converged
    by_hand, multipliers = trust_constr(network)
    found = optimum(network)
    for rates, prices in ((by_hand, multipliers), (found.rates, found.prices)):
        assert reached.rates[-1] == pytest.approx(rates, rel=ONE_PER_CENT)
        assert reached.prices[-1] == pytest.approx(prices, rel=ONE_PER_CENT)


@pytest.mark.parametrize("name", EXAMPLES)
def test_bounds_of_both_kinds_hold_in_the_examples(name: str) -> None:
    network = EXAMPLES[name]()
    rates = optimum(network).rates
    assert (np.isclose(rates, network.least) & (network.least > 0.0)).any()
    forms = {(s.utility.fairness, s.utility.shift) for s in network.sources}
    assert len(forms) >= 3
    greatest = np.array([source.greatest for source in network.sources])
    assert np.isclose(EXAMPLES["dumbbell"]().greatest[2], optimum(EXAMPLES["dumbbell"]()).rates[2])
    assert (greatest < np.inf).any()


@given(network=networks())
@settings(max_examples=60)
def test_random_networks_meet_the_conditions_of_the_optimum(network: Network) -> None:
    study = Study.run(network)
    reached = study.trajectory
    assert reached.converged
    # At a residual of 1e-6 of a capacity; a rate that is a hundredth of one is off by 1e-4.
    assert conditions(network, reached.rates[-1], reached.prices[-1], tight=1e-4).worst < 1e-3
    # Rates that end near zero have no per cents.
    off = np.abs(reached.rates[-1] - study.optimum.rates)
    assert (off <= np.maximum(ONE_PER_CENT * study.optimum.rates, 1e-4 * network.greatest)).all()
    if study.optimum.unique_prices:
        highest = study.optimum.prices.max()
        assert reached.prices[-1] == pytest.approx(study.optimum.prices, rel=0.01, abs=0.01 * highest)


@given(network=networks())
@settings(max_examples=60)
def test_random_networks_the_solver_finds_the_optimum(network: Network) -> None:
    found = optimum(network)
    assert conditions(network, found.rates, found.prices).worst < 1e-3


@given(network=networks())
@settings(max_examples=60)
def test_the_theorem_promises_no_more_than_what_is_safe(network: Network) -> None:
    found = optimum(network)
    safe = sharp_bound(network)
    assert theorem_bound(network) <= safe * (1.0 + 1e-9)
    assert safe <= local_bound(network, found.rates, found.prices) * (1.0 + 1e-4)


@given(network=networks())
@settings(max_examples=40)
def test_below_the_bound_every_step_lowers_the_dual(network: Network) -> None:
    # D(p) = sum over the flows of max (U - x p^s) + sum of p_l c_l: theorem 1 by its proof.
    reached = synchronous(network, 0.99 * sharp_bound(network), most=200)

    def dual(prices: Vector) -> float:
        rates = network.demand(prices)
        return network.utility(rates) - float(prices @ (network.load(rates) - network.capacities))

    values = np.array([dual(prices) for prices in reached.prices])
    slack = 1e-9 * np.abs(values).max()
    assert (np.diff(values) <= slack).all()


def test_a_link_shared_by_equals_by_hand() -> None:
    # n a / p = c: p = n a / c, x = c / n.
    network = Network((Link("only", 1000.0),), (Source("s", ("only",), Utility.log(50.0), count=8),))
    found = optimum(network)
    assert found.rates == pytest.approx([125.0])
    assert found.prices == pytest.approx([0.4])
    assert Study.run(network).trajectory.prices[-1] == pytest.approx([0.4], rel=1e-5)


def test_a_parking_lot_by_hand() -> None:
    # All a ln x over n equal links, one flow over all and one on each: x0 = c / (n + 1).
    names = ("one", "two", "three")
    log = Utility.log(10.0)
    crossing = [Source(name, (name,), log) for name in names]
    network = Network(tuple(Link(name, 400.0) for name in names), (Source("long", names, log), *crossing))
    reached = Study.run(network).trajectory
    assert reached.rates[-1] == pytest.approx([100.0, 300.0, 300.0, 300.0], rel=1e-4)
    assert reached.prices[-1] == pytest.approx([10.0 / 300.0] * 3, rel=1e-4)


def test_the_step_that_a_link_bears() -> None:
    # p <- p + gamma (n a / p - c) has the slope 1 - gamma c^2 / (n a) at its fixed point: it leaves it
    # above 2 n a / c^2. With rates a step old the bound is half of that.
    network = Network((Link("only", 1000.0),), (Source("s", ("only",), Utility.log(50.0), count=8),))
    found = optimum(network)
    bound = local_bound(network, found.rates, found.prices)
    assert bound == pytest.approx(2 * 8 * 50.0 / 1000.0**2)
    near = found.prices * 1.001
    cases: tuple[tuple[Order, float], ...] = (("in-turn", 1.0), ("at-once", 0.5))
    for order, share in cases:
        below = synchronous(network, 0.97 * share * bound, order=order, prices=near, most=3000)
        above = synchronous(network, 1.03 * share * bound, order=order, prices=near, most=3000)
        assert below.converged
        assert not above.converged
        # It does not grow without bound either: it swings around the optimum for ever.
        tail = above.prices[-200:, 0]
        assert tail.min() < 0.97 * found.prices[0]
        assert tail.max() > 1.03 * found.prices[0]


def test_target_utilisation_scales_what_is_shared() -> None:
    # All a ln x: the optimum of rho c is rho times the rates, at prices over rho.
    names = ("one", "two")
    log = Utility.log(10.0)
    network = Network(
        (Link("one", 300.0), Link("two", 500.0)),
        (Source("long", names, log), Source("a", ("one",), log), Source("b", ("two",), log)),
    )
    whole, most = Study.run(network).trajectory, Study.run(network.with_target(0.9)).trajectory
    assert most.rates[-1] == pytest.approx(0.9 * whole.rates[-1], rel=1e-4)
    assert most.prices[-1] == pytest.approx(whole.prices[-1] / 0.9, rel=1e-4)
    load = network.load(most.rates[-1])
    assert load == pytest.approx(0.9 * network.capacities, rel=1e-5)


def test_asynchrony_leads_to_the_same_optimum_and_one_seed_to_the_same_steps() -> None:
    network = EXAMPLES["parking-lot"]()
    wanted = optimum(network)
    for timing in (
        Timing(knowledge="latest"),
        Timing(often=0.2, gap=8, delay=8),
        Timing(often=1.0, gap=1, delay=0),
    ):
        for seed in (1, 2):
            reached = Study.run(network, timing=timing, seed=seed).trajectory
            assert reached.converged, timing
            assert reached.rates[-1] == pytest.approx(wanted.rates, rel=ONE_PER_CENT)
            assert reached.prices[-1] == pytest.approx(wanted.prices, rel=ONE_PER_CENT)
    runs = [asynchronous(network, 1e-4, seed=seed, most=300) for seed in (3, 3, 4)]
    assert np.array_equal(runs[0].prices, runs[1].prices)
    assert not np.array_equal(runs[0].prices, runs[2].prices)


def test_everybody_updates_at_instants_of_its_own() -> None:
    # A chance of 0.2, and after 8 steps for certain: an update every (1 - 0.8^8) / 0.2 = 4.16 steps.
    network = EXAMPLES["parking-lot"]()
    timing = Timing(often=0.2, gap=8, delay=8)
    prices = asynchronous(network, 1e-5, timing=timing, most=4000, tolerance=0.0).prices
    changed = np.diff(prices, axis=0) != 0.0
    assert changed.mean(axis=0) == pytest.approx(1 / 4.16, rel=0.08)
    for link in changed.T:
        gaps = np.diff(np.flatnonzero(link))
        assert gaps.max() == 8
    together = (changed[:, 0] & changed[:, 1]).mean()
    assert together == pytest.approx(1 / 4.16**2, rel=0.25)


def test_asynchrony_bears_less() -> None:
    # News of up to 15 steps make a step swing that is right when everybody knows at once.
    network = EXAMPLES["dumbbell"]()
    found = optimum(network)
    step = 0.5 * local_bound(network, found.rates, found.prices)
    assert synchronous(network, step).converged
    assert not asynchronous(network, step, timing=Timing(delay=15), most=5000).converged


def test_prices_of_links_in_a_row_are_not_told_apart() -> None:
    names = ("one", "two")
    network = Network((Link("one", 100.0), Link("two", 100.0)), (Source("long", names, Utility.log(10.0)),))
    study = Study.run(network)
    assert not study.optimum.unique_prices
    assert study.trajectory.rates[-1] == pytest.approx([100.0], rel=1e-4)
    assert study.trajectory.prices[-1].sum() == pytest.approx(0.1, rel=1e-3)
    assert study.optimum.prices.sum() == pytest.approx(0.1, rel=1e-3)


def test_an_idle_link_is_free() -> None:
    network = Network((Link("only", 100.0),), (Source("s", ("only",), Utility.log(10.0), greatest=40.0),))
    study = Study.run(network)
    assert study.trajectory.converged
    assert study.trajectory.prices[-1].tolist() == [0.0]
    assert study.trajectory.rates[-1].tolist() == [40.0]
    assert study.optimum.prices.tolist() == [0.0]
