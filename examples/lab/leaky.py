"""A bucket fills with the packets above a target and leaks; its level is the probability."""

from weir.aqm import Controller, Link, Seen


class Leaky(Controller):
    period = 0.01  # seconds between updates
    variables = ("level",)  # recorded over time

    def __init__(self, link: Link, target: float = 20, gain: float = 1e-4, leak: float = 0.01) -> None:
        self.target = target  # packets
        self.gain = gain  # per packet and update
        self.leak = leak  # of the level, per update
        self.level = 0.0

    def update(self, seen: Seen) -> float:
        self.level += self.gain * (seen.packets - self.target) - self.leak * self.level
        self.level = min(max(self.level, 0.0), 1.0)
        return self.level
