"""What is found when a store is opened, and mended.

The journal and the tables are two copies of every finished run. A file of the tables that is
missing or damaged is written anew from the journal; a part that the journal does not know (it was
brought back from an older copy) is taken into the journal.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from weir.store import chunks, parts
from weir.store.errors import NO_ROOM, damaged
from weir.store.parts import File, Place
from weir.store.records import Finished, FinishedRun

if TYPE_CHECKING:
    import polars as pl

ASIDE = "aside"

# Runs of a chunk that is made of a part: as many as a task may have.
_CHUNK = 1000


def look(place: Place) -> list[str]:
    """Says which files of the tables are damaged, and changes nothing."""
    with place.journal.snapshot() as sql:
        files = parts.files(sql)
    complaints = [(file, file.complaint(place.tables)) for file in files]
    with place.journal.snapshot() as sql:
        # Another process may have put others in their place meanwhile.
        still = {(file.part, file.name) for file in parts.files(sql)}
    return [
        f"{parts.FOLDER}/{file.file} {complaint}; its runs are read from the journal"
        for file, complaint in complaints
        if complaint and (file.part, file.name) in still
    ]


def mend(place: Place, *, full: bool = False) -> list[str]:
    """Mends what it can, for the owner of the maintenance lock; says what was found."""
    _forget_the_dead(place)
    for folder in (place.path, place.tables, place.path / "sweeps"):
        place.owners.clear(folder)
    told = list(_unknown_parts(place))
    with place.journal.snapshot() as sql:
        files = parts.files(sql)
    for file in files:
        complaint = file.complaint(place.tables, full=full)
        if complaint:
            told.append(_write_anew(place, file, complaint))
        else:
            _remember_time(place, file)
    return told


def check_payloads(place: Place) -> list[str]:
    """Reads every chunk; brings a damaged one back from the tables where they are whole."""
    with place.journal.snapshot() as sql:
        found = chunks.listed(sql)
        files = {(file.part, file.name): file for file in parts.files(sql)}
    told: list[str] = []
    for chunk in found:
        for name in chunks.broken_tables(place.journal, chunk):
            file = files.get((chunk.part or 0, name))
            if file is None or file.complaint(place.tables, full=True):
                raise damaged(place.path, f"the table {name!r} of chunk {chunk.id} is not what was written")
            _bring_back(place, chunk, file)
            told.append(f"the table {name!r} of chunk {chunk.id} was damaged: brought back from {file.file}")
    return told


def adopt(place: Place, tables: Mapping[str, Path]) -> int:
    """Takes the runs of a part's files into the journal; returns how many were new.

    Raises ValueError if they are not the whole of a part.
    """
    import polars as pl

    contents = _contents(tables)
    frames = {
        name: pl.read_parquet(tables[name], glob=False) for name, has_file in contents.items() if has_file
    }
    empty = {name: pl.DataFrame(schema={"run": pl.Int64}) for name in contents if name not in frames}
    runs = pl.read_parquet(tables[chunks.RUNS], glob=False)
    new = 0
    for (results_version, weir), group in runs.group_by("results_version", "weir", maintain_order=True):
        for some in group.iter_slices(_CHUNK):
            rows = some.drop("results_version", "weir").iter_rows(named=True)
            finished = Finished(
                [FinishedRun(**row) for row in rows],
                {**empty, **{name: _those(frame, some) for name, frame in frames.items()}},
                int(str(results_version)),
                str(weir),
            )
            new += chunks.commit(place.journal, finished)
    return new


def set_aside(store: Path, path: Path) -> None:
    """Moves a file out of the way."""
    path.rename(name_aside(store, path.name))


def name_aside(store: Path, name: str) -> Path:
    """A name in the folder for things set aside that none of them has."""
    folder = store / ASIDE
    folder.mkdir(exist_ok=True)
    number, target = 1, folder / name
    while target.exists():
        number += 1
        target = folder / f"{name}.{number}"
    return target


def _forget_the_dead(place: Place) -> None:
    owners = place.journal.sql.execute("SELECT DISTINCT owner FROM claims").fetchall()
    dead = [(owner,) for (owner,) in owners if owner != place.owners.id and not place.owners.alive(owner)]
    if dead:
        with suppress(sqlite3.OperationalError), place.journal.transaction() as sql:
            sql.executemany("DELETE FROM claims WHERE owner = ?", dead)


def _write_anew(place: Place, file: File, complaint: str) -> str:
    found = f"{parts.FOLDER}/{file.file} {complaint}"
    with place.journal.snapshot() as sql:
        members = chunks.listed(sql, "WHERE part = ?", (file.part,))
        with_file = [other.name for other in parts.files(sql) if other.part == file.part]
    try:
        place.tables.mkdir(exist_ok=True)
        if file.name == chunks.RUNS:
            new = parts.write_runs(place, file.part, members, with_file)
        else:
            new = parts.write(place, file.part, file.name, members)
        assert new is not None  # it had rows once, and a chunk does not change
        with place.journal.transaction() as sql:
            parts.record(sql, [new])
    except (OSError, sqlite3.OperationalError) as error:
        reason = "there is no room" if getattr(error, "errno", None) in NO_ROOM else str(error)
        return f"{found}; it could not be written anew ({reason}), its runs are read from the journal"
    return f"{found}: written anew from the journal"


def _remember_time(place: Place, file: File) -> None:
    """A file that was only touched need not be read whole the next time."""
    now = (place.tables / file.file).stat().st_mtime_ns
    if now != file.modified_ns:
        with suppress(sqlite3.OperationalError), place.journal.transaction() as sql:
            sql.execute(
                "UPDATE files SET modified_ns = ? WHERE part = ? AND name = ?", (now, file.part, file.name)
            )


def _unknown_parts(place: Place) -> Iterator[str]:
    """Files with names of ours that the journal does not name."""
    with place.journal.snapshot() as sql:
        known: set[int] = {part for (part,) in sql.execute("SELECT id FROM parts")}
    for part, tables in parts.present(place.tables).items():
        if part in known:
            continue
        names = ", ".join(path.name for path in tables.values())
        try:
            # What an interrupted compaction leaves has nothing that the journal does not have.
            new = 0 if _left_over(place, tables) else adopt(place, tables)
        except (OSError, sqlite3.Error) as error:
            yield (
                f"{parts.FOLDER}/: the journal does not know {names}, and its runs cannot be taken in now "
                f"({error}): left as it is"
            )
            continue
        except Exception as error:  # noqa: BLE001 - whatever is in those files, it is not ours to lose
            for path in tables.values():
                set_aside(place.path, path)
            yield (
                f"{parts.FOLDER}/: the journal does not know {names}, nor can its runs be taken in "
                f"({error}): moved to {ASIDE}/"
            )
            continue
        for path in tables.values():
            with suppress(OSError):
                path.unlink()
        if new:
            yield f"{parts.FOLDER}/: the journal did not know {new:,} runs of {names}: taken in"


def _left_over(place: Place, tables: Mapping[str, Path]) -> bool:
    """Whether the journal has every run of these files."""
    import polars as pl

    runs: set[int] = set()
    for path in tables.values():
        runs.update(pl.read_parquet(path, columns=["run"], glob=False).get_column("run").unique().to_list())
    return len(chunks.finished(place.journal, runs)) == len(runs)


def _contents(tables: Mapping[str, Path]) -> dict[str, bool]:
    """The tables of a part, and whether they have a file. Raises ValueError unless all are there."""
    import polars as pl

    if chunks.RUNS not in tables:
        raise ValueError(f"there is no table {chunks.RUNS!r} with them")
    text = pl.read_parquet_metadata(tables[chunks.RUNS]).get(parts.CONTENTS)
    if text is None:
        raise ValueError(f"{tables[chunks.RUNS].name} was not written by Weir")
    contents: dict[str, bool] = json.loads(text)
    missing = [name for name, has_file in contents.items() if has_file and name not in tables]
    if missing:
        raise ValueError(f"there is no table {missing[0]!r} with them")
    return contents


def _those(frame: pl.DataFrame, runs: pl.DataFrame) -> pl.DataFrame:
    """The rows of some runs; both are in order of run."""
    import numpy as np

    from weir.store import frames

    wanted, there = runs.get_column("run"), frame.get_column("run")
    begin, end = np.searchsorted(there.to_numpy(), [wanted[0], wanted[-1] + 1]).tolist()
    return frames.only(frame.slice(begin, end - begin), wanted.to_list())


def _bring_back(place: Place, chunk: chunks.Chunk, file: File) -> None:
    import polars as pl

    from weir.store import frames

    whole = pl.read_parquet(place.tables / file.file, glob=False)
    runs = chunks.runs_of(place.journal, chunk)
    chunks.replace_table(place.journal, chunk, file.name, frames.only(whole, runs))
