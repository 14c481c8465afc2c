"""The journal: an SQLite database that holds every finished run. What it has committed, is.

In write-ahead mode with full synchronisation: a transaction that returned outlasts a killed
process and a power cut, readers in other processes see the state between two transactions, and
neither waits for the other. That mode wants a local file system and one host.

    runs      one row for each finished run: which chunk holds its tables, and what it cost
    chunks    the outcome of one task each: versions, when, and which part of the tables/ has it
    payloads  the tables of a chunk, for good: tables/ can be written anew from them
    parts     the sets of files in tables/ that count
    files     the files of a part, as they were when they were written
    sweeps    what was asked for
    claims    runs that a live process is about to compute
"""

from __future__ import annotations

import os
import sqlite3
import struct
from collections import Counter
from collections.abc import Generator, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from weir.store.errors import StoreError, damaged, not_local

NAME = "journal.sqlite"
FORMAT = 2
"""Grows when an older Weir could not read the journal, or would read it wrongly."""

_MARK = 0x57656972  # "Weir", SQLite's application_id
_NO_LOG = frozenset(
    {sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR}
)
_WAIT = 60.0  # seconds that another process may keep the journal locked
_VERSION = struct.Struct(">I4xI")  # user_version and application_id, at byte 60 of the file

_SCHEMA = f"""
CREATE TABLE parts (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    results_version INTEGER NOT NULL,
    runs INTEGER NOT NULL,
    rows INTEGER NOT NULL
);
CREATE TABLE files (
    part INTEGER NOT NULL REFERENCES parts (id),
    name TEXT NOT NULL,
    size INTEGER NOT NULL,
    sha256 TEXT NOT NULL,
    modified_ns INTEGER NOT NULL,
    PRIMARY KEY (part, name)
) WITHOUT ROWID;
CREATE TABLE chunks (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    results_version INTEGER NOT NULL,
    weir TEXT NOT NULL,
    finished_at TEXT NOT NULL,
    runs INTEGER NOT NULL,
    whole INTEGER NOT NULL,
    rows INTEGER NOT NULL,
    part INTEGER REFERENCES parts (id)
);
CREATE INDEX chunks_of_part ON chunks (part);
CREATE TABLE payloads (
    id INTEGER PRIMARY KEY,
    chunk INTEGER NOT NULL REFERENCES chunks (id),
    name TEXT NOT NULL,
    crc32 INTEGER NOT NULL,
    data BLOB NOT NULL,
    UNIQUE (chunk, name)
);
CREATE TABLE runs (
    run INTEGER PRIMARY KEY,
    chunk INTEGER NOT NULL REFERENCES chunks (id),
    scenario_hash TEXT NOT NULL,
    seed INTEGER NOT NULL,
    cpu_s REAL NOT NULL,
    packets INTEGER NOT NULL,
    events INTEGER NOT NULL
);
CREATE INDEX runs_of_chunk ON runs (chunk);
CREATE TABLE sweeps (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    name TEXT NOT NULL,
    title TEXT NOT NULL,
    definition TEXT NOT NULL,
    command TEXT,
    weir TEXT NOT NULL,
    created TEXT NOT NULL,
    asked INTEGER NOT NULL
);
CREATE TABLE claims (run INTEGER PRIMARY KEY, owner INTEGER NOT NULL);
PRAGMA application_id = {_MARK};
PRAGMA user_version = {FORMAT};
"""


class Journal:
    """An open journal. Its methods raise sqlite3.Error and OSError; the store tells them to people."""

    def __init__(self, path: Path, *, read_only: bool = False) -> None:
        """Raises StoreError unless it is a journal that this Weir can read."""
        self._file = _identity(path)
        # SQLite locks by fcntl: to open and close the file once more gives up every lock of this process.
        if not _OPEN[self._file]:
            _check_header(path)
        self.path = path
        self.sql = _connect(path, read_only=read_only)
        self._is_open = True
        _OPEN[self._file] += 1
        try:
            self._prepare(read_only=read_only)
        except BaseException:
            self.close()
            raise

    @staticmethod
    def create(path: Path) -> None:
        """An empty journal; `path` must not exist. It is whole on the disk when this returns."""
        sql = sqlite3.connect(path, isolation_level=None)
        try:
            # It gets its name only when it is whole: to write it through once is enough.
            sql.execute("PRAGMA synchronous = OFF")
            sql.executescript(f"BEGIN; {_SCHEMA} COMMIT;")
            mode: str = sql.execute("PRAGMA journal_mode = WAL").fetchone()[0]
        finally:
            sql.close()
        if mode != "wal":
            raise not_local(path.parent)
        with path.open("rb+") as file:
            os.fsync(file.fileno())

    def check(self) -> None:
        """Reads all of the database. Raises StoreError if it is damaged."""
        found: list[str] = [text for (text,) in self.sql.execute("PRAGMA integrity_check")]
        if found != ["ok"]:
            raise damaged(self.path.parent, found[0])

    def close(self) -> None:
        with suppress(sqlite3.Error):  # the log is kept if it cannot be worked in: nothing is lost
            self.sql.close()
        if self._is_open:
            self._is_open = False
            _OPEN[self._file] -= 1

    @contextmanager
    def transaction(self) -> Generator[sqlite3.Connection]:
        """All or nothing; on the disk when it returns."""
        yield from self._whole("BEGIN IMMEDIATE")

    @contextmanager
    def snapshot(self) -> Generator[sqlite3.Connection]:
        """Reads one state, whatever other processes do meanwhile."""
        yield from self._whole("BEGIN")

    def _whole(self, begin: str) -> Iterator[sqlite3.Connection]:
        try:
            self.sql.execute(begin)
            yield self.sql
            self.sql.execute("COMMIT")
        except BaseException:
            if self.sql.in_transaction:
                self.sql.execute("ROLLBACK")
            raise

    def ask(self, runs: Iterable[int]) -> int:
        """Puts runs into the table `asked`, for joins; returns how many different ones there are.

        Only within a transaction or snapshot: hundred thousand of them are quick then.
        """
        self.sql.execute("CREATE TEMP TABLE IF NOT EXISTS asked (run INTEGER PRIMARY KEY)")
        self.sql.execute("DELETE FROM asked")
        different = sorted(set(runs))
        self.sql.executemany("INSERT INTO asked VALUES (?)", zip(different, strict=True))
        return len(different)

    def _prepare(self, *, read_only: bool) -> None:
        version: int = self.sql.execute("PRAGMA user_version").fetchone()[0]
        _check_version(self.path, version)
        self.sql.execute("PRAGMA temp_store = MEMORY")
        self.sql.execute("PRAGMA cache_size = -16000")  # kB: the runs of a large store
        if read_only:
            return
        # What a copy or a tool may have switched off.
        mode: str = self.sql.execute("PRAGMA journal_mode = WAL").fetchone()[0]
        if mode != "wal":
            raise not_local(self.path.parent)
        self.sql.execute("PRAGMA synchronous = FULL")
        self.sql.execute("PRAGMA fullfsync = ON")  # macOS: through the cache of the disk
        self.sql.execute("PRAGMA journal_size_limit = 33554432")


def refuse_newer(path: Path) -> None:
    """Raises StoreError if a newer Weir wrote it; says nothing about any other file."""
    with suppress(FileNotFoundError), path.open("rb") as file:
        header = file.read(100)
        if len(header) == 100:
            version, mark = _VERSION.unpack_from(header, 60)
            if mark == _MARK:
                _check_version(path, version)


def _connect(path: Path, *, read_only: bool) -> sqlite3.Connection:
    name = path.resolve().as_uri()
    if not read_only:
        return _open(f"{name}?mode=rw")
    sql = _open(f"{name}?mode=ro")
    try:
        sql.execute("SELECT id FROM sweeps LIMIT 1")
    except sqlite3.Error as error:
        sql.close()
        if error.sqlite_errorcode & 0xFF not in _NO_LOG or _log(path) > 0:
            raise
        # Somebody else's directory, or a full disk: not even the index of the log can be made. But
        # there is no log, so nobody is writing.
        return _open(f"{name}?immutable=1")
    return sql


def _open(name: str) -> sqlite3.Connection:
    return sqlite3.connect(name, uri=True, isolation_level=None, timeout=_WAIT)


def _log(path: Path) -> int:
    """Bytes of the write-ahead log."""
    try:
        return path.with_name(f"{path.name}-wal").stat().st_size
    except OSError:
        return 0


_OPEN: Counter[tuple[int, int]] = Counter()
"""Connections of this process to each journal."""


def _identity(path: Path) -> tuple[int, int]:
    """Device and inode."""
    found = path.stat()
    return found.st_dev, found.st_ino


def _check_header(path: Path) -> None:
    """What the first bytes tell, before SQLite touches anything."""
    with path.open("rb") as file:
        header = file.read(100)
    if len(header) < 100:
        raise damaged(path.parent, f"{NAME} ends after {len(header)} bytes")
    if not header.startswith(b"SQLite format 3\0"):
        raise damaged(path.parent, f"{NAME} is not a database")
    (page,) = struct.unpack_from(">H", header, 16)
    (pages,) = struct.unpack_from(">I", header, 28)
    version, mark = _VERSION.unpack_from(header, 60)
    if mark != _MARK:
        raise StoreError(
            f"{path} is a database, but not the journal of a store", "name another directory for the store"
        )
    _check_version(path, version)
    expected, found = pages * (65536 if page == 1 else page), path.stat().st_size
    if found < expected and _log(path) == 0:
        raise damaged(path.parent, f"{NAME} was cut short: {found:,} of {expected:,} bytes")


def _check_version(path: Path, version: int) -> None:
    if version < FORMAT:
        raise StoreError(
            f"{path.parent} was written by an older Weir: its format is {version}, this Weir knows {FORMAT}",
            "name another directory for the store; this one is left as it is",
        )
    if version > FORMAT:
        raise StoreError(
            f"{path.parent} was written by a newer Weir: its format is {version}, this Weir knows {FORMAT}",
            "install the newer Weir, or name another directory; the store is left as it is",
        )
