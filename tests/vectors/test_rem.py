"""REM: Athuraliya, Li, Low and Yin, 2001; its first form: Lapsley and Low, 1999."""

from __future__ import annotations

from math import log, prod
from typing import Any

import pytest
from hands import drain, fill, holding, likely, signals

import weir

RATE = "64 Mbit/s"
"""8000 packets of 1000 bytes a second, c = 16 in an interval of 2 ms."""


class Ticks:
    """REM whose backlog and arrivals are what a test wants at every update."""

    def __init__(self, aqm: dict[str, Any], *, buffer: str = "1000 packets", interval: float = 0.002) -> None:
        self.queue = weir.Queue(aqm, rate=RATE, buffer=buffer)
        self._interval, self._ticks = interval, 0

    def tick(self, arrivals: int, backlog: int) -> float:
        """The price after an interval with these arrivals and this backlog at its end."""
        now = (self._ticks + 0.5) * self._interval
        fill(self.queue, arrivals, now)
        drain(self.queue, len(self.queue) - backlog, now)
        self._ticks += 1
        self.queue.advance(self._ticks * self._interval)
        return self.queue["price"]


def test_the_price_of_rate_and_queue() -> None:
    """(x, b) = (18, 30), (20, 60), (16, 20), (10, 0) by equation (2). What waits can grow by no more
    than what arrives, so the price gets there over intervals that leave it as it is."""
    rem = Ticks({"rem": {}})
    assert rem.tick(12, 12) == 0.0
    assert rem.tick(18, 30) == pytest.approx(0.003, abs=1e-15)
    assert rem.tick(14, 40) == pytest.approx(0.003, abs=1e-15)
    assert rem.tick(20, 60) == pytest.approx(0.011, abs=1e-15)
    assert rem.tick(16, 20) == pytest.approx(0.011, abs=1e-15)
    assert rem.tick(10, 0) == pytest.approx(0.003, abs=1e-15)


def test_the_price_of_the_queue_alone() -> None:
    """By b = 20, 30, 60, 60, 20 by equation (3): 0.010, 0.041, 0.045, 0.009 above where it was. A queue
    that fills from nothing has a price of 0.018 when it first holds 20."""
    rem = Ticks({"rem": {"price": "queue"}})
    before = rem.tick(20, 20)
    assert before == pytest.approx(0.018, abs=1e-15)
    found = [rem.tick(40, backlog) - before for backlog in (30, 60, 60, 20)]
    assert found == pytest.approx([0.010, 0.041, 0.045, 0.009], abs=1e-15)
    while rem.tick(0, 0):
        pass


PROBABILITIES = {1: 9.990010e-4, 10: 9.945219e-3, 100: 0.0951173691, 1000: 0.6319366957}


@pytest.mark.parametrize("price", PROBABILITIES)
def test_the_probability_is_exponential_in_the_price(price: int) -> None:
    """Equation (4). Twenty arrivals that wait are a mismatch of 4."""
    rem = Ticks({"rem": {"gamma": price / 4}}, buffer="5000 packets")
    assert rem.tick(20, 20) == pytest.approx(price, rel=1e-14)
    m = PROBABILITIES[price]
    assert rem.queue["probability"] == pytest.approx(m, rel=1e-7)
    hits = sum(signals(rem.queue.offer(0.003, 1000) for _ in range(1000)))
    assert likely(hits, 1000, m)


def test_small_probabilities_are_price_times_ln_phi() -> None:
    assert log(1.001) == pytest.approx(9.995003e-4, abs=5e-11)
    rem = Ticks({"rem": {"gamma": 2.5e-4}})
    rem.tick(20, 20)
    assert rem.queue["probability"] / rem.queue["price"] == pytest.approx(9.995003e-4, rel=1e-6)


def test_prices_add_up_over_a_path() -> None:
    """1 - prod(1 - m) over the links is 1 - phi^-(sum of prices), equation (5)."""
    links = [Ticks({"rem": {"gamma": gamma}}) for gamma in (3.0, 50.0, 0.5)]
    total = sum(link.tick(20, 20) for link in links)
    passes = prod(1.0 - link.queue["probability"] for link in links)
    assert passes == pytest.approx(1.001**-total, rel=1e-12)


def drift(rem: weir.Queue, backlog: int, arrivals: list[int], lost: int) -> float:
    """Mean change of the price in an interval, over many intervals. In each, packets of these sizes arrive;
    each one pushes another one out, and one finds no room."""
    rem.offer(0.001, 1_000_000)
    rem.advance(0.002)
    before, intervals = rem["price"], 100
    assert before > 0.5
    for interval in range(1, intervals + 1):
        now = interval * 0.002 + 0.001
        if lost:
            assert rem.offer(now, lost).reason == "overflow"
        for size in arrivals:
            assert rem.take(now) is not None
            assert rem.offer(now, size, ecn="ect0").verdict != "dropped"
        rem.advance(now + 0.001)
        assert rem.bytes == backlog
    return (rem["price"] - before) / intervals


def settled(buffer: int) -> weir.Queue:
    """Bytes are counted, for fractions of packets."""
    return weir.Queue({"rem": {"target": "20 kB", "ecn": True}}, rate=RATE, buffer=f"{buffer} B")


def test_dropping_settles_below_the_target() -> None:
    """Counts the losses in x: at a utilisation of 0.972 with a loss of 5.6%, x = 16.47 and the price stands
    still at b = 15.3."""
    x = 16 * 0.972 / (1 - 0.056)
    assert (x, 20 - (x - 16) / 0.1) == pytest.approx((16.474, 15.26), abs=1e-2)
    rem = settled(15_260)
    rem.offer(0.0, 15_260, ecn="ect0")
    assert drift(rem, 15_260, [291, 15_260], 16_474 - 291 - 15_260) == pytest.approx(0.0, abs=1e-9)


def test_marking_settles_a_little_above_the_target() -> None:
    """At a utilisation of 99%, x = 15.84 and the price stands still at 21.6."""
    rem = settled(60_000)
    for size in (5760, 10_080, 5760):
        rem.offer(0.0, size, ecn="ect0")
    assert drift(rem, 21_600, [10_080, 5760], 0) == pytest.approx(0.0, abs=1e-9)


def test_the_price_falls_while_the_line_is_idle() -> None:
    """By gamma (c + alpha b*) = 0.018 with every tick: from 98 to 0 takes 10.89 s."""
    rem = weir.Queue({"rem": {"target": "20 kB"}}, rate=RATE, buffer="20 kB")
    rem.offer(0.001, 20_000)
    for _ in range(97):
        # Refused, and counted.
        rem.offer(0.001, 1_000_000)
    rem.offer(0.001, 996_000)
    rem.advance(0.002)
    assert rem["price"] == pytest.approx(98.0, abs=1e-9)
    rem.take(0.002)
    rem.advance(0.004)
    assert rem["price"] == pytest.approx(98.0 - 0.018, abs=1e-9)
    rem.advance(0.002 + 5444 * 0.002)
    assert rem["price"] > 0.0
    rem.advance(0.002 + 5445 * 0.002)
    assert rem["price"] == 0.0


@pytest.mark.parametrize(("queue", "m"), [(20, 0.8646647168), (40, 0.9816843611)])
def test_the_price_may_be_the_average_queue(queue: int, m: float) -> None:
    """The form of 1999: m = 1 - exp(-0.1 q). Kilobytes wait, the mean packet has one."""
    table = {"price": "average", "w_q": 1.0, "target": "20 kB"}
    rem = holding({"rem": table}, 1000 * queue)
    rem.offer(0.0, 1)
    assert rem["price"] == pytest.approx(0.1 * queue, abs=1e-12)
    assert rem["probability"] == pytest.approx(m, abs=5e-11)
    fresh = (holding({"rem": table}, 1000 * queue, seed=seed) for seed in range(400))
    assert likely(sum(signals(rem.offer(0.0, 1) for rem in fresh)), 400, m)


class SideBySide:
    """REM by equation (3) and PI with these gains, with the same arrivals and the same link."""

    def __init__(self, a: float, b: float, gamma: float, alpha: float) -> None:
        rem = {"price": "queue", "gamma": gamma, "alpha": alpha, "ecn": True}
        pi = {"a": a, "b": b, "q_ref": "20 packets", "interval": "2 ms", "ecn": True}
        self.rem, self.pi = (
            weir.Queue(aqm, rate=RATE, buffer="120 packets") for aqm in ({"rem": rem}, {"pi": pi})
        )

    def prices(self) -> list[tuple[float, float, float]]:
        """REM's price and probability and PI's probability at 2000 updates, over busy and quiet times.
        What is marked stays in the queue, so that both hold the same."""
        found: list[tuple[float, float, float]] = []
        for tick in range(2000):
            busy = tick % 400 < 200
            for queue in (self.rem, self.pi):
                now = tick * 0.002 + 0.001
                for _ in range(18 if busy else 13):
                    queue.offer(now, 1000, ecn="ect0")
                for _ in range(16):
                    queue.take(now)
                queue.advance((tick + 1) * 0.002)
            assert len(self.rem) == len(self.pi)
            found.append((self.rem["price"], self.rem["probability"], self.pi["probability"]))
        return found


@pytest.mark.parametrize(("gamma", "alpha"), [(2e-5, 0.1), (1e-4, 0.01), (2e-6, 0.9)])
def test_the_price_of_the_queue_alone_is_pi(gamma: float, alpha: float) -> None:
    """Section 4.1 of the paper of 2001: a = gamma, b = gamma (1 - alpha), q_ref = b*, on the price."""
    prices = SideBySide(gamma, gamma * (1.0 - alpha), gamma, alpha).prices()
    assert 0.001 < max(price for price, _, _ in prices) < 1.0, "PI's probability must not reach its end"
    for price, _, p in prices:
        assert price == pytest.approx(p, abs=1e-9)


def test_on_small_probabilities_rem_is_nearly_pi() -> None:
    """With the gains smaller by ln phi: 9.9950e-7 and 8.9955e-7 for the paper's parameters."""
    a, b = 9.9950e-7, 8.9955e-7
    exact = (0.001 * log(1.001), 0.001 * (1.0 - 0.1) * log(1.001))
    assert exact == pytest.approx((a, b), abs=5e-12)
    prices = SideBySide(*exact, 0.001, 0.1).prices()
    assert max(m for _, m, _ in prices) > 1e-4
    for _, m, p in prices:
        # m = 1 - e^-p falls short of p by p^2/2.
        assert -1e-12 <= p - m <= p * p / 2.0 + 1e-12


def test_an_interval_twice_as_long_needs_twice_the_alpha() -> None:
    """The mismatch of rates is in packets per interval, that of the queue is not."""
    short, long = Ticks({"rem": {}}), Ticks({"rem": {"interval": "4 ms", "alpha": 0.2}}, interval=0.004)
    for arrivals, backlog in ((60, 30), (24, 40), (20, 25), (24, 15)):
        # The same backlog at the end of both halves.
        short.tick(arrivals // 2, backlog)
        price = short.tick(arrivals // 2, backlog)
        assert price > 0.0
        assert long.tick(arrivals, backlog) == pytest.approx(price, abs=1e-15)


def test_marks_at_departure_spare_what_cannot_be_marked() -> None:
    """ns-2's code; the price is 1000, m = 0.632."""
    table = {"gamma": 250.0, "ecn": True, "mark_at": "departure"}
    rem = Ticks({"rem": table}, buffer="5000 packets")
    rem.tick(20, 20)
    drain(rem.queue, 20, 0.003)
    for flow, ecn in enumerate(("not-ect", "ect0") * 2000):
        assert rem.queue.offer(0.003, 1000, flow % 2, ecn).verdict == "accepted"
    taken = [rem.queue.take(0.003) for _ in range(4000)]
    marked = [packet.flow for packet in taken if packet is not None and packet.marked]
    assert set(marked) == {1}
    assert likely(len(marked), 2000, 0.6319366957)


def test_a_new_rate_is_a_new_capacity() -> None:
    """It is c = 8 from then on: ten arrivals at b* are two too many."""
    rem = Ticks({"rem": {}})
    assert rem.tick(18, 18) == pytest.approx(0.0018, abs=1e-15)
    rem.queue.set_rate(0.002, "32 Mbit/s")
    assert rem.tick(10, 20) == pytest.approx(0.0038, abs=1e-15)
