"""The spectrum of something sampled evenly over time."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weir._errors import require

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

    Raises InputError without values, for undefined values, and for a step or a period that is not above zero.

    Example:
        >>> import numpy as np
        >>> from weir.stats import spectrum
        >>> time = np.arange(0.0, 60.0, 0.05)
        >>> frequencies, density = spectrum(np.sin(2.0 * np.pi * time / 2.0), step=0.05, period=2.0)
        >>> float(frequencies[density.argmax()])
        0.5
    """
    values = np.asarray(values, dtype=np.float64)
    require(values.ndim == 1 and values.size > 0, "a series without values has no spectrum", "sample it")
    require(
        bool(np.isfinite(values).all()),
        "a series with undefined values has no spectrum",
        "leave out the part in which values are missing: samples are evenly spaced",
    )
    require(0.0 < step < np.inf, f"samples cannot be {step:g} s apart", "give a step above zero, in seconds")
    require(
        period is None or 0.0 < period < np.inf,
        f"{period} s is no expected period",
        "give a number above zero, or None where no period is expected",
    )
    require(finer >= 1, f"frequencies cannot be in {finer} parts", "give 1 or more")
    # Loading it takes longer than the rest of a command.
    welch: Any = import_module("scipy.signal").welch
    window = min(len(values), max(_LEAST, round(_PERIODS * (period or _LEAST * step) / step)))
    frequencies, density = welch(values, 1.0 / step, nperseg=window, nfft=finer * window)
    return np.asarray(frequencies, dtype=np.float64), np.asarray(density, dtype=np.float64)


def peak_period(values: NDArray[np.float64], step: float, period: float) -> float:
    """Seconds, of the highest peak of the spectrum beyond its first two frequencies, which are drift.

    Raises InputError for so few values that there is no third frequency, and for values that are all equal.
    The rest is as in `spectrum`.

    Example:
        >>> import numpy as np
        >>> from weir.stats import peak_period
        >>> time = np.arange(0.0, 60.0, 0.05)
        >>> round(peak_period(np.sin(2.0 * np.pi * time / 1.5), step=0.05, period=1.0), 2)
        1.49
    """
    finer = 8
    frequencies, density = spectrum(values, step, period, finer=finer)
    shown = frequencies > 2.0 * finer * frequencies[min(1, frequencies.size - 1)]
    require(
        bool(shown.any()),
        f"{len(values)} values are too few: beyond drift, their spectrum has no frequency",
        "give a longer series, of several periods",
    )
    require(
        float(np.ptp(values)) > 0.0, "a series whose values are all equal has no period", "it does not swing"
    )
    return 1.0 / float(frequencies[shown][np.argmax(density[shown])])
