"""The figures that a report shows of a sweep."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

from weir.charts.dimension import USERS, VARIANTS, ChartError, SweepData
from weir.charts.figure import Figure, Panel
from weir.charts.sweep.choice import figure
from weir.charts.sweep.once import Once
from weir.measures import HEADLINE, MEASURES

MAIN = (*HEADLINE, "delay_mean", "delay_p99", "jain")
"""The measures that a reader can choose from where there is most to see."""

FEW = (*HEADLINE, "delay_p99")


def panels_of(view: SweepData) -> list[Panel]:
    """What there is to show, in order. Nothing that the sweep has no data for: no map of one axis."""
    once = Once(view)
    if once.observations().is_empty():
        return []
    axes = [d for d in once.dimensions if d.column not in {USERS, VARIANTS}]
    stepwise = once.design == "grid"
    return [
        *_measures(once, "sensitivity", FEW),
        *_measures(once, "lines", MAIN if stepwise else ()),
        *_measures(once, "trend", () if stepwise else FEW),
        # Without an axis, the lines before are these.
        *_measures(once, "lines", HEADLINE if axes else (), x=USERS),
        *_measures(once, "heat", FEW),
        *_alone(once, "tradeoff"),
        *_alone(once, "ellipses"),
        *_delays(once),
        *_alone(once, "over_time"),
    ]


def figures_of(view: SweepData) -> list[Figure]:
    """Every figure of the report."""
    return [figure for panel in panels_of(view) for figure in panel.figures]


def _measures(view: SweepData, kind: str, names: Sequence[str], x: str | None = None) -> list[Panel]:
    drawn = [(MEASURES[name].title, _drawn(view, kind, name, x)) for name in names]
    there = [(title, figure) for title, figure in drawn if figure is not None]
    if not there:
        return []
    titles, figures = zip(*there, strict=True)
    return [Panel(f"panel-{kind}{f'-{x}' if x else ''}", figures, titles)]


def _alone(view: SweepData, kind: str) -> list[Panel]:
    drawn = _drawn(view, kind)
    return [] if drawn is None else [Panel(f"panel-{kind.replace('_', '-')}", (drawn,), (drawn.title,))]


def _delays(view: SweepData) -> list[Panel]:
    drawn = [found for kind in ("cdf", "tail") if (found := _drawn(view, kind)) is not None]
    if not drawn:
        return []
    return [Panel("panel-delays", tuple(drawn), ("Distribution", "Tail")[: len(drawn)])]


def _drawn(view: SweepData, kind: str, measure: str | None = None, x: str | None = None) -> Figure | None:
    # What a sweep has no data for is left out: no fault of its own.
    with suppress(ChartError):
        drawn = figure(view, kind, measure=measure, x=x)
        return None if drawn.rows.is_empty() else drawn
    return None
