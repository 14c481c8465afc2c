"""Rules on the start of a run, and on what is random in it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from weir import _core
from weir.check._note import Note
from weir.check._resolved import UNRESPONSIVE, Resolved, most_flows, names, seconds
from weir.check._units import time

_DRAW_NOTHING = frozenset({"drop-tail", "step", "codel"})
"""AQMs without chance."""

_FEW_FLOWS = 5
"""Fewer are few."""

_ROUND_TRIPS = 100
"""Of warm-up that are proposed: slow start, and the first cycles of the windows."""


def no_warm_up(scene: Resolved) -> Iterator[Note]:
    """`warm_up` is zero: the whole run counts, with slow start and the empty queue before it.

    RFC 7928, section 8.2, lets time begin when all flows are in congestion avoidance. The overshoot of slow
    start alone can make a 99th percentile.
    """
    if seconds(scene.document["measure"], "warm_up") > 0.0:
        return
    tcp = [path for path in scene.paths if path.traffic not in UNRESPONSIVE]
    if tcp:
        longest = max(path.base_rtt_range_s[1] for path in tcp)
        enough = min(_ROUND_TRIPS * longest, scene.network.duration_s / 4.0)
        yield Note(
            "no-warm-up",
            "note",
            "measure.warm_up",
            "the results of the whole run include the start: slow start and its losses",
            f'measure.warm_up = "{time(enough)}"',
        )


def drawn_rtts(scene: Resolved) -> Iterator[Note]:
    """Round trips are drawn: each replication has others, the same for all variants.

    Differences between variants are paired. A mean over replications is one over draws too, so that one
    replication says little.
    """
    drawn = [path for path in scene.paths if path.base_rtt_s is None]
    if drawn:
        low = min(path.base_rtt_range_s[0] for path in drawn)
        high = max(path.base_rtt_range_s[1] for path in drawn)
        yield Note(
            "drawn-rtts",
            "note",
            f"flows.{drawn[0].group}.rtt",
            f"each replication draws the round trips of {names(drawn)} anew, the same for all variants: "
            f"about {time(low)} to {time(high)}",
            "--replications 10 or more, and paired differences instead of means",
        )


def flows_in_step(scene: Resolved) -> Iterator[Note]:
    """Flows start at the same instant with the same round trip, and nothing is random: they stay in step.

    Real flows do not (RFC 7928, section 3.2, varies them). Without chance anywhere, every replication gives
    the same.
    """
    for port in scene.bottlenecks:
        together = _in_step(scene, port)
        if together:
            path, flows = together
            yield Note(
                "flows-in-step",
                "warning",
                f"flows.{path.group}.start_jitter",
                f"{flows} flows start at the same instant with the same round trip, and stay in step: "
                f"nothing at {port.name} is random",
                f'flows.{path.group}.start_jitter = "1 s"',
            )


def phase_effects(scene: Resolved) -> Iterator[Note]:
    """Few flows with fixed round trips before DropTail: phases can decide whose packets are dropped.

    Floyd and Jacobson, On Traffic Phase Effects in Packet-Switched Gateways, 1992: a round trip that is a
    little longer changes the shares of flows entirely. A random time before each packet, up to one packet
    time at the bottleneck, breaks it.
    """
    for port in scene.bottlenecks:
        paths = scene.bulk_through(port)
        flows = most_flows(port.load)
        if (
            scene.aqm(port).name == "drop-tail"
            and 2 <= flows < _FEW_FLOWS
            and _is_regular(scene, port, paths)
            and not _in_step(scene, port)
        ):
            packet = paths[0].packet_bytes * 8.0 / port.rate_bps
            yield Note(
                "phase-effects",
                "note",
                f"flows.{paths[0].group}.send_jitter",
                f"{flows} flows with fixed round trips before DropTail: phases can decide whose packets are "
                "dropped",
                f'flows.{paths[0].group}.send_jitter = "{time(packet)}"',
            )


def _is_regular(scene: Resolved, port: _core.Port, paths: list[_core.Path]) -> bool:
    """Whether nothing random disturbs the bulk flows through the port once they have started."""
    return (
        bool(paths)
        and not port.loses_packets
        and all(
            path.base_rtt_s is not None and not seconds(scene.group(path), "send_jitter") for path in paths
        )
    )


def _in_step(scene: Resolved, port: _core.Port) -> tuple[_core.Path, int] | None:
    """The first group with flows that stay in step, and their number."""
    paths = scene.bulk_through(port)
    groups = [scene.group(path) for path in paths]
    if (
        scene.aqm(port).name not in _DRAW_NOTHING
        or not _is_regular(scene, port, paths)
        or any(seconds(group, "start_jitter") for group in groups)
    ):
        return None
    alike = [
        (scene.data_of(path), path.base_rtt_s, path.packet_bytes, group["start"])
        for path, group in zip(paths, groups, strict=True)
    ]
    counts = Counter[object]()
    for key, group in zip(alike, groups, strict=True):
        counts[key] += group["count"]
    return next(
        ((path, counts[key]) for path, key in zip(paths, alike, strict=True) if counts[key] > 1), None
    )
