"""A result in sentences: what was run, and which variant is best on the main measures."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from weir.check import units
from weir.run import WHOLE_RUN
from weir.stats import MEASURES, Measure, analysis, wording
from weir.sweep import Dimension, Sweep, describe, level_text

_OVER = ("variant", "label", "replication", "period")
"""Columns that are equal in the rows that become one: those rows differ in their points."""


def ran(sweep: Sweep, axes: Sequence[Dimension]) -> str:
    """Variants, points, replications and runs of the result, in a sentence."""
    whole = sweep.observations().filter(pl.col("period") == WHOLE_RUN)
    if whole.is_empty():
        return "No run is finished."
    points, runs = whole["point"].n_unique(), whole["run"].n_unique()
    over = (
        f" at {describe.counted(points, 'point')} of {units.listed([axis.title for axis in axes])}"
        if axes
        else ""
    )
    ends = whole["to_s"].unique()
    length = f" of {ends[0]:g} s" if len(ends) == 1 else ""
    variants = describe.counted(len(sweep.labels), "variant")
    seeds = (
        " Replication r has the same seed in all of them." if runs > whole["replication"].n_unique() else ""
    )
    if runs == 1:
        return f"One run{length}."
    return (
        f"{variants}{over}, {describe.counted(whole['replication'].n_unique(), 'replication')}: "
        f"{describe.counted(runs, 'run')}{length}.{seeds}"
    )


def answers(sweep: Sweep, axes: Sequence[Dimension], measures: Sequence[str]) -> list[tuple[str, str]]:
    """Title of each measure and what came out, over the whole run.

    For several variants it is the best and its paired difference from the next. For one it is the value, or
    the least and the largest value with their points.
    """
    whole = sweep.observations().filter(pl.col("period") == WHOLE_RUN)
    if whole.is_empty():
        return []
    of = [MEASURES[name] for name in measures if whole[name].fill_nan(None).count()]
    if len(sweep.labels) == 1:
        return [(one.title, _range(whole, one, axes) if axes else _value(sweep, one)) for one in of]
    return [(one.title, _best(sweep, whole, one, several=bool(axes))) for one in of]


def _value(sweep: Sweep, measure: Measure) -> str:
    found = sweep.estimates([measure.name]).filter(pl.col("period") == WHOLE_RUN).row(0, named=True)
    return _estimate(found["mean"], found["half_width"], measure)


def _estimate(mean: float, half_width: float | None, measure: Measure) -> str:
    unit = measure.unit if measure.unit in {"", "%"} else f" {measure.unit}"
    return f"{wording.estimate(mean, half_width, measure.decimals)}{unit}"


def _range(whole: pl.DataFrame, measure: Measure, axes: Sequence[Dimension]) -> str:
    """Least and largest mean over replications of any point, and its place."""
    columns = [axis.column for axis in axes]
    mean = pl.col(measure.name).fill_nan(None).mean()
    means = whole.group_by("point", *columns, maintain_order=True).agg(mean).drop_nulls(measure.name)
    ends: list[str] = []
    for row in (means.sort(measure.name).row(end, named=True) for end in (0, -1)):
        place = ", ".join(f"{axis.title} {_level(axis, row[axis.column])}" for axis in axes)
        ends.append(f"{_estimate(row[measure.name], None, measure)} at {place}")
    return f"from {ends[0]}, to {ends[1]}."


def _level(axis: Dimension, value: float | str) -> str:
    # Sampled values have sixteen digits.
    return axis.level(float(f"{value:.4g}") if isinstance(value, float) else level_text(value))


def _best(sweep: Sweep, whole: pl.DataFrame, measure: Measure, *, several: bool) -> str:
    """Best variant and its paired difference from the next, over the points that all variants have."""
    name = measure.name
    defined = whole.with_columns(pl.col(name).fill_nan(None)).drop_nulls(name)
    variants = pl.col("variant").n_unique().over("point", "replication")
    common = defined.filter(variants == defined["variant"].n_unique())
    if common["variant"].n_unique() < 2:
        return "not defined for two variants in the same run."
    mean = pl.col(name).mean()
    numbers = (mean, pl.col("from_s", "to_s", "users").first())
    even = _even(common)
    runs = even.group_by(*_OVER, maintain_order=True).agg(*numbers)
    largest = measure.full is not None
    found = analysis.estimates(runs, [name], quantile=sweep.quantile).sort("mean", descending=largest)
    first, second = found.row(0, named=True), found.row(1, named=True)
    pairs = analysis.differences(runs, first["variant"], [name]).filter(
        pl.col("variant") == second["variant"]
    )
    value = _estimate(first["mean"], first["half_width"], measure)
    if (
        common.group_by("point", "replication", maintain_order=True).agg(pl.col(name).n_unique())[name].max()
        == 1
    ):
        return f"{value} with every variant, the same in every pair."
    said = f"{'highest' if largest else 'lowest'} with {first['label']}, {value}"
    if several:
        at = common.group_by("point", "variant", maintain_order=True).agg(mean)
        winners = at.sort(name, descending=largest).unique("point", keep="first", maintain_order=True)
        won = len(winners.filter(pl.col("variant") == first["variant"]))
        over, points = even["point"].n_unique(), whole["point"].n_unique()
        said += f" over {'all' if over == points else f'{over:,} of {points:,}'} points"
        said += f", and at {won:,} of {len(winners):,} points by themselves"
    return f"{said}. Next is {second['label']}: {wording.relation(pairs.row(0, named=True))}."


def _even(rows: pl.DataFrame) -> pl.DataFrame:
    """The rows of replications that have as many points as any, at the points that all of these have: else a
    rule for stopping, which gives some points more replications, would give these points more weight."""
    points = pl.col("point").n_unique().over("replication")
    full = rows.filter(points == points.max())
    shared = pl.col("replication").n_unique().over("point") == full["replication"].n_unique()
    return full.filter(shared)
