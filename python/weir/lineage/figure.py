"""What a discipline does on the standard step of load, as a figure."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

import altair as alt
import polars as pl

from weir import _core
from weir.charts import style
from weir.charts.curves import envelope
from weir.charts.figure import ROWS, Figure

if TYPE_CHECKING:
    from weir.lineage.reading import Discipline
    from weir.scenario import Scenario

SLOTS = 240
"""Of a curve: a picture in the documentation is small."""

_HEIGHTS = (120, 70)
"""Of the panel of the queue, and of each below."""


def figures(scenario: Scenario, disciplines: Sequence[Discipline]) -> dict[str, Figure]:
    """One figure per discipline, by name: all in one run, with the same traffic."""
    result = scenario.compare(disciplines=[discipline.name for discipline in disciplines])
    series = result.tables["series"].filter(
        pl.col("replication") == 0,
        pl.col("component").cast(pl.String) == f"links.{scenario.links[0]}.forward",
    )
    steps = loads(scenario)
    found: dict[str, Figure] = {}
    for discipline in disciplines:
        panels = {"queue": "Queue (packets)", **{name: name for name in discipline.figure}}
        samples = series.filter(pl.col("variant").cast(pl.String) == discipline.name).with_columns(
            pl.col("variable").cast(pl.String)
        )
        rows = envelope(samples.filter(pl.col("variable").is_in(list(panels))), ["variable"], SLOTS)
        if set(rows["variable"]) != set(panels):
            raise ValueError(f"{discipline.name} does not record all of {', '.join(panels)}")
        found[discipline.name] = Figure(
            discipline.name,
            f"{discipline.title} on a step of load",
            f"{scenario.title}.",
            _chart(panels, steps, scenario.duration),
            rows.drop("slot_s"),
        )
    return found


def loads(scenario: Scenario) -> list[tuple[float, int]]:
    """How many flows there are from when on, in the order of time."""
    groups: Mapping[str, Any] = tomllib.loads(scenario.to_toml())["flows"]
    changes: dict[float, int] = {}
    for group in groups.values():
        start = _seconds(group.get("start", "0 s"))
        changes[start] = changes.get(start, 0) + int(group["count"])
        if "stop" in group:
            stop = _seconds(group["stop"])
            changes[stop] = changes.get(stop, 0) - int(group["count"])
    flows, steps = 0, list[tuple[float, int]]()
    for time in sorted(changes):
        flows += changes[time]
        steps.append((time, flows))
    return steps


def _chart(panels: Mapping[str, str], steps: Sequence[tuple[float, int]], end: float) -> alt.VConcatChart:
    names = list(panels)
    drawn: list[alt.LayerChart] = []
    for place, (name, title) in enumerate(panels.items()):
        last = place == len(names) - 1
        x = alt.X(
            "time_s:Q",
            title="Time (s)" if last else None,
            axis=alt.Axis(grid=False, labels=last),
            scale=alt.Scale(domain=[0.0, end], nice=False),
        )
        axis = alt.Axis(tickCount=4 if place == 0 else 3, minExtent=34, titleLimit=120)
        base = alt.Chart(ROWS).encode(x=x, color=style.colour(names, None, "variable"))
        base = base.transform_filter(alt.datum.variable == name)
        area = base.mark_area(fillOpacity=0.3).encode(
            y=alt.Y("lowest:Q", title=title, axis=axis), y2="highest:Q"
        )
        line = base.mark_line(strokeWidth=1).encode(y=alt.Y("mean:Q", title=title, axis=axis))
        marks = _steps(steps, end, named=place == 0)
        height = _HEIGHTS[min(place, 1)]
        # Altair's types say too little of what follows.
        layers = cast("Any", alt.layer(area, line, *marks))
        drawn.append(layers.properties(width=style.WIDTH, height=height))
    return cast("alt.VConcatChart", cast("Any", alt.vconcat(*drawn, spacing=8)))


def _steps(steps: Sequence[tuple[float, int]], end: float, *, named: bool) -> list[alt.Chart]:
    """A line at every change of the load; above the first panel, how many flows there are."""
    data = alt.Data(values=[{"x": time} for time, _ in steps[1:]])
    rules = alt.Chart(data).mark_rule(color=style.GREY, strokeDash=[3, 3]).encode(x="x:Q")
    if not named:
        return [rules]
    ends = [*(time for time, _ in steps[1:]), end]
    texts = [
        {"x": (time + until) / 2, "text": f"{flows} flows"}
        for (time, flows), until in zip(steps, ends, strict=True)
    ]
    names = alt.Chart(alt.Data(values=texts)).mark_text(
        baseline="bottom", dy=-3, color=style.GREY, fontSize=10
    )
    return [rules, names.encode(x="x:Q", y=alt.value(0), text="text:N")]


def _seconds(text: str) -> float:
    return _core.quantity(text)[0]
