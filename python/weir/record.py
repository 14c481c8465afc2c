"""Where a result comes from: enough to run it again and to say what it cost."""

from __future__ import annotations

import platform
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import Any

from weir import _core

FORMAT = 1
"""Of the manifest; grows when a reader of the old one would misread the new."""


@dataclass(frozen=True)
class VariantRecord:
    """One column of a comparison; a single run is a comparison of one."""

    name: str
    label: str
    hash: str
    """Of the scenario's values that differ from their defaults."""


@dataclass(frozen=True)
class Cost:
    """What all runs together took."""

    runs: int
    cpu_s: float
    """CPU time of the simulating threads."""
    wall_s: float
    packets: int
    """Packets that left the measured links in forward direction."""
    events: int

    @property
    def ns_per_packet(self) -> float | None:
        """CPU nanoseconds per packet; None where no packet left."""
        return None if self.packets == 0 else 1e9 * self.cpu_s / self.packets


@dataclass(frozen=True)
class Record:
    """The manifest of a result."""

    scenario: str
    title: str
    variants: tuple[VariantRecord, ...]
    seeds: tuple[int, ...]
    """Replication r of every variant used entry r."""
    margins: dict[str, float]
    """Measure to the largest difference, in its unit, that is called equal."""
    command: str | None
    """The command line, where there was one."""
    started: str
    """ISO 8601, UTC."""
    cost: Cost
    weir: str
    results_version: int
    python: str
    platform: str

    @property
    def replications(self) -> int:
        return len(self.seeds)

    @property
    def labels(self) -> dict[str, str]:
        """Variant name to label, in order."""
        return {variant.name: variant.label for variant in self.variants}

    def to_json(self) -> dict[str, Any]:
        """The manifest as plain values."""
        document: dict[str, Any] = {"format": FORMAT, **asdict(self)}
        document["cost"]["ns_per_packet"] = self.cost.ns_per_packet
        return document

    @classmethod
    def from_json(cls, document: dict[str, Any]) -> Record:
        """The reverse of `to_json`. Raises ValueError for another format."""
        if document.get("format") != FORMAT:
            raise ValueError(
                f"the manifest has format {document.get('format')!r}; "
                f"this version of weir reads format {FORMAT}"
            )
        fields = {key: value for key, value in document.items() if key != "format"}
        cost = {key: value for key, value in fields["cost"].items() if key != "ns_per_packet"}
        fields["cost"] = Cost(**cost)
        fields["variants"] = tuple(VariantRecord(**variant) for variant in fields["variants"])
        fields["seeds"] = tuple(fields["seeds"])
        return cls(**fields)


def record_of(
    scenario: _core.Scenario,
    variants: Sequence[VariantRecord],
    seeds: Sequence[int],
    runs: Sequence[_core.Run],
    wall_s: float,
    margins: Mapping[str, float],
    command: str | None,
) -> Record:
    """The record of runs that have just ended."""
    return Record(
        scenario=scenario.name,
        title=scenario.title or scenario.name,
        variants=tuple(variants),
        seeds=tuple(seeds),
        margins=dict(margins),
        command=command,
        started=datetime.now(UTC).isoformat(timespec="seconds"),
        cost=Cost(
            runs=len(runs),
            cpu_s=sum(run.cpu_s for run in runs),
            wall_s=wall_s,
            packets=sum(run.packets for run in runs),
            events=sum(run.events for run in runs),
        ),
        weir=_core.__version__,
        results_version=_core.results_version,
        python=platform.python_version(),
        platform=platform.platform(),
    )
