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
    parts.

    Raises ZeroDivisionError for a step of zero.

    Example:
        >>> import numpy as np
        >>> from weir.stats import spectrum
        >>> time = np.arange(0.0, 60.0, 0.05)
        >>> frequencies, density = spectrum(np.sin(2.0 * np.pi * time / 2.0), step=0.05, period=2.0)
        >>> float(frequencies[density.argmax()])
        0.5
    """
    # Loading it takes longer than the rest of a command.
    welch: Any = import_module("scipy.signal").welch
    window = min(len(values), max(_LEAST, round(_PERIODS * (period or _LEAST * step) / step)))
    frequencies, density = welch(values, 1.0 / step, nperseg=window, nfft=finer * window)
    return np.asarray(frequencies, dtype=np.float64), np.asarray(density, dtype=np.float64)


def peak_period(values: NDArray[np.float64], step: float, period: float) -> float:
    """Seconds, of the highest peak of the spectrum beyond its first two frequencies, which are drift.

    Raises ValueError for so few values that there is no third frequency.

    Example:
        >>> import numpy as np
        >>> from weir.stats import peak_period
        >>> time = np.arange(0.0, 60.0, 0.05)
        >>> round(peak_period(np.sin(2.0 * np.pi * time / 1.5), step=0.05, period=1.0), 2)
        1.49
    """
    finer = 8
    frequencies, density = spectrum(values, step, period, finer=finer)
    shown = frequencies > 2.0 * finer * frequencies[1]
    return 1.0 / float(frequencies[shown][np.argmax(density[shown])])
