"""Connections and datagrams that come to a port of the far end go on to a service, as a target says."""

from __future__ import annotations

import asyncio
import socket
import struct
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from ipaddress import IPv6Address, ip_address
from typing import Any

from weir._errors import WeirError
from weir.live._listening import open_ports

_CHUNK_BYTES = 1 << 18
_LARGEST_DATAGRAM = 1 << 16
_CLIENTS = 1024
"""Clients of a port of UDP, at most; beyond it the one that was silent for longest is forgotten."""
_PAUSE_S = 0.05
"""Seconds before a connection that could not be accepted is tried again."""
_LOOPBACK = ("127.0.0.1", "::1")

Address = tuple[str, int]
"""An IP address and a port."""

Target = Callable[[Address | None], Sequence[Address]]
"""Where a connection to an address of the far end goes: the first that answers. None stands for datagrams,
whose address at the far end is not known."""


def to_loopback(port: int) -> Target:
    """A service of this machine, at this port of its loopback."""
    return to_address(*((address, port) for address in _LOOPBACK))


def to_address(*addresses: Address) -> Target:
    """The first of these addresses that answers."""
    return lambda _: addresses


@dataclass(frozen=True)
class Forward:
    """`PORT[:HOSTPORT][/udp]`: a port of the far end, and the port of the loopback that answers."""

    port: int
    host_port: int
    udp: bool = False

    @property
    def place(self) -> tuple[int, bool]:
        """The port of the far end, and true if it is a port of UDP."""
        return self.port, self.udp

    @classmethod
    def parse(cls, text: str) -> Forward:
        """Parses a forward. Raises WeirError."""
        numbered, _, protocol = text.partition("/")
        ports = numbered.split(":")
        is_known = protocol in {"", "udp"} and not text.endswith("/")
        if not is_known or len(ports) > 2 or not all(port.isascii() and port.isdigit() for port in ports):
            raise WeirError(f"{text!r} is not a port", "write --forward PORT, PORT:HOSTPORT or PORT/udp")
        numbers = list(map(_port, ports))
        return cls(numbers[0], numbers[-1], protocol == "udp")


def parsed_ports(text: str) -> list[int]:
    """Parses ports: `80,443`. Raises WeirError."""
    ports = text.replace(" ", "").split(",")
    if not all(port.isascii() and port.isdigit() for port in ports):
        raise WeirError(f"{text!r} are no ports", "write --internet 80,443")
    return sorted({_port(port) for port in ports})


def _port(digits: str) -> int:
    if not 0 < int(digits) < 65536:
        raise WeirError(f"{digits} is not a port", "ports are 1 to 65535")
    return int(digits)


def parsed_forwards(texts: Sequence[str]) -> list[Forward]:
    """Parses forwards. Raises WeirError, also for a port that is named twice."""
    forwards = [Forward.parse(text) for text in texts]
    places = [forward.place for forward in forwards]
    for place in places:
        if places.count(place) > 1:
            raise WeirError(f"port {place[0]} of the far end is forwarded twice", "name each port once")
    return forwards


def listens(forward: Forward) -> bool:
    """Returns true if a program of this machine listens to the port. It does not try a connection, because
    that could be the only one that the program takes."""
    return forward.host_port in open_ports(udp=forward.udp)


class Forwarder:
    """Serves listening sockets, each by its target, in a thread of its own, until `close`."""

    def __init__(self, served: Mapping[socket.socket, Target]) -> None:
        self._served = served
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._run, name="forward", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Ends all connections."""
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()

    def _run(self) -> None:
        loop = self._loop
        tasks = {loop.create_task(self._serve_port(*served)) for served in self._served.items()}
        loop.run_forever()
        rest = tasks | asyncio.all_tasks(loop)
        for task in rest:
            task.cancel()
        loop.run_until_complete(asyncio.gather(*rest, return_exceptions=True))
        loop.close()

    async def _serve_port(self, bound: socket.socket, target: Target) -> None:
        bound.settimeout(0)
        if bound.type == socket.SOCK_DGRAM:
            service, *_ = target(None)
            await _Datagrams(self._loop, bound, service).serve()
        else:
            await self._accept(bound, target)

    async def _accept(self, listener: socket.socket, target: Target) -> None:
        connections: set[asyncio.Task[None]] = set()
        while True:
            try:
                client, _ = await self._loop.sock_accept(listener)
            except OSError:
                # Too many open files: the next ones wait until some are closed.
                await asyncio.sleep(_PAUSE_S)
                continue
            task = self._loop.create_task(self._serve(client, target))
            connections.add(task)
            task.add_done_callback(connections.discard)

    async def _serve(self, client: socket.socket, target: Target) -> None:
        with client:
            client.settimeout(0)
            client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            server = await self._connected(target(local_address(client)))
            if server is None:
                # As a host that refuses: a reset.
                client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                return
            with server:
                try:
                    async with asyncio.TaskGroup() as both:
                        both.create_task(self._copy(client, server))
                        both.create_task(self._copy(server, client))
                except* OSError:
                    pass  # one of them was reset: so are both

    async def _connected(self, addresses: Sequence[Address]) -> socket.socket | None:
        for address in addresses:
            server = socket.socket(_family(address), socket.SOCK_STREAM)
            server.settimeout(0)
            try:
                await self._loop.sock_connect(server, address)
            except OSError:
                server.close()
                continue
            server.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            return server
        return None

    async def _copy(self, source: socket.socket, target: socket.socket) -> None:
        buffer = bytearray(_CHUNK_BYTES)
        view = memoryview(buffer)
        while n := await self._loop.sock_recv_into(source, buffer):
            await self._loop.sock_sendall(target, view[:n])
        target.shutdown(socket.SHUT_WR)


def local_address(connection: socket.socket) -> Address:
    """Address to which a connection was made; one of IPv4 as such, though the socket is of IPv6."""
    host, port, *_ = connection.getsockname()
    address = ip_address(host)
    mapped = address.ipv4_mapped if isinstance(address, IPv6Address) else None
    return str(mapped or address), port


def _family(address: Address) -> socket.AddressFamily:
    return socket.AF_INET6 if ":" in address[0] else socket.AF_INET


class _Datagrams:
    """Forwarding of UDP: each client has a socket of its own towards the service, by which answers find
    back."""

    def __init__(self, loop: asyncio.AbstractEventLoop, bound: socket.socket, service: Address) -> None:
        self._loop = loop
        self._bound = bound
        self._service = service
        self._clients: dict[Any, socket.socket] = {}
        """Address of a client to its socket, the one that was silent for longest first."""

    async def serve(self) -> None:
        """Forwards datagrams until it is cancelled."""
        try:
            while True:
                datagram, client = await self._loop.sock_recvfrom(self._bound, _LARGEST_DATAGRAM)
                with suppress(OSError):
                    self._socket_of(client).send(datagram)
        finally:
            while self._clients:
                self._forget(next(iter(self._clients)))

    def _socket_of(self, client: Any) -> socket.socket:  # noqa: ANN401 - an address of either family
        service = self._clients.pop(client, None)
        if service is None:
            if len(self._clients) == _CLIENTS:
                self._forget(next(iter(self._clients)))
            service = socket.socket(_family(self._service), socket.SOCK_DGRAM)
            service.settimeout(0)
            service.connect(self._service)
            self._loop.add_reader(service, self._answer, service, client)
        self._clients[client] = service
        return service

    def _answer(self, service: socket.socket, client: Any) -> None:  # noqa: ANN401
        # No room, or a port that nobody has opened: datagrams may be lost.
        with suppress(OSError):
            self._bound.sendto(service.recv(_LARGEST_DATAGRAM), client)

    def _forget(self, client: Any) -> None:  # noqa: ANN401
        service = self._clients.pop(client)
        self._loop.remove_reader(service)
        service.close()
