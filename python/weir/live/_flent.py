"""A live run as a data file of flent, which then plots it beside those of real networks."""

from __future__ import annotations

import gzip
import json
import math
import time
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from weir import _core
from weir.live._namespaces import FAR, near_addresses
from weir.live._session import TICK_S

_FORMAT = 4
"""Version of the files; flent 2.3.0 writes the same."""

_WRITTEN_LIKE = "2.3.0"
"""Version of flent whose settings the files have."""

PING = "Ping (ms) ICMP"


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
        with gzip.open(file, "wt", encoding="utf-8") as opened:
            json.dump(self.document(), opened)

    def document(self) -> dict[str, Any]:
        """The file before it is compressed."""
        results = {self._series: self._mbps, PING: self._trips}
        raw = {
            name: [
                {"t": self._began + at, "val": value, "dur": TICK_S}
                for at, value in zip(self._times, values, strict=True)
            ]
            for name, values in results.items()
        }
        return {
            "version": _FORMAT,
            "metadata": self._metadata(),
            "x_values": self._times,
            "results": results,
            "raw_values": raw,
        }

    def _metadata(self) -> dict[str, Any]:
        length = self._times[-1] if self._times else 0.0
        began = datetime.fromtimestamp(self._began, UTC).isoformat().replace("+00:00", "Z")
        return {
            "NAME": self._test,
            "TITLE": self._title,
            "NOTE": self._command,
            "TIME": began,
            "T0": began,
            "HOST": FAR[0],
            "HOSTS": [FAR[0]],
            "LOCAL_HOST": near_addresses(0)[0],
            "LENGTH": round(length),
            "TOTAL_LENGTH": math.ceil(length),
            "STEP_SIZE": TICK_S,
            "IP_VERSION": 4,
            "TEST_PARAMETERS": {},
            "FLENT_VERSION": _WRITTEN_LIKE,
            "WEIR_VERSION": _core.__version__,
            "DATA_FILENAME": None,
            "BATCH_NAME": None,
            "BATCH_TIME": None,
            "BATCH_TITLE": None,
            "BATCH_UUID": None,
            "SERIES_META": {self._series: {"UNITS": "Mbits/s"}, PING: {"UNITS": "ms"}},
        }
