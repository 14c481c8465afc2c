"""Formulas of an evaluation that need only numbers: loads, responsiveness, grades of delay."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal

import numpy as np

from weir._errors import InputError, require
from weir.scenario import suggestion

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

    Raises InputError for another load, and for a space that is not above zero.

    Example:
        >>> from weir.evaluate import flows_for_load
        >>> [flows_for_load(1000.0, load) for load in ("mild", "medium", "heavy")]
        [36, 81, 114]
    """
    if load not in LOADS:
        raise InputError(f"there is no load {load!r}", suggestion(load, list(LOADS)))
    _check_space(space)
    return round(LOADS[load] * space)


def loss_at_load(flows: int, space: float) -> float:
    """Fraction of lost packets at a load: 0.76 N²/S² (RFC 7928, section 8.2.1).

    Raises InputError for a space that is not above zero, and for a negative number of flows. Raises it, too,
    for so many flows that the formula exceeds 1.

    Example:
        >>> from weir.evaluate import loss_at_load
        >>> round(loss_at_load(flows=36, space=1000.0), 5)
        0.00098
    """
    require(flows >= 0, f"{flows} flows are no load", "give zero or more")
    _check_space(space)
    found = 0.76 * flows**2 / space**2
    require(
        found <= 1.0,
        f"the formula has no loss for {flows} flows in a space of {space:g} packets: it exceeds 1",
        "give fewer flows or more space: below 1.14 packets a flow it does not hold",
    )
    return found


def _check_space(space: float) -> None:
    require(
        0.0 < space < math.inf,
        f"a space of {space:g} packets is none",
        "give a number above zero: bandwidth-delay product and buffer together",
    )


def trimmed_mean(values: Sequence[float], share: float = 0.95, counts: Sequence[int] | None = None) -> float:
    """The mean of the lowest `share` of the values (draft-ietf-ippm-responsiveness); `counts` says how often
    each of them occurs, once if None.

    Raises InputError without values, for undefined ones, and for a share that is not from above 0 to 1.
    Raises it, too, for counts that are not one for each value, are negative, or are all zero.

    Example:
        >>> from weir.evaluate import trimmed_mean
        >>> trimmed_mean([1.0, 2.0, 3.0, 100.0], share=0.75)
        2.0
        >>> trimmed_mean([1.0, 3.0], share=1.0, counts=[3, 1])
        1.5
    """
    require(len(values) > 0, "nothing has no mean", "give one value or more")
    require(0.0 < share <= 1.0, f"{share:g} is no share of the values", "give a number above 0, at most 1")
    require(
        counts is None or len(counts) == len(values),
        f"{0 if counts is None else len(counts)} counts do not say how often {len(values)} values occur",
        "give one count for each value",
    )
    require(
        counts is None or (min(counts) >= 0 < max(counts)),
        "the counts say of no value how often it occurs",
        "give zero or more for each value, and more than zero for one",
    )
    numbers, times = np.asarray(values, float), np.ones(len(values)) if counts is None else np.asarray(counts)
    require(not np.isnan(numbers).any(), "an undefined value has no place in an order", "leave it out")
    order = np.argsort(numbers, kind="stable")
    kept = max(1.0, math.ceil(share * float(times.sum()) - 1e-9))
    before = np.concatenate([[0.0], np.cumsum(times[order])[:-1]])
    weights = np.clip(kept - before, 0.0, times[order])
    return float(numbers[order] @ weights / weights.sum())


def rpm(foreign_ms: Sequence[float], loaded_ms: float) -> float:
    """Round trips per minute (draft-ietf-ippm-responsiveness).

    It is the mean of two numbers: that of connections of their own, and that of a loaded connection. The
    former have the times `foreign_ms`, in milliseconds (TCP, perhaps TLS, HTTP).

    Raises InputError without connections of their own, and for a time that is not above zero.

    Example:
        >>> from weir.evaluate import rpm
        >>> rpm(foreign_ms=[20.0, 40.0], loaded_ms=60.0)
        1500.0
    """
    require(
        len(foreign_ms) > 0, "there is no connection of its own", "give the time of one or more: foreign_ms"
    )
    for each in (*foreign_ms, loaded_ms):
        require(0.0 < each < math.inf, f"a round trip of {each:g} ms is none", "give times above zero")
    return 0.5 * (60_000.0 / float(np.mean(foreign_ms)) + 60_000.0 / loaded_ms)


def bufferbloat_grade(increase_ms: float) -> str:
    """Grade of an increase of the mean round trip under load.

    Raises InputError for an increase that is not defined.

    Example:
        >>> from weir.evaluate import bufferbloat_grade
        >>> [bufferbloat_grade(increase) for increase in (3.0, 45.0, 800.0)]
        ['A+', 'B', 'F']
    """
    require(not math.isnan(increase_ms), "an increase that is not defined has no grade", "give milliseconds")
    return next((grade for bound, grade in GRADES if increase_ms < bound), "F")
