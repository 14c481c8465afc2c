"""The namespaces of a live run, from outside: starts the first process in them, and talks to it."""

from __future__ import annotations

import errno
import json
import os
import re
import select
import socket
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from ipaddress import ip_address
from pathlib import Path
from typing import Any

from weir._errors import WeirError
from weir.live._inside import LARGEST_MESSAGE
from weir.live._tun import DEVICE

FAR = ("198.18.0.1", "fd57:4549:5200::1")
"""Addresses of the far end. RFC 2544 sets 198.18.0.0/15 aside for tests of networks; RFC 4193 fd00::/8 for
local use."""

SETTINGS = Path("/proc/sys")

_LIMITS = {
    "kernel.unprivileged_userns_clone": ("0", "1"),
    "kernel.apparmor_restrict_unprivileged_userns": ("1", "0"),
    "user.max_user_namespaces": ("0", "10000"),
    "user.max_net_namespaces": ("0", "10000"),
}
"""Settings that forbid user namespaces: the value that does, and one that allows them."""


class LiveError(WeirError):
    """Error of `weir live`: something that it needs is not there, or was ended."""

    exit_code = 1


Port = tuple[int, bool]
"""Number of a port; and true if it is a port of UDP."""


@dataclass(frozen=True)
class EndSpec:
    """An end as the relay takes it."""

    packets: int
    address: bytes | None
    addresses: list[str]


@dataclass(frozen=True)
class Ended:
    """A command that has ended; `number` is -1 for that at the far end."""

    number: int
    code: int


def near_addresses(number: int) -> tuple[str, str]:
    """Addresses of a near end."""
    v4, v6 = (str(ip_address(address) + 1 + number) for address in FAR)
    return v4, v6


def tun_is_there() -> bool:
    """Returns true if this user may open TUN devices."""
    try:
        os.close(os.open(DEVICE, os.O_RDWR | os.O_CLOEXEC))
    except OSError:
        return False
    return True


class Namespaces:
    """The namespaces of a live run and the processes in them: all of them end with this object's `close`, and
    with this process, however it ends."""

    def __init__(
        self,
        clients: int,
        *,
        mtu: int,
        congestion: str | None,
        ports: Sequence[Port],
        tun: bool,
        settings: Mapping[str, str] | None = None,
        router: str | None = None,
        internet: bool = False,
        output: int | None = None,
    ) -> None:
        """Raises LiveError, WeirError.

        Args:
            clients: how many near ends.
            mtu: of the devices.
            congestion: what the ends use by default; None leaves it to the kernel.
            ports: of the far end, to be bound.
            tun: TUN devices, not veth pairs.
            settings: of the ends, by their key under /proc/sys/net.
            router: a shell script that makes the queue of a router, on the device of its argument.
            internet: the far end takes packets to any address of IPv4, and is the name server.
            output: a descriptor for what the commands print.
        """
        self._setup: dict[str, Any] = {
            "do": "make",
            "ends": [*map(near_addresses, range(clients)), FAR],
            "mtu": mtu,
            "congestion": congestion,
            "settings": dict(settings or {}),
            "ports": list(ports),
            "tun": tun,
            "router": router,
            "internet": internet,
        }
        self.ends: list[EndSpec] = []
        """The near ends, and the far end as the last."""
        self.listeners: dict[Port, socket.socket] = {}
        """Port to a socket that is bound to it at the far end."""
        self.router: tuple[int, int] | None = None
        """The devices of the router: where packets are written, and read behind its queue."""
        self.congestion = ""
        """The congestion control that the ends use by default."""
        self._control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            # Of the environment, which is the command's, Python must not take anything itself.
            start = (
                f"import sys; sys.path.insert(0, {str(Path(__file__).parents[2])!r}); "
                "from weir.live._inside import main; main()"
            )
            self._process = subprocess.Popen(  # noqa: S603 - this interpreter
                [sys.executable, "-I", "-S", "-c", start, str(theirs.fileno())],
                stdout=output,
                stderr=output,
                pass_fds=(theirs.fileno(),),
            )
        try:
            self._make()
        except BaseException:
            self.close()
            raise

    def _make(self) -> None:
        self._send(self._setup)
        while True:
            message, descriptors = self._receive()
            if "end" in message:
                address = message["address"] and bytes.fromhex(message["address"])
                addresses = list(self._setup["ends"][message["end"]])
                self.ends.append(EndSpec(descriptors[0], address, addresses))
            elif "router" in message:
                self.router = (descriptors[0], descriptors[1])
            elif "port" in message:
                self.listeners[message["port"], message["udp"]] = socket.socket(fileno=descriptors[0])
            else:
                self.congestion = message["congestion"]
                return

    def start(
        self,
        near: Sequence[str],
        far: Sequence[str] | None,
        environment: Mapping[str, str],
        *,
        far_output: int,
        is_ours: bool = False,
    ) -> None:
        """Starts the command at the far end, and when it listens the one at each near end. Programs of Weir,
        `is_ours`, do not hear Ctrl-C of the terminal."""
        message = {"do": "start", "near": list(near), "far": list(far) if far else None}
        more = {"environment": dict(environment), "far_output": far_output, "is_ours": is_ours}
        self._send({**message, **more})

    def signal(self, number: int, *, far: bool = False) -> None:
        """Sends a signal to the commands at the near ends, or to that at the far end."""
        self._send({"do": "signal", "signal": number, "far": far})

    def wait(self, timeout_s: float) -> Ended | None:
        """The next command that ended within this time. Raises LiveError where all were killed."""
        ready, _, _ = select.select([self._control], [], [], max(0.0, timeout_s))
        if ready:
            message, _ = self._receive()
            return Ended(message["ended"], message["code"])
        if self._process.poll() is not None:
            raise _killed()
        return None

    def tx_drops(self) -> int:
        """Packets that the devices of all ends dropped, before the relay, or behind it where it does not
        learn of them."""
        self._send({"do": "count"})
        while "drops" not in (message := self._receive()[0]):
            pass  # a command that ended only now
        return sum(message["drops"])

    def release_ends(self) -> None:
        """Closes this process's descriptors of the ends: the relay has its own."""
        for descriptor in (*(end.packets for end in self.ends), *(self.router or ())):
            os.close(descriptor)
        self.ends.clear()
        self.router = None

    def close(self) -> None:
        """Ends every process inside; waits until nothing is left."""
        self._control.close()
        self._process.wait()
        self.release_ends()
        for listener in self.listeners.values():
            listener.close()

    def __enter__(self) -> Namespaces:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _send(self, message: Mapping[str, Any]) -> None:
        try:
            self._control.send(json.dumps(message).encode())
        except BrokenPipeError:
            raise _killed() from None
        except OSError as error:
            if error.errno != errno.EMSGSIZE:
                raise
            raise WeirError("the command line is too long") from None

    def _receive(self) -> tuple[dict[str, Any], list[int]]:
        try:
            received, descriptors, _, _ = socket.recv_fds(self._control, LARGEST_MESSAGE, 4)
        except ConnectionResetError:
            received, descriptors = b"", []
        if not received:
            raise _killed()
        for descriptor in descriptors:
            os.set_inheritable(descriptor, False)  # noqa: FBT003
        message = json.loads(received)
        if "failed" in message:
            raise failure(message, self._setup)
        return message, descriptors


def _killed() -> LiveError:
    return LiveError("the processes behind the links were killed from outside")


def failure(message: Mapping[str, Any], setup: Mapping[str, Any]) -> WeirError:
    """Error for a message of the first process, in words."""
    code = message.get("errno")
    reason = os.strerror(code) if code else ""
    match message["failed"]:
        case "command":
            return WeirError(f"{message['command']} cannot be executed: {reason}")
        case "congestion":
            return WeirError(
                f"the kernel has no congestion control {setup['congestion']!r}", f"it has: {message['there']}"
            )
        case "queue":
            return LiveError(
                f"this kernel does not make the queue{_kind(setup['router'])}; tc says: {message['said']}",
                "weir export says which Linux has it; --against simulation needs none",
            )
        case "namespaces":
            return LiveError(f"no user and network namespaces can be made here: {reason}", _remedy(code))
        case _:
            where = f" ({message['where']})" if message["where"] else ""
            return LiveError(f"the ends of the network cannot be made: {reason}{where}", _remedy(code))


def _kind(script: str) -> str:
    """The kind of queue that a script makes last, in words."""
    kinds = re.findall(r"^tc qdisc replace .* (?:parent \S+|root) (\w+)", script, re.MULTILINE)
    return f", {kinds[-1]}" if kinds else ""


def _remedy(code: int | None) -> str:
    """Hint on what to change so that namespaces can be made."""
    if code in {errno.EINVAL, errno.ENOSYS}:
        return "the kernel needs CONFIG_USER_NS, CONFIG_NET_NS and CONFIG_PID_NS"
    for key, (forbidding, allowing) in _LIMITS.items():
        with suppress(OSError):
            if (SETTINGS / key.replace(".", "/")).read_text().strip() == forbidding:
                return f"allow them: sudo sysctl -w {key}={allowing}"
    return (
        "in a container, allow them: docker run --security-opt seccomp=unconfined --security-opt "
        "apparmor=unconfined --device /dev/net/tun"
    )
