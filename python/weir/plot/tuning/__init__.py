"""Figures of an answer of tuning: what was tried, what came out, and where it holds."""

from __future__ import annotations

from itertools import combinations

from weir.plot._figure import Panel
from weir.plot.tuning._choice import disciplines
from weir.plot.tuning._data import Data
from weir.plot.tuning._effects import course, effects, robustness, seeds, shortfall
from weir.plot.tuning._tradeoff import tradeoff
from weir.stats.wording import sentence_case
from weir.tune import Choice, Tuned, measure_words

__all__ = ["choice_panel", "panels_of"]


def choice_panel(choice: Choice) -> Panel:
    """Panel with the figure of several disciplines."""
    return Panel.of(disciplines(choice))


def panels_of(tuned: Tuned) -> list[Panel]:
    """Panels in the order of a page; at least the fresh seeds."""
    data, region = Data(tuned), tuned.task.region
    pairs = list(combinations(data.targets, 2))
    # Whether it holds everywhere comes first where that was asked.
    panels: list[Panel] = []
    if region is not None and tuned.cells:
        panels.append(Panel.of(robustness(region.axes, tuned.cells)))
    if pairs:
        choices = tuple(
            f"{sentence_case(measure_words(up.of))} against {measure_words(across.of)}"
            for up, across in pairs
        )
        panels.append(Panel("panel-tradeoff", tuple(tradeoff(data, *pair) for pair in pairs), choices))
    if data.searched:
        panels += [Panel.of(effects(data, index)) for index in range(len(data.axes))]
    found = shortfall(data)
    if found is not None:
        panels.append(Panel.of(found))
    if tuned.phases:
        panels.append(Panel.of(course(tuned.phases, data.answer.targets)))
    return [*panels, Panel.of(seeds(data))]
