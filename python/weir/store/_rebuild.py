"""A new journal where the old one is damaged or lost."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing, suppress
from pathlib import Path

from weir.store import _chunks as chunks
from weir.store import _files as files
from weir.store import _journal as journal
from weir.store._errors import StoreError
from weir.store._journal import Journal


def make_journal(path: Path) -> list[str]:
    """Makes a journal from what can be read of the old one; says what was found.

    What only the tables have is taken in when the store is opened. For one process that has the store for
    itself.
    """
    old, new = path / journal.NAME, path / f".new-{journal.NAME}"
    if not old.exists() and not files.present(path):
        raise StoreError(f"{path} has neither a journal nor tables", "name the directory of a store")
    uri = f"{old.resolve().as_uri()}?mode=ro"
    with suppress(sqlite3.Error), closing(sqlite3.connect(uri, uri=True)) as sql:
        journal.refuse_others(old, sql)
    try:
        _remove(new)
        with closing(Journal(new, create=True)) as made:
            said = _take_over(made, uri) if old.exists() else []
        if old.exists():
            said.append(f"the old journal is {_set_aside(path, old).relative_to(path)} now")
        new.replace(old)
    except BaseException:
        _remove(new)
        raise
    return said


def _take_over(made: Journal, old: str) -> list[str]:
    """Every chunk of the old journal that is whole, there or in its files, and the sweeps."""
    sql = made.sql
    new = lost = 0
    # As many as come before the damage.
    with suppress(sqlite3.Error):
        sql.execute("ATTACH ? AS old", (old,))
        ids = [chunk for (chunk,) in sql.execute("SELECT id FROM old.chunks ORDER BY id")]
        for chunk in ids:
            try:
                with made.transaction():
                    for table, key in (("chunks", "id"), ("runs", "chunk"), ("payloads", "chunk")):
                        copied = f"INSERT INTO {table} SELECT * FROM old.{table} WHERE {key} = ?"  # noqa: S608
                        sql.execute(copied, (chunk,))
                    ((expected,),) = sql.execute("SELECT runs FROM chunks WHERE id = ?", (chunk,))
                    if len(chunks.runs_of(sql, chunk)) != expected:
                        raise sqlite3.DatabaseError("runs are missing")
                    for payload in chunks.payloads(sql, "WHERE chunk = ?", (chunk,)):
                        data = chunks.content(made, payload)
                        sql.execute("UPDATE payloads SET data = ? WHERE id = ?", (data, payload.id))
                new += expected
            except (sqlite3.Error, StoreError):
                lost += 1
        for (number,) in sql.execute("SELECT number FROM old.sweeps ORDER BY asked").fetchall():
            sql.execute("INSERT INTO sweeps SELECT * FROM old.sweeps WHERE number = ?", (number,))
    return [
        f"{new:,} runs taken over from the old journal"
        + (f", {lost} chunks of it were damaged" if lost else "")
    ]


def _set_aside(path: Path, old: Path) -> Path:
    for log in _logs(old):
        if log.exists():
            log.rename(files.aside(path, log))
    # Under both names until the new one takes its place: there is no instant without a journal.
    target = files.aside(path, old)
    try:
        os.link(old, target)
    except OSError:
        old.rename(target)
    return target


def _remove(new: Path) -> None:
    for leftover in (new, *_logs(new)):
        leftover.unlink(missing_ok=True)


def _logs(path: Path) -> tuple[Path, Path]:
    return path.with_name(f"{path.name}-wal"), path.with_name(f"{path.name}-shm")
