"""Figure of a discipline's behaviour on the standard step of load."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

import altair as alt
import polars as pl

from weir.plot import UNIT_SYMBOLS, Figure, chart, envelope, style, swings, time_side
from weir.sweep import unrecorded

if TYPE_CHECKING:
    from weir.disciplines import Discipline
    from weir.scenario import Scenario, Value

SLOTS = 240
"""Time slots of a curve: a picture in the documentation is small."""

_PREFIXES = ((1e6, "M"), (1e3, "k"), (1.0, ""), (1e-3, "m"))
"""Prefixes of units with a symbol, each with the least value from which it is used."""

_EXTENT = 34
"""Width of the labels of an axis, in pixels."""


def figures(scenario: Scenario, disciplines: Sequence[Discipline]) -> dict[str, Figure]:
    """Figures of the disciplines by name, all with the same traffic, except for the settings of a
    discipline."""
    series = _series(scenario, disciplines)
    found: dict[str, Figure] = {}
    for discipline in disciplines:
        wanted = ["queue", *discipline.figure]
        rows = envelope(
            series.filter(variant=discipline.name).filter(pl.col("variable").is_in(wanted)),
            ["variable"],
            SLOTS,
        )
        if set(rows["variable"]) != set(wanted):
            raise ValueError(f"{discipline.name} does not record all of {', '.join(wanted)}")
        units = {name: discipline.variables[name].default_unit for name in discipline.figure}
        rows, panels = _scaled(rows, {"queue": "packets", **units})
        found[discipline.name] = Figure(
            discipline.name,
            f"{discipline.title} on a step of load",
            f"{scenario.title}.",
            _chart(panels, loads(scenario), scenario.duration),
            rows.drop("slot_s"),
        )
    return found


def shown(scenario: Scenario, discipline: Discipline) -> Scenario:
    """Scenario with this discipline at the bottleneck, and the settings it is shown with."""
    aqm: dict[str, Value] = {f"{scenario.network.bottleneck.key}.queue": {discipline.name: {}}}
    return scenario.replace(aqm).replace(discipline.set)


def _series(scenario: Scenario, disciplines: Sequence[Discipline]) -> pl.DataFrame:
    """Records the bottleneck's time series in a run of each discipline."""
    variants = [replace(shown(scenario, one).itself(), name=one.name) for one in disciplines]
    with unrecorded(scenario.core, variants, 1) as sweep:
        here = sweep.series.filter(pl.col("component") == f"links.{sweep.bottleneck}.forward")
    return here.with_columns(pl.col("variant", "variable").cast(pl.String))


def _scaled(rows: pl.DataFrame, units: Mapping[str, str | None]) -> tuple[pl.DataFrame, dict[str, str]]:
    """Rows in units that need few digits, and the titles of the panels."""
    titles: dict[str, str] = {}
    for name, declared in units.items():
        this, unit = pl.col("variable") == name, declared
        if unit in UNIT_SYMBOLS:
            highest = cast("float", rows.filter(this)["highest"].max())
            factor, prefix = next((s for s in _PREFIXES if highest >= s[0]), _PREFIXES[-1])
            numbers = pl.col("lowest", "mean", "highest")
            rows = rows.with_columns(pl.when(this).then(numbers / factor).otherwise(numbers))
            unit = f"{prefix}{UNIT_SYMBOLS[unit]}"
        titles[name] = f"{'Queue' if name == 'queue' else name} ({unit})".removesuffix(" (None)")
    return rows, titles


def loads(scenario: Scenario) -> list[tuple[float, int]]:
    """Number of flows from each instant on, in seconds, in the order of time."""
    network = scenario.network
    return [(change.at_s, change.after) for change in network.port(network.bottleneck.name).load]


def _chart(panels: Mapping[str, str], steps: Sequence[tuple[float, int]], end: float) -> alt.VConcatChart:
    names = list(panels)
    look = style.look(names, None, "variable")
    drawn: list[alt.LayerChart] = []
    for name, title in panels.items():
        first, last = name == names[0], name == names[-1]
        # Above its panel, and above the flows: beside it a long name would not fit.
        above = {"titleAngle": 0, "titleAlign": "left", "titleBaseline": "bottom", "titleX": -_EXTENT}
        axis = {"tickCount": 4 if first else 3, "minExtent": _EXTENT, "titleY": -20 if first else -9, **above}
        pen = chart.Pen(time_side(end, labels=last), chart.side("y", title, axis=axis), look)
        curves = swings(pen.where(f"datum.variable == {name!r}"))
        drawn.append(
            chart.panel([*curves, *_steps(steps, end, named=first)], style.WIDTH, 120 if first else 70)
        )
    # Altair's types say too little of what follows.
    return cast("alt.VConcatChart", cast("Any", alt.vconcat(*drawn, spacing=10)))


def _steps(steps: Sequence[tuple[float, int]], end: float, *, named: bool) -> list[alt.Chart]:
    """Lines at every change of the load, and the number of flows above the first panel."""
    changes = [time for time, _ in steps[1:]]
    rules = alt.Chart(alt.Data(values=[{"x": time} for time in changes]))
    rules = rules.mark_rule(color=style.GREY, strokeDash=[3, 3]).encode(x="x:Q")
    if not named:
        return [rules]
    texts = [
        {"x": (time + until) / 2, "text": f"{flows} flows"}
        for (time, flows), until in zip(steps, [*changes, end], strict=True)
    ]
    names = alt.Chart(alt.Data(values=texts)).mark_text(
        baseline="bottom", dy=-3, color=style.GREY, fontSize=10
    )
    return [rules, names.encode(x="x:Q", y=alt.YValue(0), text="text:N")]
