"""Which link is meant where none is named: the bottleneck, whatever the order of links and rates."""

from __future__ import annotations

import re

import pytest

import weir
from two_and_three_links import BUFFERS, Row, in_every_order
from weir.export import export
from weir.scenario._toml import Value
from weir.tune._region import Region
from weir.tune._space import Space


@in_every_order
def test_it_is_the_slowest_link(row: Row) -> None:
    network = row.scenario().network
    assert network.bottleneck.name == network.bottleneck.link == row.bottleneck
    assert network.bottleneck.ambiguity is None
    assert [path.bottleneck.name for path in network.paths] == [row.bottleneck]


@in_every_order
def test_disciplines_are_put_there(row: Row) -> None:
    for variant in row.scenario().chosen(disciplines=["red", "rem"]):
        queues = {port.link: port.queue for port in variant.scenario.network.ports}
        assert queues == dict.fromkeys(row.rates, "drop-tail") | {row.bottleneck: variant.name}


@in_every_order
def test_its_parameters_are_tuned(row: Row) -> None:
    everywhere = {f"links.{name}.queue": {"red": {"min_th": "2 packets"}} for name in row.rates}
    scenario = row.scenario(everywhere)
    (axis,) = Space.of(scenario, ["red.max_th=6..30"]).axes
    assert axis.column == f"links.{row.bottleneck}.queue.red.max_th"
    rate, buffer = Region.of(scenario, ["rate=2..4 Mbit/s", "buffer=20..40 packets"]).axes
    assert rate.column == f"links.{row.bottleneck}.rate"
    assert buffer.column == f"links.{row.bottleneck}.buffer"
    only_there = row.scenario({f"links.{row.bottleneck}.queue": {"red": {}}})
    assert Space.of(only_there, ["red.max_th=6..30"]).axes[0].column == axis.column
    for name in row.others:
        with pytest.raises(weir.WeirError, match=f"the queue of {row.bottleneck} is drop-tail"):
            Space.of(row.scenario({f"links.{name}.queue": {"red": {}}}), ["red.max_th=6..30"])


@in_every_order
def test_it_is_exported(row: Row) -> None:
    slowest = row.rates[row.bottleneck]
    scenario = row.scenario({f"links.{row.bottleneck}.queue": {"codel": {}}})
    tc = export(scenario).text
    assert f"codel for the link {row.bottleneck} of row" in tc
    assert re.search(rf"tbf rate {slowest}mbit ", tc)
    assert f" codel limit {BUFFERS[slowest]} " in tc
    assert f"option download '{900 * slowest}'" in export(scenario, form="sqm").text
    red = row.scenario({f"links.{row.bottleneck}.queue": {"red": {}}})
    assert f"shape average {1_000_000 * slowest}" in export(red, form="wred").text
    for name in row.others:
        assert f"pfifo for the link {name} of row" in export(scenario, name).text


def test_the_bottleneck_of_uploads_is_tuned_and_exported() -> None:
    """The port of the other direction, with its own rate, buffer and queue."""
    reverse: dict[str, Value] = {"rate": "2 Mbit/s", "buffer": "40 packets", "queue": {"pie": {}}}
    row = Row({"core": 20}, ("core",))
    scenario = row.scenario({"links.core.reverse": reverse, "flows.ftp.upload": True})
    assert scenario.network.bottleneck.name == "core.reverse"
    (axis,) = Space.of(scenario, ["pie.target=5..50 ms"]).axes
    assert axis.column == "links.core.reverse.queue.pie.target"
    found = export(scenario)
    assert "pie for the link core.reverse of row" in found.text
    assert found.text == export(scenario, "core.reverse").text
    assert " tbf rate 2mbit " in found.text
    assert " pie limit 40 " in found.text
    section = export(scenario, form="sqm", share=0.95).text
    assert "option upload '1900'" in section
    assert "option download '0'" in section
    assert "pfifo for the link core of row" in export(scenario, "core").text
    stand_in = export(scenario.replace({"links.core.reverse.queue": {"rem": {}}}))
    assert "pie in place of rem for the link core.reverse of row" in stand_in.text
