"""A scenario as the rules see it: its resolved network, and its document with every default."""

from __future__ import annotations

import json
from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property, lru_cache
from math import inf
from typing import Any, NamedTuple

from weir import _core
from weir.check._load import Load
from weir.check._units import listed
from weir.check._whole import whole_document
from weir.scenario import declared, flows_at

NOT_ECT = "Not-ECT"
"""Codepoint of a packet that may only be dropped."""

MOST_CHANGES = 1000
"""Changes of rates and load that are examined: a schedule may have millions."""


@dataclass(frozen=True)
class Aqm:
    """AQM of a queue."""

    path: str
    """Path of the AQM in the scenario."""
    name: str
    parameters: Mapping[str, Any]
    per_flow: bool
    """True if every flow has an AQM of its own."""

    @property
    def marks(self) -> bool | None:
        """True if the AQM marks ECN-capable packets; None for a Python AQM, as only its class knows."""
        if self.name == "python":
            return None
        parameters = self.parameters
        return self.name in {"dualpi2", "cake"} or bool(parameters.get("ecn")) or "ce_threshold" in parameters

    @property
    def draws(self) -> bool:
        """False if chance has no part in what is signalled; a fair queue draws how it spreads the flows.
        CAKE has a place for each of them."""
        known = declared.discipline(self.name)
        return self.name != "cake" and (self.per_flow or known is None or known.draws)

    def parameter(self, role: declared.Role) -> str | None:
        """The parameter that sets this; None for an AQM without one."""
        known = declared.discipline(self.name)
        return None if known is None else known.roles.get(role)


class Phase(NamedTuple):
    """Queue and buffer of a link between two changes of them."""

    at_s: float
    until_s: float
    aqm: Aqm
    buffer: tuple[str, str, float]
    """Path of the buffer in the scenario, its value as written, and its size in packets of mean size."""


@dataclass(frozen=True)
class Resolved:
    """A scenario without its variants."""

    network: _core.Network
    document: Mapping[str, Any]
    """The scenario with every default; quantities are text with their unit."""

    @staticmethod
    def of(scenario: _core.Scenario) -> Resolved:
        """Resolves a scenario that is loaded."""
        return Resolved(scenario.network, json.loads(scenario.to_json()))

    @staticmethod
    @lru_cache(maxsize=64)
    def from_toml(text: str) -> Resolved:
        """Resolves a scenario as `to_toml` writes it: files and classes that it names need not exist.
        Recordings are read if they exist. Cached: the points of a sweep ask for their variant again and
        again."""
        document = whole_document(text)
        if any("replay" in group.get("traffic", {}) for group in document["flows"].values()):
            with suppress(_core.ScenarioError):
                return Resolved(_core.Scenario.loads(text, python=None).network, document)
        return Resolved(_core.network_of(text), document)

    @cached_property
    def ports(self) -> Sequence[_core.Port]:
        """Every direction of a link that has a queue."""
        return self.network.ports

    @cached_property
    def paths(self) -> Sequence[_core.Path]:
        """Paths of the groups of flows."""
        return self.network.paths

    @cached_property
    def data_ports(self) -> Sequence[_core.Port]:
        """The ports that data pass, not ACKs alone."""
        return [port for port in self.ports if port.load]

    @cached_property
    def bottlenecks(self) -> Sequence[_core.Port]:
        """The ports that limit a group."""
        names = {path.bottleneck.name for path in self.paths}
        return [port for port in self.ports if port.name in names]

    def load(self, of: _core.Path | _core.Port) -> Load:
        """The numbers of flows of a group, or of those whose data pass a port."""
        key = (isinstance(of, _core.Port), of.name if isinstance(of, _core.Port) else of.group)
        known = self._loads.get(key)
        if known is None:
            known = self._loads[key] = Load.of(of.load, self.network.duration_s)
        return known

    @cached_property
    def _loads(self) -> dict[tuple[bool, str], Load]:
        return {}

    def link(self, port: _core.Port) -> Mapping[str, Any]:
        """The table of this direction of the link."""
        table = self.document["links"][port.link]
        return table if port.direction == "forward" else table["reverse"]

    @property
    def changes(self) -> list[dict[str, Any]]:
        """Queues, buffers and round trips in mid-run; rates and counts are with their link or group."""
        return self.document.get("changes", [])

    def follows_trace(self, port: _core.Port) -> bool:
        """Returns true if a trace says when packets leave. The network of a stored scenario does not know."""
        return "trace" in self.link(port)

    def aqm(self, port: _core.Port) -> Aqm:
        """The AQM of the port; under a fair queue, the AQM of each flow."""
        return self._aqms[port.name]

    def aqms(self, port: _core.Port) -> list[Aqm]:
        """The AQMs of the port in the course of the run: at the start, then after each change of it."""
        found = [self.aqm(port)]
        for place, change in enumerate(self.changes):
            table = _of_port(change, port)
            if "queue" in table:
                found.append(_aqm_of(f"changes[{place}].{port.key}.queue", table["queue"]))
        return found

    def phases(self, port: _core.Port) -> list[Phase]:
        """The queue and the buffer of the port in the course of the run."""
        written = str(self.link(port)["buffer"])
        found = [Phase(0.0, inf, self.aqm(port), (f"{port.key}.buffer", written, buffer_limit(port)))]
        for place, change in enumerate(self.changes):
            table = _of_port(change, port)
            if not {"queue", "buffer"} & set(table):
                continue
            path, at, before = f"changes[{place}].{port.key}", duration_of(change, "at"), found[-1]
            aqm, buffer = before.aqm, before.buffer
            if "queue" in table:
                aqm = _aqm_of(f"{path}.queue", table["queue"])
            if "buffer" in table:
                held = next((held for since, held in reversed(port.limit_changes) if since <= at), None)
                limit = buffer_limit(port) if held is None else held
                buffer = (f"{path}.buffer", str(table["buffer"]), limit)
            found[-1] = before._replace(until_s=at)
            found.append(Phase(at, inf, aqm, buffer))
        return found

    @cached_property
    def _aqms(self) -> Mapping[str, Aqm]:
        # The rules ask again and again, for each point of a sweep.
        return {port.name: _aqm_of(f"{port.key}.queue", self.link(port)["queue"]) for port in self.ports}

    def group(self, path: _core.Path) -> Mapping[str, Any]:
        """The table of the group."""
        return self.document["flows"][path.group]

    def ports_of(self, path: _core.Path) -> list[_core.Port]:
        """The ports that data of the group pass, in order."""
        return [self.ports_by_name[name] for name in self.data_of(path) if name in self.ports_by_name]

    def through(self, port: _core.Port) -> list[_core.Path]:
        """The paths whose data pass the port."""
        return self._through.get(port.name, [])

    def data_of(self, path: _core.Path) -> tuple[str, ...]:
        """Ports that data of the group pass: `path.data`, read once, because each read copies all names of
        the path."""
        return self._data[path.group]

    @cached_property
    def _data(self) -> Mapping[str, tuple[str, ...]]:
        return {path.group: tuple(path.data) for path in self.paths}

    @cached_property
    def ports_by_name(self) -> Mapping[str, _core.Port]:
        return {port.name: port for port in self.ports}

    @cached_property
    def _through(self) -> Mapping[str, list[_core.Path]]:
        found: dict[str, list[_core.Path]] = {}
        for path in self.paths:
            for name in self.data_of(path):
                found.setdefault(name, []).append(path)
        return found

    def congestion(self, path: _core.Path) -> str | None:
        """The congestion control of the group; None for datagrams."""
        return None if path.is_datagrams else next(iter(self.group(path)["tcp"]["congestion"]))

    def facts(self, path: _core.Path) -> _core.CongestionFacts | None:
        """Facts about the congestion control of the group; None for datagrams."""
        if path.is_datagrams:
            return None
        [(control, parameters)] = self.group(path)["tcp"]["congestion"].items()
        return _core.congestion_facts(control, json.dumps(parameters))

    def selective(self, path: _core.Path) -> bool:
        """Returns true if senders of the group keep a scoreboard of the data that has arrived (SACK)."""
        return "sack" in self.group(path).get("tcp", {}).get("recovery", {})

    def detects_by_time(self, path: _core.Path) -> bool:
        """Returns true if senders of the group detect losses by time, not by the order of packets (RACK)."""
        sack = self.group(path).get("tcp", {}).get("recovery", {}).get("sack", {})
        return sack.get("detection") == "rack"

    def is_scalable(self, path: _core.Path) -> bool:
        """Returns true if the group's congestion control belongs in a low-latency queue (RFC 9331, section
        4)."""
        facts = self.facts(path)
        return facts is not None and facts.scalable

    def is_classic(self, path: _core.Path) -> bool:
        """Returns true if the group has a congestion control that is not scalable."""
        facts = self.facts(path)
        return facts is not None and not facts.scalable

    def counts_marks(self, path: _core.Path) -> bool:
        """Returns true if the group's congestion control needs accurate ECN feedback, as Prague does."""
        facts = self.facts(path)
        return facts is not None and facts.marks == "counted"

    def ecn_capable(self, path: _core.Path) -> bool:
        """Returns true if data packets of the group are ECN-capable."""
        return self.declared(path)["data"] != NOT_ECT

    def declared(self, path: _core.Path) -> Mapping[str, str]:
        """Each kind of packet that the group sends to the codepoint that it declares."""
        return self._declared[path.group]

    @cached_property
    def _declared(self) -> Mapping[str, Mapping[str, str]]:
        return {path.group: dict(path.declares) for path in self.paths}

    def falls_back(self, path: _core.Path) -> str | None:
        """Fallback of a group that asks for accurate feedback: `no ECN`, `RFC 3168`, or None if it gets
        it."""
        if path.is_datagrams:
            return None
        tcp = self.group(path)["tcp"]
        able = tcp["receiver_ecn"]
        if not tcp["accecn"] or able == "accecn":
            return None
        return "RFC 3168" if able == "classic" and not self.counts_marks(path) else "no ECN"

    def is_l4s(self, path: _core.Path) -> bool:
        """Returns true if data packets of the group are ECT(1)."""
        return self.declared(path)["data"] == "ECT(1)"

    def mean_bdp(self, port: _core.Port) -> float:
        """The rate times the mean round trip of the groups there, in packets of mean size. Of drawn round
        trips the middle of their range counts."""
        middles = [sum(path.base_rtt_range_s) / 2.0 for path in self.through(port)]
        return port.bdp_packets * sum(middles) / len(middles) / port.largest_rtt_s if middles else 0.0

    @cached_property
    def rate_changes(self) -> Mapping[str, Sequence[tuple[float, int]]]:
        """Port to the changes of its rate, the first of them: seconds, and bit/s from then on."""
        return {port.name: port.rate_changes[:MOST_CHANGES] for port in self.ports}

    def granted_bps(self, port: _core.Port) -> float:
        """Rate that grants let leave the line, bit/s, with packets of mean size; inf if they let all waiting
        packets go."""
        table: Mapping[str, Any] = self.link(port).get("aggregation", {})
        if (most := table.get("packets")) is None:
            return inf
        least, longest = duration_of(table, "interval"), duration_of(table, "max_interval")
        return most * 8.0 * port.mean_packet_bytes / ((least + max(least, longest)) / 2.0)

    def rates(self, port: _core.Port) -> tuple[int, int]:
        """The lowest and the highest rate in bit/s."""
        rates = [port.rate_bps, *(rate for _, rate in self.rate_changes[port.name])]
        return min(rates), max(rates)

    def rates_between(self, port: _core.Port, since_s: float, until_s: float) -> tuple[int, int]:
        """The lowest and the highest rate in bit/s from one instant until before another."""
        changes = (rate for at, rate in self.rate_changes[port.name] if since_s < at < until_s)
        rates = [self.rate_at(port, since_s), *changes]
        return min(rates), max(rates)

    def rate_at(self, port: _core.Port, at_s: float) -> int:
        """The rate in bit/s at an instant."""
        changes = self.rate_changes[port.name]
        passed = bisect_right(changes, at_s, key=lambda change: change[0])
        return changes[passed - 1][1] if passed else port.rate_bps

    @cached_property
    def instants(self) -> Sequence[float]:
        """Instants at which the load or a rate changes, in seconds, the start first; at most `MOST_CHANGES`
        of them."""
        changes = {change.at_s for path in self.paths for change in path.load}
        changes.update(at for port in self.rate_changes.values() for at, _ in port)
        return sorted({0.0, *changes})[:MOST_CHANGES]

    @cached_property
    def rates_per_flow(self) -> Mapping[str, Sequence[float]]:
        """Port to its rate per flow of bulk data in bit/s at each of `instants`; infinite without any."""
        found: dict[str, list[float]] = {}
        for port in self.ports:
            bulk = [path.load for path in self.through(port) if path.traffic == "bulk"]
            flows = (sum(flows_at(load, at) for load in bulk) for at in self.instants)
            found[port.name] = [
                self.rate_at(port, at) / count if count else inf
                for at, count in zip(self.instants, flows, strict=True)
            ]
        return found

    def offered_bps(self, path: _core.Path) -> float | None:
        """Mean offered load of each source of the group while it is there, bit/s. None where the network or
        the receive window limits it, and where the mean size is not known."""
        table = self.group(path).get("traffic", {}).get(path.traffic, {})
        if path.traffic in {"cbr", "on-off"}:
            on, off = (_core.quantity(table.get(key, "1 s"))[0] for key in ("on", "off"))
            share = on / (on + off) if path.traffic == "on-off" and on + off > 0.0 else 1.0
            return _core.quantity(table["rate"])[0] * share
        if path.traffic != "poisson":
            return None
        if (load := table.get("load")) is not None:
            return load * self.ports_by_name[path.bottleneck.name].rate_bps
        mean = path.mean_transfer_bytes
        return None if mean is None else float(table["rate"].removesuffix("/s")) * 8.0 * mean

    def bulk_through(self, port: _core.Port) -> list[_core.Path]:
        """The paths through the port if all of them are TCP with data without end, else none."""
        paths = self.through(port)
        return paths if all(path.traffic == "bulk" for path in paths) else []

    def in_packets(self, level: object, port: _core.Port) -> float | None:
        """A level of a queue in packets of mean size; times count at the rate of the start. None for what
        is absent, and for no level of a queue."""
        if not isinstance(level, str):
            return None
        value, unit = _core.quantity(level)
        factors = {
            "packets": 1.0,
            "B": 1.0 / port.mean_packet_bytes,
            "s": port.rate_bps / 8.0 / port.mean_packet_bytes,
        }
        return value * factors[unit] if unit in factors else None


def _of_port(change: Mapping[str, Any], port: _core.Port) -> Mapping[str, Any]:
    """The table of a change about this direction of a link; empty where it changes nothing there."""
    table = change.get("links", {}).get(port.link, {})
    return table if port.direction == "forward" else table.get("reverse", {})


def _aqm_of(path: str, queue: Mapping[str, Any]) -> Aqm:
    """The AQM of a queue whose table is at `path`."""
    (name, parameters) = next(iter(queue.items()))
    if name in {"fq", "ack-filter"}:
        (inner, its) = next(iter(parameters["aqm"].items()))
        return Aqm(f"{path}.{name}.aqm.{inner}", inner, its, per_flow=name == "fq")
    isolated = parameters.get("isolation", "flowblind") != "flowblind"
    return Aqm(f"{path}.{name}", name, parameters, per_flow=isolated or name in {"fq-codel", "fq-pie"})


def buffer_limit(port: _core.Port) -> float:
    """Limit of the port's buffer, in packets of mean size."""
    if port.limit_packets is not None:
        return float(port.limit_packets)
    return (port.limit_bytes or 0) / port.mean_packet_bytes


def duration_of(table: Mapping[str, Any], key: str) -> float:
    """A duration of a table; zero where it is absent."""
    return _core.quantity(table[key])[0] if key in table else 0.0


def names(paths: Iterable[_core.Path]) -> str:
    """The groups: `ftp`, `ftp and web`, `ftp, web and 3 more`."""
    groups = [path.group for path in paths]
    if len(groups) > 3:
        groups = [*groups[:2], f"{len(groups) - 2} more"]
    return listed(groups)
