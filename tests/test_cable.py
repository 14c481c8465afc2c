"""The template of a cable modem: what its queue does, and that requests and grants depend on nothing else."""

from __future__ import annotations

from functools import cache
from typing import Any

import polars as pl
import pytest

import weir
from weir.check import notes
from weir.cli._templates import templates

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
    # The mean residual of intervals whose grants lie at random in 1.6 ms.
    assert wait(granted) == pytest.approx(1.0 + 1.6**2 / 12.0 / 2.0, abs=0.1)


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
