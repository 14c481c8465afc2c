"""The measures: one definition each, used by table heads, reports and documentation."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from typing import Literal

from weir._errors import WeirError, require

OF = " of "
"""Separator between a measure and a flow group or a class of the queue: `goodput of cubic`, `delay_p99 of
L`."""

AT = " at "
"""Separator between a measure and a port that is not the bottleneck: `delay_p99 at line.reverse`."""

By = Literal["group", "class", "link"]
"""Parts by which a measure can be divided: flow groups, classes of the bottleneck's queue, ports that data
pass."""


class MeasureError(WeirError, ValueError):
    """Error about a measure that does not exist."""


@dataclass(frozen=True)
class Measure:
    """Definition of a measured quantity: its source in the tables and its form in print."""

    name: str
    """Identifier, used as key of JSON documents and as name of columns and options."""
    title: str
    """Title in the head of tables and at axes, without the unit."""
    unit: str
    """Unit of the values in print; empty for a pure number."""
    column: str
    decimals: int
    definition: str
    table: Literal["links", "groups", "completions"] = "links"
    part: str = ""
    """Flow group, or class of the bottleneck's queue, whose packets count; empty for all."""
    at: str = ""
    """Port whose queue counts, `LINK` or `LINK.reverse`; empty for the bottleneck."""

    @property
    def whole(self) -> str:
        """Name of the measure of all packets at the bottleneck."""
        return self.name.partition(AT)[0].partition(OF)[0]

    @property
    def words(self) -> str:
        """Name inside a sentence, such as `goodput`, `delay p99 of cubic` or `delay p99 at line.reverse`."""
        title = MEASURES[self.whole].title
        return f"{title.lower()}{self.title.removeprefix(title)}"

    def is_known_by(self, by: By) -> bool:
        """Returns true if the measure has values for single groups, single classes, or single ports.

        Example:
            >>> from weir.stats import MEASURES
            >>> MEASURES["goodput"].is_known_by("group"), MEASURES["mean_queue"].is_known_by("group")
            (True, False)
        """
        if by == "link":
            return self.column == "loss" or self.table == "links"
        if by == "group":
            return self.column not in {"queue_mean", "queue_sd", "loss_synchronisation"}
        return self.column == "loss" or (self.table == "links" and self.column != "loss_synchronisation")

    @property
    def scale(self) -> float:
        """Factor from the unit of the column, where shares are fractions, to `unit`."""
        return 100.0 if self.unit == "%" else 1.0

    @property
    def heading(self) -> str:
        """Title with unit, such as `Mean queue (packets)`."""
        return f"{self.title} ({self.unit})" if self.unit else self.title

    @property
    def full(self) -> float | None:
        """Largest value of a measure that is mostly near it; else None. An axis from zero would hide
        differences."""
        return {"goodput": 100.0, "utilisation": 100.0, "jain": 1.0}.get(self.column)

    @property
    def difference_unit(self) -> str:
        """Unit of a difference of two values. Percentages differ by points."""
        return "points" if self.unit == "%" else self.unit


_TIME = (
    "Time of a transfer: from the first packet's leaving its sender, the SYN where there is one, to the "
    "arrival of its last data."
)
_SLOWDOWN = (
    "Slowdown of a transfer: its time over the least it could have been, which is the round trip of the "
    "handshake, if there is one, propagation one way, and all its bytes at the link of its path that takes "
    "longest for them."
)

_ALL = (
    Measure(
        "mean_queue", "Mean queue", "packets", "queue_mean", 1,
        "Time average of the number of packets waiting at the bottleneck. The packet being "
        "transmitted is not counted.",
    ),
    Measure(
        "queue_sd", "Queue deviation", "packets", "queue_sd", 1,
        "Standard deviation over time of the number of packets waiting at the bottleneck.",
    ),
    Measure(
        "goodput", "Goodput", "%", "goodput", 2,
        "Distinct data received of the flows over the bottleneck, over what the bottleneck could have "
        "carried in the same time. A packet delivered twice counts once. Of one flow group: by its own "
        "bottleneck.",
        "groups",
    ),
    Measure(
        "utilisation", "Utilisation", "%", "utilisation", 2,
        "Bits sent by the bottleneck over the bits it could have sent in the same time: by its rate at each "
        "instant, with the tokens that a bucket held at first, and no faster than its peak.",
    ),
    Measure(
        "loss", "Loss", "%", "loss", 2,
        "Data packets dropped by queues, over those that were dropped, lost by links or received, "
        "retransmissions included.",
        "groups",
    ),
    Measure(
        "mark_fraction", "Marked", "%", "mark_fraction", 2,
        "Packets that the bottleneck marked, over packets that arrived there.",
    ),
    Measure(
        "loss_synchronisation", "Loss synchronisation", "%", "loss_synchronisation", 1,
        "Share of the flows at the bottleneck that lost packets in a loss event, the mean over events "
        "(RFC 7928, section 2.4). A loss event begins with a drop and lasts one round trip.",
    ),
    Measure(
        "delay_mean", "Mean delay", "ms", "delay_mean_ms", 2,
        "Mean time that a packet waited at the bottleneck before its own transmission began. "
        "Dropped packets do not count.",
    ),
    *(
        Measure(
            f"delay_{name}", title, "ms", f"delay_{name}_ms", 2,
            f"{share} of the packets waited at most this long at the bottleneck.",
        )
        for name, title, share in (
            ("p50", "Median delay", "Half"),
            ("p95", "Delay p95", "95%"),
            ("p99", "Delay p99", "99%"),
            ("p999", "Delay p99.9", "99.9%"),
        )
    ),
    Measure(
        "path_delay", "Path delay", "ms", "path_delay_ms", 2,
        "Mean time that data packets waited in all queues of their path: the sum of the means of its hops.",
        "groups",
    ),
    Measure(
        "rtt_mean", "Mean RTT", "ms", "rtt_ms", 2,
        "Mean round trip under load: propagation, and at each hop of data and of ACKs the mean time of "
        "waiting, of transmission and on the line. The time for which the receiver holds an ACK back is not "
        "part of it, nor that for which packets wait at an access link.",
        "groups",
    ),
    Measure(
        "jain", "Jain index", "", "jain", 3,
        "Fairness of the flows' goodputs x: (sum x)^2 / (n sum x^2). 1 when all are equal, 1/n "
        "when one has everything.",
        "groups",
    ),
    Measure(
        "timeouts", "Timeouts", "", "timeouts", 0,
        "Retransmission timeouts of all senders together.",
        "groups",
    ),
    Measure(
        "transfers", "Transfers", "", "count", 0, "Transfers that ended in the time measured.", "completions"
    ),
    *(
        Measure(f"fct_{name}", title, "ms", f"fct_{name}_ms", 1, f"{_TIME} {which}", "completions")
        for name, title, which in (
            ("mean", "Mean completion time", "The mean over transfers that ended."),
            ("p50", "Median completion time", "Half of those that ended took at most so long."),
            ("p99", "Completion time p99", "99% of those that ended took at most so long."),
        )
    ),
    *(
        Measure(f"slowdown_{name}", title, "", f"slowdown_{name}", 2, f"{_SLOWDOWN} {which}", "completions")
        for name, title, which in (
            ("mean", "Mean slowdown", "The mean over transfers that ended."),
            ("p50", "Median slowdown", "That of half of those that ended is at most so large."),
            ("p99", "Slowdown p99", "That of 99% of those that ended is at most so large."),
        )
    ),
)  # fmt: skip


class _Measures(dict[str, Measure]):
    """Measures by name. It iterates over those of all packets, and also knows those of parts of them."""

    def __missing__(self, name: str) -> Measure:
        parts, _, port = name.partition(AT)
        whole, _, part = parts.partition(OF)
        if not ((part or port) and whole in self):
            raise KeyError(name)
        title = self[whole].title + name.removeprefix(whole)
        return replace(self[whole], name=name, title=title, part=part, at=port)


MEASURES: dict[str, Measure] = _Measures({measure.name: measure for measure in _ALL})
"""Every measure by name, in the order in which they are shown. A name such as `goodput of cubic` finds that
measure of one flow group or class, one such as `delay_p99 at line.reverse` that of one port."""


def measure_named(words: str, error: type[WeirError] = MeasureError) -> Measure:
    """The measure that a user means: its name or title, hyphens or blanks for underscores, the words in
    either order (`p99 delay`, `delay_p99`), and `delay` for its mean. Then `of` and a flow group or a class
    of the queue may follow, as in `goodput of cubic`, and `at` and a port, as in `delay at line.reverse`.
    Raises `error`."""
    parts_of, _, port = (*re.split(r"\s+(at)\s+", words.strip(), maxsplit=1), "", "")[:3]
    whole, _, part = (*re.split(r"\s+(of)\s+", parts_of.strip(), maxsplit=1), "", "")[:3]
    parts = re.split(r"[\s_-]+", whole.strip().lower())
    name = "_".join(parts)
    known = {**MEASURES, **{measure.title.lower(): measure for measure in _ALL}}
    for candidate in (name, "_".join(reversed(parts)), f"{name}_mean", " ".join(parts)):
        if candidate in known:
            found = known[candidate]
            return MEASURES[found.name + (part and f"{OF}{part}") + (port and f"{AT}{port}")]
    each = [repr(one.strip()) for one in whole.split(",")]
    hint = f"name each by itself: {', then '.join(each)}" if each[1:] else _suggested(parts)
    raise error(f'there is no measure "{whole}"', hint)


def named_margins(margins: Mapping[str, float]) -> dict[str, float]:
    """Margins by the names of their measures, which a person may write as words. Raises MeasureError."""
    for words, margin in margins.items():
        said = f"a margin of {margin:g} for {words!r} is none"
        require(0.0 <= margin < math.inf, said, "give zero or more, in the unit of the measure", MeasureError)
    return {known_measure(words).name: margin for words, margin in margins.items()}


def known_measure(words: str) -> Measure:
    """The measure of this name, else that which a user means by these words. Raises MeasureError."""
    try:
        return MEASURES[words]
    except KeyError:
        return measure_named(words)


_SAME = {"latency": "delay", "throughput": "goodput", "fairness": "jain", "drops": "loss", "ping": "rtt"}
"""Names that other tools have for measures."""


def _suggested(words: Sequence[str]) -> str:
    """Measures with names like these words, which were probably meant; all measures if there are none."""
    known = sorted({word for name in MEASURES for word in name.split("_")})
    near = [_SAME.get(word, "") or next(iter(get_close_matches(word, known, n=1)), "") for word in words]
    found = [name for name in MEASURES if near and set(filter(None, near)) <= set(name.split("_"))]
    if not any(near) or not found:
        return f"there are: {', '.join(MEASURES)}"
    quoted = [repr(name) for name in found]
    return f"did you mean {' or '.join([', '.join(quoted[:-1]), quoted[-1]] if quoted[1:] else quoted)}?"


def check_measure(
    measure: Measure,
    groups: Collection[str],
    classes: Collection[str],
    ports: Collection[str],
    error: type[WeirError] = MeasureError,
) -> None:
    """Raises `error` for a measure of a flow group, class or port that there is not or has no such value."""
    if measure.at:
        if measure.at not in ports:
            raise _missing(f'there is no port "{measure.at}"', measure.at, {"ports": ports}, error)
        _check_known(measure, "link", error)
        if measure.part and measure.part not in groups:
            raise error(f'there is no flow group "{measure.part}"', f"flow groups: {', '.join(groups)}")
    if measure.part:
        by: By = "group" if measure.part in groups else "class"
        if by == "class" and measure.part not in classes:
            message = f'there is no flow group "{measure.part}", and no such class of the queue'
            raise _missing(message, measure.part, {"flow groups": groups, "classes": classes}, error)
        _check_known(measure, by, error)


def _missing(
    message: str, name: str, there: Mapping[str, Collection[str]], error: type[WeirError]
) -> WeirError:
    close = get_close_matches(name, [one for names in there.values() for one in names], n=1)
    listed = "; ".join(f"{what}: {', '.join(names)}" for what, names in there.items() if names)
    return error(message, f"did you mean {close[0]!r}?" if close else listed)


_ONE: Mapping[By, str] = {
    "group": "one flow group", "class": "one class of the queue", "link": "one port",
}  # fmt: skip


def _check_known(measure: Measure, by: By, error: type[WeirError]) -> None:
    if not measure.is_known_by(by):
        known = [name for name, one in MEASURES.items() if one.is_known_by(by)]
        raise error(f"{measure.whole} is not known of {_ONE[by]}", f"these are: {', '.join(known)}")


HEADLINE = ("mean_queue", "delay_mean", "delay_p99", "goodput", "loss")
"""Measures that every table shows first, and that a comparison in words is about."""

OVERVIEW = (*HEADLINE, "mark_fraction", "jain")
"""Measures that the summary of a single run shows first."""

MEASURES_BY: dict[By, tuple[str, ...]] = {
    "group": ("goodput", "path_delay", "rtt_mean", "delay_p99", "loss", "mark_fraction"),
    "class": ("mean_queue", "delay_mean", "delay_p99", "loss", "mark_fraction"),
    "link": ("utilisation", "delay_mean", "delay_p99", "loss", "mark_fraction"),
}
"""Measures that a table by flow group, by class of the queue or by port shows first."""

TRANSFER_MEASURES = ("transfers", "fct_mean", "slowdown_p50", "slowdown_p99")
"""Measures that the summary of a single run adds if flows come and go."""


def compared_measures(*, transfers: bool) -> tuple[str, ...]:
    """Measures by which variants are compared, in pairs. They include completion times if flows come and
    go."""
    return (*HEADLINE, "fct_mean", "slowdown_p99") if transfers else HEADLINE


def defined_measures(*, transfers: bool) -> tuple[str, ...]:
    """Measures of a scenario. Those of transfers are included only if flows come and go."""
    return tuple(name for name, measure in MEASURES.items() if transfers or measure.table != "completions")
