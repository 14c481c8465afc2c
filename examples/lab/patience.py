"""Packets that have waited too long are signalled on their way out, one in so many."""

from weir.aqm import Aqm, Backlog, Link, Packet, Verdict


class Patience(Aqm):
    variables = ("late",)

    def __init__(self, link: Link, target: float = 0.015, one_in: int = 50) -> None:
        self.target = target  # seconds
        self.one_in = one_in  # packets
        self.late = 0  # packets so far

    def on_dequeue(self, packet: Packet, sojourn: float, queue: Backlog, now: float) -> Verdict | None:
        if sojourn <= self.target or queue.packets == 0:
            return None
        self.late += 1
        return "mark" if self.random.random() < 1 / self.one_in else None
