"""Models of the shortfalls between the settings that were tried: Gaussian processes.

Shortfalls are smooth over a box of parameters and known with noise where they were measured. The prior is a
constant plus a squared exponential with a length per parameter. Lengths and amplitude are those of a small
grid that make the data likeliest (Rasmussen and Williams, Gaussian Processes for Machine Learning, 2006,
section 5.4). Nothing is assumed to grow or fall.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weir.tune._evaluator import Evaluator
from weir.tune._space import DesignPoint, Space

LENGTHS = (0.2, 0.4, 0.8, 1.6)
"""Lengths over which a shortfall changes much, as fractions of the box's side."""

AMPLITUDES = (0.5, 1.0, 2.0)
"""Amplitudes, as multiples of the spread of the data."""

NEARLY = 2.0
"""Difference in log-likelihood from the best model up to which a model is not ruled out."""

PLAUSIBLE = 6
"""Maximum number of models that are kept."""

SURE = 2.0
"""Standard deviations within which a value is thought possible, and beyond which it is certain."""

CONFIRMED = 10
"""Typical number of replications of a confirmation."""

Matrix = NDArray[np.floating[Any]]


@dataclass(frozen=True)
class Best:
    """Expectations of the models."""

    point: DesignPoint
    """Point that is tried next as the answer."""
    mean: float
    """Expected worst shortfall at that point."""
    deviation: float
    hope: DesignPoint
    """Point where the least worst shortfall may hide."""
    least: float
    """Least worst shortfall that is possible at `hope`."""

    @property
    def promising(self) -> bool:
        """True if the models are sure, by `SURE` standard deviations, that all targets are met at `point`."""
        return self.mean + SURE * self.deviation < 0.0

    @property
    def hopeless(self) -> bool:
        """True if no setting is expected to meet all targets."""
        return self.least > 0.0


def best_of(space: Space, evaluator: Evaluator, tried: Sequence[DesignPoint], grid: Matrix) -> Best:
    """Best setting by the models of the settings tried, evaluated over a grid of shape (m, dimensions).

    Where targets can be met it is the setting that is surest to be confirmed: whose worst shortfall,
    counted in deviations of what is known of it and of the runs to come, is least. A goodput that hardly
    varies needs less room than a percentile that does.
    Where they cannot, it is the nearest: whose worst shortfall is least.
    """
    settings, points = [space.at(point) for point in tried], np.stack(tried)
    means, deviations, lowests, noises = list[Matrix](), list[Matrix](), list[Matrix](), list[float]()
    for target, condition in evaluator.demands:
        values = [evaluator.values(one + condition, target.measure) for one in settings]
        rows = [target.shortfall(one) for one in values]
        counts = np.array([row.size for row in rows])
        # The spread of runs is taken to be that of all settings together: each has been run a few times only.
        squares = sum(float(((row - row.mean()) ** 2).sum()) for row in rows)
        noise = squares / max(1, int((counts - 1).sum()))
        known = np.array([row.mean() for row in rows])
        models = expected(points, known, noise / counts, grid)
        means.append(models[0][0])
        deviations.append(models[0][1])
        lowests.append(np.min([mean - SURE * deviation for mean, deviation in models], axis=0))
        noises.append(max(noise, 1e-12))
    mean, deviation = np.stack(means), np.stack(deviations)
    worst = mean.max(axis=0)
    if worst.min() < 0.0:
        unsure = np.sqrt(deviation**2 + np.array(noises)[:, None] / CONFIRMED)
        surest = (mean / unsure).max(axis=0)
        best = int(np.where(worst < 0.0, surest, np.inf).argmin())
    else:
        best = int(worst.argmin())
    # All targets have to be met: the lowest possible is that of the target with the highest.
    lowest = np.stack(lowests).max(axis=0)
    hope = int(lowest.argmin())
    of = int(mean[:, best].argmax())
    return Best(grid[best], float(worst[best]), float(deviation[of, best]), grid[hope], float(lowest[hope]))


def expected(points: Matrix, means: Matrix, variances: Matrix, at: Matrix) -> list[tuple[Matrix, Matrix]]:
    """Means and standard deviations at places `at`, shape (m, dimensions), noise of a run not included.

    From the means at points, shape (n, dimensions), and the variances of these means: by the likeliest
    model, then by those that are nearly as likely. Few data do not tell a length from its half.
    """
    level, spread = float(means.mean()), max(float(means.std()), 1e-3)
    # A minute's noise keeps the matrix sound where replications agree in every digit.
    noise = np.diag(variances + (1e-3 * spread) ** 2)
    found: list[tuple[float, Matrix, float, Matrix, Matrix]] = []
    for lengths in map(np.array, product(LENGTHS, repeat=points.shape[1])):
        shape = _correlation(points, points, lengths)
        for amplitude in ((times * spread) ** 2 for times in AMPLITUDES):
            factor = np.linalg.cholesky(amplitude * shape + noise)
            half = np.linalg.solve(factor, means - level)
            likelihood = -0.5 * float(half @ half) - float(np.log(np.diag(factor)).sum())
            found.append((likelihood, lengths, amplitude, factor, half))
    found.sort(key=lambda model: -model[0])
    predicted: list[tuple[Matrix, Matrix]] = []
    for likelihood, lengths, amplitude, factor, half in found[:PLAUSIBLE]:
        if likelihood > found[0][0] - NEARLY:
            across = np.linalg.solve(factor, amplitude * _correlation(points, at, lengths))
            variance = np.maximum(amplitude - (across**2).sum(axis=0), 1e-12)
            predicted.append((level + half @ across, np.sqrt(variance)))
    return predicted


def _correlation(a: Matrix, b: Matrix, lengths: Matrix) -> Matrix:
    apart = (a[:, None, :] - b[None, :, :]) / lengths
    return np.exp(-0.5 * (apart**2).sum(axis=2))
