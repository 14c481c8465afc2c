"""Links, addresses and routes of this network namespace, by rtnetlink(7).

The package iproute2 is not needed, and nothing depends on its version.
"""

from __future__ import annotations

import os
import socket
import struct
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network
from types import TracebackType

Address = IPv4Address | IPv6Address

_NEWLINK, _NEWADDR, _NEWROUTE = 16, 20, 24
_REQUEST, _ACK, _REPLACE, _EXCL, _CREATE = 0x1, 0x4, 0x100, 0x200, 0x400
_ERROR = 2

_IFF_UP, _IFF_NOARP = 0x1, 0x80
_IFLA_ADDRESS, _IFLA_IFNAME, _IFLA_MTU, _IFLA_TXQLEN, _IFLA_LINKINFO, _IFLA_NET_NS_FD = 1, 3, 4, 13, 18, 28
_IFLA_INFO_KIND, _IFLA_INFO_DATA, _VETH_INFO_PEER = 1, 2, 1
_IFA_ADDRESS, _IFA_LOCAL, _IFA_FLAGS, _IFA_F_NODAD = 1, 2, 8, 0x02
_RTA_DST, _RTA_OIF, _RTA_METRICS, _RTAX_CC_ALGO = 1, 4, 8, 16
_RT_TABLE_MAIN, _RTPROT_STATIC, _RT_SCOPE_LINK, _RT_SCOPE_HOST = 254, 4, 253, 254
_RTN_UNICAST, _RTN_LOCAL, _RTN_UNREACHABLE = 1, 2, 7


class Netlink:
    """A socket to the network namespace in which it was made. Whatever fails raises OSError."""

    def __init__(self) -> None:
        self._socket = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0)
        self._socket.bind((0, 0))
        self._sequence = 0

    def __enter__(self) -> Netlink:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._socket.close()

    def bring_up(
        self, link: str, mtu: int | None = None, queue: int | None = None, *, arp: bool = True
    ) -> None:
        """Brings a link up; `queue` is how many packets may wait in the device. Without `arp` it sends to any
        address and asks for none."""
        sizes = b"" if mtu is None else _attribute(_IFLA_MTU, struct.pack("=I", mtu))
        if queue is not None:
            sizes += _attribute(_IFLA_TXQLEN, struct.pack("=I", queue))
        self._ask(_NEWLINK, _link(_index(link), _IFF_UP if arp else _IFF_UP | _IFF_NOARP) + sizes, what=link)

    def add_veth(self, name: str, mac: bytes, peer: str, peer_mac: bytes, namespace: int) -> None:
        """A pair of devices: one here, its peer in the network namespace of the descriptor."""
        of_peer = (
            _link(0)
            + _text(_IFLA_IFNAME, peer)
            + _attribute(_IFLA_ADDRESS, peer_mac)
            + _attribute(_IFLA_NET_NS_FD, struct.pack("=I", namespace))
        )
        data = _attribute(_IFLA_INFO_DATA, _attribute(_VETH_INFO_PEER, of_peer))
        body = _link(0) + _text(_IFLA_IFNAME, name) + _attribute(_IFLA_ADDRESS, mac)
        info = _attribute(_IFLA_LINKINFO, _text(_IFLA_INFO_KIND, "veth") + data)
        self._ask(_NEWLINK, body + info, _CREATE | _EXCL, what=name)

    def add_address(self, link: str, address: Address) -> None:
        """An address without a subnet: others are reached by routes alone."""
        body = struct.pack("=BBBBI", _family(address), address.max_prefixlen, 0, 0, _index(link))
        packed = address.packed
        # Nobody else is there to have it: no duplicate address detection.
        flags = _attribute(_IFA_FLAGS, struct.pack("=I", _IFA_F_NODAD))
        self._ask(
            _NEWADDR,
            body + _attribute(_IFA_LOCAL, packed) + _attribute(_IFA_ADDRESS, packed) + flags,
            _CREATE | _REPLACE,
            what=str(address),
        )

    def add_default_route(self, link: str, family: int, congestion: str | None = None) -> None:
        """Everything else is behind the link; connections over it use this congestion control."""
        options = b"" if congestion is None else _attribute(_RTA_METRICS, _text(_RTAX_CC_ALGO, congestion))
        scope = _RT_SCOPE_LINK if family == socket.AF_INET else 0
        self._add_route(_route(family, 0, scope, _RTN_UNICAST), link, options)

    def add_route(self, link: str, network: IPv4Network | IPv6Network) -> None:
        """The addresses of a network are behind the link."""
        is_v4 = network.version == 4
        family, scope = (socket.AF_INET, _RT_SCOPE_LINK) if is_v4 else (socket.AF_INET6, 0)
        to = _attribute(_RTA_DST, network.network_address.packed)
        self._add_route(_route(family, network.prefixlen, scope, _RTN_UNICAST), link, to)

    def add_local_default_route(self) -> None:
        """Addresses of IPv4 without another route are those of this namespace itself."""
        self._add_route(_route(socket.AF_INET, 0, _RT_SCOPE_HOST, _RTN_LOCAL), "lo")

    def add_unreachable_default_route(self) -> None:
        """Addresses of IPv6 without another route are nowhere."""
        self._add_route(_route(socket.AF_INET6, 0, 0, _RTN_UNREACHABLE), "lo")

    def _add_route(self, route: bytes, link: str, options: bytes = b"") -> None:
        over = _attribute(_RTA_OIF, struct.pack("=I", _index(link)))
        self._ask(_NEWROUTE, route + over + options, _CREATE | _REPLACE, what="a route")

    def _ask(self, kind: int, body: bytes, flags: int = 0, *, what: str) -> None:
        self._sequence += 1
        header = struct.pack("=IHHII", 16 + len(body), kind, _REQUEST | _ACK | flags, self._sequence, 0)
        self._socket.send(header + body)
        answer = self._socket.recv(65536)
        _, answered, _, _, _, code = struct.unpack_from("=IHHIIi", answer)
        if answered != _ERROR or code != 0:
            raise OSError(-code, os.strerror(-code), what)


def _family(address: Address) -> int:
    return socket.AF_INET if address.version == 4 else socket.AF_INET6


def _index(link: str) -> int:
    return socket.if_nametoindex(link)


def _link(index: int, flags: int = 0) -> bytes:
    return struct.pack("=BxHiII", socket.AF_UNSPEC, 0, index, flags, flags)


def _route(family: int, length: int, scope: int, kind: int) -> bytes:
    """Message of a route to addresses that begin with `length` bits."""
    return struct.pack("=BBBBBBBBI", family, length, 0, 0, _RT_TABLE_MAIN, _RTPROT_STATIC, scope, kind, 0)


def _attribute(kind: int, payload: bytes) -> bytes:
    padding = b"\0" * (-len(payload) % 4)
    return struct.pack("=HH", 4 + len(payload), kind) + payload + padding


def _text(kind: int, text: str) -> bytes:
    return _attribute(kind, text.encode() + b"\0")
