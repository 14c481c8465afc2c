"""A section of /etc/config/sqm, for the shaper of OpenWrt.

Its script `simplest_tbf` is a token bucket over one queue; `piece_of_cake` is CAKE with one tin, `layer_cake`
with several. Options are those that the scripts read (sqm-scripts 1.6: src/simplest_tbf.qos,
src/piece_of_cake.qos, src/layer_cake.qos, src/functions.sh). They take targets with whole numbers only, so
1.5 ms has to be 1500us.

The interface is that of the line. So what goes out of it is the upload, the direction of flows with
`upload = true`. What comes in is the download. A router cannot keep a queue short that is in front of a
modem: the guide of OpenWrt shapes to 90% of what was measured (openwrt.org,
guide-user/network/traffic-shaping/sqm).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from weir.export._kernel import qdisc_of
from weir.export._port import ExportError, Port
from weir.export._qdisc import Qdisc, later
from weir.export._text import Exported, head, share_of_line, word

SHARE = 0.9
"""Default fraction of the line's rate to shape to."""

SQM = ("fq_codel", "codel", "pie", "cake")
"""Disciplines that sqm-scripts knows and looks for; `sfq` as well, which is nothing of ours."""

_OTHERWISE = ("limit", "target", "ecn", "noecn", "bandwidth")
"""Options of the discipline that have an option of their own."""

_LEFT_OUT = "The link layer is left out: set linklayer and overhead for your line."

_LINK_LAYER = frozenset({"noatm", "atm", "ptm", "overhead", "mpu"})
"""Options of CAKE on the link layer."""

_LINE = ("noatm", "overhead 0", "mpu 0")
"""Options of CAKE that leave the link layer to those of the section."""


@dataclass(frozen=True)
class _Direction:
    called: str
    """Name of the direction in the section."""
    letter: str
    """Letter of the direction in names of options: `i` for ingress, `e` for egress."""
    qdisc: Qdisc | None
    """Qdisc of the direction; None where sqm leaves the direction as it is."""
    why: str = ""
    """Reason why sqm leaves the direction as it is."""

    @property
    def kbits(self) -> int:
        return 0 if self.qdisc is None else self.qdisc.rate // 1000


def sqm(chosen: Port, device: str, command: str | None) -> Exported:
    """The section for both directions of the link of `chosen`. Raises ExportError."""
    qdisc = qdisc_of(chosen)
    if qdisc is None:
        raise ExportError(
            f"no kernel has {chosen.discipline}, so sqm-scripts has not",
            "--as tc names what comes closest, and measures the difference",
            chosen.path,
        )
    if qdisc.kind not in SQM:
        raise ExportError(
            f"sqm-scripts has no {qdisc.kind}",
            f"it has {', '.join(SQM)}; --as tc writes a script for {qdisc.kind}",
        )
    if qdisc.kind == "cake" and not qdisc.shapes:
        raise qdisc.error("sqm-scripts always shapes", "leave unlimited out; --as tc writes it", "unlimited")
    directions = _directions(chosen, qdisc)
    shaped = {one.called: one.qdisc for one in directions if one.qdisc is not None}
    ports = {called.capitalize(): one.port for called, one in shaped.items()}
    of = {called: f"{called}: " if len(shaped) > 1 else "" for called in shaped}
    warnings = [f"{one.called}: {one.why}" for one in directions if one.why]
    notes: list[str] = []
    for called, one in shaped.items():
        port, kbits = one.port, one.rate // 1000
        said = [*port.differences, *port.without_bucket, *one.warnings]
        if one.rate % 1000:
            said.append(f"rate: {one.rate} bit/s become {kbits} kbit/s, in which sqm counts")
        warnings += [f"{of[called]}{text}" for text in said]
        notes += [f"{of[called]}{text}" for text in one.notes]
    script = _script(list(shaped.values()))
    options = {
        "enabled": "1",
        "interface": device,
        **{one.called: one.kbits for one in directions},
        "qdisc": qdisc.kind,
        "script": script,
        # The web page shows, and keeps, what follows only with these two.
        "qdisc_advanced": "1",
        "qdisc_really_really_advanced": "1",
    }
    for one in directions:
        options |= {} if one.qdisc is None else _options(one.letter, one.qdisc, script)
    packages = "sqm-scripts and kmod-sched-cake" if qdisc.shapes else "sqm-scripts"
    kernel = later(*(one.kernel for one in shaped.values()))
    facts = [
        *share_of_line(chosen, qdisc.bandwidth),
        f"Needs:   OpenWrt with {packages}; Linux {kernel} or newer",
        "Then:    /etc/init.d/sqm restart; undo: set enabled to 0, and restart",
        f"{device} is the interface of the line: upload goes out of it, download comes in.",
        *([_LEFT_OUT] if all(_leaves_link_layer(one) for one in shaped.values()) else []),
    ]
    title = f"{qdisc.kind} for the link {chosen.core.link} of {chosen.scenario.name}"
    lines = [
        *head(
            ports,
            f"{title}: a section of /etc/config/sqm",
            facts,
            list(dict.fromkeys(notes)),
            warnings,
            command,
        ),
        "",
        f"config queue '{word(device, '_')}'",
        *(f"\toption {name} '{value}'" for name, value in options.items()),
        "",
    ]
    return Exported("\n".join(lines), "sqm", tuple(warnings), kernel, qdisc.iproute2)


def _directions(chosen: Port, qdisc: Qdisc) -> list[_Direction]:
    """Download and upload; sqm has one kind of queue for both."""
    found: list[_Direction] = []
    letters = {"download": "i", "upload": "e"}
    mine, other = _way(chosen), _opposite(chosen)
    for called, letter in letters.items():
        if called == mine:
            found.append(_Direction(called, letter, qdisc))
            continue
        if other is None:
            found.append(_Direction(called, letter, None, "0 leaves it as it is: no queue is there"))
            continue
        port = Port.of(chosen.scenario, other, chosen.share)
        there = qdisc_of(port)
        if there is not None and (there.kind, there.shapes) == (qdisc.kind, qdisc.shapes):
            found.append(_Direction(called, letter, there))
        else:
            why = (
                f"0 leaves it as it is: {port.name} has {port.discipline}, and sqm has one kind of queue for "
                f"both (--set '{port.path}={{{chosen.discipline}={{}}}}' shapes it too)"
            )
            found.append(_Direction(called, letter, None, why))
    return found


def _way(chosen: Port) -> str:
    """Direction of the packets at a port, down or up. Of two links that are one way each, data come down."""
    network, name = chosen.scenario.network, chosen.core.name
    if not _is_one_way(chosen):
        return "download" if chosen.core.direction == "forward" else "upload"
    has_data = any(name in path.data for path in network.paths)
    return "download" if has_data or not any(name in path.acks for path in network.paths) else "upload"


def _opposite(chosen: Port) -> str | None:
    """The port of the other direction. For a link that is one way it is the only port that its ACKs pass, or
    from which its ACKs come."""
    network, core = chosen.scenario.network, chosen.core
    if not _is_one_way(chosen):
        others = (port for port in network.ports if port.link == core.link)
        return next((port.name for port in others if port.direction != core.direction), None)
    back = {name for path in network.paths if core.name in path.data for name in path.acks}
    back |= {name for path in network.paths if core.name in path.acks for name in path.data}
    return back.pop() if len(back) == 1 else None


def _is_one_way(port: Port) -> bool:
    return port.scenario.value(f"{port.core.key}.unidirectional") is True


def _script(shaped: Sequence[Qdisc]) -> str:
    """The script of sqm: CAKE has one for a single tin, and one for several."""
    if not shaped[0].shapes:
        return "simplest_tbf.qos"
    one_tin = all(("besteffort",) in qdisc.words for qdisc in shaped)
    return "piece_of_cake.qos" if one_tin else "layer_cake.qos"


def _leaves_link_layer(qdisc: Qdisc) -> bool:
    """Returns true if the qdisc adds nothing to the bytes of a packet: options of the section may."""
    return not _LINK_LAYER & {words[0] for words in qdisc.words} or set(_LINE) <= set(
        map(" ".join, qdisc.words)
    )


def _options(letter: str, qdisc: Qdisc, script: str) -> dict[str, str]:
    """Options of a direction by its letter: `i` for ingress, `e` for egress."""
    own = {words[0]: words[-1] for words in qdisc.words}
    found: dict[str, str] = {}
    if not qdisc.shapes:
        found[f"{'in' if letter == 'i' else 'e'}gress_ecn"] = "ECN" if "ecn" in own else "NOECN"
        found |= {f"{letter}limit": own["limit"], f"{letter}target": own["target"]}
    given = {*_OTHERWISE, *(["besteffort"] if script == "piece_of_cake.qos" else [])}
    left = _LINE if _leaves_link_layer(qdisc) else ()
    others = " ".join(
        text
        for text in map(" ".join, qdisc.words)
        if text.partition(" ")[0] not in given and text not in left
    )
    return found | {f"{letter}qdisc_opts": others}
