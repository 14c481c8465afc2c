"""The figures that a report shows of a sweep."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

from weir.plot._figure import Figure, Panel
from weir.plot._kinds import figure
from weir.stats.measures import HEADLINE, MEASURES
from weir.sweep.dimension import PERIODS, VARIANTS, ChartError
from weir.sweep.view import Sweep

MAIN = (*HEADLINE, "delay_mean", "delay_p99", "jain")
"""The measures that a reader can choose from where there is most to see."""

FEW = (*HEADLINE, "delay_p99")


def panels_of(sweep: Sweep) -> list[Panel]:
    """What there is to show, in order. Nothing that the sweep has no data for: no map of one axis."""
    if sweep.observations().is_empty():
        return []
    columns = [d.column for d in sweep.dimensions]
    axes = [column for column in columns if column not in {VARIANTS, *PERIODS}]
    periods = [column for column in columns if column in PERIODS]
    stepwise = sweep.design == "grid"
    return [
        *_measures(sweep, "sensitivity", FEW),
        *_measures(sweep, "lines", MAIN if stepwise else ()),
        *_measures(sweep, "trend", () if stepwise else FEW),
        # Without an axis, the lines before are these.
        *(panel for x in periods if axes for panel in _measures(sweep, "lines", HEADLINE, x)),
        *_measures(sweep, "heat", FEW if axes else ()),
        *_panel("tradeoff", {"": _drawn(sweep, "tradeoff")}),
        *_panel("ellipses", {"": _drawn(sweep, "ellipses")}),
        *_panel("delays", {"Distribution": _drawn(sweep, "cdf"), "Tail": _drawn(sweep, "tail")}),
        *_panel("slowdown", {"": _drawn(sweep, "slowdown")}),
        *_panel("over-time", _over_time(sweep)),
    ]


def figures_of(sweep: Sweep) -> list[Figure]:
    """Every figure of the report."""
    return [figure for panel in panels_of(sweep) for figure in panel.figures]


def _measures(sweep: Sweep, kind: str, names: Sequence[str], x: str | None = None) -> list[Panel]:
    drawn = {MEASURES[name].title: _drawn(sweep, kind, name, x) for name in names}
    return _panel(f"{kind}{f'-{x}' if x else ''}", drawn)


def _over_time(sweep: Sweep) -> dict[str, Figure | None]:
    """The queue, which all variants have, alone; then everything that was recorded."""
    queue, every = _drawn(sweep, "over_time", "queue"), _drawn(sweep, "over_time")
    if queue is None or every is None or queue.rows["panel"].n_unique() == every.rows["panel"].n_unique():
        return {"Queue": queue}
    return {"Queue": queue, "Every variable": every}


def _panel(name: str, drawn: dict[str, Figure | None]) -> list[Panel]:
    """A place for those that there are; none for none."""
    there = {choice: figure for choice, figure in drawn.items() if figure is not None}
    return [Panel(f"panel-{name}", tuple(there.values()), tuple(there))] if there else []


def _drawn(sweep: Sweep, kind: str, measure: str | None = None, x: str | None = None) -> Figure | None:
    # What a sweep has no data for is left out: no fault of its own.
    with suppress(ChartError):
        drawn = figure(sweep, kind, measure=measure, x=x)
        return None if drawn.rows.is_empty() else drawn
    return None
