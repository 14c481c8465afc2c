"""Parameters from the fewest flows, the longest round trip and the capacity.

- RED: Hollot, Misra, Towsley and Gong, INFOCOM 2001 (control-theoretic analysis of RED, proposition 1)
- PI: the same (INFOCOM 2001, improved controllers)
- PI2: RFC 9332, appendix A.1
- DCTCP: Alizadeh and others (2010, section 3.3)

PIE and REM state no rule: their gains are scaled until the worst gain margin is what is asked for. Rules hold
for more flows, shorter round trips and less capacity than they are given.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from weir.theory._aqms import Red, pi, pi2, pie, rem
from weir.theory._gains import check_flows, pi2_gains, pi_design, red_crossover, red_slope, red_weight
from weir.theory._margins import margins_of
from weir.theory._plant import loop_of
from weir.theory._point import System
from weir.theory._senders import PAPER_CUT, Group, dctcp_sawtooth
from weir.theory._special import Step
from weir.theory._static import as_pi
from weir.theory._utility import TheoryError, require

PIE_GAINS = (0.125, 1.25, 0.015)
"""RFC 8033: alpha and beta in 1/s, T in seconds."""

REM_SETTINGS = (1.001, 0.1, 0.002)
"""Athuraliya and others (2001): phi and alpha; T of 2 ms."""

GAIN_MARGIN = 2.0
"""Gain margin of the designs for which no rule states one."""


@dataclass(frozen=True)
class Designed:
    """A discipline with the parameters found."""

    discipline: str
    parameters: dict[str, Any]
    """Parameters as a scenario has them."""
    system: System
    """System that was designed for, with the fewest flows and the longest round trip."""
    rule: str
    said: dict[str, float] = field(default_factory=dict[str, float])
    """Quantities of the rule by name, such as K and z of PI."""


def design(
    discipline: str,
    flows: float,
    rtt: float,
    capacity: float,
    *,
    target: float | None = None,
    margin: float | None = None,
) -> Designed:
    """Parameters of `pi`, `pi2`, `pie`, `red`, `rem` or `dctcp`.

    `rtt` includes the queue, in seconds. `target` is a queue in packets, its default a delay of 15 ms.
    `margin` is the gain margin that PIE and REM are to have. Raises TheoryError for what cannot be designed.

    Example:
        >>> from weir.theory import design
        >>> found = design("pi", flows=60, rtt=0.246, capacity=3750.0, target=200.0)
        >>> found.parameters["q_ref"], f"{found.said['K']:.2e}", round(found.said["z"], 2)
        ('200 packets', '9.78e-06', 0.53)
    """
    check_flows(flows, capacity, rtt)
    require(discipline in _DESIGNS, f"there is no rule for {discipline}", f"there are: {', '.join(_DESIGNS)}")
    require(margin is None or margin > 0.0, f"a gain margin of {margin or 0:g}", "more than zero")
    queue = 0.015 * capacity if target is None else target
    require(queue > 0.0, f"a target of {queue:g} packets", "more than zero")
    require(
        queue / capacity < rtt,
        f"a queue of {queue:g} packets alone takes {queue / capacity:g} s of the round trip of {rtt:g} s",
        "a longer round trip (it includes the queue), or a lower target",
    )
    return _DESIGNS[discipline](flows, rtt, capacity, queue, margin or GAIN_MARGIN)


def _system(flows: float, rtt: float, capacity: float, queue: float, aqm: Any) -> System:  # noqa: ANN401
    return System((Group(flows, rtt - queue / capacity, cut=PAPER_CUT),), capacity, aqm, name="design")


def _of_pi(flows: float, rtt: float, capacity: float, queue: float, _margin: float) -> Designed:
    found = pi_design(flows, capacity, rtt)
    table = {
        "a": found.a,
        "b": found.b,
        "q_ref": f"{queue:.6g} packets",
        "interval": _ms(found.interval),
        "ecn": True,
    }
    system = _system(flows, rtt, capacity, queue, pi(found.a, found.b, found.interval, queue))
    rule = "Hollot, Misra, Towsley, Gong 2001: z = 2N/(R^2 C), crossover at z, at most 0.5/R"
    return Designed("pi", table, system, rule, {"K": found.gain, "z": found.zero})


def _of_red(flows: float, rtt: float, capacity: float, queue: float, _margin: float) -> Designed:
    # The paper's 0.005 is a tenth of its crossover, 0.053: up to there the average alone shapes the loop.
    pole = 0.1 * red_crossover(flows, capacity, rtt)
    slope = red_slope(flows, capacity, rtt, pole)
    p = _needed(flows, rtt, capacity)
    # The line passes the target at the probability that the flows need there.
    low = max(queue - p / slope, 0.0)
    slope = min(slope, p / (queue - low))
    high = low + 2.0 * (queue - low)
    top = min(slope * (high - low), 1.0)
    weight = red_weight(capacity, pole)
    table = {
        "min_th": f"{low:.6g} packets",
        "max_th": f"{high:.6g} packets",
        "max_p": top,
        "w_q": weight,
        "gentle": True,
        "spacing": "geometric",
        "ecn": True,
    }
    aqm = Red(low, high, top, weight, gentle=True)
    rule = "Hollot, Misra, Towsley, Gong 2001, proposition 1: crossover at a tenth of the poles"
    return Designed(
        "red", table, _system(flows, rtt, capacity, queue, aqm), rule, {"slope": slope, "pole": pole}
    )


def _of_pi2(flows: float, rtt: float, capacity: float, queue: float, _margin: float) -> Designed:
    target = queue / capacity
    alpha, beta, interval = pi2_gains(rtt, target)
    table = {"alpha": alpha, "beta": beta, "interval": _ms(interval), "target": _ms(target), "ecn": True}
    system = _system(flows, rtt, capacity, queue, pi2(alpha, beta, interval, target))
    return Designed(
        "pi2", table, system, "RFC 9332, A.1: T = min(target, R/3), alpha = 0.1 T/R^2, beta = 0.3/R"
    )


def _of_pie(flows: float, rtt: float, capacity: float, queue: float, margin: float) -> Designed:
    alpha, beta, interval = PIE_GAINS
    target = queue / capacity

    def system(share: float, count: float = flows) -> System:
        return _system(count, rtt, capacity, queue, pie(alpha * share, beta * share, interval, target))

    def worst(share: float) -> float:
        # The table steps by up to 4 where p passes an edge: from few flows to many, each step is looked at.
        counts = [flows * 2.0**k for k in range(7) if capacity * rtt / (flows * 2.0**k) > 2.0]
        return min(_gain_margin(system(share, count)) for count in counts or [flows])

    share = _scaled(worst, margin)
    table = {
        "alpha": alpha * share,
        "beta": beta * share,
        "interval": _ms(interval),
        "target": _ms(target),
        "ecn": True,
        "mark_ecnth": 1.0,
    }
    return Designed("pie", table, system(share), f"RFC 8033's gains, scaled for a gain margin of {margin:g}")


def _of_rem(flows: float, rtt: float, capacity: float, queue: float, margin: float) -> Designed:
    phi, alpha, interval = REM_SETTINGS

    def system(gamma: float) -> System:
        return _system(flows, rtt, capacity, queue, rem(phi, alpha, gamma, interval, queue))

    gamma = _scaled(lambda share: _gain_margin(system(0.001 * share)), margin) * 0.001
    table = {
        "phi": phi,
        "alpha": alpha,
        "gamma": gamma,
        "interval": _ms(interval),
        "target": f"{queue:.6g} packets",
        "ecn": True,
    }
    same = as_pi(system(gamma).aqm)
    assert same is not None, "REM is an integrator of a price"
    return Designed(
        "rem",
        table,
        system(gamma),
        f"gamma for a gain margin of {margin:g}; phi, alpha, T of the paper",
        {"pi_a": same[0], "pi_b": same[1]},
    )


def _of_dctcp(flows: float, rtt: float, capacity: float, queue: float, _margin: float) -> Designed:
    base = rtt - queue / capacity
    least = dctcp_sawtooth(flows, capacity, base, queue).least_threshold
    threshold = math.ceil(least)
    saw = dctcp_sawtooth(flows, capacity, base, threshold)
    group = Group(flows, base, "dctcp", cut=0.5, gain=min(saw.largest_gain, 1.0 / 16.0))
    table = {"threshold": f"{threshold} packets"}
    said = {
        "least_K": least,
        "largest_g": saw.largest_gain,
        "amplitude": saw.amplitude,
        "period": saw.period,
        "least_queue": saw.least_queue,
    }
    system = System((group,), capacity, Step(float(threshold)), name="design")
    return Designed(
        "step", table, system, "Alizadeh and others 2010: K > C R/7, g < 1.386/sqrt(2 (C R + K))", said
    )


def _needed(flows: float, rtt: float, capacity: float) -> float:
    window = capacity * rtt / flows
    return 1.0 / (PAPER_CUT * window * window)


def _gain_margin(system: System) -> float:
    found = margins_of(loop_of(system), 300).gain_margin
    return math.inf if found is None else found


def _scaled(margin_at: Callable[[float], float], wanted: float) -> float:
    """The largest scale, at most 100, that leaves the margin; by bisection of its logarithm."""
    low, high = math.log(1e-6), math.log(100.0)
    if margin_at(math.exp(low)) < wanted:
        raise TheoryError(
            f"no gains leave a gain margin of {wanted:g}", "more flows, or a shorter round trip"
        )
    for _ in range(40):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if margin_at(math.exp(middle)) >= wanted else (low, middle)
    return math.exp(low)


def _ms(seconds: float) -> str:
    return f"{seconds * 1e3:.6g} ms"


_DESIGNS: dict[str, Callable[[float, float, float, float, float], Designed]] = {
    "pi": _of_pi,
    "pi2": _of_pi2,
    "pie": _of_pie,
    "red": _of_red,
    "rem": _of_rem,
    "dctcp": _of_dctcp,
}
