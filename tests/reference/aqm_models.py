"""PI, AVQ and the moving max_p of RED calculated independently of Weir, from the rules.

Each class has ns-2's habit and, one switch away, the rule that Weir follows.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, Literal

from reference.queue_model import SECOND, Red

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence


@dataclass
class Moment:
    """Event at a queue: a packet is offered, the transmitter takes one, or the AQM updates."""

    now: int
    kind: Literal["offer", "take", "update"]
    size: int
    """Size of the packet; for a `take`, 0 if it finds nothing."""
    waiting: int
    """Packets, before it."""
    row: Mapping[str, str]
    """Recorded row of an `offer` or an `update`."""


def moments(about: Mapping[str, Any], rows: Sequence[Mapping[str, str]]) -> Iterator[Moment]:
    """The rows of a compact trace, and between them when the transmitter asks for a packet.

    It does so at the end of a transmission or, if it is idle, at the instant of an arrival.
    """
    rate = int(about["rate_bits_per_second"])
    waiting: deque[int] = deque()
    free: int | None = None
    for row in rows:
        now = int(row["time_ns"])
        while free is not None and free < now:
            size = waiting[0] if waiting else 0
            yield Moment(free, "take", size, len(waiting), {})
            free = free + size * 8 * SECOND // rate if waiting else None
            if waiting:
                waiting.popleft()
        if row.get("event") == "update":
            yield Moment(now, "update", 0, len(waiting), row)
            continue
        size = int(row["bytes"] or 1000)
        yield Moment(now, "offer", size, len(waiting), row)
        if row.get("accepted") == "0":
            continue
        if free is None:
            yield Moment(now, "take", size, 1, {})
            free = now + size * 8 * SECOND // rate
        else:
            waiting.append(size)


@dataclass
class Pi:
    """PI's probability."""

    a: float
    b: float
    target: float
    probability: float = 0.0
    last: int = 0

    def update(self, queue: int) -> None:
        """The end of a period."""
        change = self.a * (queue - self.target) - self.b * (self.last - self.target)
        self.probability = min(max(change + self.probability, 0.0), 1.0)
        self.last = queue


@dataclass
class Avq:
    """AVQ's virtual queue, in bytes, and its capacity, in bytes per second."""

    rate: float
    """Rate of the link in bytes per second."""
    room: float
    gamma: float
    alpha: float
    capacity: float
    """Virtual."""
    drops: bool
    """Signals are drops; packets that are dropped do not adapt the capacity."""
    bounded_after: bool = True
    """ns-2 keeps the capacity below the link's after the packet is taken off, the paper before."""
    queue: float = 0.0
    drained: int | None = None
    adapted: int = 0

    def offer(self, now: int, size: int) -> bool:
        """A packet arrives; true if it is signalled."""
        if self.drained is None:
            self.drained = self.adapted = now
        self.queue = max(self.queue - self.capacity * ((now - self.drained) / SECOND), 0.0)
        self.drained = now
        signal = self.queue + size > self.room
        if not signal:
            self.queue += size
        if signal and self.drops:
            return True
        grown = self.capacity + self.alpha * self.gamma * self.rate * ((now - self.adapted) / SECOND)
        if not self.bounded_after:
            grown = min(grown, self.rate)
        self.capacity = max(min(grown - self.alpha * size, self.rate), 0.0)
        self.adapted = now
        return signal


@dataclass
class MovingRed(Red):
    """RED whose max_p follows its average."""

    whole_idle: bool = True
    """ns-2 counts whole packets of idle time and the arrival as samples of zero, the paper real ones."""
    ramp_from_start: bool = True
    """ns-2's ramp beyond max_th begins at the max_p of the beginning, else at the present one."""

    def __post_init__(self) -> None:
        self.first_max_p = self.max_p

    def offer(self, now: int, queue: int) -> None:
        """A packet arrives and finds `queue` packets waiting."""
        if self.whole_idle or self.idle_since is None:
            super().offer(now, queue)
        else:
            idle = self.packets_per_second * (now - self.idle_since) / SECOND
            self.average *= (1.0 - self.w_q) ** idle
            self.idle_since = None
        self.follow(now)

    def follow(self, now: int) -> None:
        """Moves max_p."""
        raise NotImplementedError

    def ramp(self) -> float:
        """The probability beyond max_th."""
        start = self.first_max_p if self.ramp_from_start else self.max_p
        return self.average * ((1.0 - start) / self.max_th) + (2.0 * start - 1.0)


@dataclass
class AdaptiveRed(MovingRed):
    """Adaptive RED by Floyd, Gummadi and Shenker."""

    interval: float = 0.5
    alpha: float = 0.01
    beta: float = 0.9
    bottom: float = 0.01
    top: float = 0.5
    since_change: bool = True
    """ns-2 waits for an interval since the last change; else since the last test."""
    step_over: bool = True
    """ns-2's last step may pass a bound."""
    last: int = 0

    def follow(self, now: int) -> None:
        """Moves max_p, if it is time."""
        if now > self.last + self.interval * SECOND and (self.adapt() or not self.since_change):
            self.last = now

    def adapt(self) -> bool:
        """A step, if one is due; true if max_p has changed."""
        part = 0.4 * (self.max_th - self.min_th)
        before = self.max_p
        if self.average < self.min_th + part and (before > self.bottom or not self.step_over):
            self.max_p = before * self.beta
        elif self.average > self.max_th - part and (before < self.top or not self.step_over):
            self.max_p = before + min(self.alpha, 0.25 * before)
        else:
            return False
        if not self.step_over:
            self.max_p = min(max(self.max_p, self.bottom), self.top)
        return True


@dataclass
class FengRed(MovingRed):
    """Self-configuring RED by Feng, Kandlur, Saha and Shin."""

    alpha: float = 3.0
    beta: float = 2.0
    band: Literal["below", "between", "above"] = "between"

    def follow(self, now: int) -> None:  # noqa: ARG002 - it needs no clock
        """Moves max_p when the average leaves the band."""
        if self.min_th < self.average < self.max_th:
            self.band = "between"
        elif self.average < self.min_th and self.band != "below":
            self.band = "below"
            self.max_p /= self.alpha
        elif self.average > self.max_th and self.band != "above":
            self.band = "above"
            self.max_p *= self.beta


def moving(about: Mapping[str, Any], **habits: bool) -> MovingRed:
    """RED with the parameters of a trace, and ns-2's habits unless told otherwise."""
    kind: type[MovingRed] = FengRed if about["aqm"] == "self-configuring RED" else AdaptiveRed
    names = {field.name for field in fields(kind)}
    capacity = about["rate_bits_per_second"] / (8.0 * about["mean_packet_bytes"])
    values: dict[str, Any] = {name: about[name] for name in names & set(about)}
    red = kind(capacity, **values)
    for name, habit in habits.items():
        setattr(red, name, habit)
    return red
