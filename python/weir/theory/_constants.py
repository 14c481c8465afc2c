"""The constant of the square root, W sqrt(p) at rest, by what signals do; and CoDel's signals over time.

- 1.414 of the fluid (b = 1/2)
- 1.225 of evenly spaced signals (b = 2/3)
- 1.310 of independent ones that all cut (Ott, Kemperman and Mathis, 1996)
- by rounds: one cut a round trip, and the round after it without growth or cut
"""

from __future__ import annotations

import math

import numpy as np

from weir.theory._utility import above_zero, not_below_zero, require

FLUID = math.sqrt(2.0)
EVEN = math.sqrt(1.5)


def independent() -> float:
    """Constant for independent signals that each halve the window, in the limit of small p.

    Counted in packets X = W^2 / 2 grows by one each and falls to a quarter at a signal: X p at rest is the
    sum of 4^-k times exponential variables, and the mean window over time is sqrt(2) / E[X^-1/2].

    Example:
        >>> from weir.theory import independent
        >>> round(independent(), 4)
        1.3098
    """
    rates = [4.0**k for k in range(16)]
    weights = [math.prod(other / (other - rate) for other in rates if other != rate) for rate in rates]
    inverse = sum(w * math.sqrt(rate * math.pi) for w, rate in zip(weights, rates, strict=True))
    return math.sqrt(2.0) / inverse


def by_rounds(p: float) -> float:
    """Constant for independent signals with at most one cut per round trip; the next round neither grows nor
    cuts.

    Computed from the stationary distribution of the window at the start of a round, in quarters of a packet.

    Raises TheoryError for a `p` that is no probability between 0 and 1.

    Example:
        >>> from weir.theory import by_rounds
        >>> round(by_rounds(0.01), 3)
        1.214
    """
    require(0.0 < p < 1.0, f"p is {p:g}", "a probability above 0 and below 1")
    fine = 4
    windows = np.arange(fine, int(12.0 / math.sqrt(p)) * fine + 1) / fine
    last = len(windows) - 1
    signalled = -np.expm1(windows * math.log1p(-p))
    place = np.maximum(windows / 2.0 - 1.0, 0.0) * fine
    low = np.floor(place).astype(np.int64)
    share = place - low
    free, held = np.full(len(windows), 1.0 / len(windows)), np.zeros(len(windows))
    for _ in range(40 * int(1.0 / math.sqrt(p)) + 400):
        grown = free * (1.0 - signalled)
        cut = free * signalled
        free = held.copy()
        free[fine:] += grown[:-fine]
        free[last] += grown[-fine:].sum()
        held = np.bincount(low, cut * (1.0 - share), len(windows))
        held += np.bincount(np.minimum(low + 1, last), cut * share, len(windows))
    return float(((free + held) * windows).sum()) * math.sqrt(p)


def codel_rate(since: float, interval: float, *, first_order: bool = False) -> float:
    """Signals per second of CoDel, so many seconds after it entered its dropping state: the k-th waits I /
    sqrt(k), so that they grow as t / (2 I^2) + 0.730 / I, the second term by zeta(1/2) = -1.460.

    Raises TheoryError for an interval that is not above zero, and for an instant before its beginning.

    Example:
        >>> from weir.theory import codel_rate
        >>> round(codel_rate(1.0, 0.1), 1)
        57.3
    """
    not_below_zero(since=since)
    above_zero(interval=interval)
    grown = since / (2.0 * interval**2)
    return grown if first_order else grown + 0.5 * 1.46035450880959 / interval


def codel_time(signals: float, interval: float) -> float:
    """Seconds until CoDel signals so often a second: there is no resting point, and this is what its model
    predicts.

    Raises TheoryError for an interval that is not above zero, and for less than no signals.

    Example:
        >>> from weir.theory import codel_time
        >>> round(codel_time(50.0, 0.1), 2)
        1.0
    """
    not_below_zero(signals=signals)
    above_zero(interval=interval)
    return 2.0 * interval**2 * signals
