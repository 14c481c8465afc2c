"""Estimates for the TCP connections of a group: round trips, windows and durations of transfers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import ceil, exp, inf, log2, sqrt
from typing import Any

import numpy as np

from weir import _core
from weir.check._resolved import Resolved, buffer_limit, duration_of

_LOSS_LIMIT = 1.22
"""Window of TCP in packets, times sqrt(p), at loss probability p (M. Mathis et al., CCR 27 (3), 1997)."""

_TIMEOUT = 0.35
"""Cost of a timeout, times its probability, as a fraction of the minimum RTO plus a round trip (J. Padhye et
al., SIGCOMM 1998). Measured with 4 to 20 flows of Reno and CUBIC at losses of 1% to 20%, alone or in
bursts."""

_TIMEOUT_BY_TIME = 0.55
"""Factor on `_TIMEOUT` with RACK, whose probes avoid some timeouts. Measured with 4 and 20 flows of CUBIC,
losses of 3% to 70% and round trips of 20 to 100 ms."""

_REORDERED_WINDOW = 7.0
"""Window in packets of a TCP that takes reordered packets for losses, with 20 to 200 flows."""

_RACK_FADES = 3.2
"""Decay of the window with RACK, by the excess of the variation over a round trip, relative to it: RACK waits
no longer (RFC 8985, section 6.2). Measured with 4 flows of Reno and CUBIC, variations of 160 and 400 ms and
round trips of 40 and 100 ms."""

_RACK_STEADY = 0.75
"""Variation, in round trips, up to which CUBIC's window with RACK grows as without reordering. Measured with
4 flows, variations of 20 to 160 ms and round trips of 40 and 100 ms."""

_MOST_LOST = 0.5
"""Largest share of lost packets of flows without end, in the queue of a bottleneck."""

_SAMPLED = {"bbr1": 2.8, "bbr3": 1.6}
"""Factor on the window with RACK for congestion controls that do not take every loss for congestion. Measured
as `_RACK_FADES`."""

_SPREAD = 4.0
"""Standard deviations within which normal delays vary. Measured with RACK and 2 to 6 ms."""

_GROWN = 0.6
"""Fraction of the window from growth alone that losses on the way leave."""


@dataclass(frozen=True)
class Connections:
    """Estimates of the connections of a scenario."""

    scene: Resolved

    def endless_window(self, path: _core.Path, lasts_s: float) -> float:
        """The mean window of a flow that lasts so long, in packets, where not the other flows limit it."""
        return min(
            self._receive_window(path),
            self._lossy_window(path),
            self._reordered_window(path, lasts_s),
            self._grown_window(path, lasts_s),
        )

    def lasts_s(self, path: _core.Path, packets: float) -> float:
        """Duration of a transfer on an idle path, in seconds: its window doubles each round trip."""
        rounds = max(0.0, ceil(log2(packets / self.window(path) + 1.0) - 1e-9) - 0.5)
        syn = 1.0 if self.scene.group(path)["tcp"]["handshake"] else 0.0
        rate = min(self.scene.ports_by_name[path.bottleneck.name].rate_bps, self.access_bps(path))
        return self.rtt_s(path) * (syn + rounds) + packets * 8.0 * path.packet_bytes / rate

    def access_bps(self, path: _core.Path) -> float:
        """Rate of the access link of each flow, bit/s; inf without an access link."""
        rate = self.scene.group(path).get("access", {}).get("rate")
        return _core.quantity(rate)[0] if isinstance(rate, str) else inf

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
        """Round trip of the mean flow of the group, with random delays, without queues, s."""
        variations = (self.scene.link(port).get("delay_variation") for port in self.scene.ports_of(path))
        return sum(path.base_rtt_range_s) / 2.0 + sum(mean_delay_s(one) for one in variations if one)

    def _reordered_window(self, path: _core.Path, lasts_s: float) -> float:
        """The window in packets where packets overtake each other and this is taken for loss."""
        for port in self.scene.ports_of(path):
            variation: Mapping[str, Any] = self.scene.link(port).get("delay_variation", {})
            if not variation.get("reorder"):
                continue
            if self.scene.detects_by_time(path):
                if (spread := spread_s(variation)) > sum(path.base_rtt_range_s) / 8.0:
                    return self._overtaken_window(path, spread, lasts_s)
            elif mean_delay_s(variation) > 3.0 * 8.0 * path.packet_bytes / port.rate_bps:
                return _REORDERED_WINDOW
        return inf

    def _overtaken_window(self, path: _core.Path, spread: float, lasts_s: float) -> float:
        """The mean window in packets with RACK where delays vary by more than the quarter of a round trip for
        which it waits at first. Slow start ends at once; reports of needless repairs make it wait longer."""
        rtt, control = self.rtt_s(path), self.scene.congestion(path) or ""
        if rtt <= 0.0:
            return inf
        varies = spread / rtt
        if varies <= 1.0 and control in _SAMPLED:
            return inf
        grown = lasts_s / rtt / 2.0
        if control == "cubic" and varies <= _RACK_STEADY:
            grown = max(grown, 0.1 * lasts_s**3)
        fading = exp(-_RACK_FADES * max(0.0, varies - 1.0))
        return _SAMPLED.get(control, 1.0) * _GROWN * (self.window(path) + grown) * fading

    def _grown_window(self, path: _core.Path, lasts_s: float) -> float:
        """The mean window that a flow grows to. A small buffer ends slow start early. From then on the window
        grows by a packet each round trip, or with CUBIC (RFC 9438) by 0.4 t^3."""
        facts = self.scene.facts(path)
        rtt = self.rtt_s(path)
        flows = max(1, self.scene.load(path).most)
        if facts is None or facts.samples or rtt <= 0.0:
            return inf
        begun = max(self.window(path), buffer_limit(self.scene.ports_by_name[path.bottleneck.name]) / flows)
        grown = lasts_s / rtt / 2.0
        if self.scene.congestion(path) == "cubic":
            grown = max(grown, 0.1 * lasts_s**3)
        return _GROWN * (begun + grown)

    def _lossy_window(self, path: _core.Path) -> float:
        """The window that losses of the lines leave, where they are a signal of congestion: those of a burst
        are one signal, and each may need a timeout."""
        facts = self.scene.facts(path)
        if facts is None or facts.samples:
            return inf
        loss, begun = self._losses(path)
        rtt = self.rtt_s(path)
        if loss <= 0.0 or rtt <= 0.0:
            return inf
        timeout = rtt + duration_of(self.scene.group(path)["tcp"], "min_rto")
        timeouts = min(1.0, 3.0 * sqrt(0.375 * loss)) * loss * (1.0 + 32.0 * loss**2)
        # Of a burst the probe is lost, too.
        spared = (1.0 - _TIMEOUT_BY_TIME) * begun / loss if self.scene.detects_by_time(path) else 0.0
        each = _TIMEOUT * (1.0 - spared)
        return 1.0 / (sqrt(begun) / _LOSS_LIMIT + each * timeout / rtt * timeouts)

    def _losses(self, path: _core.Path) -> tuple[float, float]:
        """The share of packets that the lines of a path lose, and of those with which losses begin."""
        passed = unbroken = 1.0
        for port in self.scene.ports_of(path):
            lost, begun = _lost(self.scene.link(port).get("loss", {}), path.packet_bytes)
            passed, unbroken = passed * (1.0 - lost), unbroken * (1.0 - begun)
        return 1.0 - passed, 1.0 - unbroken

    def loss(self, path: _core.Path) -> float:
        """The share of packets that a flow without end loses on the lines. With RACK, which is slow with
        losses, it includes those in the queue of its bottleneck, where windows are small."""
        lost, _ = self._losses(path)
        if not self.scene.detects_by_time(path):
            return lost
        port = self.scene.ports_by_name[path.bottleneck.name]
        held = port.rate_bps / 8.0 / path.packet_bytes * self.rtt_s(path) + buffer_limit(port)
        window = held / max(1, self.scene.load(path).most)
        return max(lost, min(_MOST_LOST, _LOSS_LIMIT**2 / max(1e-9, window) ** 2))


def mean_delay_s(variation: Mapping[str, Any]) -> float:
    """The mean time that a line with this `delay_variation` delays a packet by, or nearly."""
    if (uniform := variation.get("uniform")) is not None:
        return duration_of(uniform, "max") / 2.0
    normal = variation.get("normal", {})
    return duration_of(normal, "mean") + duration_of(normal, "sd") / 2.0


def spread_s(variation: Mapping[str, Any]) -> float:
    """Range of nearly all delays of a line with this `delay_variation`, s."""
    if (uniform := variation.get("uniform")) is not None:
        return duration_of(uniform, "max")
    return _SPREAD * duration_of(variation.get("normal", {}), "sd")


def _lost(loss: Mapping[str, Mapping[str, Any]], size: int) -> tuple[float, float]:
    """The share of packets that a line loses, and of those with which losses begin."""
    for kind, table in loss.items():
        if kind == "bernoulli":
            per_bit = table.get("per_bit")
            share = float(table["per_packet"]) if per_bit is None else 1.0 - (1.0 - per_bit) ** (8 * size)
            return share, share
        if kind == "periodic":
            share = 1.0 / max(1.0, float(table.get("every", inf)))
            return share, share
        return _lost_of_chain(table, 8 * size if table.get("step") == "bit" else 1)
    return 0.0, 0.0


def _lost_of_chain(table: Mapping[str, Any], steps: int) -> tuple[float, float]:
    """The share of packets that a Gilbert-Elliott chain loses, and of those with which losses begin. A packet
    takes `steps` steps of the chain; losses begin at a packet that is lost after one that passes."""
    bad, good = float(table["to_bad"]), float(table["to_good"])
    if bad + good <= 0.0:
        return 0.0, 0.0
    kept = 1.0 - float(table.get("loss_good", 0.0)), 1.0 - float(table.get("loss_bad", 1.0))
    step = np.array([[kept[0] * (1.0 - bad), kept[0] * bad], [kept[1] * good, kept[1] * (1.0 - good)]])
    packet = np.linalg.matrix_power(step, steps)
    one = np.array([good, bad]) / (bad + good) @ packet
    return 1.0 - float(one.sum()), float((one - one @ packet).sum())
