"""Draws what pairing by seed is worth: `python tools/paired.py docs/images/paired-differences.svg`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import polars as pl

import weir
from weir.cli import templates
from weir.plot import Curve, Facet, Plot, draw, save

TEMPLATE, PAIR, MEASURE, RUNS = "isp", ("adaptive-red", "pie"), "rtt_mean", 10
"""The example of docs/explanation/statistics.md."""


def compared() -> weir.Sweep:
    """The two variants on the same seeds."""
    scenario = weir.Scenario.loads(templates()[TEMPLATE])
    return scenario.compare(variants=list(PAIR), replications=RUNS)


def by_seed(sweep: weir.Sweep) -> list[list[float]]:
    """The measure of each variant, replication by replication."""
    rows = sweep.observations().filter(pl.col("period") == -1).sort("replication")
    return [rows.filter(pl.col("variant").cast(pl.String) == name)[MEASURE].to_list() for name in PAIR]


def plot(sweep: weir.Sweep) -> Plot:
    """Left the values of both variants, right their differences; at the right end of each the mean."""
    values = by_seed(sweep)
    means = sweep.estimates([MEASURE])
    (gap,) = sweep.differences(measures=[MEASURE]).iter_rows(named=True)
    seeds = [float(seed) for seed in range(1, RUNS + 1)]
    left: list[Curve] = []
    for place, name in enumerate(PAIR):
        row = means.row(by_predicate=pl.col("variant") == name, named=True)
        left += [
            Curve(row["label"], seeds, values[place], kind="dot"),
            _mean(row["label"], "mean", row, place),
        ]
    differences = [two - one for one, two in zip(*values, strict=True)]
    name = f"{gap['label']} less {left[0].label}"
    right = [Curve(name, seeds, differences, kind="dot"), _mean(name, "difference", gap, 0)]
    return Plot(
        "paired-differences",
        "The same ten seeds, alone and in pairs",
        "Right of the ten seeds: the mean with its 95% interval.",
        "Seed; then the mean",
        [
            Facet("Each variant", "Mean round trip (ms)", left, zero=False),
            Facet("Difference, seed by seed", "Difference (ms)", right, top=3.5),
        ],
        ticks=[1.0, 5.0, 10.0],
    )


def _mean(label: str, column: str, row: dict[str, Any], place: int) -> Curve:
    """A mean with its interval as a short band behind the seeds."""
    at = [RUNS + 1.5 + 1.5 * place, RUNS + 2.5 + 1.5 * place]
    y, low, high = ([float(row[name])] * 2 for name in (column, "low", "high"))
    return Curve(label, at, y, low, high)


def main() -> None:
    """Writes the picture."""
    save(draw(plot(compared())), Path(sys.argv[1]), caption=False)


if __name__ == "__main__":
    main()
