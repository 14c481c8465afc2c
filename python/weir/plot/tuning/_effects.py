"""Figures of tuning over parameters, seeds, loads and conditions: curves, and maps of the worst ratio."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from math import exp, log, sqrt
from typing import Any

import altair as alt
import numpy as np
import polars as pl

from weir.plot import _chart as chart
from weir.plot import _style as style
from weir.plot._curves import draw
from weir.plot._figure import Figure
from weir.plot._maps import verdict_map
from weir.plot._plot import Curve, Facet, Plot
from weir.plot.tuning._data import Data
from weir.stats import Interval
from weir.stats.wording import sentence_case
from weir.sweep import Axis
from weir.tune import PHASE_S, SETTLED_SHARE, MapCell, Phase, Target, words

SPAN = 4.0
"""Ratio of the largest to the smallest value from which an axis is logarithmic."""

READ = "1 is on the bound, below 1 meets it; where nearly all is asked for, the ratio is of what lacks."


def effects(data: Data, index: int) -> Figure:
    """Measures of all targets along parameter `index`, a panel per measure."""
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
    title = sentence_case(words.measure_words(target.of))
    for shape in data.answer.shapes:
        if (shape.path, shape.measure) == (data.axes[index].column, target.measure):
            title += f": {words.shape_words(shape)}"
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
    log = not full and chart.is_wide([*(y for curve in curves for y in curve.y), *bounds], span)
    return Facet(title, target.of.heading, curves, [(b, "target") for b in bounds], zero=not full, log=log)


def _lines(data: Data, index: int, measure: str) -> list[Curve]:
    """Curves for the levels of the next parameter, each the mean over the levels of any others."""
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
        means = (
            data.grid.group_by(other, place, maintain_order=True)
            .agg(pl.col(measure).mean())
            .sort(other, place)
        )
        lines = {data.level(index, line[other][0]): line for line in means.partition_by(other)}
    return [Curve(name, line[place].to_list(), line[measure].to_list()) for name, line in lines.items()]


def shortfall_curve(data: Data) -> Figure:
    """Worst ratio of measure to bound along the only parameter."""
    points = data.points.sort("p0")
    if len(data.answer.targets) > 1 and data.conditions == 1:
        # The worst is the highest of these.
        ratios = {
            words.target_words(target): np.exp(target.shortfall(points[target.measure].to_numpy())).tolist()
            for target in data.answer.targets
        }
    else:
        ratios = {"the worst target": points["shortfall"].exp().to_list()}
    curves = [Curve(name, points["p0"].to_list(), ratio) for name, ratio in ratios.items()]
    for mark, judged, place in data.along(0):
        curves.append(Curve(mark, [place], [exp(judged.worst.shortfall)], kind=mark))
    log = chart.is_wide([1.0, *(y for curve in curves for y in curve.y)], SPAN)
    facet = Facet("", "Ratio of measure to bound", curves, [(1.0, "bound")], log=log)
    caption = f"{READ} A setting is as good as its worst target: the highest line counts. {data.marks_said}"
    title = "Where the targets are met"
    return draw(Plot("shortfall", title, caption, data.heading(0), [facet], log_x=data.axes[0].log))


def seeds(data: Data) -> Figure:
    """Measures of the targets with each of the fresh seeds, on which the verdict is based."""
    facets: list[Facet] = []
    for target in dict.fromkeys(data.answer.targets):
        curves: list[Curve] = []
        for mark, judged, _ in data.marks:
            values: list[float] = data.worst(judged, target).values.tolist()
            curves.append(Curve(mark, range(1, len(values) + 1), values, kind=mark))
        every = [*(y for curve in curves for y in curve.y), target.bound]
        title, zero = sentence_case(words.measure_words(target.of)), max(every) >= 2 * min(every)
        facets.append(Facet(title, target.of.heading, curves, [(target.bound, "target")], zero=zero))
    name = words.ROLES[data.answer.verdict]
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
    """Answer beside OP-RED, which adapts itself, while the load changes: delay, loss and load."""
    by_label: dict[str, list[Phase]] = {}
    for phase in phases:
        by_label.setdefault(phase.label, []).append(phase)
    facets: list[Facet] = []
    for target in dict.fromkeys(targets):
        if target.measure in _INTERVALS:
            curves = [_course(label, mine, _INTERVALS[target.measure]) for label, mine in by_label.items()]
            title = sentence_case(words.measure_words(target.of))
            facets.append(_facet(title, target, curves, [target.bound], 5.0 * SPAN))
    first = next(iter(by_label.values()))
    load = Curve("load", _times(first), np.repeat([float(phase.users) for phase in first], _FINE).tolist())
    facets.append(Facet("Load", "Flows", [load]))
    caption = (
        f"{sentence_case(' and '.join(by_label))} on the same traffic while the load changes: the mean of "
        f"each phase without its first {SETTLED_SHARE * PHASE_S:.0f} s, with its 95% interval as a band. The "
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


MOST = 3.0
"""Ratio from which a colour is as strong as it gets."""


def shortfall(data: Data) -> Figure | None:
    """Worst ratio over the box. None if it cannot be drawn: nothing was tried, or there is no grid."""
    match len(data.axes):
        # With one target, its measure along the parameter is the same picture.
        case 1 if data.searched and len(data.answer.chosen.outcomes) > 1:
            return shortfall_curve(data)
        case 2 | 3 if data.combined:
            return _map(data)
        case _:
            return None


def _map(data: Data) -> Figure:
    slices = data.levels[2] if len(data.axes) == 3 else [0.0]
    edges = [_edges(data, index) for index in (0, 1)]
    rows = _rows(data, slices, edges)
    several = len(slices) > 1
    size = (180, 180) if several else (style.WIDTH, style.HEIGHT)
    panels = [
        chart.panel(_layers(data, index, edges), *size, data.level(2, number) if several else "")
        for index, number in enumerate(slices)
    ]
    said = [
        f"The worst ratio of measure to bound at the settings that were run. {READ}",
        "Cells are the coarse design, circles what was tried between its settings.",
        data.marks_said,
    ]
    if several:
        said.append(f"What lies between two panels is drawn in the one with the nearest {data.titles[2]}.")
    if data.conditions > 1:
        said.append(f"The worst of {data.conditions} conditions.")
    drawn = chart.beside(panels, len(panels))
    return Figure("shortfall", "Where the targets are met", " ".join(said), drawn, rows)


def _rows(data: Data, slices: Sequence[float], edges: Sequence[Sequence[float]]) -> pl.DataFrame:
    """Cells, settings between them, the defaults and the chosen setting: kind, text, panel, place."""
    kind = pl.when("design").then(pl.lit("cell")).otherwise(pl.lit("between")).alias("kind")
    ratio = pl.col("shortfall").exp().map_elements(_ratio, pl.String)
    frames = [data.points.select(*data.columns, "shortfall", "setting", kind, ratio.alias("text"))]
    for mark, judged, places_ in data.marks:
        at = [place for place in places_ if place is not None]
        inside = all(e[0] <= place <= e[-1] for e, place in zip(edges, at, strict=False))
        if len(at) == len(data.axes) and (mark == "chosen" or inside):
            named = {"shortfall": judged.worst.shortfall, "setting": data.named(at), "kind": mark}
            frames.append(pl.DataFrame([{**dict(zip(data.columns, at, strict=True)), **named}]))
    rows = pl.concat(frames, how="diagonal")
    cell = pl.col("kind") == "cell"
    places: list[pl.Expr] = []
    for name, column, levels, ends in zip("xy", data.columns, data.levels, edges, strict=False):
        at = pl.col(column)
        for end, values in (("from", ends[:-1]), ("to", ends[1:])):
            edge = at.replace_strict(levels, values, default=None, return_dtype=pl.Float64)
            places.append(pl.when(cell).then(edge).otherwise(at).alias(f"{name}_{end}"))
        places.append(at.alias(name))
    panels = np.zeros(len(rows), dtype=np.int64)
    if len(slices) > 1:
        both = [rows["p2"].to_numpy(), np.array(slices)]
        at, there = (np.log(np.maximum(one, 1e-300)) if data.axes[2].log else one for one in both)
        panels = np.abs(at[:, None] - there[None, :]).argmin(axis=1)
    numbers = pl.col("shortfall"), pl.col("shortfall").exp().alias("ratio")
    return rows.select(pl.Series("panel", panels), "kind", "setting", "text", *places, *numbers)


def _edges(data: Data, index: int) -> list[float]:
    """Edges of the cells along a parameter: halfway between levels, and equally far beyond the first and the
    last."""
    levels = data.levels[index]
    if data.axes[index].log:
        middles = [sqrt(low * high) for low, high in pairwise(levels)]
        return [levels[0] ** 2 / middles[0], *middles, levels[-1] ** 2 / middles[-1]]
    middles = [(low + high) / 2 for low, high in pairwise(levels)]
    return [2 * levels[0] - middles[0], *middles, 2 * levels[-1] - middles[-1]]


def _ratio(ratio: float) -> str:
    return f"{ratio:.2f}" if ratio < 10.0 else f"{ratio:.0f}"


def _layers(data: Data, index: int, edges: Sequence[Sequence[float]]) -> list[alt.Chart]:
    sides: list[chart.Side] = []
    for axis, channel in enumerate(("x", "y")):
        ticks: dict[str, Any] = {"grid": False, "values": data.levels[axis], "format": ".3~g"}
        low, *_, high = edges[axis]
        log_ = data.axes[axis].log
        sides.append(chart.span(channel, data.heading(axis), low, high, log=log_, clamp=True, **ticks))
    pen = chart.Pen(sides[0], sides[1]).where(f"datum.panel === {index}")
    # A bound on the logarithm at which colours end, and in the legend ratios again.
    # With a step at zero: on which side of the bound a cell is has to be seen at once.
    scale = alt.Scale(
        domain=[-log(MOST), -1e-9, 1e-9, log(MOST)],
        range=["#4a90c2", "#d6e8f4", "#fdf1d6", style.MISSED],
        clamp=True,
        interpolate="rgb",
    )
    legend = alt.Legend(
        title="Worst ratio of measure to bound",
        values=[log(ratio) for ratio in (1 / 3, 1 / 2, 1.0, 2.0, 3.0)],
        labelExpr="format(exp(datum.value), '.2~f')",
        gradientLength=200,
        gradientThickness=10,
    )
    colour = alt.Color("shortfall:Q", scale=scale, legend=legend)
    tips = chart.tooltips(("setting:N", "setting", None), ("ratio:Q", "worst ratio", ".3~g"))
    cell, tried, *marks = (
        pen.where(f"datum.kind === '{kind}'") for kind in ("cell", "between", "defaults", "chosen")
    )
    ends = {"x": "x_from", "x2": "x_to", "y": "y_from", "y2": "y_to"}
    dots: dict[str, Any] = {"filled": True, "size": 60, "stroke": "black", "strokeWidth": 0.8, "opacity": 1}
    layers = [
        cell("rect", **ends, stroke="white", strokeWidth=0.5).encode(color=colour, tooltip=tips),
        cell("text", fontSize=10, dy=15).encode(text="text:N"),
        tried("point", **dots).encode(color=colour, tooltip=tips),
    ]
    for mark, ink, shape in zip(marks, (style.INK, style.STRONG), ("square", "diamond"), strict=True):
        outline: dict[str, Any] = {"shape": shape, "stroke": ink, "strokeWidth": 2.4, "opacity": 1}
        layers.append(mark("point", size=130, filled=False, **outline).encode(tooltip=tips))
    return layers


def robustness(axes: Sequence[Axis], cells: Sequence[MapCell]) -> Figure:
    """Map of the conditions: met, missed or open, with the worst target's ratio; the worst corner framed."""
    corner = words.worst_corner(cells)
    titles = [sentence_case(name) for name in words.names_of([axis.column for axis in axes])]
    headings = [
        f"{title} ({axis.unit})".removesuffix(" ()") for title, axis in zip(titles, axes, strict=True)
    ]
    rows: list[dict[str, Any]] = []
    panels: dict[float, str] = {}
    for cell in cells:
        at = [float(axis.drawn(value)) for axis, (_, value) in zip(axes, cell.condition, strict=True)]
        x, y, across = [*at, 0.0, 0.0][:3]
        panels[across] = ""
        if len(axes) > 2:
            panels[across] = f"{titles[2]} {words.number_words(across)} {axes[2].unit}".rstrip()
        place = {"panel": panels[across], "x": x, "y": y, "inside": cell.inside, "framed": cell is corner}
        said = {
            "verdict": cell.state,
            "sign": words.SIGNS[cell.state],
            "text": _ratio(exp(cell.worst.shortfall)),
        }
        worst = f"{words.measured(cell.worst)}, target {words.target_words(cell.worst.target)}"
        rows.append({**place, **said, "setting": words.setting_words(cell.condition), "worst": worst})
    shown = {"setting": "condition", "verdict": "verdict", "worst": "worst target", "text": "ratio"}
    frame, named = pl.DataFrame(rows), {panels[across]: panels[across] for across in sorted(panels)}
    drawn = verdict_map(
        frame, list(words.SIGNS), headings[:2], named, shown, (420 if len(axes) < 3 else 210, 34)
    )
    inside = [cell.state for cell in cells if cell.inside]
    caption = (
        f"{inside.count('met')} of {len(inside)} conditions of the region meet every target. ✓ met, "
        f"✗ missed, ? open: the 95% interval of {corner.worst.values.size} fresh seeds has the bound inside. "
        "The number is the worst ratio of measure to bound; pale cells lie outside the region, a step "
        "beyond its ends. Black frame: the worst condition inside."
    )
    return Figure("robustness", "Where the setting holds", caption, drawn, frame)
