"""COBALT, CoDel and Blue alternate: the AQM of CAKE (Linux, ns-3)."""

from __future__ import annotations

import pytest
from hands import everything, fill

import weir
from weir.queue import Dropped, Ecn, Offered


def test_blue_counts_overflows_and_silences() -> None:
    """Overflows at 10, 12 and 20 ms, an empty queue at 30 and 40. The steps are 1/256 and 1/4096, more than
    a target of 5 ms apart."""
    queue = weir.Queue("cobalt", rate="8 Mbit/s", buffer="1 packet")
    fill(queue, 1)
    found: list[float] = []
    for now in (0.010, 0.012, 0.020):
        assert queue.offer(now, 1000) == Offered("dropped", "overflow")
        found.append(queue["p_drop"])
    # What waits has waited too long: it is dropped, and the queue is empty.
    for now in (0.030, 0.040):
        assert queue.take(now) is None
        found.append(queue["p_drop"])
    expected = [0.00390625, 0.00390625, 0.0078125, 0.007568359, 0.007324219]
    assert found == pytest.approx(expected, abs=5e-10)


def test_a_call_after_a_long_silence_drops_four() -> None:
    """Twenty packets that cannot be marked come at 0; asked at 10 and 210 ms, 19 and then 14 are left."""
    queue = weir.Queue("cobalt", rate="8 Mbit/s", buffer="500 packets")
    fill(queue, 20)
    assert queue.take(0.010) is not None
    assert len(queue) == 19
    assert queue.take(0.210) is not None
    assert queue.dropped == [Dropped(0, "early")] * 4
    assert len(queue) == 14


@pytest.mark.parametrize("ecn", ["not-ect", "ect0"])
def test_the_pace_is_that_of_codel_once_it_signals(ecn: Ecn) -> None:
    """Signals are interval / sqrt(count) apart, with 1 for a count of 0 or 1. The count goes down again at
    the same pace when packets are in time."""
    queue = weir.Queue({"cobalt": {"ecn": True}}, rate="8 Mbit/s", buffer="9000 packets")
    fill(queue, 3000, ecn=ecn)
    queue.take(0.010)
    queue.take(0.011)
    gaps: list[float] = []
    before = 0.0
    for _ in range(5):
        before = queue["drop_next"]
        # Late by a little, which the next one is not told.
        taken = queue.take(before + 1e-6)
        assert taken is not None
        assert len(queue.dropped) + taken.marked == 1
        gaps.append(queue["drop_next"] - before)
    count = queue["count"]
    assert gaps == pytest.approx([0.1 / n**0.5 for n in range(int(count) - 4, int(count) + 1)], abs=1e-8)
    assert list(everything(queue, before + 1e-6))
    assert queue["dropping"] == 0.0
    due = queue["drop_next"]
    fill(queue, 2, due)
    queue.take(due)
    assert queue["count"] == count - 1


def test_marks_for_codel_and_drops_for_blue() -> None:
    """Whoever does not answer to drops does not answer to marks."""
    queue = weir.Queue({"cobalt": {"ecn": True, "increment": 1.0}}, rate="8 Mbit/s", buffer="20 packets")
    fill(queue, 20, ecn="ect0")
    queue.take(0.010)
    taken = queue.take(0.210)
    assert taken is not None
    assert taken.marked
    assert queue.dropped == []
    fill(queue, 2, 0.210, ecn="ect0")
    assert queue.offer(0.211, 1000, ecn="ect0") == Offered("dropped", "overflow")
    assert queue["p_drop"] == 1.0
    assert queue.take(0.212) is None
    assert len(queue.dropped) == 20


def test_a_long_wait_is_an_overflow_for_blue_if_asked() -> None:
    """ns-3: 400 ms."""
    queue = weir.Queue({"cobalt": {"blue_threshold": "400 ms"}}, rate="8 Mbit/s", buffer="20 packets")
    fill(queue, 3)
    queue.take(0.400)
    assert queue["p_drop"] == 0.0
    queue.take(0.4001)
    assert queue["p_drop"] == 1 / 256
