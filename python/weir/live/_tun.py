"""TUN: the packets of a network namespace as a file."""

from __future__ import annotations

import fcntl
import os
import struct

DEVICE = "/dev/net/tun"

_TUNSETIFF, _TUNSETOFFLOAD, _TUNSETVNETHDRSZ = 0x400454CA, 0x400454D0, 0x400454D8
_IFF_TUN, _IFF_NO_PI, _IFF_VNET_HDR = 0x0001, 0x1000, 0x4000
_F_CSUM, _F_TSO4, _F_TSO6, _F_TSO_ECN = 0x01, 0x02, 0x04, 0x08

HEADER_BYTES = 10
"""Bytes of `struct virtio_net_hdr` before each packet."""


def open_tun(name: str) -> int:
    """A new TUN device in this network namespace, and the descriptor of its packets.

    The device goes with the last copy of the descriptor. Packets have a virtio_net_hdr: the kernel leaves
    checksums and segmentation to the reader, at half the cost per packet. Raises OSError.
    """
    tun = os.open(DEVICE, os.O_RDWR | os.O_CLOEXEC)
    try:
        request = struct.pack("16sH22x", name.encode(), _IFF_TUN | _IFF_NO_PI | _IFF_VNET_HDR)
        fcntl.ioctl(tun, _TUNSETIFF, request)
        fcntl.ioctl(tun, _TUNSETVNETHDRSZ, struct.pack("i", HEADER_BYTES))
        fcntl.ioctl(tun, _TUNSETOFFLOAD, _F_CSUM | _F_TSO4 | _F_TSO6 | _F_TSO_ECN)
    except BaseException:
        os.close(tun)
        raise
    return tun
