from __future__ import annotations

import doctest
from typing import Any

import pytest

import weir
from weir import queue as queue_module
from weir.queue import Dropped, Ecn, Offered


def drop_tail(packets: int = 3) -> weir.Queue:
    return weir.Queue("drop-tail", rate="8 Mbit/s", buffer=f"{packets} packets")


def test_first_in_first_out() -> None:
    queue = drop_tail()
    for flow in (5, 6):
        assert queue.offer(flow * 0.001, 1000, flow) == Offered("accepted", None)
    assert (len(queue), queue.bytes) == (2, 2000)
    taken = queue.take(0.010)
    assert taken is not None
    assert (taken.flow, taken.bytes, taken.marked) == (5, 1000, False)
    assert taken.sojourn == pytest.approx(0.005)
    assert queue.dropped == []


def test_an_empty_queue_gives_nothing_and_is_still_a_queue() -> None:
    queue = drop_tail()
    assert queue.take(1.0) is None
    assert len(queue) == 0
    assert queue


def test_a_full_buffer_drops() -> None:
    queue = drop_tail(3)
    verdicts = [queue.offer(0.0, 1000).verdict for _ in range(5)]
    assert verdicts.count("accepted") == 3
    assert queue.offer(0.0, 1000) == Offered("dropped", "overflow")


def test_red_marks_what_can_be_marked() -> None:
    table = {"min_th": "1 packet", "max_th": "3 packets", "max_p": 1.0, "w_q": 1.0, "ecn": True}
    queue = weir.Queue({"red": table}, rate="8 Mbit/s", buffer="50 packets")
    offered = [queue.offer(n * 1e-6, 1000, ecn="ect0") for n in range(3)]
    assert "marked" in {one.verdict for one in offered}
    assert {one.reason for one in offered if one.verdict == "marked"} == {"early"}
    marks = [taken.marked for taken in (queue.take(0.1) for _ in range(3)) if taken is not None]
    assert marks == [one.verdict == "marked" for one in offered]


def test_timers_run_on_the_way() -> None:
    queue = weir.Queue({"rem": {"target": "1 packet"}}, rate="8 Mbit/s", buffer="50 packets")
    for _ in range(40):
        queue.offer(0.0, 1000)
    before = queue["price"]
    queue.advance(0.1)
    assert queue["price"] > before
    assert queue.variables["price"] == queue["price"]


def fair(
    aqm: dict[str, dict[str, Any]], *, buffer: str = "100 packets", rate: str = "8 Mbit/s"
) -> weir.Queue:
    (name,) = aqm
    return weir.Queue({name: {"places": "numbered", **aqm[name]}}, rate=rate, buffer=buffer)


def order(queue: weir.Queue, now: float) -> str:
    """The flows of all that waits, as letters."""
    flows: list[int] = []
    while (taken := queue.take(now)) is not None:
        flows.append(taken.flow)
    return "".join("ABCDEFGH"[flow] for flow in flows)


@pytest.mark.parametrize("aqm", [{"fq-codel": {}}, {"fq-pie": {}}, {"fq": {"law": {"drop-tail": {}}}}])
def test_flows_take_turns_by_bytes(aqm: dict[str, dict[str, Any]]) -> None:
    """RFC 8290: A has 4 packets of 1500 bytes, B 6 of 500, both have just arrived, A first."""
    queue = fair(aqm)
    for flow, size, packets in ((0, 1500, 4), (1, 500, 6)):
        for _ in range(packets):
            assert queue.offer(0.0, size, flow) == Offered("accepted", None)
    assert order(queue, 0.001) == "AABBBBABBA"


def test_the_fattest_flow_makes_room() -> None:
    queue = fair({"fq-codel": {}}, buffer="10 packets")
    offered = [queue.offer(0.0, 1000, flow) for flow in (0, 0, 0, 0, 0, 0, 0, 0, 1, 1)]
    assert queue.dropped == []
    assert queue.offer(0.0, 1000, 1) == offered[0] == Offered("accepted", None)
    assert queue.dropped == [Dropped(0, "overflow")] * 4
    assert len(queue) == 7


def test_what_arrives_may_be_the_fattest() -> None:
    queue = fair({"fq": {}}, buffer="2 packets")
    for flow in (1, 2):
        queue.offer(0.0, 100, flow)
    assert queue.offer(0.0, 500, 3) == Offered("dropped", "overflow")
    assert queue.dropped == []


def test_a_law_within_fair_queueing_works() -> None:
    table = {"min_th": "1 packet", "max_th": "3 packets", "max_p": 1.0, "w_q": 1.0}
    queue = fair({"fq": {"law": {"red": table}, "backlog": "own"}})
    verdicts = [queue.offer(n * 1e-6, 1000, flow).verdict for n in range(5) for flow in (0, n)]
    assert "dropped" in verdicts[::2]
    assert queue.variables["average"] > 0


def test_codel_drops_of_a_flow_on_the_way_out() -> None:
    queue = fair({"fq-codel": {"ecn": False}})
    for n in range(60):
        queue.offer(n * 0.001, 1000, 0)
    dropped = [Dropped(0, "early") for n in range(60) for _ in _dropped(queue, 0.1 + n * 0.01)]
    assert len(dropped) >= 2


def _dropped(queue: weir.Queue, now: float) -> list[Dropped]:
    queue.take(now)
    return queue.dropped


def test_choke_drops_both_of_a_match() -> None:
    """A, B, A, C wait; the third is drawn: an A costs both, a B does not match."""
    table = {"min_th": "3.5 packets", "max_th": "1000 packets", "max_p": 0.0, "w_q": 1.0}

    def after(flow: int, seed: int) -> tuple[str, int, str]:
        queue = weir.Queue({"choke": table}, rate="8 Mbit/s", buffer="100 packets", seed=seed)
        for waiting in (0, 1, 0, 2):
            assert queue.offer(0.0, 1000, waiting).verdict == "accepted"
        verdict = queue.offer(0.0, 1000, flow).verdict
        return verdict, len(queue.dropped), order(queue, 0.001)

    found = {after(0, seed): seed for seed in range(40)}
    assert set(found) == {("dropped", 1, "ABC"), ("dropped", 1, "BAC"), ("accepted", 0, "ABACA")}
    assert after(1, found["dropped", 1, "ABC"]) == ("accepted", 0, "ABACB")


def test_dualpi2_follows_the_delay_of_its_classic_line() -> None:
    """The head of line C is 16, 31, 31, 10 ms old at the first four updates."""
    queue = weir.Queue("dualpi2", rate="8 Mbit/s", buffer="100 packets")
    values: list[tuple[float, float, float]] = []
    queue.offer(0.0, 1000)
    for update, take, offer in ((0.016, 0.017, 0.001), (0.032, 0.033, 0.017), (0.048, 0.049, 0.054)):
        if offer < update:
            queue.offer(offer, 1000)
        queue.advance(update)
        values.append((queue["p'"], queue["p_C"], queue["p_CL"]))
        queue.take(take)
        if offer > update:
            queue.offer(offer, 1000)
    queue.advance(0.064)
    values.append((queue["p'"], queue["p_C"], queue["p_CL"]))
    assert values == [
        pytest.approx((0.05136, 0.0026378, 0.10272), abs=5e-8),
        pytest.approx((0.10192, 0.0103877, 0.20384), abs=5e-8),
        pytest.approx((0.10448, 0.0109161, 0.20896), abs=5e-8),
        pytest.approx((0.03648, 0.0013308, 0.07296), abs=5e-8),
    ]


def test_dualpi2_serves_low_latency_first() -> None:
    queue = weir.Queue("dualpi2", rate="8 Mbit/s", buffer="100 packets")
    ecn: list[Ecn] = ["not-ect", "ect0", "ect1", "ce"]
    for flow, codepoint in enumerate(ecn):
        queue.offer(0.0, 1000, flow, codepoint)
    assert (queue["L"], queue["C"]) == (2, 2)
    assert order(queue, 0.0) == "CDAB"


def test_an_unknown_variable_says_which_there_are() -> None:
    queue = weir.Queue("rem", rate="8 Mbit/s", buffer="50 packets")
    with pytest.raises(KeyError, match=r"there is no variable 'average'; there are: .*price"):
        _ = queue["average"]


def test_time_does_not_go_back() -> None:
    queue = drop_tail()
    queue.offer(1.0, 1000)
    with pytest.raises(ValueError, match=r"0\.5"):
        queue.take(0.5)


def test_the_same_seed_decides_the_same() -> None:
    def verdicts(seed: int) -> list[str]:
        table = {"min_th": "2 packets", "max_th": "90 packets", "w_q": 0.1}
        queue = weir.Queue({"red": table}, rate="8 Mbit/s", buffer="100 packets", seed=seed)
        return [queue.offer(n * 1e-4, 1000).verdict for n in range(100)]

    assert verdicts(1) == verdicts(1)
    assert verdicts(1) != verdicts(2)


@pytest.mark.parametrize(
    ("table", "rate", "buffer", "told"),
    [
        ({"blues": {}}, "8 Mbit/s", "50 packets", "blues"),
        ({"fq": {"law": {"blues": {}}}}, "8 Mbit/s", "50 packets", "blues"),
        ({"fq": {"law": {"red": {"max_th": "3 packets"}}}}, "8 Mbit/s", "50 packets", r"law\.red\.max_th"),
        ({"fq-codel": {"flows": 0}}, "8 Mbit/s", "50 packets", "flows"),
        ({"dualpi2": {"classic_share": 1.0}}, "8 Mbit/s", "50 packets", "classic_share"),
        ({"red": {"max_thr": "80 packets"}}, "8 Mbit/s", "50 packets", "max_thr"),
        ({"red": {"min_th": "9 packets", "max_th": "3 packets"}}, "8 Mbit/s", "50 packets", "max_th"),
        ({"red": {}}, "0 Mbit/s", "50 packets", "above zero"),
        ({"red": {}}, "8 Mbps", "50 packets", "ambiguous"),
        ({"red": {}}, "8 Mbit/s", "fifty", "fifty"),
    ],
)
def test_what_cannot_be_is_refused(
    table: dict[str, dict[str, Any]], rate: str, buffer: str, told: str
) -> None:
    with pytest.raises(ValueError, match=told):
        weir.Queue(table, rate=rate, buffer=buffer)


def test_a_drop_on_the_way_out_is_a_fact_of_its_own() -> None:
    assert Dropped(3, "early") != Dropped(3, "overflow")


def test_the_example_in_the_documentation_runs() -> None:
    parser = doctest.DocTestParser()
    assert weir.Queue.__doc__ is not None
    example = parser.get_doctest(weir.Queue.__doc__, {"weir": weir}, "Queue", queue_module.__file__, 0)
    printed: list[str] = []
    doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(example, out=printed.append)
    assert printed == []
