"""Recorded variables of queues, AQMs and senders over time, at one point, in replication 0."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

import altair as alt
import polars as pl

from weir._errors import require
from weir.plot import _chart as chart
from weir.plot import _style as style
from weir.plot._columns import check_columns
from weir.plot._cut import Cut, Where, kind
from weir.plot._figure import Figure
from weir.plot._recorded import SENDERS, recorded
from weir.stats.wording import sentence_case
from weir.sweep import PERIODS, VARIANTS, ChartError, Sweep

SLOTS = 400
"""Time slots of a curve, about one per pixel of a column."""

PANELS = 20
"""Maximum number of panels: more rows do not fit a page."""


@kind
def over_time(sweep: Sweep, measure: str | None = None, *, where: Where | None = None) -> Figure:
    """Recorded variables of queues, AQMs and watched flows over time, in replication 0 of the first point
    kept.

    `measure` is a recorded variable, or several with commas: `queue`, `price`, `cwnd`, `srtt`; of some flows
    alone, `cwnd of GROUP` or `cwnd of GROUP.0`; of one link, `queue at LINK`. Default: the queue and the
    variables that its discipline is known by (`figure` in its file in `weir/disciplines`); of many rows the
    first of each discipline. One variable alone has the same axis in every row. Flows have a colour each.

    Raises ChartError for a variable that was not recorded.

    Example:
        >>> drawn = weir.plot.over_time(result, "price", where={"variant": "REM mark"})
        >>> drawn.title, round(drawn.rows["highest"].max(), 1)
        ('Price over time', 5.0)
    """
    point, labels, place = _point(Cut.of(sweep, where))
    samples = recorded(sweep, point, labels, measure.split(",") if measure else [])
    kinds = samples["variable"].unique(maintain_order=True).to_list()
    alone = len(kinds) == 1
    flows = samples["flow"].drop_nulls().unique(maintain_order=True).to_list()
    links = samples.filter(pl.col("flow").is_null())["component"].n_unique()
    link = pl.col("component").str.strip_prefix("links.").str.strip_suffix(".forward")
    said = [
        *([pl.col("label")] if len(labels) > 1 else []),
        *([pl.when(pl.col("flow").is_null()).then(link)] if links > 1 else []),
        *([] if alone else [pl.col("heading")]),
    ]
    text = pl.concat_str(said, separator=": ", ignore_nulls=True) if said else pl.lit("")
    samples = samples.with_columns(
        text.alias("panel"), pl.col("flow").fill_null(pl.col("label")).alias("line")
    )
    names, drawn = _panels(samples)
    rows = envelope(samples.filter(pl.col("panel").is_in(drawn)), ["label", "line", "panel"])
    slot = float(rows["slot_s"][0])
    first = kinds[0] if kinds[0] in SENDERS else sentence_case(kinds[0])
    several = "Queue and AQM" if not flows else "Queue and flows" if links else "Flows"
    what = f"{first if alone else several} over time"
    of = [
        *([f"{links} queues" if links > 1 else "the bottleneck"] if links else []),
        *([f"{len(flows)} flows" if len(flows) > 1 else f"the flow {flows[0]}"] if flows else []),
    ]
    lines = [*(labels if links else []), *flows]
    heading = str(samples["heading"][0])
    title = (heading if first in SENDERS else sentence_case(heading)) if alone else None
    return Figure(
        chart.file_name(what) if alone else "over-time",
        what,
        chart.caption(
            f"{first if alone else 'Variables'} of {' and '.join(of)} in "
            f"replication 0. Each slot of {slot:.3g} s shows the mean of its samples as a line and their "
            "lowest and highest as a band.",
            place,
            f"{len(drawn)} of {len(names)} are drawn." if len(drawn) < len(names) else "",
        ),
        _chart(drawn, lines, flows, slot * SLOTS, title),
        # Where nothing is defined, there is no row.
        rows.drop_nulls("mean").drop("slot_s", *([] if flows else ["line"])),
    )


def _panels(samples: pl.DataFrame) -> tuple[list[str], list[str]]:
    """Names of all panels, and of those that are drawn. If there are too many, the most telling ones of each
    queue are drawn."""
    ranks = samples.group_by("panel", maintain_order=True).agg(pl.col("rank").min())
    names: list[str] = ranks["panel"].to_list()
    for most in sorted(set(ranks["rank"]), reverse=True):
        drawn: list[str] = ranks.filter(pl.col("rank") <= most)["panel"].to_list()
        if len(drawn) <= PANELS:
            return names, drawn
    return names, names[:PANELS]


def _chart(
    panels: Sequence[str], lines: Sequence[str], flows: Sequence[str], end: float, title: str | None
) -> alt.FacetChart:
    """Chart with a row per panel. With a title, they share the axis that has it. A legend distinguishes
    flows."""
    # A title longer than its row would run into the next.
    title = title if title and len(panels) <= 3 else title and title.partition(" (")[2].rstrip(")")
    legend = alt.Legend(title=None, values=list(flows)) if len(flows) > 1 else None
    look = style.look(lines, legend, "line" if flows else "label")
    pen = chart.Pen(time_side(end), chart.side("y", title, axis={"tickCount": 3}), look)
    # Altair's types say too little of what follows.
    rows: Any = chart.panel(swings(pen), style.WIDTH, max(44, 240 // len(panels)))
    if len(panels) > 1:
        rows = rows.facet(row=alt.Row("panel:N", sort=list(panels), title=None), spacing=12)
        rows = rows if title else rows.resolve_scale(y="independent")
    return cast("alt.FacetChart", rows)


def time_side(end: float, **axis: Any) -> chart.Side:  # noqa: ANN401 - options of the axis
    """Time axis from zero to the end."""
    title = "Time (s)" if axis.get("labels", True) else None
    return chart.side("x", title, scale={"domain": [0.0, end], "nice": False}, axis={"grid": False, **axis})


def swings(pen: chart.Pen) -> list[alt.Chart]:
    """Layers of an envelope: means as a line, with a band from the lowest to the highest."""
    area = pen("area", "color", x="time_s", y="lowest", y2="highest", fillOpacity=0.3)
    return [area, pen("line", "color", x="time_s", y="mean", strokeWidth=1)]


def _point(cut: Cut) -> tuple[int, list[str], str]:
    """First point of the cut, its variants, and its place as a sentence."""
    sweep = cut.sweep
    runs = cut.select(sweep.observations(), "point", pl.col("label").cast(pl.String))
    if runs.is_empty():
        raise ChartError("no run has these levels")
    point = cast("int", runs["point"].min())
    there = set(runs.filter(pl.col("point") == point)["label"])
    row = sweep.observations().filter(pl.col("point") == point).row(0, named=True)
    axes = [d for d in sweep.dimensions if d.column not in {VARIANTS, *PERIODS}]
    said = [f"{d.title} {d.level(float(row[d.column]) if d.numeric else str(row[d.column]))}" for d in axes]
    labels = [label for label in sweep.labels if label in there]
    return point, labels, f"At {', '.join(said)}." if said else ""


def envelope(samples: pl.DataFrame, keys: Sequence[str], slots: int = SLOTS) -> pl.DataFrame:
    """Envelope of a series: `time_s` and `value` in at most `slots` slots of time per value of the keys,
    nothing cut off.

    Columns: the keys, time_s (middle of the slot), slot_s (its length), lowest, mean, highest.

    Raises ChartError for a column that is not there, and for less than one slot.

    Example:
        >>> from weir.plot import envelope
        >>> queue = result.series_of(variants=["REM mark"]).filter(variable="queue")
        >>> rows = envelope(queue, ["label"], slots=2)
        >>> rows.select("time_s", "lowest", rows["mean"].round(), "highest").rows()
        [(1.0, 0.0, 17.0, 120.0), (3.0, 0.0, 18.0, 120.0)]
    """
    check_columns(samples, (*keys, "time_s", "value"))
    require(slots >= 1, f"time cannot be in {slots} slots", "give 1 or more", ChartError)
    end = samples["time_s"].max()
    slot_s = end / slots if isinstance(end, float) and end > 0.0 else 1.0
    slot = (pl.col("time_s") / slot_s).floor().clip(0, slots - 1)
    middle = ((slot + 0.5) * slot_s).alias("time_s")
    value = pl.col("value")
    return samples.group_by(*keys, middle, maintain_order=True).agg(
        pl.lit(slot_s).alias("slot_s"),
        value.min().alias("lowest"),
        value.mean().alias("mean"),
        value.max().alias("highest"),
    )
