"""What a queue and its law did in time, at one point, in replication 0."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

import altair as alt
import polars as pl

from weir.charts import style
from weir.charts.curves import SLOTS, envelope
from weir.charts.dimension import HOW_TO_ASK, NO_SERIES, ChartError
from weir.charts.figure import ROWS, Figure
from weir.charts.sweep.cut import Cut
from weir.charts.sweep.parts import caption

PANELS = 14
"""More rows do not fit a page."""

_UNITS = {"queue": "packets", "average": "packets", "cwnd": "packets", "ssthresh": "packets"}


def over_time(cut: Cut, variables: Sequence[str] = ()) -> Figure:
    """The recorded variables of the bottleneck's queue, a row per variant and variable.

    The point is the first that the cut keeps. Without `variables`: all of them.
    """
    point, labels = _point(cut)
    samples = cut.view.series(point, labels)
    if samples.is_empty():
        raise ChartError(NO_SERIES, HOW_TO_ASK)
    samples = samples.with_columns(pl.col("label", "component", "variable").cast(pl.String))
    samples = _queues(samples, variables)
    several = samples["component"].n_unique() > 1
    where = pl.col("component").str.strip_prefix("links.").str.strip_suffix(".forward")
    unit = pl.col("variable").replace_strict(
        {name: f" ({unit})" for name, unit in _UNITS.items()}, default="", return_dtype=pl.String
    )
    panel = [
        *([pl.col("label")] if len(labels) > 1 else []),
        pl.concat_str(*([where] if several else []), pl.col("variable"), separator=": ") + unit,
    ]
    samples = samples.with_columns(pl.concat_str(*panel, separator=": ").alias("panel"))
    names = samples["panel"].unique(maintain_order=True).to_list()
    drawn = names[:PANELS]
    rows = envelope(samples.filter(pl.col("panel").is_in(drawn)), ["label", "panel"])
    slot = float(rows["slot_s"][0])
    return Figure(
        "over-time",
        "Queue and law over time",
        caption(
            f"Variables of the bottleneck in replication 0. Each slot of {slot:.3g} s shows the mean of its "
            "samples as a line and their lowest and highest as a band.",
            _place(cut, point),
            f"{len(drawn)} of {len(names)} are drawn." if len(drawn) < len(names) else "",
        ),
        _chart(drawn, labels, slot * SLOTS),
        rows.drop("slot_s"),
    )


def _chart(panels: Sequence[str], labels: Sequence[str], end: float) -> alt.FacetChart:
    x = alt.X(
        "time_s:Q",
        title="Time (s)",
        axis=alt.Axis(grid=False),
        scale=alt.Scale(domain=[0.0, end], nice=False),
    )
    y_axis = alt.Axis(tickCount=3)
    base = alt.Chart(ROWS).encode(x=x, color=style.colour(labels, None))
    area = base.mark_area(fillOpacity=0.3).encode(
        y=alt.Y("lowest:Q", title=None, axis=y_axis), y2="highest:Q"
    )
    line = base.mark_line(strokeWidth=1).encode(y=alt.Y("mean:Q", title=None, axis=y_axis))
    height = max(44, 240 // len(panels))
    # Altair's types say too little of what follows.
    panel = cast("Any", alt.layer(area, line).properties(width=style.WIDTH, height=height))
    row = alt.Row("panel:N", sort=list(panels), title=None)
    return cast("alt.FacetChart", panel.facet(row=row, spacing=12).resolve_scale(y="independent"))


def _point(cut: Cut) -> tuple[int, list[str]]:
    """The first point of the cut, and its variants."""
    runs = cut.select(cut.view.observations(), "point", pl.col("label").cast(pl.String))
    if runs.is_empty():
        raise ChartError("no run has these levels")
    point = int(runs["point"].min())  # type: ignore[arg-type]
    there = set(runs.filter(pl.col("point") == point)["label"])
    return point, [label for label in cut.view.labels if label in there]


def _queues(samples: pl.DataFrame, variables: Sequence[str]) -> pl.DataFrame:
    """Samples of the queues in forward direction, of these variables only if any are named."""
    queues = samples.filter(
        pl.col("component").str.starts_with("links.") & pl.col("component").str.ends_with(".forward")
    )
    known = queues["variable"].unique(maintain_order=True).to_list()
    unknown = [name for name in variables if name not in known]
    if unknown or queues.is_empty():
        name = unknown[0] if unknown else "queue"
        raise ChartError(f"there is no series {name!r}; there are: {', '.join(known) or 'none'}")
    return queues.filter(pl.col("variable").is_in(list(variables or known)))


def _place(cut: Cut, point: int) -> str:
    """Where the point lies, as a sentence."""
    row = cut.view.observations().filter(pl.col("point") == point).row(0, named=True)
    axes = [d for d in cut.view.dimensions if d.column not in {"label", "users"}]
    said = [f"{d.title} {d.level(float(row[d.column]) if d.numeric else str(row[d.column]))}" for d in axes]
    return f"At {', '.join(said)}." if said else ""
