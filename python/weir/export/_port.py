"""The port that is exported, with its queue, in plain numbers: bit/s, bytes, seconds."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from weir import _core
from weir._errors import WeirError
from weir.scenario import Scenario, scenario_error, suggestion, to_toml

SLOWEST = 1000
"""Lowest rate in bit/s: below it a packet takes longer than tc's clocks go round."""


class ExportError(WeirError, ValueError):
    """A setting that has no such form."""


@dataclass(frozen=True)
class Bucket:
    """Token bucket of a link."""

    burst: int
    """Size in bytes."""
    peak: int | None
    """Rate of a burst in bits per second; None: it leaves at once."""


@dataclass(frozen=True)
class Port:
    """One direction of a link, with its queue discipline."""

    scenario: _core.Scenario
    """The scenario without variants."""
    core: _core.Port
    table: Mapping[str, Any]
    """Table of this direction in the scenario, with every default: quantities are text with their unit."""
    share: float = 1.0
    """Fraction of the link's rate that is shaped to."""

    @staticmethod
    def of(scenario: Scenario | _core.Scenario, name: str | None = None, share: float = 1.0) -> Port:
        """The port `LINK` or `LINK.reverse`; the bottleneck if None. Raises ScenarioError, ExportError."""
        core = scenario.core if isinstance(scenario, Scenario) else scenario
        known = {port.name: port for port in core.network.ports}
        name = core.network.bottleneck.name if name is None else name
        if name not in known:
            raise scenario_error(f"there is no link {name!r}", suggestion(name, core.links), core.name)
        port = Port(core, known[name], core.value(f"links.{name}"), share)
        if port.rate < SLOWEST:
            of = "" if share == 1.0 else f"{100.0 * share:.6g}% of "
            raise ExportError(
                f"a rate of {of}{port.table['rate']} is none that a shaper can keep",
                path=f"links.{name}.rate",
            )
        return port

    def under(self, discipline: str, settings: Mapping[str, Any]) -> Port:
        """Returns the port with another discipline. Raises ScenarioError."""
        changed = [(self.path, to_toml({discipline: dict(settings)}))]
        try:
            return Port.of(self.scenario.replace(changed), self.name, self.share)
        except _core.ScenarioError:
            # One link of a row that the scenario writes in short; written out, every link has its own table.
            whole = _core.Scenario.loads(self.scenario.to_toml(), self.scenario.name)
            return Port.of(whole.replace(changed), self.name, self.share)

    @property
    def name(self) -> str:
        """`LINK`, or `LINK.reverse`."""
        return self.core.name

    @property
    def path(self) -> str:
        """Path of the queue in the scenario, written out."""
        return f"links.{self.name}.queue"

    @property
    def discipline(self) -> str:
        return self.core.queue

    @property
    def settings(self) -> Mapping[str, Any]:
        """Settings of the discipline, as the scenario has them."""
        return self.table["queue"][self.discipline]

    def __getitem__(self, setting: str) -> Any:  # noqa: ANN401 - numbers, words, tables
        """A setting of the discipline as a plain number; None where it has none of that name."""
        return self.number(self.settings.get(setting))

    def number(self, value: Any) -> Any:  # noqa: ANN401 - whatever a scenario holds
        """A value of a scenario as a plain number: sizes and levels of the queue in bytes, times in seconds.
        Other values are returned as they are."""
        try:
            number, unit = _core.quantity(value)
        except (TypeError, ValueError):
            return value
        return number * self.mean_packet if unit == "packets" else number

    @property
    def rate(self) -> int:
        """Rate to shape to, bit/s: the share of the link's rate at the start."""
        return max(round(self.core.rate_bps * self.share), 1)

    @property
    def bucket(self) -> Bucket | None:
        """The token bucket of the link, if it has one."""
        table = self.table.get("token_bucket")
        if table is None:
            return None
        peak = round(self.number(table["peak"]) * self.share) if "peak" in table else None
        return Bucket(round(self.number(table["burst"])), peak)

    @property
    def mean_packet(self) -> int:
        """Mean packet size in bytes, used where packets are counted."""
        return self.core.mean_packet_bytes

    @property
    def packet_s(self) -> float:
        """Seconds in which the link sends a packet of mean size."""
        return 8.0 * self.mean_packet / self.rate

    @property
    def limit(self) -> str:
        """Limit of the buffer, as a scenario writes it."""
        packets = self.core.limit_packets
        return f"{self.core.limit_bytes} B" if packets is None else f"{packets} packets"

    @property
    def limit_bytes(self) -> int:
        """Limit of the buffer in bytes."""
        return round(self.number(self.limit))

    @property
    def limit_packets(self) -> int:
        """Limit of the buffer in packets of mean size; at least one."""
        return max(self.limit_bytes // self.mean_packet, 1)

    def holding(self, level: float) -> str:
        """The time in which the link sends so many bytes, as a scenario writes it."""
        microseconds = max(round(level * 8e6 / self.rate), 1)
        return f"{microseconds} us" if microseconds < 1000 else f"{microseconds / 1000:.10g} ms"

    @property
    def without_bucket(self) -> list[str]:
        """Warning that the token bucket of the link is left out, for a form that has none."""
        if self.bucket is None:
            return []
        held = self.table["token_bucket"]["burst"]
        return [f"the scenario's link is a token bucket of {held}; this shapes without bursts"]

    @property
    def differences(self) -> list[str]:
        """Properties of the simulated link that a rate and a queue cannot express."""
        table, rate = self.table, self.table["rate"]
        found: list[str] = []
        if self.core.follows_trace:
            found.append(
                f"the scenario's link follows the trace {table['trace']}; this shapes to {rate}, the rate "
                "that its AQM is told"
            )
        elif "rate_schedule" in table:
            changes = ", ".join(f"{change['rate']} at {change['at']}" for change in table["rate_schedule"])
            found.append(f"the scenario's rate changes ({changes}); this shapes to the first, {rate}")
        changes = tomllib.loads(self.scenario.to_toml()).get("changes", [])
        links = (change.get("links", {}).get(self.core.link, {}) for change in changes)
        reverse = self.core.direction == "reverse"
        if any(
            (link.get("reverse", {}) if reverse else {**link, "reverse": None}).keys() - {"reverse"}
            for link in links
        ):
            found.append("the scenario's queue changes in mid-run; this is the one from the start")
        if not self.core.ecn_capable:
            found.append("the scenario's link knows nothing of ECN; a kernel marks where it is told to")
        if self.core.loses_packets:
            found.append("the scenario's line loses packets by itself; that is not exported")
        if "delay_variation" in table or "aggregation" in table:
            found.append("the scenario's line delays packets at random or in groups; that is not exported")
        if "docsis" in table:
            found.append(
                "the scenario's modem waits for grants; a real one does so by itself, behind this queue"
            )
        return found


def setting(discipline: str, settings: Mapping[str, Any]) -> str:
    """A discipline with settings on one line, as a scenario has it."""
    pairs = ", ".join(f"{name} = {to_toml(value)}" for name, value in settings.items())
    return f"{discipline} = {{ {pairs} }}" if pairs else f"{discipline} = {{}}"
