"""Parquet copies of the finished runs, which DuckDB, Polars and others can open.

A merged chunk has a file tables/NAME-00001.parquet for each table that has rows, with the bytes that
the journal holds. So a file that is missing or damaged is written anew. A file whose writing was
interrupted is written by the next process that has the store open. A file that the journal does not know
does not count: its chunk was merged into a larger one, or it was brought back from an older copy.
"""

from __future__ import annotations

import json
import os
import re
import sqlite3
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from weir.store import _chunks as chunks
from weir.store._chunks import FOLDER, Payload
from weir.store._errors import NO_ROOM, StoreError
from weir.store._journal import Journal
from weir.store._owners import Owners
from weir.store._records import Finished

ASIDE = "aside"

_FILE = re.compile(r"([A-Za-z_][A-Za-z_0-9]*)-([0-9]{5,})\.parquet")
_MAGIC = b"PAR1"
# By chunk, for which there is an index: tables of small chunks are not looked at.
_MERGED = "WHERE chunk IN (SELECT id FROM chunks WHERE merged)"


def present(store: Path) -> dict[int, dict[str, Path]]:
    """The files in tables/ that have names as this store gives them: by number, then by table."""
    found: dict[int, dict[str, Path]] = {}
    folder = store / FOLDER
    for path in sorted(folder.iterdir()) if folder.is_dir() else ():
        if (match := _FILE.fullmatch(path.name)) and path.is_file():
            found.setdefault(int(match[2]), {})[match[1]] = path
    return found


def write(journal: Journal, owners: Owners) -> list[str]:
    """Writes the files that merged chunks do not have, and removes those of chunks that are no more.

    Says what else was found in tables/. Where it fails, all files are as they were.
    """
    _write(journal, owners, chunks.payloads(journal.sql, f"{_MERGED} AND written_ns IS NULL AND rows > 0"))
    return list(_take_in(journal))


def mend(journal: Journal, owners: Owners | None, *, full: bool = False) -> list[str]:
    """Mends what it can; says what was found. `full` reads everything; without owners nothing is changed."""
    said = list(_bring_back(journal)) if full and owners else []
    found = [(payload, _complaint(journal, payload, full=full)) for payload in _written(journal)]
    # Another process may have merged chunks meanwhile, if we have not the files for ourselves.
    still = set(_written(journal))
    for payload, complaint in found:
        if payload not in still:
            continue
        if complaint:
            said.append(f"{FOLDER}/{payload.file} {complaint}{_anew(journal, owners, payload)}")
        elif owners is not None:
            _note(journal, [payload])
    if owners is not None:
        with suppress(OSError, sqlite3.OperationalError):
            said += write(journal, owners)
    return said


def _anew(journal: Journal, owners: Owners | None, payload: Payload) -> str:
    """Writes a file again; returns what has become of it."""
    try:
        if owners is None:
            return "; its runs are read from the journal"
        _write(journal, owners, [payload])
    except (OSError, sqlite3.OperationalError) as error:
        reason = "there is no room" if getattr(error, "errno", None) in NO_ROOM else str(error)
        return f"; it could not be written anew ({reason}), its runs are read from the journal"
    return ": written anew from the journal"


def _adopt(journal: Journal, tables: Mapping[str, Path]) -> int:
    """Takes the runs of a chunk's files into the journal; returns how many were new.

    Raises OSError, and anything else if they are not the whole of a chunk.
    """
    import polars as pl

    if chunks.RUNS not in tables:
        raise ValueError(f"there is no table {chunks.RUNS!r} with them")
    text = pl.read_parquet_metadata(tables[chunks.RUNS]).get(chunks.CONTENTS)
    if text is None:
        raise ValueError(f"{tables[chunks.RUNS].name} was not written by Weir")
    frames: dict[str, pl.DataFrame] = {}
    with_rows: set[int] = set()
    for name, (rows, crc32) in json.loads(text).items():
        if rows and name not in tables:
            raise ValueError(f"there is no table {name!r} with them")
        if rows and zlib.crc32(tables[name].read_bytes()) != crc32:
            raise ValueError(f"{tables[name].name} is not what was written")
        frames[name] = (
            pl.read_parquet(tables[name], glob=False) if rows else pl.DataFrame(schema={"run": pl.Int64})
        )
        with_rows.update(frames[name]["run"].unique().to_list())
    runs, version, weir = chunks.recorded(pl.read_parquet(tables[chunks.RUNS], glob=False))
    if with_rows != {run.run for run in runs}:
        raise ValueError(f"{tables[chunks.RUNS].name} has other runs")
    with journal.transaction() as sql:
        # Their tables are these.
        journal.ask(with_rows)
        sql.execute(
            "DELETE FROM runs WHERE run IN (SELECT run FROM asked) "  # noqa: S608
            f"AND chunk NOT IN ({chunks.WITH_TABLES})"
        )
    return chunks.commit(journal, Finished(runs, frames, version, weir))


def aside(store: Path, path: Path) -> Path:
    """A place in the folder for things set aside, with a name that none of them has."""
    folder = store / ASIDE
    if folder.is_file():
        folder.rename(folder.with_suffix(".1"))
    folder.mkdir(exist_ok=True)
    number, target = 1, folder / path.name
    while target.exists():
        number += 1
        target = folder / f"{path.name}.{number}"
    return target


def _written(journal: Journal) -> list[Payload]:
    return chunks.payloads(journal.sql, f"{_MERGED} AND written_ns IS NOT NULL")


def _write(journal: Journal, owners: Owners, payloads: Sequence[Payload]) -> None:
    folder = journal.store / FOLDER
    owners.put((folder / payload.file, chunks.content(journal, payload)) for payload in payloads)
    _note(journal, payloads)


def _note(journal: Journal, payloads: Sequence[Payload]) -> None:
    """Tells the journal when files were written, so that they need not be read whole the next time."""
    folder = journal.store / FOLDER
    times = [((folder / payload.file).stat().st_mtime_ns, payload.id) for payload in payloads]
    known = {(payload.written_ns, payload.id) for payload in payloads}
    # On a full disk they are looked at, or written, once more the next time.
    if not known.issuperset(times):
        with suppress(sqlite3.OperationalError), journal.transaction() as sql:
            sql.executemany("UPDATE payloads SET written_ns = ? WHERE id = ?", times)


def _complaint(journal: Journal, payload: Payload, *, full: bool = False) -> str | None:
    """Describes what is wrong with a file; None if it is whole. With `full`, all of it is read in any
    case."""
    path = journal.store / FOLDER / payload.file
    try:
        found = path.stat()
        if found.st_size != payload.size:
            return f"has {found.st_size:,} of {payload.size:,} bytes"
        if full or found.st_mtime_ns != payload.written_ns:
            return None if payload.is_whole(path.read_bytes()) else "is not what was written"
        with path.open("rb") as file:
            file.seek(-len(_MAGIC), os.SEEK_END)
            return None if file.read() == _MAGIC else "is not what was written"
    except FileNotFoundError:
        return "is missing"
    except OSError as error:
        return f"cannot be read ({error.strerror})"


def _take_in(journal: Journal) -> Iterator[str]:
    """Files of chunks that the journal does not have: removed if it has their runs, else taken in first."""
    found = present(journal.store)
    known = {number for (number,) in journal.sql.execute("SELECT merged FROM chunks")}
    for number in sorted(found.keys() - known):
        import polars as pl

        tables = found[number]
        names = ", ".join(path.name for path in tables.values())
        try:
            of_runs = [tables[chunks.RUNS]] if chunks.RUNS in tables else tables.values()
            keys = [pl.read_parquet(path, columns=["run"], glob=False)["run"].unique() for path in of_runs]
            runs = {run for column in keys for run in column}
            with journal.snapshot() as sql:
                journal.ask(runs)
                known_runs = f"SELECT run FROM runs WHERE chunk IN ({chunks.WITH_TABLES})"  # noqa: S608
                lost = sql.execute(f"SELECT run FROM asked EXCEPT {known_runs} LIMIT 1").fetchall()  # noqa: S608
            new = _adopt(journal, tables) if lost else 0
            for path in tables.values():
                path.unlink(missing_ok=True)
        except (OSError, sqlite3.Error) as error:
            yield (
                f"{FOLDER}/: the journal does not know {names}, and its runs cannot be taken in now "
                f"({error}): left as it is"
            )
        except Exception as error:  # noqa: BLE001 - whatever is in those files, it is not ours to lose
            for path in tables.values():
                path.rename(aside(journal.store, path))
            yield (
                f"{FOLDER}/: the journal does not know {names}, nor can its runs be taken in "
                f"({error}): moved to {ASIDE}/"
            )
        else:
            if new:
                yield f"{FOLDER}/: the journal did not know {new:,} runs of {names}: taken in"


def _bring_back(journal: Journal) -> Iterator[str]:
    """Tables that are damaged in the journal, from their files, unless those are, too."""
    for payload in chunks.payloads(journal.sql, "ORDER BY payloads.id"):
        (data,) = journal.sql.execute("SELECT data FROM payloads WHERE id = ?", (payload.id,)).fetchone()
        if not payload.is_whole(data):
            try:
                whole = chunks.content(journal, payload)
            except StoreError:
                continue  # `verify` says so
            journal.sql.execute("UPDATE payloads SET data = ? WHERE id = ?", (whole, payload.id))
            yield (
                f"the table {payload.name!r} of chunk {payload.chunk} was damaged: "
                f"brought back from {payload.file}"
            )
