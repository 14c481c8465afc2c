"""A POSIX shell script of `tc`.

The shaper is a token bucket, `tbf`, as large as a frame or a millisecond of the link, or as the bucket of the
scenario. It takes the next packet from the discipline when the one before has been sent, as a link does. It
can be changed while it works, so that the script may run again. (`htb`, the other usual
parent, takes packets earlier and cannot be replaced by itself.)
"""

from __future__ import annotations

from collections.abc import Sequence

from weir._printable import printable
from weir.export._port import Port
from weir.export._qdisc import Qdisc, later, tc_rate
from weir.export._text import FRAME, WIDTH, Exported, comment, head, share_of_line

_HANDLE = "100:"
"""Handle of the shaper, chosen so that it does not clash with scripts of others."""


def tc(port: Port, qdisc: Qdisc, device: str, command: str | None, said: Sequence[str] = ()) -> Exported:
    """A script; `said` is of the discipline of the port, if the qdisc stands in for it."""
    kernel = qdisc.kernel if qdisc.shapes else later(qdisc.kernel, "2.6.39")
    iproute2 = f" and iproute2 {qdisc.iproute2}" if qdisc.iproute2 else ""
    modules = qdisc.kind if qdisc.shapes else f"tbf and {qdisc.kind}"
    instead = f" in place of {port.discipline}" if said else ""
    title = f"{qdisc.kind}{instead} for the link {port.name} of {port.scenario.name}"
    facts = [
        *said,
        *share_of_line(port, qdisc.bandwidth),
        f"Needs:   Linux {kernel}{iproute2} or newer, with {modules}; root",
        f"Undo:    tc qdisc del dev {device} root",
    ]
    said_of_bytes = "bytes are those of frames, the link's header included: 14 B more than IP on Ethernet"
    frames = [said_of_bytes] if qdisc.counts_frames else []
    warnings = (*port.differences, *(port.without_bucket if qdisc.shapes else []), *qdisc.warnings)
    into = printable(" ".join(port.name.split()))
    lines = [
        "#!/bin/sh",
        *head({"Link": port}, title, facts, [*qdisc.notes, *frames], warnings, command),
        "",
        "set -eu",
        "",
        f"DEV=${{1:-{device}}}    # the interface that leads into the link {into}",
        "",
        *_commands(qdisc),
        "",
    ]
    return Exported("\n".join(lines), "tc", warnings, kernel, qdisc.iproute2)


def _commands(qdisc: Qdisc) -> list[str]:
    if qdisc.shapes:
        return [f"# {qdisc.kind} shapes by itself.", *_command("root", qdisc.kind, qdisc.words)]
    port = qdisc.port
    lines = [*_shaper(port), ""]
    if qdisc.kind not in {"pfifo", "bfifo"}:
        why = "A new queue, since options that an earlier run has set would stay, or cannot be changed."
        lines += [*comment([why]), *_command(f"parent {_HANDLE}1", "pfifo", ())]
    return [*lines, *_command(f"parent {_HANDLE}1", qdisc.kind, qdisc.words)]


def _shaper(port: Port) -> list[str]:
    """The token bucket: that of the link, or one so small that packets leave at its rate."""
    rate, largest = tc_rate(port.rate), max(FRAME, port.mean_packet)
    if port.bucket is None:
        burst, holds = max(largest, port.rate // 8000), "what the link sends in a millisecond, or a frame"
        peak = []
    else:
        # What is larger than the bucket never leaves it.
        burst, holds = max(largest, port.bucket.burst), "that of the link"
        peak = [("peakrate", tc_rate(port.bucket.peak)), ("mtu", str(largest))] if port.bucket.peak else []
    limit = max(port.limit_bytes, burst)
    said = (
        f"The shaper: {rate} of frames as the interface sends them. Its bucket holds {holds}; limit is the "
        "room of the plain queue that it starts with."
    )
    options = [("rate", rate), ("burst", str(burst)), *peak, ("limit", str(limit))]
    return [*comment([said]), *_command(f"root handle {_HANDLE}", "tbf", options)]


def _command(place: str, kind: str, options: Sequence[tuple[str, ...]]) -> list[str]:
    lines = [f'tc qdisc replace dev "$DEV" {place} {kind}']
    for option in map(" ".join, options):
        if len(lines[-1]) + len(option) + 3 > WIDTH:
            lines[-1] += " \\"
            lines.append(f"    {option}")
        else:
            lines[-1] += f" {option}"
    return lines
