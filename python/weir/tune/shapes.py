"""How measures answer to parameters, by the coarse design: tested, not assumed.

Along each parameter, at every combination of the others, the same seeds were run at each level: steps from
level to level are differences in pairs, and the noise of a step is taken to be the same all over the
design. A measure grows there where the mean of a step over combinations is above zero with its interval;
the intervals of all steps along a parameter hold together (Bonferroni).

What holds on average need not hold everywhere: where the steps of a single combination, tested together as
well, go the other way, it is said where.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from weir.stats.intervals import CONFIDENCE, student_t
from weir.sweep.values import Value
from weir.tune.answer import Said, Shape
from weir.tune.lab import Lab
from weir.tune.space import Place, Setting, Space

Numbers = NDArray[np.float64]

REPLICATIONS = 2
"""Of every setting of the coarse design, and of those tried later."""


def shapes(
    lab: Lab, space: Space, places: Sequence[Place], measures: Sequence[str], conditions: Sequence[Setting]
) -> tuple[Shape, ...]:
    """One per measure and parameter, from a design of every combination."""
    return tuple(
        _shape(_Lines.of(lab, space, places, measure, index, conditions), measure, space.axes[index].column)
        for measure in dict.fromkeys(measures)
        for index in range(space.dimensions)
    )


@dataclass(frozen=True)
class _Lines:
    """A measure along one parameter, a line for each combination of the others."""

    levels: tuple[Value, ...]
    """Of the parameter."""
    steps: dict[Setting, list[Numbers | None]]
    """Of each combination: from level to level, a difference per replication and condition; None where a
    level cannot be run."""

    @staticmethod
    def of(
        lab: Lab,
        space: Space,
        places: Sequence[Place],
        measure: str,
        index: int,
        conditions: Sequence[Setting],
    ) -> _Lines:
        ticks = sorted({float(place[index]) for place in places})
        values: dict[Setting, dict[float, Numbers]] = {}
        levels: dict[float, Value] = {}
        for place in places:
            setting = space.at(place)
            levels[float(place[index])] = setting[index][1]
            of = values.setdefault((*setting[:index], *setting[index + 1 :]), {})
            rows = [lab.values(setting + c, measure)[:REPLICATIONS] for c in conditions]
            of[float(place[index])] = np.concatenate(rows)
        steps = {
            rest: [at[high] - at[low] if low in at and high in at else None for low, high in pairwise(ticks)]
            for rest, at in values.items()
        }
        return _Lines(tuple(levels[tick] for tick in ticks), steps)

    @property
    def noise(self) -> tuple[float, int]:
        """Variance of a difference of one pair, over all steps together, and its degrees of freedom."""
        rows = [row for line in self.steps.values() for row in line if row is not None and row.size > 1]
        degrees = sum(row.size - 1 for row in rows)
        squares = sum(float(((row - row.mean()) ** 2).sum()) for row in rows)
        return squares / max(1, degrees), degrees

    def signs(self, combinations: Sequence[Setting]) -> list[int]:
        """Of each step, over some combinations: 1 grows, -1 falls, 0 not shown."""
        variance, degrees = self.noise
        if degrees == 0:
            return [0] * (len(self.levels) - 1)
        tests = (len(self.levels) - 1) * (len(self.steps) if len(combinations) < len(self.steps) else 1)
        quantile = student_t(degrees, 1.0 - (1.0 - CONFIDENCE) / tests)
        found: list[int] = []
        for step in range(len(self.levels) - 1):
            rows = [self.steps[one][step] for one in combinations]
            known = [row for row in rows if row is not None]
            if not known:
                found.append(0)
                continue
            all_of = np.concatenate(known)
            half = quantile * (variance / all_of.size) ** 0.5
            mean = float(all_of.mean())
            found.append(0 if abs(mean) <= half else 1 if mean > 0.0 else -1)
        return found


def _shape(lines: _Lines, measure: str, path: str) -> Shape:
    everywhere = list(lines.steps)
    said, turn = _said(lines.signs(everywhere))
    elsewhere: tuple[Setting, Said] | None = None
    for rest in everywhere if len(everywhere) > 1 else ():
        here, _ = _said(lines.signs([rest]))
        if here != "no effect shown" and _contradicts(said, here):
            elsewhere = rest, here
            break
    turns_at = None if turn is None else lines.levels[turn]
    return Shape(measure, path, said, turns_at, *(elsewhere or (None, None)))


def _said(signs: Sequence[int]) -> tuple[Said, int | None]:
    """In words, and the level where it turns."""
    shown = [sign for sign in signs if sign]
    if not shown:
        return "no effect shown", None
    if all(sign == shown[0] for sign in shown):
        return ("grows" if shown[0] > 0 else "falls"), None
    turn = signs.index(-shown[0], signs.index(shown[0]))
    return ("falls, then grows" if shown[0] < 0 else "grows, then falls"), turn


def _contradicts(said: Said, here: Said) -> bool:
    """Whether a line does what the mean of all does nowhere."""
    return any(word in here and word not in said for word in ("grows", "falls"))
