"""Combinations that Linux ran with the senders of L4S and with BBR: a link, a queue, groups of flows, a
switch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from validation.kernel_queues import LINKS, Queue, queue
from validation.loop import Measure
from weir.stats._intervals import Interval, mean_interval

STAGGERS = (20, 30, 40)
"""Milliseconds between the beginnings of two flows, run by run."""
PUSHES = (36, 38, 40, 43, 47)
"""Segments from one end of a write to the next, run by run: a third of Linux's send buffers."""

ALONE = (
    Measure("mean", "Mean delay", "ms", 2, 1.0, 0.10, "qd_mean_ms", 1.0),
    Measure("p99", "99% of delays", "ms", 1, 3.0, 0.15, "qd_p99_ms", 1.0),
    Measure("utilisation", "Utilisation", "%", 1, 1.0, 0.0, "util", 100.0),
    Measure("marks", "Marks", "% of packets", 2, 0.2, 0.15, "mark_pct", 1.0),
    Measure("drops", "Drops", "% of packets", 2, 0.2, 0.15, "drop_pct", 1.0),
)
MIXED = (
    *ALONE,
    Measure(
        "ratio",
        "Rate of a flow of the first group over one of the second",
        "",
        2,
        0.0,
        0.25,
        "ratio_g1_g2",
        1.0,
    ),
    Measure("first_mean", "Mean delay of the first group", "ms", 2, 1.0, 0.10, "g1_qd_mean_ms", 1.0),
    Measure("first_marks", "Marks of the first group", "% of packets", 2, 0.2, 0.15, "g1_mark_pct", 1.0),
)

PRAGUE = "flows.first.tcp.congestion.prague"
SWITCHES: Mapping[str, tuple[str, Sequence[tuple[str, str]]]] = {
    "alpha1": ("alpha begins at 1", [(f"{PRAGUE}.initial_alpha", "1")]),
    "cwndmode0": ("no rate mode", [(f"{PRAGUE}.rate_mode_below", "0 packets")]),
    "norttindep": ("RTTs as they are", [(f"{PRAGUE}.target_rtt", "1 us")]),
    "cubicnoecn": ("CUBIC without ECN", [(f"flows.second.tcp.{key}", "false") for key in ("ecn", "accecn")]),
    "classicecn": ("feedback of RFC 3168", []),
    "noecn": ("no ECN", []),
    "q": ("", []),
    "loss1": (
        "1% random loss",
        [("links.bottleneck.loss.bernoulli", "{ per_packet = 0.01, before_queue = true }")],
    ),
    "step": ("rate halved for 20 s", []),
}
"""Tags and scenarios of Linux's runs: what they are called here, and what they change."""


@dataclass(frozen=True)
class Combination:
    """Values that were measured together: a row of the reference without its repeats."""

    qdisc: str
    link: str
    congestion: str
    """`prague`, or groups in turn: `prague:1+cubic:4`."""
    flows: int

    @property
    def name(self) -> str:
        flows = "" if ":" in self.congestion else (", 1 flow" if self.flows == 1 else f", {self.flows} flows")
        return f"{self.qdisc}, {self.link}, {self.congestion}{flows}"

    @property
    def groups(self) -> list[tuple[str, int]]:
        """Congestion control and number of flows of each group."""
        if ":" not in self.congestion:
            return [(self.congestion, self.flows)]
        parts = (part.split(":") for part in self.congestion.split("+"))
        return [(name, int(count)) for name, count in parts]

    @property
    def measures(self) -> tuple[Measure, ...]:
        return MIXED if ":" in self.congestion else ALONE

    @property
    def changes(self) -> list[tuple[str, str]]:
        """Further differences from the file."""
        return []

    @property
    def resolves(self) -> bool:
        """True if the first packets wait for addresses: a handshake takes two round trips."""
        return True

    @property
    def queue(self) -> Queue:
        return queue(self.qdisc, self.link, ecn=True)

    def each(self, key: str, value: str) -> list[tuple[str, str]]:
        """Sets a key of all groups to one value."""
        return [(f"flows.{group}.{key}", value) for group in ("first", "second")[: len(self.groups)]]

    def halved(self) -> list[tuple[str, str]]:
        """Half of the rate between 20 and 40 s."""
        rate = LINKS[self.link].rate
        mbps = float(rate.removesuffix(" Mbit/s"))
        times = f'{{ at = "20 s", rate = "{mbps / 2:g} Mbit/s" }}, {{ at = "40 s", rate = "{rate}" }}'
        return [("links.bottleneck.rate_schedule", f"[{times}]")]

    def turns(self, repeats: int) -> list[tuple[int, list[tuple[str, str]]]]:
        """Milliseconds between the beginnings of two flows and what else differs, run by run, where Linux ran
        `repeats` times."""
        del repeats
        off = {path for path, value in self.changes if path.endswith(".accecn") and value == "false"}
        return [
            (
                STAGGERS[at % len(STAGGERS)],
                [
                    (path, value)
                    for path, value in self.each("tcp.push_every", str(push))
                    if path.replace("push_every", "accecn") not in off
                ],
            )
            for at, push in enumerate(PUSHES)
        ]


@dataclass(frozen=True)
class Switched(Combination):
    """Combination that differs by a switch, by random loss, or by steps of the rate."""

    ecn: str
    """tcp_ecn of Linux: 0 off, 1 as in RFC 3168, 3 accurate."""
    switch: str

    @property
    def name(self) -> str:
        return ", ".join(filter(None, (super().name, SWITCHES[self.switch][0])))

    @property
    def changes(self) -> list[tuple[str, str]]:
        off = {"0": ("ecn", "accecn"), "1": ("accecn",), "3": ()}[self.ecn]
        changes = [change for key in off for change in self.each(f"tcp.{key}", "false")]
        steps = self.halved() if self.switch == "step" else []
        return [*changes, *SWITCHES[self.switch][1], *steps]

    @property
    def queue(self) -> Queue:
        return queue(self.qdisc, self.link, ecn=self.ecn != "0")


def repeats(measure: Measure, rows: Sequence[Mapping[str, str]]) -> Interval:
    """Interval of a measure over Linux's repeats."""
    return mean_interval(np.array([measure.scale * float(row[measure.column]) for row in rows]))
