"""A router in a network namespace of its own: what the relay writes into one device, the kernel forwards
through the queue of the other, from which the relay reads it."""

from __future__ import annotations

import os
import socket
import subprocess
from pathlib import Path

from weir.live import _linux as linux
from weir.live._commands import KEPT
from weir.live._netlink import Netlink
from weir.live._tun import open_tun

INTO, OUT = "weir-in", "weir-out"

_NAMESPACE = "/proc/self/ns/net"
_RING_PACKETS = 1000
"""Packets that may wait behind the queue until the relay reads them; it reads at once."""


def search_path() -> str:
    """PATH, with the folders of the system's programs: those of a user often lack them."""
    return f"{os.environ.get('PATH', os.defpath)}:/usr/sbin:/sbin"


class QueueError(Exception):
    """Error of the script that sets the queue up; the message is what it said."""


def make_router(script: str, mtu: int) -> tuple[int, int]:
    """Descriptors of both devices of a router, whose device OUT has the queue that the script makes.

    The script gets OUT as its argument. The caller stays in its network namespace. Raises OSError,
    QueueError.
    """
    before = os.open(_NAMESPACE, os.O_RDONLY | os.O_CLOEXEC)
    try:
        linux.unshare(linux.CLONE_NEWNET)
        descriptors = open_tun(INTO), open_tun(OUT)
        with Netlink() as netlink:
            netlink.bring_up("lo")
            for device in (INTO, OUT):
                Path(f"/proc/sys/net/ipv4/conf/{device}/rp_filter").write_text("0")
                netlink.bring_up(device, mtu, _RING_PACKETS, arp=False)
            netlink.add_default_route(OUT, socket.AF_INET)
        Path("/proc/sys/net/ipv4/ip_forward").write_text("1")
        _run(script)
        return descriptors
    finally:
        linux.enter(before)
        os.close(before)


def _run(script: str) -> None:
    done = subprocess.run(  # noqa: S603 - Weir's own script
        ["sh", "-s", OUT],  # noqa: S607 - that of the system
        input=script,
        env={**os.environ, "PATH": search_path()},
        capture_output=True,
        text=True,
        # Safe: this process has one thread.
        preexec_fn=lambda: linux.keep_capabilities(KEPT),
        check=False,
    )
    if done.returncode:
        raise QueueError((done.stderr or done.stdout).strip() or f"exit code {done.returncode}")
