"""Rules on congestion controls: what they need of the path and of their receivers to be what they are."""

from __future__ import annotations

from collections.abc import Iterator

from weir import _core
from weir.check._levels import strongest
from weir.check._note import Remark, note, warning
from weir.check._resolved import Resolved, buffer_limit, names
from weir.check._units import listed, time


def marks_ignored(scene: Resolved) -> Iterator[Remark]:
    """ECN-capable flows whose congestion control ignores marks: a queue that marks does not slow them down.

    Without ECN it would drop their packets, which BBR answers little or not, but repairs.
    """
    for port in scene.data_ports:
        aqm = scene.aqm(port)
        ignoring = [
            path
            for path in scene.through(port)
            if aqm.marks
            and scene.ecn_capable(path)
            and (facts := scene.facts(path)) is not None
            and facts.marks == "ignored"
        ]
        if ignoring:
            where = f"flows.{ignoring[0].group}.tcp.ecn"
            message = (
                f"{names(ignoring)} with {scene.congestion(ignoring[0])} is ECN-capable and ignores marks: "
                f"{aqm.name} does not slow it down"
            )
            yield note(where, message, f"{where} = false")


def receiver_ecn_unused(scene: Resolved) -> Iterator[Remark]:
    """`receiver_ecn` has no effect: the senders do not ask for accurate ECN feedback."""
    paths = [
        path
        for path in scene.paths
        if not path.is_datagrams
        and not scene.group(path)["tcp"]["accecn"]
        and scene.group(path)["tcp"]["receiver_ecn"] != "accecn"
    ]
    if paths:
        tcp = f"flows.{paths[0].group}.tcp"
        yield warning(
            f"{tcp}.receiver_ecn",
            f"senders of {names(paths)} do not ask for accurate ECN feedback, so receiver_ecn has no effect",
            f"{tcp}.accecn = true, beside ecn = true",
        )


def ecn_on_unused(scene: Resolved) -> Iterator[Remark]:
    """Control packets are to be ECN-capable, and data of the flows are not: it has no effect.

    ECN is negotiated for a connection as a whole (RFC 3168, section 6.1.1).
    """
    for path in scene.paths:
        if path.is_datagrams or scene.ecn_capable(path):
            continue
        tcp = scene.group(path)["tcp"]
        # The preset `ns2` has `ecn_on_retransmissions`, with ECN and without.
        written = [key for key in ("ecn_on_syn", "ecn_on_syn_ack", "ecn_on_acks") if tcp.get(key)]
        if written:
            yield warning(
                f"flows.{path.group}.tcp.{written[0]}",
                f"{path.group} does not ask for ECN: no effect of {listed(written)}",
                f"flows.{path.group}.tcp.ecn = true",
            )


def target_out_of_reach(scene: Resolved) -> Iterator[Remark]:
    """The queue stays below the target of LEDBAT: it does not yield.

    A short buffer or an AQM keeps it there; LEDBAT then takes as much as Reno (RFC 7928, section 5.4).
    """
    for path in scene.paths:
        control, facts = scene.congestion(path), scene.facts(path)
        if facts is None or not facts.yields:
            continue
        port = scene.network.port(path.bottleneck.name)
        where = f"flows.{path.group}.tcp.congestion.{control}.target"
        target = scene.group(path)["tcp"]["congestion"][control]["target"]
        reach, by = _greatest_delay(scene, port)
        if reach <= _core.quantity(target)[0]:
            message = f"{by} keeps the queue below {target}: {path.group} with {control} does not yield"
            yield warning(where, message, f'{where} = "{time(reach / 2)}"')


def _greatest_delay(scene: Resolved, port: _core.Port) -> tuple[float, str]:
    """The longest delay of packets at the port, about, in seconds, and what limits it."""
    aqm = scene.aqm(port)
    packet_s = 8.0 * port.mean_packet_bytes / scene.rates(port)[0]
    full = buffer_limit(port) * packet_s
    written = aqm.parameters.get(aqm.parameter("delay") or "")
    delays = [] if written is None else [_core.quantity(written)[0]]
    if (level := strongest(scene, port, aqm)) is not None:
        delays.append(level.packets * packet_s)
    delay = min(delays, default=full)
    return (delay, aqm.name) if delay < full else (full, f"a buffer of {time(full)}")
