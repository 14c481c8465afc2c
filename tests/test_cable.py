"""The template of a cable modem: what its queue does, and that requests and grants depend on nothing else."""

from __future__ import annotations

from functools import cache
from typing import Any

import polars as pl
import pytest

import weir
from weir.check import Packets, Resolved, cost, notes
from weir.cli._templates import templates
from weir.run import WHOLE_RUN

SHORT = {"duration": "30 s", "measure.warm_up": "5 s"}


@cache
def compared() -> weir.Sweep:
    return weir.Scenario.loads(templates()["cable"], SHORT).compare(replications=2)


def of_groups(measure: str, variant: str) -> dict[str, float]:
    rows = compared().summary(by="group").filter(pl.col("variant") == variant)
    return dict(zip(rows["group"], rows[measure], strict=True))


def test_docsis_pie_takes_the_delay_from_the_game() -> None:
    """RFC 8034, section 1: buffers of modems delay latency-sensitive traffic, and bulk throughput stays."""
    delays = {name: of_groups("delay_p99", name)["game"] for name in ("drop-tail", "docsis-pie")}
    assert delays["drop-tail"] > 150.0
    assert delays["docsis-pie"] < 45.0
    uploads = {name: of_groups("goodput", name)["upload"] for name in delays}
    assert uploads["docsis-pie"] > 0.9 * uploads["drop-tail"]


def test_a_queue_per_flow_leaves_the_wait_for_grants() -> None:
    """The game takes the grants of the uploads; with proactive grants it waits for the next interval."""
    with_requests, proactive = (of_groups("delay_mean", name)["game"] for name in ("fq-codel", "proactive"))
    assert 0.5 < proactive < with_requests < 4.0


@cache
def quiet() -> weir.Scenario:
    stop = {"flows.upload.stop": "1 ms", "flows.download.stop": "1 ms"}
    return weir.Scenario.loads(templates()["cable"], {"duration": "60 s", **stop})


def wait(scenario: weir.Scenario) -> float:
    rows = scenario.run(seed=3).summary(by="group")
    return rows.filter(pl.col("group") == "game")["delay_mean"].item()


def test_proactive_grants_shorten_the_wait_of_a_quiet_modem() -> None:
    # In intervals of 2 ms it is 7/12 until the request. The grant of a request at u comes in the next
    # one if u <= 0.19, else in that after it: after half of the 1.6 ms that a grant of 5,000 B leaves.
    expected = 2.0 * (7.0 / 12.0 + 0.19 * (1.0 - 0.095) + 0.81 * (2.0 - 0.595)) + 0.8
    assert wait(quiet()) == pytest.approx(expected, abs=0.15)
    granted = quiet().replace({"links.cable.reverse.docsis.guaranteed_grant_rate": "1 Mbit/s"})
    # The mean wait for the next of intervals of 2 ms.
    assert wait(granted) == pytest.approx(1.0, abs=0.05)


def test_bytes_are_the_same_on_one_core_and_on_two() -> None:
    scenario = weir.Scenario.loads(templates()["cable"], {"duration": "5 s", "measure.warm_up": "1 s"})
    one, two = (scenario.compare(replications=3, threads=threads).summary() for threads in (1, 2))
    assert one.equals(two)


def test_variants_have_the_same_places_of_grants() -> None:
    """A stream by the number of the interval: another queue leaves an arrival its wait."""
    assert len({wait(quiet().variant(name)) for name in ("drop-tail", "docsis-pie", "fq-codel")}) == 1


def test_a_target_below_the_loop_costs_the_rate() -> None:
    """The note that says so, and what follows from its remedy."""
    slow: dict[str, Any] = {
        "links.cable.reverse.docsis.request_to_grant": "15 ms",
        "links.cable.reverse.queue": {"pie": {}},
    }
    base = weir.Scenario.loads(templates()["cable"], {**SHORT, **slow})
    (found,) = (note for note in notes(base) if note.code == "target-below-loop")
    assert found.path == "links.cable.reverse.queue.pie.target"
    assert found.hint == f'{found.path} = "36 ms"'
    longer = base.replace({found.path: "36 ms"})
    assert not any(note.code == "target-below-loop" for note in notes(longer))
    alone = base.replace({"flows.download.stop": "1 ms"})
    used = [scenario.run(seed=1).summary()["utilisation"].item() for scenario in (base, alone, longer)]
    assert used[0] < 20.0
    assert 45.0 < used[1] < 75.0
    assert used[2] > 85.0


def test_a_full_buffer_holds_mostly_what_is_mostly_sent() -> None:
    """Two uploads and a game of 3% of the packets: `weir check` says how long the queue is at most."""
    alone = weir.Scenario.loads(templates()["cable"], {"duration": "60 s", "flows.download.stop": "1 ms"})
    resolved = Resolved.of(alone.core)
    (port,) = (one for one in resolved.ports if one.name == "cable.reverse")
    full_ms = Packets(resolved).full_bits(port) / port.rate_bps * 1e3
    assert full_ms == pytest.approx(348.5, abs=0.5)
    whole = (pl.col("period") == WHOLE_RUN) & (pl.col("class") == "all") & (pl.col("group") == "all")
    links = alone.run(seed=1).links.filter(whole, pl.col("direction") == "reverse")
    assert links["queue_max"].item() == 300.0
    assert links["delay_p999_ms"].item() == pytest.approx(full_ms, rel=0.02)


def test_guaranteed_grants_spare_the_wait_if_they_carry_all() -> None:
    """Packets beyond them wait for a request, and all behind: an AQM below that holds senders to them."""
    slow: dict[str, Any] = {
        "links.cable.reverse.docsis.request_to_grant": "40 ms",
        "links.cable.reverse.queue": {"pie": {"target": "5 ms"}},
    }
    base = weir.Scenario.loads(templates()["cable"], {**SHORT, **slow})
    found: dict[str, tuple[bool, float]] = {}
    for granted in ("6 Mbit/s", "8 Mbit/s", "9.5 Mbit/s"):
        scenario = base.replace({"links.cable.reverse.docsis.guaranteed_grant_rate": granted})
        warned = "target-below-loop" in {note.code for note in notes(scenario)}
        found[granted] = (warned, scenario.run(seed=1).summary()["utilisation"].item())
    assert [warned for warned, _ in found.values()] == [True, True, False]
    assert found["6 Mbit/s"][1] == pytest.approx(60.0, abs=6.0)
    assert found["8 Mbit/s"][1] == pytest.approx(80.0, abs=6.0)
    assert found["9.5 Mbit/s"][1] > 90.0


def test_a_buffer_below_the_loop_leaves_the_line_idle() -> None:
    """The note's rate is not passed, and its remedy fills the line."""
    slow: dict[str, Any] = {
        "links.cable.reverse.docsis.request_to_grant": "0.3 s", "flows.download.stop": "1 ms",
        "links.cable.reverse.buffer": "100 packets", "measure.warm_up": "10 s",
    }  # fmt: skip
    short = weir.Scenario.loads(templates()["cable"], {"duration": "30 s", **slow})
    (found,) = (note for note in notes(short) if note.code == "buffer-below-loop")
    assert "at most 3.83 Mbit/s leave" in found.message
    value = found.hint.split('"')[1]
    used = [
        one.run(seed=1).summary()["utilisation"].item() for one in (short, short.replace({found.path: value}))
    ]
    assert used[0] < 38.3
    assert used[1] > 80.0


def test_a_run_of_few_turns_carries_little() -> None:
    """Two uploads double their windows of 10 packets once in 10 s: 2 * 10 * (2**5 - 1) packets at most."""
    slow = {"links.cable.reverse.docsis.request_to_grant": "10 s", "flows.download.stop": "1 ms"}
    few = weir.Scenario.loads(templates()["cable"], {"duration": "60 s", "measure.warm_up": "0 s", **slow})
    assert "grant-after-run" in {note.code for note in notes(few)}
    carried = [few.run(seed=seed).summary()["utilisation"].item() for seed in (1, 2, 3)]
    assert max(carried) <= 100.0 * 620 * 12_000 / 600e6
    assert carried == pytest.approx([0.3] * 3, abs=0.1)


def test_short_intervals_of_a_modem_take_time() -> None:
    """Each interval in which something waits is an event: 20 million of them."""
    base = weir.Scenario.loads(templates()["cable"], {"duration": "20 s"})
    estimates = [
        cost(base.replace({"links.cable.reverse.docsis.map_interval": every})).cpu_s
        for every in ("2 ms", "1 us")
    ]
    assert estimates[0] < 0.1
    assert estimates[1] == pytest.approx(1.5, rel=0.1)
