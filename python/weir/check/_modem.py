"""The wait of packets for grants of a cable modem, and what the grants must carry."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from weir import _core
from weir.check._resolved import Resolved, duration_of

_COVERS = 0.9
"""Part of what must be carried that guaranteed grants carry, from which on a packet waits for an interval,
not for its request.

With less, packets beyond wait in the queue for their grants, and all behind them as long. An AQM that
aims below this wait holds TCP down to what is guaranteed: 60% of 10 Mbit/s with 6 (`tests/test_cable.py`)."""


def modem_of(scene: Resolved, port: _core.Port) -> Mapping[str, Any] | None:
    """The table of the cable modem at the port, if it has one."""
    return scene.link(port).get("docsis")


def loop_s(modem: Mapping[str, Any]) -> float:
    """Seconds that a packet waits for its grant."""
    # Half an interval until the request, the next to begin after the grant is known, and half of that.
    return duration_of(modem, "request_to_grant") + 1.5 * duration_of(modem, "map_interval")


def guaranteed_bps(modem: Mapping[str, Any]) -> float:
    """Bits per second that are granted without a request."""
    written = modem.get("guaranteed_grant_rate")
    return 0.0 if written is None else _core.quantity(written)[0]


def is_guaranteed(scene: Resolved, port: _core.Port) -> bool:
    """Returns true if a modem has no need to ask: guaranteed grants carry nearly all that passes."""
    modem = modem_of(scene, port)
    return modem is not None and guaranteed_bps(modem) >= _COVERS * carried_bps(scene, port)


def carried_bps(scene: Resolved, port: _core.Port) -> float:
    """Bits per second that the port must carry: those of steady datagrams alone, else all that it can."""
    paths, most = scene.through(port), float(max(scene.rates(port)))
    has_acks = any(port.name in path.acks for path in scene.paths)
    if has_acks or not paths or any(path.traffic != "cbr" for path in paths):
        return most
    offered = sum((scene.offered_bps(path) or 0.0) * scene.load(path).most for path in paths)
    return min(most, offered)
