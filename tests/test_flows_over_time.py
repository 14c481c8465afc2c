"""Records of flows, drawn over time."""

from __future__ import annotations

import json
from collections.abc import Sequence

import pytest

import weir
from fake_sweep import encoded
from weir import plot
from weir.plot import Figure
from weir.sweep._dimension import ChartError

SCENARIO = """
schema = 1
name = "windows"
duration = "6 s"
measure.warm_up = "1 s"
measure.series = {{ interval = "50 ms"{flows} }}

[links.b]
rate = "5 Mbit/s"
delay = "5 ms"
buffer = "40 packets"
queue.rem = {{ target = "10 packets" }}

[flows.reno]
count = 2
rtt = "40 ms"

[flows.cubic]
rtt = "40 ms"
tcp.congestion.cubic = {{}}

[variants.rem]
[variants.plain]
links.b.queue.drop-tail = {{}}
"""


def swept(flows: Sequence[str]) -> weir.Sweep:
    watched = f", flows = {json.dumps(list(flows))}" if flows else ""
    return weir.Scenario.loads(SCENARIO.format(flows=watched)).compare()


@pytest.fixture(scope="module")
def watched() -> weir.Sweep:
    return swept(["reno", "cubic.0"])


def panels(drawn: Figure) -> list[str]:
    return drawn.rows["panel"].unique(maintain_order=True).to_list()


@pytest.mark.parametrize("variable", ["cwnd", "ssthresh", "flight", "srtt"])
def test_what_every_sender_has_is_drawn_a_line_for_each_flow(watched: weir.Sweep, variable: str) -> None:
    drawn = plot.over_time(watched, variable)
    assert panels(drawn) == ["rem", "plain"]
    assert set(drawn.rows["line"]) == {"reno.0", "reno.1", "cubic.0"}
    assert {one["field"] for one in encoded(drawn, "color")} == {"line"}
    assert drawn.name == f"{variable}-over-time"
    unit = "s" if variable == "srtt" else "packets"
    assert {one.get("title") for one in encoded(drawn, "y")} == {f"{variable} ({unit})"}
    # Before its first sample a flow has no round trip: there is nothing to draw, and nothing is not a number.
    assert drawn.rows["mean"].is_finite().all()
    assert drawn.rows["highest"].is_finite().all()


def test_the_variables_of_a_congestion_control_have_their_units(watched: weir.Sweep) -> None:
    drawn = plot.over_time(watched, "w_max,k")
    assert panels(drawn) == ["rem: w_max (segments)", "rem: k (s)", "plain: w_max (segments)", "plain: k (s)"]
    assert set(drawn.rows["line"]) == {"cubic.0"}


def test_queue_and_windows_stand_together(watched: weir.Sweep) -> None:
    drawn = plot.over_time(watched, "queue,cwnd of reno", where={"variant": "rem"})
    assert panels(drawn) == ["queue (packets)", "cwnd (packets)"]
    assert set(drawn.rows["line"]) == {"rem", "reno.0", "reno.1"}
    (legend,) = {tuple(one["legend"]["values"]) for one in encoded(drawn, "color") if one.get("legend")}
    assert legend == ("reno.0", "reno.1")
    one = plot.over_time(watched, "cwnd of reno.1, queue at b")
    assert set(one.rows["line"]) == {"rem", "plain", "reno.1"}


def test_without_a_name_it_is_the_queues_as_ever(watched: weir.Sweep) -> None:
    assert not any("cwnd" in name for name in panels(plot.over_time(watched)))


@pytest.mark.parametrize(
    ("measure", "told"),
    [
        ("window", "no series 'window'; there are: queue, .*cwnd, ssthresh"),
        ("cwnd of nobody", "no cwnd of nobody was recorded"),
        ("w_max of reno", "no w_max of reno was recorded"),
    ],
)
def test_a_wrong_name_is_told_what_there_is(watched: weir.Sweep, measure: str, told: str) -> None:
    with pytest.raises(ChartError, match=told):
        plot.over_time(watched, measure)


def test_flows_that_were_not_watched_can_be() -> None:
    with pytest.raises(ChartError) as raised:
        plot.over_time(swept([]), "cwnd")
    assert 'measure.series.flows = ["reno"]' in str(raised.value.hint)
