"""Responses of measures to parameters, tested with the coarse design, not assumed.

Along each parameter, at every combination of the others, the same seeds were run at each level: steps from
level to level are differences in pairs, and the noise of a step is taken to be the same all over the
design. A measure grows there where the mean of a step over combinations is above zero with its interval.
The intervals of all steps along a parameter hold together (Bonferroni).

A response on average need not hold everywhere: where the steps of a single combination, tested together as
well, go the other way, it is said where.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from weir.stats import CONFIDENCE, student_t
from weir.tune._answer import Said, Shape
from weir.tune._evaluator import Evaluator
from weir.tune._space import DesignPoint, Setting, Space

REPLICATIONS = 2
"""Replications of every setting of the coarse design, and of those tried later."""


def shapes(evaluator: Evaluator, space: Space, points: Sequence[DesignPoint]) -> tuple[Shape, ...]:
    """Responses for each measure and parameter, from a design of every combination that can be run."""
    measures = dict.fromkeys(target.measure for target in evaluator.targets)
    return tuple(
        _shape(evaluator, space, points, measure, index)
        for measure in measures
        for index in range(space.dimensions)
    )


def _shape(
    evaluator: Evaluator, space: Space, points: Sequence[DesignPoint], measure: str, index: int
) -> Shape:
    """Response of a measure to one parameter, from a line for each combination of the others."""
    settings = [space.at(point) for point in points]
    ticks = sorted({float(point[index]) for point in points})
    levels = {float(point[index]): setting[index][1] for point, setting in zip(points, settings, strict=True)}
    others = [(*setting[:index], *setting[index + 1 :]) for setting in settings]
    combinations = list(dict.fromkeys(others))
    pairs = REPLICATIONS * len(evaluator.conditions)
    values = np.full((len(combinations), len(ticks), pairs), np.nan)
    for point, setting, rest in zip(points, settings, others, strict=True):
        rows = [evaluator.values(setting + c, measure)[:REPLICATIONS] for c in evaluator.conditions]
        values[combinations.index(rest), ticks.index(float(point[index]))] = np.concatenate(rows)
    # Not a number where a level cannot be run, or the measure is not defined.
    steps = np.diff(values, axis=1)
    said, turn = _said(_signs(steps, steps))
    where: Setting | None = None
    otherwise: Said | None = None
    for rest, line in zip(combinations, steps, strict=True) if len(combinations) > 1 else ():
        here, _ = _said(_signs(line[None], steps))
        if any(word in here and word not in said for word in ("grows", "falls")):
            where, otherwise = rest, here
            break
    turns_at = None if turn is None else levels[ticks[turn]]
    return Shape(measure, space.axes[index].column, said, turns_at, where, otherwise)


def _signs(steps: NDArray[np.float64], design: NDArray[np.float64]) -> list[int]:
    """Sign of each step over some combinations: 1 grows, -1 falls, 0 not shown. The noise is estimated from
    all steps of the design. Arrays have the shape (combinations, steps, pairs)."""
    known = design[~np.isnan(design).any(axis=2)]
    degrees = known.shape[0] * (known.shape[1] - 1)
    if degrees == 0:
        return [0] * steps.shape[1]
    variance = float(((known - known.mean(axis=1, keepdims=True)) ** 2).sum()) / degrees
    tests = steps.shape[1] * (len(design) if len(steps) < len(design) else 1)
    quantile = student_t(degrees, 1.0 - (1.0 - CONFIDENCE) / tests)
    found: list[int] = []
    for step in steps.swapaxes(0, 1):
        pairs = step[~np.isnan(step).any(axis=1)].ravel()
        mean = float(pairs.mean()) if pairs.size else 0.0
        found.append(
            0 if abs(mean) <= quantile * (variance / max(1, pairs.size)) ** 0.5 else 1 if mean > 0.0 else -1
        )
    return found


def _said(signs: Sequence[int]) -> tuple[Said, int | None]:
    """Response in words, and the level where it turns."""
    shown = [sign for sign in signs if sign]
    if not shown:
        return "no effect shown", None
    if all(sign == shown[0] for sign in shown):
        return ("grows" if shown[0] > 0 else "falls"), None
    turn = signs.index(-shown[0], signs.index(shown[0]))
    return ("falls, then grows" if shown[0] < 0 else "grows, then falls"), turn
