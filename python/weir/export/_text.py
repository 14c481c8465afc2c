"""Text of a form: its facts, its head, and comments."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from weir import _core
from weir._printable import printable
from weir.export._port import Port, setting

if TYPE_CHECKING:
    import polars as pl

    from weir.export._closest import Closest

WIDTH = 100
"""Characters of a line of comments."""

FRAME = 1514
"""Bytes of the largest frame that Ethernet sends, without tags and checksum."""

_TOGETHER = re.compile(r'[\w-]+ = ("[^"]*"|[^\s,{]+)')

_SPACE = "\N{NO-BREAK SPACE}"


Form = Literal["tc", "sqm", "wred", "junos", "scenario"]


@dataclass(frozen=True)
class Measured:
    """Paired differences between a discipline and its closest match."""

    replications: int
    differences: pl.DataFrame
    """Differences, one row per measure: the closest match minus the discipline, as in
    `weir.Sweep.differences`."""
    lines: tuple[str, ...]
    """Differences as lines of text."""


@dataclass(frozen=True)
class Exported:
    """Exported text, with everything to know about it."""

    text: str
    form: Form
    warnings: tuple[str, ...]
    """Differences between the behaviour of the target and the simulation. The text contains them as well."""
    kernel: str | None = None
    """First Linux that supports the text; None if it is not for Linux."""
    iproute2: str | None = None
    """First iproute2 that can write it; None if all can."""
    closest: Closest | None = None
    """Closest match of the discipline, if no kernel has it."""
    measured: Measured | None = None
    """Measured differences of the closest match."""


def head(
    ports: Mapping[str, Port],
    title: str,
    facts: Sequence[str],
    notes: Sequence[str],
    warnings: Sequence[str],
    command: str | None,
    mark: str = "#",
) -> list[str]:
    """The head of a form, as comments: what it is of, what it needs, what rounding and units do, and where
    it does something else than the simulation. Of each of `ports`, with what it is called here."""
    lines = [title, "", *([f"From:    {command}"] if command is not None else [])]
    for called, port in ports.items():
        buffer = port.table["buffer"]
        if _core.quantity(buffer)[1] in {"BDP", "s"}:
            buffer += f" ({port.limit})"
        packets = f"packets of {port.mean_packet} B where packets are counted"
        lines += [
            f"{f'{called}:':<8} {port.name}: {port.table['rate']}, buffer {buffer}, {packets}",
            f"Setting: queue.{setting(port.discipline, port.settings)}",
        ]
    lines += [*facts, *listed("Rounding and units", notes)]
    return comment([*lines, *listed("Other than in the simulation", warnings)], mark)


def share_of_line(port: Port, bandwidth: int | None = None) -> list[str]:
    """Note that less than the whole rate of the link is used, and the reason; not for a `bandwidth` of its
    own."""
    if port.share == 1.0 or bandwidth is not None:
        return []
    return [f"Shapes to {100.0 * port.share:.6g}% of the link: packets wait here, not in what comes next."]


def listed(title: str, entries: Sequence[str]) -> list[str]:
    """Entries under a title; nothing where there are none."""
    return ["", f"{title}:", *(f"  - {entry}" for entry in entries)] if entries else []


def comment(lines: Iterable[str], mark: str = "#") -> list[str]:
    """The lines as comments, broken where they are long, but not within `name = "20 packets"`."""
    found: list[str] = []
    for line in lines:
        indent = " " * (len(line) - len(line.lstrip()))
        wrapped = textwrap.wrap(
            _TOGETHER.sub(lambda match: match[0].replace(" ", _SPACE), printable(line.strip())),
            WIDTH,
            initial_indent=f"{mark} {indent}",
            subsequent_indent=f"{mark} {indent}  ",
            break_long_words=False,
            break_on_hyphens=False,
        )
        found += [text.replace(_SPACE, " ") for text in wrapped or [mark]]
    return found


def word(name: str, filled: str) -> str:
    """A name without what is neither a letter nor a digit."""
    return re.sub(r"\W", filled, name, flags=re.ASCII)
