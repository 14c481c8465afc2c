"""Cost of a run, in words and numbers: packets, time and memory."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

MemoryPart = Literal["flows", "packets", "series", "counts"]
"""Parts of the memory: flows, packets in queues, time series, counts of groups at ports in periods."""

LESS_MEMORY: dict[MemoryPart, str] = {
    "flows": "fewer flows",
    "packets": "a smaller buffer, or shorter delays",
    "series": "a longer measure.series.interval, or fewer of measure.series.flows",
    "counts": "fewer links or groups of flows, or a longer measure.period",
}
"""Part of the memory to what a user can change to need less of it."""


ANY_RUN_B = 49e6
"""Bytes of the first run of a program: threads, tables and the store."""


@dataclass(frozen=True)
class Cost:
    """Estimated cost of one run. Packets and memory are right within a factor of two, the time within
    three."""

    packets: float
    """Packets that arrive at a port with a queue, dropped packets and ACKs included. Each counts at every
    port."""
    cpu_s: float
    """Seconds of one core."""
    memory_bytes: float
    """Bytes besides the program itself, while one run is done at a time."""
    mostly: MemoryPart
    """The part that takes most of the memory."""
    own_bytes: float
    """Bytes that each further run takes at the same time."""

    def __str__(self) -> str:
        """`2.1 million packets, 0.2 s and 60 MB a run`."""
        packets, memory = counted(self.packets), size_words(self.memory_bytes)
        return f"about {packets} packets, {span_words(self.cpu_s)} and {memory} a run"


def counted(number: float) -> str:
    """`2.1 million`, `340,000`, `12`."""
    for unit, word in ((1e12, "trillion"), (1e9, "billion"), (1e6, "million")):
        if number >= unit:
            return f"{_two(number / unit)} {word}"
    return _two(round(number))


def span_words(seconds: float) -> str:
    """`0.2 s`, `3 min`, `12 h`, `40 days`."""
    for unit, word in ((86_400.0, "days"), (3600.0, "h"), (60.0, "min")):
        if seconds >= 2.0 * unit:
            return f"{_two(seconds / unit)} {word}"
    return f"{_two(max(seconds, 0.01))} s"


def size_words(number: float) -> str:
    """`60 MB`, `1.2 GB`."""
    unit, word = next(((u, w) for u, w in ((1e12, "TB"), (1e9, "GB")) if number >= u), (1e6, "MB"))
    return f"{_two(number / unit)} {word}"


def _two(number: float) -> str:
    """Two significant digits, without an exponent."""
    return f"{float(f'{number:.2g}'):,.15g}"
