"""Datagrams over links without another direction: they have no ACKs, and need no way for them."""

import pytest

import weir
from weir.check import notes

ONE_WAY = """\
schema = 1
name = "one-way"
duration = "4 s"
measure.warm_up = "1 s"
links.b = { rate = "10 Mbit/s", delay = "10 ms", buffer = "100 packets", unidirectional = true }

[flows.udp]
rtt = "40 ms"
"""


@pytest.mark.parametrize("traffic", ["cbr", "on-off"])
def test_datagrams_arrive(traffic: str) -> None:
    scenario = weir.Scenario.loads(f'{ONE_WAY}traffic.{traffic}.rate = "4 Mbit/s"\n')
    assert [list(path.acks) for path in scenario.network.paths] == [[]]
    notes(scenario)
    links = scenario.run().tables["links"]
    (arrived,), (left,) = links.select("arrivals").max().row(0), links.select("departures").max().row(0)
    assert arrived == left
    assert left > 0


def test_tcp_needs_a_way_back() -> None:
    with pytest.raises(weir.ScenarioError, match="ACKs have no path back"):
        weir.Scenario.loads(ONE_WAY)
