"""Recorded variables of a queue and its AQM over time, at one point, in replication 0."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

import altair as alt
import polars as pl

from weir.plot import style
from weir.plot._cut import Cut
from weir.plot._figure import ROWS, Figure
from weir.plot._parts import caption, file_name
from weir.stats.analysis import component
from weir.stats.responses import HOW_TO_ASK, NO_SERIES
from weir.sweep.dimension import PERIODS, VARIANTS, ChartError

SLOTS = 400
"""Of a curve over time: about one per pixel of a column."""

PANELS = 14
"""More rows do not fit a page."""

_UNITS = {"queue": "packets", "average": "packets", "cwnd": "packets", "ssthresh": "packets"}


def over_time(cut: Cut, variables: Sequence[str] = ()) -> Figure:
    """The recorded variables of the forward queues, a row per variant and variable.

    The point is the first that the cut keeps. Without `variables`: all of them. One variable alone
    has the same axis in every row.
    """
    point, labels = _point(cut)
    samples = cut.sweep.series_of(point, labels)
    if samples.is_empty():
        raise ChartError(NO_SERIES, HOW_TO_ASK)
    samples = samples.with_columns(pl.col("label", "component", "variable").cast(pl.String))
    samples = _queues(samples, variables, component(cut.sweep.bottleneck))
    kinds = samples["variable"].unique(maintain_order=True).to_list()
    alone = len(kinds) == 1
    links = samples["component"].n_unique()
    link = pl.col("component").str.strip_prefix("links.").str.strip_suffix(".forward")
    panel = [
        *([pl.col("label")] if len(labels) > 1 else []),
        *([link] if links > 1 else []),
        *([] if alone else [pl.col("variable").replace_strict({name: _heading(name) for name in kinds})]),
    ]
    text = pl.concat_str(panel, separator=": ") if panel else pl.lit("")
    samples = samples.with_columns(text.alias("panel"))
    names = samples["panel"].unique(maintain_order=True).to_list()
    drawn = names[:PANELS]
    rows = envelope(samples.filter(pl.col("panel").is_in(drawn)), ["label", "panel"])
    slot = float(rows["slot_s"][0])
    what = f"{_capital(kinds[0])} over time" if alone else "Queue and AQM over time"
    queues = f"{links} queues" if links > 1 else "the bottleneck"
    said = f"{_capital(kinds[0])} of" if alone else "Variables of"
    return Figure(
        file_name(what) if alone else "over-time",
        what,
        caption(
            f"{said} {queues} in replication 0. Each slot of {slot:.3g} s shows the mean of its samples as a "
            "line and their lowest and highest as a band.",
            _place(cut, point),
            f"{len(drawn)} of {len(names)} are drawn." if len(drawn) < len(names) else "",
        ),
        _chart(drawn, labels, slot * SLOTS, _capital(_heading(kinds[0])) if alone else None),
        rows.drop("slot_s"),
    )


def _heading(variable: str) -> str:
    unit = _UNITS.get(variable)
    return f"{variable} ({unit})" if unit else variable


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _chart(panels: Sequence[str], labels: Sequence[str], end: float, title: str | None) -> alt.FacetChart:
    """A row per panel; with a title, they share the axis that has it."""
    x = alt.X(
        "time_s:Q",
        title="Time (s)",
        axis=alt.Axis(grid=False),
        scale=alt.Scale(domain=[0.0, end], nice=False),
    )
    height = max(44, 240 // len(panels))
    # A title longer than its row would run into the next.
    title = title if title and len(panels) <= 3 else title and title.partition(" (")[2].rstrip(")")
    y_axis = alt.Axis(tickCount=3)
    base = alt.Chart(ROWS).encode(x=x, color=style.colour(labels, None))
    area = base.mark_area(fillOpacity=0.3).encode(
        y=alt.Y("lowest:Q", title=title, axis=y_axis), y2="highest:Q"
    )
    line = base.mark_line(strokeWidth=1).encode(y=alt.Y("mean:Q", title=title, axis=y_axis))
    layered = alt.layer(area, line).properties(width=style.WIDTH, height=height)
    if len(panels) == 1:
        return cast("alt.FacetChart", layered)
    # Altair's types say too little of what follows.
    faceted = cast("Any", layered).facet(row=alt.Row("panel:N", sort=list(panels), title=None), spacing=12)
    return cast("alt.FacetChart", faceted if title else faceted.resolve_scale(y="independent"))


def _point(cut: Cut) -> tuple[int, list[str]]:
    """The first point of the cut, and its variants."""
    runs = cut.select(cut.sweep.observations(), "point", pl.col("label").cast(pl.String))
    if runs.is_empty():
        raise ChartError("no run has these levels")
    point = int(runs["point"].min())  # type: ignore[arg-type]
    there = set(runs.filter(pl.col("point") == point)["label"])
    return point, [label for label in cut.sweep.labels if label in there]


def _queues(samples: pl.DataFrame, variables: Sequence[str], bottleneck: str) -> pl.DataFrame:
    """Samples of the forward queues and of the bottleneck, of these variables only if any are named."""
    forward = pl.col("component").str.starts_with("links.") & pl.col("component").str.ends_with(".forward")
    queues = samples.filter(forward | (pl.col("component") == bottleneck))
    known = queues["variable"].unique(maintain_order=True).to_list()
    unknown = [name for name in variables if name not in known]
    if unknown or queues.is_empty():
        name = unknown[0] if unknown else "queue"
        raise ChartError(f"there is no series {name!r}; there are: {', '.join(known) or 'none'}")
    return queues.filter(pl.col("variable").is_in(list(variables or known)))


def _place(cut: Cut, point: int) -> str:
    """Where the point lies, as a sentence."""
    row = cut.sweep.observations().filter(pl.col("point") == point).row(0, named=True)
    axes = [d for d in cut.sweep.dimensions if d.column not in {VARIANTS, *PERIODS}]
    said = [f"{d.title} {d.level(float(row[d.column]) if d.numeric else str(row[d.column]))}" for d in axes]
    return f"At {', '.join(said)}." if said else ""


def envelope(samples: pl.DataFrame, keys: Sequence[str], slots: int = SLOTS) -> pl.DataFrame:
    """`time_s` and `value` in at most `slots` slots of time per value of the keys, nothing cut off.

    Columns: the keys, time_s (middle of the slot), slot_s (its length), lowest, mean, highest.
    """
    end = samples["time_s"].max()
    slot_s = end / slots if isinstance(end, float) and end > 0.0 else 1.0
    slot = (pl.col("time_s") / slot_s).floor().clip(0, slots - 1)
    middle = ((slot + 0.5) * slot_s).alias("time_s")
    return samples.group_by(*keys, middle, maintain_order=True).agg(
        pl.lit(slot_s).alias("slot_s"),
        pl.col("value").min().alias("lowest"),
        pl.col("value").mean().alias("mean"),
        pl.col("value").max().alias("highest"),
    )
