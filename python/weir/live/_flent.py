"""A live run as a data file of flent, which then plots it beside those of real networks."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from weir import _core
from weir.flent import PING, FlentFile, FlentSeries
from weir.live._namespaces import FAR, near_addresses
from weir.live._session import TICK_S


class FlentRecord:
    """Throughput and round trip over time, as flent's test of one TCP stream has them.

    The throughput is what leaves the bottleneck, headers included. The round trip is computed: propagation,
    and the median wait in every queue there and back.
    """

    def __init__(self, scenario: _core.Scenario, rtt_s: float, *, download: bool, command: str) -> None:
        bottleneck = scenario.network.bottleneck
        self._link = bottleneck.link, bottleneck.direction
        self._rtt_s = rtt_s
        self._title = scenario.title or scenario.name
        self._command = command
        self._test, self._series = ("tcp_1down", "TCP download") if download else ("tcp_1up", "TCP upload")
        self._began = time.time()
        self._before = 0.0, 0
        self._times: list[float] = []
        self._mbps: list[float] = []
        self._trips: list[float] = []

    def add(self, snapshot: Mapping[str, Any]) -> None:
        """Adds a snapshot of the relay."""
        links = {(link["link"], link["direction"]): link for link in snapshot["links"]}
        if self._link not in links:
            return  # a direction did not answer in time
        now, sent = snapshot["time_s"], links[self._link]["bytes"]
        then, before = self._before
        self._before = now, sent
        waits = (link["delay_p50_ms"] for link in links.values())
        self._times.append(now)
        self._mbps.append(8e-6 * (sent - before) / max(1e-9, now - then))
        self._trips.append(1e3 * self._rtt_s + sum(wait for wait in waits if not math.isnan(wait)))

    def write(self, file: Path) -> None:
        """Writes the record to a file. Raises OSError."""
        self.recorded().save(file, {"WEIR_VERSION": _core.__version__})

    def recorded(self) -> FlentFile:
        """The record so far."""
        return FlentFile(
            self._test,
            self._title,
            self._times,
            [FlentSeries(self._series, "Mbits/s", self._mbps), FlentSeries(PING, "ms", self._trips)],
            began_s=self._began,
            step_s=TICK_S,
            hosts=(near_addresses(0)[0], FAR[0]),
            note=self._command,
        )
