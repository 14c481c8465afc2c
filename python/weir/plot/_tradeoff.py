"""One measure against another as the load grows: what a discipline pays for what it gains."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import altair as alt
import polars as pl

from weir.plot._cut import Cut, measure_of
from weir.plot._figure import ROWS, Figure
from weir.plot._parts import (
    NEAR_FULL,
    NUMBERS,
    Family,
    above_zero,
    caption,
    faceted,
    file_name,
    intervals,
    log_ticks,
    tooltips,
)
from weir.stats.measures import Measure

HEAD = "M0,-1.2L0.8,0.9L0,0.5L-0.8,0.9Z"
"""An arrow's. Not a plain triangle, which turned by 120 degrees looks as before."""

SPAN = {"x": 10.0, "y": 100.0}
"""Ratio of the largest to the smallest mean from which an axis is logarithmic."""


def tradeoff(cut: Cut, x: str, y: str) -> Figure:
    """Measure `y` against measure `x`, a line per family through its points in order of load."""
    across, up = measure_of(x), measure_of(y)
    cut = cut.light("load")
    rows = _paired(cut, across, up)
    load = cut.roles["load"]
    logs = {side: _logarithmic(rows, side, m, SPAN[side]) for side, m in (("x", across), ("y", up))}
    rows = _with_arrows(rows, cut, logs)
    levels = rows["load"].unique().sort()
    grows = (
        f"Lines and arrows: growing {load.title}, {load.level(levels[0])} to {load.level(levels[-1])}."
        if len(levels) > 1
        else ""
    )
    return Figure(
        file_name(up.name, "against", across.name),
        f"{up.title} against {across.title.lower()}",
        caption(
            f"{up.title}: {_without_stop(up)}; {across.title.lower()}: {_without_stop(across)}.",
            grows,
            intervals(rows, "Crosses are"),
            cut.said(),
        ),
        faceted(cut, _layers(cut, across, up, rows, logs)),
        rows,
    )


def _paired(cut: Cut, across: Measure, up: Measure) -> pl.DataFrame:
    """One row per point of a line: x, y and their intervals."""
    keys = list(cut.roles)
    both = cut.estimates([across.name, up.name])
    sides: list[pl.DataFrame] = []
    for measure, side in ((across, "x"), (up, "y")):
        rows = above_zero(both.filter(pl.col("measure") == measure.name), measure)
        named = {"mean": side, "low": f"{side}_low", "high": f"{side}_high"}
        sides.append(rows.rename(named).drop("measure"))
    rows = sides[0].join(sides[1].drop("n"), on=keys).drop_nulls(["x", "y"])
    return rows.sort(*_groups(cut), "load")


def _logarithmic(rows: pl.DataFrame, column: str, measure: Measure, ratio: float) -> bool:
    low, high = rows[column].min(), rows[column].max()
    return (
        measure.name not in NEAR_FULL
        and isinstance(low, float)
        and isinstance(high, float)
        and 0.0 < ratio * low < high
    )


def _with_arrows(rows: pl.DataFrame, cut: Cut, logs: Mapping[str, bool]) -> pl.DataFrame:
    """Columns of an arrow halfway along the longest step of each line: where it is, where from."""
    groups = _groups(cut) or [pl.lit(0)]
    rows = rows.with_columns(
        pl.col(side).shift(1).over(groups, order_by="load").alias(f"from_{side}") for side in "xy"
    )
    length, middles = pl.lit(0.0), dict[str, pl.Expr]()
    for side in "xy":
        end, start = pl.col(side), pl.col(f"from_{side}")
        if logs[side]:
            end, start = end.log(), start.log()
        # As a share of the picture's side, so that the two can be added.
        length += (((end - start) / (end.max() - end.min())).fill_nan(0.0)) ** 2
        middles[side] = ((end + start) / 2).exp() if logs[side] else (end + start) / 2
    rows = rows.with_columns(length.alias("length"))
    longest = (pl.col("length") > 0.0) & (pl.col("length") == pl.col("length").max().over(groups))
    return rows.with_columns(
        pl.when(longest).then(middles[side]).alias(f"arrow_{side}") for side in "xy"
    ).drop("length")


def _layers(
    cut: Cut, across: Measure, up: Measure, rows: pl.DataFrame, logs: Mapping[str, bool]
) -> list[alt.Chart]:
    family = Family.of(cut)
    x, y = _axis("x", across, rows, log=logs["x"]), _axis("y", up, rows, log=logs["y"])
    base = alt.Chart(ROWS)
    colour = family.encodings("color")
    line = base.mark_line(strokeWidth=1.4).encode(
        x=x("x"), y=y("y"), order="load:Q", **family.encodings("color", "strokeDash")
    )
    crosses = [
        base.mark_rule(strokeWidth=0.8, clip=True).encode(x=x("x_low"), x2="x_high:Q", y=y("y"), **colour),
        base.mark_rule(strokeWidth=0.8, clip=True).encode(x=x("x"), y=y("y_low"), y2="y_high:Q", **colour),
    ]
    load = cut.roles["load"]
    # Symbols of many levels would hide their line.
    size = 36 if len(cut.levels("load")) <= 25 else 10
    points = base.mark_point(filled=True, size=size).encode(
        x=x("x"),
        y=y("y"),
        tooltip=tooltips(
            cut,
            ("load:Q", load.heading, None),
            ("x:Q", across.heading, across.decimals),
            ("y:Q", up.heading, up.decimals),
            ("n:Q", "replications", None),
        ),
        **family.encodings("color", "shape"),
    )
    # The head points up; turned clockwise by the direction that the step has on the screen.
    step = "scale('x', datum.x) - scale('x', datum.from_x)", "scale('y', datum.y) - scale('y', datum.from_y)"
    turn = alt.ExprRef(f"atan2({step[0]}, -({step[1]})) * 180 / PI")
    arrows = (
        base.mark_point(filled=True, size=60 if "facet" in cut.roles else 110, shape=HEAD, angle=turn)
        .encode(x=x("arrow_x"), y=y("arrow_y"), **colour)
        .transform_filter("isValid(datum.arrow_x)")
    )
    return [*(crosses if rows["x_low"].count() else []), line, arrows, family.choosable(points)]


def _axis(side: str, measure: Measure, rows: pl.DataFrame, *, log: bool) -> Callable[[str], Any]:
    """Makes the axis, the same for every layer, of a column."""
    options: dict[str, Any] = {"tickCount": 6, "grid": True}
    scale = alt.Scale(zero=measure.name not in NEAR_FULL)
    if log:
        low, high = float(rows[side].min()) / 1.3, float(rows[side].max()) * 1.3  # type: ignore[arg-type]
        options |= {"values": log_ticks(low, high), "format": NUMBERS, "labelOverlap": "greedy"}
        # An interval that reaches to zero ends at the edge.
        scale = alt.Scale(type="log", domain=[low, high], nice=False, clamp=True)
    made = alt.X if side == "x" else alt.Y
    return lambda field: made(f"{field}:Q", title=measure.heading, scale=scale, axis=alt.Axis(**options))


def _groups(cut: Cut) -> list[str]:
    return [role for role in ("family", "facet") if role in cut.roles]


def _without_stop(measure: Measure) -> str:
    sentence = measure.definition.split(". ")[0].rstrip(".")
    return sentence[:1].lower() + sentence[1:]
