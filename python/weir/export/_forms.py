"""The forms of a queue as text: a `tc` script, a section for sqm-scripts, and `random-detect`.

- `tc`: a POSIX shell script. The shaper is a token bucket, `tbf`, whose bucket holds a frame or a millisecond
  of the link. It takes the next packet from the discipline when the one before has been sent, as a link does,
  and can be changed while it works, so that the script may run again. (`htb`, the other usual parent, takes
  packets earlier and cannot be replaced by itself.)
- `sqm`: a section of /etc/config/sqm, for the shaper of OpenWrt. Its script `simplest_tbf` is a token bucket
  over one queue; `piece_of_cake` is CAKE. Options are those that the scripts read (sqm-scripts 1.6:
  src/simplest_tbf.qos, src/piece_of_cake.qos, src/functions.sh). They take targets with whole numbers only,
  so 1.5 ms has to be 1500us.
- `wred`: RED as a router in the style of Cisco IOS has it. Thresholds are packets, the probability at the
  second one is 1/denominator, and the weight of the average is a power of two (Cisco IOS Quality of Service
  Solutions Command Reference, `random-detect`). All precedences get the same line, which makes a RED of the
  weighted one.
"""

from __future__ import annotations

import math
import re
import textwrap
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from weir import _core
from weir.export import _reds as reds
from weir.export._port import ExportError, Port, setting
from weir.export._qdisc import MUCH, Qdisc, later, tc_rate

if TYPE_CHECKING:
    import polars as pl

    from weir.export._closest import Closest

WIDTH = 100
"""Of a line."""

FRAME = 1514
"""Bytes: the largest that Ethernet sends without tags and checksum."""

SQM = ("fq_codel", "codel", "pie", "cake")
"""Disciplines that sqm-scripts knows and looks for; `sfq` as well, which is nothing of ours."""

WRED = ("red", "adaptive-red", "nlred", "feng-red")
"""Which have RED's line, or one like it."""

_HANDLE = "100:"
"""Of the shaper: one that other people's scripts do not take."""

_OTHERWISE_IN_SQM = ("limit", "target", "ecn", "noecn", "bandwidth", "besteffort")
"""Options of the discipline that have an option of their own, or that its script gives."""

_MOST_PACKETS = 4096
_MOST_DENOMINATOR = 65535

_TOGETHER = re.compile(r'[\w-]+ = ("[^"]*"|[^\s,{]+)')

_SPACE = "\N{NO-BREAK SPACE}"


Form = Literal["tc", "sqm", "wred", "scenario"]


@dataclass(frozen=True)
class Measured:
    """The paired differences."""

    replications: int
    differences: pl.DataFrame
    """One row per measure: the stand-in minus the discipline, as `weir.Sweep.differences` has them."""
    lines: tuple[str, ...]
    """As text."""


@dataclass(frozen=True)
class Exported:
    """A text with what has to be known of it."""

    text: str
    form: Form
    warnings: tuple[str, ...]
    """Where it does something else than the simulation did. They are in the text as well."""
    kernel: str | None = None
    """The first Linux that can do it; None where it is nothing for Linux."""
    iproute2: str | None = None
    """The first iproute2 that can write it, if not all can."""
    closest: Closest | None = None
    """What stands in for the discipline, if no kernel has it."""
    measured: Measured | None = None
    """How far that is from it."""


def head(
    port: Port,
    title: str,
    facts: Sequence[str],
    notes: Sequence[str],
    warnings: Sequence[str],
    command: str | None,
    mark: str = "#",
) -> list[str]:
    """The head of a form, as comments: what it is of, what it needs, what rounding and units do, and where
    it does something else than the simulation."""
    buffer = port.table["buffer"]
    if _core.quantity(buffer)[1] in {"BDP", "s"}:
        buffer += f" ({port.limit})"
    link = f"{port.name}: {port.table['rate']}, buffer {buffer}"
    lines = [
        title,
        "",
        *([f"From:    {command}"] if command is not None else []),
        f"Link:    {link}, packets of {port.mean_packet} B where packets are counted",
        f"Setting: queue.{setting(port.discipline, port.settings)}",
        *facts,
        *listed("Rounding and units", notes),
        *listed("Other than in the simulation", warnings),
    ]
    return comment(lines, mark)


def listed(title: str, entries: Sequence[str]) -> list[str]:
    """Entries under a title; nothing where there are none."""
    return ["", f"{title}:", *(f"  - {entry}" for entry in entries)] if entries else []


def comment(lines: Iterable[str], mark: str = "#") -> list[str]:
    """As comments, broken where they are long, but not within `name = "20 packets"`."""
    found: list[str] = []
    for line in lines:
        indent = " " * (len(line) - len(line.lstrip()))
        wrapped = textwrap.wrap(
            _TOGETHER.sub(lambda match: match[0].replace(" ", _SPACE), line.strip()),
            WIDTH,
            initial_indent=f"{mark} {indent}",
            subsequent_indent=f"{mark} {indent}  ",
            break_long_words=False,
            break_on_hyphens=False,
        )
        found += [text.replace(_SPACE, " ") for text in wrapped or [mark]]
    return found


def tc(port: Port, qdisc: Qdisc, device: str, command: str | None, said: Sequence[str] = ()) -> Exported:
    """A script; `said` is of the discipline of the port, if the qdisc stands in for it."""
    kernel = qdisc.kernel if qdisc.shapes else later(qdisc.kernel, "2.6.39")
    iproute2 = f" and iproute2 {qdisc.iproute2}" if qdisc.iproute2 else ""
    modules = qdisc.kind if qdisc.shapes else f"tbf and {qdisc.kind}"
    instead = f" in place of {port.discipline}" if said else ""
    title = f"{qdisc.kind}{instead} for the link {port.name} of {port.scenario.name}"
    facts = [
        *said,
        f"Needs:   Linux {kernel}{iproute2} or newer, with {modules}; root",
        f"Undo:    tc qdisc del dev {device} root",
    ]
    frames = "bytes are those of frames, the link's header included: 14 B more than IP on Ethernet"
    warnings = (*port.differences, *qdisc.warnings)
    lines = [
        "#!/bin/sh",
        *head(port, title, facts, [*qdisc.notes, frames], warnings, command),
        "",
        "set -eu",
        "",
        f"DEV=${{1:-{device}}}    # the interface that leads into the link {' '.join(port.name.split())}",
        "",
        *_commands(qdisc),
        "",
    ]
    return Exported("\n".join(lines), "tc", warnings, kernel, qdisc.iproute2)


def _commands(qdisc: Qdisc) -> list[str]:
    if qdisc.shapes:
        return [f"# {qdisc.kind} shapes by itself.", *_command("root", qdisc.kind, qdisc.words)]
    port = qdisc.port
    rate = tc_rate(port.rate)
    burst = max(FRAME, port.mean_packet, port.rate // 8000)
    limit = max(port.limit_bytes, burst)
    bucket = [("rate", rate), ("burst", str(burst)), ("limit", str(limit))]
    shaper = (
        f"The shaper: {rate} of frames as the interface sends them. Its bucket holds what the link sends in "
        "a millisecond, or a frame; limit is the room of the plain queue that it starts with."
    )
    lines = [
        *comment([shaper]),
        *_command(f"root handle {_HANDLE}", "tbf", bucket),
        "",
    ]
    if qdisc.kind not in {"pfifo", "bfifo"}:
        why = "A new queue, since options that an earlier run has set would stay, or cannot be changed."
        lines += [*comment([why]), *_command(f"parent {_HANDLE}1", "pfifo", ())]
    return [*lines, *_command(f"parent {_HANDLE}1", qdisc.kind, qdisc.words)]


def _command(place: str, kind: str, options: Sequence[tuple[str, ...]]) -> list[str]:
    lines = [f'tc qdisc replace dev "$DEV" {place} {kind}']
    for option in map(" ".join, options):
        if len(lines[-1]) + len(option) + 3 > WIDTH:
            lines[-1] += " \\"
            lines.append(f"    {option}")
        else:
            lines[-1] += f" {option}"
    return lines


def sqm(qdisc: Qdisc, device: str, command: str | None) -> Exported:
    """A section of /etc/config/sqm; the other direction of the link is the download. Raises ExportError."""
    port = qdisc.port
    if qdisc.kind not in SQM:
        raise ExportError(
            f"sqm-scripts has no {qdisc.kind}",
            f"it has {', '.join(SQM)}; --as tc writes a script for {qdisc.kind}",
        )
    upload, rest = divmod(port.rate, 1000)
    if upload < 1:
        raise ExportError(f"sqm counts in kbit/s, and the link has {port.table['rate']}", "export it --as tc")
    warnings = [*port.differences, *qdisc.warnings]
    if rest:
        warnings.append(f"rate: {port.rate} bit/s becomes {upload} kbit/s, in which sqm counts")
    both = [other for other in port.scenario.network.ports if other.link == port.core.link]
    download = sum(other.rate_bps for other in both if other.name != port.name)
    own = {words[0]: words[-1] for words in qdisc.words}
    options = {
        "enabled": "1",
        "interface": device,
        "download": download // 1000,
        "upload": upload,
        "qdisc": qdisc.kind,
        "script": "piece_of_cake.qos" if qdisc.shapes else "simplest_tbf.qos",
        # The web page shows, and keeps, what follows only with these two.
        "qdisc_advanced": "1",
        "qdisc_really_really_advanced": "1",
    }
    if not qdisc.shapes:
        ecn = "ECN" if "ecn" in own else "NOECN"
        options |= {"ingress_ecn": ecn, "egress_ecn": ecn}
        options |= {"ilimit": own["limit"], "elimit": own["limit"]}
        options |= {"itarget": own["target"], "etarget": own["target"]}
    others = " ".join(" ".join(words) for words in qdisc.words if words[0] not in _OTHERWISE_IN_SQM)
    options |= {"iqdisc_opts": others, "eqdisc_opts": others}
    packages = "sqm-scripts and kmod-sched-cake" if qdisc.shapes else "sqm-scripts"
    title = f"{qdisc.kind} for the link {port.name} of {port.scenario.name}: a section of /etc/config/sqm"
    facts = [
        f"Needs:   OpenWrt with {packages}; Linux {qdisc.kernel} or newer",
        "Then:    /etc/init.d/sqm restart; undo: set enabled to 0, and restart",
        "Upload is the link, download its other direction, with the same discipline."
        if download
        else "Upload is the link; download 0 leaves the other direction as it is.",
        "The link layer is left out: set linklayer and overhead for your line.",
    ]
    lines = [
        *head(port, title, facts, qdisc.notes, warnings, command),
        "",
        f"config queue '{_word(device, '_')}'",
        *(f"\toption {name} '{value}'" for name, value in options.items()),
        "",
    ]
    return Exported("\n".join(lines), "sqm", tuple(warnings), qdisc.kernel, qdisc.iproute2)


def random_detect(port: Port, command: str | None) -> Exported:
    """A policy map of a router. Raises ExportError."""
    if port.discipline not in WRED:
        raise ExportError(
            f"random-detect is RED, and {port.discipline} is not",
            f"it can say {', '.join(WRED)}; --as tc writes a script for Linux",
            port.path,
        )
    warnings = list(port.differences)

    def rounded(name: str, wanted: float, used: float, said: str) -> None:
        if abs(used - wanted) > MUCH * wanted:
            warnings.append(f"{name}: {said}")

    low, high, w_q = reds.levels(port)
    band: list[int] = []
    for name, level in (("min_th", low), ("max_th", high)):
        packets = level / port.mean_packet
        band.append(min(max(round(packets), 1), _MOST_PACKETS))
        rounded(name, packets, band[-1], f"{packets:.6g} packets become {band[-1]}")
    least, most = band[0], max(band[1], band[0] + 1)
    max_p = port["max_p"]
    denominator = min(max(round(1.0 / max_p), 1), _MOST_DENOMINATOR) if max_p > 0.0 else _MOST_DENOMINATOR
    one_in = 1.0 / denominator
    rounded("max_p", max_p, one_in, f"{max_p:g} becomes 1/{denominator}, which is {one_in:.4g}")
    exponent = min(max(round(-math.log2(w_q)), 1), 16)
    weight = 2.0**-exponent
    rounded("w_q", w_q, weight, f"{w_q:.6g} becomes 1/{2**exponent}, which is {weight:.4g}")
    if port["gentle"]:
        warnings.append(
            "gentle = true: beyond the second threshold every packet is dropped, there is no ramp"
        )
    if port.discipline == "nlred":
        warnings.append("nlred: its parabola becomes RED's line")
    if port.discipline in {"adaptive-red", "feng-red"}:
        warnings.append(f"{port.discipline}: the probability stays where it begins, nothing adapts it")
    policy = _word(port.name, "-")
    title = f"RED for the link {port.name} of {port.scenario.name}, as random-detect"
    facts = [
        f"Use:     interface ..., service-policy output {policy}; undo: no service-policy output",
        "Other lines of routers say the same in their own words; not tested on a router.",
    ]
    lines = [
        *head(port, title, facts, (), warnings, command, "!"),
        f"policy-map {policy}-queue",
        " class class-default",
        "  random-detect",
        f"  random-detect exponential-weighting-constant {exponent}",
        *(f"  random-detect precedence {number} {least} {most} {denominator}" for number in range(8)),
        *(["  random-detect ecn"] if port["ecn"] else []),
        f"  queue-limit {port.limit_packets} packets",
        f"policy-map {policy}",
        " class class-default",
        f"  shape average {port.rate}",
        f"  service-policy {policy}-queue",
        "",
    ]
    return Exported("\n".join(lines), "wred", tuple(warnings))


def _word(name: str, filled: str) -> str:
    """A name without what is neither a letter nor a digit."""
    return re.sub(r"\W", filled, name)
