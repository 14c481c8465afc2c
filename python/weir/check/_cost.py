"""What a run takes, estimated from the scenario alone: packets, time and memory."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from math import log10
from typing import Any, Literal

from weir import _core
from weir.check._resolved import MOST_CHANGES, UNRESPONSIVE, Resolved, limit_of, most_flows

# Measured on the processor that docs/performance.md names; nanoseconds.
_PACKET_NS = 20.0
"""Of a data packet from its sender to the ACK, besides its ports."""
_HOP_NS = 30.0
"""Of a packet at a port with its queue."""
_DISTANT_NS = 80.0
"""More for each tenfold of flows from a thousand on: their state is not in the cache."""
_FLOW_NS = 4000.0
"""Of a flow: to make it, its first segments and its timers."""
_WAITING = 4.0
"""What a transfer that waits takes, times that of a flow: its timeouts."""
_TIMER_NS = 16.0
"""Of an update, or of a change of a rate."""
_VALUE_NS = 20.0
"""Of a value of a series."""
_CELL_NS = 4000.0
"""Of the counts of a group at a port in a period, with its rows."""
_ROW_NS = 300.0
"""Of a row of flows, in the tables and the store."""
_TRANSFER_NS = 1000.0
"""Of a transfer, besides its packets."""
_ENDED_NS = 20e3
"""Of the transfers of a group that end in a period, with their rows."""
_PYTHON_NS = 1500.0
"""Of a packet that an AQM in Python decides on."""

# Bytes.
_FLOW_B = 554.0
_DRAWN_FLOW_B = 637.0
_PACKET_B = 64.0
"""Of a packet under way or in a queue."""
_VALUE_B = 48.0
"""Of a value of a series: with its time, in the run, its tables and the store."""
_PORT_B = 22e3
"""Of a port with its histograms of delays."""
_CELL_B = 800.0
"""Of the counts of a group at a port in a period, with its rows."""
_ENDED_B = 9e3
"""Of the transfers of a group that end in a period, with their rows."""
_ROW_B = 250.0
"""Of a row of flows, in the tables and the store."""
_RUN_B = 45e6
"""Of the first run of a program: threads, tables and the store."""

_COME_AND_GO = {"poisson", "closed-loop", "web", "web-3gpp"}
"""Kinds of traffic whose flows are transfers that end."""

_TIMED = {"pi", "pi2", "pie", "rem", "modular", "fq-pie", "dualpi2", "adaptive-red", "feng-red", "op-red"}
"""AQMs with a timer of this `interval`."""


Part = Literal["flows", "packets", "series", "counts"]
"""What memory is taken by: flows, packets in queues, time series, counts of groups at ports in periods."""

LESS: dict[Part, str] = {
    "flows": "fewer flows",
    "packets": "a smaller buffer, or shorter delays",
    "series": "a longer measure.series.interval, or fewer of measure.series.flows",
    "counts": "fewer links or groups of flows, or a longer measure.period",
}
"""What to write for less of it."""


@dataclass(frozen=True)
class Cost:
    """Of one run: the order of magnitude, within a factor of two for most scenarios."""

    packets: float
    """That pass a port with a queue, each counted at every port."""
    cpu_s: float
    """Seconds of one core."""
    memory_bytes: float
    """Beside the program itself, while one run is done at a time."""
    mostly: Part
    """What takes most of the memory."""

    @property
    def own_bytes(self) -> float:
        """What each further run at the same time takes."""
        return max(0.0, self.memory_bytes - _RUN_B)

    def __str__(self) -> str:
        """`2.1 million packets, 0.2 s and 60 MB a run`."""
        packets, memory = counted(self.packets), size(self.memory_bytes)
        return f"about {packets} packets, {span(self.cpu_s)} and {memory} a run"

    @staticmethod
    def of(scene: Resolved) -> Cost:
        """Estimated."""
        return _Estimate(scene).cost()


def counted(number: float) -> str:
    """`2.1 million`, `340,000`, `12`."""
    for unit, word in ((1e12, "trillion"), (1e9, "billion"), (1e6, "million")):
        if number >= unit:
            return f"{_two(number / unit)} {word}"
    return _two(round(number))


def span(seconds: float) -> str:
    """`0.2 s`, `3 min`, `12 h`, `40 days`."""
    for unit, word in ((86_400.0, "days"), (3600.0, "h"), (60.0, "min")):
        if seconds >= 2.0 * unit:
            return f"{_two(seconds / unit)} {word}"
    return f"{_two(max(seconds, 0.01))} s"


def size(number: float) -> str:
    """`60 MB`, `1.2 GB`."""
    unit, word = next(((u, w) for u, w in ((1e12, "TB"), (1e9, "GB")) if number >= u), (1e6, "MB"))
    return f"{_two(number / unit)} {word}"


def _two(number: float) -> str:
    """Two significant digits, without an exponent."""
    return f"{float(f'{number:.2g}'):,.15g}"


class _Estimate:
    def __init__(self, scene: Resolved) -> None:
        self.scene = scene
        self.duration = scene.network.duration_s
        self.document: Mapping[str, Any] = scene.document

    def cost(self) -> Cost:
        scene = self.scene
        sent = self._packets()
        hops = sum(sent[path.group] * len(scene.ports_of(path)) for path in scene.paths)
        acks = sum(
            sent[path.group] * sum(name in scene.ports_by_name for name in path.acks)
            for path in scene.paths
            if path.acks and path.traffic not in UNRESPONSIVE
        )
        flows = sum(most_flows(path.load) for path in scene.paths)
        distant = _DISTANT_NS * max(0.0, log10(max(flows, 1)) - 3.0)
        periods = 1.0 + self._times(self.document["measure"].get("period"))
        cells = sum(self._cells(port) for port in scene.ports) * periods
        values = self._values()
        ending = sum(path.traffic in _COME_AND_GO for path in scene.paths) * periods
        transfers = sum(self._transfers(path, sent[path.group]) for path in scene.paths)
        unfinished = self._unfinished(sent)
        cpu_ns = (
            sum(sent.values()) * (_PACKET_NS + distant)
            + (hops + acks) * _HOP_NS
            + (flows + _WAITING * unfinished) * _FLOW_NS
            + self._updates() * _TIMER_NS
            + values * _VALUE_NS
            + cells * _CELL_NS
            + transfers * _TRANSFER_NS
            + ending * _ENDED_NS
            + flows * periods * _ROW_NS
            + sum(self._decided(port, sent) for port in scene.ports) * _PYTHON_NS
        )
        drawn = sum(most_flows(path.load) for path in scene.paths if path.base_rtt_s is None)
        memory: dict[Part, float] = {
            "flows": (flows - drawn + unfinished) * _FLOW_B + drawn * _DRAWN_FLOW_B + flows * _ROW_B,
            "packets": self._outstanding() * _PACKET_B,
            "series": values * _VALUE_B,
            "counts": len(scene.ports) * _PORT_B
            + cells * _CELL_B
            + ending * _ENDED_B
            + flows * (periods - 1.0) * _ROW_B,
        }
        mostly = max(memory, key=lambda part: memory[part])
        return Cost(hops, cpu_ns / 1e9, _RUN_B + sum(memory.values()), mostly)

    def _times(self, interval: object) -> float:
        """How often an interval of the document passes in the run."""
        return self.duration / _core.quantity(interval)[0] if isinstance(interval, str) else 0.0

    def _cells(self, port: _core.Port) -> float:
        """Groups, and classes of packets, that are counted apart."""
        return (1.0 + len(self.scene.paths)) * max(1, len(port.classes))

    def _mean_rate(self, port: _core.Port) -> float:
        """In bit/s over the changes that are known."""
        changes = [(0.0, port.rate_bps), *self.scene.rate_changes[port.name]]
        end = self.duration if len(changes) <= MOST_CHANGES else changes[-1][0]
        spans = pairwise([*changes, (end, 0)])
        return sum(bps * (until - at) for (at, bps), (until, _) in spans) / end

    def _packets(self) -> dict[str, float]:
        """Data packets of each group: what it offers, or its share of what its bottleneck carries."""
        found: dict[str, float] = {}
        through: dict[str, list[_core.Path]] = {}
        for path in self.scene.paths:
            through.setdefault(path.bottleneck.name, []).append(path)
        for name, paths in through.items():
            left = self._mean_rate(self.scene.ports_by_name[name]) * self.duration
            wanted = {path.group: self._offered_bits(path) for path in paths}
            # Those that offer least get all of it, as with max-min fairness.
            order = sorted(
                paths,
                key=lambda path: (
                    path.traffic != "poisson",
                    wanted[path.group] / max(1, most_flows(path.load)),
                ),
            )
            flows = sum(max(1, most_flows(path.load)) for path in order)
            for path in order:
                mine = max(1, most_flows(path.load))
                # Transfers come until their load is carried: there are more of them the longer they take.
                share = 1.0 if path.traffic == "poisson" else mine / flows
                bits = min(wanted[path.group], left * share)
                found[path.group] = bits / 8.0 / path.packet_bytes
                left, flows = left - bits, flows - mine
        return found

    def _offered_bits(self, path: _core.Path) -> float:
        """What the group would send if nothing held it back; infinite for data without end."""
        active = self._flow_seconds(path)
        if (offered := self.scene.offered_bps(path)) is not None:
            return offered * active
        if path.traffic == "bulk":
            window = self.scene.group(path).get("tcp", {}).get("receive_window")
            rtt = path.base_rtt_range_s[0]
            if isinstance(window, str) and rtt > 0.0:
                value, unit = _core.quantity(window)
                return value * (8.0 if unit == "B" else 8.0 * path.packet_bytes) / rtt * active
        return float("inf")

    def _transfers(self, path: _core.Path, packets: float) -> float:
        """How many transfers so many packets are; 0 where their mean size is not known."""
        size = path.mean_transfer_bytes
        return 0.0 if size is None else packets / max(1.0, size / path.packet_bytes)

    def _unfinished(self, sent: Mapping[str, float]) -> float:
        """Transfers that wait because more arrive than the bottleneck carries."""
        waiting = 0.0
        for path in self.scene.paths:
            if path.traffic == "poisson":
                offered = self._offered_bits(path) / 8.0 / path.packet_bytes
                waiting += self._transfers(path, max(0.0, offered - sent[path.group]))
        return waiting

    def _flow_seconds(self, path: _core.Path) -> float:
        """The time that its flows are there, summed over them."""
        ends = [*(change.at_s for change in path.load[1:]), self.duration]
        return sum(
            change.after * max(0.0, min(end, self.duration) - change.at_s)
            for change, end in zip(path.load, ends, strict=False)
        )

    def _outstanding(self) -> float:
        """Packets under way and waiting at most: by bottleneck its delay and its buffer, if it can fill."""
        return sum(port.bdp_packets + min(limit_of(port), 1e7) for port in self.scene.bottlenecks)

    def _updates(self) -> float:
        """Updates of AQMs, and changes of rates."""
        found = 0.0
        for port in self.scene.ports:
            aqm = self.scene.aqm(port)
            if aqm.name in _TIMED:
                found += self._times(aqm.parameters.get("interval"))
            link = self.scene.link(port)
            changes = len(link.get("rate_schedule", ()))
            found += changes * max(1.0, self._times(link.get("rate_period")))
        return found

    def _decided(self, port: _core.Port, sent: Mapping[str, float]) -> float:
        """Packets that an AQM in Python sees."""
        if self.scene.aqm(port).name != "python":
            return 0.0
        return sum(sent[path.group] for path in self.scene.through(port))

    def _values(self) -> float:
        """Of all series."""
        series = self.document["measure"].get("series")
        if not series:
            return 0.0
        groups = {path.group: most_flows(path.load) for path in self.scene.paths}
        watched = sum(groups.get(name, 1) for name in series.get("flows", ()))
        each = 3.0 * len(self.scene.ports) + 6.0 * watched
        return each * self._times(series["interval"])
