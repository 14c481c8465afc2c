"""The traffic of a capture as a scenario: TOML, and beside it a list of transfers, or their sizes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from weir._errors import WeirError
from weir.scenario import to_toml
from weir.traffic._captured import BEGUN, LONGER, UNFINISHED, Captured, Values, plain
from weir.traffic._comments import comments
from weir.traffic._plan import Indices, plan, round_trips

_STEPS = 2000
"""Maximum number of different sizes that are written one by one."""

_POINTS = 500
"""Number of quantiles, by transfers and by bytes, if there are more sizes."""

_ALIKE = 1.1
"""Ratio of the extremes up to which round trips make one group."""


_MOST = 100
"""Maximum number of flows with data without end that are written one by one."""

Parts = Sequence[tuple[str, Indices]]
"""Groups of flows: the round trip, and the places of the transfers."""

_TCP = 'tcp.preset = "linux"                    # CUBIC, SACK with RACK, delayed ACKs'


@dataclass(frozen=True)
class Link:
    """Bottleneck of the scenario, as in its file. Without a rate it is left to the reader."""

    rate: str | None = None
    delay: str | None = None
    """Propagation delay; by default a tenth of the shortest round trip."""
    buffer: str = "1 BDP"


def cdf_of(sizes: Values) -> str:
    """Distribution of sorted sizes in bytes, as `size.cdf` reads it.

    Up to 2000 different sizes are exact steps. For more sizes, quantiles are interpolated, as many by bytes
    as by transfers: few large transfers carry most bytes.
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


@dataclass(frozen=True)
class Written:
    """Scenario and the files that lie beside it."""

    text: str
    beside: Mapping[str, str]
    """Contents of files beside it, by suffix: `.csv` lists the transfers that come one by one, `.cdf` has the
    sizes of those that are drawn."""


def scenario_of(
    found: Captured, *, name: str, file: str, link: Link, groups: int = 4, rtt: str | None = None
) -> Written:
    """A scenario with the transfers of a capture as TCP flows in groups by round trip, by their `plan`.

    `file` is its name without a suffix. `rtt` replaces the measured round trips. Streams of datagrams become
    sources of a constant rate. Raises WeirError where there is neither, or no round trip.
    """
    if not len(found.transfers["bytes"]) and not len(found.streams["bytes"]):
        raise WeirError(f"{found.file}: no transfer is left", "`weir traffic` says why each is left out")
    trips = round_trips(found)
    if rtt is None and len(trips) and not np.isfinite(trips).all():
        raise WeirError(
            f"{found.file}: no round trip can be measured", 'state one for all transfers: --rtt "40 ms"'
        )

    def parts(which: Indices) -> Parts:
        return _by_round_trip(which, trips, groups) if rtt is None else [(rtt, which)]

    how = plan(found)
    shortest = None if rtt is not None or not len(trips) else float(trips.min())
    # Datagrams do not react: their round trip changes nothing in the queue.
    middle = rtt or (_milliseconds(float(np.median(trips))) if len(trips) else "40 ms")
    lines = [
        *comments(found, how, known_rtt=rtt is not None),
        "schema = 1",
        f"name = {to_toml(name)}",
        f"title = {to_toml(f'Traffic of {found.file.name}')}",
        f'duration = "{plain(max(found.duration, 1e-3), 6)} s"',
        *(['measure.warm_up = "0 s"                 # all of the capture counts'] if len(how.single) else []),
        "",
        *_link(link, shortest),
    ]
    beside: dict[str, str] = {}
    if len(how.endless):
        one_by_one = [(rtt or _milliseconds(float(trips[at])), np.array([at])) for at in how.endless]
        lines += _endless(found, one_by_one if len(one_by_one) <= _MOST else parts(how.endless))
    if len(how.single):
        rows, beside[".csv"] = _listed(found, parts(how.single), f"{file}.csv")
        lines += rows
    if len(how.drawn):
        beside[".cdf"] = cdf_of(np.sort(found.transfers["bytes"][how.drawn]))
        lines += _drawn(found, parts(how.drawn), f"{file}.cdf")
    return Written("\n".join([*lines, *_streams(found, middle)]) + "\n", beside)


def _endless(found: Captured, parts: Parts) -> list[str]:
    """Flows with data without end, from the start of each transfer on."""
    lines: list[str] = []
    for number, (trip, part) in enumerate(parts, 1):
        starts = found.transfers["start"][part]
        first, last = float(starts.min()), float(starts.max())
        seen = float(found.transfers["bytes"][part].sum())
        lines += [
            "",
            f"[flows.bulk{_number(number, parts)}]  # {seen / 1e6:.3g} MB were seen",
            *([f"count = {len(part)}"] if len(part) > 1 else []),
            f"rtt = {to_toml(trip)}",
            *([f'start = "{_seconds(first)}"'] if first >= 1e-6 else []),
            *([f'start_jitter = "{_seconds(last - first)}"'] if last > first else []),
            f'packet_size = "{_packet_size(found, part)} B"',
            _TCP,
        ]
    return lines


def _listed(found: Captured, parts: Parts, file: str) -> tuple[list[str], str]:
    """Flows of single transfers from a list: groups of flows, and the list."""
    columns = found.transfers
    lines: list[str] = []
    rows: list[tuple[float, str]] = []
    for number, (trip, part) in enumerate(parts, 1):
        name = f"listed{_number(number, parts)}"
        lines += [
            "",
            f"[flows.{name}]",
            f"rtt = {to_toml(trip)}",
            f'packet_size = "{_packet_size(found, part)} B"',
            f"traffic.list.file = {to_toml(file)}",
            _TCP,
        ]
        for at in part:
            begun, ended = columns["begun"][at] > 0, columns["ended"][at] > 0
            cut = "whole" if begun and ended else BEGUN if ended else UNFINISHED if begun else LONGER
            start = float(columns["start"][at])
            rows.append((start, f"{start:.6f},{columns['bytes'][at]:.0f},{name},{cut}"))
    return lines, "\n".join(["start,size,group,capture", *(row for _, row in sorted(rows))]) + "\n"


def _drawn(found: Captured, parts: Parts, file: str) -> list[str]:
    """Flows that arrive as a Poisson process."""
    drawn = np.concatenate([part for _, part in parts])
    lines: list[str] = []
    for number, (trip, part) in enumerate(parts, 1):
        lines += [
            "",
            f"[flows.transfers{_number(number, parts)}]",
            f"rtt = {to_toml(trip)}",
            f'packet_size = "{_packet_size(found, drawn)} B"',
            f'traffic.poisson.rate = "{plain(len(part) / found.duration, 6)} /s"',
            f"traffic.poisson.size.cdf = {to_toml(file)}",
            _TCP,
        ]
    return lines


def _number(number: int, parts: Parts) -> str:
    return f"-{number}" if len(parts) > 1 else ""


def _milliseconds(seconds: float) -> str:
    return f"{plain(seconds * 1e3)} ms"


def _seconds(seconds: float) -> str:
    """Seconds as text, to the microsecond."""
    return f"{seconds:.6f}".rstrip("0").rstrip(".") + " s"


def _link(link: Link, shortest: float | None) -> list[str]:
    if link.rate is not None:
        delay = link.delay
        if delay is None:
            delay = "1 ms" if shortest is None else _milliseconds(shortest / 10)
        values = {"rate": link.rate, "delay": delay, "buffer": link.buffer}
        return ["[links.bottleneck]", *(f"{key} = {to_toml(value)}" for key, value in values.items())]
    return [
        "# The capture does not say what the link is. State it, or use --rate, --delay and --buffer:",
        "# [links.bottleneck]",
        '# rate = "100 Mbit/s"',
        f"# delay = {to_toml(link.delay or '1 ms')}",
        f"# buffer = {to_toml(link.buffer)}",
    ]


def _by_round_trip(which: Indices, trips: Values, groups: int) -> Parts:
    """Groups of equally many transfers, by the median of their round trips; equal ones make one group."""
    order = which[np.argsort(trips[which], kind="stable")]
    low, high = np.quantile(trips[order], [0.05, 0.95])
    parts = [order] if high <= low * _ALIKE else np.array_split(order, min(groups, len(order)))
    found: dict[str, Indices] = {}
    for part in parts:
        trip = _milliseconds(float(np.median(trips[part])))
        found[trip] = np.concatenate([found[trip], part]) if trip in found else part
    return list(found.items())


def _packet_size(found: Captured, which: Indices) -> int:
    """Size of the largest packet of the transfer in which the middle byte travels."""
    packets, sizes = found.transfers["packet"][which], found.transfers["bytes"][which]
    order = np.argsort(packets, kind="stable")
    middle = np.cumsum(sizes[order]) >= sizes.sum() / 2
    return int(np.clip(packets[order][middle][0], 100, 9216))


def _streams(found: Captured, rtt: str) -> list[str]:
    """Datagrams as sources of a constant rate, as many as there were on average."""
    streams = found.streams
    octets, seconds = float(streams["bytes"].sum()), float(streams["duration"].sum())
    if not octets:
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
