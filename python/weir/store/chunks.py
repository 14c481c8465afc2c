"""Runs, the chunks that hold their tables, and claims, in the journal.

A run belongs to the chunk that its row names. A chunk may have come with runs that were there
already; they are left out whenever it is read, so that nothing is counted twice.
"""

from __future__ import annotations

import sqlite3
import zlib
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from operator import attrgetter
from typing import TYPE_CHECKING

from weir.store.errors import damaged
from weir.store.journal import Journal
from weir.store.records import Cost, Finished, this_results_version, this_weir

if TYPE_CHECKING:
    import polars as pl

    from weir.store.merge import Piece

RUNS = "runs"
"""The table that the journal makes itself: a row for each run."""


@dataclass(frozen=True)
class Chunk:
    """What the journal says about a chunk. `rows` is that of its longest table."""

    id: int
    results_version: int
    runs: int
    whole: bool
    rows: int
    part: int | None


def commit(journal: Journal, finished: Finished) -> int:
    """Records a chunk; returns how many of its runs were new. Raises ValueError for what is no chunk."""
    from weir.store import frames

    version = this_results_version() if finished.results_version is None else finished.results_version
    weir = this_weir() if finished.weir is None else finished.weir
    runs = sorted(finished.runs, key=attrgetter("run"))
    keys = {run.run for run in runs}
    if len(keys) < len(runs):
        raise ValueError("a run stands twice in its chunk")
    tables = {name: frames.prepared(name, frame, keys) for name, frame in finished.tables.items()}
    if RUNS in tables or not all(name.isidentifier() for name in tables):
        raise ValueError(f"no names for tables: {', '.join(tables)}")
    # Before the transaction: others can write meanwhile.
    payloads = [(name, frames.encoded(frame)) for name, frame in tables.items()]
    rows = max((frame.height for frame in tables.values()), default=0)
    now = datetime.now(UTC).isoformat(timespec="seconds")
    with journal.transaction() as sql:
        chunk = sql.execute(
            "INSERT INTO chunks (results_version, weir, finished_at, rows, runs, whole) "
            "VALUES (?, ?, ?, ?, 0, 0)",
            (version, weir, now, rows),
        ).lastrowid
        new = sql.executemany(
            "INSERT OR IGNORE INTO runs VALUES (?, ?, ?, ?, ?, ?, ?)",
            ((r.run, chunk, r.scenario_hash, r.seed, r.cpu_s, r.packets, r.events) for r in runs),
        ).rowcount
        if sql.execute("SELECT EXISTS (SELECT 1 FROM claims)").fetchone()[0]:
            sql.executemany("DELETE FROM claims WHERE run = ?", ((r.run,) for r in runs))
        if new < 1:
            sql.execute("DELETE FROM chunks WHERE id = ?", (chunk,))
            return 0
        sql.execute("UPDATE chunks SET runs = ?, whole = ? WHERE id = ?", (new, new == len(runs), chunk))
        sql.executemany(
            "INSERT INTO payloads (chunk, name, crc32, data) VALUES (?, ?, ?, ?)",
            ((chunk, name, zlib.crc32(data), data) for name, data in payloads),
        )
    return new


def finished(journal: Journal, runs: Iterable[int]) -> set[int]:
    """Those of the runs that are there."""
    with journal.snapshot() as sql:
        journal.ask(runs)
        return {run for (run,) in sql.execute("SELECT run FROM asked JOIN runs USING (run)")}


def cost(journal: Journal, runs: Iterable[int] | None) -> Cost:
    """Sums over those of the runs that are there; None means all."""
    with journal.snapshot() as sql:
        if runs is not None:
            journal.ask(runs)
        join = "" if runs is None else "JOIN asked USING (run)"
        row = sql.execute(
            f"SELECT count(*), total(cpu_s), ifnull(sum(packets), 0), ifnull(sum(events), 0) FROM runs {join}"  # noqa: S608
        ).fetchone()
    return Cost(*row)


def size(journal: Journal, runs: Iterable[int]) -> int:
    """Bytes of those of the runs that are there, in the journal and in the tables: their share of each chunk
    and part."""
    with journal.snapshot() as sql:
        journal.ask(runs)
        share = "SELECT chunk, count(*) AS asked FROM runs JOIN asked USING (run) GROUP BY chunk"
        row = sql.execute(
            f"SELECT total(share.asked * 1.0 / chunks.runs * (SELECT total(length(data)) FROM payloads "  # noqa: S608
            f"WHERE payloads.chunk = chunks.id)), total(share.asked * 1.0 / parts.runs * (SELECT "
            f"total(size) FROM files WHERE files.part = parts.id)) FROM ({share}) AS share "
            f"JOIN chunks ON chunks.id = share.chunk LEFT JOIN parts ON parts.id = chunks.part"
        ).fetchone()
    return round(sum(row))


def versions(journal: Journal) -> dict[int, int]:
    """How many runs there are of each results version."""
    rows = journal.sql.execute(
        "SELECT results_version, sum(runs) FROM chunks GROUP BY results_version ORDER BY results_version"
    )
    return dict(rows.fetchall())


def claim(journal: Journal, runs: Iterable[int], us: int, alive: Callable[[int], bool]) -> set[int]:
    """Those of the runs that are neither finished nor claimed by another who is alive; ours from now on."""
    with journal.transaction() as sql:
        journal.ask(runs)
        others = sql.execute(
            "SELECT DISTINCT owner FROM asked JOIN claims USING (run) WHERE owner <> ?", (us,)
        ).fetchall()
        for (owner,) in others:
            if not alive(owner):
                sql.execute("DELETE FROM claims WHERE owner = ?", (owner,))
        sql.execute(
            "INSERT OR IGNORE INTO claims SELECT run, ? FROM asked WHERE run NOT IN (SELECT run FROM runs)",
            (us,),
        )
        rows = sql.execute("SELECT run FROM asked JOIN claims USING (run) WHERE owner = ?", (us,))
        return {run for (run,) in rows}


def release(journal: Journal, runs: Iterable[int] | None, us: int) -> None:
    """Gives claims of ours back; None means all."""
    if not journal.sql.execute("SELECT EXISTS (SELECT 1 FROM claims WHERE owner = ?)", (us,)).fetchone()[0]:
        return
    with journal.transaction() as sql:
        if runs is None:
            sql.execute("DELETE FROM claims WHERE owner = ?", (us,))
        else:
            sql.executemany("DELETE FROM claims WHERE run = ? AND owner = ?", ((run, us) for run in runs))


def listed(sql: sqlite3.Connection, where: str = "", values: Sequence[int] = ()) -> list[Chunk]:
    """Chunks in the order in which they were committed."""
    rows = sql.execute(
        f"SELECT id, results_version, runs, whole, rows, part FROM chunks {where} ORDER BY id",  # noqa: S608
        values,
    )
    return [
        Chunk(key, version, runs, bool(whole), most, part) for key, version, runs, whole, most, part in rows
    ]


def tables_of(journal: Journal, chunks: Collection[Chunk]) -> list[str]:
    """The names of the tables that some of the chunks have, in alphabetical order."""
    names: set[str] = set()
    for chunk in chunks:
        rows = journal.sql.execute("SELECT name FROM payloads WHERE chunk = ?", (chunk.id,))
        names.update(name for (name,) in rows)
    return sorted(names)


def piece_of(journal: Journal, chunk: Chunk, name: str) -> Piece | None:
    """A table of the runs that belong to the chunk; None if it has no such table."""
    from weir.store.merge import Piece

    row = journal.sql.execute(
        "SELECT crc32, data FROM payloads WHERE chunk = ? AND name = ?", (chunk.id, name)
    ).fetchone()
    if row is None:
        return None
    crc32, data = row
    if zlib.crc32(data) != crc32:
        raise damaged(journal.path.parent, f"the table {name!r} of chunk {chunk.id} is not what was written")
    return Piece(data, None if chunk.whole else runs_of(journal, chunk))


def runs_of(journal: Journal, chunk: Chunk) -> list[int]:
    """The runs that belong to a chunk."""
    rows = journal.sql.execute("SELECT run FROM runs WHERE chunk = ? ORDER BY run", (chunk.id,))
    return [run for (run,) in rows]


def runs_table(sql: sqlite3.Connection, where: str, values: Sequence[int] = ()) -> pl.DataFrame:
    """The table `runs`, in order of run; `where` may speak of runs, chunks and `asked`."""
    import polars as pl

    schema = {
        "run": pl.Int64,
        "scenario_hash": pl.String,
        "seed": pl.Int64,
        "results_version": pl.Int64,
        "weir": pl.String,
        "cpu_s": pl.Float64,
        "packets": pl.Int64,
        "events": pl.Int64,
    }
    rows = sql.execute(
        f"SELECT {', '.join(schema)} FROM runs JOIN chunks ON chunks.id = runs.chunk {where} ORDER BY run",  # noqa: S608
        values,
    ).fetchall()
    return pl.DataFrame(rows, schema=schema, orient="row")


def broken_tables(journal: Journal, chunk: Chunk) -> list[str]:
    """The tables of a chunk that are not what was written."""
    rows = journal.sql.execute("SELECT name, crc32, data FROM payloads WHERE chunk = ?", (chunk.id,))
    return [name for name, crc32, data in rows if zlib.crc32(data) != crc32]


def replace_table(journal: Journal, chunk: Chunk, name: str, frame: pl.DataFrame) -> None:
    """Another copy of a table of a chunk in the place of a damaged one."""
    from weir.store import frames

    data = frames.encoded(frame)
    with journal.transaction() as sql:
        sql.execute(
            "UPDATE payloads SET crc32 = ?, data = ? WHERE chunk = ? AND name = ?",
            (zlib.crc32(data), data, chunk.id, name),
        )
