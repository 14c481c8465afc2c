"""Reading a table.

What is read from the journal is kept as it is on the disk (a few hundred bytes a run), and unpacked
when the frame is collected, as far as it is needed.
"""

from __future__ import annotations

from collections.abc import Iterable

import polars as pl

from weir.store import _chunks as chunks
from weir.store import _frames as frames
from weir.store._errors import StoreError
from weir.store._journal import Journal


def scan(journal: Journal, table: str, runs: Iterable[int] | None, results_version: int) -> pl.LazyFrame:
    """The rows of a table, of those runs or all, of one results version."""
    asked = None if runs is None else set(runs)
    with journal.snapshot() as sql:
        if asked is not None:
            journal.ask(asked)
        join = "" if asked is None else "JOIN asked USING (run)"
        if table == chunks.RUNS:
            return chunks.runs_table(sql, f"{join} WHERE results_version = ?", (results_version,)).lazy()
        names = [name for (name,) in sql.execute("SELECT DISTINCT name FROM payloads ORDER BY name")]
        if names and table not in names:
            known = dict.fromkeys([chunks.RUNS, *names])
            raise StoreError(f"{journal.store} has no table {table!r}", f"there are: {', '.join(known)}")
        these = "WHERE results_version = ?"
        all_runs = dict(sql.execute(f"SELECT id, runs FROM chunks {these}", (results_version,)).fetchall())  # noqa: S608
        wanted = all_runs
        if asked is not None:
            wanted = dict(sql.execute(f"SELECT chunk, count(*) FROM runs {join} GROUP BY chunk").fetchall())  # noqa: S608
        # By chunk, for which there is an index.
        found = chunks.payloads(
            sql,
            f"WHERE chunk IN (SELECT id FROM chunks {these}) AND name = ? ORDER BY chunk",  # noqa: S608
            (results_version, table),
        )
        sources: list[pl.LazyFrame] = []
        for payload in found:
            if payload.chunk in wanted:
                frame = frames.decoded(chunks.content(journal, payload))
                part = wanted[payload.chunk] < all_runs[payload.chunk]
                sources.append(frame.filter(frames.among(asked or ())) if part else frame)
        if sources:
            return frames.joined(sources)
        # With the columns that the table has, if that is known.
        if found:
            return frames.decoded(chunks.content(journal, found[0])).clear()
        return pl.LazyFrame(schema={frames.RUN: pl.Int64})
