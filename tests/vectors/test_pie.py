"""PIE: RFC 8033; FQ-PIE, which is PIE in each queue of RFC 8290; PI2, whose output is squared."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hands import Aqm, arrive, fill, likely, signals

import weir
from weir.scenario._toml import Value

ALPHA, BETA, TARGET = 0.125, 1.25, 0.015


class Delays:
    """PIE with the delay that a test wants at each update.

    The equations do not know how long an interval is, only the burst allowance does: with one second,
    what gives a delay of up to 300 ms comes and goes between two updates.
    """

    def __init__(self, name: str = "pie", /, **table: Value) -> None:
        aqm: Aqm = {name: {"interval": "1 s", **table}}
        self.queue = weir.Queue(aqm, rate="8 Mbit/s", buffer="90 packets")
        self.now = 0.0
        """Time of the last update."""

    def update(self, delay: float) -> float:
        """The probability after an update at which the last packet has waited for `delay`."""
        self.now += 1.0
        leaves = self.now - 1e-6
        if delay:
            while len(self.queue):
                self.queue.take(leaves - delay)
            for _ in range(2):
                # One leaves, and one has to stay behind it.
                self.queue.offer(leaves - delay, 1000, ecn="ect0")
            taken = self.queue.take(leaves)
            assert taken is not None
            assert taken.sojourn == pytest.approx(delay, abs=1.5e-9)
        else:
            while self.queue.take(leaves) is not None:
                pass
        self.queue.advance(self.now)
        return self.queue["probability"]

    def steer(self, p: float, old: float, scale: float) -> None:
        """Two updates that lead to this probability and delay, if steps are divided by `scale`."""
        now, before = self.queue["probability"], self.queue["qdelay_old"]
        on_the_way = (
            (p - now) * scale + ALPHA * TARGET - ALPHA * (old - TARGET) + BETA * (before - old)
        ) / ALPHA
        assert 0.0 < on_the_way < 0.25
        self.update(on_the_way)
        assert self.update(old) == pytest.approx(p, abs=2e-9)


def test_small_probabilities_take_small_steps() -> None:
    """From p = 0 and an old delay of 15 ms: 30, 45, 30, 15, 10 ms."""
    pie = Delays()
    pie.update(0.030)
    # A small probability falls in larger steps than it rises.
    assert pie.update(0.015) == 0.0
    found = [pie.update(delay) for delay in (0.030, 0.045, 0.030, 0.015, 0.010)]
    assert found == pytest.approx([1.0070801e-5, 1.8585205e-4, 0.0, 0.0, 0.0], abs=5e-12)


def test_they_do_so_with_the_interval_of_the_rfc() -> None:
    """Runs the steps of the RFC every 15 ms: packets wait through several updates."""
    queue = weir.Queue("pie", rate="8 Mbit/s", buffer="90 packets")
    delays = (0.030, 0.015, 0.030, 0.045, 0.030, 0.015, 0.010)
    events: list[tuple[float, bool, int]] = []
    for flow, delay in enumerate(delays, 1):
        leaves = 0.015 * (flow + 3) - 1e-6
        events += [(round(leaves - delay, 9), False, flow), (round(leaves, 9), True, flow)]
    # Behind each comes one that is left behind, and taken before the next.
    found: list[float] = []
    for at, leaving, flow in sorted(events):
        if not leaving:
            for number in (flow, 0):
                assert queue.offer(at, 1000, number).verdict == "accepted"
            continue
        while (taken := queue.take(at)) is not None and taken.flow != flow:
            pass
        # The last update has been that for the packet before this one.
        found.append(queue["probability"])
    queue.advance(0.150)
    found.append(queue["probability"])
    assert found[2:] == pytest.approx([0.0, 1.0070801e-5, 1.8585205e-4, 0.0, 0.0, 0.0], abs=5e-12)


SCALE = ((1e-6, 2048), (1e-5, 512), (1e-4, 128), (1e-3, 32), (1e-2, 8), (0.1, 2), (1.0, 1))
"""Section 4.2: steps of a probability below the first are divided by the second."""


def test_every_size_of_probability_has_its_scale() -> None:
    """One millisecond above the target for 2500 updates: alpha 0.001 over the scale of p as it was."""
    pie = Delays()
    pie.update(0.030)
    before = pie.update(0.016)
    assert before == 0.0
    seen: set[int] = set()
    for _ in range(2500):
        scale = next(divisor for below, divisor in SCALE if before < below)
        after = pie.update(0.016)
        assert after - before == pytest.approx(ALPHA * 0.001 / scale, abs=1e-14), before
        seen.add(scale)
        before = after
    assert seen == {divisor for _, divisor in SCALE}


def at(p: float, old: float, scale: float, **table: Value) -> Delays:
    """PIE at this probability, after this delay. It gets there with 40 ms, on which it falls again."""
    pie = Delays(**table)
    while pie.queue["probability"] < p + 0.020:
        pie.update(0.04)
    pie.steer(p, old, scale)
    return pie


@pytest.mark.parametrize(("now", "expected"), [(0.03, 0.164375), (0.1, 0.17)])
def test_steps_of_a_large_probability_are_limited(now: float, expected: float) -> None:
    """From 0.15 with an old delay of 20 ms: at most 0.02 at once."""
    assert at(0.15, 0.02, 1.0).update(now) == pytest.approx(expected, abs=1e-8)


@pytest.mark.parametrize(("step", "expected"), [(0.02, 0.19), (0.0, 0.17)], ids=["linux", "ns-3"])
def test_beyond_a_quarter_of_a_second_it_rises_faster(step: float, expected: float) -> None:
    """From 0.15 with an old delay of 290 ms: 0.02, and 0.02 more (Linux; ns-3 has no such step)."""
    pie = at(0.13 - step, 0.02, 1.0, high_delay_step=step > 0.0)
    assert pie.update(0.29) == pytest.approx(0.15, abs=1e-8)
    assert pie.update(0.3) == pytest.approx(expected, abs=1e-8)


def test_silence_lets_it_fall_faster() -> None:
    """From 0.01 with no delay before nor now: -0.001875 / 2, and then 2% less."""
    # A hair more, since below 0.01 another scale begins.
    pie = at(0.010000003, 0.0, 2.0)
    assert pie.update(0.0) == pytest.approx(0.00888125, abs=1e-8)


def test_a_burst_of_150_ms_passes() -> None:
    """Ten updates of 15 ms, in which nothing is signalled though the probability rises."""
    queue = weir.Queue({"pie": {"derandomise": False}}, rate="8 Mbit/s", buffer="2000 packets")
    allowances: list[float] = []
    signalled: list[int] = []
    for update in range(1, 21):
        queue.advance(0.015 * update - 0.001)
        hits = sum(signals(queue.offer(0.015 * update - 0.001, 1000) for _ in range(50)))
        signalled.append(hits)
        queue.take(0.015 * update - 0.001)
        queue.advance(0.015 * update)
        allowances.append(queue["burst_allowance"])
    # The first update finds a packet that has not waited at all.
    assert allowances == pytest.approx([0.15] + [max(0.0, 0.15 - 0.015 * n) for n in range(1, 20)], abs=1e-9)
    assert sum(signalled[:11]) == 0
    assert queue["probability"] > 0.1
    assert sum(signalled[11:]) > 0


def test_an_idle_line_gets_its_allowance_back() -> None:
    pie = Delays()
    pie.update(0.030)
    assert pie.queue["burst_allowance"] == 0.0
    while pie.update(0.0):
        pass
    pie.update(0.0)
    assert pie.queue["burst_allowance"] == pytest.approx(0.150)


def gaps(pie: Delays, packets: int) -> list[int]:
    """Packets from one signal to the next while the probability stands still."""
    # More than two packets have to wait.
    fill(pie.queue, 3, pie.now, size=1000)
    hits = [n for n in range(packets) if arrive(pie.queue, 1000, pie.now).verdict != "accepted"]
    return [after - before for before, after in pairwise(hits)]


def test_signals_come_neither_too_soon_nor_too_late() -> None:
    """Not before p sums up to 0.85, and for certain at 8.5: 6 to 57 packets at p = 0.15."""
    found = gaps(at(0.15, 0.02, 1.0), 300_000)
    assert (min(found), max(found)) == (6, 57)
    without = gaps(at(0.15, 0.02, 1.0, derandomise=False), 20_000)
    assert min(without) == 1
    assert likely(len(without) + 1, 20_000, 0.15)


def test_in_byte_mode_half_a_packet_has_half_the_probability() -> None:
    pie = at(0.15, 0.02, 1.0, derandomise=False, byte_mode=True)
    pie.queue.take(pie.now)
    fill(pie.queue, 8, pie.now, size=512)
    hits = sum(signals(arrive(pie.queue, 512, pie.now) for _ in range(10_000)))
    assert likely(hits, 10_000, 0.15 * 512 / 1024)


def test_up_to_two_packets_and_half_the_target_nothing_is_signalled() -> None:
    short = at(0.15, 0.02, 1.0, derandomise=False)
    assert len(short.queue) == 1
    assert {arrive(short.queue, 1000, short.now).verdict for _ in range(200)} == {"accepted"}
    for old, verdicts in ((0.0074, {"accepted"}), (0.0076, {"accepted", "dropped"})):
        calm = at(0.15, 0.02, 1.0, derandomise=False)
        calm.update(old)
        assert 0.1 < calm.queue["probability"] < 0.2
        fill(calm.queue, 3, calm.now)
        assert {arrive(calm.queue, 1000, calm.now).verdict for _ in range(200)} == verdicts


@pytest.mark.parametrize(("p", "scale", "kinds"), [(0.08, 2.0, {"marked"}), (0.15, 1.0, {"dropped"})])
def test_marks_up_to_a_tenth_and_drops_from_there_on(p: float, scale: float, kinds: set[str]) -> None:
    pie = Delays(ecn=True, derandomise=False)
    while pie.queue["probability"] < p:
        pie.update(0.04)
    fill(pie.queue, 3, pie.now)
    verdicts = {arrive(pie.queue, 1000, pie.now, "ect0").verdict for _ in range(500)}
    assert verdicts == {"accepted"} | kinds
    assert scale == next(divisor for below, divisor in SCALE if pie.queue["probability"] < below)


def test_the_delay_may_come_from_the_rate_of_departure() -> None:
    """Measured over 16 KiB that leave a backlog of 16 KiB; the first as it is, then with weight 1/4."""
    aqm = {"pie": {"delay_from": "departure-rate", "interval": "100 ms"}}
    queue = weir.Queue(aqm, rate="8 Mbit/s", buffer="500 packets")
    fill(queue, 120)
    queue.take(0.0)
    for n in range(1, 18):
        assert queue["avg_dq_rate"] == 0.0
        queue.take(n * 0.001)
    assert queue["avg_dq_rate"] == pytest.approx(1e6)
    for n in range(1, 18):
        queue.take(0.017 + n * 0.0005)
    assert queue["avg_dq_rate"] == pytest.approx(0.75e6 + 0.25 * 2e6)
    queue.advance(0.100)
    assert queue["qdelay_old"] == pytest.approx(85_000 / 1.25e6)


def test_fq_pie_is_pie_in_each_queue() -> None:
    fair = Delays("fq-pie", flow_hashing="modulo")
    fair.update(0.030)
    assert fair.update(0.015) == 0.0
    found = [fair.update(delay) for delay in (0.030, 0.045, 0.030, 0.015, 0.010)]
    assert found == pytest.approx([1.0070801e-5, 1.8585205e-4, 0.0, 0.0, 0.0], abs=5e-12)
    # A flow that has just come has a probability of its own: the mean is half.
    fair.update(0.045)
    alone = fair.queue["probability"]
    assert alone > 1e-5
    fair.queue.offer(fair.now, 1000, 1)
    assert fair.queue["probability"] == pytest.approx(alone / 2)


def test_pi2_squares_what_it_integrates() -> None:
    """Delays of 16, 31, 31 and 10 ms, with the gains of DualPI2."""
    pi2 = Delays("pi2")
    found = [(pi2.update(delay), pi2.queue["p'"]) for delay in (0.016, 0.031, 0.031, 0.010)]
    expected = [(0.0026378, 0.05136), (0.0103877, 0.10192), (0.0109161, 0.10448), (0.0013308, 0.03648)]
    for values, wanted in zip(found, expected, strict=True):
        assert values == pytest.approx(wanted, abs=5e-8)
