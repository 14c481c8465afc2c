"""Verification that the rows of a store belong to runs that the journal knows, and that its runs have
rows."""

from __future__ import annotations

import io
import json
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from weir.store import _chunks as chunks
from weir.store._chunks import Chunk
from weir.store._errors import StoreError
from weir.store._journal import NAME, Journal
from weir.store._owners import Owners
from weir.store._sweeps import FOLDER as SWEEPS
from weir.store._sweeps import damaged_sweeps

if TYPE_CHECKING:
    import polars as pl


def problems(journal: Journal, owners: Owners) -> Iterator[str]:
    """Damage that no other copy can repair: a sentence each. Raises sqlite3.Error."""
    with journal.snapshot() as sql:
        found = chunks.listed(sql)
        for chunk in found:
            for problem in _of_chunk(journal, chunk, tables_of(sql, chunk)):
                yield f"{NAME}: chunk {chunk.id} {problem}"
        for what in ("runs", "payloads"):
            lost = f"SELECT count(*) FROM {what} WHERE chunk NOT IN (SELECT id FROM chunks)"  # noqa: S608
            ((count,),) = sql.execute(lost)
            if count:
                yield f"{NAME}: {count:,} {'runs' if what == 'runs' else 'tables'} belong to no chunk"
        for number in damaged_sweeps(sql):
            yield f"{NAME}: the record of result {number} is not what was written"
    for path in foreign(journal.store, owners):
        yield f"{path} does not belong to the store"


def foreign(store: Path, owners: Owners) -> list[Path]:
    """Foreign files in the way: those with the names of the store's folders, and those in the folder of
    owners."""
    folders = [store / name for name in (chunks.FOLDER, SWEEPS) if (store / name).is_file()]
    return [*folders, *owners.foreign()]


def tables_of(sql: sqlite3.Connection, chunk: Chunk) -> set[str]:
    """The tables that a chunk must have: those of any chunk by the same Weir."""
    rows = sql.execute(
        "SELECT DISTINCT name FROM payloads JOIN chunks ON chunks.id = chunk "
        "WHERE results_version = ? AND weir = ? AND name <> ?",
        (chunk.results_version, chunk.weir, chunks.RUNS),
    )
    return {str(name) for (name,) in rows if chunks.NAME.fullmatch(str(name))} | (
        {chunks.RUNS} if chunk.merged else set()
    )


def frames_of(journal: Journal, chunk: Chunk, names: set[str]) -> dict[str, pl.LazyFrame]:
    """The tables of a chunk. Raises StoreError where one is damaged or missing."""
    import polars as pl

    from weir.store import _frames as frames

    found: dict[str, pl.LazyFrame] = {}
    for payload in chunks.payloads(journal.sql, "WHERE chunk = ?", (chunk.id,)):
        data = chunks.content(journal, payload)
        found[payload.name] = frames.decoded(data)
        if payload.name == chunks.RUNS:
            names = names | {*json.loads(pl.read_parquet_metadata(io.BytesIO(data))[chunks.CONTENTS])}
    if lacking := names - found.keys():
        raise StoreError(f"lacks the table {min(lacking)!r}")
    return found


def runs_with_rows(tables: dict[str, pl.LazyFrame]) -> set[int]:
    """The runs of which a chunk has rows in any table but `runs`."""
    from weir.store import _frames as frames

    found: set[int] = set()
    for name, frame in tables.items():
        if name != chunks.RUNS:
            found.update(frame.select(frames.RUN).unique().collect()[frames.RUN].to_list())
    return found


def _of_chunk(journal: Journal, chunk: Chunk, names: set[str]) -> Iterator[str]:
    try:
        tables = frames_of(journal, chunk, names)
    except StoreError as error:
        yield f"cannot be read: {error.message}"
        return
    with_rows, known = runs_with_rows(tables), set(chunks.runs_of(journal.sql, chunk.id))
    if unknown := with_rows - known:
        yield f"has rows of {len(unknown):,} runs that are not among its runs"
    if empty := known - with_rows:
        yield f"has no rows of {len(empty):,} of its runs"
    if len(known) != chunk.runs:
        yield f"has {len(known):,} of its {chunk.runs:,} runs"
    if chunk.merged and known == with_rows:
        entries = chunks.runs_table(journal.sql, "WHERE chunk = ?", (chunk.id,))
        if not tables[chunks.RUNS].collect().equals(entries):
            yield "has runs that are not as they were recorded"
