"""A setting as a POSIX shell script for tc.

The shaper is a token bucket, `tbf`, whose bucket holds a frame or a millisecond of the link. It takes the
next packet from the discipline when the one before has been sent, as a link does, and can be changed while it
works, so that the script may run again. (`htb`, the other usual parent, takes packets earlier and cannot be
replaced by itself.)
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Sequence

from weir.export.port import Port
from weir.export.qdisc import Qdisc, later, rate_told

WIDTH = 100
"""Of a line."""

FRAME = 1514
"""Bytes: the largest that Ethernet sends without tags and checksum."""

_HANDLE = "100:"
"""Of the shaper: one that other people's scripts do not take."""

_TOGETHER = re.compile(r'[\w-]+ = ("[^"]*"|[^\s,{]+)')

_BUCKET = (
    "Its bucket holds what the link sends in a millisecond, or a frame; limit is the room of the plain queue "
    "that it starts with."
)

_SPACE = "\N{NO-BREAK SPACE}"


def needs(qdisc: Qdisc) -> tuple[str, str | None]:
    """The first Linux and the first iproute2 that can do it; None where any of its users has it."""
    return (qdisc.kernel if qdisc.shapes else later(qdisc.kernel, "2.6.39")), qdisc.iproute2


def script(qdisc: Qdisc, device: str, head: Sequence[str]) -> str:
    """The script; `head` are the lines of its comment."""
    port = qdisc.port
    commands = _own(qdisc) if qdisc.shapes else _shaped(qdisc)
    return "\n".join(
        [
            "#!/bin/sh",
            *comment(head),
            "",
            "set -eu",
            "",
            f"DEV=${{1:-{device}}}    # the interface that leads into the link {' '.join(port.link.split())}",
            "",
            *commands,
            "",
        ]
    )


def undo(device: str) -> str:
    """What takes it back."""
    return f"tc qdisc del dev {device} root"


def comment(lines: Sequence[str]) -> list[str]:
    """As comments, broken where they are long, but not within `name = "20 packets"`."""
    found: list[str] = []
    for line in lines:
        indent = " " * (len(line) - len(line.lstrip()))
        wrapped = textwrap.wrap(
            _TOGETHER.sub(lambda match: match[0].replace(" ", _SPACE), line.strip()),
            WIDTH,
            initial_indent=f"# {indent}",
            subsequent_indent=f"# {indent}  ",
            break_long_words=False,
            break_on_hyphens=False,
        )
        found += [text.replace(_SPACE, " ") for text in wrapped or ["#"]]
    return found


def _own(qdisc: Qdisc) -> list[str]:
    return [f"# {qdisc.kind} shapes by itself.", *_command("root", qdisc.kind, qdisc.words)]


def _shaped(qdisc: Qdisc) -> list[str]:
    port = qdisc.port
    burst = max(FRAME, port.mean_packet, port.rate // 8000)
    rate = rate_told(port.rate)
    lines = [
        *comment([f"The shaper: {rate} of frames as the interface sends them. {_BUCKET}"]),
        *_command(
            f"root handle {_HANDLE}",
            "tbf",
            [("rate", rate), ("burst", str(burst)), ("limit", str(max(port.room_bytes, burst)))],
        ),
        "",
    ]
    if qdisc.kind not in {"pfifo", "bfifo"}:
        lines += [
            *comment(
                ["A new queue, since options that an earlier run has set would stay, or cannot be changed."]
            ),
            *_command(f"parent {_HANDLE}1", "pfifo", ()),
        ]
    return [*lines, *_command(f"parent {_HANDLE}1", qdisc.kind, qdisc.words)]


def _command(place: str, kind: str, options: Sequence[tuple[str, ...]]) -> list[str]:
    lines = [f'tc qdisc replace dev "$DEV" {place} {kind}']
    for words in options:
        option = " ".join(words)
        if len(lines[-1]) + len(option) + 3 > WIDTH:
            lines[-1] += " \\"
            lines.append(f"    {option}")
        else:
            lines[-1] += f" {option}"
    return lines


def told(port: Port) -> str:
    """The link on one line."""
    return (
        f"{port.link}: {port.rate_told}, buffer {port.buffer_told}"
        f"{'' if port.in_bytes or port.buffer_told.endswith('packets') else f' ({port.room} packets)'}, "
        f"packets of {port.mean_packet} B where packets are counted"
    )
