"""A measure along axes: means with bands over levels, and of bins of a sampled design."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

import altair as alt
import polars as pl

from weir import _core
from weir.check import Resolved
from weir.plot import _chart as chart
from weir.plot import _style as style
from weir.plot._averages import distinct, interval, summary
from weir.plot._cut import Cut, Where, kind, measure_of, thinned
from weir.plot._figure import Figure
from weir.stats import Measure
from weir.sweep import TIME, VARIANTS, ChartError, Dimension, Sweep, find_dimension, level_text

_SWEEP = "sweep an axis: weir sweep SCENARIO --axis PATH=VALUES"


@kind
def lines(
    sweep: Sweep,
    measure: str | None = None,
    *,
    x: str | None = None,
    family: str | None = None,
    facet: str | None = None,
    where: Where | None = None,
) -> Figure:
    """Curves of a measure over one dimension with bands; colours by a second, panels by a third.

    Raises ChartError where nothing varies in steps, and for a measure or a dimension that is not there.

    Example:
        >>> drawn = weir.plot.lines(result, "utilisation", x="users")
        >>> drawn.title, drawn.rows.filter(family="REM mark")["x"].to_list()
        ('Utilisation against users', [2.0, 4.0])
    """
    of, cut = measure_of(measure), Cut.of(sweep, where)
    cut = cut.place("x", x, [*cut.levelled, *cut.spans, *cut.variants])
    along = cut.roles.get("x")
    if along is None or not along.values:
        hint = "draw a trend" if cut.axes else _SWEEP
        raise ChartError("a line needs levels to go through, and nothing varies in steps", hint)
    cut = cut.place("family", family, [*cut.variants, *cut.levelled, *cut.spans])
    cut = cut.place("facet", facet, cut.faceting).light("x")
    rows = chart.above_zero(cut.estimates([of.name]).drop("measure").drop_nulls("mean"), of)
    rows = rows.sort("x", *(role for role in ("family", "facet") if role in cut.roles))
    if not along.numeric:
        rows = rows.with_columns(pl.col("x").cast(pl.String))
    what = "variant" if along.column == VARIANTS else along.title
    return Figure(
        chart.file_name(of.name, "by", what),
        f"{of.title} {'against' if along.numeric else 'by'} {what}",
        chart.caption(
            of.definition,
            chart.intervals(rows, "Bands are" if along.numeric else "Bars are"),
            "A period stands at its beginning." if along.column == TIME else "",
            cut.said(),
        ),
        chart.faceted(cut, [*_layers(cut, of, rows), *_targets(cut, of)]),
        rows,
    )


def _layers(cut: Cut, measure: Measure, rows: pl.DataFrame) -> list[alt.Chart]:
    along, y, look = cut.roles["x"], chart.y_side(measure), chart.families(cut)
    if along.numeric:
        places: list[float] = rows["x"].unique().sort().to_list() or [float(v) for v in along.values]
        pen = chart.Pen(chart.x_side(along, places), y, look)
        # Symbols on many levels would hide the line.
        size = 42 if len(places) <= 25 else 14
        return _drawn(pen, cut, measure, rows, ("x:Q", along.heading), "replications", size)
    levels = [level_text(level) for level in cut.levels("x")]
    angle = 0 if max(map(len, levels), default=0) * len(levels) * 6 <= style.WIDTH else -40
    axis = {"grid": False, "labelAngle": angle, "labelLimit": 140, "labelOverlap": False}
    title = None if along.column == VARIANTS else along.heading
    pen = chart.Pen(chart.side("x", title, "N", axis=axis, sort=levels), y, look)
    if "family" in cut.roles:
        pen = pen.encode(xOffset=alt.XOffset("family:N", sort=cut.names("family")))
    return _drawn(pen, cut, measure, rows, ("x:N", along.title), "replications", 50)


def _drawn(
    pen: chart.Pen,
    cut: Cut,
    measure: Measure,
    rows: pl.DataFrame,
    place: tuple[str, str],
    counted: str,
    size: int,
    *,
    band: float = 0.18,
    choose: bool = True,
) -> list[alt.Chart]:
    """Means with intervals along a column: lines and bands over numbers, symbols and bars over names."""
    x, _, kind = place[0].partition(":")
    layers: list[alt.Chart] = []
    if rows["low"].count():
        mark: dict[str, Any] = {"fillOpacity": band} if kind == "Q" else {"strokeWidth": 1.6}
        layers.append(pen("area" if kind == "Q" else "rule", "color", x=x, y="low", y2="high", **mark))
    if kind == "Q":
        layers.append(pen("line", "color", "strokeDash", y="mean", strokeWidth=1.6))
    shown = [(f"{name}:Q", name, measure.decimals) for name in ("mean", "low", "high")]
    symbol = pen("point", "color", "shape", x=x, y="mean", filled=True, size=size).encode(
        tooltip=chart.tooltips((*place, None), *shown, ("n:Q", counted, None), cut=cut)
    )
    return [*layers, chart.choosable(cut, symbol) if choose else symbol]


def _targets(cut: Cut, measure: Measure) -> list[alt.Chart]:
    """Rules at REM's targets for the mean queue."""
    sweep = cut.sweep
    # An axis over the target has a level of its own at every point.
    varied = any(d.column.endswith(".rem.target") for d in sweep.dimensions)
    if measure.name != "mean_queue" or not cut.roles["x"].numeric or "facet" in cut.roles or varied:
        return []
    return chart.named_levels((target, "target") for target in rem_targets(sweep.resolved, sweep.bottleneck))


def rem_targets(resolved: Mapping[str, str], link: str) -> list[float]:
    """The targets in packets of every REM at the link, or at `LINK.reverse`, each once."""
    targets: set[float] = set()
    for text in resolved.values():
        # A scenario whose files are not here any more cannot be read.
        with suppress(_core.ScenarioError, KeyError):
            port = _core.network_of(text).port(link)
            if port.queue == "rem":
                target = Resolved.from_toml(text).link(port)["queue"]["rem"]["target"]
                number, unit = _core.quantity(target)
                targets |= {number} if unit == "packets" else set()
    return sorted(targets)


AXES = 12
"""Maximum number of panels."""

DOTS = 2_000
"""Maximum number of dots, in all panels together."""

BINS = 20
"""Maximum number of bins; there are fewer where a bin would have few points."""

_PER_BIN = 15

_INDEPENDENT = ("lhs", "sobol")
"""Designs whose points were not made from one another."""


@kind
def trend(
    sweep: Sweep,
    measure: str | None = None,
    *,
    x: str | None = None,
    family: str | None = None,
    where: Where | None = None,
) -> Figure:
    """Trend of a measure along an axis that is sampled, or along every axis, a panel for each.

    Raises ChartError without an axis, and for a measure or a dimension that is not there.

    Example:
        >>> sampled = scenario.sweep(["links.bottleneck.rate=2..8 Mbit/s"], samples=8, variants="rem-mark")
        >>> drawn = weir.plot.trend(sampled, "utilisation")
        >>> drawn.title, drawn.rows["dot"].drop_nulls().len()
        ('Utilisation along bottleneck rate', 8)
    """
    of, part = measure_of(measure), Cut.of(sweep, where)
    axes = [find_dimension(sweep.dimensions, x)] if x else part.axes[:AXES]
    if not axes:
        raise ChartError("there is no axis to draw a trend along", _SWEEP)
    part = part.place("family", family, [d for d in part.variants if d not in axes])
    cuts = [replace(part, roles={**part.roles, "x": axis}) for axis in axes]
    observed = [cut.observed([of.name]).rename({of.name: "value"}).drop_nulls("value") for cut in cuts]
    points = [_points(runs, list(part.roles)) for runs in observed]
    drawn = [thinned(one, DOTS // len(axes)) for one in points]
    panels: list[pl.DataFrame] = []
    for index, axis in enumerate(axes):
        place = pl.col("x") if axis.numeric else pl.col("x").cast(pl.String).alias("level")
        dots = drawn[index].select(*part.roles, place, pl.col("value").alias("dot"))
        bins = _bins(observed[index], points[index], axis, part)
        bins = bins.select(*part.roles, place, "mean", "low", "high", "n")
        both = pl.concat([dots, bins], how="diagonal")
        panels.append(both.select(pl.lit(index).alias("axis"), pl.all()))
    rows = chart.above_zero(pl.concat(panels, how="diagonal"), of)
    most, there = max(map(len, drawn)), max(map(len, points))
    n = observed[0]["replication"].n_unique()
    said = f"Dots are points, means of up to {n} replications" if n > 1 else "Dots are points"
    if most < there:
        said += f"; {most:,} of {there:,} are drawn" + (" in each panel" if len(axes) > 1 else "")
    uneven = any(cut.common is not None and not cut.common.whole for cut in cuts)
    alone = axes[0].title if len(axes) == 1 else ""
    return Figure(
        chart.file_name(of.name, "trend", alone),
        f"{of.title} along {alone or 'every axis'}",
        chart.caption(
            of.definition,
            f"{said}. Lines join means of bins with equal numbers of points, or of levels; "
            "the other axes vary along with it.",
            _repeats(observed[0], part),
            _bands(part, rows, several=n > 1),
            "Points that are not finished at every level drawn are left out." if uneven else "",
            part.said(but=[d.column for d in sweep.dimensions if d.column != VARIANTS]),
        ),
        chart.beside(
            [_panel(part, of, rows, axis, index, len(axes)) for index, axis in enumerate(axes)], y="shared"
        ),
        rows,
    )


def _points(runs: pl.DataFrame, groups: list[str]) -> pl.DataFrame:
    """Dots of a figure: family, point, x, value, and the first run; one dot where sampled levels coincide."""
    return (
        runs.group_by(*groups, "point", "x", maintain_order=True)
        .agg(pl.col("value").mean(), pl.col("run").min())
        .sort("point", *groups)
        .unique([*groups, "x", "run"], keep="first", maintain_order=True)
    )


def _bins(runs: pl.DataFrame, points: pl.DataFrame, axis: Dimension, part: Cut) -> pl.DataFrame:
    """Means of bins: levels where the axis has few, else as many points in each."""
    groups = list(part.roles)
    x = pl.col("x")
    bins = min(BINS, max(3, len(points) // max(1, len(points.select(groups).unique())) // _PER_BIN))
    if points["x"].n_unique() <= max(bins, len(axis.values)):
        points = points.with_columns(x.rank("dense").alias("bin"))
    else:
        # Equal values share a rank, so that no level is cut in two.
        place = (x.rank("min") - 1) * bins // pl.len()
        points = points.with_columns((place.over(groups) if groups else place).alias("bin"))
    keys = [*groups, "bin"]
    middle = x.first() if not axis.numeric else x.log().mean().exp() if axis.log else x.mean()
    places = points.group_by(keys, maintain_order=True).agg(middle.alias("x"))
    # A variant that does not have the axis has the same runs all along it.
    binned = points.select(*groups, "point", "bin")
    runs = distinct(runs.join(binned, on=[*groups, "point"], maintain_order="left"), keys)
    different = runs.group_by(keys, maintain_order=True).agg(
        pl.col("point").n_unique().cast(pl.Int64).alias("n")
    )
    cells = _means(runs, keys, part).drop("n").join(places, on=keys).join(different, on=keys).sort(keys)
    return cells.with_columns(pl.when(pl.col("n") > 1).then(pl.col("low", "high")))


def _means(runs: pl.DataFrame, keys: Sequence[str], part: Cut) -> pl.DataFrame:
    """Mean of each bin with its interval, over replications or over the points of a single one."""
    quantile = part.sweep.quantile
    if runs["replication"].n_unique() > 1:
        # All points share the seeds. What a seed does to all of them is in this interval, and
        # would not be in one over points.
        return interval(runs, keys, "value", quantile)
    points = runs.group_by(*keys, "point", "x", maintain_order=True).agg(pl.col("value").mean())
    if part.sweep.design not in _INDEPENDENT:
        # Points with this value in common were made from one another: together they count once.
        points = points.group_by(*keys, "x", maintain_order=True).agg(pl.col("value").mean())
    return summary(points, keys, quantile)


def _panel(
    part: Cut, measure: Measure, rows: pl.DataFrame, axis: Dimension, index: int, panels: int
) -> alt.LayerChart:
    here = rows.filter(pl.col("axis") == index)
    if axis.numeric:
        place, across = "x", chart.x_side(axis, here["x"].drop_nulls().unique().sort().to_list() or [0.0])
    else:
        options, levels = (
            {"grid": False, "labelAngle": 0, "labelLimit": 90},
            [level_text(v) for v in axis.values],
        )
        place, across = "level", chart.side("x", axis.heading, "N", axis=options, sort=levels)
    pen = chart.Pen(across, chart.y_side(measure), chart.families(part)).where(f"datum.axis == {index}")
    dots, means = (pen.where(f"isValid(datum.{column})") for column in ("dot", "mean"))
    # Faint, so that the means can be seen through two thousand of them.
    size = 8 if len(rows) > 300 else 14
    placed = (f"{place}:{'Q' if axis.numeric else 'N'}", axis.heading)
    symbols = 30 if len(part.sweep.dimensions) == 1 else 16
    layers = [
        dots("circle", "color", x=place, y="dot", size=size, fillOpacity=0.25),
        *_drawn(means, part, measure, here, placed, "points", symbols, band=0.25, choose=index == 0),
    ]
    if panels == 1:
        return chart.panel(layers, style.WIDTH, style.HEIGHT)
    return chart.panel(layers, (style.WIDTH - chart.GAP * 2) // 2, 130)


def _bands(part: Cut, rows: pl.DataFrame, *, several: bool) -> str:
    counts = rows["n"].drop_nulls()
    alone = counts.len() > 0 and counts.min() == 1
    if not rows["low"].count():
        if alone and counts.max() == 1:
            return "No bands: no mean is of two different points."
        if several:
            return "No bands: no two replications are finished for all points of a mean."
        return "No bands: one replication, and the points of a level were made from one another."
    return chart.caption(
        "Bands are 95% confidence intervals over replications, each averaged over the points of a mean."
        if several
        else "Bands are the spread over points for this one seed, as 95% intervals of these means; what the "
        "seed does to all points alike is not in them.",
        "" if several or part.sweep.design in _INDEPENDENT else "Points made from one another count once.",
        "There is none where a mean is of one point alone." if alone else "",
    )


def _repeats(runs: pl.DataFrame, part: Cut) -> str:
    """Number of points of each family that repeat the same runs, in a sentence."""
    points = runs.group_by(*part.roles, "point", maintain_order=True).agg(pl.col("run").min())
    said: list[str] = []
    for name in part.names("family") or [""]:
        here = points.filter(pl.col("family") == name) if name else points
        different = here["run"].n_unique()
        if different < len(here):
            said.append(f"{f'{name} has' if name else 'there are'} {different:,} instead of {len(here):,}")
    return f"Points that are the same runs count once: {', '.join(said)}." if said else ""
