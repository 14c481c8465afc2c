"""AQMs as the fluid model has them: the signal at rest, and how it answers the queue.

An AQM has a state, `x` below, and a signal: its probability p, or what p is a function of. Linearised about
rest,

    signal = on_state x + on_queue q,    x' = state x + now q(t) + before q(t-T)

in deviations, of which its transfer function follows: `Realisation`.

RED averages: x' = k (q - x), k = -ln(1 - w_q) C, with Floyd's line, its gentle ramp, or NLRED's parabola. PI
(Hollot and others, 2001), PIE (RFC 8033), PI2 and DualPI2 (RFC 9332) and REM (Athuraliya and others, 2001,
equations 2 and 3) add

    now (q - target) - before (q_old - target)

to a state every T seconds. With what holds it in between that is (now - before e^(-sT)) / (sT); without, K (1
+ s/z) / s with K = (now - before) / T and 1/z = (now + before) T / (2 (now - before)).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Literal

from weir import _core
from weir.scenario import suggestion
from weir.theory._realised import Realisation
from weir.theory._special import Avq, Hred, Step, check_thresholds
from weir.theory._utility import TheoryError, above_zero, require

PIE_SCALE = _core.PIE_SCALE
"""Divisors of PIE's step, each below a probability; above the last one it is 1 (RFC 8033, section 4.2)."""

SIGNALS = {"uniform": 2.0, "wait": 2.0 / 3.0, "geometric": 1.0}
"""Signals per packet over p_b for small p_b, by RED's spacing; `uniform` is 2 p / (1 + p) for all."""


@dataclass(frozen=True)
class Red:
    """RED, gentle RED and NLRED. Thresholds in packets.

    Raises TheoryError for thresholds that do not rise, for a `max_p` or `w_q` that is not above zero, and for
    another spacing.

    Example:
        >>> from weir.theory import Red
        >>> red = Red(min_th=20.0, max_th=80.0, max_p=0.1)
        >>> round(red.signal(50.0), 3), round(red.slope(50.0), 5)
        (0.05, 0.00167)
    """

    min_th: float
    max_th: float
    max_p: float = 0.1
    w_q: float = 0.002
    gentle: bool = False
    spacing: Literal["uniform", "wait", "geometric"] = "geometric"
    parabola: bool = False
    """True for NLRED; `max_p` is then its probability at `max_th`."""
    pole: float | None = None
    """Pole k of the average in 1/s, if it is given instead of w_q."""
    name: str = "RED"

    def __post_init__(self) -> None:
        check_thresholds(self.name, self.min_th, self.max_th)
        above_zero(max_p=self.max_p, w_q=self.w_q)
        if self.spacing not in SIGNALS:
            raise TheoryError(
                f"there is no spacing {self.spacing!r}", suggestion(self.spacing, list(SIGNALS))
            )

    @property
    def top(self) -> float:
        """Average at which the line ends, packets."""
        return 2.0 * self.max_th if self.gentle else self.max_th

    @property
    def knees(self) -> tuple[float, ...]:
        """Averages at which the slope of the line jumps, packets."""
        return (self.min_th, self.max_th, 2.0 * self.max_th) if self.gentle else (self.min_th, self.max_th)

    def lag(self, capacity: float) -> float:
        """Pole k of the average, 1/s."""
        return -math.log1p(-self.w_q) * capacity if self.pole is None else self.pole

    def raw(self, average: float) -> float:
        """Probability p_b at an average queue in packets."""
        if average <= self.min_th:
            return 0.0
        if average < self.max_th:
            share = (average - self.min_th) / (self.max_th - self.min_th)
            return self.max_p * (share * share if self.parabola else share)
        if self.gentle and average < 2.0 * self.max_th:
            return self.max_p + (1.0 - self.max_p) * (average - self.max_th) / self.max_th
        return 1.0

    def signal(self, average: float) -> float:
        """Signals per packet at an average queue: the spacing makes more or fewer of p_b."""
        p = self.raw(average)
        if self.spacing == "uniform":
            return 2.0 * p / (1.0 + p)
        return p if p >= 1.0 else SIGNALS[self.spacing] * p

    def slope(self, average: float) -> float:
        """Slope of the signal, per packet of the average."""
        p = self.raw(average)
        if not self.min_th < average < self.top:
            return 0.0
        if average >= self.max_th:
            line = (1.0 - self.max_p) / self.max_th
        else:
            line = self.max_p / (self.max_th - self.min_th)
            if self.parabola:
                line *= 2.0 * (average - self.min_th) / (self.max_th - self.min_th)
        return line * (2.0 / (1.0 + p) ** 2 if self.spacing == "uniform" else SIGNALS[self.spacing])

    def realised(self, queue: float, signal: float, capacity: float) -> Realisation:  # noqa: ARG002
        """Linear form about rest at this queue."""
        k = self.lag(capacity)
        return Realisation(on_state=self.slope(queue), state=-k, now=k)


Shape = Literal["plain", "square", "price", "coupled"]
"""Probability as a function of the state: the state itself (PI, PIE), its square (PI2), or 1 - phi^-x (REM).
DualPI2 (`coupled`) has k x for the scalable flows and x^2 for the others."""


@dataclass(frozen=True)
class Integrator:
    """PI and related AQMs, which integrate the error of the queue.

    Raises TheoryError for an interval that is not above zero, and for gains that would not find the target.

    Example:
        >>> from weir.theory import pi2
        >>> aqm = pi2(alpha=0.16, beta=3.2, interval=0.016, target=0.015)
        >>> aqm.aim(capacity=8000.0), round(aqm.of(0.1), 3), aqm.slope(0.1)
        (120.0, 0.01, 0.2)
    """

    name: str
    now: float
    """Gain added to the state per packet, or second, above the target, every T."""
    before: float
    """Gain subtracted from the state per packet, or second, by which the queue exceeded the target T
    before."""
    interval: float
    """Interval T, seconds."""
    target: float
    """Target in packets, or in seconds if `by_delay`."""
    by_delay: bool = False
    shape: Shape = "plain"
    phi: float = 1.001
    """Base phi of REM's probability."""
    coupling: float = 2.0
    """Coupling factor k of DualPI2."""
    tuned: bool = False
    """True for PIE, whose steps are divided by the factors of its table."""
    scale: float | None = None
    """Fixed divisor of PIE's steps; None for the divisor from its table."""
    hold: bool = True
    """True if updates are T apart; false for the continuous controller with the same gains."""
    counts_drops: bool = False
    """True for REM by equation 2, where dropped packets arrive, and count in the rate."""

    def __post_init__(self) -> None:
        require(self.interval > 0.0, f"{self.name}'s interval is {self.interval:g} s", "more than zero")
        require(
            self.now > self.before >= 0.0,
            f"{self.name}'s gains are {self.now:g} and {self.before:g}: it would not find its target",
            "the first above the second, and neither below zero",
        )

    @property
    def integral(self) -> float:
        """Gain K per second and packet (or second) above the target."""
        return (self.now - self.before) / self.interval

    @property
    def proportional(self) -> float:
        """Gain K/z per packet (or second)."""
        return (self.now + self.before) / 2.0

    def aim(self, capacity: float) -> float:
        """Target, packets."""
        return self.target * capacity if self.by_delay else self.target

    def of(self, state: float, *, scalable: bool = False) -> float:
        """Probability at a state, for one class of flows."""
        match self.shape:
            case "plain":
                return state
            case "square":
                return state * state
            case "coupled":
                return min(self.coupling * state, 1.0) if scalable else state * state
            case "price":
                return -math.expm1(-state * math.log(self.phi))

    def slope(self, state: float, *, scalable: bool = False) -> float:
        """Slope of the probability over the state."""
        match self.shape:
            case "plain":
                return 1.0
            case "square":
                return 2.0 * state
            case "coupled":
                return self.coupling if scalable else 2.0 * state
            case "price":
                return math.log(self.phi) * (1.0 - self.of(state))

    @property
    def greatest(self) -> float:
        """State at which the probability is one, or as near as a price can come."""
        return 37.0 / math.log(self.phi) if self.shape == "price" else 1.0

    def divisor(self, p: float) -> float:
        """Divisor of PIE's steps at a probability; 1 for the other AQMs."""
        if self.scale is not None or not self.tuned:
            return self.scale or 1.0
        return next((scale for below, scale in PIE_SCALE if p < below), 1.0)

    def near_edge(self, p: float) -> float | None:
        """Edge of PIE's table within a factor of 2 of p; None if there is none."""
        edges = (edge for edge, _ in PIE_SCALE if self.tuned and self.scale is None)
        return next((edge for edge in edges if edge / 2.0 < p < edge * 2.0), None)

    def realised(self, queue: float, signal: float, capacity: float) -> Realisation:  # noqa: ARG002
        """Linear form about rest, at the state `signal`. The signal of this AQM is its state."""
        over = self.divisor(signal) * (capacity if self.by_delay else 1.0)
        if self.hold:
            now, before = self.now / over / self.interval, -self.before / over / self.interval
            return Realisation(1.0, 0.0, 0.0, now, before, self.interval)
        return Realisation(1.0, self.proportional / over, 0.0, self.integral / over)


def pi(a: float, b: float, interval: float, target: float, *, hold: bool = True) -> Integrator:
    """PI: gains per packet, target in packets.

    Raises TheoryError for an interval that is not above zero, and for gains that would not find the target.

    Example:
        >>> from weir.theory import pi
        >>> found = pi(a=1.822e-5, b=1.816e-5, interval=1 / 160, target=200.0)
        >>> f"{found.integral:.1e} per packet and interval"
        '9.6e-06 per packet and interval'
    """
    return Integrator("PI", a, b, interval, target, hold=hold)


def continuous_pi(gain: float, zero: float, target: float, interval: float = 0.00625) -> Integrator:
    """PI as K (1 + s/z) / s: K per packet and second, z in rad/s.

    Raises TheoryError for an interval or a `zero` that is not above zero, and for gains that would not find
    the target.

    Example:
        >>> from weir.theory import continuous_pi
        >>> found = continuous_pi(gain=9.64e-6, zero=0.53, target=200.0)
        >>> f"{found.now:.3e} {found.before:.3e}"
        '1.822e-05 1.816e-05'
    """
    above_zero(zero=zero)
    half = gain * interval / 2.0
    return Integrator("PI", gain / zero + half, gain / zero - half, interval, target, hold=False)


def pie(
    alpha: float, beta: float, interval: float, target: float, *, scale: float | None = None
) -> Integrator:
    """PIE: gains in 1/s, target in seconds; `scale` holds the divisor of its table.

    Raises TheoryError for an interval that is not above zero, and for gains that would not find the target.

    Example:
        >>> from weir.theory import pie
        >>> found = pie(alpha=0.125, beta=1.25, interval=0.015, target=0.015)
        >>> found.now, found.tuned
        (1.375, True)
    """
    return Integrator("PIE", alpha + beta, beta, interval, target, by_delay=True, tuned=True, scale=scale)


def pi2(alpha: float, beta: float, interval: float, target: float) -> Integrator:
    """PI2: gains in 1/s, target in seconds.

    Raises TheoryError for an interval that is not above zero, and for gains that would not find the target.

    Example:
        >>> from weir.theory import pi2
        >>> found = pi2(alpha=0.16, beta=3.2, interval=0.016, target=0.015)
        >>> found.aim(capacity=1000.0), found.shape
        (15.0, 'square')
    """
    return Integrator("PI2", alpha + beta, beta, interval, target, by_delay=True, shape="square")


def dualpi2(alpha: float, beta: float, interval: float, target: float, coupling: float = 2.0) -> Integrator:
    """DualPI2: gains in 1/s, target in seconds.

    Raises TheoryError for an interval that is not above zero, and for gains that would not find the target.

    Example:
        >>> from weir.theory import dualpi2
        >>> found = dualpi2(alpha=0.16, beta=3.2, interval=0.016, target=0.015)
        >>> found.shape, round(found.now, 2)
        ('coupled', 3.36)
    """
    return Integrator(
        "DualPI2", alpha + beta, beta, interval, target, by_delay=True, shape="coupled", coupling=coupling
    )


def rem(
    phi: float,
    alpha: float,
    gamma: float,
    interval: float,
    target: float,
    *,
    equation: Literal[2, 3] = 2,
    hold: bool = True,
) -> Integrator:
    """REM, its price by equation 2 (rate and queue) or 3 (queue alone); target in packets.

    While the queue is busy, rate minus capacity over T is what the queue grows by.

    Raises TheoryError for an interval that is not above zero, and for gains that would not find the target.
    Raises it, too, for a `phi` that is not above 1, and for another equation.

    Example:
        >>> from weir.theory import rem
        >>> found = rem(phi=1.001, alpha=0.1, gamma=0.001, interval=0.002, target=20.0)
        >>> round(found.of(105.0), 2)
        0.1
    """
    require(1.0 < phi < math.inf, f"phi is {phi:g}", "more than 1")
    require(equation in {2, 3}, f"REM's price is not by equation {equation}", "2 or 3")
    now, before = (gamma * (1.0 + alpha), gamma) if equation == 2 else (gamma, gamma * (1.0 - alpha))
    return Integrator(
        "REM", now, before, interval, target, shape="price", phi=phi, hold=hold, counts_drops=equation == 2
    )


@dataclass(frozen=True)
class AdaptiveRed:
    """Adaptive RED (Floyd, Gummadi and Shenker, 2001): max_p moves until the average is in the middle fifth
    of the band.

    It moves slowly, so that at rest it is RED with the max_p that it has found.
    """

    red: Red
    bottom: float = 0.01
    top: float = 0.5
    name: str = "Adaptive RED"

    @property
    def middle(self) -> float:
        """Middle of the band, packets."""
        return 0.5 * (self.red.min_th + self.red.max_th)

    def found(self, signal: float) -> Red:
        """RED with the max_p, within its bounds, that gives this signal in the middle of the band.

        Raises TheoryError for a signal that is not a number.

        Example:
            >>> from weir.theory import AdaptiveRed, Red
            >>> round(AdaptiveRed(Red(20.0, 80.0)).found(signal=0.05).max_p, 3)
            0.1
        """
        raw = signal / (2.0 - signal) if self.red.spacing == "uniform" else signal / SIGNALS[self.red.spacing]
        # Half way up the line.
        return replace(self.red, max_p=min(max(2.0 * raw, self.bottom), self.top), name=self.name)


Aqm = Red | AdaptiveRed | Integrator | Hred | Avq | Step
