"""The first process in the namespaces of a live run. It makes the ends and starts the commands.

It is the init process of a PID namespace: when it ends, the kernel ends every other process there, and with
the last process and descriptor go the namespaces and their devices. It ends when the other end of its control
socket is closed, however that happened. So nothing is left of a run, whichever process is killed.
"""

from __future__ import annotations

import errno
import json
import os
import select
import signal
import socket
import subprocess
import sys
import tempfile
from contextlib import suppress
from pathlib import Path
from types import FrameType
from typing import Any

from weir.live import _linux as linux
from weir.live._commands import start, wait_until_listening
from weir.live._ends import CongestionError, End, congestion_control, make_ends
from weir.live._router import QueueError, make_router

LARGEST_MESSAGE = 1 << 17
FAR = -1
"""The number of the command at the far end; those at near ends count from 0."""

_LISTEN_S = 3.0
"""Seconds that the command at the far end may take until it listens."""

_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGTSTP)


def main() -> None:
    """The program: its only argument is the descriptor of the control socket."""
    control = socket.socket(fileno=int(sys.argv[1]))
    control.set_inheritable(False)
    # A terminal sends signals to the whole group: what they mean, the commands decide.
    _handle(signal.SIG_IGN)
    try:
        _enter_namespaces()
    except OSError as error:
        _send(control, {"failed": "namespaces", "errno": error.errno, "where": str(error.filename)})
        sys.exit(1)
    if child := os.fork():
        control.close()
        os.waitpid(child, 0)
        return
    linux.die_with_parent(signal.SIGKILL)
    # Commands get them by default; the init process of a namespace ignores what it does not handle.
    _handle(signal.SIG_DFL)
    with suppress(OSError):
        # Without it, as in some containers, commands see the processes of the whole machine.
        linux.mount_proc()
    _Inside(control).run()
    os._exit(0)


def _handle(handler: signal.Handlers) -> None:
    for one in _SIGNALS:
        if one != signal.SIGINT or handler is signal.SIG_IGN or not _ignored_before:
            signal.signal(one, handler)


_ignored_before = signal.getsignal(signal.SIGINT) is signal.SIG_IGN
"""True if SIGINT was ignored, as in the background of a shell: commands then ignore Ctrl-C too."""


def _enter_namespaces() -> None:
    """User, mount, PID (of the children) and network namespaces, in which the user is who he was."""
    user, group = os.getuid(), os.getgid()
    linux.unshare(linux.CLONE_NEWUSER | linux.CLONE_NEWNS | linux.CLONE_NEWPID | linux.CLONE_NEWNET)
    Path("/proc/self/setgroups").write_text("deny")
    Path("/proc/self/uid_map").write_text(f"{user} {user} 1")
    Path("/proc/self/gid_map").write_text(f"{group} {group} 1")


def _send(control: socket.socket, message: dict[str, Any], descriptors: tuple[int, ...] = ()) -> None:
    # Nobody listens any more: the next look at the socket says so.
    with suppress(BrokenPipeError):
        socket.send_fds(control, [json.dumps(message).encode()], descriptors)


class _Inside:
    def __init__(self, control: socket.socket) -> None:
        self._control = control
        self._ends: list[End] = []
        self._forwarded = 0
        """Ports of the far end that are not those of its command."""
        self._is_ours = False
        """True for programs of Weir."""
        self._numbers: dict[int, int] = {}
        """Process id of each command that runs to its number."""

    def run(self) -> None:
        children, theirs = socket.socketpair()
        for one in (children, theirs):
            one.settimeout(0)
        signal.signal(signal.SIGCHLD, _wake)
        signal.set_wakeup_fd(theirs.fileno(), warn_on_full_buffer=False)
        while True:
            ready, _, _ = select.select([self._control, children], [], [])
            if children in ready:
                with suppress(BlockingIOError):
                    children.recv(4096)
                self._collect()
            if self._control in ready:
                received = self._control.recv(LARGEST_MESSAGE)
                if not received:
                    return
                self._do(json.loads(received))

    def _do(self, message: dict[str, Any]) -> None:
        match message["do"]:
            case "make":
                self._make(message)
            case "start":
                self._start(message)
            case "signal":
                for pid, number in self._numbers.items():
                    if (number == FAR) == message["far"]:
                        with suppress(ProcessLookupError):
                            os.kill(pid, message["signal"])
            case "count":
                self._tell(drops=[end.tx_drops() for end in self._ends])
            case other:
                raise ValueError(other)

    def _tell(self, *descriptors: int, **message: Any) -> None:  # noqa: ANN401 - what JSON can hold
        _send(self._control, message, descriptors)

    def _make(self, setup: dict[str, Any]) -> None:
        try:
            for end in make_ends(setup):
                self._ends.append(end)
                address = None if end.address is None else end.address.hex()
                self._tell(end.packets, end=len(self._ends) - 1, address=address)
                # The device goes with the last descriptor, which is the relay's.
                os.close(end.packets)
            with self._ends[-1].inside():
                for port, udp in setup["ports"]:
                    with _bound(port, udp=udp) as opened:
                        self._tell(opened.fileno(), port=port, udp=udp)
                self._forwarded = len(setup["ports"])
                congestion = setup["congestion"] or congestion_control()
            if setup["router"] is not None:
                devices = make_router(setup["router"], setup["mtu"])
                self._tell(*devices, router=True)
                for device in devices:
                    os.close(device)
            if setup["internet"]:
                _name_far_end(setup["ends"][-1][0])
            self._tell(ready=True, congestion=congestion)
        except CongestionError as error:
            self._tell(failed="congestion", there=str(error))
        except QueueError as error:
            self._tell(failed="queue", said=str(error)[-2000:])
        except OSError as error:
            self._tell(failed="ends", errno=error.errno, where=str(error.filename or ""))

    def _start(self, message: dict[str, Any]) -> None:
        self._is_ours = message["is_ours"]
        with suppress(_CommandError):
            if message["far"]:
                # The output of the command at the near end is the result; this is a remark.
                self._run(
                    FAR, message["far"], message["environment"], subprocess.DEVNULL, message["far_output"]
                )
                (far,) = self._numbers
                wait_until_listening(far, self._forwarded, _LISTEN_S, self._far_ended)
            near = self._ends[:-1]
            stdin = subprocess.DEVNULL if len(near) > 1 else None
            for number in range(len(near)):
                environment = {**message["environment"], "WEIR_CLIENT": str(number)}
                self._run(number, message["near"], environment, stdin, None)
        self._collect()

    def _far_ended(self) -> bool:
        self._collect()
        return FAR not in self._numbers.values() or bool(select.select([self._control], [], [], 0)[0])

    def _run(
        self,
        number: int,
        arguments: list[str],
        environment: dict[str, str],
        stdin: int | None,
        stdout: int | None,
    ) -> None:
        try:
            namespace = self._ends[number].namespace
            pid = start(arguments, namespace, environment, stdin=stdin, stdout=stdout, is_ours=self._is_ours)
        except OSError as error:
            self._tell(failed="command", command=arguments[0], errno=error.errno or errno.EIO)
            raise _CommandError from None
        self._numbers[pid] = number

    def _collect(self) -> None:
        """Children that have ended: commands, and what they left behind."""
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if not pid:
                return
            number = self._numbers.pop(pid, None)
            if number is not None:
                code = os.waitstatus_to_exitcode(status)
                self._tell(ended=number, code=code if code >= 0 else 128 - code)


def _wake(_signal: int, _frame: FrameType | None) -> None:
    """Does nothing: a signal wakes up `select` only if it has a handler."""


class _CommandError(Exception):
    """Error of a command that could not be started, when it has been reported."""


def _bound(port: int, *, udp: bool) -> socket.socket:
    """A socket that is bound to a port at all addresses of this namespace; of TCP one that listens."""
    family = socket.AF_INET6 if Path("/proc/sys/net/ipv6").exists() else socket.AF_INET
    opened = socket.socket(family, socket.SOCK_DGRAM if udp else socket.SOCK_STREAM)
    if family == socket.AF_INET6:
        opened.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)
    opened.bind(("", port))
    if not udp:
        opened.listen(128)
    return opened


def _name_far_end(address: str) -> None:
    """The far end is the name server of the commands."""
    with tempfile.NamedTemporaryFile("w", prefix="weir-", encoding="utf-8") as resolvers:
        resolvers.write(f"nameserver {address}\n")
        resolvers.flush()
        Path(resolvers.name).chmod(0o644)
        # What is mounted stays when its name goes. A system without the file asks at 127.0.0.1, in vain.
        with suppress(OSError):
            linux.mount_file(resolvers.name, "/etc/resolv.conf")


if __name__ == "__main__":
    main()
