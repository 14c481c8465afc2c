"""A scenario as the rules see it: its resolved network, and its document with every default."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property, lru_cache, partial
from typing import Any

from weir import _core
from weir.check._load import Load
from weir.check._whole import whole_document
from weir.scenario import declared

MOST_CHANGES = 1000
"""Changes of rates and load that are examined: a schedule may have millions."""


@dataclass(frozen=True)
class Aqm:
    """AQM of a queue."""

    name: str
    parameters: Mapping[str, Any]
    per_flow: bool
    """True if every flow has an AQM of its own."""

    def parameter(self, role: declared.Role) -> str | None:
        """The parameter that sets this; None for an AQM without one."""
        known = declared.discipline(self.name)
        return None if known is None else known.roles.get(role)


@dataclass(frozen=True)
class Resolved:
    """A scenario without its variants."""

    network: _core.Network
    document: Mapping[str, Any]
    """The scenario with every default; quantities are text with their unit."""
    core_notes: Callable[[Callable[[str], float]], list[_core.CoreNote]]
    """Notes of the core on the scenario, as `_core.Scenario.notes`."""

    @staticmethod
    def of(scenario: _core.Scenario) -> Resolved:
        """Resolves a scenario that is loaded."""
        return Resolved(scenario.network, json.loads(scenario.to_json()), scenario.notes)

    @staticmethod
    @lru_cache(maxsize=64)
    def from_toml(text: str) -> Resolved:
        """Resolves a scenario as `to_toml` writes it: files and classes that it names need not exist.
        Recordings are read if they exist. Cached: the points of a sweep ask for their variant again and
        again."""
        document = whole_document(text)
        if any("replay" in group.get("traffic", {}) for group in document["flows"].values()):
            with suppress(_core.ScenarioError):
                loaded = _core.Scenario.loads(text, python=None)
                return Resolved(loaded.network, document, loaded.notes)
        return Resolved(_core.network_of(text), document, partial(_core.notes_of, text))

    @cached_property
    def ports(self) -> Sequence[_core.Port]:
        """Every direction of a link that has a queue."""
        return self.network.ports

    @cached_property
    def paths(self) -> Sequence[_core.Path]:
        """Paths of the groups of flows."""
        return self.network.paths

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

    def aqm(self, port: _core.Port) -> Aqm:
        """The AQM of the port; under a fair queue, the AQM of each flow."""
        return self._aqms[port.name]

    @cached_property
    def _aqms(self) -> Mapping[str, Aqm]:
        # The rules ask again and again, for each point of a sweep.
        return {port.name: _aqm_of(self.link(port)["queue"]) for port in self.ports}

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

    @cached_property
    def rate_changes(self) -> Mapping[str, Sequence[tuple[float, int]]]:
        """Port to the changes of its rate, the first of them: seconds, and bit/s from then on."""
        return {port.name: port.rate_changes[:MOST_CHANGES] for port in self.ports}

    @cached_property
    def instants(self) -> Sequence[float]:
        """Instants at which the load or a rate changes, in seconds, the start first; at most `MOST_CHANGES`
        of them."""
        changes = {change.at_s for path in self.paths for change in path.load}
        changes.update(at for port in self.rate_changes.values() for at, _ in port)
        return sorted({0.0, *changes})[:MOST_CHANGES]


def _aqm_of(queue: Mapping[str, Any]) -> Aqm:
    """The AQM of a queue by its table."""
    (name, parameters) = next(iter(queue.items()))
    if name in {"fq", "ack-filter"}:
        (inner, its) = next(iter(parameters["aqm"].items()))
        return Aqm(inner, its, per_flow=name == "fq")
    isolated = parameters.get("isolation", "flowblind") != "flowblind"
    return Aqm(name, parameters, per_flow=isolated or name in {"fq-codel", "fq-pie"})


def buffer_limit(port: _core.Port) -> float:
    """Limit of the port's buffer, in packets of mean size."""
    if port.limit_packets is not None:
        return float(port.limit_packets)
    return (port.limit_bytes or 0) / port.mean_packet_bytes


def duration_of(table: Mapping[str, Any], key: str) -> float:
    """A duration of a table; zero where it is absent."""
    return _core.quantity(table[key])[0] if key in table else 0.0
