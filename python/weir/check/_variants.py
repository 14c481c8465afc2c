"""Rules on variants together."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from weir import _core
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


def same_queue_later(variants: Iterable[tuple[str, Mapping[str, Any]]]) -> Iterator[tuple[str, Note]]:
    """A change in mid-run gives variants with different queues the same one: then nothing is compared.

    Of the labels of variants, and their documents with every default.
    """
    together: dict[tuple[str, str, str], dict[str, str]] = {}
    for label, document in variants:
        end = _core.quantity(document["duration"])[0]
        for change in document.get("changes", []):
            if _core.quantity(change["at"])[0] >= end:
                continue
            for name, changed in change.get("links", {}).items():
                link = document["links"][name]
                for port, first, later in (
                    (name, link, changed),
                    (f"{name}.reverse", link.get("reverse"), changed.get("reverse", {})),
                ):
                    if "queue" in later:
                        same = (port, change["at"], json.dumps(later["queue"], sort_keys=True))
                        together.setdefault(same, {})[label] = json.dumps(first["queue"], sort_keys=True)
    told: set[str] = set()
    for (port, at, _), labels in together.items():
        if len({*labels.values()}) > 1 and not told >= set(labels):
            told |= set(labels)
            note = Note(
                "same-queue-later",
                "note",
                "changes",
                f"{listed(list(labels))} have different queues at {port} until {at}, and the same then",
                "changes of its own for each variant, or none: changes = []",
            )
            yield from ((label, note) for label in labels)
