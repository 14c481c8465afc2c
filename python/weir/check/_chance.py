"""Rules on the start of a run, and on what is random in it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from weir import _core
from weir.check._note import Remark, note, warning
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
    the same; chance in other traffic alone parts them late. Before DropTail, a random start parts them, but
    leaves phase effects: a random time before each packet cures both.
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
            regular = _regular(scene, port)
            phases = len(_kinds(_fixed(scene, port))) > 1 and scene.aqm(port).name == "drop-tail"
            yield Remark(
                "note" if others else "warning",
                f"flows.{path.group}.start_jitter",
                f"{flows} flows start at the same instant with the same round trip, and stay in step: {why}",
                _send_jitter(regular, port) if phases else f'flows.{path.group}.start_jitter = "1 s"',
            )


def phase_effects(scene: Resolved) -> Iterator[Remark]:
    """Flows with fixed round trips before DropTail: phases decide whose packets are dropped.

    Floyd and Jacobson, On Traffic Phase Effects in Packet-Switched Gateways, 1992: a round trip that is a
    little longer changes the shares of flows entirely. A random time before each packet, up to one packet
    time at the bottleneck, breaks it. Neither many flows nor random starts do: ten flows of 40 ms beside ten
    of 80 ms get a third of their rate instead of 1.7 times as much. The shares of flows that are all alike
    hold; with few of them, single drops can still follow a pattern.
    """
    for port in scene.bottlenecks:
        paths = _regular(scene, port)
        if not paths or scene.aqm(port).name != "drop-tail" or port.loses_packets or _in_step(scene, port):
            continue
        sharing = _fixed(scene, port)
        kinds, flows = _kinds(sharing), sum(scene.load(path).most for path in sharing)
        if flows >= 2 and len(kinds) > 1:
            differ = "round trips" if len({rtt for rtt, _ in kinds}) > 1 else "packet sizes"
            yield warning(
                f"flows.{paths[0].group}.send_jitter",
                f"phases decide how {names(sharing)} share {port.name}: their {differ} differ, all are "
                "fixed, and the queue is DropTail",
                _send_jitter(paths, port),
            )
        elif 2 <= flows < _FEW_FLOWS and paths == scene.bulk_through(port):
            yield note(
                f"flows.{paths[0].group}.send_jitter",
                f"{flows} flows with fixed round trips before DropTail: phases can decide whose packets are "
                "dropped",
                _send_jitter(paths, port),
            )


def _regular(scene: Resolved, port: _core.Port) -> list[_core.Path]:
    """The paths of `_fixed` that do not wait for a random time of a packet before they send."""
    return [
        path
        for path in _fixed(scene, port)
        # A remedy that was followed is enough, though its number is rounded.
        if duration_of(scene.group(path), "send_jitter") < 0.99 * _packet_s(path, port)
    ]


def _fixed(scene: Resolved, port: _core.Port) -> list[_core.Path]:
    """The paths of bulk flows through the port whose round trips are fixed but for their queues."""
    return [
        path
        for path in scene.through(port)
        if path.traffic == "bulk" and path.base_rtt_s is not None and not _is_parted(scene, path)
    ]


def _packet_s(path: _core.Path, port: _core.Port) -> float:
    """Time of a packet of the group on the link, in seconds."""
    return path.packet_bytes * 8.0 / port.rate_bps


def _kinds(paths: list[_core.Path]) -> set[tuple[float | None, int]]:
    """Round trips and packet sizes of flows, which decide their phases."""
    return {(path.base_rtt_s, path.packet_bytes) for path in paths}


def _send_jitter(paths: list[_core.Path], port: _core.Port) -> str:
    """Remedy of phase effects: a random time of one packet before each packet, for each of the groups."""
    most = max(_packet_s(path, port) for path in paths)
    return " and ".join(f'flows.{path.group}.send_jitter = "{time(most)}"' for path in paths)


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
        port.loses_packets
        or "delay_variation" in line
        # Guaranteed grants begin with their interval; others lie anywhere in it.
        or ("docsis" in line and "guaranteed_grant_rate" not in line["docsis"])
        or "max_interval" in line.get("aggregation", {})
        for port, line in ((port, scene.link(port)) for port in way)
    )
