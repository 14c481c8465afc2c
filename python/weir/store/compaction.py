"""Compaction: finished runs from the journal into few Parquet files of bounded size.

Full parts are written as soon as there is enough for one, and never touched again: a large sweep
is written once. What is left at the end of a sweep becomes a smaller part, together with those
of the earlier small parts that are not much larger; so a hundred small sweeps leave a handful of
parts, and a run is rewritten a few times at most.

A crash leaves the old parts or the new: files get their names before the journal gets to know
them, and a file that the journal does not name does not count.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from weir.store import chunks, parts
from weir.store.chunks import Chunk
from weir.store.errors import told
from weir.store.parts import File, Part, Place

PART_RUNS = 25_000
PART_ROWS = 8_000_000
"""Rows of the longest table in a part: what is compacted at once has to fit in memory."""

# A part this full is left alone: no merging would bring it closer to its bounds for its price.
_FULL = 0.8
# Smaller: fewer rewritings of a run. Larger: fewer parts.
_RATIO = 4

SAFE = "the tables could not be compacted, but every finished run is safe in the journal and can be read"


def compact(place: Place, *, force: bool) -> None:
    """Writes full parts, and with `force` a part with the rest. Raises StoreError.

    While another process compacts: waits for it with `force`, else leaves the work to it.
    """
    if not _due(place, force=force):
        return
    with told(place.path, SAFE):
        place.tables.mkdir(exist_ok=True)
        lock = place.owners.maintenance(wait=force)
        if lock is None:
            return
        try:
            for version, waiting in _waiting(place).items():
                *full, rest = _shared_out(waiting)
                for group in full:
                    _write(place, [group], [])
                if force:
                    _write_rest(place, version, rest)
        finally:
            lock.release()


def _due(place: Place, *, force: bool) -> bool:
    with told(place.path, SAFE):
        rows = place.journal.sql.execute(
            "SELECT sum(runs), sum(rows) FROM chunks WHERE part IS NULL GROUP BY results_version"
        ).fetchall()
    return any(force or _weight(runs, length) > 1 for runs, length in rows)


def _waiting(place: Place) -> dict[int, list[Chunk]]:
    with place.journal.snapshot() as sql:
        found = chunks.listed(sql, "WHERE part IS NULL")
    return {
        version: [chunk for chunk in found if chunk.results_version == version]
        for version in sorted({chunk.results_version for chunk in found})
    }


def _write_rest(place: Place, version: int, rest: Sequence[Chunk]) -> None:
    with place.journal.snapshot() as sql:
        small = [
            part
            for part in parts.valid(sql)
            if part.results_version == version and _weight(part.runs, part.rows) < _FULL
        ]
    runs, rows = _size(rest)
    merged: list[Part] = []
    for part in sorted(small, key=lambda part: _weight(part.runs, part.rows)):
        if _weight(part.runs, part.rows) > _RATIO * _weight(runs, rows):
            break
        merged.append(part)
        runs, rows = runs + part.runs, rows + part.rows
    with place.journal.snapshot() as sql:
        earlier = [chunk for part in merged for chunk in chunks.listed(sql, "WHERE part = ?", (part.id,))]
    _write(place, _shared_out(sorted([*earlier, *rest], key=lambda chunk: chunk.id)), merged)


def _write(place: Place, groups: Sequence[Sequence[Chunk]], instead_of: Sequence[Part]) -> None:
    """One part for each group, all of them valid at once."""
    journal, folder = place.journal, place.tables
    written: list[File] = []
    with journal.snapshot() as sql:
        last: int = sql.execute("SELECT total(seq) FROM sqlite_sequence WHERE name = 'parts'").fetchone()[0]
    first = max(int(last), *parts.present(folder), 0) + 1
    try:
        for part, group in enumerate(groups, first):
            files = (parts.write(place, part, name, group) for name in chunks.tables_of(journal, group))
            tables = [file for file in files if file is not None]
            written += [*tables, parts.write_runs(place, part, group, [file.name for file in tables])]
        with journal.transaction() as sql:
            for part, group in enumerate(groups, first):
                sql.execute(
                    "INSERT INTO parts (id, results_version, runs, rows) VALUES (?, ?, ?, ?)",
                    (part, group[0].results_version, *_size(group)),
                )
                sql.executemany(
                    "UPDATE chunks SET part = ? WHERE id = ?", ((part, chunk.id) for chunk in group)
                )
            parts.record(sql, written)
            parts.replace(sql, instead_of)
    finally:
        # The old ones, or the new ones if it has failed.
        parts.remove_unnamed(place, [*(part.id for part in instead_of), *range(first, first + len(groups))])


def _shared_out(waiting: Sequence[Chunk]) -> list[list[Chunk]]:
    """Groups for one part each: as many chunks as go in, at least one."""
    groups: list[list[Chunk]] = [[]]
    runs = rows = 0
    for chunk in waiting:
        runs, rows = runs + chunk.runs, rows + chunk.rows
        if groups[-1] and _weight(runs, rows) > 1:
            groups.append([])
            runs, rows = chunk.runs, chunk.rows
        groups[-1].append(chunk)
    return groups


def _size(group: Iterable[Chunk]) -> tuple[int, int]:
    members = list(group)
    return sum(chunk.runs for chunk in members), sum(chunk.rows for chunk in members)


def _weight(runs: int, rows: int) -> float:
    """How full a part with so much is: 1 is full."""
    return max(runs / PART_RUNS, rows / PART_ROWS)
