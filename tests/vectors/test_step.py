"""The step of DCTCP (SIGCOMM 2010, section 3.1; RFC 8257, section 3.1)."""

from __future__ import annotations

from hands import drain, fill

import weir
from weir.queue import Ecn
from weir.scenario._toml import Value


def verdicts(table: dict[str, Value], found: list[int], ecn: Ecn = "ect0") -> list[str]:
    """Verdicts on arrivals that find these numbers of packets of 1000 bytes, one after another."""
    queue = weir.Queue({"step": table}, rate="1 Gbit/s", buffer="500 packets")
    seen: list[str] = []
    for packets in found:
        while queue.bytes > 1000 * packets:
            drain(queue, 1, 0.0)
        while queue.bytes < 1000 * packets:
            fill(queue, 1, ecn="ect0")
        seen.append(queue.offer(0.0, 1000, ecn=ecn).verdict)
    return seen


def test_more_than_20_packets_are_marked_at_1_gbit_s() -> None:
    """The paper's K, greater and not equal; there is no memory and no chance in it."""
    found = [0, 19, 20, 21, 200, 20, 21]
    marked = ["accepted", "accepted", "accepted", "marked", "marked", "accepted", "marked"]
    assert verdicts({}, found) == marked


def test_65_packets_at_10_gbit_s() -> None:
    assert verdicts({"threshold": "65 packets"}, [65, 66]) == ["accepted", "marked"]


def test_a_threshold_in_bytes() -> None:
    assert verdicts({"threshold": "2500 B"}, [2, 3]) == ["accepted", "marked"]


def test_the_step_drops_what_it_cannot_mark() -> None:
    """Drops packets of senders without ECN, and packets of all senders if ECN is off."""
    assert verdicts({}, [20, 21], ecn="not-ect") == ["accepted", "dropped"]
    queue = weir.Queue({"step": {"threshold": "1 packet", "ecn": False}}, rate="1 Gbit/s", buffer="9 packets")
    assert [queue.offer(0.0, 1000, ecn="ect0").verdict for _ in range(3)] == [
        "accepted",
        "accepted",
        "dropped",
    ]
