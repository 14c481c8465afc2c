"""Records of sweeps, a wide table for each, and their directories."""

from __future__ import annotations

import errno
import json
import os
import sqlite3
import zlib
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from threading import RLock
from typing import TYPE_CHECKING, Any, NoReturn

from weir import _core
from weir._errors import is_a
from weir._printable import cut
from weir.store._errors import StoreError, UnwritableStoreError, store_errors
from weir.store._journal import NAME, Journal
from weir.store._names import ascii_name, file_name, is_id, names_a_file, text_of
from weir.store._owners import Owners
from weir.store._records import Record
from weir.store._replace import write_whole

if TYPE_CHECKING:
    import polars as pl

FOLDER = "sweeps"

MANIFEST = "manifest.json"
"""File in the directory of a result that names the result to which the directory belongs."""

_ODD = (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError)
"""Errors of Python at values that are not as they should be."""

COLUMNS = "number, id, name, title, definition, command, weir, created, crc32"


class _Damaged(Mapping[str, Any]):
    """The definition of a result whose record is not as it was written: reading it raises StoreError."""

    def __init__(self, message: str, hint: str) -> None:
        self._error = message, hint

    def __getitem__(self, key: str) -> NoReturn:
        raise StoreError(*self._error)

    def __iter__(self) -> NoReturn:
        raise StoreError(*self._error)

    def __len__(self) -> NoReturn:
        raise StoreError(*self._error)


class SweepRecords:
    """Part of a store that keeps the records of sweeps."""

    def __init__(self, path: Path, opened: Journal, owners: Owners, *, read_only: bool) -> None:
        self.path = path
        self._read_only = read_only
        self._journal = opened
        self._owners = owners
        self._turn = RLock()
        """Lock of the thread that uses the journal: its transactions are those of one connection."""
        self._pages: Path | None = None
        """Directory for the pages and captures of a store that is not kept; None for a kept store."""

    def record_sweep(self, sweep: Record) -> Record:
        """Keeps a sweep, and returns it with its number, and with a name that files may have. A known id
        keeps its number, and is the latest again, with the new definition."""
        if not is_id(sweep.id):
            raise ValueError(f"{sweep.id!r} is no id: up to 40 letters, digits, '_' and '-'")
        created = (sweep.created or datetime.now(UTC)).isoformat(timespec="seconds")
        weir = _core.__version__ if sweep.weir is None else sweep.weir
        definition = json.dumps(sweep.definition)
        name, title = file_name(sweep.name), text_of(sweep.title)
        command = sweep.command and text_of(sweep.command)
        checked = _crc32((sweep.id, name, title, definition, command))
        values = (sweep.number, sweep.id, name, title, definition, command, weir, created)
        with self._store_errors("the sweep could not be recorded"), self._journal.transaction() as sql:
            row = sql.execute(
                f"INSERT INTO sweeps ({COLUMNS}, asked) "  # noqa: S608
                "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, (SELECT ifnull(max(asked), 0) + 1 FROM sweeps)) "
                "ON CONFLICT (id) DO UPDATE SET name = excluded.name, title = excluded.title, "
                "definition = excluded.definition, command = excluded.command, crc32 = excluded.crc32, "
                f"asked = excluded.asked RETURNING {COLUMNS}",
                (*values, checked),
            ).fetchone()
        return self._sweep(row)

    def sweeps(self) -> list[Record]:
        """All sweeps, in the order in which they were last recorded.

        Raises StoreError if the store cannot be read.
        """
        with self._store_errors("its sweeps cannot be read"):
            rows = self._journal.sql.execute(f"SELECT {COLUMNS} FROM sweeps ORDER BY asked")  # noqa: S608
            return [self._sweep(row) for row in rows]

    def find_sweep(self, text: str | int | None) -> Record:
        """The sweep of that number, the latest of that name, or the one whose id begins so; None: the latest.

        Raises StoreError, naming those there are.
        """
        return self.find_sweeps(text)[0]

    def find_sweeps(self, text: str | int | None) -> list[Record]:
        """The sweep of that number, or all of that name, or the one whose id begins so, or all if None: at
        least one, the latest first.

        Raises StoreError, naming those there are.
        """
        found = self.sweeps()
        if text is None:
            if not found:
                raise StoreError(f"there is no result in {self.path}", "weir run SCENARIO makes one")
            return found[::-1]
        text = str(text)
        numbered = [sweep for sweep in found if str(sweep.number) == text]
        named = [sweep for sweep in found if sweep.name in {text, file_name(text)}]
        if numbered or named:
            return numbered or named[::-1]
        begun = [sweep for sweep in found if text and sweep.id.startswith(text)]
        if len(begun) == 1:
            return begun
        if begun:
            raise StoreError(
                f"the ids of {len(begun)} results in {self.path} begin with {text!r}",
                f"they are: {', '.join(sweep.id for sweep in begun)}",
            )
        names = [f"{sweep.number} {sweep.name}" for sweep in reversed(found[-8:])]
        more = ", … (weir results)" if len(found) > len(names) else ""
        hint = f"there are: {', '.join(names)}{more}" if names else "nothing has been recorded in it"
        raise StoreError(f"{self.path} has no result {text!r}", hint)

    @contextmanager
    def reading(self, sweep: Record) -> Generator[Mapping[str, Any]]:
        """The definition of a recorded result, for a block that takes it apart. Raises StoreError if it is
        not as a definition should be."""
        try:
            yield sweep.definition
        except _ODD as error:
            message, hint = self._unreadable(sweep.number, sweep.command)
            raise StoreError(
                f"{message}: its definition is none ({type(error).__name__}: {error})", hint
            ) from error

    def write_sweep_table(self, sweep: Record, frame: pl.DataFrame) -> Path:
        """Writes the wide table of a sweep, sweeps/NAME-ID.parquet; returns where it is."""
        from weir.store import _frames as frames

        path = self._table(sweep)
        with self._store_errors(f"{FOLDER}/{path.name} could not be written"):
            self._owners.put([(path, frames.parquet(frame))])
        return path

    def remove_sweep(self, sweep: Record) -> None:
        """Removes the record of a sweep; its runs stay until `prune`. Raises StoreError for what is no record
        of a result, and for a store that was opened to be read."""
        if not is_a(sweep, Record):
            said = f"{cut(repr(sweep))} is no record of a result"
            raise StoreError(said, "find it first: store.find_sweep takes a number, a name or an id")
        self._check_writable("the result cannot be removed")
        with self._store_errors("the sweep could not be removed"):
            with self._journal.transaction() as sql:
                sql.execute("DELETE FROM sweeps WHERE number = ?", (sweep.number,))
            self._table(sweep).unlink(missing_ok=True)

    def _check_writable(self, doing: str) -> None:
        """Raises StoreError if this store was opened to be read."""
        if self._read_only:
            raise UnwritableStoreError(
                f"{self.path} was opened to be read: {doing}",
                f"open it to be written: weir.Store.open({str(self.path)!r})",
            )

    def directory(self, sweep: Record) -> Path:
        """Directory of the pages, figures and captures of a recorded result: NUMBER-NAME beside the store. It
        need not exist. If another result has that name, the id stands behind the name."""
        if self._pages is not None:
            # No number will find it.
            place = self._pages / sweep.name
        else:
            place = Path(os.path.normpath(self.path / os.pardir)) / f"{sweep.number}-{sweep.name}"
        # Another store's, or an earlier one's with this number.
        return place if _owner(place) in {None, sweep.id} else place.with_name(f"{place.name}-{sweep.id}")

    def claim_directory(self, sweep: Record) -> Path:
        """Makes the directory, and notes in it whose it is. Raises OSError, also for a link to elsewhere."""
        place = self.directory(sweep)
        place.mkdir(parents=True, exist_ok=True)
        if link := next((one for one in (place, *place.iterdir()) if one.is_symlink()), None):
            raise OSError(errno.ELOOP, "a link to elsewhere, in which nothing is written", str(link))
        note = {"weir": sweep.weir, "number": sweep.number, "name": sweep.name, "id": sweep.id}
        write_whole(place / MANIFEST, lambda path: path.write_text(json.dumps(note) + "\n"))
        return place

    def _sweep(self, row: Sequence[Any]) -> Record:
        number, key, name, title, definition, command, weir, created, _ = row
        if _is_whole(row):
            when = datetime.fromisoformat(created)
            return Record(key, name, title, _definition(definition), command, weir, when, number)
        unreadable = _Damaged(*self._unreadable(number, command))
        # They make names of directories.
        key, name = (ascii_name(str(text)) or "damaged" for text in (key, name))
        begin = datetime.fromtimestamp(0, UTC)
        return Record(key, name, str(title), unreadable, command and str(command), str(weir), begin, number)

    def _unreadable(self, number: int | None, command: object) -> tuple[str, str]:
        again = f"; then this makes it again: {command}" if command else ""
        return (
            f"the record of result {number} in {self.path / NAME} is damaged",
            f"its runs are safe: remove it, `weir results {number} --remove --store {self.path}`{again}",
        )

    def _table(self, sweep: Record) -> Path:
        return self.path / FOLDER / f"{ascii_name(sweep.name) or 'sweep'}-{sweep.id}.parquet"

    @contextmanager
    def _store_errors(self, doing: str) -> Generator[None]:
        """Block for everything that uses the journal: threads take turns, and errors are told to people."""
        with self._turn, store_errors(self.path, doing):
            yield


def _owner(place: Path) -> str | None:
    """The id of the result to which a directory belongs. It is None if there is no such directory, or nothing
    in it, as where the disk was full. A link is nobody's."""
    if place.is_symlink():
        return ""
    if not place.exists():
        return None
    try:
        if not any(place.iterdir()):
            return None
        manifest = place / MANIFEST
        return str(json.loads(manifest.read_text(encoding="utf-8"))["id"]) if manifest.is_file() else ""
    except (OSError, ValueError, TypeError, KeyError):
        return ""


def damaged_sweeps(sql: sqlite3.Connection) -> dict[int, str | None]:
    """Number to command of the records that are not as they were written."""
    rows = sql.execute(f"SELECT {COLUMNS} FROM sweeps ORDER BY number").fetchall()  # noqa: S608
    return {row[0]: row[5] and str(row[5]) for row in rows if not _is_whole(row)}


def _is_whole(row: Sequence[Any]) -> bool:
    try:
        datetime.fromisoformat(row[7])
        # Anyone can sum up what they have made up: the sum says nothing of where the names lead.
        named = is_id(row[1]) and names_a_file(row[2])
        whole = named and 0 < row[0] < 10**9 and _crc32(row[1:6]) == row[8]
        return whole and isinstance(_definition(row[4]), dict)
    except (TypeError, ValueError, RecursionError):
        return False


def _definition(text: str) -> Any:  # noqa: ANN401 - what JSON can hold
    """Parses a recorded definition. Raises ValueError if it is no JSON, or no valid text once it is read."""
    found = json.loads(text)
    if "\\ud" in text.lower():
        # Halves of characters are text to Python, and to no file.
        json.dumps(found, ensure_ascii=False).encode()
    return found


def _crc32(texts: Sequence[Any]) -> int:
    return zlib.crc32(json.dumps(texts).encode())
