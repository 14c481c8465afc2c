"""A new journal from what can be read of the old one."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Generator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

from weir.store import _chunks as chunks
from weir.store import _files as files
from weir.store import _verify as verify
from weir.store._chunks import Chunk
from weir.store._errors import StoreError, has_no_room
from weir.store._journal import NAME, Journal, refuse_others
from weir.store._owners import Owners
from weir.store._records import Finished, FinishedRun
from weir.store._sweeps import COLUMNS, damaged_sweeps

_NEW = f".new-{NAME}"
_WHOLE = f".whole-{NAME}"
"""The new journal when it has everything: from here on it only takes the place of the old one."""

# The last where SQLite quotes what is damaged.
_UNREADABLE = (sqlite3.Error, StoreError, UnicodeDecodeError)


def make_journal(path: Path, owners: Owners) -> list[str]:
    """Makes a journal from what can be read of the old one; says what was found.

    What only the tables have is taken in when the store is opened. For one process that has the store for
    itself. May be interrupted anywhere: what is not whole does not count.
    """
    old, new = path / NAME, path / _NEW
    said = finish(path)
    if not old.exists() and not files.present(path):
        raise StoreError(f"{path} has neither a journal nor tables", "name the directory of a store")
    uri = f"{old.resolve().as_uri()}?mode=ro"
    # Not StoreError: the journal of another version is left as it is.
    with suppress(sqlite3.Error, UnicodeDecodeError), closing(sqlite3.connect(uri, uri=True)) as sql:
        sql.execute("PRAGMA trusted_schema = OFF")
        refuse_others(old, sql)
    try:
        _remove(new)
        with closing(Journal(new, create=True)) as made:
            said += _take_over(made, old, uri) if old.exists() else []
        # What another process has committed meanwhile would be lost.
        owners.refuse_others()
    except BaseException:
        _remove(new)
        raise
    new.rename(path / _WHOLE)
    for foreign in verify.foreign(path, owners):
        said.append(f"{foreign.relative_to(path)} does not belong to the store: moved to {files.ASIDE}/")
        foreign.rename(files.aside(path, foreign))
    return said + finish(path)


def finish(path: Path) -> list[str]:
    """Sets the old journal aside for a new one that is whole, if there is one: also where that was
    interrupted. For one process that has the store for itself."""
    old, new = path / NAME, path / _WHOLE
    if not new.exists():
        return []
    # The log first: with the new journal it must never be.
    for log in _logs(old):
        if log.exists():
            log.rename(files.aside(path, log))
    said: list[str] = []
    if old.exists():
        # Under both names until the new one takes its place: there is no instant without a journal.
        target = files.aside(path, old)
        try:
            os.link(old, target)
        except OSError:
            old.rename(target)
        said.append(f"the old journal is {target.relative_to(path)} now")
    new.replace(old)
    return said


def _take_over(made: Journal, path: Path, uri: str) -> list[str]:
    """Every run of the old journal whose rows are whole, there or in its files, and the sweeps."""
    from polars.exceptions import PolarsError

    said: list[str] = []
    taken = lost = 0
    results: list[int] = []
    # As many as come before the damage.
    with _to_the_damage(path.parent), closing(Journal(path, read_only=True, salvage=True)) as old:
        made.sql.execute("ATTACH ? AS old", (uri,))
        for chunk in _chunks(old):
            try:
                taken += _take_chunk(made, old, chunk)
            except (sqlite3.Error, StoreError, TypeError, ValueError, PolarsError) as error:
                if has_no_room(path.parent, error):
                    raise
                lost += 1
        damaged = damaged_sweeps(old.sql)
        for (number,) in old.sql.execute("SELECT number FROM sweeps ORDER BY asked").fetchall():
            if number in damaged:
                again = f"; this makes it again: {damaged[number]}" if damaged[number] else ""
                said.append(f"the record of result {number} was damaged and is left out{again}")
            else:
                results.append(number)
                made.sql.execute(
                    f"INSERT INTO sweeps ({COLUMNS}, asked) SELECT {COLUMNS}, ? FROM old.sweeps "  # noqa: S608
                    "WHERE number = ?",
                    (len(results), number),
                )
        ((known,),) = old.sql.execute("SELECT count(*) FROM runs")
        if known > taken:
            said.append(
                f"{known - taken:,} runs have no rows that can be read: the same commands do them again"
            )
    with suppress(sqlite3.Error):
        made.sql.execute("DETACH old")
    parts = [f"{taken:,} runs and {len(results):,} results taken over from the old journal"]
    parts += [f"{lost} chunks of it were damaged"] if lost else []
    return [", ".join(parts), *said]


@contextmanager
def _to_the_damage(directory: Path) -> Generator[None]:
    """Ends the block where the old journal is damaged, and raises what else goes wrong."""
    try:
        yield
    except _UNREADABLE as error:
        if has_no_room(directory, error):
            raise


def _chunks(old: Journal) -> list[Chunk]:
    """All chunks that can be read, merged ones first: of a run that is there twice, the unmerged chunk is the
    older copy."""
    found: list[Chunk] = []
    for (number,) in old.sql.execute("SELECT id FROM chunks ORDER BY merged = 0, id").fetchall():
        with suppress(*_UNREADABLE):
            found += chunks.listed(old.sql, "WHERE id = ?", (number,))
    return found


def _take_chunk(made: Journal, old: Journal, chunk: Chunk) -> int:
    """Takes the runs of a chunk whose rows are there; returns how many. Raises StoreError, sqlite3.Error."""
    from weir.store import _frames as frames

    tables = verify.frames_of(old, chunk, verify.tables_of(old.sql, chunk))
    with_rows = verify.runs_with_rows(tables)
    version, weir = chunk.results_version, chunk.weir
    if chunk.merged:
        known, version, weir = chunks.recorded(tables.pop(chunks.RUNS).collect())
    else:
        # Damaged entries may name another chunk.
        with old.snapshot() as sql:
            old.ask(with_rows)
            rows = sql.execute(f"SELECT {', '.join(FinishedRun._fields)} FROM runs JOIN asked USING (run)")  # noqa: S608
            known = [FinishedRun(*row) for row in rows.fetchall()]
    runs = [run for run in known if run.run in with_rows]
    keys = [run.run for run in runs]
    if len(runs) == len(with_rows) == chunk.runs and not _has_any(made, keys):
        with made.transaction() as sql:
            values = (chunk.id, version, weir, len(runs), chunk.merged)
            sql.execute("INSERT INTO chunks VALUES (?, ?, ?, ?, ?)", values)
            sql.executemany(f"INSERT INTO runs VALUES (?, {chunk.id}, ?, ?, ?, ?, ?)", runs)  # noqa: S608
            # The same bytes, which its files have.
            sql.execute("INSERT INTO payloads SELECT * FROM old.payloads WHERE chunk = ?", (chunk.id,))
            for payload in chunks.payloads(sql, "WHERE chunk = ?", (chunk.id,)):
                data = chunks.content(old, payload)
                sql.execute("UPDATE payloads SET data = ? WHERE id = ?", (data, payload.id))
        return len(runs)
    whole = {name: frame.filter(frames.among(keys)).collect() for name, frame in tables.items()}
    return chunks.commit(made, Finished(runs, whole, version, weir)) if runs else 0


def _has_any(made: Journal, runs: list[int]) -> bool:
    with made.snapshot() as sql:
        made.ask(runs)
        return sql.execute("SELECT 1 FROM asked JOIN runs USING (run) LIMIT 1").fetchone() is not None


def _remove(new: Path) -> None:
    for leftover in (new, *_logs(new)):
        leftover.unlink(missing_ok=True)


def _logs(path: Path) -> tuple[Path, Path]:
    return path.with_name(f"{path.name}-wal"), path.with_name(f"{path.name}-shm")
