"""Blue (Feng, Shin, Kandlur and Saha, 2002) and Stochastic Fair Blue (the same, 2001; Linux)."""

from __future__ import annotations

from typing import Any

import pytest
from hands import fill, likely

import weir
from weir.queue import Offered
from weir.scenario._toml import Value


def test_losses_raise_and_idle_lines_lower_it() -> None:
    """Overflows at 200, 250 and 350 ms, idle at 400 and 500. A change freezes it for 100 ms, and the
    next has to be later than that."""
    queue = weir.Queue("blue", rate="8 Mbit/s", buffer="1 packet")
    fill(queue, 1)
    found: list[float] = []
    for now in (0.20, 0.25, 0.35):
        assert queue.offer(now, 1000) == Offered("dropped", "overflow")
        found.append(queue["probability"])
    assert queue.take(0.36) is not None
    assert queue.take(0.40) is None
    found.append(queue["probability"])
    assert queue.offer(0.45, 1000).verdict == "accepted"
    assert queue.take(0.46) is not None
    assert queue.take(0.50) is None
    found.append(queue["probability"])
    assert found == pytest.approx([0.020, 0.020, 0.040, 0.040, 0.038], abs=1e-15)


def test_a_change_freezes_it_for_a_hundred_milliseconds_and_no_more() -> None:
    queue = weir.Queue("blue", rate="8 Mbit/s", buffer="1 packet")
    fill(queue, 1)
    found: list[float] = []
    for now in (0.1, 0.2, 0.3, 0.300001):
        queue.offer(now, 1000)
        found.append(queue["probability"])
    # At time 0 it is taken to have changed.
    assert found == [0.0, 0.02, 0.02, 0.04]


def test_a_long_queue_counts_as_a_loss_if_it_is_asked_to() -> None:
    queue = weir.Queue({"blue": {"level": "2 packets"}}, rate="8 Mbit/s", buffer="10 packets")
    fill(queue, 3)
    queue.offer(0.2, 1000)
    assert queue["probability"] == pytest.approx(0.02, abs=1e-15)


def test_blue_s_own_drops_are_no_losses() -> None:
    queue = weir.Queue({"blue": {"d1": 1.0}}, rate="8 Mbit/s", buffer="1 packet")
    fill(queue, 1)
    queue.offer(0.2, 1000)
    queue.take(0.2)
    assert queue.offer(0.4, 1000) == Offered("dropped", "early")
    assert queue["probability"] == 1.0


BINS: dict[str, Any] = {"levels": 2, "max": 100_000, "ecn": True}
"""Two levels of bins with all the room that a test needs; marks stay."""


def sfb(**table: Value) -> weir.Queue:
    return weir.Queue({"sfb": {**BINS, **table}}, rate="8 Mbit/s", buffer="5000 packets", seed=1)


def share(*flows: int) -> bool:
    """Returns true if at least two of these flows share a bin."""
    queue = sfb()
    for flow in flows:
        queue.offer(0.0, 1000, flow)
    return queue["fullest"] > 1


def neighbours() -> tuple[int, int]:
    """Two flows that share a bin with flow 0, but none with each other: one in each level."""
    near = [flow for flow in range(1, 200) if share(0, flow)]
    return next((one, other) for one in near for other in near if not share(one, other))


def enter(queue: weir.Queue, flow: int, packets: int) -> None:
    for _ in range(packets):
        assert queue.offer(0.0, 1000, flow, "ect0").verdict != "dropped"


def leave(queue: weir.Queue, packets: int) -> None:
    for _ in range(packets):
        assert queue.take(0.0) is not None


def test_the_least_of_both_levels_counts() -> None:
    """Bins at 0.3 and 0.1, with less than bin_size in each but not nothing: 0.1."""
    queue, (one, other) = sfb(), neighbours()
    # Twenty enter without a change; every arrival that finds them adds 0.001.
    enter(queue, other, 20 + 90)
    enter(queue, one, 20 + 300)
    enter(queue, other, 10)
    # Ten of each are left.
    leave(queue, 110 + 310)
    queue.offer(0.0, 1000, 0, "ect0")
    assert queue["fullest"] == 11
    assert queue["highest"] == pytest.approx(0.3, abs=1e-12)
    assert queue["probability"] == pytest.approx(0.1, abs=1e-12)


def test_a_full_bin_goes_up_and_an_empty_one_down() -> None:
    """Twenty in the one and none in the other, d1 = 0.001 and d2 = 1/6000: (0.301, 0.0998333)."""
    queue, (one, other) = sfb(), neighbours()
    enter(queue, other, 20 + 100)
    enter(queue, one, 20 + 300)
    leave(queue, 120 + 300)
    assert queue["fullest"] == 20
    queue.offer(0.0, 1000, 0, "ect0")
    assert queue["highest"] == pytest.approx(0.301, abs=1e-12)
    assert queue["probability"] == pytest.approx(0.0998333, abs=5e-8)


def test_from_max_packets_on_a_flow_is_dropped() -> None:
    """25 in the emptiest of its bins."""
    queue = weir.Queue("sfb", rate="8 Mbit/s", buffer="100 packets")
    offered = [queue.offer(0.0, 1000) for _ in range(40)]
    accepted = [one.verdict for one in offered].count("accepted")
    assert accepted == len(queue) == 25
    assert offered[-1] == Offered("dropped", "forced")


def unresponsive(**table: Value) -> weir.Queue:
    """Flow 0 has driven all its bins to 1; nothing waits."""
    queue = sfb(d1=1.0, d2=0.0, bin_size=1, **table)
    queue.offer(0.0, 1000)
    queue.offer(0.0, 1000)
    while queue.take(0.0) is not None:
        pass
    assert queue["highest"] == 1.0
    return queue


def test_the_penalty_box_lets_ten_pass_in_a_second() -> None:
    """Twenty packets pass at once as well (Linux)."""
    queue = unresponsive()
    passed = [queue.offer(1.0, 1000).verdict for _ in range(100)].count("accepted")
    # One has passed before, but the box has filled up since.
    assert passed == 20
    times = [now / 1000 for now in range(1001, 2001) if queue.offer(now / 1000, 1000).verdict == "accepted"]
    assert times == pytest.approx([1.1, 1.2, 1.3, 1.4, 1.5, 1.6, 1.7, 1.8, 1.9, 2.0])


@pytest.mark.parametrize(
    ("steps", "marks", "drops"), [(1, 0.25, 0.0), (2, 0.5, 0.0), (3, 0.25, 0.5)], ids=["1/4", "1/2", "3/4"]
)
def test_high_probabilities_drop_where_low_ones_mark(steps: int, marks: float, drops: float) -> None:
    """Above one half, signals drawn below 2 (p_min - 1/2) are drops (Linux)."""
    queue = sfb(d1=0.25, d2=0.0, bin_size=1)
    queue.offer(0.0, 1000)
    for _ in range(steps):
        queue.offer(0.0, 1000)
    while queue.take(0.0) is not None:
        pass
    verdicts: list[str] = []
    for _ in range(20_000):
        verdicts.append(queue.offer(0.0, 1000, ecn="ect0").verdict)
        queue.take(0.0)
    assert queue["probability"] == 0.25 * steps
    assert likely(verdicts.count("marked"), 20_000, marks)
    assert likely(verdicts.count("dropped"), 20_000, drops)


def test_another_hash_every_ten_minutes() -> None:
    """Warmed up for the last of them: flows in the penalty box are there from the first moment."""
    queue = unresponsive()
    queue.offer(599.0, 1000)
    queue.take(599.0)
    assert queue["highest"] == 1.0
    queue.offer(601.0, 1000)
    assert queue["probability"] == 1.0
    queue.take(601.0)
    # Nobody has been seen during this warm-up.
    queue.offer(1300.0, 1000)
    assert queue["highest"] == 0.0
