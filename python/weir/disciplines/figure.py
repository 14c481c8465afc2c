"""What a discipline does on the standard step of load, as a figure."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

import altair as alt
import polars as pl

from weir import _core
from weir.plot import ROWS, Figure, envelope, style
from weir.sweep.execute import unrecorded

if TYPE_CHECKING:
    from weir.disciplines.reference import Discipline
    from weir.scenario.scenario import Scenario, Variant
    from weir.scenario.toml import Value

SLOTS = 240
"""Of a curve: a picture in the documentation is small."""

_SYMBOLS = {"bytes": "B", "bytes per second": "B/s", "seconds": "s"}
"""Of the units that take prefixes."""

_PREFIXES = ((1e6, "M"), (1e3, "k"), (1.0, ""), (1e-3, "m"))
"""From how much on each is taken."""

_HEIGHTS = (120, 70)
"""Of the panel of the queue, and of each below."""

_EXTENT = 34
"""Of the labels of an axis."""


def figures(scenario: Scenario, disciplines: Sequence[Discipline]) -> dict[str, Figure]:
    """One figure per discipline, by name: all with the same traffic, but for what a discipline sets."""
    steps = loads(scenario)
    series = _series(scenario, disciplines)
    found: dict[str, Figure] = {}
    for discipline in disciplines:
        wanted = ["queue", *discipline.figure]
        samples = series[discipline.name].filter(pl.col("variable").is_in(wanted))
        rows = envelope(samples, ["variable"], SLOTS)
        if set(rows["variable"]) != set(wanted):
            raise ValueError(f"{discipline.name} does not record all of {', '.join(wanted)}")
        rows, panels = _scaled(rows, {"queue": "packets", **_units(discipline)})
        found[discipline.name] = Figure(
            discipline.name,
            f"{discipline.title} on a step of load",
            f"{scenario.title}.",
            _chart(panels, steps, scenario.duration),
            rows.drop("slot_s"),
        )
    return found


def shown(scenario: Scenario, discipline: Discipline) -> Scenario:
    """What the discipline is shown on."""
    aqm: dict[str, Value] = {f"{scenario.core.network.bottleneck.key}.queue": {discipline.name: {}}}
    return scenario.replace(aqm).replace(discipline.set)


def _series(scenario: Scenario, disciplines: Sequence[Discipline]) -> dict[str, pl.DataFrame]:
    """What the bottleneck records under each; one run for all that change nothing."""
    found: dict[str, pl.DataFrame] = {}
    for discipline in disciplines:
        if discipline.set:
            one = shown(scenario, discipline)
            found |= _samples(one, [replace(one.itself(), name=discipline.name)])
    alike = [discipline.name for discipline in disciplines if not discipline.set]
    if alike:
        found |= _samples(scenario, scenario.chosen(disciplines=alike))
    return found


def _samples(scenario: Scenario, variants: Sequence[Variant]) -> dict[str, pl.DataFrame]:
    """What the bottleneck records in one run of each variant."""
    with unrecorded(scenario.core, variants, 1) as sweep:
        here = sweep.series.filter(pl.col("component") == f"links.{sweep.bottleneck}.forward")
    return {one.name: here.filter(pl.col("variant") == one.name) for one in variants}


def _units(discipline: Discipline) -> dict[str, str | None]:
    return {name: discipline.variables[name].default_unit for name in discipline.figure}


def _scaled(rows: pl.DataFrame, units: Mapping[str, str | None]) -> tuple[pl.DataFrame, dict[str, str]]:
    """The rows in units of which few digits are needed, and the titles of the panels."""
    titles: dict[str, str] = {}
    for name, declared in units.items():
        this, unit = pl.col("variable") == name, declared
        symbol = _SYMBOLS.get(unit or "")
        if symbol is not None:
            highest = cast("float", rows.filter(this)["highest"].max())
            factor, prefix = next((s for s in _PREFIXES if highest >= s[0]), _PREFIXES[-1])
            numbers = pl.col("lowest", "mean", "highest")
            rows = rows.with_columns(pl.when(this).then(numbers / factor).otherwise(numbers))
            unit = f"{prefix}{symbol}"
        title = "Queue" if name == "queue" else name
        titles[name] = title if unit is None else f"{title} ({unit})"
    return rows, titles


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
        # Above its panel, and above the flows: beside it a long name would not fit.
        axis = alt.Axis(
            tickCount=4 if place == 0 else 3,
            minExtent=_EXTENT,
            titleAngle=0,
            titleAlign="left",
            titleBaseline="bottom",
            titleX=-_EXTENT,
            titleY=-9 if place else -20,
        )
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
    return cast("alt.VConcatChart", cast("Any", alt.vconcat(*drawn, spacing=10)))


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
