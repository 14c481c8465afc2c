"""Runs, and the chunks that hold their tables, in the journal.

A run belongs to one chunk, and a chunk has the tables of its runs and of no others. What one task has
done is a chunk of its own, as an Arrow stream for each table. `merge` makes a few large chunks of many
small ones, a Parquet file for each table: those are written to tables/ as well (see `files`).
"""

from __future__ import annotations

import json
import re
import sqlite3
import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import TYPE_CHECKING

from weir import _core
from weir.store._errors import StoreError, damaged
from weir.store._journal import Journal
from weir.store._records import Finished, FinishedRun

if TYPE_CHECKING:
    import polars as pl

RUNS = "runs"
"""The table that the journal makes itself: a row for each run."""

CONTENTS = "weir.run._tables"
"""Key in the metadata of a file of `runs`: rows and CRC-32 of the file of every other table of its chunk."""

FOLDER = "tables"

WITH_TABLES = "SELECT chunk FROM payloads JOIN chunks ON chunks.id = chunk"
"""Query of the chunks that have tables, not only a number."""

PART_RUNS = 25_000
PART_ROWS = 8_000_000
"""Rows of the longest table in a merged chunk: what is merged at once has to fit in memory."""

NAME = re.compile(r"[A-Za-z_][A-Za-z_0-9]*")

# Smaller: fewer rewritings of a run. Larger: fewer merged chunks.
_RATIO = 4


@dataclass(frozen=True)
class Chunk:
    """A chunk as the journal describes it. `rows` is the number of rows of its longest table."""

    id: int
    results_version: int
    weir: str
    runs: int
    merged: int
    """Number of the chunk's files, from 1; 0 if the chunk is not merged."""
    rows: int

    @property
    def weight(self) -> float:
        """Size relative to a full merged chunk, which has 1."""
        return max(self.runs / PART_RUNS, self.rows / PART_ROWS)


@dataclass(frozen=True)
class Payload:
    """A table of a chunk. `written_ns` is when its file was written, if it has one.

    `crc32` tells whether some data are this table of this chunk.
    """

    id: int
    chunk: int
    name: str
    crc32: int
    written_ns: int | None
    size: int
    merged: int

    @property
    def file(self) -> str:
        """Name of the file in tables/."""
        return f"{self.name}-{self.merged:05}.parquet"

    def is_whole(self, data: object) -> bool:
        """Returns true if `data` are the data of this table."""
        return isinstance(data, bytes) and _crc32(self.chunk, self.name, data) == self.crc32


def _crc32(chunk: int, name: str, data: bytes) -> int:
    return zlib.crc32(data, zlib.crc32(f"{chunk} {name}".encode()))


def commit(journal: Journal, finished: Finished) -> int:
    """Records a chunk; returns how many of its runs were new. Raises ValueError for what is no chunk."""
    from weir.store import _frames as frames

    version = _core.results_version if finished.results_version is None else finished.results_version
    weir = _core.__version__ if finished.weir is None else finished.weir
    runs = sorted(finished.runs)
    keys = {run.run for run in runs}
    if len(keys) < len(runs):
        raise ValueError("a run stands twice in its chunk")
    tables = {name: frames.prepared(name, frame, keys) for name, frame in finished.tables.items()}
    if RUNS in tables or not all(name.isidentifier() for name in tables):
        raise ValueError(f"no names for tables: {', '.join(tables)}")
    # Before the transaction: others can write meanwhile.
    payloads = [(name, *frames.encoded(frame)) for name, frame in tables.items()]
    with journal.transaction() as sql:
        chunk = _new(sql, version, weir, len(runs))
        new = sql.executemany(
            f"INSERT OR IGNORE INTO runs VALUES (?, {chunk}, ?, ?, ?, ?, ?)",  # noqa: S608
            runs,
        ).rowcount
        sql.execute("DELETE FROM claims WHERE EXISTS (SELECT 1 FROM runs WHERE runs.run = claims.run)")
        if new < len(runs):
            # Of the runs that were there already, nothing is taken.
            kept = frames.among(runs_of(sql, chunk))
            rest = [(name, frame.filter(kept)) for name, frame in tables.items()] if new > 0 else []
            payloads = [(name, *frames.encoded(frame)) for name, frame in rest]
            sql.execute("UPDATE chunks SET runs = ? WHERE id = ?", (new, chunk))
            sql.execute("DELETE FROM chunks WHERE runs < 1")
        _put(sql, chunk, payloads)
    return max(0, new)


def listed(sql: sqlite3.Connection, where: str = "", values: Sequence[int] = ()) -> list[Chunk]:
    """Chunks in the order in which they were made."""
    rows = sql.execute(
        "SELECT id, results_version, weir, runs, merged, (SELECT ifnull(max(rows), 0) FROM payloads "  # noqa: S608
        f"WHERE chunk = chunks.id AND name <> '{RUNS}') FROM chunks {where} ORDER BY id",
        values,
    )
    return [Chunk(*row) for row in rows.fetchall()]


def payloads(sql: sqlite3.Connection, where: str, values: Sequence[int | str] = ()) -> list[Payload]:
    """Tables of chunks; `where` may speak of payloads and chunks."""
    rows = sql.execute(
        "SELECT payloads.id, chunk, name, crc32, written_ns, length(data), merged FROM payloads "  # noqa: S608
        f"JOIN chunks ON chunks.id = chunk {where}",
        values,
    )
    found = [Payload(*row) for row in rows.fetchall()]
    for one in found:
        # They make the names of files.
        if not (NAME.fullmatch(str(one.name)) and str(one.merged).isdigit()):
            raise sqlite3.DatabaseError(f"chunk {one.chunk} has a table {one.name!r} number {one.merged!r}")
    return found


def content(journal: Journal, payload: Payload) -> bytes:
    """The bytes of a table, from its file if the journal's are damaged. Raises StoreError if both are."""
    (data,) = journal.sql.execute("SELECT data FROM payloads WHERE id = ?", (payload.id,)).fetchone()
    if payload.is_whole(data):
        return data
    if payload.written_ns is not None:
        try:
            data = (journal.store / FOLDER / payload.file).read_bytes()
        except OSError:
            data = b""
        if payload.is_whole(data):
            return data
    raise damaged(
        journal.store, f"the table {payload.name!r} of chunk {payload.chunk} is not what was written"
    )


def runs_of(sql: sqlite3.Connection, chunk: int) -> list[int]:
    """The runs that belong to a chunk."""
    return [run for (run,) in sql.execute("SELECT run FROM runs WHERE chunk = ?", (chunk,))]


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
    try:
        columns = zip(*rows, strict=True) if rows else [()] * len(schema)
        return pl.DataFrame(dict(zip(schema, columns, strict=True)), schema=schema)
    except (TypeError, OverflowError, pl.exceptions.PolarsError) as error:
        raise sqlite3.DatabaseError(f"a run is not as it was recorded: {error}") from None


def recorded(runs: pl.DataFrame) -> tuple[list[FinishedRun], int, str]:
    """Reads a table `runs` of a merged chunk: its runs, their results version, and the Weir that did them."""
    version, weir = runs.select("results_version", "weir").row(0)
    rows = runs.drop("results_version", "weir").iter_rows(named=True)
    return [FinishedRun(**row) for row in rows], version, weir


def scan(
    journal: Journal, table: str, asked: set[int] | None, results_version: int, *, checked: bool = False
) -> pl.LazyFrame:
    """The rows of a table, of those runs or all, of one results version. If `checked`, a run of another one
    is a DamagedStoreError: keys are made of it.

    What is read is kept as it is on the disk (a few hundred bytes a run). It is unpacked when the frame is
    collected, as far as it is needed.
    """
    import polars as pl

    from weir.store import _frames as frames

    with journal.snapshot() as sql:
        if asked is not None:
            journal.ask(asked)
        join = "" if asked is None else "JOIN asked USING (run)"
        # Of each chunk: how many of its runs are asked for, whether they are all, its versions, its tables.
        parts = sql.execute(
            "SELECT chunk, asked, asked = runs, results_version, weir, "  # noqa: S608
            "EXISTS (SELECT 1 FROM payloads WHERE chunk = chunks.id) FROM "
            f"(SELECT chunk, count(*) AS asked FROM runs {join} GROUP BY chunk) "
            "LEFT JOIN chunks ON chunks.id = chunk"
        ).fetchall()
        others = sum(count for _, count, _, version, _, _ in parts if version not in {results_version, None})
        if checked and others:
            raise damaged(journal.store, f"{others:,} runs are said to be of another results version")
        if table == RUNS:
            return runs_table(sql, f"{join} WHERE results_version = ?", (results_version,)).lazy()
        if lost := sum(count for _, count, *_, has_tables in parts if not has_tables):
            raise damaged(journal.store, f"{lost:,} runs have no tables")
        names = [name for (name,) in sql.execute("SELECT DISTINCT name FROM payloads ORDER BY name")]
        if names and table not in names:
            known = dict.fromkeys([RUNS, *names])
            raise StoreError(f"{journal.store} has no table {table!r}", f"there are: {', '.join(known)}")
        # Chunk to whether all of its runs are asked for.
        whole = {chunk: all_ for chunk, _, all_, version, _, _ in parts if version == results_version}
        # By chunk, for which there is an index.
        found = payloads(
            sql,
            "WHERE chunk IN (SELECT id FROM chunks WHERE results_version = ?) AND name = ? ORDER BY chunk",
            (results_version, table),
        )
        # What another version of Weir wrote may lack a table.
        own = {chunk for chunk, _, _, _, weir, _ in parts if weir == _core.__version__} & whole.keys()
        _expect(journal, table, own, found)
        sources: list[pl.LazyFrame] = []
        for payload in found:
            if payload.chunk in whole:
                frame = frames.decoded(content(journal, payload))
                sources.append(frame if whole[payload.chunk] else frame.filter(frames.among(asked or ())))
        if sources:
            return frames.flat(frames.joined(sources))
        # With the columns that the table has, if that is known.
        if found:
            return frames.flat(frames.decoded(content(journal, found[0]))).clear()
        return pl.LazyFrame(schema={frames.RUN: pl.Int64})


def _expect(journal: Journal, table: str, chunks: set[int], found: Iterable[Payload]) -> None:
    """Raises DamagedStoreError if one of these chunks is not among those whose table was found."""
    if chunks - {payload.chunk for payload in found}:
        raise damaged(journal.store, f"some runs have no table {table!r}")


def merge(journal: Journal, *, rest: bool) -> bool:
    """Merges chunks into full ones where there is enough for one, and with `rest` what is left. Whether there
    was anything to do.

    Full ones are never touched again: a large sweep is merged once. What is left at the end of a sweep
    is merged with those of the earlier chunks that are not much larger. So a hundred small sweeps leave
    a handful of chunks, and a run is rewritten a few times at most.
    """
    with journal.snapshot() as sql:
        found = listed(sql)
    kinds: dict[tuple[int, str], list[Chunk]] = {}
    due = False
    for chunk in found:
        kinds.setdefault((chunk.results_version, chunk.weir), []).append(chunk)
    for chunks in kinds.values():
        *full, last = _shared_out([chunk for chunk in chunks if not chunk.merged])
        for group in full:
            _merge(journal, group)
            due = True
        if rest and last:
            due = True
            weight = sum(chunk.weight for chunk in last)
            for chunk in sorted((chunk for chunk in chunks if chunk.merged), key=attrgetter("weight")):
                if chunk.weight > _RATIO * weight or chunk.weight + weight > 1:
                    break
                last.append(chunk)
                weight += chunk.weight
            _merge(journal, last)
    return due


def _shared_out(chunks: Sequence[Chunk]) -> list[list[Chunk]]:
    """Groups to be merged: as many chunks as go in, at least one. The last may be empty, or not full."""
    groups: list[list[Chunk]] = [[]]
    runs = rows = 0
    for chunk in chunks:
        runs, rows = runs + chunk.runs, rows + chunk.rows
        if groups[-1] and max(runs / PART_RUNS, rows / PART_ROWS) > 1:
            groups.append([])
            runs, rows = chunk.runs, chunk.rows
        groups[-1].append(chunk)
    return groups


def _merge(journal: Journal, group: Sequence[Chunk]) -> None:
    """Merges a group of chunks into one."""
    from weir.store import _frames as frames

    ids = [chunk.id for chunk in group]
    these = f"({', '.join(map(str, ids))})"
    new: list[tuple[str, int, bytes]] = []
    with journal.snapshot() as sql:
        # Where entries were changed by hand, the rows of other runs may be in another chunk, too.
        own = {chunk.id: frames.among(runs_of(sql, chunk.id)) for chunk in group}
        parts: dict[str, list[Payload]] = {}
        for payload in payloads(sql, f"WHERE chunk IN {these} AND name <> '{RUNS}' ORDER BY chunk, name"):
            parts.setdefault(payload.name, []).append(payload)
        for name in sorted(parts):
            frame = frames.merged(
                [frames.decoded(content(journal, part)).filter(own[part.chunk]) for part in parts[name]]
            )
            new.append((name, frame.height, frames.parquet(frame)))
        table = runs_table(sql, f"WHERE chunk IN {these}")
    contents = json.dumps({name: (height, zlib.crc32(data)) for name, height, data in new})
    new.append((RUNS, table.height, frames.parquet(table, {CONTENTS: contents})))
    with journal.transaction() as sql:
        ((number,),) = sql.execute("SELECT ifnull(max(merged), 0) + 1 FROM chunks")
        chunk = _new(sql, group[0].results_version, group[0].weir, table.height, number)
        sql.execute(f"UPDATE runs SET chunk = ? WHERE chunk IN {these}", (chunk,))  # noqa: S608
        remove(sql, ids)
        _put(sql, chunk, new)


def prune(journal: Journal, keep: Iterable[int]) -> tuple[int, list[Payload]]:
    """Removes all runs but those of `keep`; returns how many, and the tables that are no more."""
    from weir.store import _frames as frames

    gone: list[Payload] = []
    with journal.transaction() as sql:
        journal.ask(keep)
        others = "FROM runs WHERE run NOT IN (SELECT run FROM asked)"
        affected = [chunk for (chunk,) in sql.execute(f"SELECT DISTINCT chunk {others}")]
        removed = sql.execute(f"DELETE {others}").rowcount
        for chunk in affected:
            entry = sql.execute("SELECT * FROM chunks WHERE id = ?", (chunk,)).fetchone()
            if entry is None:
                raise damaged(journal.store, f"runs name a chunk {chunk} that it does not know")
            _, version, weir, *_ = entry
            kept = runs_of(sql, chunk)
            tables = payloads(sql, "WHERE chunk = ?", (chunk,))
            gone += tables
            rest = [
                (table.name, frames.decoded(content(journal, table)).filter(frames.among(kept)).collect())
                for table in tables
                if kept and table.name != RUNS
            ]
            remove(sql, [chunk])
            if kept:
                new = _new(sql, version, weir, len(kept))
                sql.execute("UPDATE runs SET chunk = ? WHERE chunk = ?", (new, chunk))
                _put(sql, new, [(name, *frames.encoded(frame)) for name, frame in rest])
    if removed:
        journal.sql.execute("VACUUM")
    return removed, gone


def remove(sql: sqlite3.Connection, chunks: Iterable[int]) -> None:
    """Removes chunks and their tables, not their runs."""
    ids = [(chunk,) for chunk in chunks]
    sql.executemany("DELETE FROM payloads WHERE chunk = ?", ids)
    sql.executemany("DELETE FROM chunks WHERE id = ?", ids)


def _new(sql: sqlite3.Connection, version: int, weir: str, runs: int, merged: int = 0) -> int:
    chunk = sql.execute(
        "INSERT INTO chunks (results_version, weir, runs, merged) VALUES (?, ?, ?, ?)",
        (version, weir, runs, merged),
    ).lastrowid
    assert chunk is not None
    return chunk


def _put(sql: sqlite3.Connection, chunk: int, tables: Iterable[tuple[str, int, bytes]]) -> None:
    sql.executemany(
        "INSERT INTO payloads (chunk, name, rows, crc32, data) VALUES (?, ?, ?, ?, ?)",
        ((chunk, name, rows, _crc32(chunk, name, data), data) for name, rows, data in tables),
    )
