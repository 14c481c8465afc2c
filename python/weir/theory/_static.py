"""Two numbers that papers give of a loop: the size of HRED's S, and the PI controller that a price is."""

from __future__ import annotations

import math

from weir.theory._aqms import Aqm, Integrator, Red
from weir.theory._gains import hred_loop_gain
from weir.theory._special import Hred
from weir.theory._utility import not_below_zero


def static_gain(aqm: Aqm, queue: float, pipe: float) -> float | None:
    """The size of S, the static gain of the loop of a line, of RED or HRED (HRED's paper, equations 2 to 7).

    It is (q + C R) p'(q) / (2 p(q)): how many packets the windows answer to one packet more of the queue. The
    paper asks for less than 1. `queue` and `pipe`, C R, are in packets. None for other AQMs, which have no
    line, and where the line is zero.

    Example:
        >>> from weir.theory import Red, static_gain
        >>> round(static_gain(Red(min_th=50.0, max_th=150.0), queue=100.0, pipe=700.0), 3)
        8.0
    """
    not_below_zero(queue=queue, pipe=pipe)
    if isinstance(aqm, Hred):
        return hred_loop_gain(queue, pipe, aqm.k, aqm.min_th, aqm.max_th)
    if not isinstance(aqm, Red) or aqm.signal(queue) == 0.0:
        return None
    return (queue + pipe) * aqm.slope(queue) / (2.0 * aqm.signal(queue))


def as_pi(aqm: Aqm) -> tuple[float, float] | None:
    """Gains a and b of the PI controller that REM is while prices are small, with REM's interval and target.

    By equation 2 that is so while packets wait and none is dropped: only then the queue grows by the rate
    less the capacity.

    The probability 1 - phi^-price is then ln(phi) times the price, which the queue moves as PI's probability
    (REM's paper, section 4.1). None for other AQMs.

    Example:
        >>> from weir.theory import as_pi, rem
        >>> paper = rem(phi=1.001, alpha=0.1, gamma=0.001, interval=0.002, target=20.0, equation=3)
        >>> [f"{gain:.6e}" for gain in as_pi(paper)]
        ['9.995003e-07', '8.995503e-07']
    """
    if not isinstance(aqm, Integrator) or aqm.shape != "price":
        return None
    return aqm.now * math.log(aqm.phi), aqm.before * math.log(aqm.phi)
