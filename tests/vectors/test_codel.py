"""CoDel: RFC 8289; the 16-bit arithmetic of Linux and ns-3."""

from __future__ import annotations

import pytest
from hands import drain, fill

import weir
from weir.scenario._toml import Value


def overloaded(**table: Value) -> weir.Queue:
    """Packets that arrived at 0, more than the link will ever send."""
    queue = weir.Queue({"codel": table}, rate="8 Mbit/s", buffer="5000 packets")
    fill(queue, 3000, ecn="ect0")
    return queue


def dropped_at(queue: weir.Queue, now: float) -> bool:
    """A packet leaves; whether another was dropped on the way, or it was marked."""
    taken = queue.take(now)
    assert taken is not None
    return bool(queue.dropped) or taken.marked


def signals_after_the_first(queue: weir.Queue, number: int) -> list[float]:
    """Milliseconds from the first signal to the next ones."""
    assert not dropped_at(queue, 0.004999)
    # From here on the sojourn is at target, and in an interval it will be too long.
    assert not dropped_at(queue, 0.005)
    assert queue["first_above_time"] == pytest.approx(0.105, abs=1e-9)
    assert not dropped_at(queue, 0.104999)
    start = 0.105
    assert dropped_at(queue, start)
    assert queue["dropping"] == 1.0
    found: list[float] = []
    for count in range(2, number + 2):
        due = queue["drop_next"]
        assert not dropped_at(queue, due - 1e-6)
        assert dropped_at(queue, due)
        assert queue["count"] == count
        found.append(1000.0 * (due - start))
    return found


CONTROL_LAW = {
    "exact": ([100.000, 170.711, 228.446, 278.446, 323.167], 5e-4),
    "newton16": ([99.998, 150.00, 206.25, 255.03, 299.18], 6e-3),
}


@pytest.mark.parametrize("invsqrt", CONTROL_LAW)
@pytest.mark.parametrize("table", [{"ecn": False}, {"ecn": True}], ids=["drops", "marks"])
def test_signals_come_ever_faster(invsqrt: str, table: dict[str, Value]) -> None:
    """By interval / sqrt(count); from one step of Newton's iteration the second interval is 50 ms instead of
    70.7."""
    published, digits = CONTROL_LAW[invsqrt]
    found = signals_after_the_first(overloaded(invsqrt=invsqrt, **table), 5)
    assert found == pytest.approx(published, abs=digits)


def test_one_call_makes_up_for_what_is_due() -> None:
    """Entered at 105 ms and asked again 325 ms later: five are due."""
    queue = overloaded()
    for now in (0.005, 0.105):
        queue.take(now)
    queue.take(0.105 + 0.325)
    assert len(queue.dropped) == 5


def test_a_packet_in_time_ends_it() -> None:
    queue = weir.Queue("codel", rate="8 Mbit/s", buffer="500 packets")
    fill(queue, 60)
    for now in (0.005, 0.105):
        queue.take(now)
    drain(queue, len(queue) - 30, 0.106)
    assert queue["dropping"] == 1.0
    fill(queue, 40, 0.107)
    drain(queue, 35, 0.108)
    assert queue["dropping"] == 0.0
    assert queue["first_above_time"] == 0.0


def test_one_packet_behind_it_is_never_too_long() -> None:
    """A backlog of at most an MTU: what remains after the candidate has been taken out."""
    queue = weir.Queue("codel", rate="8 Mbit/s", buffer="500 packets")
    fill(queue, 1, size=1000)
    fill(queue, 1, size=1514)
    queue.take(1.0)
    assert queue["first_above_time"] == 0.0
    queue = weir.Queue("codel", rate="8 Mbit/s", buffer="500 packets")
    fill(queue, 1, size=1000)
    fill(queue, 1, size=1515)
    queue.take(1.0)
    assert queue["first_above_time"] == pytest.approx(1.1)


def test_it_goes_on_where_it_ended_if_that_was_not_long_ago() -> None:
    """With the count - lastcount signals of the last time, within 16 intervals."""

    def count_at_second_entry(pause: float) -> float:
        queue = overloaded()
        signals_after_the_first(queue, 4)
        assert queue["count"] == 5
        end = queue["drop_next"]
        drain(queue, len(queue), end - 0.001)
        assert queue.take(end - 0.001) is None
        assert queue["dropping"] == 0.0
        again = end + pause
        fill(queue, 50, again)
        assert not dropped_at(queue, again + 0.005)
        assert dropped_at(queue, again + 0.105)
        return queue["count"]

    assert count_at_second_entry(0.1) == 4
    # The second entry is 105 ms after the packets that cause it.
    assert count_at_second_entry(1.6 - 0.105 - 0.001) == 4
    assert count_at_second_entry(1.6 - 0.105) == 1


def test_marks_beyond_a_threshold_of_delay() -> None:
    """Linux's ce_threshold, whatever `ecn` says."""
    queue = overloaded(ce_threshold="2 ms")
    assert not dropped_at(queue, 0.002)
    assert dropped_at(queue, 0.0021)
