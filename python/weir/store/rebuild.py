"""A new journal where the old one is damaged or lost."""

from __future__ import annotations

import os
import sqlite3
import zlib
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

from weir.store import chunks, files, journal, sweeps
from weir.store.errors import StoreError
from weir.store.journal import Journal
from weir.store.records import Finished, FinishedRun


def make_journal(path: Path) -> list[str]:
    """Makes a journal from what can be read of the old one and from the tables; says what was found.

    The old journal is set aside, last of all. For one process that has the store for itself.
    """
    old, new = path / journal.NAME, path / f".new-{journal.NAME}"
    if not old.exists() and not files.present(path):
        raise StoreError(f"{path} has neither a journal nor tables", "name the directory of a store")
    with suppress(sqlite3.Error), closing(_opened(old)) as sql:
        journal.refuse_others(old, sql)
    try:
        for leftover in (new, *_logs(new)):
            leftover.unlink(missing_ok=True)
        with closing(Journal(new, create=True)) as made:
            said = [*_take_over_journal(old, made), *_take_in_tables(path, made)]
        moved = list(_set_aside(path, old))
        new.replace(old)
    except BaseException:
        for leftover in (new, *_logs(new)):
            leftover.unlink(missing_ok=True)
        raise
    return [*said, *moved]


def _take_in_tables(path: Path, made: Journal) -> Iterator[str]:
    # The files stay as they are: they are the only copy until the journal has its name.
    for tables in files.present(path).values():
        names = ", ".join(file.name for file in tables.values())
        try:
            new = files.take_in(made, tables)
        except OSError:
            raise
        except Exception as error:  # noqa: BLE001 - whatever is in the file
            yield f"{names}: runs that only they hold could not be taken in ({error})"
        else:
            yield f"{names}: {new:,} runs taken in"


def _take_over_journal(old: Path, made: Journal) -> Iterator[str]:
    """Every chunk of the old journal that is whole, and the sweeps."""
    if not old.exists():
        return
    new = lost = 0
    with closing(_opened(old)) as sql:
        for (chunk,) in _readable(sql, "SELECT id FROM chunks ORDER BY id"):
            found = _chunk(sql, chunk)
            if found is None:
                lost += 1
            else:
                new += chunks.commit(made, found)
        for row in _readable(sql, f"SELECT {sweeps.COLUMNS} FROM sweeps ORDER BY asked"):  # noqa: S608
            with suppress(TypeError, ValueError):
                sweeps.record(made, sweeps.from_row(row))
    yield f"{new:,} runs taken over from the old journal" + (
        f", {lost} chunks of it were damaged" if lost else ""
    )


def _chunk(sql: sqlite3.Connection, chunk: int) -> Finished | None:
    """A chunk of a damaged journal; None unless it is whole."""
    from weir.store import frames

    try:
        version, weir, expected = sql.execute(
            "SELECT results_version, weir, runs FROM chunks WHERE id = ?", (chunk,)
        ).fetchone()
        rows = sql.execute(
            "SELECT run, scenario_hash, seed, cpu_s, packets, events FROM runs WHERE chunk = ?", (chunk,)
        ).fetchall()
        payloads = sql.execute(
            "SELECT name, crc32, data FROM payloads WHERE chunk = ? AND name <> ?", (chunk, chunks.RUNS)
        ).fetchall()
    except (sqlite3.Error, TypeError):
        return None
    if len(rows) != expected or any(zlib.crc32(data) != crc32 for _, crc32, data in payloads):
        return None
    tables = {name: frames.decoded(data).collect() for name, _, data in payloads}
    return Finished([FinishedRun(*row) for row in rows], tables, version, weir)


def _opened(old: Path) -> sqlite3.Connection:
    return sqlite3.connect(f"{old.resolve().as_uri()}?mode=ro", uri=True, isolation_level=None)


def _readable(sql: sqlite3.Connection, query: str) -> list[tuple[Any, ...]]:
    """As many rows as come before the damage."""
    found: list[tuple[Any, ...]] = []
    with suppress(sqlite3.Error):
        found.extend(sql.execute(query))
    return found


def _set_aside(path: Path, old: Path) -> Iterator[str]:
    if not old.exists():
        return
    for log in _logs(old):
        if log.exists():
            log.rename(files.aside(path, log))
    # Under both names until the new one takes its place: there is no instant without a journal.
    target = files.aside(path, old)
    try:
        os.link(old, target)
    except OSError:
        old.rename(target)
    yield f"the old journal is {target.relative_to(path)} now"


def _logs(path: Path) -> tuple[Path, Path]:
    return path.with_name(f"{path.name}-wal"), path.with_name(f"{path.name}-shm")
