"""What was asked for: records of sweeps, and a wide table for each."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from weir.store.errors import StoreError
from weir.store.journal import Journal
from weir.store.records import Sweep, this_weir

FOLDER = "sweeps"

COLUMNS = "id, name, title, definition, command, weir, created"


def record(journal: Journal, sweep: Sweep) -> None:
    """Recorded anew under its id, a sweep is the latest again."""
    created = (sweep.created or datetime.now(UTC)).isoformat(timespec="seconds")
    weir = this_weir() if sweep.weir is None else sweep.weir
    values = (sweep.id, sweep.name, sweep.title, json.dumps(sweep.definition), sweep.command, weir, created)
    with journal.transaction() as sql:
        sql.execute(f"INSERT OR REPLACE INTO sweeps ({COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?)", values)  # noqa: S608


def listed(journal: Journal) -> list[Sweep]:
    """In the order in which they were last recorded."""
    return [from_row(row) for row in journal.sql.execute(f"SELECT {COLUMNS} FROM sweeps ORDER BY number")]  # noqa: S608


def from_row(row: Sequence[Any]) -> Sweep:
    """A sweep from its columns, in the order of COLUMNS."""
    key, name, title, definition, command, weir, created = row
    return Sweep(key, name, title, json.loads(definition), command, weir, datetime.fromisoformat(created))


def find(journal: Journal, text: str) -> Sweep:
    """By name, then the latest of that name; or by the beginning of its id. Raises StoreError."""
    found = listed(journal)
    named = [sweep for sweep in found if sweep.name == text]
    if named:
        return named[-1]
    begun = [sweep for sweep in found if text and sweep.id.startswith(text)]
    if len(begun) == 1:
        return begun[0]
    directory = journal.path.parent
    if begun:
        raise StoreError(
            f"the ids of {len(begun)} sweeps in {directory} begin with {text!r}",
            f"they are: {', '.join(sweep.id for sweep in begun)}",
        )
    names = list(dict.fromkeys(sweep.name for sweep in reversed(found)))
    hint = f"there are: {', '.join(names)}" if names else "no sweep has been recorded in it"
    raise StoreError(f"{directory} has no sweep {text!r}", hint)


def table_path(store: Path, sweep: Sweep) -> Path:
    """Where the wide table of a sweep is, or will be."""
    return store / FOLDER / f"{_plain(sweep.name) or 'sweep'}-{_plain(sweep.id)}.parquet"


def _plain(text: str) -> str:
    """For the name of a file on any system."""
    return re.sub(r"[^A-Za-z0-9._-]+", "-", text).strip("-.")[:100]
