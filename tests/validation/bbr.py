"""BBR against a real kernel: version 1 of Linux 7.2 and version 3, alone and beside CUBIC, without ECN."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass

from validation.combinations import STAGGERS, SWITCHES, Combination
from validation.kernel_queues import LINKS, Queue, queue, round_trip_ms
from validation.l4s import SEEDS, Senders, judged
from validation.places import REFERENCE, rows_of
from weir.run._batch import OnProgress

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
    def resolves(self) -> bool:
        return False

    @property
    def queue(self) -> Queue:
        return queue(self.qdisc, self.link, ecn=False)

    @property
    def changes(self) -> list[tuple[str, str]]:
        found = [*self.each("tcp.ecn", "false"), *self.each("tcp.accecn", "false")]
        found += self.each("start_jitter", JITTER)
        if self.scen == "step":
            found += self.halved()
        elif self.scen:
            found += SWITCHES[self.scen][1]
        return found

    def turns(self, repeats: int) -> list[tuple[int, list[tuple[str, str]]]]:
        if self.flows > 1:
            return [(stagger, []) for stagger in STAGGERS[:repeats]]
        path = LINKS[self.link]
        rtts = [round_trip_ms(path, self.queue) + phase * path.packet_ms for phase in PHASES]
        return [(STAGGERS[0], self.each("rtt", f'"{rtt:.6g} ms"')) for rtt in rtts]


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
    return judged("bbr", recorded, trials=not quick, progress=progress)


def context(found: Senders) -> dict[str, object]:
    """Variables of the template."""
    return {"bbr": found, "bbr_seeds": SEEDS[-1]}
