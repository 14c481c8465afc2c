"""Choice of the result that a name means: the newest that can answer the question."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, TypeVar

from weir._errors import WeirError
from weir.cli import _command as command

if TYPE_CHECKING:
    from weir.store import Record, Store

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)

_TOLD = 3
"""Results whose reason for lacking an answer is shown."""


@dataclass(frozen=True)
class Answer(Generic[T_co]):
    """Answer of a result to a question."""

    value: T_co
    record: Record
    lacking: tuple[tuple[Record, str], ...]
    """Newer results, each with the reason why it cannot answer."""

    @property
    def took(self) -> str:
        """The result that answered, and why no newer one did: `result 3, mine`."""
        found = f"result {self.record.number}, {self.record.name}"
        if not self.lacking:
            return found
        return f"{found}; newer, but cannot answer: {_told(self.lacking)}"


def _told(lacking: Sequence[tuple[Record, str]]) -> str:
    """Lists what each result lacks."""
    told = "; ".join(f"{record.number} {record.name}: {reason}" for record, reason in lacking[:_TOLD])
    return f"{told}; and {len(lacking) - _TOLD} more" if lacking[_TOLD:] else told


def answered(
    store: Store,
    which: str | None,
    ask: Callable[[Record], T],
    *,
    lacks: Callable[[T], str | None] = lambda _: None,
) -> Answer[T]:
    """Asks the result of that number or id. For a name, or for None, asks from the newest result on, until
    one can answer.

    `ask` raises WeirError if it cannot. One that answers, but of which `lacks` says that something is not
    there, counts if no older one has it. Raises StoreError if there is no such result, and WeirError, which
    says what each lacks, if none can answer.
    """
    lacking: list[tuple[Record, str]] = []
    errors: list[WeirError] = []
    poor: Answer[T] | None = None
    for record in store.find_sweeps(which):
        try:
            value = ask(record)
        except WeirError as error:
            errors.append(error)
            lacking.append((record, error.told))
            continue
        answer = Answer(value, record, tuple(lacking))
        reason = lacks(value)
        if reason is None:
            return answer
        poor = poor or answer
        lacking.append((record, reason))
    if poor is not None:
        return poor
    # What is wrong with the question is the same for all of them.
    if len({error.told for error in errors}) == 1:
        raise errors[0]
    raise WeirError(
        f"no result{'' if which is None else f' {which!r}'} can answer: {_told(lacking)}",
        errors[0].hint or "weir results lists them",
    )


def say(store: Store, which: str | None, answer: Answer[object], *, quiet: bool) -> None:
    """Says which result a name was taken for, or the lack of one."""
    exact = which is not None and (which == str(answer.record.number) or len(store.find_sweeps(which)) == 1)
    if not quiet and (answer.lacking or not exact):
        command.note(answer.took)
