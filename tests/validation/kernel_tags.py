"""Runs of Linux in which one thing was otherwise, by the tags of the reference."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from validation.kernel_queues import FRAME, PACKET, Path, Queue


def _same_path(path: Path) -> Path:
    return path


def _same_queue(waits: Queue) -> Queue:
    return waits


@dataclass(frozen=True)
class Tag:
    """One thing that was otherwise."""

    about: str
    path: Callable[[Path], Path] = _same_path
    queue: Callable[[Queue], Queue] = _same_queue
    changes: Sequence[tuple[str, str]] = ()


def _in_frames(path: Path) -> Path:
    """The rate counts frames, so that packets have less of it."""
    mbps = float(path.rate.split()[0]) * PACKET / FRAME
    return replace(path, rate=f"{mbps:.6f} Mbit/s", packet_ms=path.packet_ms * FRAME / PACKET)


def _coarse(waits: Queue) -> Queue:
    """PIE's 15 ms between two updates are two ticks of 10 ms."""
    return replace(waits, aqm=waits.aqm.replace("{ pie = {", '{ pie = { interval = "20 ms",'))


def _two_packets(waits: Queue) -> Queue:
    """A bucket of two packets. A FIFO counts the packet that waits for its time; the bucket holds it here."""
    packets = int(waits.buffer.split()[0]) - (0 if waits.hands_over else 1)
    return replace(waits, hands_over=True, buffer=f"{packets} packets", bucket=2 * PACKET)


def _at_once(waits: Queue) -> Queue:
    """HTB takes a packet when it sends it."""
    return replace(waits, hands_over=False)


TAGS = {
    "": Tag(""),
    "burst3028": Tag("bucket of two packets", queue=_two_packets),
    "htb": Tag("HTB", queue=_at_once),
    "hz100": Tag("clock of 10 ms", queue=_coarse),
    "nohystart": Tag("no HyStart", changes=[("flows.bulk.tcp.congestion.cubic.slow_start", '"standard"')]),
    "tbf10mbit": Tag("10 Mb/s of frames", path=_in_frames),
}
"""Tags that a scenario can tell. It cannot tell `gso`, segmentation offload, and `fallback1`, by which a flow
whose SYN is dropped goes on without ECN."""
