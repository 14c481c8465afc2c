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
    (RFC 7928, section 8.2)."""
    return round(LOADS[load] * space)


def loss_at_load(flows: int, space: float) -> float:
    """Fraction of lost packets at a load: 0.76 N²/S² (RFC 7928, section 8.2.1)."""
    return 0.76 * flows**2 / space**2


def trimmed_mean(values: Sequence[float], share: float = 0.95, counts: Sequence[int] | None = None) -> float:
    """The mean of the lowest `share` of the values (draft-ietf-ippm-responsiveness); `counts` says how often
    each of them occurs, once if None."""
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
    """
    return 0.5 * (60_000.0 / float(np.mean(foreign_ms)) + 60_000.0 / loaded_ms)


def bufferbloat_grade(increase_ms: float) -> str:
    """Grade of an increase of the mean round trip under load."""
    return next((grade for bound, grade in GRADES if increase_ms < bound), "F")
