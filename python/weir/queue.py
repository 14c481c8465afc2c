"""A queue discipline in your hands."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from weir import _core
from weir.scenario import to_toml

if TYPE_CHECKING:
    from weir.scenario import Value

Ecn = Literal["not-ect", "ect0", "ect1", "ce"]
"""The ECN field of a packet: not ECN-capable, ECN-capable (either codepoint), marked."""


@dataclass(frozen=True)
class Offered:
    """Verdict on an arriving packet."""

    verdict: Literal["accepted", "marked", "dropped"]
    """A marked packet is in the queue, with its congestion mark set."""
    reason: Literal["early", "forced", "overflow"] | None
    """Reason for a mark or a drop: chosen by probability, by certainty, or for want of room."""


@dataclass(frozen=True)
class Taken:
    """A packet that leaves the queue."""

    flow: int
    bytes: int
    marked: bool
    sojourn: float
    """Seconds in the queue."""


@dataclass(frozen=True)
class Dropped:
    """A packet that was dropped after it had been let in."""

    flow: int
    reason: str


def _check_type(name: str, value: object, kind: type, instead: str) -> None:
    if not isinstance(value, kind):
        raise TypeError(f"{name} is {value!r}; write {instead}")


class Queue:
    """One discipline by itself: you bring the packets, and you are the link.

    Times are seconds from 0 and never go back. Whatever the discipline does at times of its own,
    such as REM's price, it does on the way to the time you name.

    Two packets find room in a DropTail queue that holds two:

        >>> queue = weir.Queue("drop-tail", rate="8 Mbit/s", buffer="2 packets")
        >>> queue.offer(0.000, 1000, flow=1)
        Offered(verdict='accepted', reason=None)
        >>> queue.offer(0.001, 1000, flow=2)
        Offered(verdict='accepted', reason=None)

    A third one does not:

        >>> queue.offer(0.001, 1000, flow=3)
        Offered(verdict='dropped', reason='overflow')
        >>> queue.take(0.002)
        Taken(flow=1, bytes=1000, marked=False, sojourn=0.002)
        >>> len(queue)
        1

    REM's price, while twice as many packets come as the link could send:

        >>> queue = weir.Queue({"rem": {"target": "5 packets"}}, rate="8 Mbit/s", buffer="50 packets")
        >>> for n in range(20):
        ...     offered = queue.offer(n * 0.0005, 1000)
        ...     if n % 2:
        ...         taken = queue.take(n * 0.0005)
        >>> round(queue["price"], 4)
        0.008

    Args:
        queue: the table of a scenario, `{"red": {"max_th": "80 packets"}}` or
            `{"fq": {"aqm": {"red": {}}, "flows": 64}}`, or a name from `weir list`. RED's thresholds are 5
            and 15 packets unless given: a queue by itself has no round trip.
        rate: of its link, such as "8 Mbit/s": AQMs know their link.
        buffer: what it can hold, such as "50 packets" or "60 kB".
        mean_packet: what AQMs take for the mean packet size.
        seed: of the AQM's random draws.

    Raises ValueError, which says what to write instead, for values that cannot be.
    """

    def __init__(
        self,
        queue: str | Mapping[str, Value],
        *,
        rate: str,
        buffer: str,
        mean_packet: str = "1000 B",
        seed: int = 1,
    ) -> None:
        table: Mapping[str, Value] = {queue: {}} if isinstance(queue, str) else queue
        _check_type("queue", table, Mapping, 'a name, "red", or a table, {"red": {}}')
        for name, text in (("rate", rate), ("buffer", buffer), ("mean_packet", mean_packet)):
            _check_type(name, text, str, "a text with a unit, as in a scenario")
        self._core = _core.QueueCore(to_toml(table), rate, buffer, mean_packet, seed)
        self._dropped: list[Dropped] = []

    def offer(
        self,
        now: float,
        bytes: int,
        flow: int = 0,
        ecn: Ecn = "not-ect",
        *,
        dscp: str = "CS0",
        from_host: int = 0,
        to_host: int = 0,
    ) -> Offered:
        """Offers an arriving packet to the discipline.

        CAKE sorts it by its Diffserv codepoint, a name or a number, and by the numbers of its hosts. Number 0
        is a host that has this flow alone. No packet is an ACK: filters of ACKs take none away. Packets that
        the discipline drops for it are in `dropped` until the next call. Raises ValueError if `now` lies
        before an earlier time, and for a size, an ECN field or a codepoint that no packet has.

        Example:
            >>> queue = weir.Queue("drop-tail", rate="8 Mbit/s", buffer="1 packets")
            >>> queue.offer(0.0, 1000).verdict, queue.offer(0.001, 1000).verdict
            ('accepted', 'dropped')
        """
        verdict, reason, dropped = self._core.offer(now, bytes, flow, ecn, dscp, (from_host, to_host))
        self._dropped = [Dropped(flow, reason) for flow, reason in dropped]
        return Offered(verdict, reason)  # type: ignore[arg-type]

    def take(self, now: float) -> Taken | None:
        """Takes the next packet for the link; None if there is none.

        Packets that the discipline drops on the way are in `dropped` until the next call. Raises
        ValueError if `now` lies before an earlier time.

        Example:
            >>> queue = weir.Queue("codel", rate="8 Mbit/s", buffer="50 packets")
            >>> offered = queue.offer(0.0, 1500, flow=3)
            >>> queue.take(0.004), queue.take(0.005)
            (Taken(flow=3, bytes=1500, marked=False, sojourn=0.004), None)
        """
        taken, dropped = self._core.take(now)
        self._dropped = [Dropped(flow, reason) for flow, reason in dropped]
        return None if taken is None else Taken(*taken)

    def advance(self, now: float) -> None:
        """Lets time pass: the discipline does everything that it does at times of its own until `now`.

        Raises ValueError if `now` lies before an earlier time, or so late that an AQM would do more than a
        thousand million updates until then.

        Example:
            >>> queue = weir.Queue({"rem": {"target": "0 packets"}}, rate="8 Mbit/s", buffer="50 packets")
            >>> verdicts = [queue.offer(0.0, 1000).verdict for packet in range(20)]
            >>> before = queue["price"]
            >>> queue.advance(0.1)
            >>> before, round(queue["price"], 3)
            (0.0, 0.02)
        """
        self._core.advance(now)

    def set_rate(self, now: float, rate: str) -> None:
        """Sets the rate of the link from `now` on, such as "8 Mbit/s".

        AQMs that compute something from their link compute it anew. What you take, and when, is
        up to you as before; the buffer stays what it was.

        Raises ValueError for a text that is no rate, and if `now` lies before an earlier time.

        Example:
            >>> queue = weir.Queue("pie", rate="8 Mbit/s", buffer="50 packets")
            >>> queue.set_rate(1.0, "4 Mbit/s")
            >>> queue.set_rate(0.5, "2 Mbit/s")
            Traceback (most recent call last):
                ...
            ValueError: time went from 1 s to 0.5 s; it goes forward, up to 1000000 s
        """
        self._core.set_rate(now, rate)

    def set_targets(self, now: float, delay: str, loss: float) -> None:
        """Sets the targets of OP-RED from `now` on: the delay, such as "20 ms", and the lost part of the
        arrivals.

        What it measured under the old targets is forgotten; parameters, average and count go on.
        Raises ValueError for any other discipline, and if a target is zero.

        Example:
            >>> queue = weir.Queue("op-red", rate="8 Mbit/s", buffer="50 packets")
            >>> queue.set_targets(1.0, delay="20 ms", loss=0.01)
            >>> queue["target_delay"], queue["target_loss"]
            (0.02, 0.01)
        """
        self._core.set_targets(now, delay, loss)

    @property
    def dropped(self) -> list[Dropped]:
        """Packets in the queue that the last `offer` or `take` dropped; not the one that was offered."""
        return list(self._dropped)

    @property
    def bytes(self) -> int:
        """Bytes in the queue."""
        return self._core.bytes

    @property
    def variables(self) -> dict[str, float]:
        """The AQM's variables under their published names."""
        return self._core.variables

    def __getitem__(self, name: str) -> float:
        variables = self._core.variables
        try:
            return variables[name]
        except KeyError:
            known = ", ".join(variables) or "none"
            raise KeyError(f"there is no variable {name!r}; there are: {known}") from None

    def __len__(self) -> int:
        return self._core.packets

    def __bool__(self) -> bool:
        """True even when empty: a queue is not a list."""
        return True
