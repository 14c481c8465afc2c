from __future__ import annotations

import doctest
from typing import Any

import pytest

import weir
from weir import queue as queue_module
from weir.queue import Dropped, Offered


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
    return weir.Queue({name: {"flow_hashing": "modulo", **aqm[name]}}, rate=rate, buffer=buffer)


def test_an_aqm_within_fair_queueing_works() -> None:
    table = {"min_th": "1 packet", "max_th": "3 packets", "max_p": 1.0, "w_q": 1.0}
    queue = fair({"fq": {"aqm": {"red": table}, "aqm_backlog": "flow"}})
    verdicts = [queue.offer(n * 1e-6, 1000, flow).verdict for n in range(5) for flow in (0, n)]
    assert "dropped" in verdicts[::2]
    assert queue.variables["average"] > 0


def test_another_rate_reaches_the_aqm() -> None:
    """A silence of 50 ms is 50 packets at 8 Mbit/s, and 25 at half of it."""

    def average(rate: str) -> float:
        table = {"min_th": "40 packets", "max_th": "50 packets", "w_q": 0.5}
        queue = weir.Queue({"red": table}, rate="8 Mbit/s", buffer="50 packets")
        for _ in range(2):
            queue.offer(0.0, 1000)
        assert queue["average"] == 0.5
        for _ in range(3):
            queue.take(0.1)
        queue.set_rate(0.11, rate)
        queue.offer(0.150, 1000)
        return queue["average"]

    assert average("8 Mbit/s") == pytest.approx(0.5**51)
    assert average("4 Mbit/s") == pytest.approx(0.5**26)


def test_a_rate_is_set_at_a_time() -> None:
    queue = weir.Queue({"rem": {}}, rate="8 Mbit/s", buffer="50 packets")
    with pytest.raises(ValueError, match="ambiguous"):
        queue.set_rate(0.0, "8 Mbps")
    queue.set_rate(1.0, "4 Mbit/s")
    with pytest.raises(ValueError, match=r"0\.5"):
        queue.set_rate(0.5, "8 Mbit/s")


def test_only_op_red_has_targets() -> None:
    queue = weir.Queue("op-red", rate="10 Mbit/s", buffer="50 packets")
    queue.set_targets(1.0, "5 ms", 0.01)
    for delay, loss, told in (
        ("5", 0.01, "unit"),
        ("0 ms", 0.01, "target_delay"),
        ("5 ms", 1.5, "loss of 1.5"),
    ):
        with pytest.raises(ValueError, match=told):
            queue.set_targets(1.0, delay, loss)
    with pytest.raises(ValueError, match="only op-red"):
        weir.Queue("red", rate="10 Mbit/s", buffer="50 packets").set_targets(0.0, "5 ms", 0.01)


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
        ({"fq": {"aqm": {"blues": {}}}}, "8 Mbit/s", "50 packets", "blues"),
        ({"fq": {"aqm": {"red": {"max_th": "0 packets"}}}}, "8 Mbit/s", "50 packets", r"aqm\.red\.max_th"),
        ({"fq-codel": {"flows": 0}}, "8 Mbit/s", "50 packets", "flows"),
        ({"dualpi2": {"classic_protection": 1.0}}, "8 Mbit/s", "50 packets", "classic_protection"),
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


@pytest.mark.parametrize(
    ("table", "told"),
    [
        ({}, "queue: nothing is chosen; hint: "),
        ({"red": {}, "rem": {}}, "queue: 2 choices: `red`, `rem`; hint: "),
        ({"redd": {}}, "queue: unknown name `redd`; hint: did you mean `red`"),
        ({"red": {"max_p": float("nan")}}, "queue.red.max_p: NaN is not a probability; hint: "),
        ({"red": {"max_p": "0.1"}}, 'queue.red.max_p: a number belongs here, not the text "0.1"; hint: '),
        (
            {"red": {"max_thr": "9 packets"}},
            "queue.red.max_thr: .*; hint: did you mean `max_th`",
        ),
        ({"red": []}, "queue.red: a table belongs here, not an array; hint: "),
        ({"fq": {"aqm": {"choke": {}}}}, "choke is a scheduler"),
    ],
)
def test_a_table_is_explained_as_in_a_scenario(table: dict[str, Any], told: str) -> None:
    with pytest.raises(ValueError, match=told) as caught:
        weir.Queue(table, rate="8 Mbit/s", buffer="50 packets")
    assert "column" not in str(caught.value)


def test_an_argument_that_cannot_be_is_named() -> None:
    def queue(queue: object = "red", **others: object) -> weir.Queue:
        arguments: dict[str, Any] = {"rate": "8 Mbit/s", "buffer": "50 packets", "queue": queue, **others}
        return weir.Queue(**arguments)

    for seed in (-1, 2**64):
        with pytest.raises(ValueError, match=f"seed is {seed}; write a whole number from 0 to"):
            queue(seed=seed)
    with pytest.raises(TypeError, match=r"seed is 1\.5; write a whole number"):
        queue(seed=1.5)
    with pytest.raises(ValueError, match="bytes is -5; write a whole number from 1 to"):
        queue().offer(0.0, -5)
    with pytest.raises(ValueError, match="flow is -1; write a whole number from 0 to"):
        queue().offer(0.0, 1000, flow=-1)
    with pytest.raises(TypeError, match="queue is None; write a name"):
        queue(None)
    with pytest.raises(TypeError, match="None is nothing that a scenario can hold"):
        queue({"red": None})
    with pytest.raises(TypeError, match="rate is 8000000; write a text with a unit"):
        queue(rate=8_000_000)
    with pytest.raises(ValueError, match=r"rate: .*ambiguous"):
        queue(rate="8 Mbps")


def test_a_drop_on_the_way_out_is_a_fact_of_its_own() -> None:
    assert Dropped(3, "early") != Dropped(3, "overflow")


def test_the_example_in_the_documentation_runs() -> None:
    parser = doctest.DocTestParser()
    assert weir.Queue.__doc__ is not None
    example = parser.get_doctest(weir.Queue.__doc__, {"weir": weir}, "Queue", queue_module.__file__, 0)
    printed: list[str] = []
    doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(example, out=printed.append)
    assert printed == []
