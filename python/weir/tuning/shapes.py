"""How measures answer to parameters, by the coarse design: tested, not assumed.

Along each parameter, at every combination of the others, the same seeds were run at each level: steps from
level to level are differences in pairs. A measure grows there where the mean of a step, over replications
and combinations, is above zero with its interval; the intervals of all steps hold together (Bonferroni).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from weir.statistics import CONFIDENCE, student_t
from weir.tuning.answer import Shape
from weir.tuning.lab import Lab
from weir.tuning.space import Place, Setting, Space


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
    # Combinations of the others in the same order at every level.
    order = sorted(places, key=lambda place: tuple(np.delete(place, index).tolist()))
    at = {
        tick: _values(
            lab, space, [place for place in order if float(place[index]) == tick], measure, conditions
        )
        for tick in ticks
    }
    level = 1.0 - (1.0 - CONFIDENCE) / (len(ticks) - 1)
    signs = [_sign(at[high] - at[low], level) for low, high in pairwise(ticks)]
    shown = [sign for sign in signs if sign]
    if not shown:
        return Shape(measure, path, "no effect shown")
    if all(sign == shown[0] for sign in shown):
        return Shape(measure, path, "grows" if shown[0] > 0 else "falls")
    turn = signs.index(-shown[0], signs.index(shown[0]))
    where = next(place for place in places if float(place[index]) == ticks[turn])
    said = "falls, then grows" if shown[0] < 0 else "grows, then falls"
    return Shape(measure, path, said, space.at(where)[index][1])


def _values(
    lab: Lab, space: Space, places: Sequence[Place], measure: str, conditions: Sequence[Setting]
) -> NDArray[np.float64]:
    """Of all combinations, replication by replication: the design's own, common to all of it."""
    rows = [lab.values(space.at(place) + condition, measure) for place in places for condition in conditions]
    common = min(row.size for row in rows)
    return np.concatenate([row[:common] for row in rows])


def _sign(steps: NDArray[np.float64], level: float) -> int:
    n = steps.size
    half = student_t(n - 1, level) * float(steps.std(ddof=1)) / n**0.5
    mean = float(steps.mean())
    return 0 if abs(mean) <= half else 1 if mean > 0.0 else -1
