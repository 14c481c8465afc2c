"""Formulas of the rules by which parameters are designed, and the gains that they give."""

from __future__ import annotations

import math
from dataclasses import dataclass

from weir import _core
from weir.theory._utility import above_zero, not_below_zero, require

PI_INTERVAL = 0.00625
"""Hollot and others (2001): T in seconds, 160 Hz."""


@dataclass(frozen=True)
class PiDesign:
    """Gains of PI by its rule."""

    gain: float
    """Gain K, per packet and second."""
    zero: float
    """Zero z, rad/s."""
    interval: float
    """Interval T, seconds."""

    @property
    def a(self) -> float:
        """Gain a = K (1/z + T/2), per packet."""
        return self.gain * (1.0 / self.zero + self.interval / 2.0)

    @property
    def b(self) -> float:
        """Gain b = K (1/z - T/2), per packet."""
        return self.gain * (1.0 / self.zero - self.interval / 2.0)


def pi_design(
    flows: float,
    capacity: float,
    rtt: float,
    interval: float | None = None,
    *,
    crossover: float | None = None,
) -> PiDesign:
    """The zero z = 2 N / (R^2 C) cancels the pole of the windows. K puts the crossover at `crossover` / R.
    `crossover` is z R but at most 0.5 if None. T in seconds: 160 Hz as in the paper if None, or ten updates a
    round trip where that is shorter.

    Raises TheoryError for numbers that are not above zero, and for windows so small that timeouts rule them.

    Example:
        >>> from weir.theory import pi_design
        >>> found = pi_design(flows=60, capacity=3750.0, rtt=0.246)
        >>> f"{found.a:.3e} {found.b:.3e}", round(found.zero, 2)
        ('1.853e-05 1.847e-05', 0.53)
    """
    check_flows(flows, capacity, rtt)
    for name, value in (("interval", interval), ("crossover", crossover)):
        if value is not None:
            above_zero(**{name: value})
    gain, zero = _core.pi_gains(flows, capacity, rtt, crossover)
    return PiDesign(gain, zero, min(PI_INTERVAL, 0.1 * rtt) if interval is None else interval)


def red_crossover(flows: float, capacity: float, rtt: float) -> float:
    """Crossover at a tenth of the slower pole, rad/s.

    Raises TheoryError for numbers that are not above zero.

    Example:
        >>> from weir.theory import red_crossover
        >>> round(red_crossover(flows=60, capacity=3750.0, rtt=0.246), 3)
        0.053
    """
    above_zero(flows=flows, capacity=capacity, rtt=rtt)
    return 0.1 * min(2.0 * flows / (rtt * rtt * capacity), 1.0 / rtt)


def red_slope(flows: float, capacity: float, rtt: float, pole: float) -> float:
    """The steepest line, per packet, for an average with this pole in 1/s.

    Raises TheoryError for numbers that are not above zero, and for windows so small that timeouts rule them.

    Example:
        >>> from weir.theory import red_slope
        >>> f"{red_slope(flows=60, capacity=3750.0, rtt=0.246, pole=0.005):.2e}"
        '1.95e-04'
    """
    check_flows(flows, capacity, rtt)
    above_zero(pole=pole)
    ratio = red_crossover(flows, capacity, rtt) / pole
    return math.hypot(1.0, ratio) * (2.0 * flows) ** 2 / (rtt * capacity) ** 3


def red_weight(capacity: float, pole: float) -> float:
    """Weight w_q of an average with this pole in 1/s.

    Raises TheoryError for numbers that are not above zero.

    Example:
        >>> from weir.theory import red_weight
        >>> f"{red_weight(capacity=3750.0, pole=0.005):.2e}"
        '1.33e-06'
    """
    above_zero(capacity=capacity, pole=pole)
    return -math.expm1(-pole / capacity)


def pi2_gains(rtt: float, target: float = 0.015) -> tuple[float, float, float]:
    """Alpha and beta in 1/s, and T in seconds, for the longest round trip (RFC 9332, A.1).

    Raises TheoryError for numbers that are not above zero.

    Example:
        >>> from weir.theory import pi2_gains
        >>> [round(value, 3) for value in pi2_gains(rtt=0.1)]
        [0.15, 3.0, 0.015]
    """
    above_zero(rtt=rtt, target=target)
    interval = min(target, rtt / 3.0)
    return pi2_alpha(rtt, interval), 0.3 / rtt, interval


def pi2_alpha(rtt: float, interval: float) -> float:
    """Gain alpha of PI2, 0.1 T / R^2, in 1/s.

    Raises TheoryError for numbers that are not above zero.

    Example:
        >>> from weir.theory import pi2_alpha
        >>> round(pi2_alpha(rtt=0.1, interval=0.016), 2)
        0.16
    """
    above_zero(rtt=rtt, interval=interval)
    return 0.1 * interval / rtt**2


def coupling(target: float, base_rtt: float, *, cubic: bool = False) -> float:
    """The coupling factor k of DualPI2 at which flows of both kinds get the same rate: 1.64 R_C / R_L (RFC
    9332, appendix C). It is 1.23 (1 + target / base) for Reno and 1.39 (1 + target / base) for CUBIC in its
    Reno-friendly region.

    Raises TheoryError for a `base_rtt` that is not above zero, and for a negative target.

    Example:
        >>> from weir.theory import coupling
        >>> round(coupling(target=0.015, base_rtt=0.02), 2)
        2.15
    """
    above_zero(base_rtt=base_rtt)
    not_below_zero(target=target)
    return (1.39375 if cubic else 1.2295) * (1.0 + target / base_rtt)


def hred_loop_gain(queue: float, pipe: float, k: float, min_th: float, max_th: float) -> float:
    """The size of S of HRED's paper, its equation 7: the static gain of the loop of its line.

    Raises TheoryError where the line is not above zero at this queue, and for a negative queue or pipe.

    Example:
        >>> from weir.theory import hred_loop_gain
        >>> round(hred_loop_gain(queue=100.0, pipe=300.0, k=1.0, min_th=50.0, max_th=150.0), 3)
        1.0
    """
    not_below_zero(queue=queue, pipe=pipe)
    line = k * max_th + queue - min_th
    require(
        0.0 < line < math.inf,
        f"HRED's line is not above zero at a queue of {queue:g} packets",
        "a larger k or max_th, or a queue nearer to the band",
    )
    return (queue + pipe) / (2.0 * line)


def hred_least_k(queue: float, pipe: float, min_th: float, max_th: float) -> float:
    """K at which S has size one.

    Raises TheoryError for a `max_th` that is not above zero, and for a negative queue or pipe.

    Example:
        >>> from weir.theory import hred_least_k
        >>> round(hred_least_k(queue=100.0, pipe=300.0, min_th=50.0, max_th=150.0), 3)
        1.0
    """
    above_zero(max_th=max_th)
    not_below_zero(queue=queue, pipe=pipe, min_th=min_th)
    return ((queue + pipe) / 2.0 - queue + min_th) / max_th


def check_flows(flows: float, capacity: float, rtt: float) -> None:
    """Raises TheoryError for numbers that no flows have, and for windows that timeouts rule."""
    for name, value in (("number of flows", flows), ("capacity", capacity), ("round trip", rtt)):
        require(0.0 < value < math.inf, f"a {name} of {value:g} is none", "more than zero")
    window = capacity * rtt / flows
    require(
        window > math.sqrt(2.0),
        f"windows would be {window:.3g} packets: such flows are ruled by timeouts, not by an AQM",
        "fewer flows, or a larger capacity or round trip",
    )
