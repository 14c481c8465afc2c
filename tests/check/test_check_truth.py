"""Truth of the notes: simulations show what the notes say."""

from collections.abc import Mapping
from typing import Any, get_args

import polars as pl
import pytest
from plain import BOTH, DCTCP, ECN, PLAIN, QUEUE, TWO_LINKS, codes

import weir
from weir.check import notes
from weir.scenario import Declared, declared


def run(text: str, values: Mapping[str, Any], code: str, replications: int = 1) -> weir.Sweep:
    """The result of a scenario that has this note."""
    scenario = weir.Scenario.loads(text, {"duration": "40 s", **values})
    assert code in codes(scenario)
    return scenario.run(replications)


def whole(result: weir.Sweep, link: str = "a", of: str = "all") -> Mapping[str, Any]:
    rows = result.links.filter(
        pl.col("period") == -1, pl.col("link") == link, pl.col("class") == of, pl.col("group") == "all"
    )
    return rows.row(0, named=True)


def test_without_senders_nothing_is_marked() -> None:
    row = whole(run(PLAIN, {QUEUE: {"rem": {"ecn": True}}}, "ecn-without-senders"))
    assert row["marks"] == 0
    assert row["drops_early"] > 0


def test_dctcp_without_ecn_is_reno() -> None:
    def goodput(values: Mapping[str, Any]) -> list[float]:
        return (
            run(PLAIN, {QUEUE: {"red": {"min_th": "5 packets"}}, **values}, "threshold-below-bdp")
            .flows["goodput_bps"]
            .to_list()
        )

    assert goodput(DCTCP) == goodput({})


@pytest.mark.parametrize(
    ("low_latency", "empty", "few"), [("ect1", "L", 0.0), ("any-ect", "C", 0.05)], ids=["ect1", "any-ect"]
)
def test_a_class_is_empty(low_latency: str, empty: str, few: float) -> None:
    values = {QUEUE: {"dualpi2": {"low_latency": low_latency}}, ECN: True, **DCTCP}
    result = run(PLAIN, values, "empty-class")
    assert whole(result, of=empty)["arrivals"] <= few * whole(result)["arrivals"]


def test_thresholds_above_the_buffer_signal_nothing() -> None:
    values = {
        QUEUE: {"red": {"min_th": "60 packets", "max_th": "90 packets"}},
        "links.a.buffer": "60 packets",
    }
    row = whole(run(PLAIN, values, "threshold-above-buffer"))
    assert row["drops_early"] == 0
    assert row["drops_overflow"] > 0


def test_targets_that_a_full_buffer_keeps_hardly_act() -> None:
    row = whole(run(PLAIN, {QUEUE: {"codel": {}}, "links.a.buffer": "5 packets"}, "threshold-above-buffer"))
    assert row["drops_early"] == 0


@pytest.mark.parametrize(
    "values",
    [
        {QUEUE: {"red": {"min_th": "5 packets"}}, "links.a.rate": "50 Mbit/s", "flows.ftp.count": 4},
        {"links.a.buffer": "60 packets", "links.a.rate": "50 Mbit/s", "flows.ftp.count": 4},
        {QUEUE: {"step": {"threshold": "15 packets"}}, ECN: True, "links.a.rate": "50 Mbit/s"},
        {QUEUE: {"rem": {"target": "10 packets"}}, "links.a.rate": "50 Mbit/s", "flows.ftp.count": 4},
    ],
    ids=["red", "drop-tail", "step", "rem"],
)
def test_below_the_product_the_link_idles(values: Mapping[str, Any]) -> None:
    code = "threshold-below-bdp" if QUEUE in values else "buffer-below-bdp"
    assert whole(run(PLAIN, values, code))["utilisation"] < 0.95


@pytest.mark.parametrize(("control", "limit"), [("reno", 0.5), ("cubic", 0.25)])
def test_red_needs_a_higher_threshold(control: str, limit: float) -> None:
    """Utilisation of 50 Mbit/s by `max_th`, as a part of the product; the mean over numbers of flows."""
    flows, product = (1, 2, 4, 8, 16), 375

    def used(part: float) -> float:
        found = 0.0
        for count in flows:
            values = {
                "duration": "60 s",
                "links.a.rate": "50 Mbit/s",
                "flows.ftp.count": count,
                f"flows.ftp.tcp.congestion.{control}": {},
                QUEUE: {"red": {"max_th": f"{part * product:.0f} packets"}},
            }
            scenario = weir.Scenario.loads(PLAIN, values)
            assert ("threshold-below-bdp" in codes(scenario)) == (part < limit)
            found += whole(scenario.run(3))["utilisation"]
        return found / len(flows)

    assert used(0.9 * limit) < 0.91
    assert used(2.0 * limit) > 0.92


def test_windows_that_are_too_small_leave_the_queue_short() -> None:
    row = whole(run(PLAIN, {"flows.ftp.tcp.receive_window": "20 packets"}, "queue-never-fills"))
    assert row["drops"] == 0
    assert row["queue_max"] <= 8 * 20 - 75


def test_the_queue_is_at_the_moving_bottleneck() -> None:
    result = run(TWO_LINKS, {**BOTH, "measure.warm_up": "25 s"}, "moving-bottleneck")
    assert whole(result, "b")["queue_mean"] > 10 * whole(result, "a")["queue_mean"]


TWO_ROUND_TRIPS = (
    PLAIN.replace('rtt = "60 ms"', 'rtt = "40 ms"')
    + """
[flows.far]
count = 8
rtt = "80 ms"
packet_size = "1000 B"
start_jitter = "1 s"
"""
)


WAIT = {"flows.ftp.send_jitter": "0.6 ms", "flows.far.send_jitter": "0.6 ms"}
"""A packet's time at the bottleneck of `shared`, for both groups."""


def shared(count: int, values: Mapping[str, Any]) -> tuple[list[float], float]:
    """Rate of the flows of 40 ms over that of as many of 80 ms, by seed, and the mean delay in seconds."""
    sizes = {
        f"flows.{group}.{key}": value
        for group in ("ftp", "far")
        for key, value in (("count", count), ("packet_size", "1500 B"))
    }
    link = {
        "duration": "120 s",
        "measure.warm_up": "20 s",
        "links.a.rate": "20 Mbit/s",
        "links.a.buffer": "100 packets",
    }
    scenario = weir.Scenario.loads(TWO_ROUND_TRIPS, {**link, **sizes, **values})
    assert ("phase-effects" in codes(scenario)) == (values != WAIT)
    rates = scenario.run(3)
    of = {
        group: rates.groups.filter(pl.col("group") == group, pl.col("period") == -1).sort("replication")[
            "goodput_bps"
        ]
        for group in ("ftp", "far")
    }
    delay_ms = rates.links.filter(pl.col("group") == "all", pl.col("period") == -1)["delay_mean_ms"].mean()
    assert isinstance(delay_ms, float)
    return (of["ftp"] / of["far"]).to_list(), delay_ms / 1e3


def test_phases_turn_the_shares_of_round_trips_around() -> None:
    """With the same loss, rates are as one over the round trip. If all lose at the same instants, they are as
    its square (Lakshman and Madhow, 1997). With phases the flows of 40 ms get a third instead of more."""
    phases, _ = shared(10, {})
    assert max(phases) < 0.5
    waited, delay_s = shared(10, WAIT)
    ratio = (0.08 + delay_s) / (0.04 + delay_s)
    assert all(ratio < one < ratio**2 for one in waited)


def test_many_flows_have_phases_too() -> None:
    phases, waited = (shared(50, values)[0] for values in ({}, WAIT))
    assert all(after > 3.0 * before for before, after in zip(phases, waited, strict=True))


def test_a_remedy_for_one_group_is_none() -> None:
    assert max(shared(10, {"flows.ftp.send_jitter": "0.6 ms"})[0]) < min(shared(10, WAIT)[0])


def test_a_remedy_of_flows_in_step_leads_to_no_phases() -> None:
    """A random start would: it parts the flows, and leaves the phases of their round trips."""
    still = {"flows.ftp.start_jitter": "0 s", "flows.far.start_jitter": "0 s"}
    scenario = weir.Scenario.loads(TWO_ROUND_TRIPS, still)
    (found,) = [note for note in notes(scenario) if note.code == "flows-in-step"]
    assert found.hint == 'flows.ftp.send_jitter = "800 us" and flows.far.send_jitter = "800 us"'
    assert (
        codes(scenario.replace({"flows.ftp.send_jitter": "800 us", "flows.far.send_jitter": "800 us"})) == []
    )
    assert "phase-effects" in codes(
        scenario.replace({"flows.ftp.start_jitter": "1 s", "flows.far.start_jitter": "1 s"})
    )


def test_flows_in_step_are_the_same_in_every_replication() -> None:
    flows = run(PLAIN, {"flows.ftp.start_jitter": "0 s"}, "flows-in-step", 2).flows
    first, second = (flows.filter(pl.col("replication") == r)["goodput_bps"].to_list() for r in (0, 1))
    assert first == second


@pytest.mark.parametrize("discipline", [one.name for one in declared.disciplines()])
def test_flows_are_in_step_unless_the_queue_draws(discipline: str) -> None:
    values: dict[str, Any] = {"duration": "40 s", "flows.ftp.start_jitter": "0 s", QUEUE: {discipline: {}}}
    scenario = weir.Scenario.loads(PLAIN, values)
    flows = scenario.run(2).flows
    first, second = (flows.filter(pl.col("replication") == r)["goodput_bps"].to_list() for r in (0, 1))
    assert (first == second) == ("flows-in-step" in codes(scenario))


@pytest.mark.parametrize("discipline", declared.disciplines(), ids=lambda one: one.name)
def test_a_parameter_has_roles_that_the_notes_know(discipline: Declared) -> None:
    roles = [role for parameter in discipline.parameters for role in parameter.roles]
    assert set(roles) <= set(get_args(declared.Role))
    assert len(set(roles)) == len(roles)
