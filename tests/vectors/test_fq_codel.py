"""FQ-CoDel (RFC 8290), FQ-PIE and the scheduler under any AQM."""

from __future__ import annotations

from typing import Any

import pytest
from hands import Aqm, everything

import weir
from weir.queue import Dropped, Offered

SCHEDULED: list[dict[str, Any]] = [{"fq-codel": {}}, {"fq-pie": {}}, {"fq": {"aqm": {"drop-tail": {}}}}]


def fair(aqm: dict[str, Any], *, buffer: str = "10240 packets") -> weir.Queue:
    """With one queue for each flow, so that no two share one by chance."""
    ((name, table),) = aqm.items()
    discipline: Aqm = {name: {"flow_hashing": "modulo", **table}}
    return weir.Queue(discipline, rate="8 Mbit/s", buffer=buffer)


def order(queue: weir.Queue, now: float) -> str:
    """The flows of all that waits, as letters."""
    return "".join("ABCDEFGH"[packet.flow] for packet in everything(queue, now))


@pytest.mark.parametrize("aqm", SCHEDULED, ids=["fq-codel", "fq-pie", "fq"])
def test_flows_take_turns_by_bytes(aqm: dict[str, Any]) -> None:
    """A has 4 packets of 1500 bytes, B 6 of 500, both have just arrived, A first; a quantum of 1514."""
    queue = fair(aqm)
    for flow, size, packets in ((0, 1500, 4), (1, 500, 6)):
        for _ in range(packets):
            assert queue.offer(0.0, size, flow) == Offered("accepted", None)
    assert order(queue, 0.001) == "AABBBBABBA"


@pytest.mark.parametrize("aqm", SCHEDULED, ids=["fq-codel", "fq-pie", "fq"])
def test_the_fattest_flow_makes_room(aqm: dict[str, Any]) -> None:
    """From its head, until half of its bytes are gone, tested after the arrival is in."""
    queue = fair(aqm, buffer="10 packets")
    for flow in (0,) * 8 + (1,) * 2:
        assert queue.offer(0.0, 1000, flow).verdict == "accepted"
        assert queue.dropped == []
    assert queue.offer(0.0, 1000, 1) == Offered("accepted", None)
    assert queue.dropped == [Dropped(0, "overflow")] * 4
    assert len(queue) == 7


def test_at_most_64_are_dropped_at_once() -> None:
    queue = fair({"fq-codel": {}}, buffer="300 packets")
    for _ in range(300):
        queue.offer(0.0, 1000, 0)
    queue.offer(0.0, 1000, 1)
    assert len(queue.dropped) == 64


def test_the_arrival_may_be_the_one_to_go() -> None:
    queue = fair({"fq-codel": {}}, buffer="2 packets")
    for flow in (1, 2):
        queue.offer(0.0, 100, flow)
    assert queue.offer(0.0, 500, 3) == Offered("dropped", "overflow")


def test_the_first_of_two_equals_is_the_fattest() -> None:
    queue = fair({"fq-codel": {}}, buffer="4 packets")
    for flow in (2, 1, 2, 1):
        queue.offer(0.0, 1000, flow)
    queue.offer(0.0, 100, 3)
    assert queue.dropped == [Dropped(1, "overflow")]


def test_there_is_a_limit_in_bytes_too() -> None:
    """32 MB unless it is said otherwise."""
    queue = fair({"fq-codel": {"memory_limit": "10 kB"}})
    verdicts = [queue.offer(0.0, 1000, 0).verdict for _ in range(10)]
    assert verdicts == ["accepted"] * 10
    queue.offer(0.0, 1000, 0)
    assert len(queue.dropped) == 6
    assert queue.bytes == 5000


def test_linux_lets_fq_pie_drop_the_arrival() -> None:
    queue = fair({"fq-pie": {"overflow": "arrival"}}, buffer="2 packets")
    for flow in (0, 0):
        queue.offer(0.0, 1000, flow)
    assert queue.offer(0.0, 1000, 1) == Offered("dropped", "overflow")
    assert queue.dropped == []


def test_drops_for_room_count_for_codel() -> None:
    """Linux: 4 of the first flow's, to which its own begin to count; the mean is over both flows."""
    queue = fair({"fq-codel": {}}, buffer="10 packets")
    for flow in (0,) * 9 + (1,) * 2:
        queue.offer(0.0, 1000, flow)
    assert len(queue.dropped) == 5
    assert queue["count"] == pytest.approx(5 / 2)


@pytest.mark.parametrize(("backlog", "due"), [("total", 0.105), ("flow", 0.0)])
def test_whose_backlog_codel_is_told(backlog: str, due: float) -> None:
    """Linux counts all flows against the MTU, ns-3 its own."""
    queue = fair({"fq-codel": {"aqm_backlog": backlog}})
    for flow in (0, 1, 2):
        queue.offer(0.0, 1000, flow)
    queue.take(0.005)
    # The mean over three queues, of which one has been asked.
    assert queue["first_above_time"] * 3 == pytest.approx(due, abs=1e-9)


def test_codel_signals_each_flow_by_itself() -> None:
    """Flow 0 stands for 100 ms, flow 1 has just come."""
    queue = fair({"fq-codel": {"ecn": False, "aqm_backlog": "flow"}})
    for _ in range(60):
        queue.offer(0.0, 1000, 0)
    lost: list[Dropped] = []
    for n in range(50):
        now = 0.005 + n * 0.005
        queue.offer(now, 1000, 1)
        for _ in range(2):
            queue.take(now)
            lost += queue.dropped
    assert len(lost) >= 2
    assert set(lost) == {Dropped(0, "early")}


def test_a_new_flow_goes_first_but_not_twice() -> None:
    """It passes through the old ones before it is new again."""
    queue = fair({"fq-codel": {}})
    for _ in range(4):
        queue.offer(0.0, 1514, 0)
    assert queue.take(0.001) is not None
    queue.offer(0.001, 100, 1)
    assert (queue["new_flows"], queue["old_flows"]) == (2, 0)
    assert order(queue, 0.001)[0] == "B"
