"""The spectrum of something sampled evenly over time."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

_PERIODS = 8.0
"""Length of a window, in expected periods."""

_LEAST = 64
"""Least number of samples in a window."""


def spectrum(
    values: NDArray[np.float64], step: float, period: float | None, *, finer: int = 1
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Frequencies in hertz and the one-sided density, by Welch's method: windows of eight expected periods,
    half overlapping. `step`: seconds between samples; `finer`: frequencies that the window resolves, in
    parts."""
    # Loading it takes longer than the rest of a command.
    welch: Any = import_module("scipy.signal").welch
    window = min(len(values), max(_LEAST, round(_PERIODS * (period or _LEAST * step) / step)))
    frequencies, density = welch(values, 1.0 / step, nperseg=window, nfft=finer * window)
    return np.asarray(frequencies, dtype=np.float64), np.asarray(density, dtype=np.float64)


def peak_period(values: NDArray[np.float64], step: float, period: float) -> float:
    """Seconds, of the highest peak of the spectrum beyond its first two frequencies, which are drift."""
    finer = 8
    frequencies, density = spectrum(values, step, period, finer=finer)
    shown = frequencies > 2.0 * finer * frequencies[1]
    return 1.0 / float(frequencies[shown][np.argmax(density[shown])])
