"""The ends of the emulated network: a network namespace each, with addresses and TCP as on a host."""

from __future__ import annotations

import errno
import os
import socket
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from ipaddress import ip_address, ip_network
from pathlib import Path
from typing import Any

from weir.live import _linux as linux
from weir.live._netlink import Netlink
from weir.live._tun import open_tun
from weir.live._veth import attach_veth, wait_for_carrier

LINK = "weir0"
"""The device of every end."""

_NAMESPACE = "/proc/self/ns/net"
_NEAR, _NEAR6 = ip_network("198.18.0.0/15"), ip_network("fd57:4549:5200::/64")
"""Addresses of the ends."""
_QUEUE_PACKETS = 1000
"""Packets that may wait in the device for the relay."""


class CongestionError(Exception):
    """The kernel does not have this congestion control; the message names those it has."""


@dataclass
class End:
    """One end: its network namespace, and the descriptor of its packets."""

    namespace: int
    packets: int
    address: bytes | None
    """Destination and source address of frames to this end, if `packets` is a packet socket; None for TUN."""
    peer: str | None
    """Device of the packet socket, in the namespace between the ends."""

    @contextmanager
    def inside(self) -> Generator[None]:
        """Block that runs in the network namespace of the end."""
        before = os.open(_NAMESPACE, os.O_RDONLY | os.O_CLOEXEC)
        try:
            linux.enter(self.namespace)
            yield
        finally:
            linux.enter(before)
            os.close(before)

    def tx_drops(self) -> int:
        """Packets that the device dropped because the relay did not take them in time, and those that its
        peer dropped because it was down: a packet socket learns nothing of them.

        The caller is in the namespace of what lies between the ends.
        """
        behind = 0 if self.peer is None else _tx_drops(self.peer)
        with self.inside():
            return behind + _tx_drops(LINK)


def _tx_drops(link: str) -> int:
    for line in Path("/proc/self/net/dev").read_text().splitlines():
        name, _, counts = line.partition(":")
        if name.strip() == link:
            return int(counts.split()[11])
    return 0


def make_ends(setup: Mapping[str, Any]) -> Iterator[End]:
    """The ends of `setup["ends"]`, each with a network namespace of its own, in this order.

    The caller's own network namespace is for whatever lies between them. Raises OSError, CongestionError.
    """
    between = os.open(_NAMESPACE, os.O_RDONLY | os.O_CLOEXEC)
    for number, addresses in enumerate(setup["ends"]):
        linux.unshare(linux.CLONE_NEWNET)
        namespace = os.open(_NAMESPACE, os.O_RDONLY | os.O_CLOEXEC)
        address = peer = None
        if setup["tun"]:
            packets = open_tun(LINK)
        else:
            peer = f"end{number}"
            packets, address = attach_veth(LINK, peer, number, between, namespace, setup["mtu"])
        _configure(setup, addresses)
        if setup["internet"]:
            _open_to_all(is_far=number == len(setup["ends"]) - 1)
        yield End(namespace, packets, address, peer)
    linux.enter(between)
    os.close(between)


def _configure(setup: Mapping[str, Any], addresses: Sequence[str]) -> None:
    has_ipv6 = Path("/proc/sys/net/ipv6").exists()
    _set("ipv4/tcp_ecn", "1")
    _set("ipv4/tcp_no_metrics_save", "1")  # a connection does not begin with what the last one found
    for key, value in setup["settings"].items():
        _set(key, value)
    _set("ipv4/ip_unprivileged_port_start", "0")  # a server at port 80 needs no rights here
    group = os.getgid()
    _set("ipv4/ping_group_range", f"{group} {group}")
    if has_ipv6:
        _set(f"ipv6/conf/{LINK}/disable_ipv6", "0")
        # Nothing but the packets of the commands crosses the links.
        for key, value in {"addr_gen_mode": "1", "accept_ra": "0", "router_solicitations": "0"}.items():
            _set(f"ipv6/conf/{LINK}/{key}", value)
    congestion = _congestion(setup["congestion"])
    with Netlink() as netlink:
        netlink.bring_up("lo")
        netlink.bring_up(LINK, setup["mtu"], _QUEUE_PACKETS, arp=False)
        if not setup["tun"]:
            wait_for_carrier(LINK)
        for one in map(ip_address, addresses):
            if one.version == 4 or has_ipv6:
                netlink.add_address(LINK, one)
                family = socket.AF_INET if one.version == 4 else socket.AF_INET6
                netlink.add_default_route(LINK, family, congestion)


def _open_to_all(*, is_far: bool) -> None:
    """The far end takes what is sent to any address of IPv4. Nothing takes other addresses of IPv6: who tries
    one is told so at once, and goes on to IPv4."""
    with Netlink() as netlink:
        if is_far:
            netlink.add_route(LINK, _NEAR)
            netlink.add_local_default_route()
        if Path("/proc/sys/net/ipv6").exists():
            netlink.add_unreachable_default_route()
            netlink.add_route(LINK, _NEAR6)


def _congestion(wanted: str | None) -> str | None:
    """Makes a congestion control the default of this namespace; returns its name where only a route may have
    it.

    A congestion control that is not in tcp_allowed_congestion_control may not be made the default of a
    namespace. Of a route it may be a property.
    """
    if wanted is None:
        return None
    try:
        Path("/proc/sys/net/ipv4/tcp_congestion_control").write_text(wanted)
    except FileNotFoundError:
        there = Path("/proc/sys/net/ipv4/tcp_available_congestion_control").read_text().split()
        raise CongestionError(", ".join(sorted(there))) from None
    except OSError as error:
        if error.errno not in {errno.EPERM, errno.EACCES}:
            raise
        return wanted
    return None


def congestion_control() -> str:
    """The default congestion control of this network namespace."""
    return Path("/proc/sys/net/ipv4/tcp_congestion_control").read_text().strip()


def _set(key: str, value: str) -> None:
    # What this kernel does not have, or does not allow here, stays as it is.
    with suppress(OSError):
        Path("/proc/sys/net", key).write_text(value)
