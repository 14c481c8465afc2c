"""Estimated cost of a run, from the scenario alone.

`tests/check/test_costs.py` compares it with what runs of every kind of traffic took.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from math import log10
from typing import Any

from weir import _core
from weir.check._connections import Connections, mean_delay_s
from weir.check._cost import ANY_RUN_B, Cost, MemoryPart
from weir.check._packets import Packets
from weir.check._resolved import Resolved, buffer_limit, duration_of

# Measured on the processor that docs/performance.md names; nanoseconds.
_RUN_NS = 1e5
"""Fixed time of a run: building the network, making tables."""
_PACKET_NS = 30.0
"""Time per packet from its sender to the ACK, without its ports."""
_HOP_NS = 45.0
"""Time per packet at a port with its queue."""
_DISTANT_NS = 80.0
"""Extra time per packet for each tenfold of flows from a thousand on: their state is not in the cache."""
_FLOW_NS = 900.0
"""Time per flow or session: making it, and its timers."""
_TRANSFER_NS = 700.0
"""Time per transfer, without its packets."""
_JITTERED_NS = 150.0
"""Extra time per packet whose sender has a `send_jitter`."""
_DELAYED_NS = 60.0
"""Time per packet on a line with random delays."""
_REORDERED_NS = 60.0
"""Extra time per packet on a line where packets overtake each other."""
_OVERTAKING_NS = 130.0
"""Extra time per packet for each tenfold on the line from a hundred on. Measured with 8 to 150,000."""
_REPAIRED_NS = 50.0
"""Extra time per packet of TCP, which takes reordering for losses."""
_SACK_NS = 30.0
"""Extra time per packet whose sender has SACK, without losses."""
_SACK_REPEATED_NS = 200.0
"""Extra time per packet that SACK repeats, or that overtakes. Measured with RACK at losses of 5% to 70%."""
_HOLES_NS = 300.0
"""Extra time per packet of a flow without end whose scoreboard is full of holes. Measured with 4 to 200 flows
at losses of 0.1% to 50%."""
_HALF_HOLED = 0.13
"""Loss at which the time for holes in the scoreboard is half of `_HOLES_NS`."""
_SACK_DISTANT_NS = 220.0
"""Extra time with SACK for each tenfold of flows from a thousand on: its scoreboard lies elsewhere. Measured
with 4000 to 400,000 transfers at a time."""
_FAIR_NS = 120.0
"""Extra time per packet in a queue with a queue for each flow."""
_PACED_NS = 250.0
"""Extra time per packet whose sender paces."""
_TIMER_NS = 16.0
"""Time per update, or per change of a rate."""
_INTERVAL_NS = 75.0
"""Time per MAP interval of a cable modem while something waits. Measured with intervals of 1 and 10 us."""
_VALUE_NS = 20.0
"""Time per value of a series."""
_CELL_NS = 3000.0
"""Time per row of counts of a group at a port in a period."""
_ROW_NS = 60.0
"""Time per row of flows."""
_ENDED_NS = 2000.0
"""Time per group with transfers that end in a period."""
_PYTHON_NS = 1500.0
"""Time per packet that an AQM in Python decides on."""

# Bytes. Sessions and transfers are those of the run, the others with tables and the store. The core knows the
# memory of flows and packets (`weir_scenario::demand`).
_SESSION_B = 440.0
"""Memory of a user, without transfers."""
_TRANSFER_B = 450.0
"""Memory of a transfer under way."""
_OVERTAKING_B = 26.0
"""Memory of a packet on a line on which others overtake it."""
_VALUE_B = 48.0
"""Memory of a value of a series: with its time, in the run, its tables and the store."""
_PORT_B = 25e3
"""Memory of a port with its histograms of delays."""
_CELL_B = 1900.0
"""Memory of the counts of a group at a port in a period, with its rows."""
_GROUP_B = 980.0
"""Memory of the counts of a group in a period."""
_ENDED_B = 5000.0
"""Memory of the transfers of a group that end in a period, with their rows."""
_ROW_B = 460.0
"""Memory of a row of flows, in the tables and the store."""

_FEW_PERIODS = 10.0
"""Rows of a flow that are the flow's; more of them are those of short periods."""


def estimated(scene: Resolved) -> Cost:
    """The cost of a run."""
    return _Estimate(scene).cost()


@dataclass(frozen=True)
class _Estimate:
    scene: Resolved

    @cached_property
    def _packets(self) -> Packets:
        return Packets(self.scene)

    @cached_property
    def _tcp(self) -> Connections:
        return Connections(self.scene)

    @property
    def _document(self) -> Mapping[str, Any]:
        return self.scene.document

    def cost(self) -> Cost:
        packets = self._packets
        arrivals = sum(packets.data_arrivals.values()) + sum(packets.ack_arrivals.values())
        memory, freed = self._memory()
        kept = sum(memory.values())
        # What a run frees at its end makes room for its tables.
        taken = max(ANY_RUN_B, sum(freed.values())) + kept
        parts: dict[MemoryPart, float] = {part: memory[part] + freed.get(part, 0.0) for part in memory}
        mostly = max(parts, key=lambda part: parts[part])
        return Cost(arrivals, self._nanoseconds(arrivals) / 1e9, taken, mostly, sum(parts.values()))

    def _nanoseconds(self, arrivals: float) -> float:
        packets = self._packets
        sent = sum(group.sent for group in packets.groups)
        sources = sum(group.sources for group in packets.groups)
        live = sources + sum(group.live for group in packets.groups)
        distant = max(0.0, log10(max(live, 1.0)) - 3.0)
        return (
            _RUN_NS
            + sent * (_PACKET_NS + _DISTANT_NS * distant)
            + sum(group.kept_back for group in packets.groups) * _PACKET_NS
            + self._selective(distant)
            + arrivals * _HOP_NS
            + sources * _FLOW_NS
            + sum(group.transfers for group in packets.groups) * _TRANSFER_NS
            + self._paced() * _PACED_NS
            + self._jittered() * _JITTERED_NS
            + self._fair() * _FAIR_NS
            + self._delayed()
            + self._updates() * _TIMER_NS
            + self._intervals() * _INTERVAL_NS
            + self._values * _VALUE_NS
            + self._cells * _CELL_NS
            + self._ended * _ENDED_NS
            + self._rows * _ROW_NS
            + sum(self._decided(port) for port in self.scene.ports) * _PYTHON_NS
        )

    def _memory(self) -> tuple[dict[MemoryPart, float], dict[MemoryPart, float]]:
        """Bytes that are there when tables are made, and those that the run has freed by then."""
        flows = sessions = transfers = 0.0
        for group in self._packets.groups:
            if group.path.comes_and_goes:
                sessions += group.sources
            else:
                flows += group.sources * group.path.flow_bytes
            transfers += group.live * (_TRANSFER_B + group.path.sender_bytes)
        # Many rows of few flows are those of periods.
        few_rows = min(self._rows, _FEW_PERIODS * self._static)
        kept: dict[MemoryPart, float] = {
            "flows": flows + few_rows * _ROW_B,
            "packets": 0.0,
            "series": self._values * _VALUE_B,
            "counts": len(self.scene.ports) * _PORT_B
            + self._cells * _CELL_B
            + self._periods * self._group_rows * _GROUP_B
            + self._ended * _ENDED_B
            + (self._rows - few_rows) * _ROW_B,
        }
        freed: dict[MemoryPart, float] = {
            "flows": sessions * _SESSION_B + transfers,
            "packets": self._waiting() * _core.PACKET_BYTES + self._overtaking() * _OVERTAKING_B,
        }
        return kept, freed

    def _times(self, interval: object) -> float:
        """Number of times that an interval of the document passes in the run."""
        duration = self.scene.network.duration_s
        return duration / _core.quantity(interval)[0] if isinstance(interval, str) else 0.0

    @cached_property
    def _periods(self) -> float:
        """Number of periods, plus one for the whole run."""
        return 1.0 + self._times(self._document["measure"].get("period"))

    @property
    def _group_rows(self) -> float:
        """Rows of all groups, and of each where there are several."""
        groups = len(self.scene.paths)
        return 1.0 + (groups if groups > 1 else 0.0)

    @cached_property
    def _cells(self) -> float:
        """Rows of ports: groups, and classes of packets, that are counted apart, in all periods."""
        rows = sum(1.0 + len(port.classes) for port in self.scene.ports)
        return rows * self._group_rows * self._periods

    @cached_property
    def _ended(self) -> float:
        """Groups of transfers, in all periods."""
        return sum(path.comes_and_goes for path in self.scene.paths) * self._periods

    @cached_property
    def _static(self) -> float:
        """Flows with rows of their own."""
        return sum(group.sources for group in self._packets.groups if not group.path.comes_and_goes)

    @property
    def _rows(self) -> float:
        """Rows of flows, in all periods."""
        return self._static * self._periods

    def _waiting(self) -> float:
        """Packets that wait in queues at most, as many as come beyond what is sent; and those on their way to
        another port."""
        found = 0.0
        for port in self.scene.ports:
            come = self._packets.data_arrivals[port.name]
            if come:
                queued = min(buffer_limit(port), self._most_queued(port), come)
                passing = port.rate_bps * port.delay_s / 8.0 / port.mean_packet_bytes
                found += queued + min(come, passing)
        return found

    def _most_queued(self, port: _core.Port) -> float:
        """Packets that may wait at the port: sources of datagrams fill any buffer that they overload."""
        through = self.scene.through(port)
        sent = {group.path.group: group.sent for group in self._packets.groups}
        come = sum(sent[path.group] for path in through)
        passed = port.rate_bps * self.scene.network.duration_s / 8.0 / port.mean_packet_bytes
        if any(path.traffic == "bulk" for path in through):
            return buffer_limit(port)
        return max(0.0, come - passed) + 0.1 * min(come, buffer_limit(port))

    def _overtaking(self) -> float:
        """Packets on lines on which they overtake each other."""
        return sum(self._on_line(port) for port in self.scene.ports)

    def _on_line(self, port: _core.Port) -> float:
        """Packets on the line of a port on which they overtake each other."""
        variation: Mapping[str, Any] = self.scene.link(port).get("delay_variation", {})
        if not variation.get("reorder"):
            return 0.0
        come = self._packets.data_arrivals[port.name] / self.scene.network.duration_s
        return min(come, port.rate_bps / 8.0 / port.mean_packet_bytes) * mean_delay_s(variation)

    def _delayed(self) -> float:
        """Nanoseconds for lines with random delays."""
        found = 0.0
        for port in self.scene.ports:
            variation = self.scene.link(port).get("delay_variation")
            if not variation:
                continue
            come = self._packets.data_arrivals[port.name]
            carried = port.rate_bps * self.scene.network.duration_s / 8.0 / port.mean_packet_bytes
            each = _DELAYED_NS
            if variation.get("reorder"):
                each += _REORDERED_NS + _OVERTAKING_NS * max(0.0, log10(max(1.0, self._on_line(port))) - 2.0)
                senders = [path for path in self.scene.through(port) if not path.is_datagrams]
                each += _REPAIRED_NS if senders else 0.0
                each += _SACK_REPEATED_NS if any(self.scene.selective(path) for path in senders) else 0.0
            found += min(come, carried) * each
        return found

    def _selective(self, distant: float) -> float:
        """Nanoseconds of senders with SACK, at so many tenfolds of a thousand flows."""
        groups = self._packets.groups
        found = [one for one in groups if not one.path.is_datagrams and self.scene.selective(one.path)]
        each = _SACK_NS + distant * _SACK_DISTANT_NS
        return sum(one.sent * (each + self._holes(one.path)) + one.more * _SACK_REPEATED_NS for one in found)

    def _holes(self, path: _core.Path) -> float:
        """Nanoseconds of a packet whose sender and receiver have holes in what was received."""
        loss = self._tcp.loss(path) if path.traffic == "bulk" else 0.0
        return _HOLES_NS * loss / (loss + _HALF_HOLED)

    def _fair(self) -> float:
        """Packets in queues with a queue for each flow."""
        fair = (port for port in self.scene.ports if self.scene.aqm(port).per_flow)
        return sum(self._packets.data_arrivals[port.name] for port in fair)

    def _jittered(self) -> float:
        """Packets of senders with a `send_jitter`."""
        groups = self._packets.groups
        return sum(one.sent for one in groups if duration_of(self.scene.group(one.path), "send_jitter") > 0.0)

    def _paced(self) -> float:
        """Packets of senders that pace: those that sample the delivery rate, and those of L4S."""
        facts = ((group, self.scene.facts(group.path)) for group in self._packets.groups)
        paced = (one is not None and (one.samples or one.marks == "counted") for _, one in facts)
        return sum(group.sent for group, paces in zip(self._packets.groups, paced, strict=True) if paces)

    def _updates(self) -> float:
        """Updates of AQMs, and changes of rates."""
        found = 0.0
        for port in self.scene.ports:
            aqm = self.scene.aqm(port)
            if timer := aqm.parameter("timer"):
                found += self._times(aqm.parameters[timer])
            link = self.scene.link(port)
            changes = len(link.get("rate_schedule", ()))
            found += changes * max(1.0, self._times(link.get("rate_period")))
        return found

    def _intervals(self) -> float:
        """MAP intervals in which something waits for a grant: for a turn, or all the time."""
        found = 0.0
        for port in self.scene.ports:
            if (wait_s := port.grant_wait_s) is not None:
                come = self._packets.data_arrivals[port.name] + self._packets.ack_arrivals[port.name]
                waits_s = min(self.scene.network.duration_s, come * wait_s)
                found += waits_s / duration_of(self.scene.link(port)["docsis"], "map_interval")
        return found

    def _decided(self, port: _core.Port) -> float:
        """Packets that an AQM in Python sees."""
        return self._packets.data_arrivals[port.name] if self.scene.aqm(port).name == "python" else 0.0

    @cached_property
    def _values(self) -> float:
        """Number of values of all series."""
        series = self._document["measure"].get("series")
        if not series:
            return 0.0
        each = 1.0 + sum(shown_of_queue(self._queue(port)) for port in self.scene.ports)
        each += sum(path.comes_and_goes for path in self.scene.paths)
        groups = {path.group: path for path in self.scene.paths}
        for name in series.get("flows", ()):
            # A flow is named as its group with a number.
            path = groups.get(name) or groups.get(name.rstrip("0123456789").rstrip("."))
            flows = 1 if name not in groups else self.scene.load(groups[name]).most
            each += flows * shown_of_flow(None if path is None else self.scene.facts(path))
        return each * self._times(series["interval"])

    def _queue(self, port: _core.Port) -> str:
        return next(iter(self.scene.link(port)["queue"]))


@lru_cache
def shown_of_queue(discipline: str) -> int:
    """Variables of a queue in series: what waits, and those of its discipline."""
    if discipline == "python":
        return 4
    queue = _core.QueueCore(f"{{{discipline} = {{}}}}", "10 Mbit/s", "100 packets", "1500 B", 1)
    return 1 + len(queue.variables)


def shown_of_flow(facts: _core.CongestionFacts | None) -> int:
    """Variables of a flow in series: four of each sender, and those of its congestion control."""
    return 4 + (0 if facts is None else len(facts.variables))
