"""This machine's own network beyond the far end: connections to some ports of any host, and its name server.

The far end takes what is sent to any address, and connections are made anew from outside, by this user: no
rights and no other program are needed. Datagrams go to the name server alone.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from ipaddress import ip_address
from pathlib import Path

from weir.live._forward import Forward, Target, to_address, to_loopback
from weir.live._namespaces import FAR, Port

_DOMAIN = 53
_RESOLVERS = Path("/etc/resolv.conf")


def ports_of(wanted: Sequence[int], forwards: Mapping[Port, Forward]) -> list[Port]:
    """Ports of the far end that have to be bound for those that are wanted of any host, beside those that are
    forwarded."""
    if not wanted:
        return []
    ports = {*((port, False) for port in wanted), (_DOMAIN, True), (_DOMAIN, False)}
    return sorted(ports - forwards.keys())


def target_of(port: Port, wanted: Sequence[int], forwards: Mapping[Port, Forward]) -> Target:
    """Where what comes to a port of the far end goes; `wanted` are those of any host."""
    forward = forwards.get(port)
    number, is_udp = port
    if forward is not None:
        service = to_loopback(forward.host_port)
    else:
        service = to_address(*([(name_server(), _DOMAIN)] if number == _DOMAIN else []))
    is_anywhere = number in wanted and not is_udp
    return lambda local: [local] if is_anywhere and local and local[0] not in FAR else service(local)


def name_server() -> str:
    """Address of this machine's name server; its loopback if it names none."""
    with suppress(OSError):
        for found in re.findall(r"^\s*nameserver\s+(\S+)", _RESOLVERS.read_text(), re.MULTILINE):
            with suppress(ValueError):
                if ip_address(found).version == 4:
                    return found
    return "127.0.0.1"
