"""Trade-off between two measures as the load grows: the price of less of one in terms of the other."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import altair as alt
import polars as pl

from weir.plot import _chart as chart
from weir.plot._cut import Cut, Where, kind, measure_of
from weir.plot._figure import Figure
from weir.stats import Measure
from weir.sweep import USERS, ChartError, Sweep

HEAD = "M0,-1.2L0.8,0.9L0,0.5L-0.8,0.9Z"
"""Path of an arrow's head. A plain triangle would look unchanged after a turn by 120 degrees."""

SPAN = {"x": 10.0, "y": 100.0}
"""Ratio of the largest to the smallest mean from which an axis is logarithmic."""


@kind
def tradeoff(
    sweep: Sweep,
    y: str | None = None,
    x: str | None = None,
    *,
    load: str | None = None,
    family: str | None = None,
    facet: str | None = None,
    where: Where | None = None,
) -> Figure:
    """Trade-off of measure y against measure x along a growing load: by default, mean delay against loss.

    Raises ChartError where no load grows in steps, and for a measure or a dimension that is not there.

    Example:
        >>> drawn = weir.plot.tradeoff(result, y="mean delay", x="utilisation")
        >>> drawn.title, drawn.rows["load"].unique().sort().to_list()
        ('Mean delay against utilisation', [2.0, 4.0])
    """
    cut = Cut.of(sweep, where)
    # How many flows there are is the plainest load.
    numbers = sorted((d for d in cut.levelled if d.numeric), key=lambda d: not d.column.endswith(".count"))
    cut = cut.place("load", load, [*(d for d in cut.spans if d.column == USERS), *numbers])
    grows = cut.roles.get("load")
    if grows is None:
        raise ChartError(
            "a trade-off is drawn along a load that grows in steps, and none does",
            "sweep a number with levels, or give the scenario periods with more and more users",
        )
    if not grows.numeric:
        raise ChartError(f"{grows.title} is not a number and cannot grow", "name another load")
    cut = cut.group(family, facet).light("load")
    measures = {"x": measure_of(x or "loss"), "y": measure_of(y or "delay_mean")}
    rows = _paired(cut, measures)
    logs = {
        name: of.full is None and not rows.is_empty() and chart.is_wide(rows[name], SPAN[name])
        for name, of in measures.items()
    }
    rows = _with_arrows(rows, cut, logs)
    low, high = rows["load"].min(), rows["load"].max()
    across, up = measures["x"], measures["y"]
    return Figure(
        chart.file_name(up.name, "against", across.name),
        f"{up.title} against {across.words}",
        chart.caption(
            f"{up.title}: {_without_stop(up)}; {across.words}: {_without_stop(across)}.",
            f"Lines and arrows: growing {grows.title}, {grows.level(low)} to {grows.level(high)}."
            if isinstance(low, float) and isinstance(high, float) and low < high
            else "",
            chart.intervals(rows, "Crosses are"),
            cut.said(),
        ),
        chart.faceted(cut, _layers(cut, measures, rows, logs)),
        rows,
    )


def _paired(cut: Cut, measures: Mapping[str, Measure]) -> pl.DataFrame:
    """Points of the lines, one row each: x, y and their intervals."""
    both = cut.estimates([of.name for of in measures.values()])
    across, up = (
        chart.above_zero(both.filter(pl.col("measure") == of.name), of)
        .rename({"mean": name, "low": f"{name}_low", "high": f"{name}_high"})
        .drop("measure")
        for name, of in measures.items()
    )
    rows = across.join(up.drop("n"), on=list(cut.roles)).drop_nulls(["x", "y"])
    return rows.sort(*_groups(cut), "load")


def _with_arrows(rows: pl.DataFrame, cut: Cut, logs: Mapping[str, bool]) -> pl.DataFrame:
    """Columns of an arrow halfway along the longest step of each line: its place and its origin."""
    groups = _groups(cut) or [pl.lit(0)]
    rows = rows.with_columns(pl.col("x", "y").shift(1).over(groups, order_by="load").name.prefix("from_"))
    length, middles = pl.lit(0.0), dict[str, pl.Expr]()
    for name, log in logs.items():
        end, start = (pl.col(column).log() if log else pl.col(column) for column in (name, f"from_{name}"))
        # As a share of the picture's side, so that the two can be added.
        length += (((end - start) / (end.max() - end.min())).fill_nan(0.0)) ** 2
        middles[name] = ((end + start) / 2).exp() if log else (end + start) / 2
    rows = rows.with_columns(length.alias("length"))
    longest = (pl.col("length") > 0.0) & (pl.col("length") == pl.col("length").max().over(groups))
    return rows.with_columns(
        pl.when(longest).then(middle).alias(f"arrow_{name}") for name, middle in middles.items()
    ).drop("length")


def _layers(
    cut: Cut, measures: Mapping[str, Measure], rows: pl.DataFrame, logs: Mapping[str, bool]
) -> list[alt.Chart]:
    pen = chart.Pen(
        _side("x", measures["x"], rows, log=logs["x"]),
        _side("y", measures["y"], rows, log=logs["y"]),
        chart.families(cut),
    )
    crosses = [
        pen("rule", "color", x="x_low", x2="x_high", strokeWidth=0.8, clip=True),
        pen("rule", "color", y="y_low", y2="y_high", strokeWidth=0.8, clip=True),
    ]
    line = pen("line", "color", "strokeDash", strokeWidth=1.4).encode(order="load:Q")
    # Symbols of many levels would hide their line.
    size = 36 if len(cut.levels("load")) <= 25 else 10
    points = pen("point", "color", "shape", filled=True, size=size).encode(
        tooltip=chart.tooltips(
            ("load:Q", cut.roles["load"].heading, None),
            *((f"{name}:Q", of.heading, of.decimals) for name, of in measures.items()),
            ("n:Q", "replications", None),
            cut=cut,
        )
    )
    # The head points up; turned clockwise by the direction that the step has on the screen.
    across, up = (f"scale('{name}', datum.{name}) - scale('{name}', datum.from_{name})" for name in "xy")
    turn = alt.ExprRef(f"atan2({across}, -({up})) * 180 / PI")
    head: dict[str, Any] = {"shape": HEAD, "angle": turn, "size": 60 if "facet" in cut.roles else 110}
    arrows = pen.where("isValid(datum.arrow_x)")
    arrow = arrows("point", "color", x="arrow_x", y="arrow_y", filled=True, **head)
    return [*(crosses if rows["x_low"].count() else []), line, arrow, chart.choosable(cut, points)]


def _side(channel: Literal["x", "y"], measure: Measure, rows: pl.DataFrame, *, log: bool) -> chart.Side:
    axis: dict[str, Any] = {"tickCount": 6, "grid": True}
    if log:
        low, high = chart.extent(rows[channel])
        # An interval that reaches to zero ends at the edge.
        return chart.span(channel, measure.heading, low / 1.3, high * 1.3, log=True, clamp=True, **axis)
    zero = {"zero": measure.full is None}
    return chart.side(channel, measure.heading, scale=zero, axis=axis)


def _groups(cut: Cut) -> list[str]:
    return [role for role in ("family", "facet") if role in cut.roles]


def _without_stop(measure: Measure) -> str:
    sentence = measure.definition.split(". ")[0].rstrip(".")
    return sentence[:1].lower() + sentence[1:]
