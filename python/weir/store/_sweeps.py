"""What was asked for: records of sweeps, and a wide table for each."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from weir import _core
from weir.store._errors import StoreError
from weir.store._journal import Journal
from weir.store._records import Sweep
from weir.store._replace import write_whole

FOLDER = "sweeps"

MANIFEST = "manifest.json"
"""In the directory of a result: whose it is."""

_COLUMNS = "number, id, name, title, definition, command, weir, created"


def record(journal: Journal, sweep: Sweep) -> Sweep:
    """A sweep that is there already keeps its number, and is the latest again."""
    created = (sweep.created or datetime.now(UTC)).isoformat(timespec="seconds")
    weir = _core.__version__ if sweep.weir is None else sweep.weir
    definition = json.dumps(sweep.definition)
    with journal.transaction() as sql:
        row = sql.execute(
            f"INSERT INTO sweeps ({_COLUMNS}, asked) "  # noqa: S608
            "VALUES (?, ?, ?, ?, ?, ?, ?, ?, (SELECT ifnull(max(asked), 0) + 1 FROM sweeps)) "
            "ON CONFLICT (id) DO UPDATE SET definition = excluded.definition, command = excluded.command, "
            f"asked = excluded.asked RETURNING {_COLUMNS}",
            (sweep.number, sweep.id, sweep.name, sweep.title, definition, sweep.command, weir, created),
        ).fetchone()
    return _sweep(row)


def listed(journal: Journal) -> list[Sweep]:
    """In the order in which they were last asked for."""
    return [_sweep(row) for row in journal.sql.execute(f"SELECT {_COLUMNS} FROM sweeps ORDER BY asked")]  # noqa: S608


def find(journal: Journal, text: str | None) -> Sweep:
    """By number; by name, then the latest of that name; by the beginning of its id. None: the latest.

    Raises StoreError.
    """
    found = listed(journal)
    if text is None:
        if not found:
            raise StoreError(f"there is no result in {journal.store}", "weir run SCENARIO makes one")
        return found[-1]
    numbered = [sweep for sweep in found if str(sweep.number) == text]
    if numbered:
        return numbered[0]
    named = [sweep for sweep in found if sweep.name == text]
    if named:
        return named[-1]
    begun = [sweep for sweep in found if text and sweep.id.startswith(text)]
    if len(begun) == 1:
        return begun[0]
    directory = journal.store
    if begun:
        raise StoreError(
            f"the ids of {len(begun)} results in {directory} begin with {text!r}",
            f"they are: {', '.join(sweep.id for sweep in begun)}",
        )
    names = list(dict.fromkeys(sweep.name for sweep in reversed(found)))
    hint = f"there are: {', '.join(names)}" if names else "nothing has been recorded in it"
    raise StoreError(f"{directory} has no result {text!r}", hint)


def table_path(store: Path, sweep: Sweep) -> Path:
    """Where the wide table of a sweep is, or will be."""
    return store / FOLDER / f"{_plain(sweep.name) or 'sweep'}-{_plain(sweep.id)}.parquet"


def directory(store: Path, sweep: Sweep) -> Path:
    """Of the pages and captures of a result: NUMBER-NAME beside the store."""
    parent = Path(os.path.normpath(store / os.pardir))
    place = parent / f"{sweep.number}-{sweep.name}"
    # Another store's, or an earlier one's with this number.
    return place if _owner(place) in {None, sweep.id} else parent / f"{place.name}-{sweep.id}"


def claim_directory(store: Path, sweep: Sweep) -> Path:
    """Makes the directory, and notes whose it is."""
    place = directory(store, sweep)
    place.mkdir(parents=True, exist_ok=True)
    note = {"weir": sweep.weir, "number": sweep.number, "name": sweep.name, "id": sweep.id}
    write_whole(place / MANIFEST, lambda path: path.write_text(json.dumps(note) + "\n"))
    return place


def _owner(place: Path) -> str | None:
    """The id of the result to which a directory belongs; None if there is no such directory."""
    if not place.exists():
        return None
    try:
        return str(json.loads((place / MANIFEST).read_text(encoding="utf-8"))["id"])
    except (OSError, ValueError, TypeError, KeyError):
        return ""


def _sweep(row: Sequence[Any]) -> Sweep:
    number, key, name, title, definition, command, weir, created = row
    when = datetime.fromisoformat(created)
    return Sweep(key, name, title, json.loads(definition), command, weir, when, number)


def _plain(text: str) -> str:
    """For the name of a file on any system."""
    return re.sub(r"[^A-Za-z0-9._-]+", "-", text).strip("-.")[:100]
