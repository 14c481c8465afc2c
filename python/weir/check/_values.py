"""Rules on the values that were measured: how many there are, and whether chance made them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from weir.check._note import Note

_NEEDED = {"p95": 20, "p99": 100, "p99.9": 1000}
"""Quantile to the number of values below which it is the largest of them."""


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


def few_values(number: int, what: str, quantiles: Sequence[str] = ("p95", "p99")) -> Iterator[Note]:
    """A quantile is of so few values that it is the largest of them.

    number: the values of a run, in the run that has fewest. what: what they are, with what happened to them,
    and in which time. quantiles: those that are shown, of p95, p99 and p99.9.
    """
    short = [name for name in _NEEDED if name in quantiles and number < _NEEDED[name]]
    if number > 0 and short:
        needed = " or ".join(f"{_NEEDED[name]:,}" for name in short)
        yield Note(
            "few-values",
            "note",
            "duration",
            f"{number} {what}: a {' or '.join(short)} of fewer than {needed} values is the largest of them",
            "a longer run, or more of them",
        )
