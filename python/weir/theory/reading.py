"""The network of the model that a scenario describes.

A link carries its rate over 8 times its mean packet, in packets per second. A group of flows is a source:
its utility, and bounds where they are stated, are those of `tcp.congestion.rem-host`; else m is a packet
per round trip, below which a window cannot go, and M what the receiver's window allows in a round trip
without queues.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any

from weir import _core
from weir.scenario.loads import Direction, present, rate_changes, way
from weir.scenario.scenario import Scenario
from weir.theory.errors import TheoryError
from weir.theory.network import Link, Network, Source
from weir.theory.utility import Utility

Table = Mapping[str, Any]

HOST = "rem-host"


def network_of(scenario: Scenario, at: float | None = None, target: float = 1.0) -> Network:
    """The links' rates and the flows that are there at an instant in seconds; if None, at the end.

    Raises TheoryError for what the model has no word for: hosts without a utility, packets of several
    sizes, links that follow a trace.
    """
    return network_in(json.loads(scenario.core.to_json()), scenario.duration if at is None else at, target)


def network_in(told: Table, instant: float, target: float = 1.0) -> Network:
    """As `network_of`, of a resolved scenario as plain values.

    The reverse direction of a link is a link of its own, `NAME.reverse`, where data pass it.
    """
    groups = {name: present(group, instant) for name, group in told["flows"].items()}
    here = {name: count for name, count in groups.items() if count > 0}
    if not here:
        raise TheoryError(f"no flow is there at {instant:g} s", "name another instant: --at SECONDS")
    sources = tuple(_source(name, told["flows"][name], told, count) for name, count in here.items())
    used = {link for source in sources for link in source.path}
    lanes = {lane: link for lane, link in _lanes(told["links"]).items() if lane in used}
    _check_packets({name: told["flows"][name] for name in here}, lanes)
    links = tuple(_link(lane, link, target, instant) for lane, link in lanes.items())
    return Network(links, sources, str(told["name"]))


def _lanes(links: Table) -> dict[str, Table]:
    """The directions of the links by name, each with the keys of a link."""
    lanes: dict[str, Table] = {}
    for name, link in links.items():
        lanes[name] = link
        reverse: Table = link.get("reverse") or {}
        lanes[_lane(name, "reverse")] = {
            "rate": link.get("rate"),
            "mean_packet_size": link["mean_packet_size"],
            **reverse,
        }
    return lanes


def _lane(link: str, direction: Direction) -> str:
    return link if direction == "forward" else f"{link}.reverse"


def _link(name: str, link: Table, target: float, instant: float) -> Link:
    if link.get("trace"):
        raise TheoryError(
            "the model has links of one rate, and this one follows a trace",
            "give it the rate to compute with: rate",
            f"links.{name}.trace",
        )
    until_then = rate_changes(link, math.nextafter(instant, math.inf))
    rate = until_then[-1][1] if until_then else _number(link["rate"])
    return Link(name, rate / (8.0 * _number(link["mean_packet_size"])), target)


def _source(name: str, group: Table, told: Table, count: int) -> Source:
    congestion: Table = group["tcp"]["congestion"]
    law = next(iter(congestion))
    path = tuple(_lane(link, direction) for link, direction in way(told, group))
    if law != HOST or group.get("traffic"):
        said = "traffic of its own" if group.get("traffic") else law
        raise TheoryError(
            f"{said} states no utility",
            'tcp.congestion.rem-host = { utility = "log-one-plus", weight = 5626.0 } states one',
            f"flows.{name}.tcp.congestion" if law != HOST else f"flows.{name}.traffic",
        )
    host: Table = congestion[HOST]
    rtt = _base_rtt(group["rtt"], host)
    window = group["tcp"].get("receive_window")
    allowed = _packets(window, group["packet_size"]) / rtt if window and rtt > 0.0 else math.inf
    return Source(
        name,
        path,
        _utility(host["utility"], float(host["weight"])),
        least=float(host.get("least") or (1.0 / rtt if rtt > 0.0 else 0.0)),
        greatest=min(float(host.get("greatest") or math.inf), allowed),
        count=count,
    )


def _utility(stated: str | Table, weight: float) -> Utility:
    if isinstance(stated, str):
        return Utility.log(weight) if stated == "log" else Utility.log_one_plus(weight)
    return Utility.fair(weight, float(stated["fair"]))


def _base_rtt(rtt: str | Table, host: Table) -> float:
    """Seconds; 0 where it is drawn for each flow."""
    stated = host.get("base_rtt") or rtt
    return _number(stated) if isinstance(stated, str) else 0.0


def _packets(window: str, packet: str) -> float:
    value, kind = _core.quantity(window)
    return value / _number(packet) if kind == "B" else value


def _check_packets(groups: Mapping[str, Table], links: Table) -> None:
    sizes = {f"flows.{name}.packet_size": str(group["packet_size"]) for name, group in groups.items()}
    first, *others = sizes
    odd = next((path for path in others if sizes[path] != sizes[first]), None)
    if odd is not None:
        raise TheoryError(
            f"the model counts packets of one size, and this is {sizes[odd]} where {first} is {sizes[first]}",
            "give all flows packets of one size: --set",
            odd,
        )
    for name, link in links.items():
        if _number(link["mean_packet_size"]) != _number(sizes[first]):
            raise TheoryError(
                f"the link counts packets of {link['mean_packet_size']}, and the flows send {sizes[first]}",
                "give both one size",
                f"links.{name}.mean_packet_size",
            )


def _number(text: str) -> float:
    return _core.quantity(text)[0]
