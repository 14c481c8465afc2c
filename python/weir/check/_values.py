"""Rules on the values that were measured: how many there are, and whether chance made them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from weir.check._note import Note

_NEEDED = {"p95": 20, "p99": 100, "p99.9": 1000}
"""Quantile to the number of values below which it is the largest of them."""

_MANY_LEFT = 0.05
"""Transfers that had not ended, of all, from which on they count: a scenario that settles has fewer."""


def nothing_random(group: str) -> Note:
    """Replications are equal in every value: nothing is random, so there are no intervals.

    Another seed draws nothing else where nothing is drawn. `group`: one of the groups of flows.

    Example:
        >>> from weir.check import nothing_random
        >>> nothing_random("ftp").hint
        'flows.ftp.start_jitter = "1 s", or send_jitter: then replications differ'
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

    number: the values of a run, in the run that has fewest. what: what they are, in the plural, with what
    happened to them, and in which time. quantiles: those that are shown, of p95, p99 and p99.9.

    Example:
        >>> from weir.check import few_values
        >>> for note in few_values(30, "transfers ended in a run"):
        ...     print(note.message)
        30 transfers ended in a run: a p99 of fewer than 100 values is the largest of them
    """
    short = [name for name in _NEEDED if name in quantiles and number < _NEEDED[name]]
    if number > 0 and short:
        needed = " or ".join(f"{_NEEDED[name]:,}" for name in short)
        yield Note(
            "few-values",
            "note",
            "duration",
            f"{counted(number, what)}: a {' or '.join(short)} of fewer than {needed} values is the largest "
            "of them",
            "a longer run, or more of them",
        )


def unfinished_transfers(ended: int, left: int, what: str) -> Iterator[Note]:
    """Many transfers had not ended: times and slowdowns are of the others, which were quicker.

    ended, left: transfers of a run, the run in which most were left of all. what: which they are, in the
    plural.

    Example:
        >>> from weir.check import unfinished_transfers
        >>> [note.code for note in unfinished_transfers(ended=60, left=40, what="transfers of web")]
        ['unfinished-transfers']
        >>> list(unfinished_transfers(ended=99, left=1, what="transfers of web"))
        []
    """
    every = ended + left
    if left > _MANY_LEFT * every:
        yield Note(
            "unfinished-transfers",
            "note",
            "duration",
            f"{left:,} of {counted(every, what)} had not ended: times and slowdowns leave them out, "
            "and are of quicker ones",
            "a longer run; where more is offered than the link carries, no time is long enough",
        )


def counted(number: int, what: str) -> str:
    """A number of things that stand in the plural in the first word: one of them is singular."""
    first, space, rest = what.partition(" ")
    return f"{number:,} {first.removesuffix('s') if number == 1 else first}{space}{rest}"
