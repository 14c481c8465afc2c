"""Estimates as grids of rows and columns, for terminal and report alike."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import polars as pl

from weir import wording
from weir.analysis import Axis, axis_of
from weir.charts.dimension import USERS
from weir.measures import HEADLINE, MEASURES
from weir.tables import WHOLE_RUN

if TYPE_CHECKING:
    from weir.result import Result
    from weir.sweeps.view import Sweep


@dataclass(frozen=True)
class Cell:
    """`20.4` and `±0.3`."""

    mean: str
    interval: str

    def __str__(self) -> str:
        return self.mean + self.interval


@dataclass(frozen=True)
class Grid:
    """A table with a head."""

    title: str
    columns: list[str]
    rows: list[tuple[str, list[Cell]]]


def grids_of(result: Result, measures: Sequence[str] = HEADLINE) -> list[Grid]:
    """What is read first.

    Of several variants, a grid per measure: a row per variant, a column per period. Of one, a
    single grid: a row per measure. Where the periods are alike, one column: the whole run.
    """
    axis = axis_of(result.observations())
    chosen = pl.col("period") != WHOLE_RUN if axis else pl.col("period") == WHOLE_RUN
    rows = result.estimates(measures).filter(chosen)
    if len(result.record.variants) == 1:
        return [_measures_down(rows, axis)]
    if axis is None:
        return [_variants_down(rows)]
    return [_periods_across(rows.filter(pl.col("measure") == name), name, axis) for name in measures]


def grid_of_sweep(sweep: Sweep, measures: Sequence[str], most: int | None = None) -> Grid:
    """A row per point and variant, a column per measure: means over the whole run.

    Of more than `most` rows the first are shown, and the title says so.
    """
    rows = sweep.estimates(measures).filter(pl.col("period") == WHOLE_RUN)
    parts = rows.partition_by("point", "variant", maintain_order=True)
    shown = parts[:most]
    axes = [dimension for dimension in sweep.dimensions if dimension.column != USERS]
    places = [[dimension.level(part[dimension.column][0]) for dimension in axes] for part in shown]
    widths = [max((len(place[index]) for place in places), default=0) for index in range(len(axes))]
    labels = [
        "  ".join(text.ljust(width) for text, width in zip(place, widths, strict=True)).rstrip() or "all"
        for place in places
    ]
    left = f", the first {most} of {len(parts):,} rows" if most and len(parts) > most else ""
    over = ", ".join(dimension.title for dimension in axes)
    return Grid(
        f"{f'By {over}' if over else 'Whole run'}{left}",
        [MEASURES[name].heading for name in measures],
        [(label, _cells(part)) for label, part in zip(labels, shown, strict=True)],
    )


def _measures_down(rows: pl.DataFrame, axis: Axis | None) -> Grid:
    parts = rows.partition_by("measure", maintain_order=True)
    return Grid(
        f"By {axis.title.lower()}" if axis else "Whole run",
        _columns(parts[0], axis),
        [(MEASURES[str(part["measure"][0])].heading, _cells(part)) for part in parts],
    )


def _variants_down(rows: pl.DataFrame) -> Grid:
    parts = rows.partition_by("variant", maintain_order=True)
    return Grid(
        "Whole run",
        [MEASURES[name].heading for name in parts[0]["measure"]],
        [(str(part["label"][0]), _cells(part)) for part in parts],
    )


def _periods_across(rows: pl.DataFrame, name: str, axis: Axis) -> Grid:
    parts = rows.partition_by("variant", maintain_order=True)
    return Grid(
        f"{MEASURES[name].heading} by {axis.title.lower()}",
        _columns(parts[0], axis),
        [(str(part["label"][0]), _cells(part)) for part in parts],
    )


def _columns(rows: pl.DataFrame, axis: Axis | None) -> list[str]:
    return [f"{place:g}" for place in rows[axis.column]] if axis else [""]


def _cells(rows: pl.DataFrame) -> list[Cell]:
    return [
        Cell(
            wording.number(row["mean"], MEASURES[row["measure"]].decimals),
            wording.plus_minus(row["half_width"], MEASURES[row["measure"]].decimals),
        )
        for row in rows.iter_rows(named=True)
    ]
