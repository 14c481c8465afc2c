"""The measures: one definition each, used by table heads, reports and documentation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class Measure:
    """What is measured, where it is found and how it is written."""

    name: str
    """Identifier: key of JSON documents, name of columns and options."""
    title: str
    """Head of tables and axes, without the unit."""
    unit: str
    """Empty for a pure number."""
    table: Literal["links", "groups", "completions"]
    column: str
    scale: float
    """From the unit of the column to `unit`."""
    decimals: int
    definition: str

    @property
    def heading(self) -> str:
        """Title with unit: `Mean queue (packets)`."""
        return f"{self.title} ({self.unit})" if self.unit else self.title

    @property
    def difference_unit(self) -> str:
        """Of a difference of two values: percentages differ by points."""
        return "points" if self.unit == "%" else self.unit


def _link(  # the common case, one line per measure below
    name: str, title: str, unit: str, column: str, scale: float, decimals: int, definition: str
) -> Measure:
    return Measure(name, title, unit, "links", column, scale, decimals, definition)


def _group(
    name: str, title: str, unit: str, column: str, scale: float, decimals: int, definition: str
) -> Measure:
    return Measure(name, title, unit, "groups", column, scale, decimals, definition)


def _completion(
    name: str, title: str, unit: str, column: str, scale: float, decimals: int, definition: str
) -> Measure:
    return Measure(name, title, unit, "completions", column, scale, decimals, definition)


_TIME = (
    "Time of a transfer: from the first packet's leaving its sender, the SYN where there is one, to the "
    "arrival of its last data."
)
_SLOWDOWN = (
    "Slowdown of a transfer: its time over the least it could have been, which is the round trip of the "
    "handshake, if there is one, propagation one way, and all its bytes at the narrowest link of its path."
)

_ALL = (
    _link(
        "mean_queue", "Mean queue", "packets", "queue_mean", 1.0, 1,
        "Time average of the number of packets waiting at the bottleneck. The packet being "
        "transmitted is not counted.",
    ),
    _link(
        "queue_sd", "Queue deviation", "packets", "queue_sd", 1.0, 1,
        "Standard deviation over time of the number of packets waiting at the bottleneck.",
    ),
    _group(
        "goodput", "Goodput", "%", "goodput", 100.0, 2,
        "Distinct data packets received at all receivers per second, over the packets per "
        "second that the bottleneck can carry. A packet delivered twice counts once.",
    ),
    _link(
        "utilisation", "Utilisation", "%", "utilisation", 100.0, 2,
        "Bits sent by the bottleneck over the bits it could have sent in the same time.",
    ),
    _group(
        "loss", "Loss", "%", "loss", 100.0, 2,
        "Data packets dropped over data packets sent, retransmissions included.",
    ),
    _link(
        "mark_fraction", "Marked", "%", "mark_fraction", 100.0, 2,
        "Packets that the bottleneck marked, over packets that arrived there.",
    ),
    _link(
        "delay_mean", "Mean delay", "ms", "delay_mean_ms", 1.0, 2,
        "Mean time that a packet waited at the bottleneck before its own transmission began. "
        "Dropped packets do not count.",
    ),
    _link(
        "delay_p50", "Median delay", "ms", "delay_p50_ms", 1.0, 2,
        "Half of the packets waited at most this long at the bottleneck.",
    ),
    _link(
        "delay_p95", "Delay p95", "ms", "delay_p95_ms", 1.0, 2,
        "95% of the packets waited at most this long at the bottleneck.",
    ),
    _link(
        "delay_p99", "Delay p99", "ms", "delay_p99_ms", 1.0, 2,
        "99% of the packets waited at most this long at the bottleneck.",
    ),
    _link(
        "delay_p999", "Delay p99.9", "ms", "delay_p999_ms", 1.0, 2,
        "99.9% of the packets waited at most this long at the bottleneck.",
    ),
    _group(
        "jain", "Jain index", "", "jain", 1.0, 3,
        "Fairness of the flows' goodputs x: (sum x)^2 / (n sum x^2). 1 when all are equal, 1/n "
        "when one has everything.",
    ),
    _group(
        "timeouts", "Timeouts", "", "timeouts", 1.0, 0,
        "Retransmission timeouts of all senders together.",
    ),
    _completion(
        "fct_mean", "Mean completion time", "ms", "fct_mean_ms", 1.0, 1,
        f"{_TIME} The mean over transfers that ended.",
    ),
    _completion(
        "fct_p50", "Median completion time", "ms", "fct_p50_ms", 1.0, 1,
        f"{_TIME} Half of those that ended took at most so long.",
    ),
    _completion(
        "fct_p99", "Completion time p99", "ms", "fct_p99_ms", 1.0, 1,
        f"{_TIME} 99% of those that ended took at most so long.",
    ),
    _completion(
        "slowdown_mean", "Mean slowdown", "", "slowdown_mean", 1.0, 2,
        f"{_SLOWDOWN} The mean over transfers that ended.",
    ),
    _completion(
        "slowdown_p50", "Median slowdown", "", "slowdown_p50", 1.0, 2,
        f"{_SLOWDOWN} That of half of those that ended is at most so large.",
    ),
    _completion(
        "slowdown_p99", "Slowdown p99", "", "slowdown_p99", 1.0, 2,
        f"{_SLOWDOWN} That of 99% of those that ended is at most so large.",
    ),
)  # fmt: skip

MEASURES: dict[str, Measure] = {measure.name: measure for measure in _ALL}
"""Every measure by name, in the order in which they are shown."""

HEADLINE = ("mean_queue", "goodput", "loss")
"""What a comparison shows first, in tables and in words."""

OVERVIEW = ("mean_queue", "goodput", "loss", "mark_fraction", "delay_mean", "delay_p99", "jain")
"""What a single run shows first."""

OF_TRANSFERS = ("fct_mean", "slowdown_p50", "slowdown_p99")
"""What a single run shows besides where flows come and go."""


def compared(*, transfers: bool) -> tuple[str, ...]:
    """What variants are compared by, in pairs: completion times too, where flows come and go."""
    return (*HEADLINE, "fct_mean", "slowdown_p99") if transfers else HEADLINE


def defined(*, transfers: bool) -> tuple[str, ...]:
    """The measures of a scenario, with those of transfers only where flows come and go."""
    return tuple(name for name, measure in MEASURES.items() if transfers or measure.table != "completions")
