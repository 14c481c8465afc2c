"""`weir live --internet`: hosts of this machine's own network, and its name server. Their traffic stays on
this machine."""

from __future__ import annotations

import socket
import threading
from collections.abc import Generator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

import pytest
from sessions import Finish, answering_datagrams, finish, live, machine, needs_namespaces, place, python

from weir.live import _internet as internet
from weir.live._forward import Forward, parsed_ports

__all__ = ["finish", "place"]

ASK = """\
import socket, sys
with socket.create_connection((sys.argv[1], int(sys.argv[2])), 10) as connection:
    print(connection.getpeername()[0], connection.recv(100).decode())
"""


@cache
def own_address() -> str | None:
    """An address of this machine beside its loopback. No packet is sent to find it."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asked:
        try:
            asked.connect(("192.0.2.1", 9))
        except OSError:
            return None
        return asked.getsockname()[0]


needs_address = pytest.mark.skipif(own_address() is None, reason="needs an address beside the loopback")


@contextmanager
def greeting(address: str) -> Generator[int]:
    """A service that says to whom it speaks; its port."""
    with socket.create_server((address, 0)) as server:

        def serve() -> None:
            client, _ = server.accept()
            with client:
                client.sendall(b"hello from outside")

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        yield server.getsockname()[1]
        # Nobody may have asked.
        with socket.create_connection(server.getsockname()):
            pass
        thread.join()


@needs_namespaces
@needs_address
@pytest.mark.parametrize("path", [[], ["--veth"]], ids=["usual", "veth"])
def test_a_host_outside_is_reached_at_a_port_that_is_named(finish: Finish, path: list[str]) -> None:
    before = machine()
    with greeting(str(own_address())) as port:
        ask = python(ASK, str(own_address()), str(port))
        ended = finish(live(*path, "--internet", str(port), "--", *ask))
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout == f"{own_address()} hello from outside\n"
    assert machine() == before


@needs_namespaces
@needs_address
def test_other_ports_and_the_loopback_are_not(finish: Finish) -> None:
    with greeting(str(own_address())) as port:
        for host, internet_port in ((str(own_address()), port % 60_000 + 1), ("198.18.0.1", port)):
            ask = python(ASK, host, str(port))
            ended = finish(live("--internet", str(internet_port), "--", *ask))
            assert ended.returncode != 0
            assert "Connection re" in ended.stderr  # refused or reset


NAME = """\
import socket, sys
asked = socket.socket(type=socket.SOCK_DGRAM)
asked.settimeout(10)
server = next(line.split()[1] for line in open("/etc/resolv.conf") if line.startswith("nameserver"))
asked.sendto(b"example", (server, 53))
print(server, asked.recv(100).decode())
"""


@needs_namespaces
def test_names_are_asked_for_at_the_far_end(finish: Finish) -> None:
    """Whoever forwards the port of names himself has named his own server."""
    before = Path("/etc/resolv.conf").read_bytes()
    with answering_datagrams() as port:
        arguments = ("--internet", "80", "--forward", f"53:{port}/udp")
        ended = finish(live(*arguments, "--", *python(NAME)))
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout == "198.18.0.1 answer to example\n"
    assert Path("/etc/resolv.conf").read_bytes() == before


SIX = """\
import socket
try:
    socket.create_connection(("2001:db8::1", 80), 10)
except OSError as error:
    print(error.strerror)
"""


@needs_namespaces
@pytest.mark.skipif(not Path("/proc/sys/net/ipv6").exists(), reason="needs IPv6")
def test_an_address_of_ipv6_is_refused_at_once(finish: Finish) -> None:
    """Programs then try one of IPv4."""
    ended = finish(live("--internet", "80", "--", *python(SIX)))
    assert ended.returncode == 0, ended.stderr
    assert "unreachable" in ended.stdout or "No route" in ended.stdout


def test_the_name_server_is_that_of_the_machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "resolv.conf"
    monkeypatch.setattr(internet, "_RESOLVERS", file)
    assert internet.name_server() == "127.0.0.1"
    file.write_text(
        "# none\nnameserver ::1\nnameserver nonsense\n  nameserver 127.0.0.53\nnameserver 10.0.0.1\n"
    )
    assert internet.name_server() == "127.0.0.53"


def test_what_is_forwarded_stays_forwarded() -> None:
    forwards = {one.place: one for one in [Forward(80, 8080), Forward(53, 5300, udp=True)]}
    assert internet.ports_of([80, 443], forwards) == [(53, False), (443, False)]
    assert internet.ports_of([], forwards) == []
    web = internet.target_of((80, False), [80, 443], forwards)
    assert web(("198.18.0.1", 80)) == (("127.0.0.1", 8080), ("::1", 8080))
    assert web(("192.0.2.1", 80)) == [("192.0.2.1", 80)]
    assert internet.target_of((53, True), [80], forwards)(None) == (("127.0.0.1", 5300), ("::1", 5300))
    assert list(internet.target_of((443, False), [443], forwards)(("198.18.0.1", 443))) == []


def test_ports_are_read() -> None:
    assert parsed_ports("443, 80,80") == [80, 443]
