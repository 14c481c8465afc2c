"""Model of ns-2.35's NewReno, calculated independently from its rules.

`check.py` compares it with the recorded traces. It is written to be read beside SOURCE.md, not to be fast.
"""

from __future__ import annotations

import heapq
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from reference.queue_model import SECOND

if TYPE_CHECKING:
    from collections.abc import Iterator

NONE, LOSS, LEFT, TIMEOUT, ECN = range(5)


State = tuple[float, int, int, int, int, int, int]


@dataclass
class Options:
    """The parameters of a run, as its JSON file has them."""

    lost: list[list[int]]
    marked: list[list[int]]
    ecn: bool
    limited_transmit: bool
    initial_window: int
    initial_ssthresh: int
    receiver_window: int
    segment_bytes: int
    syn_bytes: int
    ack_bytes: int
    rate_bits_per_second: int
    one_way_delay_ns: int
    clock_tick_ns: int
    minimum_rto_ns: int
    initial_rto_ns: int
    end_ns: int


@dataclass
class Sender:
    """ns-2's Agent/TCP/Newreno with its defaults and an endless supply of data.

    `sent` collects what the last call sent: segment, and whether it carries CWR. `timer` is when the
    retransmission timer expires. `phase` is where in a tick the sender's clock started.
    """

    option: Options
    phase: int
    cwnd: float = 1.0
    inflation: int = 0
    dupacks: int = 0
    acked: int = -1
    next: int = 0
    highest: int = -1
    recover: int = 0
    last: int = NONE
    partial_seen: bool = False
    timer: int | None = None
    timed: int | None = None
    timed_at: int = 0
    rtt: int = 0
    srtt: int = 0
    rttvar: int = 0
    rto: int = 0
    backoff: int = 1
    ecn_agreed: bool = False
    ecn_backoff: bool = False
    cwr: bool = False
    sent: list[tuple[int, bool]] = field(default_factory=list[tuple[int, bool]])

    def __post_init__(self) -> None:
        self.ssthresh = self.option.initial_ssthresh
        self.rto = self.option.initial_rto_ns
        self.rttvar = 4 * int(12 * SECOND / self.option.clock_tick_ns)

    def start(self, now: int) -> None:
        """Sends the SYN, segment 0."""
        self.send_window(now)

    def state(self) -> State:
        """The columns of a trace after an event."""
        return self.cwnd, self.ssthresh, self.dupacks, self.rtt, self.srtt, self.rttvar, self.backoff

    # Sending

    def output(self, segment: int, now: int) -> None:
        """Sends one segment."""
        self.sent.append((segment, self.cwr))
        self.cwr = False
        nothing_out = self.acked == self.highest
        if segment > self.highest:
            self.highest = segment
            if self.timed is None:
                self.timed, self.timed_at = segment, now
        if self.timer is None or nothing_out:
            self.restart(now)

    def send_window(self, now: int, burst: int | None = None) -> None:
        """Sends what the window allows, at most `burst` segments."""
        while burst != 0 and self.next <= self.acked + self.window():
            self.output(self.next, now)
            self.next += 1
            burst = None if burst is None else burst - 1

    def window(self) -> int:
        """The window in whole segments."""
        return min(int(self.cwnd) + self.inflation, self.option.receiver_window)

    # The retransmission timer

    def restart(self, now: int) -> None:
        """Sets the timer afresh."""
        self.timer = now + min(max(self.rto, self.option.minimum_rto_ns) * self.backoff, 60 * SECOND)

    def back_off(self) -> None:
        """Doubles the timeout; forgets the smoothed round trip when it has been doubled often."""
        if self.backoff < 64 or max(self.rto, self.option.minimum_rto_ns) * self.backoff < 60 * SECOND:
            self.backoff *= 2
        if self.backoff > 8:
            self.rttvar += self.srtt >> 3
            self.srtt = 0

    def sample(self, now: int) -> None:
        """Takes the round trip of the timed segment, in ticks of a coarse clock."""
        tick = self.option.clock_tick_ns
        into = (self.timed_at + self.phase) % tick
        self.rtt = max((now - self.timed_at + into) // tick, 1)
        if self.srtt == 0:
            self.srtt, self.rttvar = self.rtt << 3, self.rtt << 1
        else:
            error = self.rtt - (self.srtt >> 3)
            self.srtt = max(self.srtt + error, 1)
            self.rttvar = max(self.rttvar + abs(error) - (self.rttvar >> 2), 1)
        self.rto = (((self.rttvar << 3) + self.srtt) >> 3) * tick

    # Events

    def cut(self) -> None:
        """Halves the window."""
        half = min(self.cwnd + self.inflation, self.option.receiver_window) / 2
        self.ssthresh = max(int(half), 2)
        self.cwnd = max(half, 1.0)
        self.cwr = self.option.ecn

    def on_ack(self, number: int, echo: bool, now: int) -> None:  # noqa: FBT001
        """An ACK arrives; `echo` is its ECE bit."""
        if echo and self.option.ecn and (number > self.recover or self.last == TIMEOUT):
            self.recover, self.last = self.highest, ECN
            self.cut()
        if number > self.acked:
            if number >= self.recover or self.last != LOSS:
                self.on_full(number, echo, now)
            else:
                self.on_partial(number, now)
        elif number == self.acked:
            self.on_duplicate(now)
        if self.dupacks == 0:
            self.send_window(now)
        elif self.dupacks >= 3:
            self.send_window(now, burst=2)

    def on_full(self, number: int, echo: bool, now: int) -> None:  # noqa: FBT001
        """New data acknowledged outside recovery, or all that was out when it began."""
        if self.inflation > 0 and self.last == LOSS:
            self.last = LEFT
        self.inflation = self.dupacks = 0
        self.partial_seen = False
        self.acked = number
        self.next = max(self.next, number + 1)
        if self.timed is not None and number >= self.timed:
            self.timed, self.backoff = None, 1
            self.sample(now)
        self.restart(now)
        if not (echo and self.ecn_agreed):
            self.cwnd += 1.0 if self.cwnd < self.ssthresh else 1.0 / self.cwnd
        self.ecn_agreed = self.ecn_agreed or echo
        if number == 0:
            self.cwnd = float(self.option.initial_window)

    def on_partial(self, number: int, now: int) -> None:
        """New data acknowledged within recovery: the next hole is sent at once."""
        if not self.partial_seen:
            self.partial_seen = True
            self.restart(now)
        newly = number - self.acked
        if self.inflation > newly:
            self.inflation -= newly - 1
        else:
            self.cwnd = max(self.cwnd - (newly - self.inflation), 1.0)
            self.inflation = 1
        self.acked = number
        self.next = max(self.next, number + 1)
        if self.timed is not None and number >= self.timed:
            self.timed, self.backoff = None, 1
        self.output(number + 1, now)

    def on_duplicate(self, now: int) -> None:
        """A duplicate ACK."""
        self.dupacks += 1
        if self.dupacks == 3:
            fresh = self.acked > self.recover or self.acked == 0
            if not fresh and self.last != ECN:
                return
            if fresh:
                self.recover = self.highest
                self.cut()
            self.last = LOSS
            self.restart(now)
            self.timed = None
            self.output(self.acked + 1, now)
            self.inflation = 3
        elif self.dupacks > 3:
            self.inflation += self.last == LOSS
        elif self.option.limited_transmit and self.next <= self.acked + self.cwnd + self.dupacks:
            self.output(self.next, now)
            self.next += 1

    def on_timeout(self, now: int) -> None:
        """The retransmission timer expires: slow start from the first segment that is not acknowledged."""
        self.timer = None
        self.inflation = self.dupacks = 0
        self.recover = self.highest
        if self.last != ECN:
            self.cut()
        self.cwnd = 1.0
        self.cwr = self.option.ecn
        self.back_off()
        self.restart(now)
        self.next = self.acked + 1
        self.timed = None
        self.last = TIMEOUT
        self.send_window(now)


@dataclass(order=True)
class Packet:
    """A segment (`to_receiver`) or an ACK on its way; `number` is the segment, or the last one in order."""

    arrives: int
    serial: int
    to_receiver: bool
    number: int
    flags: frozenset[str]


@dataclass
class Event:
    """A row of a trace: something that happened at the sender. What was sent has no state."""

    now: int
    kind: str
    number: int
    flags: frozenset[str]
    state: State | None


class Wire:
    """A sender and a receiver on the two ends of a link that loses and marks by a script."""

    def __init__(self, option: Options, phase: int) -> None:
        self.option = option
        self.sender = Sender(option, phase)
        self.on_the_way: list[Packet] = []
        self.serial = 0
        self.free = {True: 0, False: 0}
        self.copies: Counter[int] = Counter()
        self.received: set[int] = set()
        self.in_order = -1
        self.echo = False

    def run(self) -> Iterator[Event]:
        """Everything that happens at the sender until the end."""
        self.sender.start(0)
        yield from self.happened(0, "start")
        while True:
            arrival = self.on_the_way[0].arrives if self.on_the_way else self.option.end_ns
            timeout = self.option.end_ns if self.sender.timer is None else self.sender.timer
            now = min(arrival, timeout)
            if now >= self.option.end_ns:
                return
            if now == timeout:
                self.sender.on_timeout(now)
                yield from self.happened(now, "timeout")
                continue
            packet = heapq.heappop(self.on_the_way)
            if packet.to_receiver:
                self.receive(packet, now)
            else:
                self.sender.on_ack(packet.number, "ece" in packet.flags, now)
                yield from self.happened(now, "ack", packet.number, packet.flags)

    def happened(
        self, now: int, kind: str, number: int = 0, flags: frozenset[str] = frozenset()
    ) -> Iterator[Event]:
        """An event at the sender, and the segments it sent because of it."""
        yield Event(now, kind, number, flags, self.sender.state())
        for segment, cwr in self.sender.sent:
            self.copies[segment] += 1
            copy = [segment, self.copies[segment]]
            signs = {"cwr": cwr, "lost": copy in self.option.lost, "ce": copy in self.option.marked}
            words = frozenset(sign for sign, present in signs.items() if present)
            yield Event(now, "send", segment, words, None)
            size = self.option.segment_bytes if segment > 0 else self.option.syn_bytes
            self.carry(now, size, segment, words, to_receiver=True)
        self.sender.sent.clear()

    def carry(self, now: int, size: int, number: int, flags: frozenset[str], *, to_receiver: bool) -> None:
        """Puts a packet on the link, which loses it if the script says so."""
        start = max(now, self.free[to_receiver])
        self.free[to_receiver] = start + size * 8 * SECOND // self.option.rate_bits_per_second
        if "lost" not in flags:
            self.serial += 1
            arrives = self.free[to_receiver] + self.option.one_way_delay_ns
            heapq.heappush(self.on_the_way, Packet(arrives, self.serial, to_receiver, number, flags))

    def receive(self, packet: Packet, now: int) -> None:
        """The receiver takes a segment and acknowledges it at once."""
        self.received.add(packet.number)
        while self.in_order + 1 in self.received:
            self.in_order += 1
        if "cwr" in packet.flags:
            self.echo = False
        if "ce" in packet.flags:
            self.echo = True
        negotiation = self.option.ecn and packet.number == 0
        flags = frozenset({"ece"}) if self.echo or negotiation else frozenset[str]()
        self.carry(now, self.option.ack_bytes, self.in_order, flags, to_receiver=False)
