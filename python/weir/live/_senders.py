"""Programs that send and receive with the kernel's TCP, as the flow groups of a scenario do in a simulation.

    python _senders.py receive PORT…
    python _senders.py send ADDRESS PLAN

They run inside the namespaces and import nothing of Weir.
"""

from __future__ import annotations

import json
import random
import selectors
import socket
import struct
import sys
import time
from contextlib import suppress
from typing import Any

_CHUNK = bytes(1 << 16)
_UNSENT_BYTES = 1 << 17
"""Bytes that may wait unsent in a socket."""


def receive(ports: list[int]) -> None:
    """Takes everything that comes to these ports, until it is ended."""
    selector = selectors.DefaultSelector()
    for port in ports:
        listener = socket.create_server(("", port), backlog=4096)
        listener.settimeout(0)
        selector.register(listener, selectors.EVENT_READ, "listener")
    room = bytearray(1 << 18)
    while True:
        for key, _ in selector.select():
            opened: Any = key.fileobj
            if key.data == "listener":
                connection, _ = opened.accept()
                connection.settimeout(0)
                selector.register(connection, selectors.EVENT_READ)
                continue
            with suppress(BlockingIOError):
                try:
                    if opened.recv_into(room):
                        continue
                except ConnectionError:
                    pass
                selector.unregister(opened)
                opened.close()


class Group:
    """Flows that send without end. Their number changes at given times; new ones start within a jitter."""

    def __init__(self, plan: dict[str, Any], address: str, chance: random.Random) -> None:
        self._plan = plan
        self._address = address
        self._flows: list[socket.socket] = []
        self.events: list[tuple[float, int]] = []
        """Second, and +1 where a flow starts, -1 where the latest one stops."""
        for at, before, after in plan["changes"]:
            if after > before:
                jitter = [chance.uniform(0.0, plan["jitter_s"]) for _ in range(after - before)]
                self.events += [(at + delay, 1) for delay in jitter]
            else:
                self.events += [(at, -1)] * (before - after)
        self.events.sort()

    def start(self, selector: selectors.BaseSelector) -> None:
        """Starts one more flow."""
        flow = socket.socket()
        flow.settimeout(0)
        name = self._plan["congestion"].encode()
        flow.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, name)
        flow.setsockopt(socket.IPPROTO_TCP, socket.TCP_MAXSEG, self._plan["mss"])
        flow.setsockopt(socket.IPPROTO_TCP, socket.TCP_NOTSENT_LOWAT, _UNSENT_BYTES)
        flow.connect_ex((self._address, self._plan["port"]))
        selector.register(flow, selectors.EVENT_WRITE)
        self._flows.append(flow)

    def stop(self, selector: selectors.BaseSelector) -> None:
        """Ends the latest flow at once, with a reset."""
        flow = self._flows.pop()
        selector.unregister(flow)
        flow.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        flow.close()


def send(address: str, plan: dict[str, Any]) -> None:
    """Sends as the plan says, and ends when its time is over."""
    chance = random.Random(plan["seed"])  # noqa: S311
    groups = [Group(group, address, chance) for group in plan["groups"]]
    events = sorted((at, change, place) for place, group in enumerate(groups) for at, change in group.events)
    selector = selectors.DefaultSelector()
    began = time.monotonic()
    while (now := time.monotonic() - began) < plan["duration_s"]:
        while events and events[0][0] <= now:
            _, change, place = events.pop(0)
            (groups[place].start if change > 0 else groups[place].stop)(selector)
        until = min(events[0][0] if events else plan["duration_s"], plan["duration_s"])
        for key, _ in selector.select(max(0.0, until - now)):
            flow: Any = key.fileobj
            with suppress(BlockingIOError):
                flow.send(_CHUNK)


if __name__ == "__main__":
    if sys.argv[1] == "receive":
        receive([int(port) for port in sys.argv[2:]])
    else:
        send(sys.argv[2], json.loads(sys.argv[3]))
