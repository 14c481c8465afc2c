"""A rule on what was measured: whether there is anything."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from weir.check._note import Note


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
