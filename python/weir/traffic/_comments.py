"""Comments at the head of a scenario from a capture: what was assumed, and what was left out."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from weir.check import recordings, units
from weir.scenario import to_toml
from weir.traffic._captured import Captured, plain
from weir.traffic._plan import SPREAD, Indices, Plan


def comments(found: Captured, how: Plan, *, known_rtt: bool) -> list[str]:
    """Comment lines at the head of the file."""
    number = _counted(len(found.transfers["bytes"]))
    return [
        f"# Written by `weir traffic from-pcap` from {to_toml(found.file.name)}:",
        f"# {number} in {found.duration:.3g} s, {found.offered / 1e6:.3g} Mbit/s.",
        "# Flows react to the queue: sizes and arrivals are those of the capture, rates are not.",
        "#",
        "# Assumed:",
        *(f"# - {line}" for line in _assumed(found, how, known_rtt=known_rtt)),
        "# Left out:",
        *(f"# - {line}" for line in _left_out(found) or ["nothing"]),
    ]


def _assumed(found: Captured, how: Plan, *, known_rtt: bool) -> Iterator[str]:
    columns = found.transfers
    if len(how.endless):
        yield f"data without end, since it was sent until the end of the capture: {_of(found, how.endless)}"
    if len(how.single):
        yield f"one by one, in every run as captured: {_of(found, how.single)}"
    if len(how.drawn):
        spread = float(np.sqrt((columns["bytes"][how.drawn] ** 2).sum()) / columns["bytes"].sum())
        number = plain(100 / len(how.drawn) ** 0.5, 2)
        yield f"drawn as Poisson arrivals: {_of(found, how.drawn)}"
        yield (
            f"standard deviation of a run: {number}% of these, {plain(100 * spread, 2)}% of all bytes "
            f"(at most {SPREAD:.0%})"
        )
    rest = np.concatenate([how.single, how.drawn])
    for missing, said in (
        ("begun", "its beginning was not captured"),
        ("ended", "it was not over at the end"),
    ):
        cut = rest[columns[missing][rest] == 0]
        if len(cut):
            yield f"as large as what was seen, though {said}: {_of(found, cut)}"
    unknown = len(columns["rtt"]) - len(found.rtts)
    if unknown and not known_rtt:
        known = "the median of the others" if len(found.rtts) else "a part of it, which was seen"
        yield f"for a round trip that is not known, {known}: {_counted(unknown)}"
    if found.late:
        yield f"the order of their times: {recordings.out_of_order(found.late, found.latest_s)}"
    if found.copies:
        yield f"once: {recordings.twice(found.copies)}"
    if found.mixed:
        yield "one direction, though --to has hosts of both sides of the link"
    yield "senders as in Linux: a capture does not say"


def _left_out(found: Captured) -> list[str]:
    lines: list[str] = []
    for why, (count, octets) in found.left_out.items():
        if count:
            lines.append(f"{count:,} conversation{'' if count == 1 else 's'} ({_size(octets)}): {why}")
    if found.others:
        packets = f"{found.others:,} packet{'' if found.others == 1 else 's'}"
        lines.append(f"{packets} of other protocols, fragments, or without a whole header")
    if found.damage is not None:
        lines.append(f"what comes after the damage of the file: {found.damage}")
    if found.other.transfers:
        lines.append(f"what went in the other direction: {other_direction(found)}")
    return lines


def other_direction(found: Captured) -> str:
    """Traffic in the other direction, and its destination, in words."""
    other = found.other
    to = f" to {other.to}" if other.to is not None else ""
    more = f" and {other.hosts - 1:,} more" if other.hosts > 1 else ""
    of_each = f", of each of {found.groups:,} groups of hosts" if (found.groups or 0) > 1 else ""
    return f"{_counted(other.transfers)} ({_size(other.bytes)}){to}{more}{of_each}"


def _of(found: Captured, which: Indices) -> str:
    return f"{_counted(len(which))} ({_size(found.transfers['bytes'][which].sum())})"


def _counted(transfers: int) -> str:
    return f"{transfers:,} transfer{'' if transfers == 1 else 's'}"


def _size(octets: float) -> str:
    return units.scaled(octets, ("B", "kB", "MB", "GB"))
