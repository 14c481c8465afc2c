"""The traffic of a capture as a scenario: TOML, and the distribution of sizes as a file beside it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from weir._errors import WeirError
from weir.scenario._toml import to_toml
from weir.traffic._captured import Captured, Values, plain

_STEPS = 2000
"""Different sizes that are written one by one."""

_POINTS = 500
"""Quantiles, by transfers and by bytes, that are written of more."""

_ALIKE = 1.1
"""Round trips whose extremes are this close make one group."""


@dataclass(frozen=True)
class Link:
    """The bottleneck of the scenario, as in its file. Without a rate it is left to the reader."""

    rate: str | None = None
    delay: str | None = None
    """Default: a tenth of the shortest round trip."""
    buffer: str = "1 BDP"


def cdf_of(sizes: Values) -> str:
    """The distribution of sorted sizes in bytes, as `size.cdf` reads it.

    Up to 2000 different sizes are exact steps. Of more, quantiles are interpolated, as many by bytes as by
    transfers: few large transfers carry most bytes.
    """
    unique, counts = np.unique(sizes, return_counts=True)
    if len(unique) <= _STEPS:
        shares = np.cumsum(counts) / len(sizes)
        below = np.concatenate([[0.0], shares[:-1]])
        points = np.column_stack([np.repeat(unique, 2), np.column_stack([below, shares]).ravel()])
    else:
        carried = np.cumsum(sizes) / sizes.sum()
        grid = np.linspace(0.0, 1.0, _POINTS + 1)
        ranks = np.concatenate([grid * (len(sizes) - 1), np.searchsorted(carried, grid[:-1])])
        ranks = np.unique(np.append(ranks, len(sizes) - 1).astype(np.int64))
        points = np.column_stack([sizes[ranks], (ranks + 1) / len(sizes)])
        # Neighbours are a step: the largest transfers have nothing between them.
        after = np.flatnonzero(np.diff(ranks) == 1) + 1
        steps = np.column_stack([points[after, 0], points[after - 1, 1]])
        points = np.insert(points, after, steps, axis=0)
    lines = [f"{size:.0f} {plain(share, 9)}" for size, share in points]
    return "\n".join(["# bytes  share of transfers up to this size", *lines]) + "\n"


def scenario_of(
    found: Captured, *, name: str, cdf: str, link: Link, groups: int = 4, rtt: str | None = None
) -> str:
    """A scenario with the transfers as Poisson arrivals of TCP flows, in groups by round trip.

    `cdf` is the file with the sizes. `rtt` replaces the measured round trips. Streams of datagrams become
    sources of a constant rate. Raises WeirError where there are no transfers, or no round trips.
    """
    if not len(found.sizes):
        raise WeirError(f"{found.file}: no transfer is left", "`weir traffic` says why each is left out")
    if rtt is None and not len(found.rtts):
        raise WeirError(
            f"{found.file}: no round trip can be measured", 'state one for all transfers: --rtt "40 ms"'
        )
    shares = {rtt: 1.0} if rtt is not None else _groups(found.rtts, groups)
    lines = [
        f"# Written by `weir traffic from-pcap` from {to_toml(found.file.name)}:",
        f"# {len(found.sizes):,} transfers in {found.duration:.3g} s, {found.offered / 1e6:.3g} Mbit/s.",
        "# Flows react to the queue: sizes and arrivals are those of the capture, rates are not.",
        "schema = 1",
        f"name = {to_toml(name)}",
        f"title = {to_toml(f'Traffic of {found.file.name}')}",
        f'duration = "{plain(max(found.duration, 1e-3), 6)} s"',
        "",
        *_link(link, next(iter(shares)) if rtt is None else None),
    ]
    for number, (trip, share) in enumerate(shares.items(), 1):
        lines += [
            "",
            f"[flows.transfers-{number}]" if len(shares) > 1 else "[flows.transfers]",
            f"rtt = {to_toml(trip)}",
            f'packet_size = "{_packet_size(found)} B"',
            f'traffic.poisson.rate = "{plain(found.arrival_rate * share, 6)} /s"',
            f"traffic.poisson.size.cdf = {to_toml(cdf)}",
            'tcp.preset = "linux"                    # CUBIC, SACK with RACK, delayed ACKs',
        ]
    return "\n".join([*lines, *_streams(found, rtt or list(shares)[len(shares) // 2])]) + "\n"


def _link(link: Link, shortest: str | None) -> list[str]:
    if link.rate is not None:
        delay = link.delay
        if delay is None:
            delay = "1 ms" if shortest is None else f"{plain(float(shortest.removesuffix(' ms')) / 10)} ms"
        values = {"rate": link.rate, "delay": delay, "buffer": link.buffer}
        return ["[links.bottleneck]", *(f"{key} = {to_toml(value)}" for key, value in values.items())]
    return [
        "# The capture does not say what the link is. State it, or use --rate, --delay and --buffer:",
        "# [links.bottleneck]",
        '# rate = "100 Mbit/s"',
        f"# delay = {to_toml(link.delay or '1 ms')}",
        f"# buffer = {to_toml(link.buffer)}",
    ]


def _groups(rtts: Values, groups: int) -> dict[str, float]:
    """The median of each group of equally many round trips, and its share."""
    low, high = np.quantile(rtts, [0.05, 0.95])
    parts = [rtts] if high <= low * _ALIKE else np.array_split(rtts, min(groups, len(rtts)))
    shares: dict[str, float] = {}
    for part in parts:
        text = f"{plain(float(np.median(part)) * 1e3)} ms"
        shares[text] = shares.get(text, 0.0) + len(part) / len(rtts)
    return shares


def _packet_size(found: Captured) -> int:
    """The largest packet of the transfer in which the middle byte travels."""
    packets, sizes = found.transfers["packet"], found.transfers["bytes"]
    order = np.argsort(packets, kind="stable")
    middle = np.cumsum(sizes[order]) >= sizes.sum() / 2
    return int(np.clip(packets[order][middle][0], 100, 9216))


def _streams(found: Captured, rtt: str) -> list[str]:
    """Datagrams: as many sources of a constant rate as there were on average."""
    streams = found.streams
    octets, seconds = float(streams["bytes"].sum()), float(streams["duration"].sum())
    if not seconds:
        return []
    count = max(round(seconds / found.duration), 1)
    rate = octets * 8 / found.duration / count
    size = round(octets / float(streams["packets"].sum()))
    return [
        "",
        f"[flows.datagrams]                       # {len(streams['bytes']):,} streams; they do not react",
        f"count = {count}",
        f"rtt = {to_toml(rtt)}",
        f'packet_size = "{size} B"',
        f'start_jitter = "{plain(size * 8e3 / rate)} ms"',
        f'traffic.cbr.rate = "{plain(rate / 1e3, 6)} kbit/s"',
    ]
