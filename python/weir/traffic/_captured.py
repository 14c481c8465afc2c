"""Contents of a capture: transfers, streams of datagrams, and what is left out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from weir import _core
from weir._errors import WeirError

Values = NDArray[np.float64]

BEGUN = "beginning not captured"
UNFINISHED = "not over at its end"
LONGER = "longer than the capture"

PAUSE = 1.0
"""Seconds of silence that make a transfer one that is over, or that waits; of a short capture a tenth."""

QUANTILES = (0.1, 0.5, 0.9, 0.99)


@dataclass(frozen=True)
class Other:
    """Transfers left out because they went in the other direction of the link."""

    transfers: int
    bytes: int
    to: str | None
    """Host that received the most bytes in the other direction."""
    hosts: int
    """Number of hosts that received data in the other direction."""


@dataclass(frozen=True)
class Captured:
    """Traffic of a capture. Times are in seconds; sizes are in bytes of IP packets that are counted once."""

    file: Path
    duration: float
    packets: int
    others: int
    """Number of packets of other protocols, fragments, and packets without a whole header."""
    late: int
    """Packets recorded after a packet with a later time. All packets are sorted by time."""
    latest_s: float
    """Greatest delay of a late packet behind the latest time before it, in seconds."""
    copies: int
    """Packets captured a second time, at another interface: each packet counts once."""
    conversations: Mapping[str, tuple[int, int]]
    """TCP, QUIC and other datagrams by name: number of conversations, and bytes in both directions."""
    left_out: Mapping[str, tuple[int, int]]
    """Conversations that are left out, by reason: their number, and bytes in both directions."""
    other: Other
    """Transfers in the other direction of the link."""
    groups: int | None
    """Number of groups of hosts that do not talk to each other, each with a direction of its own; None if
    there is one direction."""
    mixed: bool
    """True if both directions of the link are taken as if they were one."""
    damage: str | None
    """Place where the file is damaged; the packets before it are read."""
    transfers: Mapping[str, Values]
    """Columns start, duration, bytes, packets, packet (the largest), rtt and part (of a round trip; NaN: not
    measured), pause, begun and ended (1, or 0 where the capture lacks the beginning or the end)."""
    streams: Mapping[str, Values]
    """Datagrams without congestion control, in the columns of `transfers`."""

    @property
    def whole(self) -> NDArray[np.bool_]:
        """True for each transfer that was captured from beginning to end."""
        return (self.transfers["begun"] > 0) & (self.transfers["ended"] > 0)

    @property
    def sizes(self) -> Values:
        """Sizes of the whole transfers in bytes, sorted."""
        return np.sort(self.transfers["bytes"][self.whole])

    @property
    def cut(self) -> Mapping[str, tuple[int, int]]:
        """Incomplete transfers by what the capture lacks of them: their number, and the bytes that were
        captured."""
        begun, ended = self.transfers["begun"] > 0, self.transfers["ended"] > 0
        of = {BEGUN: ~begun & ended, UNFINISHED: begun & ~ended, LONGER: ~begun & ~ended}
        return {
            why: (int(cut.sum()), int(self.transfers["bytes"][cut].sum()))
            for why, cut in of.items()
            if cut.any()
        }

    @property
    def rtts(self) -> Values:
        """Measured round trips in seconds, sorted."""
        rtts = self.transfers["rtt"]
        return np.sort(rtts[np.isfinite(rtts)])

    @property
    def arrival_rate(self) -> float:
        """Rate of transfers that began, per second."""
        return float(self.transfers["begun"].sum()) / self.duration

    @property
    def offered(self) -> float:
        """Offered rate of transfers and streams, in bit/s."""
        octets = self.transfers["bytes"].sum() + self.streams["bytes"].sum()
        return 8 * float(octets) / self.duration

    @property
    def share_cut(self) -> float:
        """Fraction of the bytes of all transfers in those whose beginning or end the capture lacks."""
        return sum(octets for _, octets in self.cut.values()) / max(self.transfers["bytes"].sum(), 1.0)

    @property
    def dispersion(self) -> float | None:
        """Variance of the arrivals per interval over their mean: 1 for Poisson arrivals, more for bursts."""
        starts = self.transfers["start"][self.transfers["begun"] > 0]
        bins = min(int(self.duration), len(starts) // 5, 1000)
        if bins < 10:
            return None
        counts, _ = np.histogram(starts, bins, (0.0, self.duration))
        return float(counts.var(ddof=1) / counts.mean())

    def to_json(self) -> dict[str, object]:
        """Returns the contents of the table, for machines."""
        return {
            "file": str(self.file),
            "duration_s": self.duration,
            "packets": self.packets,
            "other_packets": self.others,
            "late_packets": self.late,
            "latest_s": self.latest_s,
            "copies": self.copies,
            "conversations": _counts(self.conversations),
            "left_out": _counts(self.left_out),
            "other_direction": {
                "count": self.other.transfers,
                "bytes": self.other.bytes,
                "to": self.other.to,
            },
            "both_directions": self.mixed,
            "damage": self.damage,
            "transfers": len(self.transfers["bytes"]),
            "transfer_bytes": int(self.transfers["bytes"].sum()),
            "cut": _counts(self.cut),
            "arrivals_per_s": self.arrival_rate,
            "dispersion": self.dispersion,
            "streams": len(self.streams["bytes"]),
            "stream_bytes": int(self.streams["bytes"].sum()),
            "offered_bps": self.offered,
            "size_quantiles": quantiles(self.sizes),
            "rtt_quantiles_s": quantiles(self.rtts),
            "rtts": len(self.rtts),
        }


def read(file: Path, towards: Sequence[str] = ()) -> Captured:
    """The transfers in a pcap or pcapng file, which may be compressed with gzip, in bounded memory.

    What went in the larger direction of the link counts, as in a replay, or what went to the networks:
    `192.0.2.0/24`. Packets are sorted by time. Raises WeirError.
    """
    try:
        found = _core.transfers(file, towards)
    except ValueError as error:
        message, hint = error.args
        raise WeirError(f"{file}: {message}", hint) from None
    columns = {name: np.frombuffer(values) for name, values in found["transfers"].items()}
    is_stream = columns.pop("datagrams") > 0
    return Captured(
        file=file,
        # One packet has none.
        duration=max(found["duration"], 1e-9),
        packets=found["packets"],
        others=found["others"],
        conversations={"TCP": found["tcp"], "QUIC": found["quic"], "other datagrams": found["datagrams"]},
        late=found["late"],
        latest_s=found["latest"],
        copies=found["copies"],
        left_out=found["left_out"],
        other=Other(*found["other_direction"]),
        groups=found["groups"],
        mixed=found["mixed"],
        damage=found["damage"],
        transfers={name: values[~is_stream] for name, values in columns.items()},
        streams={name: values[is_stream] for name, values in columns.items()},
    )


def _counts(pairs: Mapping[str, tuple[int, int]]) -> dict[str, dict[str, int]]:
    return {name: {"count": count, "bytes": octets} for name, (count, octets) in pairs.items()}


def plain(value: float, digits: int = 3) -> str:
    """Number with this many significant digits, without an exponent."""
    return np.format_float_positional(value, digits, unique=False, fractional=False, trim="-")


def quantiles(values: Values) -> dict[str, float]:
    """Quantiles of sorted values, which occur among them, and the maximum; empty for no values."""
    if not len(values):
        return {}
    found = {f"{q:.0%}": float(np.quantile(values, q, method="inverted_cdf")) for q in QUANTILES}
    return {**found, "max": float(values[-1])}
