"""The answer beside OP-RED, which steers itself, while the load changes."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from weir.charts.figure import Figure
from weir.charts.study import Curve, Facet, Plot, figure
from weir.charts.tuning.scales import sentence, words_of
from weir.statistics import Interval
from weir.tuning.online import PHASE_S, SETTLED, Phase
from weir.tuning.targets import Target

LOGARITHMIC = 20.0
"""Ratio of the largest to the smallest mean from which an axis is so."""

_FINE = 17
"""Points of a phase: so many that lines are drawn without symbols, as nothing was measured at a point."""

_INTERVALS: dict[str, Callable[[Phase], Interval]] = {
    "delay_mean": lambda phase: phase.delay,
    "loss": lambda phase: phase.loss,
}


def course(phases: Sequence[Phase], targets: Sequence[Target]) -> Figure:
    """Delay, loss and load, phase by phase."""
    drawn = [target for target in dict.fromkeys(targets) if target.measure in _INTERVALS]
    facets = [_facet(phases, target) for target in drawn]
    first = [phase for phase in phases if phase.law == phases[0].law]
    x, users = _steps(first, lambda phase: float(phase.users))
    facets.append(Facet("Load", "Flows", [Curve("load", x, users)]))
    laws = " and ".join(dict.fromkeys(phase.law for phase in phases))
    caption = (
        f"{sentence(laws)} on the same traffic while the load changes: the mean of each phase without its "
        f"first {SETTLED * PHASE_S:.0f} s, with its 95% interval as a band. The setting was found for the "
        "first load."
    )
    plot = Plot("over-time", "Under a load that changes", caption, "Time (s)", facets, columns=len(facets))
    return figure(plot)


def _facet(phases: Sequence[Phase], target: Target) -> Facet:
    interval = _INTERVALS[target.measure]
    curves: list[Curve] = []
    for law in dict.fromkeys(phase.law for phase in phases):
        mine = [phase for phase in phases if phase.law == law]
        x, y = _steps(mine, lambda p: interval(p).mean)
        low = _steps(mine, lambda p: interval(p).mean - (interval(p).half_width or 0.0))[1]
        high = _steps(mine, lambda p: interval(p).mean + (interval(p).half_width or 0.0))[1]
        curves.append(Curve(law, x, y, low, high))
    values = [value for curve in curves for value in curve.y]
    log = 0.0 < LOGARITHMIC * min(values) < max(values)
    name = sentence(words_of(target.of))
    return Facet(name, target.of.heading, curves, [(target.bound, "target")], log=log)


def _steps(phases: Sequence[Phase], value: Callable[[Phase], float]) -> tuple[list[float], list[float]]:
    x: list[float] = []
    y: list[float] = []
    for phase in phases:
        x += [phase.from_s + PHASE_S * i / (_FINE - 1) for i in range(_FINE)]
        y += [value(phase)] * _FINE
    return x, y
