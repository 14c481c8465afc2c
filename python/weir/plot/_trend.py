"""A measure along the axes of a sampled design: the points, and means of bins of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast

import altair as alt
import polars as pl

from weir.plot import style
from weir.plot._averages import distinct, interval, summary
from weir.plot._cut import Cut, Role, cut, measure_of, thinned
from weir.plot._figure import ROWS, Figure
from weir.plot._parts import (
    GAP,
    Chart,
    Family,
    above_zero,
    caption,
    file_name,
    levels_text,
    tooltips,
    x_axis,
    y_scale,
)
from weir.stats.measures import Measure
from weir.sweep.dimension import VARIANTS, Dimension

DOTS = 2_000
"""Drawn at most, in all panels together."""

BINS = 20
"""At most; fewer where a bin would have few points."""

_PER_BIN = 15

_INDEPENDENT = ("lhs", "sobol")
"""Designs whose points were not made from one another."""


@dataclass(frozen=True)
class _Panel:
    """What is drawn along one axis."""

    rows: pl.DataFrame
    """Dots, then the means of bins."""
    dots: int
    """Drawn."""
    points: int
    """Dots that there are."""
    runs: pl.DataFrame
    """All that count: family, point, run, replication, x, value."""
    left_out: bool
    """Whether not all that is finished is drawn."""


def trend(part: Cut, name: str, axes: Sequence[Dimension]) -> Figure:
    """The measure `name` along each of these axes, a panel for each."""
    measure = measure_of(name)
    panels = [_panel(part, measure, axis, index, len(axes)) for index, axis in enumerate(axes)]
    rows = above_zero(pl.concat([panel.rows for panel in panels], how="diagonal"), measure)
    drawn, there = max(panel.dots for panel in panels), max(panel.points for panel in panels)
    what = axes[0].title if len(axes) == 1 else "every axis"
    runs = panels[0].runs
    n = runs["replication"].n_unique()
    dots = f"Dots are points, means of up to {n} replications" if n > 1 else "Dots are points"
    if drawn < there:
        dots += f"; {drawn:,} of {there:,} are drawn" + (" in each panel" if len(axes) > 1 else "")
    uneven = any(panel.left_out for panel in panels)
    return Figure(
        file_name(measure.name, "trend", axes[0].title if len(axes) == 1 else ""),
        f"{measure.title} along {what}",
        caption(
            measure.definition,
            f"{dots}. Lines join means of bins with equal numbers of points, or of levels; "
            "the other axes vary along with it.",
            _repeats(runs, part),
            _bands(part, rows, several=n > 1),
            "Points are left out whose like is not finished at every level drawn." if uneven else "",
            part.said(but=[d.column for d in part.sweep.dimensions if d.column != VARIANTS]),
        ),
        _chart(part, measure, rows, axes),
        rows,
    )


def _panel(part: Cut, measure: Measure, axis: Dimension, index: int, panels: int) -> _Panel:
    placed = cut(part.sweep, {**part.roles, "x": axis}, part.kept)
    groups: list[Role] = [role for role in placed.roles if role == "family"]
    runs = placed.observed([measure.name]).rename({measure.name: "value"}).drop_nulls("value")
    points = (
        runs.group_by(*groups, "point", "x", maintain_order=True)
        .agg(pl.col("value").mean(), pl.col("run").min())
        .sort("point", *groups)
        # Where sampled levels coincide, there is one dot.
        .unique([*groups, "x", "run"], keep="first", maintain_order=True)
    )
    number = pl.lit(index).alias("axis")
    dots = thinned(points, DOTS // panels)
    place = pl.col("x") if axis.numeric else pl.col("x").cast(pl.String).alias("level")
    shown = dots.select(number, *groups, place, pl.col("value").alias("dot"))
    shows = (number, *groups, "x" if axis.numeric else "level", "mean", "low", "high", "n")
    bins = _bins(runs, points, axis, groups, part).select(shows)
    uneven = placed.common is not None and not placed.common.whole
    return _Panel(pl.concat([shown, bins], how="diagonal"), len(dots), len(points), runs, uneven)


def _bins(
    runs: pl.DataFrame, points: pl.DataFrame, axis: Dimension, groups: Sequence[str], part: Cut
) -> pl.DataFrame:
    """Means of bins: levels where the axis has few, else as many points in each."""
    families = max(1, points.select(groups).n_unique()) if groups else 1
    bins = min(BINS, max(3, len(points) // families // _PER_BIN))
    if points["x"].n_unique() <= max(bins, len(axis.values)):
        points = points.with_columns(pl.col("x").rank("dense").alias("bin"))
    else:
        # Equal values share a rank, so that no level is cut in two.
        rank = pl.col("x").rank("min") - 1
        size = pl.len()
        if groups:
            rank, size = rank.over(groups), size.over(groups)
        points = points.with_columns((rank * bins // size).alias("bin"))
    keys = [*groups, "bin"]
    middle = pl.col("x").first()
    if axis.numeric:
        middle = pl.col("x").log().mean().exp() if axis.log else pl.col("x").mean()
    places = points.group_by(keys).agg(middle.alias("x"))
    # A variant that does not have the axis has the same runs all along it.
    runs = distinct(
        runs.join(
            points.select(*groups, "point", "bin"),
            on=[*groups, "point"],
            how="inner",
            maintain_order="left",
        ),
        keys,
    )
    different = runs.group_by(keys).agg(pl.col("point").n_unique().cast(pl.Int64).alias("points"))
    cells = _means(runs, keys, part).drop("n").join(places, on=keys).join(different, on=keys).sort(keys)
    several = pl.when(pl.col("n") > 1)
    return cells.rename({"points": "n"}).with_columns(
        several.then("low").alias("low"),
        several.then("high").alias("high"),
        pl.col("x").cast(pl.String).alias("level"),
    )


def _means(runs: pl.DataFrame, keys: Sequence[str], part: Cut) -> pl.DataFrame:
    """Of each bin: the mean with its interval over replications, or over the points of one."""
    quantile = part.sweep.quantile
    if runs["replication"].n_unique() > 1:
        # All points share the seeds. What a seed does to all of them is in this interval, and
        # would not be in one over points.
        return interval(runs, keys, "value", quantile)
    points = runs.group_by(*keys, "point", "x").agg(pl.col("value").mean())
    if part.sweep.design not in _INDEPENDENT:
        # Points with this value in common were made from one another: together they count once.
        points = points.group_by(*keys, "x").agg(pl.col("value").mean())
    return summary(points, keys, quantile)


def _chart(part: Cut, measure: Measure, rows: pl.DataFrame, axes: Sequence[Dimension]) -> Chart:
    family = Family.of(part)
    columns = 1 if len(axes) == 1 else 2
    width = (style.WIDTH - GAP * 2 * (columns - 1)) // columns
    height = style.HEIGHT if columns == 1 else 130
    panels = [
        alt.layer(*_layers(part, measure, rows, axis, index, family, chosen=index == 0)).properties(
            width=width, height=height
        )
        for index, axis in enumerate(axes)
    ]
    if len(panels) == 1:
        return panels[0]
    together: Any = alt.concat(*panels, columns=columns, spacing=GAP)
    return cast("alt.ConcatChart", together.resolve_scale(y="shared"))


def _layers(
    part: Cut,
    measure: Measure,
    rows: pl.DataFrame,
    axis: Dimension,
    index: int,
    family: Family,
    *,
    chosen: bool,
) -> list[alt.Chart]:
    here = rows.filter(pl.col("axis") == index)
    base = alt.Chart(ROWS).transform_filter(f"datum.axis == {index}")
    place: tuple[str, str, int | None]
    if axis.numeric:
        places: list[float] = here["x"].drop_nulls().unique().sort().to_list() or [0.0]
        x, place = x_axis(axis, places), ("x:Q", axis.heading, None)
        base = base.encode(x=x)
    else:
        levels = levels_text(axis.values)
        axes = alt.Axis(grid=False, labelAngle=0, labelLimit=90)
        base = base.encode(x=alt.X("level:N", sort=levels, title=axis.heading, axis=axes))
        place = ("level:N", axis.heading, None)
    banded = here["low"].count() > 0
    scale = y_scale(measure)
    mean = alt.Y("mean:Q", title=measure.heading, scale=scale)
    low = alt.Y("low:Q", title=measure.heading, scale=scale)
    colour = family.encodings("color")
    size = 8 if len(rows) > 300 else 14
    # Faint, so that the means can be seen through two thousand of them.
    dots = (
        base.mark_circle(size=size, fillOpacity=0.25)
        .encode(y=alt.Y("dot:Q", title=measure.heading, scale=scale), **colour)
        .transform_filter("isValid(datum.dot)")
    )
    means = base.transform_filter("isValid(datum.mean)")
    tooltip = tooltips(
        part,
        place,
        *((f"{field}:Q", field, measure.decimals) for field in ("mean", "low", "high")),
        ("n:Q", "points", None),
    )
    symbol = means.mark_point(filled=True, size=30 if len(part.sweep.dimensions) == 1 else 16).encode(
        y=mean, tooltip=tooltip, **family.encodings("color", "shape")
    )
    symbol = family.choosable(symbol) if chosen else symbol
    if not axis.numeric:
        bars = means.mark_rule(strokeWidth=1.6).encode(y=low, y2="high:Q", **colour)
        return [dots, *([bars] if banded else []), symbol]
    band = means.mark_area(fillOpacity=0.25).encode(y=low, y2="high:Q", **colour)
    line = means.mark_line(strokeWidth=1.6).encode(y=mean, **family.encodings("color", "strokeDash"))
    return [dots, *([band] if banded else []), line, symbol]


def _bands(part: Cut, rows: pl.DataFrame, *, several: bool) -> str:
    counts = rows["n"].drop_nulls()
    alone = counts.len() > 0 and counts.min() == 1
    if not rows["low"].count():
        if alone and counts.max() == 1:
            return "No bands: no mean is of two different points."
        if several:
            return "No bands: no two replications are finished for all points of a mean."
        return "No bands: one replication, and the points of a level were made from one another."
    said = (
        "Bands are 95% confidence intervals over replications, each averaged over the points of a mean."
        if several
        else "Bands are the spread over points for this one seed, as 95% intervals of these means; what the "
        "seed does to all points alike is not in them."
    )
    if not several and part.sweep.design not in _INDEPENDENT:
        said += " Points made from one another count once."
    if alone:
        said += " There is none where a mean is of one point alone."
    return said


def _repeats(runs: pl.DataFrame, part: Cut) -> str:
    """Of which family how many points are the same runs over again."""
    groups = ["family"] if "family" in part.roles else []
    points = runs.group_by(*groups, "point").agg(pl.col("run").min())
    said: list[str] = []
    for name in part.names("family") if groups else [""]:
        here = points.filter(pl.col("family") == name) if groups else points
        different = here["run"].n_unique()
        if different < len(here):
            said.append(f"{f'{name} has' if name else 'there are'} {different:,} instead of {len(here):,}")
    return f"Points that are the same runs count once: {', '.join(said)}." if said else ""
