"""Level 1, the AQM alone: recorded arrivals through `weir.Queue`, row by row.

A `take` of 0 bytes is the transmitter that finds nothing, with which an idle time begins.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import weir
from validation.places import trace

if TYPE_CHECKING:
    from weir.scenario._toml import Value

TOLERANCE = 1e-12
"""Relative. A power taken at once and one multiplied out differ in their last digits."""

NS2_IDLE: Mapping[str, Value] = {"idle_m": "ns2"}


class Followed:
    """A variable along a trace."""

    def __init__(self) -> None:
        self.count = 0
        """Values compared."""
        self.equal = 0
        """Number of compared values that are equal in every bit."""
        self.largest = 0.0
        """Largest difference."""
        self.relative = 0.0
        """Largest difference as a fraction of ns-2's value."""
        self.total = 0.0
        """Sum of the differences' sizes."""

    def add(self, ours: float, recorded: str) -> None:
        theirs = float(recorded)
        difference = abs(ours - theirs)
        self.count += 1
        self.equal += ours == theirs
        self.total += difference
        self.largest = max(self.largest, difference)
        self.relative = max(self.relative, difference / abs(theirs) if theirs else difference)

    @property
    def mean(self) -> float:
        """Mean size of the differences."""
        return self.total / self.count

    @property
    def holds(self) -> bool:
        return self.count > 0 and self.relative <= TOLERANCE


@dataclass(frozen=True)
class Replay:
    """Outcome of one trace."""

    measure: Followed
    """RED's average or REM's price."""
    probability: Followed
    offered: int
    misjudged: int
    """Packets that one queue had room for and the other not; or a `take` with another outcome."""
    idle: int
    """Idle times."""

    @property
    def holds(self) -> bool:
        return self.measure.holds and self.probability.holds and not self.misjudged


def red(habits: Mapping[str, Value] = NS2_IDLE) -> Replay:
    """RED's average and p_b on red-average.csv. `habits` are the options besides the parameters."""
    about, rows = trace("red-average")
    table: dict[str, Value] = {
        "min_th": f"{about['min_th']} packets",
        "max_th": f"{about['max_th']} packets",
        "max_p": about["max_p"],
        "w_q": about["w_q"],
        "gentle": about["gentle"],
        "spacing": "wait",
        "min_qlen": "1 packet",
        "ns2_old": True,
        "ecn": True,
        # The recorded queue refuses a packet for want of room only.
        "harddrop": False,
        **habits,
    }
    return _replay({"red": table}, about, rows, "average")


def rem() -> Replay:
    """REM's price and probability on rem-price.csv."""
    about, rows = trace("rem-price")
    table: dict[str, Value] = {
        "phi": about["phi"],
        "alpha": about["alpha"],
        "gamma": about["gamma"],
        "target": f"{about['target_packets']} packets",
        "interval": f"{about['period_ns']} ns",
        "ecn": True,
        "mark_at": "departure",
    }
    return _replay({"rem": table}, about, rows, "price")


def _replay(
    aqm: Mapping[str, Value], about: Mapping[str, Any], rows: list[dict[str, str]], name: str
) -> Replay:
    queue = weir.Queue(
        aqm,
        rate=f"{about['rate_bits_per_second']} bit/s",
        buffer=f"{about['buffer_packets']} packets",
        mean_packet=f"{about['mean_packet_bytes']} B",
    )
    measure, probability = Followed(), Followed()
    offered = misjudged = idle = 0
    for row in rows:
        now = int(row["time_ns"]) / 1e9
        if row["event"] == "take":
            taken = queue.take(now)
            idle += taken is None
            misjudged += (0 if taken is None else taken.bytes) != int(row["bytes"])
            continue
        misjudged += len(queue) != int(row["queue"])
        if row["event"] == "offer":
            offer = queue.offer(now, int(row["bytes"]), ecn="ect0")
            offered += 1
            misjudged += (offer.verdict == "dropped") != (row["accepted"] == "0")
        else:
            queue.advance(now)
        if row[name]:
            measure.add(queue[name], row[name])
        if row["probability"]:
            probability.add(queue["probability"], row["probability"])
    return Replay(measure, probability, offered, misjudged, idle)
