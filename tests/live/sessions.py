"""Live runs as processes, and what is left of them."""

from __future__ import annotations

import os
import socketserver
import subprocess
import sys
import threading
import uuid
from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path

import pytest

from waiting import HANG_S
from weir import _core
from weir.live._namespaces import LiveError, Namespaces, tun_is_there

MARK = "WEIR_TEST_MARK"
"""A variable in the environment of every process of a run, by which they are found."""

LINUX = hasattr(_core, "Relay")

SCENARIO = """\
schema = 1
name = "access"
duration = "10 s"

[measure]
warm_up = "0 s"

[links.bottleneck]
rate = "100 Mbit/s"
delay = "2 ms"
buffer = "100 packets"

[flows.data]
count = 1
rtt = "10 ms"
"""

SERVE = """\
import socket, sys
server = socket.create_server(("", int(sys.argv[1])), family=socket.AF_INET6, dualstack_ipv6=True)
while True:
    client, _ = server.accept()
    with client:
        size = 0
        while data := client.recv(65536):
            size += len(data)
        client.sendall(f"{sys.argv[2]} {size}".encode())
"""
"""Takes what a client sends, and answers with a word and its size."""

SEND = """\
import socket, sys
with socket.create_connection((sys.argv[1], int(sys.argv[2]))) as connection:
    connection.sendall(bytes(int(sys.argv[3])))
    connection.shutdown(socket.SHUT_WR)
    print(f"{connection.recv(100).decode()}\\n", end="", flush=True)  # in one piece: others print too
"""


@cache
def why_not() -> str | None:
    """Reason why nothing can be live here."""
    if not LINUX:
        return "weir live needs Linux"
    try:
        Namespaces(1, mtu=1500, congestion=None, ports=[], tun=tun_is_there()).close()
    except LiveError as error:
        return str(error)
    return None


needs_linux = pytest.mark.skipif(not LINUX, reason="weir live needs Linux")
needs_namespaces = pytest.mark.skipif(why_not() is not None, reason=f"needs namespaces: {why_not()}")
needs_tun = pytest.mark.skipif(not tun_is_there(), reason="needs /dev/net/tun")


def weir(*arguments: str, interpreter: str = sys.executable) -> list[str]:
    """The command line `weir ARGUMENTS`."""
    return [interpreter, "-m", "weir", *arguments]


def live(*arguments: str) -> list[str]:
    """`weir live access.toml ARGUMENTS`."""
    return weir("live", "access.toml", *arguments)


def python(text: str, *arguments: str) -> list[str]:
    """A command that runs a program."""
    return [sys.executable, "-c", text, *arguments]


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A folder with the scenario."""
    (tmp_path / "access.toml").write_text(SCENARIO, encoding="utf-8")
    return tmp_path


Ended = subprocess.CompletedProcess[str]
Finish = Callable[[Sequence[str]], Ended]


@pytest.fixture
def finish(place: Path) -> Finish:
    """Runs a command line in the folder of the scenario to its end."""

    def run(command: Sequence[str]) -> Ended:
        return subprocess.run(command, cwd=place, capture_output=True, text=True, check=False, timeout=HANG_S)

    return run


def marked() -> tuple[str, dict[str, str]]:
    """A mark, and an environment with it."""
    mark = str(uuid.uuid4())
    return mark, {**os.environ, MARK: mark}


def processes(mark: str) -> dict[int, str]:
    """The processes with a mark in their environment: id to command line."""
    found: dict[int, str] = {}
    for entry in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if f"{MARK}={mark}".encode() in (entry / "environ").read_bytes():
                found[int(entry.name)] = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode()
    return found


def machine() -> dict[str, object]:
    """State of the machine that a run must not change outside its namespaces: devices, mounts, routes, rules,
    settings."""
    settings = ("ipv4/tcp_congestion_control", "ipv4/tcp_ecn", "ipv4/ip_forward", "ipv4/tcp_no_metrics_save")
    found: dict[str, object] = {
        "devices": sorted(Path("/sys/class/net").iterdir()),
        "mounts": Path("/proc/self/mounts").read_text(),
        "addresses": Path("/proc/net/fib_trie").read_text(),
        "routes": Path("/proc/net/route").read_text(),
        "named namespaces": sorted(Path("/run").glob("netns/*")),
    }
    for setting in settings:
        found[setting] = Path("/proc/sys/net", setting).read_text()
    with suppress(FileNotFoundError):
        for table in ("rule", "route show table all"):
            words = ["ip", *table.split()]
            found[table] = subprocess.run(words, capture_output=True, check=True).stdout
    return found


@contextmanager
def answering(word: str) -> Generator[int]:
    """A service of this machine's loopback that answers each connection with a word; its port."""

    class Answer(socketserver.BaseRequestHandler):
        def handle(self) -> None:
            size = 0
            while data := self.request.recv(65536):
                size += len(data)
            self.request.sendall(f"{word} {size}".encode())

    server = socketserver.ThreadingTCPServer(("127.0.0.1", 0), Answer)
    server.daemon_threads = True
    with _served(server) as port:
        yield port


@contextmanager
def answering_datagrams(
    answers: Callable[[bytes], Iterable[bytes]] = lambda datagram: [b"answer to " + datagram],
) -> Generator[int]:
    """A service of this machine's loopback that answers each datagram, if nothing else is said with its text;
    its port."""

    class Answer(socketserver.BaseRequestHandler):
        def handle(self) -> None:
            datagram, opened = self.request
            for answer in answers(datagram):
                opened.sendto(answer, self.client_address)

    with _served(socketserver.UDPServer(("127.0.0.1", 0), Answer)) as port:
        yield port


@contextmanager
def _served(server: socketserver.TCPServer) -> Generator[int]:
    with server:
        thread = threading.Thread(target=server.serve_forever, args=(0.05,))
        thread.start()
        try:
            yield server.server_address[1]
        finally:
            server.shutdown()
            thread.join()
