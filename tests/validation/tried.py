"""Trials on values that miss and are not explained: one thing otherwise, and the value again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

Change = tuple[str, str]

OTHER_SEEDS = 100
"""Added to every seed."""


def _all(_: str) -> bool:
    return True


def _fair(qdisc: str) -> bool:
    return qdisc.startswith("fq_")


def _averages(qdisc: str) -> bool:
    return qdisc.startswith(("red_", "choke"))


@dataclass(frozen=True)
class Trial:
    """One thing that is otherwise."""

    name: str
    of_flows: Sequence[Change] = ()
    """Keys of every group of flows."""
    of_link: Sequence[Change] = ()
    concerns: Callable[[str], bool] = field(default=_all)
    """Queues that it concerns, by name."""
    seeds: int = 0

    def changes(self, groups: Sequence[str], qdisc: str) -> list[Change]:
        """Changes of a scenario with these groups."""
        table = qdisc.removesuffix("_l4s").replace("_", "-")
        return [
            *((f"flows.{group}.{key}", value) for group in groups for key, value in self.of_flows),
            *((f"links.bottleneck.{key.format(table)}", value) for key, value in self.of_link),
        ]


TRIALS = (
    Trial("other seeds", seeds=OTHER_SEEDS),
    Trial("starts within 100 ms", of_flows=[("start_jitter", '"100 ms"')]),
    Trial("delayed ACKs after 25 ms", of_flows=[("tcp.delayed_ack", '"25 ms"')]),
    Trial("SACKs at once", of_flows=[("tcp.sack_compression", '"0 s"')]),
    Trial("no tail probes", of_flows=[("tcp.recovery.sack.tlp", "false")]),
    Trial("a queue for each flow", of_link=[("queue.{}.flow_hashing", '"modulo"')], concerns=_fair),
    # By its source, `tbf` asks a queue that is empty for nothing: RED and CHOKe never learn that it is idle.
    Trial("average kept while idle", of_link=[("mean_packet_size", '"60000 B"')], concerns=_averages),
)
