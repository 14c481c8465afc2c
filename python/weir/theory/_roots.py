"""The rightmost roots of 1 + L(s) = 0: what decides whether a loop is stable.

Chebyshev collocation of x' = sum of A_k x(t - delay_k) by Breda, Maset and Vermiglio (SIAM Journal on
Scientific Computing 27(2), 2005): the solution over one delay as a polynomial, whose eigenvalues start
Newton's method on 1 + L.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from weir.theory._plant import Loop, Matrix
from weir.theory._realised import Complex
from weir.theory._utility import TheoryError, require

DEGREE = 40
"""Degree of the polynomial; lower if many groups make a large matrix."""

KEPT = 8
"""Roots that are polished and kept."""


@dataclass(frozen=True)
class Roots:
    """Roots from the rightmost on; of each conjugate pair the one with positive imaginary part."""

    values: tuple[complex, ...]

    @property
    def rightmost(self) -> complex:
        """Rightmost root, 1/s and rad/s."""
        return self.values[0]

    @property
    def growth(self) -> float:
        """Real part sigma of the rightmost root, 1/s. The loop is stable if it is negative."""
        return self.values[0].real

    @property
    def oscillating(self) -> complex | None:
        """Rightmost root that is not real."""
        return next((value for value in self.values if value.imag > 0.0), None)

    @property
    def period(self) -> float | None:
        """Period of the rightmost oscillation, seconds."""
        root = self.oscillating
        return None if root is None else 2.0 * math.pi / root.imag

    @property
    def stable(self) -> bool:
        """True if all small deviations die out."""
        return self.growth < 0.0


def roots_of(loop: Loop, degree: int = DEGREE) -> Roots:
    """The rightmost roots.

    Raises TheoryError where none is found, and for a degree below 2.

    Example:
        >>> from weir.theory import loop_of, roots_of, system_of
        >>> roots = roots_of(loop_of(system_of(scenario.variant("rem-mark")).system))
        >>> roots.stable, round(roots.growth, 2)
        (True, -0.36)
    """
    require(degree >= 2, f"a collocation of degree {degree} has no roots", "2 or more")
    matrices = loop.matrices()
    size = len(matrices[0][1])
    # Beyond some 200 rows eigenvalues take longer than all the rest.
    degree = min(degree, max(12, 200 // size))
    starts = np.asarray(np.linalg.eigvals(_collocation(matrices, degree)), dtype=np.complex128)
    starts = starts[(starts.imag >= 0.0) & np.isfinite(starts)]
    starts = starts[np.argsort(-starts.real)][: KEPT + KEPT // 2]
    found: list[complex] = []
    for start, root, left in zip(starts.tolist(), *_newton(loop, starts), strict=True):
        # Eigenvalues that are no roots belong to the collocation, or to modes that the queue does not feel.
        near = abs(root - start) <= 0.1 * abs(start) + 0.5 / loop.longest_rtt
        if not near or not left < 1e-7:
            continue
        value = complex(root.real, 0.0 if abs(root.imag) < 1e-9 * abs(root) else abs(root.imag))
        if all(abs(value - other) > 1e-6 * (abs(value) + 1e-9) for other in found):
            found.append(value)
    if not found:
        raise TheoryError("the roots of this loop were not found", "another instant, or other parameters")
    return Roots(tuple(sorted(found, key=lambda value: (-value.real, value.imag))[:KEPT]))


def _newton(loop: Loop, starts: Complex) -> tuple[list[complex], list[float]]:
    """Roots of 1 + L by Newton's method, its derivative by a central difference, and what is left of 1 +
    L."""
    s: Complex = starts.astype(np.complex128)
    with np.errstate(all="ignore"):
        for _ in range(8):
            step = 1e-6 * (np.abs(s) + 1e-6)
            value = 1.0 + loop.open_loop(s)
            slope = (loop.open_loop(s + step) - loop.open_loop(s - step)) / (2.0 * step)
            move = value / slope
            s = np.where(np.isfinite(move), s - move, s).astype(np.complex128)
        left = np.abs(1.0 + loop.open_loop(s))
    return s.tolist(), left.tolist()


def _collocation(matrices: list[tuple[float, Matrix]], degree: int) -> Matrix:
    size = len(matrices[0][1])
    longest = matrices[-1][0]
    nodes, derivative = _chebyshev(degree)
    # On [-longest, 0], the newest first.
    whole = np.kron(derivative * (2.0 / longest), np.eye(size))
    first = np.zeros((size, whole.shape[1]))
    for delay, matrix in matrices:
        first += np.kron(_values_at(1.0 - 2.0 * delay / longest, nodes), matrix)
    whole[:size] = first
    return np.asarray(whole, dtype=np.float64)


@lru_cache
def _chebyshev(degree: int) -> tuple[NDArray[np.float64], Matrix]:
    """Nodes from 1 to -1, and what differentiates the polynomial through values there."""
    k = np.arange(degree + 1)
    x = np.cos(math.pi * k / degree)
    c = np.where((k == 0) | (k == degree), 2.0, 1.0) * (-1.0) ** k
    d = np.outer(c, 1.0 / c) / (x[:, None] - x + np.eye(degree + 1))
    return x, d - np.diag(d.sum(axis=1))


def _values_at(x: float, nodes: NDArray[np.float64]) -> NDArray[np.float64]:
    """The weights of the values at the nodes for the value at x (barycentric)."""
    gap = x - nodes
    exact = np.abs(gap) < 1e-14
    if exact.any():
        return exact.astype(np.float64)
    weights = (-1.0) ** np.arange(len(nodes))
    weights[0] *= 0.5
    weights[-1] *= 0.5
    found = weights / gap
    return found / found.sum()
