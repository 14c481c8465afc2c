"""BBR against a real kernel: version 1 of Linux 7.2 and version 3, alone and beside CUBIC, without ECN."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass

from validation.combinations import STAGGERS, SWITCHES, Combination
from validation.kernel_queues import LINKS, Queue, queue
from validation.l4s import SEEDS, Senders, compare
from validation.places import REFERENCE, rows_of
from weir.run._batch import OnProgress

OPEN = frozenset(
    {
        ("codel, A, bbr3, 16 flows", "p99"),
        ("codel, A, bbr3, 1 flow", "p99"),
        ("codel, B, bbr3, 16 flows", "mean"),
        ("codel, D, bbr1, 4 flows", "p99"),
        ("codel, D, bbr1, 4 flows", "utilisation"),
        ("codel, D, bbr1, 4 flows", "drops"),
        ("fq_codel, A, bbr3, 1 flow", "p99"),
        ("fq_codel, B, bbr1, 4 flows", "mean"),
        ("fq_codel, B, bbr1, 4 flows", "p99"),
        ("fq_codel, B, bbr3, 4 flows", "mean"),
        ("fq_codel, B, bbr3, 4 flows", "p99"),
        ("fq_codel, C, bbr1, 4 flows", "mean"),
        ("fq_codel, C, bbr1, 4 flows", "p99"),
        ("fq_codel, C, bbr3, 1 flow", "mean"),
        ("fq_codel, C, bbr3, 4 flows", "p99"),
        ("fq_codel, D, bbr3, 4 flows", "p99"),
        ("pfifo_0.5bdp, D, bbr1, 2 flows", "drops"),
        ("pfifo_1bdp, A, bbr1:2+cubic:2", "drops"),
        ("pfifo_1bdp, B, bbr1, 2 flows", "drops"),
        ("pfifo_1bdp, C, bbr3, 1 flow, rate halved for 20 s", "utilisation"),
        ("pfifo_1bdp, C, bbr3, 4 flows", "mean"),
        ("pfifo_1bdp, D, bbr3, 4 flows", "utilisation"),
        ("pfifo_1bdp, D, bbr3, 4 flows", "drops"),
        ("pfifo_4bdp, A, bbr3, 16 flows", "drops"),
        ("pfifo_4bdp, A, bbr3, 1 flow, 1% random loss", "mean"),
        ("pfifo_4bdp, A, bbr3, 1 flow, 1% random loss", "p99"),
        ("pfifo_4bdp, A, bbr3, 1 flow, 1% random loss", "utilisation"),
        ("pfifo_4bdp, B, bbr1:1+cubic:1", "ratio"),
        ("pfifo_4bdp, B, bbr1, 16 flows", "drops"),
        ("pfifo_4bdp, B, bbr1, 1 flow, 1% random loss", "utilisation"),
        ("pfifo_4bdp, D, bbr1, 4 flows", "p99"),
        ("pie, B, bbr1, 16 flows", "p99"),
        ("pie, C, bbr3, 1 flow", "mean"),
        ("pie, D, bbr1, 4 flows", "p99"),
        ("pie, D, bbr1, 4 flows", "utilisation"),
        ("pie, D, bbr1, 4 flows", "drops"),
    }
)
"""Values that miss and are not explained."""

JITTER = '"20 us"'
PHASES = tuple(step / 20 for step in range(-2, 3))
"""Packet times by which the round trip of a lone flow is longer, run by run."""


@dataclass(frozen=True)
class Run(Combination):
    """A combination without ECN, which may lose packets at random or change its rate."""

    scen: str = ""

    @property
    def name(self) -> str:
        return ", ".join(filter(None, (super().name, SWITCHES[self.scen][0] if self.scen else "")))

    @property
    def held(self) -> bool:
        return self.scen != "step"

    @property
    def resolves(self) -> bool:
        return False

    @property
    def queue(self) -> Queue:
        return queue(self.qdisc, self.link, ecn=False, held=self.held)

    @property
    def changes(self) -> list[tuple[str, str]]:
        found = [*self.each("tcp.ecn", "false"), *self.each("tcp.accecn", "false")]
        found += [*self.each("tcp.sack_compression", '"1 ms"'), *self.each("start_jitter", JITTER)]
        if self.scen == "step":
            found += self.halved()
        elif self.scen:
            found += SWITCHES[self.scen][1]
        return found

    def turns(self, repeats: int) -> list[tuple[int, list[tuple[str, str]]]]:
        if self.flows > 1:
            return [(stagger, []) for stagger in STAGGERS[:repeats]]
        path = LINKS[self.link]
        phases = PHASES if self.held else ()
        rtts = [f'"{path.rtt_ms + phase * path.packet_ms:.6g} ms"' for phase in phases]
        return [(STAGGERS[0], self.each("rtt", rtt)) for rtt in rtts] or [(STAGGERS[0], [])]


def reference(chosen: Callable[[Run], bool] = lambda _: True) -> dict[Run, list[dict[str, str]]]:
    """The repeats of every combination with BBR, in the order of the file."""
    found: defaultdict[Run, list[dict[str, str]]] = defaultdict(list)
    for row in rows_of(REFERENCE / "l4s" / "results.csv"):
        if row["tcp_ecn"] == "0" and "bbr" in row["cc"] and not row["tag"]:
            one = Run(row["qdisc"], row["link"], row["cc"], int(row["flows"]), row["scen"])
            if chosen(one):
                found[one].append(row)
    return dict(found)


def senders(progress: OnProgress | None = None, *, quick: bool = False) -> Senders:
    """Everything; `quick`: what stands beside CUBIC, loses at random or changes its rate, on A."""

    def tells_much(one: Run) -> bool:
        return one.link == "A" and (":" in one.congestion or bool(one.scen))

    recorded = reference(tells_much) if quick else reference()
    return Senders(compare(recorded, progress=progress), OPEN)


def context(found: Senders) -> dict[str, object]:
    """Variables of the template."""
    return {"bbr": found, "bbr_seeds": SEEDS[-1]}
