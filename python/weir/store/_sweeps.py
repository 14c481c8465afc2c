"""What was asked for: records of sweeps, a wide table for each, and their directories."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from weir import _core
from weir.store._errors import StoreError, told
from weir.store._journal import Journal
from weir.store._owners import Owners
from weir.store._records import Sweep
from weir.store._replace import write_whole

if TYPE_CHECKING:
    import polars as pl

FOLDER = "sweeps"

MANIFEST = "manifest.json"
"""In the directory of a result: whose it is."""

_COLUMNS = "number, id, name, title, definition, command, weir, created"


class SweepRecords:
    """The part of a store that is about sweeps."""

    def __init__(self, path: Path, opened: Journal, owners: Owners) -> None:
        self.path = path
        self._journal = opened
        self._owners = owners

    def record_sweep(self, sweep: Sweep) -> Sweep:
        """Keeps what was asked for, and returns it with its number. A known id keeps its number, and is the
        latest again, with the new definition."""
        created = (sweep.created or datetime.now(UTC)).isoformat(timespec="seconds")
        weir = _core.__version__ if sweep.weir is None else sweep.weir
        definition = json.dumps(sweep.definition)
        with self._told("the sweep could not be recorded"), self._journal.transaction() as sql:
            row = sql.execute(
                f"INSERT INTO sweeps ({_COLUMNS}, asked) "  # noqa: S608
                "VALUES (?, ?, ?, ?, ?, ?, ?, ?, (SELECT ifnull(max(asked), 0) + 1 FROM sweeps)) "
                "ON CONFLICT (id) DO UPDATE SET definition = excluded.definition, "
                f"command = excluded.command, asked = excluded.asked RETURNING {_COLUMNS}",
                (sweep.number, sweep.id, sweep.name, sweep.title, definition, sweep.command, weir, created),
            ).fetchone()
        return _sweep(row)

    def sweeps(self) -> list[Sweep]:
        """In the order in which they were last recorded."""
        with self._told("its sweeps cannot be read"):
            rows = self._journal.sql.execute(f"SELECT {_COLUMNS} FROM sweeps ORDER BY asked")  # noqa: S608
            return [_sweep(row) for row in rows]

    def find_sweep(self, text: str | None) -> Sweep:
        """The one of that number, the latest of that name, or the one whose id begins so; None: the latest.

        Raises StoreError, naming those there are.
        """
        found = self.sweeps()
        if text is None:
            if not found:
                raise StoreError(f"there is no result in {self.path}", "weir run SCENARIO makes one")
            return found[-1]
        numbered = [sweep for sweep in found if str(sweep.number) == text]
        named = [sweep for sweep in found if sweep.name == text]
        if numbered or named:
            return (numbered or named)[-1]
        begun = [sweep for sweep in found if text and sweep.id.startswith(text)]
        if len(begun) == 1:
            return begun[0]
        if begun:
            raise StoreError(
                f"the ids of {len(begun)} results in {self.path} begin with {text!r}",
                f"they are: {', '.join(sweep.id for sweep in begun)}",
            )
        names = [f"{sweep.number} {sweep.name}" for sweep in reversed(found[-8:])]
        more = ", … (weir results)" if len(found) > len(names) else ""
        hint = f"there are: {', '.join(names)}{more}" if names else "nothing has been recorded in it"
        raise StoreError(f"{self.path} has no result {text!r}", hint)

    def write_sweep_table(self, sweep: Sweep, frame: pl.DataFrame) -> Path:
        """Writes the wide table of a sweep, sweeps/NAME-ID.parquet; returns where it is."""
        from weir.store import _frames as frames

        path = self._table(sweep)
        with self._told(f"{FOLDER}/{path.name} could not be written"):
            self._owners.put([(path, frames.parquet(frame))])
        return path

    def remove_sweep(self, sweep: Sweep) -> None:
        """Forgets what was asked for; its runs stay until `prune`."""
        with self._told("the sweep could not be removed"):
            self._journal.sql.execute("DELETE FROM sweeps WHERE id = ?", (sweep.id,))
            self._table(sweep).unlink(missing_ok=True)

    def directory(self, sweep: Sweep) -> Path:
        """Of the pages, figures and captures of a recorded result: NUMBER-NAME beside the store. It need not
        exist; where one of that name is another result's, the id stands behind the name."""
        place = Path(os.path.normpath(self.path / os.pardir)) / f"{sweep.number}-{sweep.name}"
        # Another store's, or an earlier one's with this number.
        return place if _owner(place) in {None, sweep.id} else place.with_name(f"{place.name}-{sweep.id}")

    def claim_directory(self, sweep: Sweep) -> Path:
        """Makes the directory, and notes in it whose it is. Raises OSError."""
        place = self.directory(sweep)
        place.mkdir(parents=True, exist_ok=True)
        note = {"weir": sweep.weir, "number": sweep.number, "name": sweep.name, "id": sweep.id}
        write_whole(place / MANIFEST, lambda path: path.write_text(json.dumps(note) + "\n"))
        return place

    def _table(self, sweep: Sweep) -> Path:
        return self.path / FOLDER / f"{_plain(sweep.name) or 'sweep'}-{_plain(sweep.id)}.parquet"

    @contextmanager
    def _told(self, doing: str) -> Generator[None]:
        with told(self.path, doing):
            yield


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
