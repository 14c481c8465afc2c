"""SRED (Ott, Lakshman and Wong, 1999): hits, the number of flows, and the steps of the queue."""

from __future__ import annotations

import pytest
from hands import likely

import weir

BUFFER = 60
"""Packets of 1000 bytes: thirds and sixths are whole."""


def sred(waiting: int = 0, **table: float | bool | str) -> weir.Queue:
    """A queue in which so many packets of flow 0 wait. They are hits, if its list is full."""
    queue = weir.Queue({"sred": table}, rate="8 Mbit/s", buffer=f"{BUFFER} packets", seed=1)
    while len(queue) < waiting:
        # A packet that is signalled is offered again.
        queue.offer(0.0, 1000)
    return queue


def test_one_zombie_counts_hits_by_hand() -> None:
    """P is 0, 1/2 and 3/4, and full SRED divides by its square times 256²."""
    queue = sred(zombies=1, alpha=0.5, max_p=0.15)
    found: list[float] = []
    for _ in range(3):
        queue.offer(0.0, 1000, 7)
        found.append(queue["P"])
    assert found == [0.0, 0.5, 0.75]
    assert queue["flows"] == pytest.approx(4 / 3)


@pytest.mark.parametrize(("waiting", "p"), [(9, 0.0), (10, 0.0375), (19, 0.0375), (20, 0.15)])
def test_the_probability_has_three_steps(waiting: int, p: float) -> None:
    """A list that is not full has no hits, so there is no bound on the number of flows."""
    queue = sred(waiting, zombies=65_536)
    assert len(queue) == waiting
    queue.offer(0.0, 1000, 1)
    assert queue["probability"] == pytest.approx(p, abs=1e-15)


def test_signals_are_drawn_with_the_probability() -> None:
    queue = sred(20, zombies=65_536, ecn=True)
    marked = 0
    for _ in range(4000):
        marked += queue.offer(0.0, 1000, 1, ecn="ect0").verdict == "marked"
        # As many leave as come: the queue stays at a third of the buffer.
        queue.take(0.0)
    assert likely(marked, 4000, 0.15)


@pytest.mark.parametrize(("full", "factor"), [(False, 1.0), (True, 3.0)])
def test_a_hit_raises_the_probability_of_full_sred(*, full: bool, factor: float) -> None:
    """One packet of four waits: a quarter of 0.15. P = 1/2 and `flows` of 4 take a quarter of that.
    1 + 1/P is 3."""
    table = {"zombies": 1, "alpha": 0.5, "flows": 4, "full": full}
    queue = weir.Queue({"sred": table}, rate="8 Mbit/s", buffer="4 packets", seed=1)
    assert queue.offer(0.0, 1000, 7).verdict == "accepted"
    queue.offer(0.0, 1000, 7)
    assert queue["P"] == 0.5
    assert queue["probability"] == pytest.approx(0.15 / 4 / 4 * factor, abs=1e-15)
