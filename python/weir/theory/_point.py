"""Operating point of a queue and its senders.

Sum of N W(p, R) / R over the groups, and what does not answer, fill the link. AQMs with an integrator rest at
their target, and p follows. AQMs with a line rest where p of the line is p of the senders: one rises, one
falls, and there is at most one such queue. REM by equation 2 counts what it drops as rate, and rests below
its target by p rate T / alpha.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import cast

from weir.theory._aqms import AdaptiveRed, Aqm, Integrator, Red
from weir.theory._bisection import bisected, bisected_by_factors
from weir.theory._senders import Group
from weir.theory._special import Avq, Hred, Step
from weir.theory._utility import TheoryError, require


@dataclass(frozen=True)
class System:
    """System of one queue and the flows over it."""

    groups: tuple[Group, ...]
    capacity: float
    """Capacity C, packets per second."""
    aqm: Aqm
    unresponsive: float = 0.0
    """Rate u of traffic that does not answer signals, packets per second."""
    buffer: float = math.inf
    """Buffer B, packets."""
    name: str = "loop"

    def __post_init__(self) -> None:
        require(bool(self.groups), "no flow answers signals here", "the model has flows of TCP: flows.GROUP")
        require(0.0 < self.capacity < math.inf, f"a rate of {self.capacity:g} packets/s", "more than zero")
        require(self.unresponsive >= 0.0, f"{self.unresponsive:g} packets/s of datagrams", "zero or more")
        require(
            self.unresponsive < self.capacity,
            f"there is no operating point: {self.unresponsive:g} packets/s that answer nothing fill a "
            "link of "
            f"{self.capacity:g} packets/s",
            "lower their rate",
        )

    @property
    def drops(self) -> bool:
        """True if signals are drops, for any of the flows."""
        return not all(group.marked for group in self.groups)


@dataclass(frozen=True)
class Point:
    """An operating point."""

    aqm: Red | Integrator | Hred | Avq | Step
    """AQM at rest. Adaptive RED has the max_p that it has found."""
    queue: float
    """Queue, packets."""
    state: float
    """State of the AQM's integrator; for AQMs without one, the signal itself."""
    signals: tuple[float, ...]
    """Signals p by group."""
    rtts: tuple[float, ...]
    """Round trips R by group, seconds."""
    windows: tuple[float, ...]
    """Windows W by group, packets."""
    rates: tuple[float, ...]
    """Rates at which all flows of a group reach the queue, packets per second."""
    limited: bool = False
    """True if a receiver's window limits any group."""

    @property
    def signal(self) -> float:
        """Signal p of the first group."""
        return self.signals[0]

    @property
    def rate(self) -> float:
        """Rate of the flows that answer signals, packets per second."""
        return sum(self.rates)

    @property
    def signalled(self) -> float:
        """Signals per second of all groups."""
        return sum(p * rate for p, rate in zip(self.signals, self.rates, strict=True))


def operating_point(system: System) -> Point:
    """Resting point of the system. Raises TheoryError, with the reason, if there is none.

    Example:
        >>> from weir.theory import operating_point, system_of
        >>> point = operating_point(system_of(scenario.variant("rem-mark")).system)
        >>> round(point.queue), round(point.signal, 3), round(point.windows[0], 1)
        (20, 0.007, 15.0)
    """
    aqm = system.aqm
    match aqm:
        case Integrator():
            return _at_state(system, aqm, _state(system, aqm))
        case AdaptiveRed():
            wanted = _probability(system, aqm.middle, aqm.name, system.capacity)
            red = aqm.found(wanted)
            return _at_queue(system, red, _on_line(system, red))
        case Red():
            return _at_queue(system, aqm, _on_line(system, aqm))
        case Hred():
            aim = aqm.aim(system.capacity)
            _check_buffer(system, aim, aqm.name)
            return _at_level(system, aqm, aim)
        case Avq():
            return _of_avq(system, aqm)
        case Step():
            return _at_level(system, aqm, aqm.threshold)


def _departing(system: System, queue: float, signals: tuple[float, ...]) -> float:
    """Throughput of the flows and datagrams, packets per second."""
    total, lost = system.unresponsive, 0.0
    for group, p in zip(system.groups, signals, strict=True):
        rtt = group.round_trip(queue, system.capacity)
        total += group.flows * group.window(p, rtt) / rtt * (1.0 if group.marked else 1.0 - p)
        lost = max(lost, 0.0 if group.marked else p)
    return total - system.unresponsive * lost


def _signals(system: System, aqm: Integrator, state: float) -> tuple[float, ...]:
    return tuple(aqm.of(state, scalable=group.kind == "scalable") for group in system.groups)


def _rest_of(system: System, aqm: Integrator, state: float) -> float:
    """The queue at which the integrator rests, packets."""
    aim = aqm.aim(system.capacity)
    if not (aqm.counts_drops and system.drops):
        return aim
    p = aqm.of(state)
    alpha = aqm.now / aqm.before - 1.0
    return max(aim - p * system.capacity / (1.0 - p) * aqm.interval / alpha, 0.0)


def _state(system: System, aqm: Integrator) -> float:
    _check_buffer(system, aqm.aim(system.capacity), aqm.name)

    def over(state: float) -> float:
        return (
            _departing(system, _rest_of(system, aqm, state), _signals(system, aqm, state)) - system.capacity
        )

    return _falling(over, aqm.greatest * (1.0 - 1e-12), aqm.name)


def _probability(system: System, queue: float, name: str, rate: float) -> float:
    """Signal p at which the senders reach a rate, with this queue."""

    def over(p: float) -> float:
        return _departing(system, queue, (p,) * len(system.groups)) - rate

    return _falling(over, 1.0 - 1e-12, name)


def _falling(over: Callable[[float], float], greatest: float, name: str) -> float:
    """The root of a falling function of a signal above zero, by bisection of its logarithm."""
    least = greatest * 1e-12
    if over(greatest) > 0.0:
        raise TheoryError(
            "there is no operating point: with a signal on every packet the flows still send more "
            f"than {name}'s link",
            "fewer flows or a longer round trip: windows are one packet already",
        )
    if over(least) < 0.0:
        raise TheoryError(
            "there is no operating point: the windows of the receivers do not fill the link",
            "a larger flows.GROUP.tcp.receive_window, or more flows",
        )
    return bisected_by_factors(lambda signal: over(signal) > 0.0, least, greatest, 70)


def _on_line(system: System, aqm: Red) -> float:
    """The queue where the line meets the senders, packets."""

    def over(queue: float) -> float:
        return _departing(system, queue, (aqm.signal(queue),) * len(system.groups)) - system.capacity

    top = min(aqm.top, system.buffer)
    low, high = aqm.min_th, top * (1.0 - 1e-12)
    if over(high) > 0.0:
        end = "its buffer is full" if system.buffer < aqm.top else "its line ends"
        raise TheoryError(
            f"there is no operating point: the flows need more signals than the {aqm.signal(high):.3g} a "
            f"packet that {aqm.name} gives before {end}, at {top:g} packets",
            "a larger max_p or max_th, gentle = true, or fewer flows",
        )
    found = bisected(lambda queue: over(queue) > 0.0, low, high, 80)
    require(
        found > aqm.min_th * (1.0 + 1e-9) or found - aqm.min_th > 1e-6,
        "there is no operating point: the windows of the receivers do not fill the link",
        "a larger flows.GROUP.tcp.receive_window, or more flows",
    )
    return found


def _check_buffer(system: System, target: float, name: str) -> None:
    require(
        target < system.buffer,
        f"there is no operating point: {name}'s target of {target:g} packets is beyond the buffer of "
        f"{system.buffer:g}",
        "a larger buffer, or a lower target",
    )


def _at_state(system: System, aqm: Integrator, state: float) -> Point:
    return _point(system, aqm, _rest_of(system, aqm, state), state, _signals(system, aqm, state))


def _at_level(system: System, aqm: Hred | Step, queue: float) -> Point:
    p = _probability(system, queue, aqm.name, system.capacity)
    return _point(system, aqm, queue, p, (p,) * len(system.groups))


def _at_queue(system: System, aqm: Red, queue: float) -> Point:
    p = aqm.signal(queue)
    return _point(system, aqm, queue, p, (p,) * len(system.groups))


def _point(system: System, aqm: object, queue: float, state: float, signals: tuple[float, ...]) -> Point:
    rtts = tuple(group.round_trip(queue, system.capacity) for group in system.groups)
    windows = tuple(g.window(p, rtt) for g, p, rtt in zip(system.groups, signals, rtts, strict=True))
    rates = tuple(g.flows * w / rtt for g, w, rtt in zip(system.groups, windows, rtts, strict=True))
    limited = any(w >= g.most for g, w in zip(system.groups, windows, strict=True))
    return Point(cast("Red", aqm), queue, state, signals, rtts, windows, rates, limited)


def _of_avq(system: System, aqm: Avq) -> Point:
    """Resting point of AVQ: rate gamma C, with an empty queue."""
    reached = aqm.gamma * system.capacity
    p = _probability(system, 0.0, aqm.name, reached)
    # What AVQ adapts is the virtual capacity: rate (1 - p).
    return _point(system, aqm, 0.0, reached * (1.0 - p), (p,) * len(system.groups))
