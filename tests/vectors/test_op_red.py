"""OP-RED, RED driven to an operating point: our own answer to Verma, Iyer and Karandikar, 2002.

Its numbers are in the header of the AQM. The link of the paper's study, 10 Mbit/s and a buffer of 50.
That it reaches what can be reached is a matter of the closed loop, which a queue by itself does not close.
"""

from __future__ import annotations

from math import exp, log

import pytest
from hands import fill

import weir
from weir.scenario._toml import Value

RATE = 1250
"""Packets a second."""

WEIGHT = 1e-6
"""So small that the average stays below min_th: what is lost is lost for want of room."""

WINDOW = 5 / WEIGHT / RATE
"""Seconds: as long as the average needs to follow, 5 / w_q packets."""


class Windows:
    """OP-RED that measures in each window what a test wants."""

    def __init__(self, **table: Value) -> None:
        aqm = {"op-red": {"w_q": WEIGHT, **table}}
        self.queue = weir.Queue(aqm, rate="10 Mbit/s", buffer="50 packets")
        self.now = 0.0

    def window(self, delay: float, loss: float, busy: float = 1.0) -> None:
        """A thousand arrivals: this part is lost, all others wait for `delay` seconds, and the line is
        busy for this part of the window."""
        start, arrivals = self.now, 1000
        lost = round(loss * arrivals)
        left = arrivals - lost
        while left:
            batch = min(50, left)
            fill(self.queue, batch, self.now)
            if batch == 50:
                for _ in range(lost):
                    assert self.queue.offer(self.now, 1000).reason == "overflow"
                lost = 0
            left -= batch
            self.now += delay
            for _ in range(batch):
                assert self.queue.take(self.now) is not None
        if busy < 1.0:
            assert self.queue.take(start + WINDOW * busy) is None
        self.now = start + WINDOW
        self.queue.advance(self.now)

    def at_high_load(self) -> Windows:
        """The line was busy for three windows; nothing has moved yet, and nothing is remembered."""
        for high in (0.0, 0.0, 1.0):
            self.window(0.020, 0.0)
            assert self.queue["high_load"] == high
            assert self.queue["achieved"] == 1.0
        assert (self.queue["max_th"], self.queue["max_p"]) == pytest.approx((30.0, 0.1))
        self.queue.set_targets(self.now, "20 ms", 0.02)
        return self


@pytest.mark.parametrize(
    ("delay", "loss", "u", "max_th"),
    [
        (0.030, 0.02, -0.405465, 28.98634),
        (0.020, 0.04, 0.693147, 31.73287),
        (0.030, 0.06, 0.594535, 31.48634),
    ],
)
def test_at_high_load_max_th_moves(delay: float, loss: float, u: float, max_th: float) -> None:
    """By 0.05 B u. Of two errors, that of the loss is clipped at 1: u = 1 - 0.405465."""
    op_red = Windows().at_high_load()
    op_red.window(delay, loss)
    assert (op_red.queue["delay"], op_red.queue["loss"]) == pytest.approx((delay, loss), abs=1e-9)
    assert op_red.queue["max_th"] == pytest.approx(max_th, abs=5e-6)
    assert (op_red.queue["max_th"] - 30.0) / 2.5 == pytest.approx(u, abs=5e-6)


def test_at_high_load_max_p_goes_to_three_tenths() -> None:
    op_red = Windows().at_high_load()
    op_red.window(0.030, 0.02)
    assert op_red.queue["max_p"] == pytest.approx(0.1 + 0.1 * (0.3 - 0.1))


def test_at_low_load_max_p_moves() -> None:
    """From 0.1 by e^(0.15 0.405465)."""
    op_red = Windows()
    op_red.window(0.030, 0.02, busy=0.9)
    assert op_red.queue["busy"] == pytest.approx(0.9, abs=1e-9)
    assert op_red.queue["max_p"] == pytest.approx(0.1062707, abs=5e-8)
    assert op_red.queue["max_p"] == pytest.approx(0.1 * exp(0.06082), rel=5e-6)
    assert op_red.queue["max_th"] == pytest.approx(30.0)


@pytest.mark.parametrize("busy", [0.9, 1.0])
def test_where_most_losses_are_forced_max_p_rises(busy: float) -> None:
    """By e^0.15, at any load: more early drops make fewer in all."""
    op_red = Windows()
    if busy == 1.0:
        op_red.at_high_load()
    op_red.window(0.030, 0.06, busy)
    assert op_red.queue["forced"] == 1.0
    assert op_red.queue["max_p"] == pytest.approx(0.1161834, abs=5e-8)


def test_windows_are_averaged_with_a_quarter() -> None:
    op_red = Windows()
    op_red.window(0.010, 0.0, busy=0.9)
    op_red.window(0.030, 0.04, busy=0.9)
    assert op_red.queue["delay"] == pytest.approx(0.015, abs=1e-9)
    assert op_red.queue["loss"] == pytest.approx(0.01, abs=1e-12)


def test_other_targets_forget_what_was_measured_and_keep_the_rest() -> None:
    op_red = Windows()
    op_red.window(0.030, 0.02, busy=0.9)
    before = op_red.queue.variables
    op_red.queue.set_targets(WINDOW, "5 ms", 0.1)
    after = op_red.queue.variables
    assert (after["delay"], after["loss"]) == (0.0, 0.0)
    assert (after["target_delay"], after["target_loss"]) == (0.005, 0.1)
    measured = {"delay", "loss", "forced", "target_delay", "target_loss"}
    assert {name for name in before if before[name] != after[name]} <= measured
    op_red.window(0.030, 0.04, busy=0.9)
    assert op_red.queue["delay"] == pytest.approx(0.030, abs=1e-9)


def test_load_changes_after_windows_in_a_row() -> None:
    """Up after three with 99.5% or more, down after two below 98%."""
    op_red = Windows().at_high_load()
    down = ((0.97, 1.0), (0.985, 1.0), (0.97, 1.0), (0.97, 0.0))
    up = ((1.0, 0.0), (1.0, 0.0), (0.99, 0.0), (1.0, 0.0), (0.996, 0.0), (1.0, 1.0))
    for busy, high in down + up:
        op_red.window(0.020, 0.0, busy)
        assert op_red.queue["high_load"] == high


@pytest.mark.parametrize(("delay", "loss", "achieved"), [(0.022, 0.022, 1.0), (0.0222, 0.022, 0.0)])
def test_a_tenth_in_the_logarithm_is_near_enough(delay: float, loss: float, achieved: float) -> None:
    op_red = Windows().at_high_load()
    op_red.window(delay, loss)
    assert (max(log(delay / 0.02), log(loss / 0.02)) <= 0.1) == bool(achieved)
    assert op_red.queue["achieved"] == achieved
    assert (op_red.queue["max_th"] == pytest.approx(30.0)) == bool(achieved)


def test_after_ten_windows_at_the_bounds_targets_are_unachievable() -> None:
    """Less delay than the least max_th, 10, and the largest max_p, 0.5, give."""
    op_red = Windows().at_high_load()
    op_red.queue.set_targets(3 * WINDOW, "5 ms", 0.02)
    for _ in range(40):
        op_red.window(0.030, 0.0)
        if op_red.queue["unachievable"]:
            break
    assert op_red.queue["unachievable"] == 1.0
    assert (op_red.queue["max_th"], op_red.queue["max_p"]) == pytest.approx((10.0, 0.5))
    # Within reach again.
    op_red.queue.set_targets(op_red.now, "60 ms", 0.02)
    assert op_red.queue["unachievable"] == 0.0


def test_a_window_is_long_enough_for_twenty_losses() -> None:
    """max(1 s, 5 / (w_q C), 20 / (l* C)); and it goes on until fifty packets have arrived."""
    for weight, loss, window in ((1.0, 0.02, 1.0), (0.002, 0.02, 2.0), (0.002, 0.001, 16.0)):
        aqm = {"op-red": {"w_q": weight, "target_loss": loss}}
        queue = weir.Queue(aqm, rate="10 Mbit/s", buffer="50 packets")
        for n in range(100):
            queue.offer(n * 1e-3, 1000)
            queue.take(n * 1e-3 + 5e-4)
        queue.advance(window - 1e-6)
        assert queue["delay"] == 0.0
        queue.advance(window)
        assert queue["delay"] == pytest.approx(5e-4, abs=1e-9)
    queue = weir.Queue({"op-red": {"w_q": 1.0}}, rate="10 Mbit/s", buffer="50 packets")
    for n in range(49):
        queue.offer(n * 1e-3, 1000)
        queue.take(n * 1e-3 + 5e-4)
    queue.advance(1.5)
    assert queue["delay"] == 0.0
    queue.offer(1.6, 1000)
    queue.take(1.6005)
    queue.advance(4.0)
    assert queue["delay"] == pytest.approx(5e-4, abs=1e-9)
