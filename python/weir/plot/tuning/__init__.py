"""Figures of an answer of tuning: what was tried, what came out, and where it holds."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

from weir.plot._figure import Figure, Panel
from weir.plot.tuning.data import Data, Load
from weir.plot.tuning.effects import course, effects, seeds
from weir.plot.tuning.maps import robustness, shortfall
from weir.plot.tuning.tradeoff import tradeoff
from weir.plot.tuning.words import sentence, words_of
from weir.sweep.axes import Axis
from weir.tune.online import Phase
from weir.tune.region import MapCell

__all__ = ["Data", "Load", "panels_of"]


def panels_of(
    data: Data, axes: Sequence[Axis] = (), cells: Sequence[MapCell] = (), phases: Sequence[Phase] = ()
) -> list[Panel]:
    """The figures in the order of a page; at least the fresh seeds.

    `cells` are the map over a region of conditions along `axes`, `phases` the answer under a changing load.
    """
    targets = list({target.measure: target for target in data.answer.targets}.values())
    pairs = list(combinations(targets, 2))
    # Whether it holds everywhere comes first where that was asked.
    panels = [_alone(robustness(axes, cells))] if cells else []
    if pairs:
        drawn = tuple(tradeoff(data, up, across) for up, across in pairs)
        choices = tuple(f"{sentence(words_of(up.of))} against {words_of(across.of)}" for up, across in pairs)
        panels.append(Panel("panel-tradeoff", drawn, choices))
    if data.searched:
        panels += [_alone(effects(data, index)) for index in range(len(data.axes))]
    found = shortfall(data)
    if found is not None:
        panels.append(_alone(found))
    if phases:
        panels.append(_alone(course(phases, data.answer.targets)))
    return [*panels, _alone(seeds(data))]


def _alone(figure: Figure) -> Panel:
    return Panel(f"panel-{figure.name}", (figure,), (figure.title,))
