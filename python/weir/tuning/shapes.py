"""How measures answer to parameters, by the coarse design: tested, not assumed.

Along each parameter, at every combination of the others, the same seeds were run at each level: steps from
level to level are differences in pairs. A measure grows there where the mean of a step, over replications
and combinations, is above zero with its interval; the intervals of all steps hold together (Bonferroni).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from weir.statistics import CONFIDENCE, student_t
from weir.tuning.answer import Shape
from weir.tuning.lab import Lab
from weir.tuning.space import Place, Setting, Space

Numbers = NDArray[np.float64]

REPLICATIONS = 2
"""Of every setting of the coarse design, and of those tried later."""


def shapes(
    lab: Lab, space: Space, places: Sequence[Place], measures: Sequence[str], conditions: Sequence[Setting]
) -> tuple[Shape, ...]:
    """One per measure and parameter, from a design of every combination."""
    return tuple(
        _shape(lab, space, places, measure, index, conditions)
        for measure in dict.fromkeys(measures)
        for index in range(space.dimensions)
    )


def _shape(
    lab: Lab, space: Space, places: Sequence[Place], measure: str, index: int, conditions: Sequence[Setting]
) -> Shape:
    path = space.axes[index].column
    ticks = sorted({float(place[index]) for place in places})
    # What the other parameters are, and what the measure was there.
    at: dict[float, dict[tuple[float, ...], Numbers]] = {tick: {} for tick in ticks}
    for place in places:
        rest = tuple(np.delete(place, index).tolist())
        at[float(place[index])][rest] = _values(lab, space.at(place), measure, conditions)
    level = 1.0 - (1.0 - CONFIDENCE) / (len(ticks) - 1)
    signs = [_sign(_steps(at[low], at[high]), level) for low, high in pairwise(ticks)]
    shown = [sign for sign in signs if sign]
    if not shown:
        return Shape(measure, path, "no effect shown")
    if all(sign == shown[0] for sign in shown):
        return Shape(measure, path, "grows" if shown[0] > 0 else "falls")
    turn = signs.index(-shown[0], signs.index(shown[0]))
    where = next(place for place in places if float(place[index]) == ticks[turn])
    said = "falls, then grows" if shown[0] < 0 else "grows, then falls"
    return Shape(measure, path, said, space.at(where)[index][1])


def _values(lab: Lab, setting: Setting, measure: str, conditions: Sequence[Setting]) -> Numbers:
    """In all conditions, replication by replication: as many as all of the design has."""
    return np.concatenate([lab.values(setting + c, measure)[:REPLICATIONS] for c in conditions])


def _steps(low: Mapping[tuple[float, ...], Numbers], high: Mapping[tuple[float, ...], Numbers]) -> Numbers:
    """Of all combinations that can be run at both levels."""
    return np.concatenate([high[rest] - low[rest] for rest in low if rest in high])


def _sign(steps: Numbers, level: float) -> int:
    n = steps.size
    half = student_t(n - 1, level) * float(steps.std(ddof=1)) / n**0.5
    mean = float(steps.mean())
    return 0 if abs(mean) <= half else 1 if mean > 0.0 else -1
