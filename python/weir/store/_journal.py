"""The journal: an SQLite database that holds every finished run. Only committed runs count.

It is in write-ahead mode with full synchronisation. A transaction that returned outlasts a killed
process and a power cut. Readers in other processes see the state between two transactions, and readers
and writers do not wait for each other. That mode needs a local file system and one host.

Only SQLite opens the file: its locks belong to the process, and to close the file once more would
give up all of them.
"""

from __future__ import annotations

import json
import re
import sqlite3
import time
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager, closing, suppress
from functools import cache
from pathlib import Path
from typing import TypeVar

from weir._errors import is_a
from weir.store._errors import StoreError, damaged, is_busy, not_local
from weir.store._patience import SILENT_S, say_waiting

NAME = "journal.sqlite"
FORMAT = 4
"""Grows when an older Weir could not read the journal, or would read it wrongly."""

_MARK = 0x57656972  # "Weir", SQLite's application_id
_NO_LOG = frozenset(
    {sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR}
)
_T = TypeVar("_T")

_PATIENCE_S = 60.0
"""For another process that keeps the journal locked."""

_BIT_S = 0.2

_PAUSE_S = 0.01
"""Where SQLite has not waited."""

_SCHEMA = f"""
-- The outcome of one task, or of many that were merged.
CREATE TABLE chunks (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    results_version INTEGER NOT NULL,
    weir TEXT NOT NULL,
    runs INTEGER NOT NULL,
    -- The number of its files, or 0.
    merged INTEGER NOT NULL CHECK (merged BETWEEN 0 AND 999999999)
) STRICT;
-- The tables of a chunk, and when the file in tables/ with the same bytes was written, if there is one.
CREATE TABLE payloads (
    id INTEGER PRIMARY KEY,
    chunk INTEGER NOT NULL REFERENCES chunks (id),
    name TEXT NOT NULL CHECK (name GLOB '[A-Za-z_]*' AND name NOT GLOB '*[^A-Za-z_0-9]*'),
    rows INTEGER NOT NULL,
    crc32 INTEGER NOT NULL,  -- of name, chunk and data
    written_ns INTEGER,
    data BLOB NOT NULL,
    UNIQUE (chunk, name)
) STRICT;
-- Every finished run: which chunk holds its tables, and what it cost.
CREATE TABLE runs (
    run INTEGER PRIMARY KEY,
    chunk INTEGER NOT NULL REFERENCES chunks (id),
    scenario_hash TEXT NOT NULL,
    seed INTEGER NOT NULL,
    cpu_s REAL NOT NULL,
    packets INTEGER NOT NULL,
    events INTEGER NOT NULL
) STRICT;
CREATE INDEX runs_of_chunk ON runs (chunk);
-- What was asked for.
CREATE TABLE sweeps (
    number INTEGER PRIMARY KEY AUTOINCREMENT CHECK (number BETWEEN 1 AND 999999999),
    id TEXT NOT NULL UNIQUE,
    name TEXT NOT NULL,
    title TEXT NOT NULL,
    definition TEXT NOT NULL,
    command TEXT,
    weir TEXT NOT NULL,
    created TEXT NOT NULL,
    asked INTEGER NOT NULL CHECK (asked BETWEEN 1 AND 999999999),
    crc32 INTEGER NOT NULL  -- of id, name, title, definition and command
) STRICT;
-- Runs that a live process is about to compute.
CREATE TABLE claims (run INTEGER PRIMARY KEY, owner INTEGER NOT NULL) STRICT;
PRAGMA application_id = {_MARK};
PRAGMA user_version = {FORMAT};
"""
_COMMENT = re.compile(r"--[^\n]*")


class Journal:
    """An open journal. Its methods raise sqlite3.Error and OSError; the store tells them to people."""

    def __init__(
        self, path: Path, *, read_only: bool = False, create: bool = False, salvage: bool = False
    ) -> None:
        """Raises StoreError unless it is a journal that this Weir can read.

        `salvage`: what others have added to it does not matter, since it is read to make another one.
        """
        self.path = path
        self.store = path.parent
        self._asked: frozenset[int] | None = None
        """Contents of the table `asked`, if they are known."""
        self.sql = _connect(path, read_only=read_only, create=create)
        try:
            self._prepare(read_only=read_only, create=create)
            self._refuse_foreign(salvage=salvage)
        except BaseException:
            self.close()
            raise

    def check(self) -> None:
        """Reads all of the database. Raises StoreError if it is damaged."""
        found: list[str] = [text for (text,) in self.sql.execute("PRAGMA integrity_check")]
        if found != ["ok"]:
            raise damaged(self.store, found[0])

    def close(self) -> None:
        with suppress(sqlite3.Error):  # the log is kept if it cannot be worked in: nothing is lost
            self.sql.close()

    def snapshot(self) -> AbstractContextManager[sqlite3.Connection]:
        """Reads one state, whatever other processes do meanwhile."""
        return _Block(self, "BEGIN")

    def transaction(self) -> AbstractContextManager[sqlite3.Connection]:
        """Transaction that is committed as a whole or not at all; it is on the disk when the block ends."""
        return _Block(self, "BEGIN IMMEDIATE")

    def begin(self, statement: str) -> None:
        """Begins a transaction; one that is still open, nobody will end any more."""
        if self.sql.in_transaction:
            # Ctrl-C came between the statement that began it and the block that ends it.
            self.roll_back()
        _execute(self.sql, statement, self.store)

    def roll_back(self) -> None:
        """Rolls back the open transaction, if there is one. The table `asked` may be rolled back, too."""
        self._asked = None
        if self.sql.in_transaction:
            self.sql.execute("ROLLBACK")

    def ask(self, runs: Iterable[int]) -> None:
        """Puts runs into the table `asked`, for joins.

        Only within a transaction or snapshot: hundred thousand of them are quick then. What is there stays
        there: the tables of a result are all asked for by the same runs.
        """
        wanted = frozenset(runs)
        if wanted == self._asked:
            return
        if odd := [run for run in wanted if not is_a(run, int)]:
            raise StoreError(
                f"{odd[0]!r} is no key of a run", "keys are whole numbers: the column `run` of a table"
            )
        self._asked = None
        self.sql.execute("CREATE TEMP TABLE IF NOT EXISTS asked (run INTEGER PRIMARY KEY)")
        self.sql.execute("DELETE FROM asked")
        # One statement: a third of the time of one for each run.
        self.sql.execute("INSERT INTO asked SELECT value FROM json_each(?)", (json.dumps(sorted(wanted)),))
        self._asked = wanted

    def _refuse_foreign(self, *, salvage: bool) -> None:
        """Raises StoreError for a table that is not as we make it, and for triggers, views and all else that
        others have added: they would act, or answer, in our place."""
        ours, there = _schema_of_ours(), _schema(self.sql)
        added = sorted(there.keys() - ours.keys())
        if added and not salvage:
            kind, name = added[0]
            raise damaged(self.store, f"it has a {kind} {name!r}, which is not Weir's")
        for kind, name in ours:
            if there.get((kind, name)) != ours[kind, name]:
                raise damaged(self.store, f"its {kind} {name!r} is not as Weir makes it")

    def _prepare(self, *, read_only: bool, create: bool) -> None:
        # What a schema of others calls can harm nobody.
        self.sql.execute("PRAGMA trusted_schema = OFF")
        if not read_only:
            self.sql.execute("PRAGMA synchronous = FULL")
            self.sql.execute("PRAGMA fullfsync = ON")  # macOS: through the cache of the disk
        # Where nothing was ever kept, an empty journal is one whose making was interrupted.
        new = create or not any(self.store.glob("*/*.parquet"))
        if new and not read_only and self._is_empty():
            with self.transaction() as sql:
                # Unless another process was quicker.
                for statement in _SCHEMA.strip().rstrip(";").split(";") if self._is_empty() else ():
                    sql.execute(statement)
        if self._is_empty():
            raise damaged(self.store, f"{NAME} is empty")
        if self.sql.execute("PRAGMA application_id").fetchone()[0] != _MARK:
            raise StoreError(
                f"{self.path} is a database, but not the journal of a store",
                "name another directory for the store, with --store DIR",
            )
        refuse_others(self.path, self.sql)
        self.sql.execute("PRAGMA temp_store = MEMORY")
        self.sql.execute("PRAGMA cache_size = -16000")  # kB: the runs of a large store
        if read_only:
            return
        # Of a new journal, and what a copy or a tool may have switched off.
        # Where two processes do this at once, SQLite does not wait.
        if _execute(self.sql, "PRAGMA journal_mode = WAL", self.store).fetchone()[0] != "wal":
            raise not_local(self.store)
        self.sql.execute("PRAGMA journal_size_limit = 33554432")

    def _is_empty(self) -> bool:
        return self.sql.execute("PRAGMA schema_version").fetchone()[0] == 0


def refuse_others(path: Path, sql: sqlite3.Connection) -> None:
    """Raises StoreError if another version of Weir wrote it; says nothing about any other database."""
    (mark,) = sql.execute("PRAGMA application_id").fetchone()
    (version,) = sql.execute("PRAGMA user_version").fetchone()
    if mark == _MARK and version != FORMAT:
        newer = version > FORMAT
        raise StoreError(
            f"{path.parent} was written by {'a newer' if newer else 'an older'} Weir: "
            f"its format is {version}, this Weir knows {FORMAT}",
            "install the newer Weir, or name another directory; the store is left as it is"
            if newer
            else "name another directory for the store, with --store DIR; this one is left as it is",
        )


class _Block:
    """A transaction. No generator: one that is interrupted would be ended when it is forgotten, by which
    time the journal may be closed."""

    def __init__(self, journal: Journal, begin: str) -> None:
        self._journal = journal
        self._begin = begin

    def __enter__(self) -> sqlite3.Connection:
        self._journal.begin(self._begin)
        return self._journal.sql

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is not None:
            self._journal.roll_back()
            return
        try:
            self._journal.sql.execute("COMMIT")
        except BaseException:
            self._journal.roll_back()
            raise


def _schema(sql: sqlite3.Connection) -> dict[tuple[str, str], str]:
    """Kind and name of everything in a database to how it was made, but for what SQLite keeps for itself."""
    rows = sql.execute("SELECT type, name, sql FROM sqlite_schema WHERE name NOT LIKE 'sqlite!_%' ESCAPE '!'")
    return {
        (str(kind), str(name)): " ".join(_COMMENT.sub("", str(made)).split())
        for kind, name, made in rows.fetchall()
    }


@cache
def _schema_of_ours() -> dict[tuple[str, str], str]:
    with closing(sqlite3.connect(":memory:")) as sql:
        sql.executescript(_SCHEMA)
        return _schema(sql)


def _connect(path: Path, *, read_only: bool, create: bool) -> sqlite3.Connection:
    name = path.resolve().as_uri()
    sql = _open(f"{name}?mode={'ro' if read_only else 'rwc' if create else 'rw'}")
    try:
        # Whoever has it for themselves alone, has it until they close it.
        _execute(sql, "SELECT name FROM sqlite_schema LIMIT 1", path.parent)
    except sqlite3.Error as error:
        sql.close()
        if not read_only:
            raise
        log = path.with_name(f"{path.name}-wal")
        if error.sqlite_errorcode & 0xFF not in _NO_LOG or (log.exists() and log.stat().st_size > 0):
            raise
        # A directory of another user, or a full disk: not even the index of the log can be made. But
        # there is no log, so no process is writing.
        return _open(f"{name}?immutable=1")
    return sql


def patiently(do: Callable[[], _T]) -> _T:
    """Does it again if another process was in the way: SQLite does not wait where each of two would wait for
    the other. `do` leaves nothing behind if it fails."""
    begin = time.monotonic()
    while True:
        try:
            return do()
        except sqlite3.OperationalError as error:
            if not is_busy(error) or time.monotonic() >= begin + _PATIENCE_S:
                raise
            time.sleep(_PAUSE_S)


def _execute(sql: sqlite3.Connection, statement: str, store: Path) -> sqlite3.Cursor:
    """One that other processes may keep waiting, which is said. SQLite waits by bits: within them no Ctrl-C
    is seen."""
    begin, told = time.monotonic(), False
    sql.execute(f"PRAGMA busy_timeout = {_BIT_S * 1000:.0f}")
    try:
        while True:
            try:
                return sql.execute(statement)
            except sqlite3.OperationalError as error:
                if not is_busy(error) or time.monotonic() >= begin + _PATIENCE_S:
                    raise
                if not told and time.monotonic() >= begin + SILENT_S:
                    say_waiting(store, _PATIENCE_S)
                    told = True
                time.sleep(_PAUSE_S)
    finally:
        sql.execute(f"PRAGMA busy_timeout = {_PATIENCE_S * 1000:.0f}")


def _open(name: str) -> sqlite3.Connection:
    # A thread may use what another has opened: the store has them take turns.
    return sqlite3.connect(name, uri=True, isolation_level=None, timeout=_PATIENCE_S, check_same_thread=False)
