"""RED: Floyd and Jacobson, 1993; gentle RED (Floyd, 2000); NLRED (Zhou, Yeung and Li, 2006)."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from hands import arrive, holding, likely, signals

import weir

NEVER = {"min_th": "400 kB", "max_th": "450 kB"}
"""Thresholds out of reach."""

BAND = {"min_th": "5 B", "max_th": "15 B", "max_p": 0.1, "w_q": 1.0}
"""The thresholds of 1997, in bytes, and an average that is the queue: arrivals that find 10 bytes have
p_b = 0.05."""


def averages(queue: weir.Queue, arrivals: int, now: float = 0.0) -> list[float]:
    """The average after each arrival of 1000 bytes."""
    found: list[float] = []
    for _ in range(arrivals):
        queue.offer(now, 1000)
        found.append(queue["average"])
    return found


def test_the_average_of_zero_to_four_packets() -> None:
    table = {"min_th": "100 packets", "max_th": "200 packets"}
    queue = weir.Queue({"red": table}, rate="8 Mbit/s", buffer="50 packets")
    assert averages(queue, 5)[-1] == pytest.approx(0.019960039984, abs=1e-14)


def test_the_average_after_a_thousand_that_found_twenty() -> None:
    """A full buffer is found as it is by each of them."""
    queue = weir.Queue({"red": NEVER}, rate="8 Mbit/s", buffer="20 B")
    queue.offer(0.0, 20)
    assert averages(queue, 1000)[-1] == pytest.approx(17.298709551, abs=5e-10)


@pytest.mark.parametrize(("steps", "average"), [("real", 9.047468180), ("ns2", 9.029373244)])
def test_fifty_packets_of_silence(steps: str, average: float) -> None:
    """The paper's m, and ns-2's m + 1, after an average of 10."""
    table = {"min_th": "100 packets", "max_th": "200 packets", "idle_m": steps}
    queue = weir.Queue({"red": table}, rate="8 Mbit/s", buffer="10 packets")
    assert averages(queue, 20_000)[-1] == pytest.approx(10.0, abs=1e-11)
    for _ in range(10):
        queue.take(1.0)
    # The last packet may still be on its way: the line is idle when it asks and finds nothing.
    assert queue.take(2.0) is None
    queue.offer(2.050, 1000)
    assert queue["average"] == pytest.approx(average, abs=5e-10)


def test_a_burst_into_an_empty_queue() -> None:
    """The paper's L + 1 + ((1-w)^(L+1) - 1)/w counts each arrival in its own sample and passes 5 at
    the 72nd. With the queue before the arrival that value comes with the 73rd."""
    table = {"min_th": "100 packets", "max_th": "200 packets"}
    queue = weir.Queue({"red": table}, rate="8 Mbit/s", buffer="100 packets")
    found = averages(queue, 73)
    w, arrivals = 0.002, 72
    assert found[71] < 5.0
    assert found[72] == pytest.approx(5.0156884595, abs=1e-10)
    assert found[72] == pytest.approx(arrivals + ((1 - w) ** (arrivals + 1) - (1 - w)) / w, abs=1e-10)


def counts_at_first_signal(spacing: str, runs: int) -> Counter[int]:
    """Packets before the first one that is signalled at p_b = 0.05, in so many runs."""
    found: Counter[int] = Counter()
    for seed in range(runs):
        queue = holding({"red": {**BAND, "spacing": spacing}}, 10, seed=seed)
        assert queue["count"] == -1
        for count in range(60):
            signalled = arrive(queue, 10).verdict == "dropped"
            assert queue["probability"] == pytest.approx(0.05, abs=1e-15)
            if signalled:
                assert queue["count"] == 0
                found[count] += 1
                break
            assert queue["count"] == count
    return found


@pytest.mark.parametrize(
    ("spacing", "expected"),
    [
        ("uniform", {0: 0.05, 1: 0.0526315789, 10: 0.1, 19: 1.0}),
        ("wait", {10: 0.0, 19: 0.0, 20: 0.05, 30: 0.1, 39: 1.0}),
        ("geometric", {0: 0.05, 10: 0.05}),
    ],
)
def test_the_probability_after_so_many_without_a_signal(spacing: str, expected: dict[int, float]) -> None:
    found = counts_at_first_signal(spacing, 3000)
    for count, p in expected.items():
        # Of those that came so far, how many were signalled with this packet.
        assert likely(found[count], sum(hits for at, hits in found.items() if at >= count), p), (count, p)
    assert spacing == "geometric" or max(found) == max(expected)


@pytest.mark.parametrize("p", [0.02, 0.05, 0.1])
@pytest.mark.parametrize(
    ("spacing", "low", "high"), [("uniform", 2.0, 2.0), ("wait", 0.671, 0.690), ("geometric", 1.0, 1.0)]
)
def test_how_many_are_signalled_in_all(spacing: str, low: float, high: float, p: float) -> None:
    """Twice p_b with the paper's spacing; with ns-2's wait 2/3, or 0.671 to 0.690; any comparison with
    models of TCP has to count with it. Gaps are uniform over n = 1/p values, which is where the
    factors come from: means of n/2 and (3n-1)/2."""
    queue = holding({"red": {**BAND, "max_p": 2.0 * p, "spacing": spacing}}, 10)
    trials = 30_000
    hits = sum(signals(arrive(queue, 10) for _ in range(trials)))
    # Gaps vary no more than those of independent signals.
    factor = {"uniform": 2.0, "wait": 2.0 / (3.0 - p), "geometric": 1.0}[spacing]
    assert low <= round(factor, 3) <= high
    assert likely(hits, trials, factor * p)


@pytest.mark.parametrize(("average", "p"), [(15, 0.1), (20, 0.4), (30, 1.0)])
def test_the_gentle_ramp(average: int, p: float) -> None:
    """Floyd, 2000; ns-2 writes it v_c avg + v_d."""
    queue = holding({"red": {**BAND, "gentle": True}}, average)
    queue.offer(0.0, 1)
    assert queue["probability"] == pytest.approx(p, abs=1e-15)
    max_p, max_th = 0.1, 15
    assert min(1.0, (1 - max_p) / max_th * average + 2 * max_p - 1) == pytest.approx(p, abs=1e-15)


def test_without_the_ramp_everything_is_signalled_from_max_th_on() -> None:
    for average, verdicts in ((14, {"accepted", "dropped"}), (15, {"dropped"})):
        queue = holding({"red": BAND}, average)
        assert {arrive(queue, average).verdict for _ in range(50)} == verdicts


PROFILES = {
    7: (0.02, 0.006, 0.004),
    10: (0.05, 0.0375, 0.025),
    35 / 3: (0.066667, 0.066667, 0.044444),
    13: (0.08, 0.096, 0.064),
    15: (0.1, 0.15, 0.1),
}
"""Average: p_b of RED, of NLRED, and of NLRED with a factor of 1, over 5 to 15 with max_p = 0.1."""


@pytest.mark.parametrize("average", PROFILES)
def test_a_parabola_for_the_line(average: float) -> None:
    """Thresholds times three, so that 11 2/3 is a whole number of bytes."""
    table: dict[str, Any] = {**BAND, "min_th": "15 B", "max_th": "45 B", "gentle": True}
    aqms = ({"red": table}, {"nlred": table}, {"nlred": {**table, "nl_factor": 1.0}})
    for aqm, p in zip(aqms, PROFILES[average], strict=True):
        queue = holding(aqm, round(3 * average))
        queue.offer(0.0, 1)
        assert queue["probability"] == pytest.approx(p, abs=5e-7), aqm


def test_gentle_nlred_goes_on_from_where_it_ends() -> None:
    """From max_p' = 0.15 at 15 to 1 at 30, not from max_p, which would be a step down."""
    found: list[float] = []
    for average in (15, 20, 30):
        queue = holding({"nlred": {**BAND, "gentle": True}}, average)
        queue.offer(0.0, 1)
        found.append(queue["probability"])
    assert found == pytest.approx([0.15, 0.15 + 0.85 / 3, 1.0], abs=1e-15)


def test_size_counts_before_or_after_the_spacing() -> None:
    """The paper's p_b times size over the largest, then spaced; ns-2's p_a times size over the mean."""
    before = holding({"red": {**BAND, "byte_mode": "paper", "max_packet_size": "20 B"}}, 10)
    arrive(before, 10)
    assert before["probability"] == pytest.approx(0.025, abs=1e-15)
    after = {**BAND, "byte_mode": "ns2", "spacing": "geometric", "max_p": 0.2}
    queue = weir.Queue({"red": after}, rate="8 Mbit/s", buffer="500 kB", mean_packet="40 B")
    queue.offer(0.0, 10)
    hits = sum(signals(arrive(queue, 10) for _ in range(20_000)))
    assert likely(hits, 20_000, 0.1 * 10 / 40)


def test_marks_below_a_probability_and_drops_above() -> None:
    """ns-2's mark_p_."""
    for max_p, kinds in ((0.1, {"marked"}), (0.2, {"dropped"})):
        queue = holding({"red": {**BAND, "max_p": max_p, "ecn": True, "mark_p": 0.1}}, 10)
        verdicts = {arrive(queue, 10, ecn="ect0").verdict for _ in range(200)}
        assert verdicts == {"accepted"} | kinds


@pytest.mark.parametrize(("harddrop", "verdict"), [(True, "dropped"), (False, "marked")])
def test_beyond_the_highest_threshold(verdict: str, *, harddrop: bool) -> None:
    """RFC 3168, section 7, drops; the REM paper's wireless text marks. Either restarts the count."""
    queue = holding({"red": {**BAND, "ecn": True, "harddrop": harddrop}}, 15)
    offered = queue.offer(0.0, 1, ecn="ect0")
    assert (offered.verdict, offered.reason, queue["count"]) == (verdict, "forced", 0)


def test_habits_of_ns2() -> None:
    """No early signal with one packet waiting; the first one in the band is spared, and counted."""
    calm = holding({"red": {**BAND, "max_p": 1.0, "min_qlen": "1 packet"}}, 14)
    assert not any(signals(arrive(calm, 14) for _ in range(100)))
    for seed in range(50):
        spared = holding({"red": {**BAND, "max_p": 1.0, "ns2_old": True}}, 14, seed=seed)
        assert arrive(spared, 14).verdict == "accepted"
        assert spared["count"] == 1


@pytest.mark.parametrize("stated", [{}, {"min_qlen": "0 packets"}])
def test_a_shortest_queue_of_zero_is_no_condition(stated: dict[str, str]) -> None:
    """The average is what counts: a packet that finds nothing waiting is dropped for those before it."""
    table = {"min_th": "5 packets", "max_th": "15 packets", **stated}
    queue = weir.Queue({"red": table}, rate="8 Mbit/s", buffer="40 packets")
    assert averages(queue, 1000)[-1] > 15.0
    for _ in range(40):
        assert queue.take(1.0) is not None
    offered = queue.offer(1.0, 1000)
    assert (offered.verdict, offered.reason) == ("dropped", "forced")


def test_a_new_rate_makes_silence_count_less() -> None:
    """25 packets of half the rate fit into the time of 50."""
    queue = weir.Queue({"red": NEVER}, rate="8 Mbit/s", buffer="10 B")
    queue.offer(0.0, 10)
    averages(queue, 20_000)
    queue.take(1.0)
    queue.set_rate(1.5, "4 Mbit/s")
    assert queue.take(2.0) is None
    queue.offer(2.050, 1)
    assert queue["average"] == pytest.approx(10.0 * 0.998**25, abs=1e-9)
