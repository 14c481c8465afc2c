"""Rules on the start of a run, and on what is random in it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from weir import _core
from weir.check._note import Remark, note
from weir.check._resolved import Resolved, duration_of, names
from weir.check._units import time

_FEW_FLOWS = 5
"""Number of flows from which on they are many."""

_ROUND_TRIPS = 100
"""Round trips of the proposed warm-up: slow start, and the first cycles of the windows."""


def no_warm_up(scene: Resolved) -> Iterator[Remark]:
    """`warm_up` is zero: the whole run counts, with slow start and the empty queue before it.

    RFC 7928, section 8.2, lets time begin when all flows are in congestion avoidance. The overshoot of slow
    start alone can make a 99th percentile.
    """
    if duration_of(scene.document["measure"], "warm_up") > 0.0:
        return
    tcp = [path for path in scene.paths if not path.is_datagrams]
    if tcp:
        longest = max(path.base_rtt_range_s[1] for path in tcp)
        enough = min(_ROUND_TRIPS * longest, scene.network.duration_s / 4.0)
        yield note(
            "measure.warm_up",
            "the results of the whole run include the start: slow start and its losses",
            f'measure.warm_up = "{time(enough)}"',
        )


def drawn_rtts(scene: Resolved) -> Iterator[Remark]:
    """Round trips are drawn: each replication has others, the same for all variants.

    Differences between variants are paired. A mean over replications is one over draws too, so that one
    replication says little.
    """
    drawn = [path for path in scene.paths if path.base_rtt_s is None]
    if drawn:
        low = min(path.base_rtt_range_s[0] for path in drawn)
        high = max(path.base_rtt_range_s[1] for path in drawn)
        yield note(
            f"flows.{drawn[0].group}.rtt",
            f"each replication draws the round trips of {names(drawn)} anew, the same for all variants: "
            f"about {time(low)} to {time(high)}",
            "--replications 10 or more, and paired differences instead of means",
        )


def flows_in_step(scene: Resolved) -> Iterator[Remark]:
    """Flows start at the same instant with the same round trip, and nothing is random: they stay in step.

    Real flows do not (RFC 7928, section 3.2, varies them). Without chance anywhere, every replication gives
    the same; chance in other traffic alone parts them late.
    """
    for port in scene.bottlenecks:
        together = _in_step(scene, port)
        if together:
            path, flows = together
            others = [other for other in scene.through(port) if _is_random(scene, other)]
            why = (
                f"until the traffic of {names(others)} parts them"
                if others
                else f"nothing at {port.name} is random"
            )
            yield Remark(
                "note" if others else "warning",
                f"flows.{path.group}.start_jitter",
                f"{flows} flows start at the same instant with the same round trip, and stay in step: {why}",
                f'flows.{path.group}.start_jitter = "1 s"',
            )


def phase_effects(scene: Resolved) -> Iterator[Remark]:
    """Few flows with fixed round trips before DropTail: phases can decide whose packets are dropped.

    Floyd and Jacobson, On Traffic Phase Effects in Packet-Switched Gateways, 1992: a round trip that is a
    little longer changes the shares of flows entirely. A random time before each packet, up to one packet
    time at the bottleneck, breaks it.
    """
    for port in scene.bottlenecks:
        paths = scene.bulk_through(port)
        flows = scene.load(port).most
        if (
            scene.aqm(port).name == "drop-tail"
            and 2 <= flows < _FEW_FLOWS
            and _is_regular(scene, port, paths)
            and not _in_step(scene, port)
        ):
            packet = paths[0].packet_bytes * 8.0 / port.rate_bps
            yield note(
                f"flows.{paths[0].group}.send_jitter",
                f"{flows} flows with fixed round trips before DropTail: phases can decide whose packets are "
                "dropped",
                f'flows.{paths[0].group}.send_jitter = "{time(packet)}"',
            )


def _is_regular(scene: Resolved, port: _core.Port, paths: list[_core.Path]) -> bool:
    """Returns true if nothing random disturbs the bulk flows through the port once they have started."""
    return (
        bool(paths)
        and not port.loses_packets
        and all(
            path.base_rtt_s is not None
            and not duration_of(scene.group(path), "send_jitter")
            and not _is_parted(scene, path)
            for path in paths
        )
    )


def _in_step(scene: Resolved, port: _core.Port) -> tuple[_core.Path, int] | None:
    """The first group with flows that start in step, at a port where nothing by itself parts them; and their
    number."""
    if scene.aqm(port).draws or port.loses_packets:
        return None
    regular = [
        path
        for path in scene.through(port)
        if path.traffic == "bulk" and not _is_random(scene, path) and not _is_parted(scene, path)
    ]
    alike = [
        (scene.data_of(path), path.base_rtt_s, path.packet_bytes, scene.group(path)["start"])
        for path in regular
    ]
    counts = Counter[object]()
    for key, path in zip(alike, regular, strict=True):
        counts[key] += scene.group(path)["count"]
    return next(
        ((path, counts[key]) for path, key in zip(regular, alike, strict=True) if counts[key] > 1), None
    )


def _is_random(scene: Resolved, path: _core.Path) -> bool:
    """Returns true if chance decides when the packets of the group are sent."""
    group = scene.group(path)
    return (
        path.base_rtt_s is None
        or path.is_random
        or any(duration_of(group, key) > 0.0 for key in ("start_jitter", "send_jitter"))
    )


def _is_parted(scene: Resolved, path: _core.Path) -> bool:
    """Returns true if chance on a line decides when packets of the group, or their ACKs, arrive."""
    way = [
        scene.ports_by_name[name]
        for name in (*scene.data_of(path), *path.acks)
        if name in scene.ports_by_name
    ]
    return any(
        port.loses_packets or "delay_variation" in line or "max_interval" in line.get("aggregation", {})
        for port, line in ((port, scene.link(port)) for port in way)
    )
