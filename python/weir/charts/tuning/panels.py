"""The figures of an answer, in the order in which a page shows them."""

from __future__ import annotations

from itertools import combinations

from weir.charts.figure import Figure, Panel
from weir.charts.tuning.data import Data
from weir.charts.tuning.effects import effects
from weir.charts.tuning.scales import sentence, words_of
from weir.charts.tuning.seeds import seeds
from weir.charts.tuning.shortfall import shortfall_figure
from weir.charts.tuning.tradeoff import tradeoff
from weir.tuning.targets import Target


def panels_of(data: Data) -> list[Panel]:
    """What there is to show of the search; at least the fresh seeds."""
    panels = list(_tradeoffs(data))
    if data.searched:
        panels += [_alone(effects(data, index)) for index in range(len(data.axes))]
    found = shortfall_figure(data)
    if found is not None:
        panels.append(_alone(found))
    return [*panels, _alone(seeds(data))]


def _tradeoffs(data: Data) -> list[Panel]:
    """One place for all pairs of measures."""
    targets = list({target.measure: target for target in data.answer.targets}.values())
    pairs = list(combinations(targets, 2))
    if not pairs:
        return []
    figures = tuple(tradeoff(data, up, across) for up, across in pairs)
    return [Panel("panel-tradeoff", figures, tuple(_pair(up, across) for up, across in pairs))]


def _pair(up: Target, across: Target) -> str:
    return f"{sentence(words_of(up.of))} against {words_of(across.of)}"


def _alone(figure: Figure) -> Panel:
    return Panel(f"panel-{figure.name}", (figure,), (figure.title,))
