"""The network of the model that a scenario describes.

A link carries its rate over 8 times its mean packet, in packets per second. A group of flows is a source.
Its utility, and bounds where they are stated, are those of `tcp.congestion.rem-host`. Otherwise m is a
packet per round trip, below which a window cannot go. M is then what the receiver's window allows in a round
trip without queues.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from weir import _core
from weir.scenario import Scenario, core_of, flows_at
from weir.theory._network import Link, Network, Source
from weir.theory._utility import TheoryError, Utility, require

HOST = "rem-host"


def network_of(scenario: Scenario, at: float | None = None, target: float = 1.0) -> Network:
    """The links' rates and the flows that are there at an instant in seconds; if None, at the end.

    The reverse direction of a link is a link of its own, `NAME.reverse`, where data pass it. Raises
    TheoryError for what the model does not have: hosts without a utility, packets of several sizes, links
    that follow a trace. Raises it, too, for an instant after the end.

    Example:
        >>> from weir.theory import network_of
        >>> host = {"rem-host": {"utility": "log-one-plus", "weight": 500.0}}
        >>> network = network_of(scenario.replace({"flows.ftp.tcp.congestion": host}))
        >>> network.capacities.tolist(), network.counts.tolist()
        ([500.0], [4.0])
    """
    network = core_of(scenario).network
    instant = network.duration_s if at is None else at
    end = network.duration_s
    require(instant <= end, f"{scenario.name} ends at {end:g} s, before {instant:g} s", "an earlier instant")
    present = [path for path in network.paths if flows_at(path.load, instant) > 0]
    require(bool(present), f"no flow is there at {instant:g} s", "name another instant: --at SECONDS")
    sources = [
        _source(path, scenario.core.value(f"flows.{path.group}.tcp"), flows_at(path.load, instant))
        for path in present
    ]
    ports = [port for port in network.ports if any(port.name in path.data for path in present)]
    _check_packets(present, ports)
    links = [_link(port, target, instant) for port in ports]
    return Network(tuple(links), tuple(sources), scenario.name)


def _link(port: _core.Port, target: float, instant: float) -> Link:
    require(
        not port.follows_trace,
        "the model has links of one rate, and this one follows a trace",
        "give it the rate to compute with: rate",
        f"{port.key}.trace",
    )
    rates = [port.rate_bps, *(rate for since, rate in port.rate_changes if since <= instant)]
    return Link(port.name, rates[-1] / (8.0 * port.mean_packet_bytes), target)


def _source(path: _core.Path, tcp: Mapping[str, Any], count: int) -> Source:
    (control,) = tcp["congestion"]
    bulk = path.traffic == "bulk"
    if control != HOST or not bulk:
        what, key = (control, "tcp.congestion") if bulk else ("traffic of its own", "traffic")
        raise TheoryError(
            f"{what} states no utility",
            'tcp.congestion.rem-host = { utility = "log-one-plus", weight = 5626.0 } states one',
            f"flows.{path.group}.{key}",
        )
    host = tcp["congestion"][HOST]
    # Without a round trip that is the same for all there is no bound by windows.
    rtt = _core.quantity(host["base_rtt"])[0] if host.get("base_rtt") else path.base_rtt_s or 0.0
    allowed = math.inf
    if tcp.get("receive_window") and rtt > 0.0:
        window, kind = _core.quantity(tcp["receive_window"])
        allowed = (window / path.packet_bytes if kind == "B" else window) / rtt
    return Source(
        path.group,
        tuple(path.data),
        _utility(host["utility"], float(host["weight"])),
        least=float(host.get("min_rate") or (1.0 / rtt if rtt > 0.0 else 0.0)),
        greatest=min(float(host.get("max_rate") or math.inf), allowed),
        count=count,
    )


def _utility(stated: str | Mapping[str, Any], weight: float) -> Utility:
    if isinstance(stated, str):
        return Utility.log(weight) if stated == "log" else Utility.log_one_plus(weight)
    return Utility.fair(weight, float(stated["fair"]))


def _check_packets(paths: Sequence[_core.Path], ports: Sequence[_core.Port]) -> None:
    size = paths[0].packet_bytes
    for path in paths:
        require(
            path.packet_bytes == size,
            f"the model counts packets of one size, and this is {path.packet_bytes} B "
            f"where flows.{paths[0].group}.packet_size is {size} B",
            "give all flows packets of one size: --set",
            f"flows.{path.group}.packet_size",
        )
    for port in ports:
        require(
            port.mean_packet_bytes == size,
            f"the link counts packets of {port.mean_packet_bytes} B, and the flows send {size} B",
            "give both one size",
            f"{port.key}.mean_packet_size",
        )
