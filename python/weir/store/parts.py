"""Parts: the finished runs once more, as Parquet files that DuckDB, Polars and others can open.

A part is a set of runs with one file for each table that has rows, tables/NAME-00001.parquet. Which
parts are valid is said by the journal; the bytes of a file follow from the runs in it. So a file that
is missing or damaged can be written anew, and one that the journal does not name does not count.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import sqlite3
from collections.abc import Collection, Iterable
from contextlib import suppress
from dataclasses import astuple, dataclass
from pathlib import Path

from weir.store import chunks
from weir.store.chunks import Chunk
from weir.store.journal import Journal
from weir.store.owners import Owners

FOLDER = "tables"
CONTENTS = "weir.run.tables"
"""In the metadata of a file of `runs`: the other tables of its part, and whether they have a file."""

_FILE = re.compile(r"([A-Za-z_][A-Za-z_0-9]*)-([0-9]{5,})\.parquet")
_MAGIC = b"PAR1"


@dataclass(frozen=True)
class Place:
    """An open store: where it is, its journal, and ourselves among its owners."""

    path: Path
    journal: Journal
    owners: Owners

    @property
    def tables(self) -> Path:
        return self.path / FOLDER


@dataclass(frozen=True)
class Part:
    """What the journal says about a part."""

    id: int
    results_version: int
    runs: int
    rows: int


@dataclass(frozen=True)
class File:
    """A file of a part as it was when it was written."""

    part: int
    name: str
    size: int
    sha256: str
    modified_ns: int

    @property
    def file(self) -> str:
        return file_name(self.name, self.part)

    def complaint(self, folder: Path, *, full: bool = False) -> str | None:
        """What is wrong with it now; None if nothing is. `full` reads all of it in any case."""
        path = folder / self.file
        try:
            found = path.stat()
            if found.st_size != self.size:
                return f"has {found.st_size:,} of {self.size:,} bytes"
            if full or found.st_mtime_ns != self.modified_ns:
                # Touched or copied, perhaps changed.
                return None if digest(path.read_bytes()) == self.sha256 else "is not what was written"
            with path.open("rb") as file:
                file.seek(-len(_MAGIC), os.SEEK_END)
                return None if file.read() == _MAGIC else "is not what was written"
        except FileNotFoundError:
            return "is missing"
        except OSError as error:
            return f"cannot be read ({error.strerror})"

    def content(self, folder: Path) -> bytes | None:
        """What is in it, if that is what was written. Read at once, it cannot be replaced meanwhile."""
        try:
            data = (folder / self.file).read_bytes()
        except OSError:
            return None
        return data if digest(data) == self.sha256 else None


def file_name(name: str, part: int) -> str:
    """What the file of a table in a part is called."""
    return f"{name}-{part:05}.parquet"


def digest(data: bytes) -> str:
    """By which changed bytes are known."""
    return hashlib.sha256(data).hexdigest()


def present(folder: Path) -> dict[int, dict[str, Path]]:
    """The files in the folder that have names of ours: by part, then by table."""
    found: dict[int, dict[str, Path]] = {}
    for path in sorted(folder.iterdir()) if folder.is_dir() else ():
        if match := _FILE.fullmatch(path.name):
            found.setdefault(int(match[2]), {})[match[1]] = path
    return found


def valid(sql: sqlite3.Connection) -> list[Part]:
    """The parts that count, in the order of their writing."""
    rows = sql.execute("SELECT id, results_version, runs, rows FROM parts ORDER BY id")
    return [Part(*row) for row in rows]


def files(sql: sqlite3.Connection, name: str | None = None) -> list[File]:
    """The files of the parts that count: all, or those of one table."""
    rows = sql.execute(
        "SELECT part, name, size, sha256, modified_ns FROM files WHERE ?1 IS NULL OR name = ?1 "
        "ORDER BY part, name",
        (name,),
    )
    return [File(*row) for row in rows]


def put(owners: Owners, path: Path, data: bytes) -> None:
    """A file under its own name once it is whole and on the disk; nothing is left behind otherwise."""
    temporary = owners.temporary(path)
    try:
        with temporary.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    sync_names(path.parent)


def sync_names(folder: Path) -> None:
    """Renamed files keep their new names through a power cut."""
    if os.name == "nt":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def write(place: Place, part: int, name: str, members: Collection[Chunk]) -> File | None:
    """Writes the file of a table, with the runs of these chunks; None if they have no rows in it."""
    from weir.store import frames, merge

    found = (chunks.piece_of(place.journal, chunk, name) for chunk in members)
    table = merge.merged([piece for piece in found if piece is not None])
    return _write(place, part, name, frames.parquet(table)) if table.height else None


def write_runs(place: Place, part: int, members: Collection[Chunk], with_file: Collection[str]) -> File:
    """Writes the file of `runs`; it says which of the other tables have a file."""
    from weir.store import frames

    ids = ", ".join(str(chunk.id) for chunk in members)
    table = chunks.runs_table(place.journal.sql, f"WHERE chunk IN ({ids})")
    contents = {name: name in with_file for name in chunks.tables_of(place.journal, members)}
    return _write(place, part, chunks.RUNS, frames.parquet(table, {CONTENTS: json.dumps(contents)}))


def _write(place: Place, part: int, name: str, data: bytes) -> File:
    path = place.tables / file_name(name, part)
    put(place.owners, path, data)
    return File(part, name, len(data), digest(data), path.stat().st_mtime_ns)


def record(sql: sqlite3.Connection, written: Iterable[File]) -> None:
    """Tells the journal what files of parts are like."""
    sql.executemany("INSERT OR REPLACE INTO files VALUES (?, ?, ?, ?, ?)", map(astuple, written))


def replace(sql: sqlite3.Connection, old: Iterable[Part]) -> None:
    """Tells the journal that these parts count no longer."""
    ids = [(part.id,) for part in old]
    sql.executemany("DELETE FROM files WHERE part = ?", ids)
    sql.executemany("DELETE FROM parts WHERE id = ?", ids)


def remove_unnamed(place: Place, candidates: Collection[int]) -> None:
    """Removes the files of those of the parts that the journal does not name."""
    # Where it fails, they are removed when the store is opened the next time.
    with suppress(OSError, sqlite3.Error):
        named = {part for (part,) in place.journal.sql.execute("SELECT id FROM parts")}
        for part, tables in present(place.tables).items():
            if part in candidates and part not in named:
                for path in tables.values():
                    path.unlink(missing_ok=True)
