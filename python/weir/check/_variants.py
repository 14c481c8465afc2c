"""A rule on variants together."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from weir.check._note import Note
from weir.check._units import listed


def same_variants(settings: Iterable[tuple[str, str]]) -> Iterator[tuple[str, Note]]:
    """Two variants are the same scenario in every value: comparing them compares equal runs.

    Of the labels of variants, and what tells scenarios apart: their hashes.
    """
    labels: dict[str, list[str]] = {}
    for label, identity in settings:
        labels.setdefault(identity, []).append(label)
    for same in labels.values():
        if len(same) > 1:
            note = Note(
                "same-variants",
                "warning",
                "variants",
                f"{listed(same)} are the same in every value",
                "what differs, or remove one: a table in a variant replaces the whole table",
            )
            yield from ((label, note) for label in same)
