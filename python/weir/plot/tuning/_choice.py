"""Disciplines that were tuned for the same targets, with the measures that each of them reaches."""

from __future__ import annotations

from math import isfinite

import altair as alt
import polars as pl

from weir.plot import _chart as chart
from weir.plot import _style as style
from weir.plot._figure import Figure
from weir.stats import MEASURES, Interval
from weir.stats.wording import sentence_case
from weir.tune import Choice, Confirmed, target_words

_ROW = 26
"""Height of a discipline's row in a panel, in pixels."""


def disciplines(choice: Choice) -> Figure:
    """Panels for each target, with its bound, and for each measure beside; a row for each discipline."""
    names = list(choice.tuned)
    first = choice.tuned[names[0]].answer.chosen
    targets = [outcome.target for outcome in first.worst_of_each]
    titles = [sentence_case(target_words(target)) for target in targets]
    titles += [MEASURES[name].title for name in first.beside]
    headings = [target.of.heading for target in targets] + [MEASURES[name].heading for name in first.beside]
    rows = [
        {"panel": title, "discipline": name, "mean": one.mean, "low": one.low, "high": one.high}
        for name, tuned in choice.tuned.items()
        for title, one in zip(titles, _intervals(tuned.answer.chosen), strict=True)
    ]
    columns = chart.columns_for(len(titles))
    panels: list[alt.LayerChart] = []
    for index, (title, heading) in enumerate(zip(titles, headings, strict=True)):
        pen = chart.Pen(
            chart.side("x", heading, scale={"zero": False}, axis={"tickCount": 4}),
            chart.side("y", None, "N", axis={"grid": False, "labelLimit": 140}, sort=names),
        ).where(f"datum.panel === {title!r}")
        tips = chart.tooltips(("discipline:N", "discipline", None), ("mean:Q", "mean", ".4g"))
        layers = [
            pen("rule", x="low", x2="high", y="discipline", strokeWidth=1.6),
            pen("point", x="mean", y="discipline", filled=True, size=50, color=style.INK).encode(
                tooltip=tips
            ),
        ]
        if index < len(targets):
            bound = alt.Chart(alt.Data(values=[{"bound": targets[index].bound}]))
            layers.insert(0, bound.mark_rule(color=style.GREY, strokeDash=[3, 3]).encode(x="bound:Q"))
        width = (style.WIDTH - chart.GAP) // columns
        panels.append(chart.panel(layers, width, _ROW * len(names) + 10, title))
    return Figure(
        "disciplines",
        "What each discipline reaches",
        "Dots are means of fresh seeds, lines their intervals, dashed lines the bounds of targets. "
        "Disciplines are in the order of the mean of the worst target.",
        chart.beside(panels, columns),
        pl.DataFrame(rows),
    )


def _intervals(judged: Confirmed) -> list[Interval]:
    of_targets = [
        Interval(o.mean, o.half_width if isfinite(o.half_width) else None, int(o.values.size))
        for o in judged.worst_of_each
    ]
    return [*of_targets, *judged.beside.values()]
