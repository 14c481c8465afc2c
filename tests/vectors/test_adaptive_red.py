"""Self-configuring RED (Feng and others, 1999) and Adaptive RED (Floyd, Gummadi and Shenker, 2001)."""

from __future__ import annotations

import pytest
from hands import holding

import weir
from weir.scenario._toml import Value

BAND = {"min_th": "5 B", "max_th": "15 B", "max_p": 0.1, "w_q": 1.0}
"""Packets of the papers as bytes, and an average that is the queue."""


def test_every_crossing_scales_max_p_once() -> None:
    """The queue goes 3, 7, 16, 17, 10, 16 as it is found; all packets enter, marked or not."""
    table = {**BAND, "ecn": True, "harddrop": False}
    queue = weir.Queue({"feng-red": table}, rate="8 Mbit/s", buffer="50 B")
    # The first arrival at the empty queue is a crossing by itself.
    queue.offer(0.0, 3, ecn="ect0")
    found: list[float] = []
    for average, size, leave in ((3, 4, 0), (7, 9, 0), (16, 1, 0), (17, 9, 3), (10, 6, 0), (16, 1, 0)):
        assert queue.bytes == average
        assert queue.offer(0.0, size, ecn="ect0").verdict != "dropped"
        assert queue["average"] == average
        found.append(queue["max_p"])
        for _ in range(leave):
            queue.take(0.0)
    assert found == pytest.approx([0.03333, 0.03333, 0.06667, 0.06667, 0.06667, 0.13333], abs=5e-6)


def test_an_average_at_a_threshold_is_no_crossing() -> None:
    queue = weir.Queue({"feng-red": {**BAND, "ecn": True, "harddrop": False}}, rate="8 Mbit/s", buffer="50 B")
    queue.offer(0.0, 5)
    before = queue["max_p"]
    for average, size in ((5, 10), (15, 5)):
        assert queue.bytes == average
        queue.offer(0.0, size, ecn="ect0")
        assert queue["max_p"] == before


def test_feng_s_max_p_has_bounds_of_ours() -> None:
    """1e-4 and 1; the paper has none."""
    for max_p, averages, bound in ((2e-4, (10, 3), 1e-4), (0.9, (10, 16), 1.0)):
        table: dict[str, Value] = {**BAND, "ecn": True, "harddrop": False, "max_p": max_p}
        # The first arrival is a crossing, so it comes from there.
        queue = weir.Queue(
            {"feng-red": {**table, "alpha": 1.0 if bound == 1.0 else 3.0}}, rate="8 Mbit/s", buffer="50 B"
        )
        for average in averages:
            while queue.take(0.0) is not None:
                pass
            queue.offer(0.0, average, ecn="ect0")
            queue.offer(0.0, 1, ecn="ect0")
        assert queue["max_p"] == bound


def test_the_gentle_ramp_starts_at_max_p_as_it_is() -> None:
    """At 20 of 15 to 30, from 0.11 to 1; ns-2's goes on from the max_p of the beginning."""
    queue = holding({"adaptive-red": BAND}, 20)
    queue.offer(0.501, 1)
    assert queue["max_p"] == pytest.approx(0.11, abs=1e-15)
    assert queue["probability"] == pytest.approx(0.11 + 0.89 / 3, abs=1e-15)


def after_a_test(average: int, **table: Value) -> float:
    """max_p after the first test finds this average."""
    queue = holding({"adaptive-red": {**BAND, **table}}, average)
    queue.offer(0.5, 1)
    # An interval has not passed as long as it is not over.
    assert queue["max_p"] == table.get("max_p", 0.1)
    queue = holding({"adaptive-red": {**BAND, **table}}, average)
    queue.offer(0.501, 1)
    return queue["max_p"]


@pytest.mark.parametrize(
    ("average", "max_p", "expected"),
    [(12, 0.1, 0.11), (12, 0.02, 0.025), (8, 0.1, 0.09), (9, 0.1, 0.1), (10, 0.1, 0.1), (11, 0.1, 0.1)],
)
def test_additive_increase_and_multiplicative_decrease(average: int, max_p: float, expected: float) -> None:
    """Outside 9 to 11, the middle fifth of 5 to 15."""
    assert after_a_test(average, max_p=max_p) == pytest.approx(expected, abs=1e-15)


@pytest.mark.parametrize(
    ("average", "expected"), [(899, 0.09), (900, 0.1), (901, 0.1), (1099, 0.1), (1100, 0.1), (1101, 0.11)]
)
def test_the_middle_fifth_to_the_byte(average: int, expected: float) -> None:
    """Thresholds of 500 and 1500: nothing from 900 to 1100."""
    after = after_a_test(average, min_th="500 B", max_th="1500 B")
    assert after == pytest.approx(expected, abs=1e-15)


@pytest.mark.parametrize(("average", "max_p", "bound"), [(12, 0.495, 0.5), (8, 0.0105, 0.01)])
def test_no_step_leads_beyond_a_bound(average: int, max_p: float, bound: float) -> None:
    """The paper's bounds; ns-2's last step may go beyond."""
    assert after_a_test(average, max_p=max_p) == bound


@pytest.mark.parametrize(
    ("rate", "w_q", "min_th", "max_th"),
    [
        ("10 Mbit/s", 7.996801e-4, 5.0, 15.0),
        ("64 Mbit/s", 1.249922e-4, 20.0, 60.0),
        ("45 Mbit/s", 1.777620e-4, 14.0625, 42.1875),
    ],
)
def test_what_follows_from_the_link(rate: str, w_q: float, min_th: float, max_th: float) -> None:
    """1250, 8000 and 5625 packets a second; a target of 5 ms."""
    queue = weir.Queue("adaptive-red", rate=rate, buffer="500 packets")
    assert queue["w_q"] == pytest.approx(w_q, rel=5e-7)
    assert (queue["min_th"], queue["max_th"]) == pytest.approx((min_th, max_th), abs=1e-12)
    # The weight is the one that counts: of a sample of 1.
    queue.offer(0.0, 1000)
    queue.offer(0.0, 1000)
    assert queue["average"] == pytest.approx(w_q, rel=5e-7)


def test_a_new_rate_is_a_new_configuration() -> None:
    queue = weir.Queue("adaptive-red", rate="10 Mbit/s", buffer="500 packets")
    queue.set_rate(1.0, "45 Mbit/s")
    assert (queue["min_th"], queue["max_th"]) == pytest.approx((14.0625, 42.1875), abs=1e-12)
    assert queue["w_q"] == pytest.approx(1.777620e-4, rel=5e-7)
