"""Veth pairs, with packet sockets at their other ends, for systems where TUN cannot be opened.

Each packet is copied and queued once more than with TUN, and no offload is left: it costs more.
"""

from __future__ import annotations

import ctypes
import fcntl
import socket
import struct
import time
from contextlib import suppress
from pathlib import Path

from weir.live import _linux as linux
from weir.live._netlink import Netlink

_SIOCGIFFLAGS, _SIOCETHTOOL = 0x8913, 0x8946
_IFF_RUNNING = 0x40
_CARRIER_S = 2.0
_OFFLOADS = (0x17, 0x19, 0x1F, 0x24, 0x2C)
"""ETHTOOL_STXCSUM, SSG, STSO, SGSO, SGRO: the queue must see the packets that a wire would carry."""

_ETH_P_ALL = 0x0003
_SOL_PACKET, _PACKET_IGNORE_OUTGOING = 263, 23
_BUFFER_BYTES = 8 << 20


def attach_veth(name: str, peer: str, number: int, router: int, end: int, mtu: int) -> tuple[int, bytes]:
    """A device in the network namespace `end`, with a socket in `router` at its peer, for its frames.

    Returns that socket's descriptor, and destination and source address of the frames it sends. Leaves this
    process in `end`. Raises OSError.
    """
    linux.enter(router)
    with Netlink() as netlink:
        netlink.add_veth(peer, router_mac(number), name, end_mac(number), end)
        with suppress(OSError):
            # Else it would send packets of its own.
            Path(f"/proc/sys/net/ipv6/conf/{peer}/disable_ipv6").write_text("1")
        netlink.bring_up(peer, mtu)
    _switch_offloads_off(peer)
    packets = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0)
    packets.setsockopt(_SOL_PACKET, _PACKET_IGNORE_OUTGOING, 1)
    for option in (socket.SO_RCVBUF, socket.SO_SNDBUF):
        packets.setsockopt(socket.SOL_SOCKET, option, _BUFFER_BYTES)
    packets.bind((peer, _ETH_P_ALL))
    linux.enter(end)
    _switch_offloads_off(name)
    return packets.detach(), end_mac(number) + router_mac(number)


def wait_for_carrier(link: str) -> None:
    """Waits until the link carries packets: a pair whose ends are up drops packets for a moment."""
    until = time.monotonic() + _CARRIER_S
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        while time.monotonic() < until:
            answer = fcntl.ioctl(any_socket, _SIOCGIFFLAGS, struct.pack("16s24x", link.encode()))
            if struct.unpack_from("16xH", answer)[0] & _IFF_RUNNING:
                return
            time.sleep(0.005)


def end_mac(number: int) -> bytes:
    """Ethernet address of the device in a namespace of its own; locally administered."""
    return b"\x02WE\x00" + struct.pack("!H", number)


def router_mac(number: int) -> bytes:
    """Ethernet address of the peer of that device, in the router's namespace; locally administered."""
    return b"\x02WE\x01" + struct.pack("!H", number)


def _switch_offloads_off(link: str) -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        for command in _OFFLOADS:
            value = ctypes.create_string_buffer(struct.pack("=II", command, 0))
            request = struct.pack("16sP16x", link.encode(), ctypes.addressof(value))
            fcntl.ioctl(any_socket, _SIOCETHTOOL, request)
