"""Results in which nothing was measured, and scenarios that will have none."""

from __future__ import annotations

import re

import weir

STOPS = """
schema = 1
name = "stops"
duration = "3 s"
measure.warm_up = "2 s"

[links.b]
rate = "10 Mbit/s"
delay = "5 ms"
buffer = "50 packets"

[flows.f]
rtt = "20 ms"
"""


def test_flows_that_are_not_there_while_it_is_measured_are_a_warning() -> None:
    scenario = weir.Scenario.loads(STOPS, {"flows.f.stop": "1 s"})
    (note,) = [one for one in weir.check.notes(scenario) if one.code == "no-traffic-measured"]
    assert (note.severity, note.path) == ("warning", "measure.warm_up")
    (found,) = [one.note for one in scenario.run().notes if one.note.code == "nothing-measured"]
    assert found.severity == "warning"
    other = weir.Scenario.loads(STOPS)
    assert "no-traffic-measured" not in [note.code for note in weir.check.notes(other)]
    assert "nothing-measured" not in [one.note.code for one in other.run().notes]


def test_runs_without_arrivals_are_counted() -> None:
    """Counts runs without arrivals: where arrivals are few, some runs have none."""
    text = STOPS + 'traffic.poisson = { rate = "0.7 /s", size = "10 kB" }\n'
    sweep = weir.Scenario.loads(text).run(replications=10)
    (note,) = [one.note for one in sweep.notes if one.note.code == "nothing-measured"]
    assert re.search(r"after the warm-up in [1-9] of 10 runs", note.message)
