"""The link that is exported, with its queue, in plain numbers: bit/s, bytes, seconds."""

from __future__ import annotations

import math
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from weir import _core
from weir.export.errors import ExportError
from weir.scenario.scenario import Scenario, scenario_error, suggestion
from weir.scenario.toml import to_toml

Table = Mapping[str, Any]
"""A table of a scenario as it is written out: quantities are text with their unit."""


SLOWEST = 1000
"""Bits per second: below it a packet takes longer than tc's clocks go round."""


@dataclass(frozen=True)
class Port:
    """One link of a scenario, forward."""

    scenario: _core.Scenario
    """Without variants."""
    link: str
    rate: int
    """Bits per second."""
    rate_told: str
    """As the scenario has it."""
    mean_packet: int
    """Bytes, of the packet that stands for all where packets are counted."""
    room: int
    """How much may wait, in packets, or in bytes if `in_bytes`."""
    in_bytes: bool
    buffer_told: str
    law: str
    parameters: Table
    notes: tuple[str, ...]
    """What the link does that a rate and a queue cannot say."""

    @staticmethod
    def of(scenario: Scenario | _core.Scenario, link: str | None = None) -> Port:
        """The link of that name; the one with the lowest rate if None. Raises ScenarioError, ExportError."""
        core = scenario.core if isinstance(scenario, Scenario) else scenario
        resolved: dict[str, Any] = tomllib.loads(core.to_toml())
        links: dict[str, dict[str, Any]] = resolved["links"]
        if link is None:
            link = core.network.bottleneck.link
        elif link not in links:
            raise scenario_error(f"there is no link {link!r}", suggestion(link, list(links)), core.name)
        table = links[link]
        ((law, parameters),) = table["queue"].items()
        mean_packet = round(_core.quantity(table["mean_packet_size"])[0])
        rate = rate_of(table)
        if rate < SLOWEST:
            raise ExportError(
                f"a rate of {table['rate']} is none that a shaper can keep", path=f"links.{link}.rate"
            )
        room, in_bytes = _room(table, rate, mean_packet, lambda: _largest_rtt(resolved, str(link)))
        return Port(
            core, link, rate, str(table["rate"]), mean_packet, room, in_bytes, str(table["buffer"]),
            str(law), parameters, _notes(table),
        )  # fmt: skip

    def under(self, law: str, parameters: Table) -> Port:
        """The same link under another discipline."""
        changed = [(f"links.{self.link}.queue", to_toml({law: dict(parameters)}))]
        try:
            return Port.of(self.scenario.replace(changed), self.link)
        except _core.ScenarioError:
            # One link of a row that the scenario writes in short; written out, every link has its own table.
            whole = _core.Scenario.loads(self.scenario.to_toml(), self.scenario.name)
            return Port.of(whole.replace(changed), self.link)

    @property
    def packets_per_second(self) -> float:
        """Packets of mean size."""
        return self.rate / (8.0 * self.mean_packet)

    @property
    def room_packets(self) -> int:
        """How much may wait, in packets of mean size; at least one."""
        return max(self.room // self.mean_packet if self.in_bytes else self.room, 1)

    @property
    def room_bytes(self) -> int:
        """How much may wait, in bytes."""
        return self.room if self.in_bytes else self.room * self.mean_packet

    def level(self, name: str) -> float:
        """A parameter that is a level of the queue, in bytes."""
        return self.in_bytes_of(str(self.parameters[name]))

    def in_bytes_of(self, text: str) -> float:
        """ "30 packets" in bytes."""
        value, unit = _core.quantity(text)
        return value * self.mean_packet if unit == "packets" else value

    def seconds(self, name: str) -> float:
        """A parameter that is a time."""
        return _core.quantity(str(self.parameters[name]))[0]

    def size(self, name: str) -> int:
        """A parameter that is a size, in bytes."""
        return round(_core.quantity(str(self.parameters[name]))[0])

    def on(self, name: str) -> bool:
        """A parameter that is on or off."""
        return bool(self.parameters.get(name, False))

    def holding(self, level: float) -> str:
        """The time in which the link sends so many bytes, as a scenario writes it."""
        microseconds = max(round(level * 8e6 / self.rate), 1)
        if microseconds < 1000:
            return f"{microseconds} us"
        return f"{microseconds / 1000:.3f}".rstrip("0").rstrip(".") + " ms"


def rate_of(table: Table) -> int:
    """The rate of a link, in bits per second."""
    return round(_core.quantity(str(table["rate"]))[0])


def _room(table: Table, rate: int, mean_packet: int, rtt: Callable[[], float]) -> tuple[int, bool]:
    # As the engine has it: products and times become packets of mean size, rounded.
    value, unit = _core.quantity(str(table["buffer"]))
    if unit == "B":
        return round(value), True
    if unit != "packets":
        seconds = value * rtt() if unit == "BDP" else value
        value = math.floor(rate / (8.0 * mean_packet) * seconds + 0.5)
    one_less = table["buffer_counts"] == "waiting-and-sending"
    return int(value) - one_less, False


def _largest_rtt(resolved: Table, link: str) -> float:
    """Of the flows over a link, in seconds: that of the bandwidth-delay product."""
    return max(
        (_rtt(group["rtt"]) for group in resolved["flows"].values() if _passes(group, link)), default=0.0
    )


def _passes(group: Table, link: str) -> bool:
    return link in group["path"] or link in group.get("ack_path", ())


def _rtt(rtt: str | Table) -> float:
    """What stands for the largest: the bound where there is one, else twice the mean or median."""
    if isinstance(rtt, str):
        return _core.quantity(rtt)[0]
    ((kind, drawn),) = rtt.items()
    name, times = {"uniform": ("to", 1.0), "exponential": ("mean", 2.0), "log-normal": ("median", 2.0)}[kind]
    return _core.quantity(drawn[name])[0] * times


def _notes(table: Table) -> tuple[str, ...]:
    notes: list[str] = []
    rate = table["rate"]
    if "trace" in table:
        notes.append(
            f"the scenario's link follows the trace {table['trace']}; this shapes to {rate}, the rate that "
            "its law is told"
        )
    elif "rate_schedule" in table:
        changes = ", ".join(f"{change['rate']} at {change['at']}" for change in table["rate_schedule"])
        notes.append(f"the scenario's rate changes ({changes}); this shapes to the first, {rate}")
    if not table.get("ecn_capable", True):
        notes.append("the scenario's link knows nothing of ECN; a kernel marks where it is told to")
    if "loss" in table:
        notes.append("the scenario's line loses packets by itself; that is not exported")
    return tuple(notes)
