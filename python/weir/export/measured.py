"""How far what stands in for a discipline is from it: both on the scenario, on common seeds, in pairs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import polars as pl

from weir.export.port import Port
from weir.run.tables import WHOLE_RUN
from weir.scenario.scenario import Variant
from weir.stats import wording
from weir.stats.grid import Cell, Grid, render
from weir.stats.measures import MEASURES
from weir.sweep.execute import unrecorded

if TYPE_CHECKING:
    from weir.sweep.runner import OnProgress

SHOWN = ("mean_queue", "goodput", "loss", "mark_fraction", "delay_mean", "delay_p99")
"""What is compared: the headline measures, marks, and what an operator promises."""


@dataclass(frozen=True)
class Measured:
    """The paired differences."""

    replications: int
    differences: pl.DataFrame
    """One row per measure: the stand-in minus the discipline, as `weir.Sweep.differences` has them."""
    lines: tuple[str, ...]
    """As text."""


def measure(
    port: Port, other: Port, replications: int, threads: int = 0, progress: OnProgress | None = None
) -> Measured:
    """Runs the scenario under the discipline of `port` and under that of `other`."""
    variants = [Variant(one.law, one.law, one.scenario) for one in (port, other)]
    whole = pl.col("period") == WHOLE_RUN
    with unrecorded(port.scenario, variants, replications, threads, progress) as sweep:
        means = sweep.estimates(SHOWN).filter(whole)
        differences = sweep.differences(measures=SHOWN).filter(whole)
        narrowest = sweep.bottleneck
    rows: list[tuple[str, list[str]]] = []
    for row in differences.iter_rows(named=True):
        of = MEASURES[row["measure"]]
        values = [
            means.filter(pl.col("variant") == one.law, pl.col("measure") == of.name)["mean"][0]
            for one in (port, other)
        ]
        change = wording.estimate(row["difference"], row["half_width"], of.decimals)
        rows.append((of.heading, [*(wording.number(v, of.decimals) for v in values), change]))
    lines = _table(port, other, rows, replications)
    if narrowest != port.link:
        lines.append(f"Queue, marks and delay are those of the narrowest link, {narrowest}.")
    return Measured(replications, differences, tuple(lines))


def _table(port: Port, other: Port, rows: list[tuple[str, list[str]]], replications: int) -> list[str]:
    heads = [port.law, other.law, "difference"]
    grid = Grid("", heads, [(name, [Cell(text) for text in texts]) for name, texts in rows])
    said = "differences in pairs" if replications == 1 else "differences in pairs with their 95% intervals"
    runs = f"{replications} replication{'s' * (replications != 1)} with common seeds"
    return [
        f"Measured on this scenario, {runs}; {said}:",
        *render(grid, 100).strip("\n").split("\n"),
    ]
