"""A measure along the axes of a sampled design: means of bins over the points themselves."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

import altair as alt
import polars as pl

from weir.charts import style
from weir.charts.dimension import VARIANTS, Dimension
from weir.charts.figure import ROWS, Figure
from weir.charts.sweep.cut import Cut, Role, cut, measure_of, summary, thinned
from weir.charts.sweep.parts import (
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
from weir.measures import Measure

DOTS = 2_000
"""Drawn at most, in all panels together."""

BINS = 20
"""At most; fewer where a bin would have few points."""

_PER_BIN = 15

_INDEPENDENT = ("lhs", "sobol")
"""Designs whose points were not made from one another."""


def trend(part: Cut, name: str, axes: Sequence[Dimension]) -> Figure:
    """The measure `name` along each of these axes, a panel for each."""
    measure = measure_of(name)
    frames = [_rows(part, measure, axis, index, len(axes)) for index, axis in enumerate(axes)]
    rows = pl.concat([frame for frame, _, _ in frames], how="diagonal")
    drawn, there = max(drawn for _, drawn, _ in frames), max(there for _, _, there in frames)
    rows = above_zero(rows, measure)
    what = axes[0].title if len(axes) == 1 else "every axis"
    n = part.view.replications
    dots = "Dots are points" if n == 1 else f"Dots are points, means of up to {n} replications"
    if drawn < there:
        dots += f"; {drawn:,} of {there:,} are drawn" + (" in each panel" if len(axes) > 1 else "")
    return Figure(
        file_name(measure.name, "trend", axes[0].title if len(axes) == 1 else ""),
        f"{measure.title} along {what}",
        caption(
            measure.definition,
            f"{dots}. Lines join means of bins with equal numbers of points, or of levels; "
            "the other axes vary along with it.",
            _bands(part, rows),
            part.said(but=[d.column for d in part.view.dimensions if d.column != VARIANTS]),
        ),
        _chart(part, measure, rows, axes),
        rows,
    )


def _rows(
    part: Cut, measure: Measure, axis: Dimension, index: int, panels: int
) -> tuple[pl.DataFrame, int, int]:
    """Dots and bins of one panel; how many dots are drawn, and how many there are."""
    placed = cut(part.view, {**part.roles, "x": axis}, part.kept)
    groups: list[Role] = [role for role in placed.roles if role == "family"]
    points = (
        placed.observed([measure.name])
        .group_by(*groups, "point", "x", maintain_order=True)
        .agg(pl.col(measure.name).mean().alias("value"))
        .drop_nulls()
        .sort("point", *groups)
    )
    number = pl.lit(index).alias("axis")
    dots = thinned(points, DOTS // panels)
    place = pl.col("x") if axis.numeric else pl.col("x").cast(pl.String).alias("level")
    shown = dots.select(number, *groups, place, pl.col("value").alias("dot"))
    shows = (number, *groups, "x" if axis.numeric else "level", "mean", "low", "high", "n")
    bins = _bins(points, axis, groups, part).select(shows)
    return pl.concat([shown, bins], how="diagonal"), len(dots), len(points)


def _bins(points: pl.DataFrame, axis: Dimension, groups: Sequence[str], part: Cut) -> pl.DataFrame:
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
    places = points.group_by(keys).agg(middle.alias("x"), pl.len().cast(pl.Int64).alias("points"))
    if part.view.design not in _INDEPENDENT:
        # Points with this value in common were made from one another: together they count once.
        points = points.group_by(*keys, "x").agg(pl.col("value").mean())
    cells = summary(points, keys, part.view.quantile).drop("n").join(places, on=keys).sort(keys)
    return cells.rename({"points": "n"}).with_columns(pl.col("x").cast(pl.String).alias("level"))


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
    symbol = means.mark_point(filled=True, size=30 if len(part.view.dimensions) == 1 else 16).encode(
        y=mean, tooltip=tooltip, **family.encodings("color", "shape")
    )
    symbol = family.choosable(symbol) if chosen else symbol
    if not axis.numeric:
        bars = means.mark_rule(strokeWidth=1.6).encode(y=low, y2="high:Q", **colour)
        return [dots, *([bars] if banded else []), symbol]
    band = means.mark_area(fillOpacity=0.25).encode(y=low, y2="high:Q", **colour)
    line = means.mark_line(strokeWidth=1.6).encode(y=mean, **family.encodings("color", "strokeDash"))
    return [dots, *([band] if banded else []), line, symbol]


def _bands(part: Cut, rows: pl.DataFrame) -> str:
    if not rows["low"].count():
        return "No intervals: the points of a level were made from one another."
    said = "Bands are 95% confidence intervals of these means over the points."
    if part.view.design not in _INDEPENDENT:
        said += " Points made from one another count once."
    return said
