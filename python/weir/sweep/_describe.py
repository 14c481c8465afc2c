"""A result in words and numbers: its state, and the tables that are read first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from html import escape
from typing import TYPE_CHECKING

import polars as pl

from weir import _core
from weir.check import units
from weir.run import WHOLE_RUN
from weir.stats import HEADLINE, MEASURES, MEASURES_BY, By, Cell, Grid, analysis, grid_cells, wording
from weir.sweep._dimension import PERIODS, Dimension
from weir.sweep._recorded import MAXIMUM, OPEN

if TYPE_CHECKING:
    from weir.store import Cost
    from weir.sweep._estimated import EstimatedSweep
    from weir.sweep._recorded import RecordedSweep


def state(sweep: RecordedSweep) -> str:
    """State of a result: `18 runs`, `12 of 18 runs; 2 of 6 configurations are not finished`."""
    runs, wanted = sweep.finished["run"].n_unique(), sweep.wanted["run"].n_unique()
    states = sweep.stops["state"].to_list()
    all_, unfinished, unmet = len(states), states.count(OPEN), states.count(MAXIMUM)
    of = f"of {all_:,} configurations"
    parts = [counted(runs, "run") if runs == wanted or sweep.until else f"{runs:,} of {wanted:,} runs"]
    if unfinished:
        parts.append(f"{unfinished:,} {of} are not finished")
    if unmet:
        parts.append(f"{unmet:,} {of} reached {sweep.replications:,} replications before the rule")
    elif sweep.until and not unfinished:
        parts.append("all precise enough")
    if sweep.results_version != _core.results_version:
        parts.append(f"results version {sweep.results_version}, not {_core.results_version}")
    return "; ".join(parts)


def speed(cost: Cost) -> str:
    """Speed in words: `, 190 ns per packet`; empty if no packet left."""
    return f", {1e9 * cost.cpu_s / cost.packets:.0f} ns per packet" if cost.packets else ""


def counted(number: int, what: str) -> str:
    """Number with its noun: `1 run`, `1,000 runs`."""
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def size(count: int) -> str:
    """Number of bytes for people: `340 kB`."""
    return units.scaled(count, ("B", "kB", "MB", "GB"))


def moment(at: datetime | None) -> str:
    """Date and time to the minute, UTC."""
    return "" if at is None else at.isoformat(sep=" ", timespec="minutes").removesuffix("+00:00")


def grids_of(
    sweep: EstimatedSweep, measures: Sequence[str] = HEADLINE, most: int | None = None
) -> list[Grid]:
    """Tables of estimates of these measures, each of at most `most` rows.

    With axes there is one table, with a row per point and variant and a column per measure. Several variants
    have a table per measure, with a row per variant and a column per period. A single variant has one table,
    with a row per measure. If the periods do not differ, the only column is the whole run.
    """
    if sweep.axes:
        return [_configurations_down(sweep, measures, most)]
    axis = analysis.axis_of(sweep.observations())
    chosen = pl.col("period") != WHOLE_RUN if axis else pl.col("period") == WHOLE_RUN
    rows = sweep.estimates(measures).filter(chosen)
    title, columns = "", [""]
    if axis is not None:
        title = f"by {axis.title.lower()}"
        first = rows.partition_by("variant", "measure", maintain_order=True)[0]
        columns = [f"{place:g}" for place in first[axis.column]]
    if len(sweep.variants) == 1:
        parts = rows.partition_by("measure", maintain_order=True)
        lines = [(MEASURES[str(part["measure"][0])].heading, grid_cells(part)) for part in parts]
        return [Grid(title.capitalize() or "Whole run", columns, lines)]
    if axis is None:
        return [Grid("Whole run", [MEASURES[name].heading for name in measures], _of_variants(rows))]
    return [
        Grid(
            f"{MEASURES[name].heading} {title}", columns, _of_variants(rows.filter(pl.col("measure") == name))
        )
        for name in measures
    ]


PART_TITLES: Mapping[By, str] = {"group": "flow group", "class": "class of the queue", "link": "link"}
"""Titles of what a table is divided by."""


def grid_by(sweep: EstimatedSweep, by: By, measures: Sequence[str] = (), most: int | None = None) -> Grid:
    """Table of estimates over the whole run, divided by flow group, class of the queue or link. It has a row
    for each part at every point and variant and a column per measure, at most `most` rows."""
    rows = sweep.estimates(measures or MEASURES_BY[by], by=by).filter(pl.col("period") == WHOLE_RUN)
    # Of variants whose queue has no such class there is nothing to show.
    known = rows.filter((pl.col("n") > 0).any().over("point", "variant", by))
    parts = Dimension(by, PART_TITLES[by], "", numeric=False, log=False, values=tuple(sweep.parts(by)))
    dimensions = [dimension for dimension in sweep.dimensions if dimension.column not in PERIODS] + [parts]
    title = f"Whole run by {', '.join(dimension.title for dimension in dimensions)}"
    measures = rows["measure"].unique(maintain_order=True).to_list()
    at_link = [MEASURES[name].title for name in measures if MEASURES[name].table == "links"]
    if by == "group" and sweep.only_acks and at_link:
        verb = "is that" if len(at_link) == 1 else "are those"
        title += f"; {units.listed(at_link)} of {units.listed(sweep.only_acks)} {verb} of ACKs"
    # The parts of a configuration below each other; each part has its configurations in order.
    order = {
        key: at for at, key in enumerate(rows.select("point", "variant").unique(maintain_order=True).rows())
    }
    tables = sorted(
        known.partition_by("point", "variant", by, maintain_order=True),
        key=lambda part: order[part["point"][0], part["variant"][0]],
    )
    return _table(title, dimensions, tables, measures, most, _bottlenecks(sweep, by, tables, measures))


def _bottlenecks(
    sweep: EstimatedSweep, by: By, parts: Sequence[pl.DataFrame], measures: Sequence[str]
) -> list[str]:
    """Port of which the goodput of each group is a share, if there are several."""
    if by != "group" or "goodput" not in measures:
        return []
    at: dict[tuple[int, str], Mapping[str, str]] = {}
    found: list[str] = []
    for part in parts:
        configuration = part["point"][0], part["variant"][0]
        if configuration not in at:
            at[configuration] = sweep.bottlenecks(*configuration)
        found.append(at[configuration][part["group"][0]])
    return found if len(set(found)) > 1 else []


def html_of(sweep: EstimatedSweep) -> str:
    """HTML that a notebook shows: title and tables."""
    basis = wording.replications(sweep.replications, equal=sweep.is_all_equal).capitalize()
    grids = grids_of(sweep, most=40)
    if sweep.kind in {"run", "live"}:
        grids += [grid_by(sweep, by) for by in sweep.divided_by]
    tables = "".join(_html(grid) for grid in grids)
    return f"<p><strong>{escape(sweep.title)}</strong></p><p>{escape(basis)}</p>{tables}"


def _configurations_down(sweep: EstimatedSweep, measures: Sequence[str], most: int | None) -> Grid:
    rows = sweep.estimates(measures).filter(pl.col("period") == WHOLE_RUN)
    parts = rows.partition_by("point", "variant", maintain_order=True)
    axes = [dimension for dimension in sweep.dimensions if dimension.column not in PERIODS]
    return _table(f"By {', '.join(dimension.title for dimension in axes)}", axes, parts, measures, most)


def _table(
    title: str,
    dimensions: Sequence[Dimension],
    parts: Sequence[pl.DataFrame],
    measures: Sequence[str],
    most: int | None,
    bottlenecks: Sequence[str] = (),
) -> Grid:
    """Table with a row for each part, labelled by its place along the dimensions, of at most `most` rows. The
    first column names the bottlenecks, if they are given."""
    places = [
        [dimension.level(part[dimension.column][0]) for dimension in dimensions] for part in parts[:most]
    ]
    widths = [max((len(place[index]) for place in places), default=0) for index in range(len(dimensions))]
    labels = [
        "  ".join(text.ljust(width) for text, width in zip(place, widths, strict=True)).rstrip()
        for place in places
    ]
    left = f", the first {most} of {len(parts):,} rows" if most and len(parts) > most else ""
    return Grid(
        f"{title}{left}",
        [*(["Bottleneck"] if bottlenecks else []), *(MEASURES[name].heading for name in measures)],
        [
            (label, [*(Cell(name) for name in bottlenecks[at : at + 1]), *grid_cells(part)])
            for at, (label, part) in enumerate(zip(labels, parts[:most], strict=True))
        ],
    )


def _of_variants(rows: pl.DataFrame) -> list[tuple[str, list[Cell]]]:
    parts = rows.partition_by("variant", maintain_order=True)
    return [(str(part["label"][0]), grid_cells(part)) for part in parts]


def _html(grid: Grid) -> str:
    head = "".join(f"<th>{escape(column)}</th>" for column in grid.columns)
    rows = "".join(
        f"<tr><th>{escape(label)}</th>" + "".join(f"<td>{escape(str(cell))}</td>" for cell in cells) + "</tr>"
        for label, cells in grid.rows
    )
    return (
        f"<table><caption>{escape(grid.title)}</caption>"
        f"<thead><tr><td></td>{head}</tr></thead><tbody>{rows}</tbody></table>"
    )
