"""Recorded variables of a queue and its AQM over time, at one point, in replication 0."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

import altair as alt
import polars as pl

from weir._core import ScenarioError
from weir.disciplines import find, placed
from weir.plot import _chart as chart
from weir.plot import _style as style
from weir.plot._cut import Cut, Where, kind
from weir.plot._figure import Figure
from weir.stats._analysis import component
from weir.stats._responses import HOW_TO_ASK, NO_SERIES
from weir.stats.wording import sentence_case
from weir.sweep._dimension import PERIODS, VARIANTS, ChartError
from weir.sweep._view import Sweep

SLOTS = 400
"""Of a curve over time: about one per pixel of a column."""

PANELS = 20
"""More rows do not fit a page."""

SYMBOLS = {"seconds": "s", "bytes": "B", "bytes per second": "B/s"}
"""Of units that are long as words."""

_QUEUE = "queue (packets)"


@kind
def over_time(sweep: Sweep, measure: str | None = None, *, where: Where | None = None) -> Figure:
    """What was recorded of the queue and its AQM, replication 0 of the first point kept.

    `measure` is a recorded variable, or several with commas. Default: the queue and the variables that its
    discipline is known by (`figure` in its file in `weir/disciplines`); of many rows the first of each
    discipline. One variable alone has the same axis in every row.
    """
    point, labels, place = _point(Cut.of(sweep, where))
    samples = _queues(sweep, point, labels, measure.split(",") if measure else [])
    kinds = samples["variable"].unique(maintain_order=True).to_list()
    alone = len(kinds) == 1
    links = samples["component"].n_unique()
    said = [
        *([pl.col("label")] if len(labels) > 1 else []),
        *([pl.col("component").str.strip_prefix("links.").str.strip_suffix(".forward")] if links > 1 else []),
        *([] if alone else [pl.col("heading")]),
    ]
    text = pl.concat_str(said, separator=": ") if said else pl.lit("")
    samples = samples.with_columns(text.alias("panel"))
    names, drawn = _panels(samples)
    rows = envelope(samples.filter(pl.col("panel").is_in(drawn)), ["label", "panel"])
    slot = float(rows["slot_s"][0])
    first = sentence_case(kinds[0])
    what = f"{first} over time" if alone else "Queue and AQM over time"
    return Figure(
        chart.file_name(what) if alone else "over-time",
        what,
        chart.caption(
            f"{first if alone else 'Variables'} of {f'{links} queues' if links > 1 else 'the bottleneck'} in "
            f"replication 0. Each slot of {slot:.3g} s shows the mean of its samples as a line and their "
            "lowest and highest as a band.",
            place,
            f"{len(drawn)} of {len(names)} are drawn." if len(drawn) < len(names) else "",
        ),
        _chart(drawn, labels, slot * SLOTS, sentence_case(str(samples["heading"][0])) if alone else None),
        rows.drop("slot_s"),
    )


def _panels(samples: pl.DataFrame) -> tuple[list[str], list[str]]:
    """All of them, and those that are drawn: of too many the most telling ones of each queue."""
    ranks = samples.group_by("panel", maintain_order=True).agg(pl.col("rank").min())
    names: list[str] = ranks["panel"].to_list()
    for most in sorted(set(ranks["rank"]), reverse=True):
        drawn: list[str] = ranks.filter(pl.col("rank") <= most)["panel"].to_list()
        if len(drawn) <= PANELS:
            return names, drawn
    return names, names[:PANELS]


def _chart(panels: Sequence[str], labels: Sequence[str], end: float, title: str | None) -> alt.FacetChart:
    """A row per panel; with a title, they share the axis that has it."""
    # A title longer than its row would run into the next.
    title = title if title and len(panels) <= 3 else title and title.partition(" (")[2].rstrip(")")
    pen = chart.Pen(time_side(end), chart.side("y", title, axis={"tickCount": 3}), style.look(labels, None))
    # Altair's types say too little of what follows.
    rows: Any = chart.panel(swings(pen), style.WIDTH, max(44, 240 // len(panels)))
    if len(panels) > 1:
        rows = rows.facet(row=alt.Row("panel:N", sort=list(panels), title=None), spacing=12)
        rows = rows if title else rows.resolve_scale(y="independent")
    return cast("alt.FacetChart", rows)


def time_side(end: float, **axis: Any) -> chart.Side:  # noqa: ANN401 - options of the axis
    """From zero to the end."""
    title = "Time (s)" if axis.get("labels", True) else None
    return chart.side("x", title, scale={"domain": [0.0, end], "nice": False}, axis={"grid": False, **axis})


def swings(pen: chart.Pen) -> list[alt.Chart]:
    """The rows of an envelope: means as a line, with a band from the lowest to the highest."""
    area = pen("area", "color", x="time_s", y="lowest", y2="highest", fillOpacity=0.3)
    return [area, pen("line", "color", x="time_s", y="mean", strokeWidth=1)]


def _point(cut: Cut) -> tuple[int, list[str], str]:
    """The first point of the cut, its variants, and where it lies as a sentence."""
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


def _queues(sweep: Sweep, point: int, labels: Sequence[str], variables: Sequence[str]) -> pl.DataFrame:
    """Samples of the forward queues and of the bottleneck, of these variables only if any are named."""
    samples = sweep.series_of(point, labels)
    if samples.is_empty():
        raise ChartError(NO_SERIES, HOW_TO_ASK)
    samples = samples.with_columns(pl.col("label", "component", "variable").cast(pl.String))
    forward = pl.col("component").str.contains(r"^links\..*\.forward$")
    queues = samples.filter(forward | (pl.col("component") == component(sweep.bottleneck)))
    known = queues["variable"].unique(maintain_order=True).to_list()
    unknown = [name for name in variables if name not in known]
    if unknown or queues.is_empty():
        name = unknown[0] if unknown else "queue"
        raise ChartError(f"there is no series {name!r}; there are: {', '.join(known) or 'none'}")
    told = _told(sweep, point, labels)
    chosen = queues.join(told, on=["label", "component", "variable"], how="left", maintain_order="left")
    # What no file tells of, as of an AQM in Python, is all drawn.
    unheard = pl.col("rank").max().over("label", "component").fill_null(0) == 0
    wanted = pl.col("variable").is_in(variables) if variables else pl.col("rank").is_not_null() | unheard
    plain = pl.when(pl.col("variable") == "queue").then(pl.lit(_QUEUE)).otherwise("variable")
    columns = (pl.col("rank").fill_null(PANELS), pl.col("heading").fill_null(plain))
    order = pl.col("label").replace_strict(list(labels), list(range(len(labels)))).alias("order")
    found = chosen.filter(wanted).with_columns(*columns, order)
    return found.sort("order", "component", "rank", maintain_order=True).drop("order")


def _told(sweep: Sweep, point: int, labels: Sequence[str]) -> pl.DataFrame:
    """Of each queue, by label and component, the variables that it is known by: `rank`, from 0, which is the
    queue itself, and `heading`, with the unit."""
    schema = {"label": pl.String, "component": pl.String, "variable": pl.String, "rank": pl.Int64}
    rows: list[tuple[str, str, str, int, str]] = []
    for label in labels:
        variant = sweep.variants[sweep.labels.index(label)]
        try:
            names = placed(sweep.resolved_at(point, variant))
        except ScenarioError:
            # A file that it names is no longer there.
            continue
        for component_, name in names.items():
            law = find(name)
            rows.append((label, component_, "queue", 0, _QUEUE))
            for rank, variable in enumerate(law.figure, 1):
                unit = law.variables[variable].default_unit
                heading = f"{variable} ({SYMBOLS.get(unit, unit)})" if unit else variable
                rows.append((label, component_, variable, rank, heading))
    return pl.DataFrame(rows, schema={**schema, "heading": pl.String}, orient="row")


def envelope(samples: pl.DataFrame, keys: Sequence[str], slots: int = SLOTS) -> pl.DataFrame:
    """`time_s` and `value` in at most `slots` slots of time per value of the keys, nothing cut off.

    Columns: the keys, time_s (middle of the slot), slot_s (its length), lowest, mean, highest.
    """
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
