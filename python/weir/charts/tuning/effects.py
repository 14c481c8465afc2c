"""What each parameter does to each target's measure, by the coarse design."""

from __future__ import annotations

from collections.abc import Sequence

from weir.charts.figure import Figure
from weir.charts.tuning.data import Data, Point
from weir.charts.tuning.scales import NEAR_FULL, sentence, words_of
from weir.charts.tuning.sheets import Line, Mark, Role, Sheet, Sheets, drawn
from weir.tuning.answer import Confirmed, Shape
from weir.tuning.targets import Target


def effects(data: Data, index: int) -> Figure:
    """Every target's measure along parameter `index`: a panel per measure."""
    targets = list({target.measure: target for target in data.answer.targets}.values())
    return drawn(
        Sheets(
            name=f"effect-{data.axes[index].column.replace('.', '-')}",
            title=f"What {data.titles[index]} does",
            caption=_caption(data, index),
            x=data.heading(index),
            sheets=[_sheet(data, index, target) for target in targets],
            log_x=data.axes[index].log,
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


def _sheet(data: Data, index: int, target: Target) -> Sheet:
    name = sentence(words_of(target.of))
    shape = shape_of(data, index, target.measure)
    return Sheet(
        name if shape is None else f"{name} {_briefly(shape, data, index)}",
        target.of.heading,
        _lines(data, index, target.measure),
        _marks(data, index, target),
        [t.bound for t in data.answer.targets if t.measure == target.measure],
        full=target.measure in NEAR_FULL,
    )


def _briefly(shape: Shape, data: Data, index: int) -> str:
    """The same for a panel, whose axis names the parameter: `falls, then grows (at 0.1)`."""
    if shape.said == "no effect shown":
        return "shows no effect"
    if shape.turns_at is None:
        return shape.said
    return f"{shape.said} (at {float(data.axes[index].drawn(shape.turns_at)):.3g})"


def _lines(data: Data, index: int, measure: str) -> list[Line]:
    """A line per level of the next parameter, over the levels of any others the mean."""
    if len(data.axes) == 1:
        return [
            _line("settings tried", index, measure, [[p] for p in sorted(data.points, key=lambda p: p.at)])
        ]
    if not data.combined:
        # There is nothing that lines could join.
        x = [p.at[index] for p in data.points]
        return [Line("settings tried", x, [p.means[measure] for p in data.points], joined=False)]
    other = (index + 1) % len(data.axes)
    lines: list[Line] = []
    for level in data.levels[other]:
        groups = [
            [p for at, p in data.grid.items() if at[index] == number and at[other] == level]
            for number in data.levels[index]
        ]
        lines.append(_line(data.level(other, level), index, measure, groups))
    return lines


def _line(label: str, index: int, measure: str, groups: Sequence[Sequence[Point]]) -> Line:
    x = [points[0].at[index] for points in groups]
    return Line(label, x, [sum(p.means[measure] for p in points) / len(points) for points in groups])


def _marks(data: Data, index: int, target: Target) -> list[Mark]:
    """The defaults and the chosen setting, with intervals, on fresh seeds."""
    found: list[Mark] = []
    default, chosen = data.defaults[index], data.chosen
    if default is not None and not (data.axes[index].log and default <= 0.0):
        found.append(_mark(data, "defaults", default, data.answer.defaults, target))
    if chosen is not None:
        found.append(_mark(data, "chosen", chosen[index], data.answer.chosen, target))
    return found


def _mark(data: Data, role: Role, x: float, judged: Confirmed, target: Target) -> Mark:
    # Of several conditions the one that is worst for the target, as the dots are.
    worst = max(data.of_target(judged, target), key=lambda outcome: outcome.shortfall)
    return Mark(role, x, worst.mean, worst.mean - worst.half_width, worst.mean + worst.half_width)


def _caption(data: Data, index: int) -> str:
    where = f" in the worst of {data.conditions} conditions" if data.conditions > 1 else ""
    said = [f"Dots: the mean over replications{where}, with the same seeds everywhere."]
    if data.combined and len(data.axes) > 1:
        other = data.titles[(index + 1) % len(data.axes)]
        said.append(f"A line for each {other} of the coarse design")
        said[-1] += ", over the other parameters the mean." if len(data.axes) > 2 else "."
    if data.answer.shapes:
        said.append("Above each panel: what is shown with 95% confidence along all lines together.")
    elif not data.combined:
        said.append("The other parameters differ from dot to dot.")
    said.append(f"Green: the target. {data.marks_said[:-1]}, on fresh seeds")
    said[-1] += " with 95% intervals."
    return " ".join(said)
