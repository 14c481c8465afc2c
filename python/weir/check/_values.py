"""Rules on the values that were measured: how many there are, and whether chance made them."""

from __future__ import annotations

from collections.abc import Iterator

from weir.check._note import Note

_FOR_P99, _FOR_P95 = 100, 20
"""Values below which that quantile is the largest of them."""


def nothing_random(group: str) -> Note:
    """Replications are equal in every value: nothing is random, so there are no intervals.

    Another seed draws nothing else where nothing is drawn. `group`: one of the groups of flows.
    """
    return Note(
        "nothing-random",
        "warning",
        f"flows.{group}.start_jitter",
        "all replications are equal in every value: nothing is random, so they count as one run, without "
        "intervals",
        f'flows.{group}.start_jitter = "1 s", or send_jitter: then replications differ',
    )


def few_values(number: int, what: str) -> Iterator[Note]:
    """A quantile is of so few values that it is the largest of them.

    number: the values of a run, in the run that has fewest. what: what they are, with what happened to them.
    """
    if 0 < number < _FOR_P99:
        quantiles = "a p99" if number >= _FOR_P95 else "a p95 or p99"
        needed = f"{_FOR_P99}" if number >= _FOR_P95 else f"{_FOR_P95} or {_FOR_P99}"
        yield Note(
            "few-values",
            "note",
            "duration",
            f"{number} {what} in a run: {quantiles} of fewer than {needed} values is the largest of them",
            "a longer run, or more of them",
        )
