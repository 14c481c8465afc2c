"""Level 3, the closed loop with other TCPs: the same experiment with Reno, SACK and Vegas in ns-2."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from validation.loop import MEASURES, PERIOD_S, USERS, Cell, Values, cells_of, load, rows_as_values, simulate
from validation.places import REFERENCE, rows_of
from weir import _core
from weir.run._batch import OnProgress

SENDERS: dict[str, tuple[str, str]] = {
    "Reno": ("flows.ftp.tcp.recovery", "{ reno = {} }"),
    "Sack1": ("flows.ftp.tcp.recovery", "{ sack = {} }"),
    "Vegas": ("flows.ftp.tcp.congestion", "{ vegas = {} }"),
}
"""ns-2's name and what it is here; the rest is as in wireline.toml."""
SHOWN = (20, 80, 160)
"""Numbers of users in the table."""
OPEN: dict[tuple[str, str, str], frozenset[int]] = {
    ("Vegas", "DropTail", "queue"): frozenset({20, 60}),
    ("Vegas", "DropTail", "loss"): frozenset({80, 100, 120, 140, 160}),
    ("Vegas", "RED(20:80) drop", "queue"): frozenset({120, 140, 160}),
}
"""Sender, queue and measure to the numbers of users at which they miss, and nobody knows why."""


@dataclass(frozen=True)
class Variant:
    """One sender over one queue, in Weir and ns-2."""

    tcp: str
    queue: str
    cells: Mapping[str, list[Cell]]
    """Measure to one per number of users, the last 40 s of each period."""

    @property
    def every(self) -> list[Cell]:
        return [cell for cells in self.cells.values() for cell in cells]

    @property
    def missed(self) -> list[Cell]:
        return [cell for cell in self.every if not cell.holds]

    def is_open(self, cell: Cell) -> bool:
        """Returns true if a miss is named as not explained."""
        return cell.users in OPEN.get((self.tcp, self.queue, cell.measure.name), frozenset())

    @property
    def holds(self) -> bool:
        return all(self.is_open(cell) for cell in self.missed)

    def shown(self, measure: str) -> list[Cell]:
        """Cells for a few numbers of users."""
        return [cell for cell in self.cells[measure] if cell.users in SHOWN]


def variants(seeds: Sequence[int], progress: OnProgress | None = None) -> list[Variant]:
    """Every sender and queue of the reference."""
    recorded = _recorded()
    scenario = load()
    by_label = {variant.label: variant for variant in map(scenario.variant, scenario.variants)}
    scenarios: list[_core.Scenario] = [by_label[queue].replace([SENDERS[tcp]]) for tcp, queue in recorded]
    simulated = simulate(scenarios, seeds, progress)
    return [
        Variant(tcp, queue, cells_of(ours["settled"], theirs))
        for ((tcp, queue), theirs), ours in zip(recorded.items(), simulated, strict=True)
    ]


def _recorded() -> dict[tuple[str, str], Values]:
    """Sender and queue to ns-2's values, the last 40 s of each period."""
    found: defaultdict[tuple[str, str], dict[tuple[int, int], dict[str, str]]] = defaultdict(dict)
    for row in rows_of(REFERENCE / "ns2" / "senders.csv"):
        start, end = int(row["t0"]), int(row["t1"])
        if end - start != PERIOD_S:
            found[row["tcp"], row["label"]][int(row["seed"]), start // PERIOD_S] = row
    return {key: rows_as_values(rows) for key, rows in found.items()}


def context(found: Sequence[Variant]) -> dict[str, object]:
    """Variables of the template."""
    return {
        "tcps": found,
        "tcp_cells": [cell for variant in found for cell in variant.every],
        "tcp_missed": [(variant, cell) for variant in found for cell in variant.missed],
        "tcp_measures": MEASURES,
        "tcp_users": SHOWN,
        "tcp_all_users": USERS,
    }
