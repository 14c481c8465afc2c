"""The two ends of a measurement: senders with TCP or datagrams, and what takes them.

- live_traffic.py receive PORT RESULT          takes TCP connections; RESULT gets bytes over time
- live_traffic.py send HOST PORT FLOWS STAGGER_S SECONDS CONGESTION
- live_traffic.py echo PORT                    sends datagrams back
- live_traffic.py probe HOST PORT COUNT EVERY_S RESULT
"""

from __future__ import annotations

import json
import select
import signal
import socket
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path

PIECE = 1 << 18
LOOK_S = 0.1
CONNECT_S = 10.0


def receive(port: int, result: Path) -> None:
    """The bytes that have come, ten times a second, until the near end has done its work (SIGTERM)."""
    over: list[int] = []
    signal.signal(signal.SIGTERM, lambda number, _: over.append(number))
    total = 0
    rows: list[tuple[float, int]] = []
    buffer = bytearray(PIECE)
    with socket.create_server(("", port)) as server:
        ready: list[socket.socket] = [server]
        next_look = time.monotonic()
        while not over:
            readable, _, _ = select.select(ready, [], [], LOOK_S)
            for one in readable:
                if one is server:
                    ready.append(server.accept()[0])
                    continue
                size = 0
                with suppress(ConnectionError):
                    size = one.recv_into(buffer)
                total += size
                if size == 0:
                    ready.remove(one)
                    one.close()
            now = time.monotonic()
            if total and now >= next_look:
                rows.append((now, total))
                next_look = now + LOOK_S
    result.write_text(json.dumps(rows), encoding="utf-8")


def send(host: str, port: int, flows: int, stagger_s: float, seconds: float, congestion: str) -> None:
    """Greedy flows, one after the other."""
    until = time.monotonic() + seconds

    def flow(number: int) -> None:
        time.sleep(number * stagger_s)
        with socket.socket() as one:
            one.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, congestion.encode())
            one.settimeout(CONNECT_S)
            one.connect((host, port))
            one.settimeout(0.2)
            piece = bytes(PIECE)
            while time.monotonic() < until:
                with suppress(TimeoutError):
                    one.send(piece)
            # What waits in the socket is not sent any more.
            one.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, (1).to_bytes(4, sys.byteorder) + bytes(4))

    threads = [threading.Thread(target=flow, args=(number,)) for number in range(flows)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def echo(port: int) -> None:
    """Until it is ended."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as one:
        one.bind(("", port))
        while True:
            data, back = one.recvfrom(2048)
            one.sendto(data, back)


def probe(host: str, port: int, count: int, every_s: float, result: Path) -> None:
    """The round trips of some datagrams, in seconds."""
    found: list[float] = []
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as one:
        one.settimeout(1.0)
        for number in range(count):
            time.sleep(every_s)
            began = time.perf_counter()
            one.sendto(number.to_bytes(8, "big"), (host, port))
            with suppress(TimeoutError):
                one.recv(2048)
                found.append(time.perf_counter() - began)
    result.write_text(json.dumps(found), encoding="utf-8")


def main(arguments: list[str]) -> None:
    """One of the four."""
    match arguments:
        case ["receive", port, result]:
            receive(int(port), Path(result))
        case ["send", host, port, flows, stagger_s, seconds, congestion]:
            send(host, int(port), int(flows), float(stagger_s), float(seconds), congestion)
        case ["echo", port]:
            echo(int(port))
        case ["probe", host, port, count, every_s, result]:
            probe(host, int(port), int(count), float(every_s), Path(result))
        case _:
            sys.exit(f"usage:{__doc__}")


if __name__ == "__main__":
    main(sys.argv[1:])
