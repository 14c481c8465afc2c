"""DualPI2: RFC 9332, appendix A; its scheduler and its second threshold as in Linux."""

from __future__ import annotations

import pytest
from hands import fill, likely

import weir
from weir.queue import Ecn
from weir.scenario._toml import Value

EXPECTED = [
    (0.05136, 0.0026378, 0.10272),
    (0.10192, 0.0103877, 0.20384),
    (0.10448, 0.0109161, 0.20896),
    (0.03648, 0.0013308, 0.07296),
]
"""p', p_C = p'^2 and p_CL = 2 p' after delays of 16, 31, 31 and 10 ms."""


def dual(**table: Value) -> weir.Queue:
    return weir.Queue({"dualpi2": table}, rate="8 Mbit/s", buffer="50000 packets")


def test_both_lines_follow_the_delay_of_the_classic_one() -> None:
    """Its head is 16, 31, 31 and 10 ms old at the first four updates, every 16 ms."""
    queue = dual()
    found: list[tuple[float, float, float]] = []
    queue.offer(0.0, 1000)
    for update, take, offer in ((0.016, 0.017, 0.001), (0.032, 0.033, 0.017), (0.048, 0.049, 0.054)):
        if offer < update:
            queue.offer(offer, 1000)
        queue.advance(update)
        found.append((queue["p'"], queue["p_C"], queue["p_CL"]))
        queue.take(take)
        if offer > update:
            queue.offer(offer, 1000)
    queue.advance(0.064)
    found.append((queue["p'"], queue["p_C"], queue["p_CL"]))
    for values, wanted in zip(found, EXPECTED, strict=True):
        assert values == pytest.approx(wanted, abs=5e-8)


def coupled(base: float, size: int = 1000, /, **table: Value) -> weir.Queue:
    """A queue with this p', by a first delay of 16 ms of a packet that waits in C."""
    queue = dual(alpha=1e-9, beta=base / 0.016, **table)
    queue.offer(0.0, size)
    queue.advance(0.016)
    assert queue["p'"] == pytest.approx(base, rel=1e-6)
    return queue


def fates(queue: weir.Queue, ecn: Ecn, packets: int) -> tuple[int, int]:
    """How many of so many packets that come and go at once are marked and dropped."""
    # Two MTUs have to be left behind, in either line.
    before = packets + 10
    for _ in range(before):
        queue.offer(0.016, 1000, 7, ecn)
    marked = dropped = 0
    while len(queue) > 10:
        taken = queue.take(0.016)
        marked += taken is not None and taken.marked and taken.flow == 7
        dropped += sum(packet.flow == 7 for packet in queue.dropped)
    return marked, dropped


@pytest.mark.parametrize(
    ("base", "ecn", "marks", "drops"),
    [
        (0.3, "ect1", 0.6, 0.0),
        (0.3, "ect0", 0.09, 0.0),
        (0.3, "not-ect", 0.0, 0.09),
        # Overload, 2 p' > 1: L is dropped with p_C and marked otherwise, C is dropped, ECN or not.
        (0.6, "ect1", 0.64, 0.36),
        (0.6, "ect0", 0.0, 0.36),
    ],
)
def test_how_many_are_signalled(base: float, ecn: Ecn, marks: float, drops: float) -> None:
    queue = coupled(base, mtu="100 B")
    packets = 6000
    marked, dropped = fates(queue, ecn, packets)
    assert likely(marked, packets, marks)
    assert likely(dropped, packets, drops)


def test_the_coupling_can_be_chosen() -> None:
    assert coupled(0.2, coupling=1.5)["p_CL"] == pytest.approx(0.3, rel=1e-6)


@pytest.mark.parametrize(("sojourn", "p"), [(0.0008, 0.0), (0.0009, 0.25), (0.0010, 0.5), (0.0012, 1.0)])
def test_the_ramp_of_the_low_latency_line(sojourn: float, p: float) -> None:
    """From 0.8 ms over 0.4 ms, while more than one packet is in it."""
    queue = dual()
    fill(queue, 4001, ecn="ect1")
    taken = [queue.take(sojourn) for _ in range(4000)]
    assert likely(sum(packet is not None and packet.marked for packet in taken), 4000, p)
    last = queue.take(1.0)
    assert last is not None
    assert not last.marked


def test_the_step_of_linux() -> None:
    queue = dual(min_th="1 ms", range="0 s", th_len=0)
    fill(queue, 2, ecn="ect1")
    for now, marked in ((0.001, False), (0.0010001, True)):
        taken = queue.take(now)
        assert taken is not None
        assert taken.marked is marked


def test_little_that_is_left_is_not_signalled_by_coupling() -> None:
    """Less than two MTUs in both lines together."""
    for behind, signals in ((3027, 0), (3028, 100)):
        queue = coupled(1.0, 100)
        queue.take(0.016)
        hits = 0
        for _ in range(100):
            queue.offer(0.016, 1000, 1, "ect1")
            queue.offer(0.016, behind, 2, "not-ect")
            taken = queue.take(0.016)
            hits += taken is None or taken.flow != 1
            # Found empty, both lines begin anew.
            while queue.take(0.016) is not None:
                pass
        assert hits == signals


def test_which_packets_wait_in_which_line() -> None:
    """ECT(1) and CE in L, which goes first; with DCTCP's rule, all that can be marked."""
    for rule, lines, order in (("ect1", (2, 2), [2, 3, 0, 1]), ("any-ect", (3, 1), [1, 2, 3, 0])):
        queue = dual(low_latency=rule)
        ecn: list[Ecn] = ["not-ect", "ect0", "ect1", "ce"]
        for flow, codepoint in enumerate(ecn):
            queue.offer(0.0, 1000, flow, codepoint)
        assert (queue["L"], queue["C"]) == lines
        taken = [queue.take(0.0) for _ in ecn]
        assert [packet.flow for packet in taken if packet is not None] == order


def test_both_lines_share_one_buffer() -> None:
    queue = weir.Queue("dualpi2", rate="8 Mbit/s", buffer="3 packets")
    ecn: list[Ecn] = ["ect1", "not-ect", "ect1", "ect1", "not-ect"]
    verdicts = [queue.offer(0.0, 1000, ecn=codepoint).verdict for codepoint in ecn]
    assert verdicts == ["accepted"] * 3 + ["dropped"] * 2


def test_credit_leaves_a_tenth_to_the_classic_line() -> None:
    """Linux: it starts at 1514 (10 - 90) per cent, L costs ten per cent of its bytes, C gives ninety."""
    queue = dual()
    assert queue["credit"] == pytest.approx(1514 * (0.1 - 0.9))
    for _ in range(400):
        queue.offer(0.0, 1000, 1, "ect1")
        queue.offer(0.0, 1000, 0)
    taken = [queue.take(0.0) for _ in range(300)]
    flows = "".join(str(packet.flow) for packet in taken if packet is not None)
    # 1211.2 / 100: thirteen before the first of C, then nine by turns.
    assert flows.index("0") == 13
    gaps = [len(run) for run in flows.split("0")[1:-1]]
    assert set(gaps) == {9}
    assert queue["credit"] <= 100.0
