"""A measure over two dimensions: its mean as the colour of a cell."""

from __future__ import annotations

from typing import Any

import altair as alt
import numpy as np
import polars as pl
from numpy.typing import NDArray

from weir.plot import style
from weir.plot._averages import distinct, interval
from weir.plot._cut import Cut, Role, measure_of
from weir.plot._figure import ROWS, Figure
from weir.plot._parts import (
    NUMBERS,
    caption,
    faceted,
    file_name,
    intervals,
    levels_text,
    log_ticks,
    panel_size,
    tooltips,
    tooltips_of,
)
from weir.stats.measures import Measure
from weir.sweep.dimension import Dimension

LABELLED = 60
"""More cells have no room for their value."""

BINS = 15
"""Of an axis that is sampled continuously."""

FEW = 12
"""Cells side by side that stand apart."""

LOGARITHMIC = 100.0
"""From this ratio of the largest mean to the smallest, steps of colour are factors."""


def heat(cut: Cut, name: str) -> Figure:
    """The measure `name` over the cut's x and y; an axis without levels is cut into bins."""
    measure = measure_of(name)
    cut = cut.light("x", "y")
    x, y = cut.roles["x"], cut.roles["y"]
    observed = cut.observed([measure.name])
    keys: list[str] = []
    for role in cut.roles:
        if cut.roles[role].values:
            keys.append(role)
            if role in {"x", "y"}:
                observed = _named(observed, cut, role)
        else:
            keys += [role, f"{role}_to"]
            observed = _binned(observed, cut.roles[role], role)
    binned = [d.title for d in (x, y) if not d.values]
    rows = (
        _over_points(observed, keys, measure)
        if binned
        else interval(observed, keys, measure.name, cut.sweep.quantile, cut.parts)
    )
    rows = rows.select(*keys, "mean", "low", "high", "n").sort(keys)
    low, high = _extent(rows["mean"])
    log = 0.0 < LOGARITHMIC * low < high
    return Figure(
        file_name(measure.name, "over", x.title, y.title),
        f"{measure.title} over {x.title} and {y.title}",
        caption(
            measure.definition,
            f"A cell is the mean of its points, in at most {BINS} steps of {' and of '.join(binned)}; "
            "those that are the same runs count once."
            if binned
            else intervals(rows, "In a browser, tooltips have the"),
            "The scale of colours is logarithmic." if log else "",
            _blank(rows, cut),
            cut.said(),
        ),
        faceted(cut, _layers(cut, measure, rows, log=log), _ratio(cut)),
        rows,
    )


def _layers(cut: Cut, measure: Measure, rows: pl.DataFrame, *, log: bool) -> list[alt.Chart]:
    x, y = cut.roles["x"], cut.roles["y"]
    places = {**_place(cut, "x", rows), **_place(cut, "y", rows)}
    ends = {f"{role}_to:Q": f"{d.title} to" for role, d in (("x", x), ("y", y)) if not d.values}
    base = (
        alt.Chart(ROWS)
        .encode(
            **places,
            tooltip=[
                *tooltips(cut, (f"x:{_kind(x)}", x.heading, None), (f"y:{_kind(y)}", y.heading, None)),
                *(alt.Tooltip(field, title=title, format=".4~r") for field, title in ends.items()),
                *tooltips_of(
                    ("mean:Q", measure.heading, measure.decimals),
                    ("half_width:Q", "±", measure.decimals),
                    ("n:Q", "points" if ends else "replications", None),
                ),
            ],
        )
        .transform_calculate(half_width="(datum.high - datum.low) / 2")
    )
    defined, undefined = "isValid(datum.mean)", "!isValid(datum.mean)"
    low, high = _extent(rows["mean"])
    decimals = f".{measure.decimals}f"
    kind: dict[str, Any] = {"type": "log"} if log else {}
    ticks: dict[str, Any] = {"values": log_ticks(low, high)} if log else {"tickCount": 4}
    legend = alt.Legend(
        title=measure.heading, gradientLength=200, gradientThickness=10, format=NUMBERS, **ticks
    )
    scale = alt.Scale(
        scheme=style.GRADIENT, domain=[low, high if high > low else low + 1.0], nice=False, **kind
    )
    # Between many cells, their edges would be all that is seen.
    edge: dict[str, Any] = {"stroke": "white", "strokeWidth": 0.5} if max(_sides(cut)) <= FEW else {}
    cells = (
        base.mark_rect(**edge)
        .encode(color=alt.Color("mean:Q", legend=legend, scale=scale))
        .transform_filter(defined)
    )
    layers = [cells]
    if rows["mean"].null_count():
        layers.append(base.mark_rect(color=style.UNDRAWN, **edge).transform_filter(undefined))
    if not ends and _labelled(cut, measure):
        # White on the dark half of the colours, black on the bright one.
        middle = low * (high / low) ** 0.6 if log else low + 0.6 * (high - low)
        layers.append(
            # On a narrow screen, numbers would run into one another.
            base.mark_text(fontSize=10, opacity=alt.ExprRef("bandwidth('x') < 26 ? 0 : 1"))
            .encode(
                text=alt.Text("mean:Q", format=decimals),
                color=alt.condition(f"datum.mean < {middle!r}", alt.value("white"), alt.value(style.INK)),
            )
            .transform_filter(defined)
        )
    return layers


def _place(cut: Cut, role: Role, rows: pl.DataFrame) -> dict[str, Any]:
    """Encodings of the side of a cell on one axis."""
    dimension = cut.roles[role]
    made = alt.X if role == "x" else alt.Y
    if not dimension.values:
        low, high = _extent(pl.concat([rows[role], rows[f"{role}_to"]]))
        kind: dict[str, Any] = {"type": "log"} if dimension.log and low > 0.0 else {"zero": False}
        scale = alt.Scale(domain=[low, high], nice=False, **kind)
        ticks: dict[str, Any] = {"values": log_ticks(low, high)} if "type" in kind else {"tickCount": 5}
        axis = alt.Axis(grid=False, format=NUMBERS, **ticks)
        end = alt.X2 if role == "x" else alt.Y2
        return {
            role: made(f"{role}:Q", title=dimension.heading, axis=axis, scale=scale),
            f"{role}2": end(f"{role}_to:Q"),
        }
    levels = levels_text(cut.levels(role))
    width = panel_size(_panels(cut))[0] / max(1, len(levels))
    turned = role == "x" and not dimension.numeric and max(map(len, levels), default=0) * 6.5 > width
    axis = alt.Axis(
        grid=False, ticks=False, domain=False, labelAngle=-40 if turned else 0, labelLimit=140, labelPadding=4
    )
    order = levels if role == "x" else levels[::-1]
    return {role: made(f"{role}:N", sort=order, title=dimension.heading, axis=axis)}


def _named(observed: pl.DataFrame, cut: Cut, role: Role) -> pl.DataFrame:
    levels = cut.levels(role)
    return observed.with_columns(
        pl.col(role).replace_strict(levels, levels_text(levels), return_dtype=pl.String)
    )


def _binned(observed: pl.DataFrame, dimension: Dimension, role: Role) -> pl.DataFrame:
    """The column `role` as the lower edge of its bin, and `role`_to as the upper."""
    values: NDArray[np.float64] = observed[role].to_numpy()
    distinct = np.unique(values)
    log = dimension.log and bool(np.all(distinct > 0.0))
    places = np.log(distinct) if log else distinct
    if len(places) <= BINS:
        # Some designs sample on a lattice: a cell for each, up to halfway to the next.
        margin = 0.5 if len(places) == 1 else 0.0
        between = (places[1:] + places[:-1]) / 2
        edges = np.concatenate([places[:1] - margin, between, places[-1:] + margin])
    else:
        edges = np.linspace(float(places[0]), float(places[-1]), BINS + 1)
    if log:
        edges = np.exp(edges)
    index = np.clip(np.searchsorted(edges, values, side="right") - 1, 0, len(edges) - 2)
    return observed.with_columns(pl.Series(role, edges[index]), pl.Series(f"{role}_to", edges[index + 1]))


def _over_points(observed: pl.DataFrame, keys: list[str], measure: Measure) -> pl.DataFrame:
    """The mean over the points of a cell, each the mean of its replications; n counts points.

    Points that are the same runs count once.
    """
    points = distinct(observed, keys).group_by(*keys, "point").agg(pl.col(measure.name).mean().alias("value"))
    nothing = pl.lit(None, dtype=pl.Float64)
    return points.group_by(keys).agg(
        pl.col("value").mean().alias("mean"),
        nothing.alias("low"),
        nothing.alias("high"),
        pl.col("value").count().cast(pl.Int64).alias("n"),
    )


def _extent(values: pl.Series) -> tuple[float, float]:
    low, high = values.drop_nulls().min(), values.drop_nulls().max()
    return (low, high) if isinstance(low, float) and isinstance(high, float) else (0.0, 1.0)


def _kind(dimension: Dimension) -> str:
    return "N" if dimension.values else "Q"


def _panels(cut: Cut) -> int:
    return len(cut.names("facet")) if "facet" in cut.roles else 1


def _sides(cut: Cut) -> tuple[int, int]:
    x, y = (len(cut.levels(role)) if cut.roles[role].values else BINS for role in ("x", "y"))
    return max(1, x), max(1, y)


def _labelled(cut: Cut, measure: Measure) -> bool:
    across, up = _sides(cut)
    room = panel_size(_panels(cut))[0] / across
    return across * up <= LABELLED and room >= 5.5 * (measure.decimals + 3)


def _blank(rows: pl.DataFrame, cut: Cut) -> str:
    across, up = (rows[side].n_unique() for side in ("x", "y"))
    said = ["Grey: not defined."] if rows["mean"].null_count() else []
    if len(rows) < across * up * _panels(cut):
        said.append("White: no runs.")
    return " ".join(said)


def _ratio(cut: Cut) -> float:
    """Height over width: cells neither flat nor tall."""
    across, up = _sides(cut)
    return min(0.8, max(0.35, 0.62 * up / across))
