"""AVQ: Kunniyur and Srikant, 2001."""

from __future__ import annotations

import pytest

import weir
from weir.scenario._toml import Value


def avq(**table: Value) -> weir.Queue:
    """C = 1.25e6 bytes a second, B = 50 kB."""
    return weir.Queue({"avq": dict(table)}, rate="10 Mbit/s", buffer="50 packets")


def test_virtual_queue_and_virtual_capacity() -> None:
    """1000 bytes each at 0, 0.4, 0.8 and 2.0 ms; the virtual capacity begins at 0.8 C."""
    queue = avq()
    found: list[tuple[float, float]] = []
    for now in (0.0, 0.0004, 0.0008, 0.002):
        assert queue.offer(now, 1000).verdict == "accepted"
        queue.take(now)
        found.append((queue["virtual_queue"], queue["virtual_capacity"]))
    expected = [(1000.0, 999850.0), (1600.06, 999773.5), (2200.1506, 999697.0), (2000.5142, 999767.5)]
    for values, wanted in zip(found, expected, strict=True):
        assert values[0] == pytest.approx(wanted[0], abs=5e-5)
        assert values[1] == pytest.approx(wanted[1], abs=1e-6)


def test_what_overflows_the_virtual_queue_is_signalled() -> None:
    """Fifty of 1000 bytes at once fill it. What is signalled is not added. The capacity falls all the same,
    by alpha b = 150 each, unless only what is accepted counts (ns-2)."""
    for table, capacity in (({}, 1e6 - 60 * 150), ({"adapts_to": "accepted"}, 1e6 - 50 * 150)):
        queue = avq(**table)
        verdicts: list[tuple[str, str | None]] = []
        for _ in range(60):
            offered = queue.offer(0.0, 1000)
            verdicts.append((offered.verdict, offered.reason))
            if offered.verdict == "accepted":
                queue.take(0.0)
        assert verdicts == [("accepted", None)] * 50 + [("dropped", "early")] * 10
        assert queue["virtual_queue"] == 50_000
        assert queue["virtual_capacity"] == pytest.approx(capacity, abs=1e-6)


def test_the_virtual_buffer_may_be_another() -> None:
    """Joo and Bahk's kappa, ns-2's buflim_: a factor on the real one."""
    queue = avq(buffer=0.5)
    assert [queue.offer(0.0, 1000).verdict for _ in range(26)] == ["accepted"] * 25 + ["dropped"]


def test_it_settles_where_the_desired_utilisation_arrives() -> None:
    """Arrivals at gamma C = 0.98 C leave the virtual capacity where it is."""
    queue = avq()
    queue.offer(0.0, 1000)
    queue.take(0.0)
    before = queue["virtual_capacity"]
    gap = 1000 / (0.98 * 1.25e6)
    for n in range(1, 1001):
        queue.offer(n * gap, 1000)
        queue.take(n * gap)
    assert queue["virtual_capacity"] == pytest.approx(before, rel=1e-6)


def test_the_virtual_capacity_stays_below_the_real_one() -> None:
    queue = avq()
    queue.offer(0.0, 1000)
    queue.take(0.0)
    queue.offer(100.0, 1000)
    assert queue["virtual_capacity"] == pytest.approx(1.25e6 - 150, abs=1e-6)


def test_a_new_rate_bounds_it_from_then_on() -> None:
    queue = avq()
    queue.offer(0.0, 1000)
    queue.set_rate(1.0, "4 Mbit/s")
    assert queue["virtual_capacity"] == pytest.approx(5e5, abs=1e-6)
