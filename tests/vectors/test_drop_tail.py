"""DropTail, and what holds for every discipline."""

from __future__ import annotations

from typing import Any

import pytest
from hands import fill

import weir
from weir.queue import Ecn, Offered


def test_three_of_five_stay() -> None:
    queue = weir.Queue("drop-tail", rate="8 Mbit/s", buffer="3 packets")
    assert [queue.offer(0.0, 1000).verdict for _ in range(5)] == ["accepted"] * 3 + ["dropped"] * 2


def test_a_limit_of_ns2_is_one_less() -> None:
    """In ns-2 a limit of 3 counts the packet that is being sent."""
    queue = weir.Queue("drop-tail", rate="8 Mbit/s", buffer=f"{3 - 1} packets")
    assert [queue.offer(0.0, 1000).verdict for _ in range(5)] == ["accepted"] * 2 + ["dropped"] * 3


def test_in_bytes_a_packet_is_dropped_that_does_not_fit() -> None:
    queue = weir.Queue("drop-tail", rate="8 Mbit/s", buffer="3 kB")
    verdicts = [queue.offer(0.0, size).verdict for size in (1000, 1500, 501, 500, 1)]
    assert verdicts == ["accepted", "accepted", "dropped", "accepted", "dropped"]


def test_the_packet_being_sent_does_not_wait() -> None:
    queue = weir.Queue("drop-tail", rate="8 Mbit/s", buffer="3 packets")
    fill(queue, 1)
    queue.take(0.0)
    assert [queue.offer(0.0, 1000).verdict for _ in range(4)] == ["accepted"] * 3 + ["dropped"]


ALWAYS = {"min_th": "1 B", "max_th": "2 B", "max_p": 1.0, "w_q": 1.0, "gentle": True, "ecn": True}
"""RED that signals whatever finds two bytes or more."""


@pytest.mark.parametrize(
    ("ecn", "expected"),
    [
        ("not-ect", Offered("dropped", "early")),
        ("ect0", Offered("marked", "early")),
        ("ect1", Offered("marked", "early")),
        ("ce", Offered("marked", "early")),
    ],
)
def test_a_mark_on_what_cannot_be_marked_is_a_drop(ecn: Ecn, expected: Offered) -> None:
    """RFC 3168, section 5; a packet that is marked already stays so."""
    queue = weir.Queue({"red": ALWAYS}, rate="8 Mbit/s", buffer="10 packets")
    queue.offer(0.0, 2)
    assert queue.offer(0.0, 1000, ecn=ecn) == expected


def test_no_room_is_a_drop_whatever_the_aqm_says() -> None:
    queue = weir.Queue({"red": ALWAYS}, rate="8 Mbit/s", buffer="1 packet")
    queue.offer(0.0, 2)
    assert queue.offer(0.0, 1000, ecn="ect0") == Offered("dropped", "overflow")


UNSURE: list[dict[str, dict[str, Any]]] = [
    {"rem": {"gamma": 0.4, "alpha": 1.0, "target": "1 packet"}},
    {"pi": {"a": 0.0018, "b": 0.001, "q_ref": "1 packet"}},
    {"pie": {"derandomise": False, "max_burst": "0 s", "alpha": 40.0}},
    {"sfb": {"d1": 0.1, "bin_size": 19}},
    {"blue": {"d1": 0.5}},
]
"""AQMs that signal about half of what arrives after 0.2 s of a full buffer."""


@pytest.mark.parametrize("aqm", UNSURE, ids=lambda aqm: next(iter(aqm)))
def test_a_full_buffer_draws_nothing(aqm: dict[str, dict[str, Any]]) -> None:
    """REM, PI, PIE, SFB and Blue test the buffer first: what overflows changes no later draw."""

    def verdicts(overflows: int) -> list[str]:
        queue = weir.Queue(aqm, rate="8 Mbit/s", buffer="20 packets")
        while len(queue) < 20:
            queue.offer(0.0, 1000)
        queue.take(0.1)
        while queue.offer(0.1, 1000).reason != "overflow":
            pass
        queue.offer(0.2, 1000)
        queue.advance(0.21)
        found: list[str] = []
        while len(found) < 60:
            if len(queue) == 20:
                for _ in range(overflows):
                    assert queue.offer(0.21, 1000).reason == "overflow"
                queue.take(0.21)
            found.append(queue.offer(0.21, 1000).verdict)
        return found

    assert verdicts(0) == verdicts(3)
    assert set(verdicts(0)) == {"accepted", "dropped"}
