"""A measure along one dimension, with bands; families by a second, panels by a third."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from typing import Any

import altair as alt
import polars as pl

from weir.plot import style
from weir.plot._cut import Cut, measure_of
from weir.plot._figure import ROWS, Figure
from weir.plot._parts import (
    Family,
    above_zero,
    caption,
    faceted,
    file_name,
    intervals,
    levels_text,
    tooltips,
    x_axis,
    y_scale,
)
from weir.stats.measures import Measure
from weir.sweep.dimension import TIME, VARIANTS


def lines(cut: Cut, name: str) -> Figure:
    """The measure `name` along the cut's x: lines over numbers, points over names."""
    measure = measure_of(name)
    cut = cut.light("x")
    rows = cut.estimates([measure.name]).drop("measure").drop_nulls("mean")
    rows = above_zero(rows, measure).sort("x", *(role for role in ("family", "facet") if role in cut.roles))
    x = cut.roles["x"]
    if x.numeric:
        layers = [*_curves(cut, measure, rows), *_targets(cut, measure)]
        bands = intervals(rows)
    else:
        rows = rows.with_columns(pl.col("x").cast(pl.String))
        layers = _points(cut, measure, rows)
        bands = intervals(rows, "Bars are")
    what = "variant" if x.column == VARIANTS else x.title
    return Figure(
        file_name(measure.name, "by", what),
        f"{measure.title} {'against' if x.numeric else 'by'} {what}",
        caption(
            measure.definition,
            bands,
            "A period stands at its beginning." if x.column == TIME else "",
            cut.said(),
        ),
        faceted(cut, layers),
        rows,
    )


def _curves(cut: Cut, measure: Measure, rows: pl.DataFrame) -> list[alt.Chart]:
    family = Family.of(cut)
    x = cut.roles["x"]
    places: list[float] = rows["x"].unique().sort().to_list() or [float(v) for v in x.values]
    base = alt.Chart(ROWS).encode(x=x_axis(x, places))
    scale = y_scale(measure)
    mean = alt.Y("mean:Q", title=measure.heading, scale=scale)
    low = alt.Y("low:Q", title=measure.heading, scale=scale)
    band = base.mark_area(fillOpacity=0.18).encode(y=low, y2="high:Q", **family.encodings("color"))
    line = base.mark_line(strokeWidth=1.6).encode(y=mean, **family.encodings("color", "strokeDash"))
    # Symbols on many levels would hide the line.
    size = 42 if len(places) <= 25 else 14
    points = base.mark_point(filled=True, size=size).encode(
        y=mean,
        tooltip=tooltips(cut, ("x:Q", x.heading, None), *_values(measure)),
        **family.encodings("color", "shape"),
    )
    return [*([band] if rows["low"].count() else []), line, family.choosable(points)]


def _targets(cut: Cut, measure: Measure) -> list[alt.Chart]:
    """Rules at REM's targets for the mean queue, named in the margin where no curve crosses the name."""
    sweep = cut.sweep
    # An axis over the target has a level of its own at every point.
    varied = any(d.column.endswith(".rem.target") for d in sweep.dimensions)
    if measure.name != "mean_queue" or "facet" in cut.roles or varied:
        return []
    rules: list[alt.Chart] = []
    for target in rem_targets(sweep.resolved, sweep.bottleneck):
        base = alt.Chart(alt.Data(values=[{"y": target, "text": "target"}])).encode(y="y:Q")
        text = base.mark_text(align="left", baseline="middle", dx=4, color=style.GREY, fontSize=10)
        rules += [
            base.mark_rule(color=style.GREY, strokeDash=[3, 3]),
            text.encode(x=alt.value("width"), text="text:N"),
        ]
    return rules


def rem_targets(resolved: Mapping[str, str], link: str) -> list[float]:
    """The targets in packets of every REM at the link, or at `LINK.reverse`, each once."""
    targets: set[float] = set()
    for text in resolved.values():
        scenario: dict[str, Any] = tomllib.loads(text)
        port: dict[str, Any] = scenario.get("links", {})
        for word in link.split("."):
            port = port.get(word, {})
        queue = port.get("queue", {})
        amount, _, unit = str(queue.get("rem", {}).get("target", "")).partition(" ")
        if unit in {"packet", "packets"}:
            targets.add(float(amount))
    return sorted(targets)


def _points(cut: Cut, measure: Measure, rows: pl.DataFrame) -> list[alt.Chart]:
    family = Family.of(cut)
    x = cut.roles["x"]
    levels = levels_text(cut.levels("x"))
    angle = 0 if max(map(len, levels), default=0) * len(levels) * 6 <= style.WIDTH else -40
    axis = alt.Axis(grid=False, labelAngle=angle, labelLimit=140, labelOverlap=False)
    title = None if x.column == VARIANTS else x.heading
    base = alt.Chart(ROWS).encode(x=alt.X("x:N", sort=levels, title=title, axis=axis))
    if family.names:
        base = base.encode(xOffset=alt.XOffset("family:N", sort=list(family.names)))
    scale = y_scale(measure)
    bars = base.mark_rule(strokeWidth=1.6).encode(
        y=alt.Y("low:Q", title=measure.heading, scale=scale), y2="high:Q", **family.encodings("color")
    )
    points = base.mark_point(filled=True, size=50).encode(
        y=alt.Y("mean:Q", title=measure.heading, scale=scale),
        tooltip=tooltips(cut, ("x:N", x.title, None), *_values(measure)),
        **family.encodings("color", "shape"),
    )
    return [*([bars] if rows["low"].count() else []), family.choosable(points)]


def _values(measure: Measure) -> list[tuple[str, str, int | None]]:
    return [
        ("mean:Q", "mean", measure.decimals),
        ("low:Q", "low", measure.decimals),
        ("high:Q", "high", measure.decimals),
        ("n:Q", "replications", None),
    ]
