"""The loop about rest: how the queue answers the signal, and the signal the queue.

Groups i of flows (a Response each) have e_i = e^(-s R_i), and g_i = N_i / R_i packets per second and packet
of window. A longer queue takes x_i = N_i W_i / (R_i^2 C) from their rate. In deviations:

    P(s) = sum of G_i k_pi e_i / [ s + sum x_i + sum of G_i k_qi (1 - e_i) ],
    G_i = g_i / (s + k_now,i + k_before,i e_i)

q = -P(s) p, and the open loop is L(s) = P(s) C(s), with the delays as they are. Where packets are dropped,
rates are those behind the drops, and P has the drops themselves as one more answer.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from weir.theory._aqms import Integrator
from weir.theory._point import Point, System, operating_point
from weir.theory._realised import Complex, Realisation
from weir.theory._senders import Group, Response
from weir.theory._special import Avq, Hred, Step
from weir.theory._utility import TheoryError, not_below_zero

Matrix = NDArray[np.float64]


@dataclass(frozen=True)
class Branch:
    """Group of flows as a branch of the loop."""

    rtt: float
    answer: Response
    """Linear answer of its window; the signal is in units of the AQM's state."""
    gives: float
    """Rate gained per packet of one window: g, packets per second."""
    yields: float
    """Rate lost per packet of queue: x, packets per second."""
    rate: float
    """Rate of its flows, packets per second."""

    def window(self, s: Complex, e: Complex) -> Complex:
        """Transfer function of a window: its response to an input of one packet per second."""
        return 1.0 / (s + self.answer.now + self.answer.before * e)


@dataclass(frozen=True)
class QueueLoop:
    """Senders, a queue, and an AQM that looks at it.

    Example:
        >>> import numpy as np
        >>> from weir.theory import loop_of, system_of
        >>> loop = loop_of(system_of(scenario.variant("rem-mark")).system)
        >>> open_loop, both = loop.open_loop(1j), loop.plant(1j) * loop.control(1j)
        >>> float(abs(open_loop).round(2)), float(abs(both).round(2))
        (0.16, 0.16)
        >>> loop.noise(np.array([0.5, 5.0])).round(1).tolist()
        [296.3, 9.8]
    """

    branches: tuple[Branch, ...]
    aqm: Realisation
    through: float = 0.0
    """Rate in packets per second that a larger signal takes away at once, if the AQM drops."""

    @property
    def interval(self) -> float:
        """Interval T of the AQM, seconds; zero if it is continuous."""
        return self.aqm.interval

    @property
    def longest_rtt(self) -> float:
        """Longest round trip, seconds."""
        return max(branch.rtt for branch in self.branches)

    @property
    def shortest_rtt(self) -> float:
        """Shortest round trip, seconds."""
        return min(branch.rtt for branch in self.branches)

    def plant(self, s: Complex) -> Complex:
        """Plant P(s), from the signal to the queue, packets."""
        above, below = self._sides(s)
        return above / below

    def control(self, s: Complex) -> Complex:
        """Controller C(s), from the queue to the signal, per packet."""
        return self.aqm.transfer(s)

    def open_loop(self, s: Complex) -> Complex:
        """Open loop L(s)."""
        return self.plant(s) * self.control(s)

    def _sides(self, s: Complex) -> tuple[Complex, Complex]:
        above = np.full_like(s, self.through)
        below = s + sum(branch.yields for branch in self.branches)
        for branch in self.branches:
            e = np.exp(-s * branch.rtt)
            gain = branch.gives * branch.window(s, e)
            above = above + gain * branch.answer.signal * e
            if branch.answer.queue:
                below = below + gain * branch.answer.queue * (1.0 - e)
        return above, below

    def noise(self, frequencies: NDArray[np.float64]) -> NDArray[np.float64]:
        """Spectrum of the queue due to the cuts of the flows, packets^2 s: see `noise`."""
        s = 1j * frequencies
        above, below = self._sides(s)
        whole = below + above * self.control(s)
        found = np.zeros_like(frequencies)
        for branch in self.branches:
            one = branch.window(s, np.exp(-s * branch.rtt)) / branch.rtt / whole
            found += np.abs(one) ** 2 * intensity(branch.rate)
        return found

    def matrices(self) -> list[tuple[float, Matrix]]:
        """Matrices of the loop as x' = sum of A_k x(t - delay_k): windows of the groups, queue, state of the
        AQM."""
        count = len(self.branches)
        size, queue, state = count + 2, count, count + 1
        found: dict[float, Matrix] = {}

        def at(delay: float) -> Matrix:
            return found.setdefault(delay, np.zeros((size, size)))

        aqm, now = self.aqm, at(0.0)
        for i, branch in enumerate(self.branches):
            late, answer = at(branch.rtt), branch.answer
            now[i, i] -= answer.now
            late[i, i] -= answer.before
            now[i, queue] -= answer.queue
            late[i, queue] += answer.queue - answer.signal * aqm.on_queue
            late[i, state] -= answer.signal * aqm.on_state
            now[queue, i] += branch.gives
            now[queue, queue] -= branch.yields
        now[queue, queue] -= self.through * aqm.on_queue
        now[queue, state] -= self.through * aqm.on_state
        now[state, state] += aqm.state
        now[state, queue] += aqm.now
        if aqm.before:
            at(aqm.interval)[state, queue] += aqm.before
        return sorted(found.items())


@dataclass(frozen=True)
class RateLoop:
    """Loop of AVQ: the queue is empty, and the AQM observes the rate. All flows have one round trip.

    Example:
        >>> from weir.theory import Avq, Group, System, loop_of
        >>> loop = loop_of(System((Group(60.0, 0.24),), 3750.0, Avq()))
        >>> open_loop, both = loop.open_loop(1j), loop.plant(1j) * loop.control(1j)
        >>> float(abs(open_loop).round(2)), float(abs(both).round(2))
        (37.72, 37.72)
    """

    rtt: float
    cut: float
    rate: float
    """Rate of all flows, packets per second."""
    each: float
    """Rate of one flow, packets per second."""
    signal: float
    alpha: float
    """Gain alpha of AVQ, 1/s."""

    interval = 0.0

    @property
    def longest_rtt(self) -> float:
        """Round trip, seconds."""
        return self.rtt

    @property
    def shortest_rtt(self) -> float:
        """Round trip, seconds."""
        return self.rtt

    @property
    def _lag(self) -> float:
        return self.cut * self.each * self.signal

    def plant(self, s: Complex) -> Complex:
        """Plant, from the signal to the rate in packets per second."""
        e = np.exp(-s * self.rtt)
        return self.cut * self.each * self.rate * e / (s + self._lag * (1.0 + e))

    def control(self, s: Complex) -> Complex:
        """Controller, from the rate to the signal."""
        return ((1.0 - self.signal) + self.alpha / s) / self.rate

    def open_loop(self, s: Complex) -> Complex:
        """Open loop L(s)."""
        return self.plant(s) * self.control(s)

    def noise(self, frequencies: NDArray[np.float64]) -> NDArray[np.float64]:
        """Spectrum of the queue: NaN, since the queue is empty."""
        return np.full_like(frequencies, math.nan)

    def matrices(self) -> list[tuple[float, Matrix]]:
        """Matrices for the rate of all flows, and the AQM's integral of it."""
        drive = self.cut * self.each * self.rate
        now = np.array([[-self._lag, 0.0], [self.alpha / self.rate, 0.0]])
        late = np.array([[-self._lag - drive * (1.0 - self.signal) / self.rate, -drive], [0.0, 0.0]])
        return [(0.0, now), (self.rtt, late)]


Loop = QueueLoop | RateLoop


def intensity(rate: float) -> float:
    """Intensity of the noise of cuts, packets^2/s. Cuts come at the rate of the signals. A cut takes half
    of the window that a packet meets, whose mean square is 8/(3p). So p cancels: rate p E[W^2] / 4 = 2
    rate / 3.

    Raises TheoryError for a negative rate.

    Example:
        >>> from weir.theory import intensity
        >>> round(intensity(3750.0), 3)
        2500.0
    """
    not_below_zero(rate=rate)
    return 2.0 * rate / 3.0


def loop_of(system: System, point: Point | None = None, *, simple: bool = False) -> Loop:
    """The loop about a point, the operating point if None. `simple`: as the papers simplify the plant.

    Raises TheoryError where there is none: a step, flows without a linear answer.

    Example:
        >>> from weir.theory import loop_of, system_of
        >>> loop = loop_of(system_of(scenario.variant("rem-mark")).system)
        >>> round(loop.longest_rtt, 3), loop.interval
        (0.12, 0.002)
    """
    at = operating_point(system) if point is None else point
    aqm = at.aqm
    if isinstance(aqm, Avq):
        return _avq(system, at, aqm)
    if isinstance(aqm, Step):
        dctcp = next((group for group in system.groups if group.kind == "dctcp"), None)
        why = "a step has no slope to linearise, and queues that it rules cycle"
        raise TheoryError(*(dctcp.without_answer if dctcp else (why, "integrate it: weir theory fluid")))
    realised = aqm.realised(at.queue, at.state, system.capacity)
    return QueueLoop(_branches(system, at, simple=simple), realised, _through(system, at))


def swinging(system: System, point: Point, share: float) -> QueueLoop:
    """HRED's loop for swings of which `share` passes its dead zone: 0 in the band, 1 for the largest."""
    aqm = point.aqm
    assert isinstance(aqm, Hred)
    realised = aqm.swinging(point.queue, point.state, system.capacity, share)
    return QueueLoop(_branches(system, point), realised, _through(system, point))


def _branches(system: System, at: Point, *, simple: bool = False) -> tuple[Branch, ...]:
    found: list[Branch] = []
    answering = [
        g.as_linear(p, rtt) is not None for g, p, rtt in zip(system.groups, at.signals, at.rtts, strict=True)
    ]
    if not any(answering):
        raise TheoryError(*system.groups[0].without_answer)
    for i, group in enumerate(system.groups):
        p, rtt = at.signals[i], at.rtts[i]
        answer = Response(0.0, 0.0, 0.0, 0.0)
        if answering[i]:
            answer = group.response(p, rtt, system.capacity, simple=simple)
        answer = replace(answer, signal=answer.signal * _slope(at, group))
        passed = 1.0 if group.marked else 1.0 - p
        yields = passed * at.rates[i] / (rtt * system.capacity) if group.waits else 0.0
        found.append(Branch(rtt, answer, passed * group.flows / rtt, yields, at.rates[i]))
    return tuple(found)


def _slope(at: Point, group: Group) -> float:
    """Slope of the signal of a group over the state of the AQM."""
    return (
        at.aqm.slope(at.state, scalable=group.kind == "scalable") if isinstance(at.aqm, Integrator) else 1.0
    )


def _through(system: System, at: Point) -> float:
    """Rate that a larger signal drops at once, per unit of the AQM's state."""
    found = 0.0
    for group, rate in zip(system.groups, at.rates, strict=True):
        found += 0.0 if group.marked else _slope(at, group) * rate
    return found + (system.unresponsive if system.drops else 0.0)


def _avq(system: System, at: Point, aqm: Avq) -> RateLoop:
    group = system.groups[0]
    if len(set(at.rtts)) > 1 or group.kind != "reno" or system.drops or system.unresponsive:
        raise TheoryError(
            "no model: AVQ's loop is one of Reno's flows with one round trip, marks and no datagrams",
            "the same rtt and tcp.congestion.reno for all groups, and ecn = true for queue and flows",
        )
    flows = sum(one.flows for one in system.groups)
    return RateLoop(at.rtts[0], group.cut, at.rate, at.rate / flows, at.signal, aqm.alpha)
