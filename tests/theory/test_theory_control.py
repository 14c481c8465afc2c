"""Margins and roots beside python-control: plants as the papers print them, their delays by Padé."""

from __future__ import annotations

import math
from importlib import import_module
from typing import Any

import numpy as np
import pytest

from weir.theory import (
    Group,
    Red,
    System,
    continuous_pi,
    loop_of,
    margins_of,
    operating_point,
    roots_of,
)

control: Any = import_module("control")

ORDER = 10
"""Order of Padé's approximation: near the crossovers its phase is exact to nine digits."""

CAPACITY, DELAY = 3750.0, 0.2


def pade(delay: float) -> Any:  # noqa: ANN401 - python-control has no types
    return control.tf(*control.pade(delay, ORDER))


def hollot(flows: float, rtt: float) -> Any:  # noqa: ANN401
    """Hollot and others, 2001: (C²/2N) e^(-sR) / [(s + 2N/(R²C)) (s + 1/R)]."""
    slow, fast = 2.0 * flows / (rtt * rtt * CAPACITY), 1.0 / rtt
    plant = control.tf([CAPACITY**2 / (2.0 * flows)], [1.0, slow + fast, slow * fast])
    return plant * pade(rtt)


def compared(loop: Any, system: System, *, simple: bool = True) -> None:  # noqa: ANN401
    """The smallest margins of both, and whether the closed loop is stable."""
    # As a polynomial of this order the full plant has no digits left; as points it has.
    points = loop if simple else control.frd(loop, np.geomspace(0.1, 20.0, 300), smooth=True)
    gain, phase, at_phase, at_gain = control.margin(points)
    ours = margins_of(loop_of(system, simple=simple))
    assert ours.gain_margin == pytest.approx(gain, rel=1e-5)
    assert ours.phase_margin == pytest.approx(phase, rel=1e-5)
    assert ours.phase_crossover == pytest.approx(at_phase, rel=1e-5)
    assert ours.gain_crossover == pytest.approx(at_gain, rel=1e-5)
    closed = control.feedback(loop, 1)
    assert roots_of(loop_of(system, simple=simple)).growth == pytest.approx(
        max(closed.poles().real), rel=1e-4, abs=1e-4
    )


@pytest.mark.parametrize("flows", [30.0, 60.0, 120.0])
def test_pi(flows: float) -> None:
    gain, zero = 9.64e-6, 0.53
    system = System((Group(flows, DELAY, cut=0.5),), CAPACITY, continuous_pi(gain, zero, 175.0))
    rtt = operating_point(system).rtts[0]
    compared(hollot(flows, rtt) * control.tf([gain / zero, gain], [1.0, 0.0]), system)


@pytest.mark.parametrize("weight", [1.33e-6, 3e-5])
def test_red(weight: float) -> None:
    aqm = Red(150.0, 700.0, 0.1, weight)
    system = System((Group(60.0, DELAY, cut=0.5),), CAPACITY, aqm)
    point = operating_point(system)
    lag = -math.log1p(-weight) * CAPACITY
    slope = 0.1 / 550.0
    compared(hollot(60.0, point.rtts[0]) * control.tf([slope * lag], [1.0, lag]), system)


@pytest.mark.parametrize("flows", [20.0, 60.0])
def test_the_full_plant(flows: float) -> None:
    """With W(t-R) in the cut, and the queue in the increase: blocks in feedback, each delay one of Padé's."""
    gain, zero = 9.64e-6, 0.53
    system = System((Group(flows, DELAY),), CAPACITY, continuous_pi(gain, zero, 175.0))
    point = operating_point(system)
    rtt, window = point.rtts[0], point.windows[0]
    late = control.ss(pade(rtt))
    lag, pull = 1.0 / (rtt * window), 1.0 / (rtt * rtt * CAPACITY)
    senders = control.feedback(control.ss(control.tf([1.0], [1.0, lag])), lag * late)
    queue = control.ss(control.tf([flows / rtt], [1.0, 1.0 / rtt]))
    cuts = 2.0 / 3.0 * window * window / rtt
    plant = cuts * control.feedback(queue * senders, pull * (1.0 - late)) * late
    compared(plant * control.ss(control.tf([gain / zero, gain], [1.0, 0.0])), system, simple=False)
