"""What is known of the shortfalls over the whole box."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weir.tune.judge import Judge
from weir.tune.model import Model
from weir.tune.space import Place, Space

SURE = 2.0
"""Deviations to which something is thought possible, and beyond which it is taken for certain."""

CONFIRMED = 10
"""Replications that a confirmation takes, about."""

Numbers = NDArray[np.floating[Any]]


@dataclass(frozen=True)
class Best:
    """What the models think."""

    place: Place
    """That is tried next as the answer."""
    mean: float
    """Its worst shortfall."""
    deviation: float
    hope: Place
    """Where the least worst shortfall may hide."""
    least: float
    """What it may be there."""

    @property
    def promising(self) -> bool:
        """Whether all targets are met there, as far as one can know without running it again."""
        return self.mean + SURE * self.deviation < 0.0

    @property
    def hopeless(self) -> bool:
        """Whether no setting is expected to meet them all."""
        return self.least > 0.0


def best_of(space: Space, judge: Judge, tried: Sequence[Place], grid: Numbers) -> Best:
    """From the settings tried, looked at over a grid of shape (m, dimensions).

    Where targets can be met it is the setting that is surest to be confirmed: whose worst shortfall,
    counted in deviations of what is known of it and of the runs to come, is least. A goodput that hardly
    varies needs less room than a percentile that does.
    Where they cannot, it is the nearest: whose worst shortfall is least.
    """
    places = np.stack(tried)
    means, deviations, lowests, noises = list[Numbers](), list[Numbers](), list[Numbers](), list[float]()
    for target, condition in judge.demands:
        rows = [
            target.shortfall(judge.lab.values(space.at(place) + condition, target.measure)) for place in tried
        ]
        counts = np.array([row.size for row in rows])
        # The spread of runs is taken to be that of all settings together: each has been run a few times only.
        squares = sum(float(((row - row.mean()) ** 2).sum()) for row in rows)
        noise = squares / max(1, int((counts - 1).sum()))
        at = np.array([row.mean() for row in rows])
        found = [model.at(grid) for model in Model.of(places, at, noise / counts)]
        means.append(found[0][0])
        deviations.append(found[0][1])
        lowests.append(np.min([mean - SURE * deviation for mean, deviation in found], axis=0))
        noises.append(max(noise, 1e-12))
    mean, deviation = np.stack(means), np.stack(deviations)
    worst = mean.max(axis=0)
    if worst.min() < 0.0:
        unsure = np.sqrt(deviation**2 + np.array(noises)[:, None] / CONFIRMED)
        surest = (mean / unsure).max(axis=0)
        place = int(np.where(worst < 0.0, surest, np.inf).argmin())
    else:
        place = int(worst.argmin())
    # All targets have to be met: the lowest possible is that of the target with the highest.
    lowest = np.stack(lowests).max(axis=0)
    hope = int(lowest.argmin())
    of = int(mean[:, place].argmax())
    return Best(
        grid[place], float(worst[place]), float(deviation[of, place]), grid[hope], float(lowest[hope])
    )
