"""CHOKe: Pan, Prabhakar and Psounis, 2000."""

from __future__ import annotations

import pytest
from hands import everything, likely

import weir
from weir.scenario._toml import Value

TABLE = {"min_th": "3.5 packets", "max_th": "1000 packets", "max_p": 0.0, "w_q": 1.0}
"""Compares from four packets on, and never signals as RED."""


def of_four(seed: int, **table: Value) -> weir.Queue:
    """Queue in which packets of the flows A, B, A, C wait."""
    discipline = {"choke": {**TABLE, **table}}
    queue = weir.Queue(discipline, rate="8 Mbit/s", buffer="100 packets", seed=seed)
    for flow in (0, 1, 0, 2):
        assert queue.offer(0.0, 1000, flow).verdict == "accepted"
    return queue


def rest(queue: weir.Queue) -> str:
    return "".join("ABC"[packet.flow] for packet in everything(queue, 0.001))


def test_a_match_costs_both() -> None:
    """With the third drawn, an A goes with it: A, B, C are left. Each is drawn as often as any other."""
    runs = 2000
    found: dict[tuple[str, int, str], int] = {}
    for seed in range(runs):
        queue = of_four(seed)
        verdict = queue.offer(0.0, 1000, 0).verdict
        outcome = (verdict, len(queue.dropped), rest(queue))
        found[outcome] = found.get(outcome, 0) + 1
    expected = {("dropped", 1, "ABC"): 0.25, ("dropped", 1, "BAC"): 0.25, ("accepted", 0, "ABACA"): 0.5}
    assert set(found) == set(expected)
    assert all(likely(found[outcome], runs, p) for outcome, p in expected.items())


def test_without_a_match_it_is_red() -> None:
    """Draws the third packet again: a B does not match."""

    def outcome(seed: int, flow: int) -> tuple[str, str]:
        queue = of_four(seed)
        return queue.offer(0.0, 1000, flow).verdict, rest(queue)

    seed = next(seed for seed in range(100) if outcome(seed, 0) == ("dropped", "ABC"))
    assert outcome(seed, 1) == ("accepted", "ABACB")
    signalling = {"min_th": "3.5 packets", "max_th": "4 packets", "max_p": 1.0}
    queue = of_four(seed, **signalling)
    assert queue.offer(0.0, 1000, 1).reason == "forced"


def test_more_draws_and_the_head() -> None:
    """The paper's variants. Of A, A, A, C after a first match, a second draw may find another A."""
    queue = of_four(1, candidate="head")
    assert queue.offer(0.0, 1000, 1).verdict == "accepted"
    assert queue.offer(0.0, 1000, 0).verdict == "dropped"
    assert rest(queue) == "BACB"
    lost: set[int] = set()
    for seed in range(40):
        queue = of_four(seed, draws=2)
        queue.offer(0.0, 1000, 0)
        lost.add(len(queue.dropped))
    assert lost == {0, 1, 2}


def test_up_to_min_th_nothing_is_compared() -> None:
    queue = of_four(1, min_th="4 packets")
    assert queue.offer(0.0, 1000, 0).verdict == "accepted"
    assert queue["average"] == pytest.approx(4.0)
    assert {of_four(seed).offer(0.0, 1000, 0).verdict for seed in range(40)} == {"accepted", "dropped"}
