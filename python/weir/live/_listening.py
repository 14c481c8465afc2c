"""Ports to which packets may come, as the kernel lists them in proc(5)."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

_LISTENING = "0A"
"""A state of /proc/net/tcp."""


def open_ports(*, udp: bool, net: str = "/proc/net") -> list[int]:
    """Open ports of the network namespace with the tables in `net`: for TCP those where something listens,
    for UDP all."""
    found: list[int] = []
    for table in ("udp", "udp6") if udp else ("tcp", "tcp6"):
        with suppress(OSError):
            for row in Path(net, table).read_text().splitlines()[1:]:
                _, local, _, state, *_ = row.split()
                if udp or state == _LISTENING:
                    found.append(int(local.rpartition(":")[2], 16))
    return found
