"""Rules on marks: who marks, who understands marks, and which class a packet enters."""

from __future__ import annotations

from collections.abc import Iterator

from weir import _core
from weir.check._note import Remark, Severity, note, warning
from weir.check._resolved import Resolved, names

_BOTH = frozenset({"fq-codel", "dualpi2", "cake"})
"""Mark by default and are meant for flows of both kinds: without ECN-capable flows they drop."""

_ABOUT_MARKS = frozenset({"wanted", "needed", "counted"})
"""Congestion controls to which marks are this are made for them."""


def ecn_without_senders(scene: Resolved) -> Iterator[Remark]:
    """A queue marks, and no flow through it is ECN-capable: it drops instead.

    Only packets with ECT(0) or ECT(1) may be marked; others are dropped in their place (RFC 3168, section 5).
    """
    for port in scene.data_ports:
        aqm, paths = scene.aqm(port), scene.through(port)
        if aqm.marks and aqm.name not in _BOTH and not any(map(scene.ecn_capable, paths)):
            key = "ecn" if aqm.parameters.get("ecn") else "ce_threshold"
            yield warning(
                f"{aqm.path}.{key}",
                f"no flow here is ECN-capable, so {aqm.name} drops where it would mark",
                f"{ecn_of(paths[0])} = true",
            )


def ecn_without_marks(scene: Resolved) -> Iterator[Remark]:
    """Flows are ECN-capable, and no queue on their path marks: they only see losses.

    DCTCP without marks is Reno (RFC 8257, section 3.5), and a REM host learns nothing of prices.
    """
    found: dict[Severity, list[_core.Path]] = {}
    for path in scene.paths:
        queues = [aqm for port in scene.ports_of(path) if port.ecn_capable for aqm in scene.aqms(port)]
        if (
            not path.is_datagrams
            and scene.ecn_capable(path)
            and not any(aqm.marks in {True, None} for aqm in queues)
        ):
            facts = scene.facts(path)
            severity = "warning" if facts is not None and facts.marks in _ABOUT_MARKS else "note"
            found.setdefault(severity, []).append(path)
    for severity, paths in found.items():
        first = paths[0]
        port = scene.network.port(first.bottleneck.name)
        aqm = scene.aqm(port)
        settable = "ecn" in aqm.parameters
        queue = "step = {}" if severity == "warning" else "rem = { ecn = true }"
        if scene.is_l4s(first):
            queue = "dualpi2 = {}"
        hint = f"{aqm.path}.ecn = true" if settable else f"for example {port.key}.queue.{queue}"
        yield Remark(
            severity,
            f"flows.{first.group}.tcp.ecn",
            f"no queue on the path of {names(paths)} marks, so ECN has no effect",
            hint if port.ecn_capable else f"leave {port.key}.ecn_capable out, and {hint}",
        )


def dctcp_without_ecn(scene: Resolved) -> Iterator[Remark]:
    """DCTCP flows are not ECN-capable: they behave like Reno.

    DCTCP estimates congestion from marks alone, and treats losses as Reno does (RFC 8257, sections 3.3
    and 3.5).
    """
    paths = [path for path in scene.paths if _wants_marks(scene, path) and not scene.ecn_capable(path)]
    if paths:
        control = scene.congestion(paths[0])
        yield warning(
            f"flows.{paths[0].group}.tcp.congestion.{control}",
            f"{control} of {names(paths)} never sees a mark, and behaves like Reno",
            f"{ecn_of(paths[0])} = true",
        )


def empty_class(scene: Resolved) -> Iterator[Remark]:
    """No data enters one of the two queues of DualPI2.

    ECT(1) and CE enter the low-latency queue (RFC 9331, section 5.1; RFC 9332, section 2.3). Only Prague uses
    ECT(1), so without it and marks of an earlier queue it stays empty, unless `low_latency` is `"any-ect"`.
    """
    for port in scene.data_ports:
        aqm, paths = scene.aqm(port), scene.through(port)
        if aqm.name != "dualpi2" or any(map(scene.is_l4s, paths)):
            continue
        capable = [path for path in paths if scene.ecn_capable(path)]
        where = f"{aqm.path}.low_latency"
        scalable = [path for path in capable if scene.is_scalable(path)]
        if aqm.parameters["low_latency"] == "any-ect":
            if not capable:
                message = "no flow here is ECN-capable, so the low-latency queue stays empty"
                yield warning(where, message, f"{ecn_of(paths[0])} = true")
            elif len(capable) == len(paths):
                message = "every flow here is ECN-capable: the Classic queue gets at most SYNs and repairs"
                yield note(aqm.path, message, "a group without tcp.ecn beside them")
        elif not any(_marked_before(scene, path, port) for path in capable):
            if scalable:
                message = (
                    "no sender here uses ECT(1): the low-latency queue stays empty, and DCTCP of "
                    f"{names(scalable)} shares the Classic queue"
                )
                yield warning(where, message, f'{where} = "any-ect"')
            else:
                message = (
                    "no sender here uses ECT(1): the low-latency queue stays empty, and DualPI2 acts as PI2"
                )
                hint = (
                    "a group of flows with congestion.prague = {}, ecn = true and accecn = true in its tcp, "
                    'beside preset = "linux"'
                )
                yield note(where, message, hint)


def classic_in_low_latency(scene: Resolved) -> Iterator[Remark]:
    """Flows that are not scalable enter the low-latency queue of DualPI2.

    With `low_latency = "any-ect"` they do. The queue marks for controls that answer a mark by a small
    reduction; one that halves its window starves there (RFC 9331, section 4.1).
    """
    for port in scene.data_ports:
        aqm = scene.aqm(port)
        if aqm.name != "dualpi2" or aqm.parameters["low_latency"] != "any-ect":
            continue
        classic = [path for path in scene.through(port) if scene.ecn_capable(path) and scene.is_classic(path)]
        if classic:
            yield warning(
                f"{aqm.path}.low_latency",
                f"{names(classic)} with {scene.congestion(classic[0])} enters the low-latency queue, "
                "which marks for scalable controls",
                f"flows.{classic[0].group}.tcp.ecn = false, or tcp.congestion.dctcp",
            )


def accecn_fallback(scene: Resolved) -> Iterator[Remark]:
    """Receivers have no accurate ECN feedback: senders that ask for it fall back.

    To RFC 3168 with a receiver of that (RFC 9768, section 3.1.2), else to no ECN. Prague does not fall
    back to RFC 3168, and is Reno then (RFC 9331, section 4.3).
    """
    found: dict[tuple[str, bool], list[_core.Path]] = {}
    for path in scene.paths:
        if (mode := scene.falls_back(path)) is not None:
            found.setdefault((mode, scene.counts_marks(path)), []).append(path)
    for (mode, prague), paths in found.items():
        then = ", and Prague is Reno" if prague else ""
        yield Remark(
            "warning" if prague else "note",
            f"flows.{paths[0].group}.tcp.receiver_ecn",
            f"the receivers of {names(paths)} have no accurate ECN feedback: "
            f"their senders fall back to {mode}{then}",
            f'flows.{paths[0].group}.tcp.receiver_ecn = "accecn"',
        )


def prague_in_classic_queue(scene: Resolved) -> Iterator[Remark]:
    """Prague shares a queue with classic flows whose marks mean a loss.

    It answers a mark by less than they do, and displaces them (RFC 9331, section 4.3). DualPI2 and per-flow
    queues give it a queue of its own.
    """
    for port in scene.data_ports:
        aqm, paths = scene.aqm(port), scene.through(port)
        if not aqm.marks or aqm.per_flow or aqm.name == "dualpi2":
            continue
        l4s = [path for path in paths if scene.is_l4s(path)]
        classic = [path for path in paths if scene.is_classic(path)]
        if l4s and classic:
            yield note(
                aqm.path,
                f"{names(l4s)} with Prague shares one queue with {names(classic)}, "
                "and answers its marks by less",
                f"{port.key}.queue.dualpi2 = {{}}",
            )


def ecn_of(path: _core.Path) -> str:
    """Path in the scenario of the value that makes data of the group ECN-capable."""
    kind = f"traffic.{path.traffic}" if path.is_datagrams else "tcp"
    return f"flows.{path.group}.{kind}.ecn"


def _wants_marks(scene: Resolved, path: _core.Path) -> bool:
    """Returns true if the group's congestion control is another one without marks, and may run so."""
    facts = scene.facts(path)
    return facts is not None and facts.marks == "wanted"


def _marked_before(scene: Resolved, path: _core.Path, port: _core.Port) -> bool:
    """Returns true if packets may arrive at the port with a mark."""
    before = path.data[: path.data.index(port.name)]
    earlier = (other for other in scene.ports_of(path) if other.name in before)
    return any(scene.aqm(other).marks in {True, None} for other in earlier)
