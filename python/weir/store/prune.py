"""Giving space back: removes runs from both copies."""

from __future__ import annotations

import zlib
from collections.abc import Collection, Iterable

from weir.store import chunks, parts
from weir.store.errors import StoreError, damaged
from weir.store.parts import Place


def prune(place: Place, keep: Iterable[int]) -> int:
    """Removes all runs but those of `keep`; returns how many. For the owner of the maintenance lock.

    Raises StoreError if another process has the store open: it may need them.
    """
    if place.owners.others():
        raise StoreError(
            f"another process has {place.path} open", "wait until it has ended, then prune the store"
        )
    journal = place.journal
    with journal.snapshot() as sql:
        journal.ask(keep)
        removed: int = sql.execute(
            "SELECT count(*) FROM runs WHERE run NOT IN (SELECT run FROM asked)"
        ).fetchone()[0]
        affected = {
            chunk
            for (chunk,) in sql.execute(
                "SELECT DISTINCT chunk FROM runs WHERE run NOT IN (SELECT run FROM asked)"
            )
        }
        found = [chunk for chunk in chunks.listed(sql) if chunk.id in affected]
        old = {chunk.part for chunk in found}
        unmade = [part for part in parts.valid(sql) if part.id in old]
    if not removed:
        return 0
    with journal.transaction() as sql:
        journal.ask(keep)
        sql.execute("DELETE FROM runs WHERE run NOT IN (SELECT run FROM asked)")
        sql.executemany("UPDATE chunks SET part = NULL WHERE part = ?", ((part.id,) for part in unmade))
        parts.replace(sql, unmade)
        for chunk in found:
            _shrink(place, chunk, chunks.runs_of(journal, chunk))
    # Before the files are gone they could be taken for a part that the journal has lost, and come back.
    parts.remove_unnamed(place, [part.id for part in unmade])
    journal.sql.execute("VACUUM")
    journal.sql.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return removed


def _shrink(place: Place, chunk: chunks.Chunk, kept: Collection[int]) -> None:
    """Leaves only the rows of the runs that are kept; of a chunk without runs, nothing."""
    from weir.store import frames

    sql = place.journal.sql
    payloads = sql.execute("SELECT name, crc32, data FROM payloads WHERE chunk = ?", (chunk.id,)).fetchall()
    sql.execute("DELETE FROM payloads WHERE chunk = ?", (chunk.id,))
    if not kept:
        sql.execute("DELETE FROM chunks WHERE id = ?", (chunk.id,))
        return
    most = 0
    for name, crc32, data in payloads:
        if zlib.crc32(data) != crc32:
            raise damaged(place.path, f"the table {name!r} of chunk {chunk.id} is not what was written")
        rest = frames.only(frames.decoded(data), kept)
        most = max(most, rest.height)
        encoded = frames.encoded(rest)
        sql.execute(
            "INSERT INTO payloads (chunk, name, crc32, data) VALUES (?, ?, ?, ?)",
            (chunk.id, name, zlib.crc32(encoded), encoded),
        )
    sql.execute("UPDATE chunks SET runs = ?, rows = ?, whole = 1 WHERE id = ?", (len(kept), most, chunk.id))
