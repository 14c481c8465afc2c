"""How far what stands in for a discipline is from it: both on the scenario, on common seeds, in pairs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import polars as pl

from weir.export._port import Port
from weir.run._tables import WHOLE_RUN
from weir.scenario._scenario import Variant
from weir.stats import wording
from weir.stats._grid import Cell, Grid, render
from weir.stats._measures import MEASURES
from weir.sweep._runner import unrecorded

if TYPE_CHECKING:
    from weir.sweep._runner import OnProgress

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
    names = [port.discipline, other.discipline]
    variants = [Variant(one.discipline, one.discipline, one.scenario) for one in (port, other)]
    with unrecorded(port.scenario, variants, replications, threads, progress) as sweep:
        whole = pl.col("period") == WHOLE_RUN
        estimates = sweep.estimates(SHOWN).filter(whole)
        differences = sweep.differences(measures=SHOWN).filter(whole)
        bottleneck = sweep.bottleneck
    means = {(row["variant"], row["measure"]): row["mean"] for row in estimates.iter_rows(named=True)}
    rows: list[tuple[str, list[Cell]]] = []
    for row in differences.iter_rows(named=True):
        of = MEASURES[row["measure"]]
        texts = [wording.number(means[name, of.name], of.decimals) for name in names]
        texts.append(wording.estimate(row["difference"], row["half_width"], of.decimals))
        rows.append((of.heading, [Cell(text) for text in texts]))
    runs = f"{replications} replication{'s' * (replications != 1)} with common seeds"
    pairs = "differences in pairs" + " with their 95% intervals" * (replications > 1)
    lines = [
        f"Measured on this scenario, {runs}; {pairs}:",
        *render(Grid("", [*names, "difference"], rows), 100).strip("\n").split("\n"),
    ]
    if bottleneck != port.name:
        lines.append(f"Queue, marks and delay are those of the narrowest link, {bottleneck}.")
    return Measured(replications, differences, tuple(lines))
