"""Reading a table: parts, and from the journal what is not in them.

Files are read whole, as they are on the disk (a few hundred bytes a run), and unpacked when the frame
is collected, as far as it is needed. So a frame stays what it is, whatever becomes of the files.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import polars as pl

from weir.store import chunks, frames, parts
from weir.store.chunks import Chunk
from weir.store.errors import StoreError
from weir.store.parts import Place


def scan(place: Place, table: str, runs: Iterable[int] | None, results_version: int) -> pl.LazyFrame:
    """The rows of a table, of those runs or all, of one results version."""
    asked = None if runs is None else set(runs)
    if table == chunks.RUNS:
        return _runs(place, asked, results_version).lazy()
    with place.journal.snapshot() as sql:
        found = chunks.listed(sql, "WHERE results_version = ?", (results_version,))
        wanted = _wanted(place, asked)
        files = {file.part: file for file in parts.files(sql, table)}
        _check_name(place, table)
    sources: list[pl.LazyFrame] = []
    from_journal: list[Chunk] = []
    for part, members in _by_part(found).items():
        counted = _Count.of(members, wanted)
        if counted.asked == 0:
            continue
        file = files.get(part or 0)
        data = None if file is None else file.content(place.tables)
        if data is not None:
            source = pl.scan_parquet(data)
            sources.append(source if counted.all else source.filter(frames.among(asked or ())))
        elif file is not None or part is None:
            # Also where another process has compacted just now, and the file is gone.
            from_journal.extend(chunk for chunk in members if wanted is None or chunk.id in wanted)
    for chunk in from_journal:
        piece = chunks.piece_of(place.journal, chunk, table)
        if piece is not None:
            frame = frames.decoded(piece.data)
            if piece.runs is not None:
                frame = frames.only(frame, piece.runs)
            counted = _Count.of([chunk], wanted)
            sources.append((frame if counted.all else frames.only(frame, asked or ())).lazy())
    return _concatenated(sources) if sources else _without_rows(place, table, found)


@dataclass(frozen=True)
class _Count:
    """How many runs of some chunks are asked for, and whether that is all of them."""

    asked: int
    all: bool

    @staticmethod
    def of(members: Iterable[Chunk], wanted: dict[int, int] | None) -> _Count:
        there = asked = 0
        for chunk in members:
            there += chunk.runs
            asked += chunk.runs if wanted is None else wanted.get(chunk.id, 0)
        return _Count(asked, asked == there)


def _wanted(place: Place, asked: set[int] | None) -> dict[int, int] | None:
    """How many of the runs asked for are in which chunk; None if all are asked for."""
    if asked is None:
        return None
    place.journal.ask(asked)
    rows = place.journal.sql.execute("SELECT chunk, count(*) FROM asked JOIN runs USING (run) GROUP BY chunk")
    return dict(rows.fetchall())


def _runs(place: Place, asked: set[int] | None, results_version: int) -> pl.DataFrame:
    with place.journal.snapshot() as sql:
        if asked is None:
            return chunks.runs_table(sql, "WHERE results_version = ?", (results_version,))
        place.journal.ask(asked)
        return chunks.runs_table(sql, "JOIN asked USING (run) WHERE results_version = ?", (results_version,))


def _check_name(place: Place, table: str) -> None:
    rows = place.journal.sql.execute("SELECT DISTINCT name FROM payloads ORDER BY name").fetchall()
    names = [chunks.RUNS, *(name for (name,) in rows)]
    if len(names) > 1 and table not in names:
        raise StoreError(f"{place.path} has no table {table!r}", f"there are: {', '.join(names)}")


def _by_part(found: Iterable[Chunk]) -> dict[int | None, list[Chunk]]:
    parts_of: dict[int | None, list[Chunk]] = {}
    for chunk in found:
        parts_of.setdefault(chunk.part, []).append(chunk)
    return parts_of


def _without_rows(place: Place, table: str, found: Iterable[Chunk]) -> pl.LazyFrame:
    """With the columns that the table has, if that is known."""
    for chunk in found:
        piece = chunks.piece_of(place.journal, chunk, table)
        if piece is not None:
            return pl.LazyFrame(schema=piece.schema)
    return pl.LazyFrame(schema={frames.RUN: pl.Int64})


def _concatenated(sources: list[pl.LazyFrame]) -> pl.LazyFrame:
    schemas = [source.collect_schema() for source in sources]
    if all(schema == schemas[0] for schema in schemas):
        return pl.concat(sources, rechunk=False)
    enums = frames.alike(schemas)
    fitting = [
        source.with_columns(
            pl.col(name).cast(enum)
            for name, enum in enums.items()
            if isinstance(schema.get(name), pl.Enum) and schema[name] != enum
        )
        for source, schema in zip(sources, schemas, strict=True)
    ]
    return pl.concat(fitting, how="diagonal_relaxed", rechunk=False)
