"""How measures answer to parameters, by the coarse design: tested, not assumed.

Along each parameter, at every combination of the others, the same seeds were run at each level: steps from level to
level are differences in pairs. A measure grows where the mean of a step over replications and combinations is
above zero with its interval, at a level shared among the steps (Bonferroni).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from weir.statistics import CONFIDENCE, student_t
from weir.tuning.answer import Shape
from weir.tuning.lab import Lab, Place


def shapes(lab: Lab, places: Sequence[Place], measures: Sequence[str]) -> tuple[Shape, ...]:
    """One per parameter and measure."""
    found: list[Shape] = []
    for measure in dict.fromkeys(measures):
        for index, axis in enumerate(lab.space.axes):
            found.append(_shape(lab, places, measure, index, axis.column))
    return tuple(found)


def _shape(lab: Lab, places: Sequence[Place], measure: str, index: int, path: str) -> Shape:
    ticks = sorted({float(place[index]) for place in places})
    signs: list[int] = []
    for low, high in zip(ticks, ticks[1:]):
        steps = [
            b - a
            for a, b in zip(_at(lab, places, measure, index, low), _at(lab, places, measure, index, high))
        ]
        values = np.concatenate(steps)
        half = student_t(values.size - 1, 1.0 - (1.0 - CONFIDENCE) / (len(ticks) - 1))
        half *= float(values.std(ddof=1)) / values.size**0.5
        mean = float(values.mean())
        signs.append(0 if abs(mean) <= half else 1 if mean > 0.0 else -1)
    shown = [sign for sign in signs if sign]
    if not shown:
        return Shape(measure, path, "no effect shown")
    if all(sign == shown[0] for sign in shown):
        return Shape(measure, path, "grows" if shown[0] > 0 else "falls")
    first = signs.index(shown[0])
    turn = next(i for i in range(first, len(signs)) if signs[i] == -shown[0])
    where = np.array(next(place for place in places if float(place[index]) == ticks[turn]))
    said = "falls, then grows" if shown[0] < 0 else "grows, then falls"
    return Shape(measure, path, said, lab.space.values(where)[index])


def _at(lab: Lab, places: Sequence[Place], measure: str, index: int, tick: float):
    """The values at one level, one array per combination of the other parameters, in their order."""
    rest = sorted(
        (tuple(np.delete(place, index)), place) for place in places if float(place[index]) == tick
    ) if False else sorted(
        ((tuple(np.delete(place, index).tolist()), i) for i, place in enumerate(places) if float(place[index]) == tick)
    )
    return [lab.values(places[i], measure) for _, i in rest]
