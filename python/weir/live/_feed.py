"""Rows of a live run for the page of the studio, over a WebSocket of this machine."""

from __future__ import annotations

import json
import logging
import secrets
import socket
import struct
import threading
from array import array
from collections.abc import Sequence
from typing import TYPE_CHECKING

from weir._errors import WeirError

if TYPE_CHECKING:
    from websockets.sync.server import ServerConnection

    from weir import _core

COUNTS = ("waiting", "departures", "bytes", "drops", "marks", "waited_ns")
"""Counts of a link, under the names of the relay."""

COLUMNS = ("queue", "departures", "bytes", "drops", "marks", "waited")
"""Counts of a link, under the names of the studio: sums since the start, `waited` in seconds."""

EVERY_S = 0.05
"""Seconds between two rows."""

IDLE_S = 20.0
"""Seconds after which a page that neither answers nor takes anything is closed: each page holds threads."""

_POLICY_VIOLATION = 1008
"""Close code of RFC 6455, section 7.4.1."""


class Feed:
    """Measurements of a live run for every page that has the address. `add` sends a row, `close` ends the
    feed.

    The first message is the scenario, the names of the columns, and which variant is the live one; then come
    rows, as float64. A page that comes later gets all rows from the start.
    """

    def __init__(
        self,
        scenario: _core.Scenario,
        group: str,
        links: Sequence[tuple[str, str]],
        length_s: float,
        *,
        idle_s: float = IDLE_S,
    ) -> None:
        """`links` are the links whose counts follow, with their directions. A page that does not answer pings
        for `idle_s` seconds, or takes no data for so long, is closed. Raises WeirError without the extra
        `live`."""
        try:
            from websockets.sync.server import serve
        except ImportError:
            raise WeirError("--studio needs websockets", "pip install 'weir-aqm[live]'") from None
        columns = [
            "time",
            *(f"links.{link}.{direction}.{name}" for link, direction in links for name in COLUMNS),
        ]
        self._head = json.dumps(
            {
                "text": _two_variants(scenario, length_s),
                "columns": [*columns, f"flows.{group}.bytes"],
                "variant": "live",
            }
        )
        self._rows: list[bytes] = []
        self._ended = False
        self._news = threading.Condition()
        silent = logging.getLogger("weir.live.feed")
        silent.disabled = True
        self._token = secrets.token_hex(8)
        self._idle_s = idle_s
        self._server = serve(
            self._serve,
            "127.0.0.1",
            0,
            compression=None,
            logger=silent,
            open_timeout=idle_s,
            ping_interval=idle_s,
            ping_timeout=idle_s,
            close_timeout=idle_s,
        )
        self.port: int = self._server.socket.getsockname()[1]
        threading.Thread(target=self._server.serve_forever, name="weir-feed", daemon=True).start()

    @property
    def fragment(self) -> str:
        """Fragment of the page's address."""
        return f"#live={self.port}.{self._token}"

    def add(self, time_s: float, states: Sequence[_core.LiveState | None]) -> None:
        """Adds the state of both directions; a direction that does not answer is left out this time."""
        if any(state is None for state in states):
            return
        row = [time_s]
        for link in (link for state in states if state for link in state["links"]):
            counts = [float(link[name]) for name in COUNTS]
            row += [*counts[:-1], counts[-1] / 1e9]
        # What the last queue has sent has been delivered, but for what is on the line.
        first = states[0]
        row.append(float(first["links"][-1]["bytes"]) if first and first["links"] else 0.0)
        with self._news:
            self._rows.append(array("d", row).tobytes())
            self._news.notify_all()

    def close(self) -> None:
        """Ends the feed: no more rows follow."""
        with self._news:
            self._ended = True
            self._news.notify_all()
        self._server.shutdown()

    def _serve(self, page: ServerConnection) -> None:
        # Pings wait for what is being sent: a page that takes nothing would never be missed.
        page.socket.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, _timeval(self._idle_s))
        asked = page.request.path if page.request else ""
        if asked != f"/{self._token}":
            page.close(_POLICY_VIOLATION)
            return
        page.send(self._head)
        sent = 0
        while True:
            with self._news:
                while len(self._rows) == sent and not self._ended:
                    self._news.wait(self._idle_s)
                    if page.close_code is not None:
                        return
                rows, ended = self._rows[sent:], self._ended
            if rows:
                page.send(b"".join(rows))
                sent += len(rows)
            if ended and not rows:
                return


def _timeval(seconds: float) -> bytes:
    """A time as setsockopt(2) takes it."""
    whole = int(seconds)
    return struct.pack("@ll", whole, int((seconds - whole) * 1e6))


def _two_variants(scenario: _core.Scenario, length_s: float) -> str:
    """The scenario as two variants: with real packets, and simulated beside them."""
    longer = scenario.replace([("duration", f"{length_s} s")])
    named = "".join(
        f'\n[variants.{name}]\nlabel = "{label}"\n'
        for name, label in (("live", "Live"), ("simulation", "Simulation"))
    )
    return longer.to_toml() + named
