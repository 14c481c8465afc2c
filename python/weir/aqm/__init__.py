"""Base classes of AQMs in Python.

A `Controller` sets a probability some times a second. The core draws for each packet, so it costs
next to nothing. An `Aqm` decides on every packet, at about half a microsecond a call. Example:

    # lab/leaky.py
    from weir.aqm import Controller, Link, Seen

    class Leaky(Controller):
        period = 0.01
        variables = ("level",)

        def __init__(self, link: Link, target: float = 20, gain: float = 1e-4) -> None:
            self.target, self.gain, self.level = target, gain, 0.0

        def update(self, seen: Seen) -> float:
            self.level = 0.99 * self.level + self.gain * (seen.packets - self.target)
            self.level = min(max(self.level, 0.0), 1.0)
            return self.level

A scenario names it by its import path, as `weir.Queue` does:

    queue.python = { class = "lab.leaky:Leaky", parameters = { target = 30 } }

Weir looks for it on Python's path and in the folder of the scenario file. For `weir.Queue`, and a
scenario in a text, the folder is the current one. A digest of the file is part of the key of a run.

To load such a scenario runs the file: `weir.load(..., python=False)` refuses it.
"""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, ClassVar, Literal

from weir._core import Backlog, Link, Packet, Seen
from weir._lazy import first_use

if TYPE_CHECKING:
    from weir.aqm import _sources as sources
    from weir.aqm._find import unstored

__all__ = ["Aqm", "Backlog", "Controller", "Link", "Packet", "Seen", "Verdict"]

__getattr__ = first_use(__name__)

Verdict = Literal["pass", "mark", "drop"]
"""Fate of a packet. A mark becomes a drop without `ecn = true` in the scenario, and for packets that are not
ECN-capable."""


class _Base:
    random: random.Random
    """Random numbers of this AQM alone. The seed of the run and the path of the queue determine them."""

    variables: ClassVar[tuple[str, ...]] = ()
    """Names of numeric attributes to record as time series, if the scenario has `measure.series`."""

    stored: ClassVar[bool] = True
    """True if the store keeps runs and finds them the next time. Set False for a class that depends on
    something outside, such as a file, a server or the clock. The same run may then differ tomorrow."""

    time_limit: float | None = 60.0
    """Time that one call may take, in seconds. A longer call ends the run. None means no limit."""

    def __init__(self, link: Link) -> None:
        """Takes the link, and by name the `parameters` of the scenario."""


class Controller(_Base):
    """An AQM that sets a probability some times a second."""

    period: float = 0.01
    """Seconds between updates."""

    def update(self, seen: Seen) -> float:
        """Returns the probability, 0 to 1, of signalling a packet until the next update.

        The first update is one period after the start; before it, no packet is signalled."""
        raise NotImplementedError


class Aqm(_Base):
    """An AQM that decides on every packet. Methods that a class does not define are not called.

    Times are seconds from the start of the run.
    """

    period: float | None = None
    """Seconds between calls of `update`; none if None."""

    def on_enqueue(self, packet: Packet, queue: Backlog, now: float) -> Verdict | None:
        """A packet has arrived; `queue` does not yet count it. None: it passes. A packet that does
        not fit into the buffer is dropped in any case."""

    def on_dequeue(self, packet: Packet, sojourn: float, queue: Backlog, now: float) -> Verdict | None:
        """A packet leaves after `sojourn` seconds; `queue` no longer counts it. None: it passes."""

    def on_idle(self, now: float) -> None:
        """The link is idle: nothing waits."""

    def on_overflow(self, packets: int, now: float) -> None:
        """Fair queueing has dropped so many waiting packets because the buffer was full."""

    def on_rate(self, rate: int, now: float) -> None:
        """The link now has this rate, in bit/s."""

    def update(self, queue: Backlog, now: float) -> None:
        """Periodic work."""
