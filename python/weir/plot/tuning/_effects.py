"""Figures of tuning made of curves: effects of parameters, the worst ratio, seeds, a changing load."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import exp

import numpy as np
import polars as pl

from weir.plot._chart import is_wide
from weir.plot._curves import Curve, Facet, Plot, draw
from weir.plot._figure import Figure
from weir.plot.tuning._data import Data
from weir.stats._intervals import Interval
from weir.tune._online import PHASE_S, SETTLED, Phase
from weir.tune._targets import Target
from weir.tune._text import ROLES, measure_words, sentence_case, shape_words, target_words

SPAN = 4.0
"""Ratio of the largest to the smallest value from which an axis is logarithmic."""

READ = "1 is on the bound, below 1 meets it; where nearly all is asked for, the ratio is of what lacks."


def effects(data: Data, index: int) -> Figure:
    """Every target's measure along parameter `index`: a panel per measure."""
    where = f" in the worst of {data.conditions} conditions" if data.conditions > 1 else ""
    said = [f"Dots: the mean over replications{where}, with the same seeds everywhere."]
    if data.combined and len(data.axes) > 1:
        other = data.titles[(index + 1) % len(data.axes)]
        rest = ", over the other parameters the mean" if len(data.axes) > 2 else ""
        said.append(f"A line for each {other} of the coarse design{rest}.")
    if data.answer.shapes:
        said.append("Above each panel: what is shown with 95% confidence along all lines together.")
    elif not data.combined:
        said.append("The other parameters differ from dot to dot.")
    said.append(f"{data.marks_said[:-1]}, on fresh seeds with 95% intervals.")
    return draw(
        Plot(
            f"effect-{data.axes[index].column.replace('.', '-')}",
            f"What {data.titles[index]} does",
            " ".join(said),
            data.heading(index),
            [_effect(data, index, target) for target in data.targets],
            log_x=data.axes[index].log,
            ordered=True,
        )
    )


def _effect(data: Data, index: int, target: Target) -> Facet:
    title = sentence_case(measure_words(target.of))
    for shape in data.answer.shapes:
        if (shape.path, shape.measure) == (data.axes[index].column, target.measure):
            title += f": {shape_words(shape)}"
    curves = _lines(data, index, target.measure)
    for mark, judged, place in data.along(index):
        worst = data.worst(judged, target)
        low, high = worst.mean - worst.half_width, worst.mean + worst.half_width
        curves.append(Curve(mark, [place], [worst.mean], [low], [high], mark))
    bounds = [t.bound for t in data.answer.targets if t.measure == target.measure]
    return _facet(title, target, curves, bounds, SPAN)


def _facet(
    title: str, target: Target, curves: Sequence[Curve], bounds: Sequence[float], span: float
) -> Facet:
    full = target.of.full is not None
    log = not full and is_wide([*(y for curve in curves for y in curve.y), *bounds], span)
    return Facet(title, target.of.heading, curves, [(b, "target") for b in bounds], zero=not full, log=log)


def _lines(data: Data, index: int, measure: str) -> list[Curve]:
    """A line per level of the next parameter, over the levels of any others the mean."""
    place = data.columns[index]
    if len(data.axes) > 1 and not data.combined:
        # There is nothing that lines could join.
        x, y = data.points[place].to_list(), data.points[measure].to_list()
        return [Curve("settings tried", x, y, kind="dot")]
    if len(data.axes) == 1:
        lines = {"settings tried": data.points.sort(place)}
    else:
        index = (index + 1) % len(data.axes)
        other = data.columns[index]
        means = data.grid.group_by(other, place).agg(pl.col(measure).mean()).sort(other, place)
        lines = {data.level(index, line[other][0]): line for line in means.partition_by(other)}
    return [Curve(name, line[place].to_list(), line[measure].to_list()) for name, line in lines.items()]


def shortfall_curve(data: Data) -> Figure:
    """The worst ratio of measure to bound along the only parameter."""
    points = data.points.sort("p0")
    if len(data.answer.targets) > 1 and data.conditions == 1:
        # The worst is the highest of these.
        ratios = {
            target_words(target): np.exp(target.shortfall(points[target.measure].to_numpy())).tolist()
            for target in data.answer.targets
        }
    else:
        ratios = {"the worst target": points["shortfall"].exp().to_list()}
    curves = [Curve(name, points["p0"].to_list(), ratio) for name, ratio in ratios.items()]
    for mark, judged, place in data.along(0):
        curves.append(Curve(mark, [place], [exp(judged.worst.shortfall)], kind=mark))
    log = is_wide([1.0, *(y for curve in curves for y in curve.y)], SPAN)
    facet = Facet("", "Ratio of measure to bound", curves, [(1.0, "bound")], log=log)
    caption = f"{READ} A setting is as good as its worst target: the highest line counts. {data.marks_said}"
    title = "Where the targets are met"
    return draw(Plot("shortfall", title, caption, data.heading(0), [facet], log_x=data.axes[0].log))


def seeds(data: Data) -> Figure:
    """What the targets' measures were with each of the fresh seeds: what the verdict is made of."""
    facets: list[Facet] = []
    for target in dict.fromkeys(data.answer.targets):
        curves: list[Curve] = []
        for mark, judged, _ in data.marks:
            values: list[float] = data.worst(judged, target).values.tolist()
            curves.append(Curve(mark, range(1, len(values) + 1), values, kind=mark))
        every = [*(y for curve in curves for y in curve.y), target.bound]
        title, zero = sentence_case(measure_words(target.of)), max(every) >= 2 * min(every)
        facets.append(Facet(title, target.of.heading, curves, [(target.bound, "target")], zero=zero))
    name = ROLES[data.answer.verdict]
    where = f", in the worst of {data.conditions} conditions" if data.conditions > 1 else ""
    named = "Squares: the defaults." if name == "defaults" else f"Diamonds: {name}; squares: the defaults."
    caption = (
        f"One mark per seed that had no part in the search{where}. {named} The means have to meet the "
        "targets, not every seed."
    )
    return draw(Plot("fresh-seeds", "Seed by seed", caption, "Fresh seed", facets))


_FINE = 17
"""Points of a phase: so many that lines are drawn without symbols, as nothing was measured at a point."""

_INTERVALS: dict[str, Callable[[Phase], Interval]] = {
    "delay_mean": lambda phase: phase.delay,
    "loss": lambda phase: phase.loss,
}


def course(phases: Sequence[Phase], targets: Sequence[Target]) -> Figure:
    """The answer beside OP-RED, which adapts itself, while the load changes: delay, loss and load."""
    by_label: dict[str, list[Phase]] = {}
    for phase in phases:
        by_label.setdefault(phase.label, []).append(phase)
    facets: list[Facet] = []
    for target in dict.fromkeys(targets):
        if target.measure in _INTERVALS:
            curves = [_course(label, mine, _INTERVALS[target.measure]) for label, mine in by_label.items()]
            title = sentence_case(measure_words(target.of))
            facets.append(_facet(title, target, curves, [target.bound], 5.0 * SPAN))
    first = next(iter(by_label.values()))
    load = Curve("load", _times(first), np.repeat([float(phase.users) for phase in first], _FINE).tolist())
    facets.append(Facet("Load", "Flows", [load]))
    caption = (
        f"{sentence_case(' and '.join(by_label))} on the same traffic while the load changes: the mean of "
        f"each phase without its first {SETTLED * PHASE_S:.0f} s, with its 95% interval as a band. The "
        "setting was found for the first load."
    )
    title = "Under a load that changes"
    return draw(Plot("over-time", title, caption, "Time (s)", facets, columns=len(facets)))


def _course(label: str, phases: Sequence[Phase], interval: Callable[[Phase], Interval]) -> Curve:
    found = [interval(phase) for phase in phases]
    ends = [(one.mean, one.low or one.mean, one.high or one.mean) for one in found]
    mean, low, high = np.repeat(np.array(ends), _FINE, axis=0).T.tolist()
    return Curve(label, _times(phases), mean, low, high)


def _times(phases: Sequence[Phase]) -> list[float]:
    return np.concatenate([p.from_s + np.linspace(0.0, PHASE_S, _FINE) for p in phases]).tolist()
