"""What is known of a measure between the settings that were tried: a Gaussian process.

Shortfalls are smooth over a box of parameters and known with noise where they were measured. The prior is a
constant plus a squared exponential with a length per parameter; lengths and amplitude are those of a small
grid that make the data likeliest (Rasmussen and Williams, Gaussian Processes for Machine Learning, 2006,
section 5.4). Nothing is assumed to grow or fall.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

Matrix = NDArray[np.floating[Any]]

LENGTHS = (0.2, 0.4, 0.8, 1.6)
"""Of the box's side, over which a shortfall changes much."""

NEARLY = 2.0
"""Less of a logarithm of likelihood: such models are not ruled out."""

PLAUSIBLE = 6
"""At most so many are kept."""

AMPLITUDES = (0.5, 1.0, 2.0)
"""Times the spread of the data."""


@dataclass(frozen=True)
class Model:
    """Mean and deviation of a shortfall at any place."""

    places: Matrix
    lengths: Matrix
    amplitude: float
    level: float
    weights: Matrix
    """Inverse covariance times what the data differ from the level."""
    factor: Matrix
    """Of Cholesky, of the covariance of the data."""

    @staticmethod
    def of(places: Matrix, means: Matrix, variances: Matrix) -> list[Model]:
        """From the means at places, shape (n, dimensions), and the variances of these means: the likeliest
        model, then those that are nearly as likely. Few data do not tell a length from its half."""
        level = float(means.mean())
        spread = max(float(means.std()), 1e-3)
        # A minute's noise keeps the matrix sound where replications agree in every digit.
        noise = np.diag(variances + (1e-3 * spread) ** 2)
        found: list[tuple[float, Model]] = []
        for lengths in product(LENGTHS, repeat=places.shape[1]):
            shape = _kernel(places, places, np.array(lengths))
            for times in AMPLITUDES:
                amplitude = (times * spread) ** 2
                factor = np.linalg.cholesky(amplitude * shape + noise)
                half = np.linalg.solve(factor, means - level)
                likelihood = -0.5 * float(half @ half) - float(np.log(np.diag(factor)).sum())
                weights = np.linalg.solve(factor.T, half)
                model = Model(places, np.array(lengths), amplitude, level, weights, factor)
                found.append((likelihood, model))
        found.sort(key=lambda one: -one[0])
        return [model for likelihood, model in found[:PLAUSIBLE] if likelihood > found[0][0] - NEARLY]

    def at(self, places: Matrix) -> tuple[Matrix, Matrix]:
        """Means and standard deviations at places, shape (m, dimensions), noise of a run not included."""
        across = self.amplitude * _kernel(places, self.places, self.lengths)
        means = self.level + across @ self.weights
        half = np.linalg.solve(self.factor, across.T)
        variances = np.maximum(self.amplitude - (half**2).sum(axis=0), 1e-12)
        return means, np.sqrt(variances)


def _kernel(a: Matrix, b: Matrix, lengths: Matrix) -> Matrix:
    apart = (a[:, None, :] - b[None, :, :]) / lengths
    return np.exp(-0.5 * (apart**2).sum(axis=2))
