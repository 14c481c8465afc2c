"""What a TCP connection of a group can do, estimated: its round trip, its windows, the time of a transfer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import ceil, inf, log2, sqrt
from typing import Any

from weir import _core
from weir.check._resolved import Resolved, limit_of, seconds

_LOSS_LIMIT = 1.22
"""Times 1 / sqrt(p): the window of TCP in packets (M. Mathis et al., CCR 27 (3), 1997)."""

_REORDERED_WINDOW = 7.0
"""Packets of TCP that takes packets which overtake each other for losses, with 20 to 200 flows."""

_GROWN = 0.6
"""Of the window that growth alone gives, what losses on the way leave."""


@dataclass(frozen=True)
class Connections:
    """Estimates of the connections of a scenario."""

    scene: Resolved

    def endless_window(self, path: _core.Path, lasts_s: float) -> float:
        """The mean window of a flow that lasts so long, in packets, where not the other flows limit it."""
        return min(
            self._receive_window(path),
            self._lossy_window(path),
            self._reordered_window(path),
            self._grown_window(path, lasts_s),
        )

    def lasts_s(self, path: _core.Path, packets: float) -> float:
        """How long a transfer takes on an idle path: its window doubles each round trip."""
        rounds = max(0.0, ceil(log2(packets / self.window(path) + 1.0) - 1e-9) - 0.5)
        syn = 1.0 if self.scene.group(path)["tcp"]["handshake"] else 0.0
        rate = self.scene.ports_by_name[path.bottleneck.name].rate_bps
        return self.rtt_s(path) * (syn + rounds) + packets * 8.0 * path.packet_bytes / rate

    def window(self, path: _core.Path) -> float:
        """The window of a new connection, in packets."""
        window = self.scene.group(path)["tcp"].get("initial_window")
        return max(1.0, self._in_packets(path, window)) if isinstance(window, str) else 10.0

    def _receive_window(self, path: _core.Path) -> float:
        window = self.scene.group(path)["tcp"].get("receive_window")
        return self._in_packets(path, window) if isinstance(window, str) else inf

    def _in_packets(self, path: _core.Path, size: str) -> float:
        value, unit = _core.quantity(size)
        return value if unit == "packets" else value / path.packet_bytes

    def rtt_s(self, path: _core.Path) -> float:
        """The round trip of its mean flow, random delays included, queues not."""
        variations = (self.scene.link(port).get("delay_variation") for port in self.scene.ports_of(path))
        return sum(path.base_rtt_range_s) / 2.0 + sum(mean_delay_s(one) for one in variations if one)

    def _reordered_window(self, path: _core.Path) -> float:
        """The window where packets overtake each other, and that is taken for losses."""
        sack = self.scene.group(path)["tcp"].get("recovery", {}).get("sack", {})
        if sack.get("detection") == "rack":
            return inf
        for port in self.scene.ports_of(path):
            variation: Mapping[str, Any] = self.scene.link(port).get("delay_variation", {})
            spacing = 8.0 * path.packet_bytes / port.rate_bps
            if variation.get("reorder") and mean_delay_s(variation) > 3.0 * spacing:
                return _REORDERED_WINDOW
        return inf

    def _grown_window(self, path: _core.Path, lasts_s: float) -> float:
        """The mean window that a flow grows to: a small buffer ends slow start early, and from then on it
        grows by a packet each round trip, or as that of CUBIC (RFC 9438) by 0.4 t^3."""
        facts = self.scene.facts(path)
        rtt = self.rtt_s(path)
        flows = max(1, self.scene.load(path).most)
        if facts is None or facts.samples or rtt <= 0.0:
            return inf
        begun = max(self.window(path), limit_of(self.scene.ports_by_name[path.bottleneck.name]) / flows)
        grown = lasts_s / rtt / 2.0
        if self.scene.congestion(path) == "cubic":
            grown = max(grown, 0.1 * lasts_s**3)
        return _GROWN * (begun + grown)

    def _lossy_window(self, path: _core.Path) -> float:
        """The window that losses of the lines leave, where they are a signal of congestion."""
        facts = self.scene.facts(path)
        if facts is None or facts.samples:
            return inf
        passed = 1.0
        for port in self.scene.ports_of(path):
            passed *= 1.0 - _lost(self.scene.link(port).get("loss", {}), path.packet_bytes)
        loss = 1.0 - passed
        return max(1.0, _LOSS_LIMIT / sqrt(loss)) if loss > 0.0 else inf


def mean_delay_s(variation: Mapping[str, Any]) -> float:
    """The mean time that a line with this `delay_variation` delays a packet by, or nearly."""
    if (uniform := variation.get("uniform")) is not None:
        return seconds(uniform, "max") / 2.0
    normal = variation.get("normal", {})
    return seconds(normal, "mean") + seconds(normal, "sd") / 2.0


def _lost(loss: Mapping[str, Mapping[str, Any]], size: int) -> float:
    """The share of packets that a line loses."""
    for kind, table in loss.items():
        if kind == "bernoulli":
            per_bit = table.get("per_bit")
            return float(table["per_packet"]) if per_bit is None else 1.0 - (1.0 - per_bit) ** (8 * size)
        if kind == "periodic":
            return 1.0 / max(1.0, float(table.get("every", inf)))
        bad, good = float(table["to_bad"]), float(table["to_good"])
        share = bad / (bad + good) if bad + good > 0.0 else 0.0
        return share * float(table.get("loss_bad", 1.0)) + (1.0 - share) * float(table.get("loss_good", 0.0))
    return 0.0
