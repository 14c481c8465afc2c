"""Formulas of an evaluation that need only numbers: loads, responsiveness, grades of delay."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal

import numpy as np

Load = Literal["mild", "medium", "heavy"]
"""Levels of load in RFC 7928, section 8.2."""

LOADS: dict[Load, float] = {"mild": 0.036, "medium": 0.081, "heavy": 0.114}
"""Flows per packet of space (RFC 7928, sections 8.2.2 to 8.2.4)."""

GRADES = ((5.0, "A+"), (30.0, "A"), (60.0, "B"), (200.0, "C"), (400.0, "D"))
"""Milliseconds below which the increase of the round trip under load has a grade. From 400 ms on the grade is
F (bufferbloat test of DSLReports and Waveform)."""


def flows_for_load(space: float, load: Load) -> int:
    """Number of flows that causes a load, if bandwidth-delay product and buffer together have `space` packets
    (RFC 7928, section 8.2).

    Raises KeyError for another load.

    Example:
        >>> from weir.evaluate import flows_for_load
        >>> [flows_for_load(1000.0, load) for load in ("mild", "medium", "heavy")]
        [36, 81, 114]
    """
    return round(LOADS[load] * space)


def loss_at_load(flows: int, space: float) -> float:
    """Fraction of lost packets at a load: 0.76 N²/S² (RFC 7928, section 8.2.1).

    Raises ZeroDivisionError for a space of zero.

    Example:
        >>> from weir.evaluate import loss_at_load
        >>> round(loss_at_load(flows=36, space=1000.0), 5)
        0.00098
    """
    return 0.76 * flows**2 / space**2


def trimmed_mean(values: Sequence[float], share: float = 0.95, counts: Sequence[int] | None = None) -> float:
    """The mean of the lowest `share` of the values (draft-ietf-ippm-responsiveness); `counts` says how often
    each of them occurs, once if None.

    Raises IndexError for fewer counts than values.

    Example:
        >>> from weir.evaluate import trimmed_mean
        >>> trimmed_mean([1.0, 2.0, 3.0, 100.0], share=0.75)
        2.0
        >>> trimmed_mean([1.0, 3.0], share=1.0, counts=[3, 1])
        1.5
    """
    numbers, times = np.asarray(values, float), np.ones(len(values)) if counts is None else np.asarray(counts)
    order = np.argsort(numbers, kind="stable")
    kept = max(1.0, math.ceil(share * float(times.sum()) - 1e-9))
    before = np.concatenate([[0.0], np.cumsum(times[order])[:-1]])
    weights = np.clip(kept - before, 0.0, times[order])
    return float(numbers[order] @ weights / weights.sum())


def rpm(foreign_ms: Sequence[float], loaded_ms: float) -> float:
    """Round trips per minute (draft-ietf-ippm-responsiveness).

    It is the mean of two numbers: that of connections of their own, and that of a loaded connection. The
    former have the times `foreign_ms`, in milliseconds (TCP, perhaps TLS, HTTP).

    Raises ZeroDivisionError for a time of zero.

    Example:
        >>> from weir.evaluate import rpm
        >>> rpm(foreign_ms=[20.0, 40.0], loaded_ms=60.0)
        1500.0
    """
    return 0.5 * (60_000.0 / float(np.mean(foreign_ms)) + 60_000.0 / loaded_ms)


def bufferbloat_grade(increase_ms: float) -> str:
    """Grade of an increase of the mean round trip under load.

    Example:
        >>> from weir.evaluate import bufferbloat_grade
        >>> [bufferbloat_grade(increase) for increase in (3.0, 45.0, 800.0)]
        ['A+', 'B', 'F']
    """
    return next((grade for bound, grade in GRADES if increase_ms < bound), "F")
