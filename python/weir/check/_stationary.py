"""A rule on what was measured: whether the queue had settled."""

from __future__ import annotations

from collections.abc import Sequence

from weir.check._note import Note
from weir.check._resolved import Resolved, duration_of

_PARTS = 10
_VARIANCE = _PARTS * (_PARTS - 1) * (2 * _PARTS + 5) / 18
"""Variance of Kendall's S for independent parts (Mann, 1945)."""

_CERTAIN = 3.29
"""Threshold of S in standard deviations: exceeded in 1 of 1,000 cases if the parts are independent."""

_WORTH = 0.1
"""Threshold of the drift, as a fraction of the mean over both halves. A smaller drift changes no
conclusion."""


def not_stationary(scene: Resolved, trends: Sequence[float], drifts: Sequence[float]) -> Note | None:
    """The queue grew or shrank in the course of what was measured: the start was not over.

    `trends` and `drifts` are the columns `queue_trend` and `queue_drift` of the bottleneck, one of each
    replication. A scenario that itself changes, or is divided into periods, is not judged.
    """
    replications = len(trends)
    if not replications or not _is_steady(scene):
        return None
    drift = sum(drifts) / replications
    if abs(sum(trends)) < _CERTAIN * (replications * _VARIANCE) ** 0.5 or abs(drift) < _WORTH:
        return None
    changed = "grew" if drift > 0 else "shrank"
    return Note(
        "not-stationary",
        "note",
        "measure.warm_up",
        f"the queue had not settled: from the first half of what is measured to the second, it {changed} by "
        f"{100 * abs(drift):.0f}% of its mean",
        "a longer warm_up in a longer run, or periods (measure.period)",
    )


def _is_steady(scene: Resolved) -> bool:
    """Returns true if load and rates stay constant once the warm-up is over."""
    warm_up = duration_of(scene.document["measure"], "warm_up")
    return "period" not in scene.document["measure"] and all(at <= warm_up for at in scene.instants)
