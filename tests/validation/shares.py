"""The picture of BBR: its share beside CUBIC over the buffer, with the recorded mixes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from validation.bbr import Run, reference
from validation.combinations import STAGGERS
from validation.kernel_queues import BUFFERS, LINKS
from validation.l4s import simulate
from weir.plot import Curve, Facet, Plot, draw, save
from weir.run._batch import OnProgress
from weir.stats._intervals import Interval, mean_interval

NAME = "validation-bbr.svg"

VERSIONS = {"bbr1": "BBRv1", "bbr3": "BBRv3"}
ON = ("A", "B", "C")
"""Links on which Linux ran one flow beside another."""

Place = tuple[str, str, float]
"""Link, version and buffer."""


@dataclass(frozen=True)
class Shares:
    """Share of one BBR flow beside one of CUBIC, % of what both have."""

    weir: Mapping[Place, Interval]
    """Mean over the seeds."""
    linux: Mapping[Place, list[float]]
    """Share in each run."""


def shares(progress: OnProgress | None = None) -> Shares:
    """The shares in Weir, over all buffers, and in Linux, where they were recorded."""
    mixes = [_mix(*place) for place in _places()]
    found = simulate(mixes, [len(STAGGERS)] * len(mixes), progress=progress)
    return Shares(
        {
            place: mean_interval(np.array([_share(ratio) for ratio in values["ratio"]]))
            for place, values in zip(_places(), found, strict=True)
        },
        dict(recorded()),
    )


def _places() -> list[Place]:
    return [(link, version, buffer) for link in ON for version in VERSIONS for buffer in BUFFERS]


def _mix(link: str, version: str, buffer: float) -> Run:
    return Run(f"pfifo_{buffer:g}bdp", link, f"{version}:1+cubic:1", 2)


def _share(ratio: float) -> float:
    return 100.0 * ratio / (1.0 + ratio)


def recorded() -> Iterator[tuple[Place, list[float]]]:
    """The share in each run of Linux, where it ran."""
    rows = reference()
    for place in _places():
        if _mix(*place) in rows:
            yield place, [_share(float(row["ratio_g1_g2"])) for row in rows[_mix(*place)]]


def plot(found: Shares) -> Plot:
    """One panel for each link."""
    facets: list[Facet] = []
    for link in ON:
        path = LINKS[link]
        curves = [_ours(found, link, version) for version in VERSIONS]
        curves += [_linux(found, link, version) for version in VERSIONS]
        title = f"{link}: {path.rate.replace('Mbit', 'Mb')}, {path.rtt_ms} ms"
        drawn = [curve for curve in curves if curve.x]
        facets.append(Facet(title, "Share of BBR (%)", drawn, [(50.0, "equal")], top=100.0))
    return Plot(
        "validation-bbr",
        "One flow of BBR beside one of CUBIC",
        "Bands: 95% intervals over seeds. Points without a line: single runs of Linux.",
        "Buffer (bandwidth-delay products)",
        facets,
        columns=3,
        log_x=True,
        ticks=BUFFERS,
    )


def _ours(found: Shares, link: str, version: str) -> Curve:
    """Means over the seeds with their intervals."""
    means = [found.weir[link, version, buffer] for buffer in BUFFERS]
    ends = [(one.mean - (one.half_width or 0.0), one.mean + (one.half_width or 0.0)) for one in means]
    return Curve(
        VERSIONS[version],
        BUFFERS,
        [one.mean for one in means],
        [max(0.0, low) for low, _ in ends],
        [min(100.0, high) for _, high in ends],
    )


def _linux(found: Shares, link: str, version: str) -> Curve:
    """Every run of Linux."""
    points = [(at, share) for at in BUFFERS for share in found.linux.get((link, version, at), [])]
    return Curve(f"{VERSIONS[version]}, Linux", [x for x, _ in points], [y for _, y in points], kind="dot")


def write(found: Shares, path: Path) -> None:
    """Writes the SVG."""
    path.parent.mkdir(parents=True, exist_ok=True)
    save(draw(plot(found)), path, caption=False)
