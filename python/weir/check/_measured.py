"""Rules on how much is measured: whether there is anything."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from weir.check._note import Note, Remark, warning
from weir.check._resolved import Resolved, duration_of
from weir.check._units import time
from weir.scenario import flows_at


def no_traffic_measured(scene: Resolved) -> Iterator[Remark]:
    """No flow is there while it is measured: all have ended before.

    Of recordings, which end by themselves, `recording-not-measured` speaks.
    """
    warm_up = duration_of(scene.document["measure"], "warm_up")
    instants = [warm_up, *(at for at in scene.instants if warm_up < at < scene.network.duration_s)]
    if scene.paths and not any(flows_at(path.load, at) for path in scene.paths for at in instants):
        yield warning(
            "measure.warm_up",
            f"no flow is there from {time(warm_up)} on, when measuring begins: nothing is measured",
            "a shorter warm_up, or flows that stop later",
        )


def nothing_measured(arrivals: Sequence[int]) -> Iterator[Note]:
    """No packet came to the bottleneck while it was measured: its values are of nothing.

    `arrivals`: the packets that came there after the warm-up, in each run.

    Example:
        >>> from weir.check import nothing_measured
        >>> [note.message for note in nothing_measured([0, 120, 118])]
        ['no packet came to the bottleneck after the warm-up in 1 of 3 runs: the values are of nothing']
        >>> list(nothing_measured([121, 120, 118]))
        []
    """
    empty = sum(number == 0 for number in arrivals)
    if empty:
        runs = "" if empty == len(arrivals) else f" in {empty:,} of {len(arrivals):,} runs"
        yield Note(
            "nothing-measured",
            "warning",
            "measure.warm_up",
            f"no packet came to the bottleneck after the warm-up{runs}: the values are of nothing",
            "a shorter warm_up, or traffic that lasts until the end of the run",
        )
