"""Figures of tuning made of curves: effects of parameters, the worst ratio, seeds, a changing load."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from math import exp

import numpy as np

from weir.plot._curves import Curve, Facet, Kind, Plot, draw
from weir.plot._figure import Figure
from weir.plot._parts import NEAR_FULL
from weir.plot.tuning.data import Data, Point
from weir.plot.tuning.words import ROLES, sentence, words_of
from weir.stats.intervals import Interval
from weir.tune.answer import Confirmed, Shape
from weir.tune.online import PHASE_S, SETTLED, Phase
from weir.tune.targets import Target

SPAN = 4.0
"""Ratio of the largest to the smallest value from which an axis is logarithmic."""

READ = "1 is on the bound, below 1 meets it; where nearly all is asked for, the ratio is of what lacks."


def effects(data: Data, index: int) -> Figure:
    """Every target's measure along parameter `index`: a panel per measure."""
    targets = list({target.measure: target for target in data.answer.targets}.values())
    return draw(
        Plot(
            f"effect-{data.axes[index].column.replace('.', '-')}",
            f"What {data.titles[index]} does",
            _effects_caption(data, index),
            data.heading(index),
            [_effect(data, index, target) for target in targets],
            log_x=data.axes[index].log,
            ordered=True,
        )
    )


def said(shape: Shape, data: Data, index: int) -> str:
    """How a measure answers to a parameter, in words: `falls, then grows with max_p (turning at 0.1)`."""
    name = data.titles[index]
    if shape.said == "no effect shown":
        return f"no effect of {name} shown"
    if shape.turns_at is None:
        return f"{shape.said} with {name}"
    number = float(data.axes[index].drawn(shape.turns_at))
    unit = data.axes[index].unit
    return f"{shape.said} with {name} (turning at {number:.3g}{f' {unit}' if unit else ''})"


def shape_of(data: Data, index: int, measure: str) -> Shape | None:
    """What the coarse design says of a measure and a parameter."""
    path = data.axes[index].column
    found = (s for s in data.answer.shapes if s.path == path and s.measure == measure)
    return next(found, None)


def _effect(data: Data, index: int, target: Target) -> Facet:
    name = sentence(words_of(target.of))
    shape = shape_of(data, index, target.measure)
    curves = [*_lines(data, index, target.measure), *_marks(data, index, target)]
    bounds = [t.bound for t in data.answer.targets if t.measure == target.measure]
    full = target.measure in NEAR_FULL
    return Facet(
        name if shape is None else f"{name} {_briefly(shape, data, index)}",
        target.of.heading,
        curves,
        [(bound, "target") for bound in bounds],
        zero=not full,
        log=not full and _wide([*(y for curve in curves for y in curve.y), *bounds]),
    )


def _wide(values: Iterable[float]) -> bool:
    known = list(values)
    return 0.0 < SPAN * min(known) < max(known)


def _briefly(shape: Shape, data: Data, index: int) -> str:
    """The same for a panel, whose axis names the parameter: `falls, then grows (at 0.1)`."""
    if shape.said == "no effect shown":
        return "shows no effect"
    if shape.turns_at is None:
        return shape.said
    return f"{shape.said} (at {float(data.axes[index].drawn(shape.turns_at)):.3g})"


def _lines(data: Data, index: int, measure: str) -> list[Curve]:
    """A line per level of the next parameter, over the levels of any others the mean."""
    if len(data.axes) == 1:
        points = sorted(data.points, key=lambda p: p.at)
        return [_line("settings tried", index, measure, [[p] for p in points])]
    if not data.combined:
        # There is nothing that lines could join.
        x = [p.at[index] for p in data.points]
        return [Curve("settings tried", x, [p.means[measure] for p in data.points], kind="dot")]
    other = (index + 1) % len(data.axes)
    lines: list[Curve] = []
    for level in data.levels[other]:
        groups = [
            [p for at, p in data.grid.items() if at[index] == number and at[other] == level]
            for number in data.levels[index]
        ]
        lines.append(_line(data.level(other, level), index, measure, groups))
    return lines


def _line(label: str, index: int, measure: str, groups: Sequence[Sequence[Point]]) -> Curve:
    x = [points[0].at[index] for points in groups]
    return Curve(label, x, [sum(p.means[measure] for p in points) / len(points) for points in groups])


def _marks(data: Data, index: int, target: Target) -> list[Curve]:
    """The defaults and the chosen setting, with intervals, on fresh seeds."""
    found: list[Curve] = []
    default, chosen = data.defaults[index], data.chosen
    if default is not None and not (data.axes[index].log and default <= 0.0):
        found.append(_mark(data, "defaults", default, data.answer.defaults, target))
    if chosen is not None:
        found.append(_mark(data, "chosen", chosen[index], data.answer.chosen, target))
    return found


def _mark(data: Data, kind: Kind, x: float, judged: Confirmed, target: Target) -> Curve:
    worst = data.worst(judged, target)
    low, high = worst.mean - worst.half_width, worst.mean + worst.half_width
    return Curve(kind, [x], [worst.mean], [low], [high], kind)


def _effects_caption(data: Data, index: int) -> str:
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
    return " ".join(said)


def shortfall_curve(data: Data) -> Figure:
    """The worst ratio of measure to bound along the only parameter."""
    points = sorted(data.points, key=lambda p: p.at)
    x = [p.at[0] for p in points]
    curves = [Curve("the worst target", x, [exp(p.shortfall) for p in points])]
    if len(data.answer.targets) > 1 and data.conditions == 1:
        # The worst is the highest of these.
        curves = list[Curve]()
        for target in data.answer.targets:
            means = np.array([p.means[target.measure] for p in points])
            name = f"{words_of(target.of)} {target.sense} {target.bound:g} {target.of.unit}".strip()
            curves.append(Curve(name, x, np.exp(target.shortfall(means)).tolist()))
    default, chosen = data.defaults[0], data.chosen
    if default is not None:
        ratio = exp(data.answer.defaults.worst.shortfall)
        curves.append(Curve("defaults", [default], [ratio], kind="defaults"))
    if chosen is not None:
        ratio = exp(data.answer.chosen.worst.shortfall)
        curves.append(Curve("chosen", [chosen[0]], [ratio], kind="chosen"))
    log = _wide([1.0, *(y for curve in curves for y in curve.y)])
    facet = Facet("", "Ratio of measure to bound", curves, [(1.0, "bound")], log=log)
    caption = f"{READ} A setting is as good as its worst target: the highest line counts. {data.marks_said}"
    title = "Where the targets are met"
    return draw(Plot("shortfall", title, caption, data.heading(0), [facet], log_x=data.axes[0].log))


def seeds(data: Data) -> Figure:
    """What the targets' measures were with each of the fresh seeds: what the verdict is made of."""
    answer = data.answer
    judged: dict[Kind, Confirmed] = {"defaults": answer.defaults}
    if answer.chosen.setting:
        judged["chosen"] = answer.chosen
    facets: list[Facet] = []
    for target in dict.fromkeys(answer.targets):
        curves: list[Curve] = []
        for kind, confirmed in judged.items():
            values = [float(value) for value in data.worst(confirmed, target).values]
            curves.append(Curve(kind, [float(i) for i in range(1, len(values) + 1)], values, kind=kind))
        values = [*(y for curve in curves for y in curve.y), target.bound]
        facets.append(
            Facet(
                sentence(words_of(target.of)),
                target.of.heading,
                curves,
                [(target.bound, "target")],
                zero=max(values) >= 2 * min(values),
            )
        )
    name = ROLES[answer.verdict]
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
    drawn = [target for target in dict.fromkeys(targets) if target.measure in _INTERVALS]
    facets = [_course_facet(phases, target) for target in drawn]
    first = [phase for phase in phases if phase.label == phases[0].label]
    x, users = _steps(first, lambda phase: float(phase.users))
    facets.append(Facet("Load", "Flows", [Curve("load", x, users)]))
    both = " and ".join(dict.fromkeys(phase.label for phase in phases))
    caption = (
        f"{sentence(both)} on the same traffic while the load changes: the mean of each phase without its "
        f"first {SETTLED * PHASE_S:.0f} s, with its 95% interval as a band. The setting was found for the "
        "first load."
    )
    title = "Under a load that changes"
    return draw(Plot("over-time", title, caption, "Time (s)", facets, columns=len(facets)))


def _course_facet(phases: Sequence[Phase], target: Target) -> Facet:
    interval = _INTERVALS[target.measure]
    curves: list[Curve] = []
    for label in dict.fromkeys(phase.label for phase in phases):
        mine = [phase for phase in phases if phase.label == label]
        x, y = _steps(mine, lambda p: interval(p).mean)
        low = _steps(mine, lambda p: interval(p).mean - (interval(p).half_width or 0.0))[1]
        high = _steps(mine, lambda p: interval(p).mean + (interval(p).half_width or 0.0))[1]
        curves.append(Curve(label, x, y, low, high))
    values = [value for curve in curves for value in curve.y]
    log = 0.0 < 5.0 * SPAN * min(values) < max(values)
    name = sentence(words_of(target.of))
    return Facet(name, target.of.heading, curves, [(target.bound, "target")], log=log)


def _steps(phases: Sequence[Phase], value: Callable[[Phase], float]) -> tuple[list[float], list[float]]:
    x: list[float] = []
    y: list[float] = []
    for phase in phases:
        x += [phase.from_s + PHASE_S * i / (_FINE - 1) for i in range(_FINE)]
        y += [value(phase)] * _FINE
    return x, y
