"""The report of a sweep: one HTML page that needs nothing but itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from weir import wording
from weir.charts.dimension import USERS, VARIANTS, Dimension, SweepData, plain
from weir.charts.figure import Panel
from weir.charts.render import render
from weir.charts.sweep import panels_of
from weir.charts.sweep.once import Once
from weir.measures import HEADLINE, MEASURES
from weir.report.page import page
from weir.tables import WHOLE_RUN

ROWS = 40
"""Of the table; who wants all of them wants a data frame."""

LEVELS = 12
"""Of an axis, listed one by one."""

DESIGNS: Mapping[str, str] = {
    "grid": "a grid: every combination of the levels",
    "lhs": "a Latin hypercube",
    "sobol": "a scrambled Sobol sequence",
    "morris": "trajectories for elementary effects after Morris",
    "saltelli": "Saltelli's points for Sobol indices",
}


def write_sweep_report(view: SweepData, directory: Path) -> None:
    """Writes `figures/` and `report.html` into an existing directory."""
    once = Once(view)
    panels = panels_of(once)
    drawn = directory / "figures"
    drawn.mkdir()
    script = render(
        {figure.name: figure.specification for panel in panels for figure in panel.figures}, drawn
    )
    (directory / "report.html").write_text(sweep_html(once, panels, script), encoding="utf-8")


def sweep_html(view: SweepData, panels: Sequence[Panel], script: str) -> str:
    """The page. `script` defines `vegaEmbed`."""
    return page(
        "sweep.html.jinja",
        view.title,
        view.facts,
        panels,
        script,
        name=view.name,
        design=DESIGNS[view.design],
        axes=[_axis(view, dimension) for dimension in view.dimensions],
        table=_table(view),
        measures=MEASURES.values(),
        origin=view.origin,
        command=view.command,
        resolved=view.resolved,
    )


@dataclass(frozen=True)
class _Axis:
    """What varied, in words."""

    title: str
    path: str
    unit: str
    values: str


@dataclass(frozen=True)
class _Table:
    """The headline measures over the whole run, a row per point and variant."""

    head: list[str]
    measures: list[str]
    rows: list[tuple[list[str], list[tuple[str, str]]]]
    """The place of each, then means and their intervals."""
    left_out: int
    basis: str


def _axis(view: SweepData, dimension: Dimension) -> _Axis:
    path = "" if dimension.column in {VARIANTS, USERS} else dimension.column
    return _Axis(dimension.title, path, dimension.unit, _values(view, dimension))


def _values(view: SweepData, dimension: Dimension) -> str:
    levels = [plain(level) for level in dimension.values]
    if len(levels) > LEVELS:
        return f"{', '.join(levels[: LEVELS - 2])}, … {levels[-1]} ({len(levels):,} levels)"
    if levels:
        return ", ".join(levels)
    drawn = view.observations()[dimension.column]
    low, high = drawn.min(), drawn.max()
    if isinstance(low, float) and isinstance(high, float):
        return f"{low:.4g} to {high:.4g}{', by factors' if dimension.log else ''}"
    return "sampled"


def _basis(counts: pl.Series) -> str:
    """What the numbers of the table are made of."""
    least, most = int(counts.min() or 0), int(counts.max() or 0)  # type: ignore[arg-type]
    if least == most:
        return wording.replications(most)
    return f"mean ± 95% interval of {least} to {most} replications"


def _table(view: SweepData) -> _Table:
    axes = [d for d in view.dimensions if d.column not in {USERS, VARIANTS}]
    several = len(view.labels) > 1
    whole = view.estimates(HEADLINE).filter(pl.col("period") == WHOLE_RUN)
    cells = whole.unique(["point", "variant"], maintain_order=True)
    shown = cells.head(ROWS).select("point", "variant")
    rows: list[tuple[list[str], list[tuple[str, str]]]] = []
    kept = whole.join(shown, on=["point", "variant"], how="semi", maintain_order="left")
    for part in kept.partition_by("point", "variant", maintain_order=True):
        first = part.row(0, named=True)
        place = [_cell(axis, first[axis.column]) for axis in axes]
        if several:
            place.append(str(first["label"]))
        numbers = {row["measure"]: row for row in part.iter_rows(named=True)}
        estimates = [
            (
                wording.number(numbers[name]["mean"], MEASURES[name].decimals),
                wording.plus_minus(numbers[name]["half_width"], MEASURES[name].decimals),
            )
            for name in HEADLINE
        ]
        rows.append((place, estimates))
    head = [axis.heading for axis in axes] + (["Variant"] if several else [])
    return _Table(
        head, [MEASURES[name].heading for name in HEADLINE], rows, len(cells) - len(shown), _basis(whole["n"])
    )


def _cell(axis: Dimension, value: float | str) -> str:
    # Sampled values have sixteen digits, of which a table needs four.
    return f"{value:.4g}" if axis.numeric and not axis.values else plain(value)
