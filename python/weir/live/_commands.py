"""Commands at the ends: started as the user who called, told apart by their numbers."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence

from weir.live import _linux as linux
from weir.live._listening import open_ports

KEPT = (linux.CAP_NET_ADMIN, linux.CAP_NET_RAW)
"""Capabilities that a command has in its own network namespace alone: tc, ip, tcpdump and ping work there."""


def start(
    arguments: Sequence[str],
    namespace: int,
    environment: Mapping[str, str],
    *,
    stdin: int | None = None,
    stdout: int | None = None,
    is_ours: bool = False,
) -> int:
    """Starts a command in a network namespace; returns its process id. A program of Weir, `is_ours`, does not
    hear Ctrl-C of the terminal. Raises OSError."""

    def enter() -> None:
        linux.enter(namespace)
        linux.keep_capabilities(KEPT)
        if is_ours:
            signal.signal(signal.SIGINT, signal.SIG_IGN)

    # Safe: this process has one thread.
    child = subprocess.Popen(  # noqa: S603 - the user's own command
        arguments,
        stdin=stdin,
        stdout=stdout,
        env={**os.environ, **environment},
        preexec_fn=enter,  # noqa: PLW1509
    )
    pid = child.pid
    child.returncode = 0  # whoever collects all children collects this one too
    return pid


def wait_until_listening(pid: int, others: int, limit_s: float, ended: Callable[[], bool]) -> None:
    """Waits until a process listens, beside `others` in its network namespace, or `ended` says otherwise."""
    until = time.monotonic() + limit_s
    while not ended() and time.monotonic() < until:
        if _listening(pid) > others:
            return
        time.sleep(0.01)


def _listening(pid: int) -> int:
    """Open ports in the network namespace of a process."""
    return sum(len(open_ports(udp=udp, net=f"/proc/{pid}/net")) for udp in (False, True))
