"""Rules on packets that are dropped where others are marked."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from weir import _core
from weir.check._ecn import ecn_of
from weir.check._note import Remark, note, warning
from weir.check._resolved import NOT_ECT, Aqm, Resolved, names
from weir.check._units import listed

_BACK = frozenset({"SYN-ACK", "ACK"})
"""Kinds of packets that the receiver sends."""

_SWITCHES = {
    "SYN": "ecn_on_syn",
    "SYN-ACK": "ecn_on_syn_ack",
    "retransmission": "ecn_on_retransmissions",
    "ACK": "ecn_on_acks",
}
"""Kind of packet to the parameter of `tcp` that makes it ECN-capable."""


def drops_where_it_marks(scene: Resolved) -> Iterator[Remark]:
    """A queue marks nearly all that it holds, and drops what is not ECN-capable in its place.

    So does a step, and any queue that scalable senders hold where most packets are marked: of SYNs and
    retransmissions that cannot be marked few come through (RFC 8257, sections 3.5 and 5).
    """
    for port in scene.data_ports:
        aqm = next((one for one in scene.aqms(port) if _marks_most(scene, port, one)), None)
        if aqm is None:
            continue
        for kinds, paths in _not_capable(scene, port).items():
            where = ecn_of(paths[0])
            if "data" in kinds:
                message = f"{aqm.name} marks others, and drops {names(paths)} in its place"
                yield warning(where, message, f"{where} = true")
                continue
            table = where.removesuffix(".ecn")
            # The switches work for senders with ECN alone.
            needed = [*([] if scene.ecn_capable(paths[0]) else ["ecn"]), *(_SWITCHES[kind] for kind in kinds)]
            yield note(
                f"{table}.{needed[0]}",
                f"{aqm.name} marks data, and drops packets of {names(paths)} that are not ECN-capable: "
                f"{listed(kinds)}",
                ", ".join(f"{table}.{key} = true" for key in needed),
            )


def bottleneck_without_marks(scene: Resolved) -> Iterator[Remark]:
    """The bottleneck drops ECN-capable packets, which another queue of their path marks."""
    for port in scene.bottlenecks:
        aqm = scene.aqm(port)
        marks_later = any(one.marks for one in scene.aqms(port))
        if aqm.parameters.get("ecn") is not False or marks_later or not port.ecn_capable:
            continue
        paths = [
            path
            for path in scene.through(port)
            if path.bottleneck.name == port.name
            and scene.ecn_capable(path)
            and any(one.marks for other in scene.ports_of(path) for one in scene.aqms(other))
        ]
        if paths:
            message = f"{aqm.name} drops packets of {names(paths)} that it could mark"
            hint = f"{aqm.path}.ecn = true"
            yield note(f"{aqm.path}.ecn", message, hint)


def _marks_most(scene: Resolved, port: _core.Port, aqm: Aqm) -> bool:
    """Returns true if this AQM marks nearly all packets that the port holds."""
    capable = [path for path in scene.through(port) if scene.ecn_capable(path)]
    # What waits beyond a ce_threshold is marked if it can be, and goes on if it cannot.
    if aqm.marks is not True or aqm.per_flow or "ce_threshold" in aqm.parameters or not capable:
        return False
    scalable = [path for path in capable if scene.is_scalable(path) and not scene.is_l4s(path)]
    if aqm.name == "dualpi2":
        # Its low-latency queue drops nothing that others could have marked.
        return bool(scalable) and aqm.parameters["low_latency"] != "any-ect"
    # Of Prague `prague-in-classic-queue` speaks.
    return aqm.name == "step" or bool(scalable)


def _not_capable(scene: Resolved, port: _core.Port) -> Mapping[tuple[str, ...], list[_core.Path]]:
    """The kinds of packets at the port that cannot be marked, to the groups that send them."""
    found: dict[tuple[str, ...], list[_core.Path]] = {}
    for path in scene.paths:
        there, back = port.name in scene.data_of(path), port.name in path.acks
        kinds = tuple(
            kind
            for kind, codepoint in scene.declared(path).items()
            if codepoint == NOT_ECT and (back if kind in _BACK else there)
        )
        if kinds:
            found.setdefault(kinds, []).append(path)
    return found
