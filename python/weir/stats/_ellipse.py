"""The ellipse of a normal distribution fitted to points by maximum likelihood (Winstein, MIT 2014)."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from weir._errors import require

ONE_SIGMA = 1.0 - math.exp(-0.5)
"""Probability inside the ellipse of one standard deviation: 39%."""


@dataclass(frozen=True)
class Ellipse:
    """Contour of the fitted distribution.

    Raises InputError without points, for points that are no pairs, and for a content that is no share.
    """

    points: NDArray[np.float64]
    """Points to which the distribution is fitted, shape (n, 2)."""
    content: float = ONE_SIGMA
    """Fraction of the distribution inside the contour."""

    def __post_init__(self) -> None:
        shape = self.points.shape
        pairs = len(shape) == 2 and shape[0] > 0 and shape[1] == 2
        require(pairs, f"points of shape {shape} have no ellipse", "give one or more pairs: shape (n, 2)")
        content = f"an ellipse cannot hold a share of {self.content:g}"
        require(0.0 <= self.content < 1.0, content, "give a share from 0 to below 1, such as 0.95")

    @property
    def centre(self) -> tuple[float, float]:
        x, y = self.points.mean(axis=0)
        return float(x), float(y)

    @property
    def _scale(self) -> float:
        return math.sqrt(-2.0 * math.log1p(-self.content))

    @property
    def _axes(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        around = self.points - self.points.mean(axis=0)
        # Maximum likelihood divides by n.
        values, vectors = np.linalg.eigh(around.T @ around / len(self.points))
        return np.clip(values, 0.0, None), vectors

    @property
    def major(self) -> float:
        """Length of the longer semi-axis."""
        return self._scale * math.sqrt(self._axes[0][1])

    @property
    def minor(self) -> float:
        """Length of the shorter semi-axis."""
        return self._scale * math.sqrt(self._axes[0][0])

    @property
    def angle(self) -> float:
        """Angle of the major axis to the first coordinate's, in degrees, from -90 to 90."""
        x, y = self._axes[1][:, 1]
        return math.degrees(math.atan2(float(y) * math.copysign(1.0, x), abs(float(x))))

    def corners(self, count: int) -> NDArray[np.float64]:
        """Corners of a polygon of `count` sides, the first repeated at the end, shape (2, count + 1). It is a
        line if the points spread along a line only. Raises InputError for less than three sides.

        Example:
            >>> import numpy as np
            >>> from weir.stats import Ellipse
            >>> ellipse = Ellipse(np.array([[0.0, 0.0], [4.0, 0.0], [2.0, 1.0], [2.0, -1.0]]))
            >>> ellipse.corners(count=8).shape, round(ellipse.major, 2), round(ellipse.minor, 2)
            ((2, 9), 1.41, 0.71)
        """
        require(count >= 3, f"a polygon cannot have {count} sides", "give 3 or more")
        middle = self.points.mean(axis=0)
        # Each axis by its own unit: a covariance of ms and % is badly scaled.
        unit = np.where(np.ptp(self.points, axis=0) > 0.0, self.points.std(axis=0), 1.0)
        scaled = (self.points - middle) / unit
        values, vectors = np.linalg.eigh(scaled.T @ scaled / len(self.points))
        turn = np.linspace(0.0, 2.0 * np.pi, count + 1)
        circle = self._scale * np.stack([np.cos(turn), np.sin(turn)])
        around = (vectors * np.sqrt(np.clip(values, 0.0, None))) @ circle
        return around * unit[:, None] + middle[:, None]
