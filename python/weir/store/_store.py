"""The store as its users see it."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, nullcontext, suppress
from pathlib import Path
from tempfile import gettempdir
from typing import TYPE_CHECKING

from weir import _core
from weir._temporary import remove_orphans, temporary_directory
from weir.store import _chunks as chunks
from weir.store import _files as files
from weir.store import _journal as journal
from weir.store._errors import StoreError, damaged, store_errors
from weir.store._journal import Journal
from weir.store._owners import FOLDER as OWNERS
from weir.store._owners import Owners
from weir.store._rebuild import finish, make_journal
from weir.store._records import Cost, Finished
from weir.store._sweeps import FOLDER as SWEEPS
from weir.store._sweeps import SweepRecords
from weir.store._verify import problems

if TYPE_CHECKING:
    import polars as pl

DEFAULT = Path("results/store")
"""Directory of the store where no other is named."""

RESULTS_VERSION = _core.results_version
"""Version of results: a run of the same scenario and seed has the same bytes as long as it stays."""


def place_of(store: str | os.PathLike[str] | None) -> Path:
    """Directory of a store that is named, or of the default one, as it is when this is called."""
    return Path(store) if store else DEFAULT


_OURS = frozenset({OWNERS, chunks.FOLDER, SWEEPS, files.ASIDE, journal.NAME})
_SAFE = "the tables could not be compacted, but every finished run is safe in the journal and can be read"


class Store(SweepRecords):
    """Every finished run, never lost and never computed twice. Closed by `close` or a `with`.

    All that goes wrong raises StoreError, and so does every verb after `close`. What `commit` has returned
    for is safe in any case. Threads may share it: they take turns. Any number of processes on one host may
    have it open at once.

    Example:
        >>> with scenario.run(replications=2, store="lab/store") as done:
        ...     keys = done.table("runs")["run"].to_list()
        >>> store = weir.Store.open("lab/store")
        >>> [sweep.name for sweep in store.sweeps()] == [store.find_sweep(None).name]
        True
        >>> store.scan("runs").select("seed").sort("seed").collect().rows()
        [(1,), (2,)]
        >>> store.finished(keys) == {*keys}, store.size(keys) > 0, store.cost().runs, len(store.versions())
        (True, True, 2, 1)
        >>> [store.remove_sweep(sweep) for sweep in store.find_sweeps("rem-wireline")]
        [None]
        >>> store.prune(keep=[]), store.check(), store.compact(), store.close()
        (2, [], None, None)
    """

    def __init__(self, path: Path, opened: Journal, owners: Owners, *, read_only: bool) -> None:
        super().__init__(path, opened, owners, read_only=read_only)
        self._undo = ExitStack()
        self.repairs: list[str] = []
        """Damage that was found when the store was opened, and what was done about it, in sentences for
        people."""

    @staticmethod
    def open(path: str | os.PathLike[str], *, create: bool = False, read_only: bool = False) -> Store:
        """Opens a store, or makes one with `create`; mends what it finds damaged unless `read_only`.

        Raises StoreError if there is none, if it is no store, or if another version of Weir wrote it. Also
        raises it if the journal is damaged, or if the store cannot be written.

        Example:
            >>> store = weir.Store.open("lab/store", create=True)
            >>> store.path.as_posix(), store.sweeps(), store.cost().runs
            ('lab/store', [], 0)
            >>> store.close()
        """
        directory = Path(path)
        with store_errors(directory, "it cannot be opened"):
            return journal.patiently(lambda: Store._opened(directory, create=create, read_only=read_only))

    @staticmethod
    def _opened(directory: Path, *, create: bool, read_only: bool) -> Store:
        with ExitStack() as undo:
            _look_for(directory, create=create)
            _refuse_links(directory)
            owners = Owners(directory)
            undo.callback(owners.leave)
            # A reader gets along without: on a full disk, or in a directory of another user.
            with suppress(OSError) if read_only else nullcontext():
                owners.enter()
            if not read_only and not owners.others():
                finish(directory)
            opened = Journal(directory / journal.NAME, read_only=read_only, create=create and not read_only)
            undo.callback(opened.close)
            store = Store(directory, opened, owners, read_only=read_only)
            if read_only:
                store.repairs += files.mend(opened, None)
            else:
                with owners.alone(wait=False) as ours:
                    store.repairs += files.mend(opened, owners if ours else None)
                for place in (Path(gettempdir()), *_folders_of_results(directory)):
                    remove_orphans(place)
            undo.pop_all()
        return store

    @staticmethod
    def unkept(pages: str | os.PathLike[str]) -> Store:
        """A store that is removed when it is closed, for runs that must not be found again. The pages and
        captures of its results go to `pages`, where they stay. Raises StoreError, OSError."""
        with ExitStack() as undo:
            place = undo.enter_context(temporary_directory("weir-"))
            store = Store.open(place / "store", create=True)
            store._pages = Path(pages)
            store._undo = undo.pop_all()
        return store

    @property
    def is_kept(self) -> bool:
        """True if the results can be found again."""
        return self._pages is None

    def finished(self, runs: Iterable[int]) -> set[int]:
        """Returns which of the runs are in the store. Raises StoreError for what is no key of a run."""
        with self._store_errors("it cannot be asked what is finished"), self._journal.snapshot() as sql:
            self._journal.ask(runs)
            return {run for (run,) in sql.execute("SELECT run FROM asked JOIN runs USING (run)")}

    def claim(self, runs: Iterable[int]) -> set[int]:
        """Claims runs for this process, and returns those it got: not finished, nor claimed by another live
        process.

        A claim ends with `commit`, `release`, `close` or the process.
        """
        self._check_writable("runs cannot be claimed")
        with self._store_errors("runs could not be claimed"):
            us = self._owners.id
            with self._journal.transaction() as sql:
                self._journal.ask(runs)
                others = sql.execute(
                    "SELECT DISTINCT owner FROM asked JOIN claims USING (run) WHERE owner <> ?", (us,)
                ).fetchall()
                dead = [other for other in others if not self._owners.alive(*other)]
                sql.executemany("DELETE FROM claims WHERE owner = ?", dead)
                sql.execute(
                    "INSERT OR IGNORE INTO claims "
                    "SELECT run, ? FROM asked WHERE run NOT IN (SELECT run FROM runs)",
                    (us,),
                )
                rows = sql.execute("SELECT run FROM asked JOIN claims USING (run) WHERE owner = ?", (us,))
                return {run for (run,) in rows}

    def release(self, runs: Iterable[int] | None = None) -> None:
        """Gives claimed runs back; None means all of ours."""
        us = self._owners.id
        with self._store_errors("claims could not be given back"):
            ours = "FROM claims WHERE owner = ?"
            if not self._journal.sql.execute(f"SELECT 1 {ours} LIMIT 1", (us,)).fetchall():
                return
            with self._journal.transaction() as sql:
                if runs is None:
                    sql.execute(f"DELETE {ours}", (us,))
                else:
                    sql.executemany(f"DELETE {ours} AND run = ?", ((us, run) for run in runs))

    def commit(self, finished: Finished) -> int:
        """Records a chunk for good; returns how many of its runs were new.

        Runs that are there already stay as they are. Raises ValueError if the tables do not fit.
        """
        self._check_writable("runs cannot be recorded")
        with self._store_errors("a chunk of runs could not be recorded"):
            return chunks.commit(self._journal, finished)

    def compact(self, *, force: bool = False) -> None:
        """Moves finished runs into the Parquet files where there are enough of them; `force`: all of them.

        Cheap to call where there is nothing to do. While another process does it: waits with `force`, else
        leaves the work to it. If it fails, nothing is lost. Raises StoreError for a store that was opened
        to be read.
        """
        self._check_writable("runs cannot be moved into files")
        with self._store_errors(_SAFE), self._owners.alone(wait=force) as ours:
            if ours and (chunks.merge(self._journal, rest=force) or force):
                files.write(self._journal, self._owners)

    def scan(
        self, table: str, runs: Iterable[int] | None = None, results_version: int | None = None
    ) -> pl.LazyFrame:
        """The rows of a table, of those runs that are there, or of all; in no particular order.

        Of one results version only: `results_version`, else the present one. If runs and their version are
        given, no run may have another one: DamagedStoreError. Text is Enum or Categorical.
        What is committed later is not in it; it can be collected at any time. The table `runs` has scenario
        hash, seed, versions and cost of each run. Raises StoreError if there is no such table.
        """
        version = _core.results_version if results_version is None else results_version
        asked = None if runs is None else set(runs)
        checked = asked is not None and results_version is not None
        with self._store_errors(f"the table {table!r} could not be read"):
            return chunks.scan(self._journal, table, asked, version, checked=checked)

    def cost(self, runs: Iterable[int] | None = None) -> Cost:
        """Cost of those of the runs that are in the store; None means all.

        Raises StoreError as `finished` does.
        """
        with self._store_errors("the cost of runs could not be read"), self._journal.snapshot() as sql:
            if runs is not None:
                self._journal.ask(runs)
            these = "runs" if runs is None else "runs JOIN asked USING (run)"
            sums = "count(*), total(cpu_s), ifnull(sum(packets), 0), ifnull(sum(events), 0)"
            return Cost(*sql.execute(f"SELECT {sums} FROM {these}").fetchone())  # noqa: S608

    def versions(self) -> dict[int, int]:
        """Results version to the number of its runs. Raises StoreError if the store cannot be read."""
        with self._store_errors("it cannot be read"):
            rows = self._journal.sql.execute(
                "SELECT results_version, sum(runs) FROM chunks GROUP BY 1 ORDER BY 1"
            )
            return dict(rows.fetchall())

    def size(self, runs: Iterable[int]) -> int:
        """Bytes on the disk of those of the runs that are there, in both copies: about their share.

        Raises StoreError as `finished` does.
        """
        with self._store_errors("the size of runs could not be read"):
            with self._journal.snapshot() as sql:
                self._journal.ask(runs)
                (share,) = sql.execute(
                    "SELECT total(1.0 * asked / runs * (SELECT total(length(data) * (1 + (written_ns IS NOT "
                    "NULL))) FROM payloads WHERE payloads.chunk = chunks.id)) FROM chunks JOIN (SELECT "
                    "chunk, count(*) AS asked FROM runs JOIN asked USING (run) GROUP BY chunk) ON chunk = id"
                ).fetchone()
            return round(share)

    def prune(self, keep: Iterable[int]) -> int:
        """Removes all runs but those of `keep`; returns how many.

        Raises StoreError if another process has the store open, or this process once more: an open result
        does.
        """
        self._check_writable("runs cannot be removed")
        with self._store_errors("runs could not be removed"), self._owners.alone(wait=True):
            self._owners.refuse_others()
            removed, gone = chunks.prune(self._journal, keep)
            # Else they would be taken for files of which the journal has lost the runs.
            for table in gone:
                (self.path / chunks.FOLDER / table.file).unlink(missing_ok=True)
        self.compact(force=True)
        with self._store_errors("space could not be given back"):
            self._journal.sql.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        return removed

    def check(self) -> list[str]:
        """Reads everything, and mends what is damaged in one of the two copies; says what was found.

        Raises DamagedStoreError with everything that `rebuild` has to mend.
        """
        with self._store_errors("it could not be checked"), ExitStack() as stack:
            if not self._read_only:
                stack.enter_context(self._owners.alone(wait=True))
            self._journal.check()
            mended = files.mend(self._journal, None if self._read_only else self._owners, full=True)
            found = list(problems(self._journal, self._owners))
        if found:
            error = damaged(self.path, found[0] + (f"; and {len(found) - 1} more" if found[1:] else ""))
            error.problems = [*mended, *found]
            raise error
        return mended

    def close(self) -> None:
        """Gives claims back, when no other thread reads or writes. Closing twice does nothing."""
        with self._turn:
            with suppress(StoreError):
                if not self._read_only:
                    self.release()
            self._journal.close()
            self._owners.leave()
            self._undo.close()

    def __del__(self) -> None:
        # One that is never closed, a notebook's, gives its lock back when it is forgotten.
        with suppress(Exception):
            self.close()

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def rebuild(path: str | os.PathLike[str]) -> list[str]:
    """Makes a new journal for a store whose journal is damaged or lost; says what was found.

    From what can be read of the old journal, which is set aside, and from the tables. Raises
    StoreError if there is nothing to make one from, or no room. Raises it, too, if another process has the
    store open, or this process has.
    """
    directory = Path(path)
    with store_errors(directory, "a new journal could not be made"):
        if not directory.is_dir():
            raise StoreError(f"there is no store at {directory}")
        _refuse_links(directory)
        said: list[str] = []
        if (file := directory / OWNERS).is_file():
            # In its place there is no owner, and none can be.
            file.rename(files.aside(directory, file))
            said.append(f"{OWNERS} was a file that does not belong to the store: moved to {files.ASIDE}/")
        owners = Owners(directory)
        try:
            owners.enter()
            owners.refuse_others()
            said += make_journal(directory, owners)
        finally:
            owners.leave()
    with Store.open(directory) as store:
        store.compact(force=True)
        return [*said, *store.repairs]


def _folders_of_results(store: Path) -> Iterator[Path]:
    """The folder of a store, and the directories of results in it."""
    beside = store.absolute().parent
    yield beside
    for place in beside.glob("[0-9]*-*"):
        if _is_folder(place):
            yield from (place, *filter(_is_folder, place.iterdir()))


def _is_folder(place: Path) -> bool:
    """Returns true for a folder itself, false for a link to one elsewhere."""
    return place.is_dir() and not place.is_symlink()


def _refuse_links(directory: Path) -> None:
    """Raises StoreError for a link in the store: what is written through it would be elsewhere."""
    for entry in sorted(directory.iterdir()) if directory.is_dir() else ():
        if entry.is_symlink():
            raise StoreError(
                f"{entry} is a link to elsewhere; a store writes in its own folder alone",
                "put what it leads to in its place, or name another directory, with --store DIR",
            )


def _look_for(directory: Path, *, create: bool) -> None:
    """Raises StoreError if there is no store and none can be made."""
    if (directory / journal.NAME).is_file():
        return
    if directory.exists() and not directory.is_dir():
        raise StoreError(f"{directory} is a file, not a store", "name a directory")
    if file := next((one for one in directory.parents if one.is_file()), None):
        raise StoreError(
            f"there can be no store at {directory}: {file} is a file",
            "name another directory, with --store DIR",
        )
    if files.present(directory):
        raise StoreError(
            f"{directory} has lost its journal, {journal.NAME}, but not its tables",
            f"`weir results --rebuild --store {directory}` makes a new journal from the tables",
        )
    there = sorted(path.name for path in directory.iterdir()) if directory.exists() else []
    foreign = [name for name in there if name not in _OURS and not name.startswith(journal.NAME)]
    if foreign:
        raise StoreError(
            f"{directory} is not a store, and not empty: it holds {foreign[0]}",
            "name another directory for the store, with --store DIR",
        )
    if not create:
        raise StoreError(
            f"there is no store at {directory}",
            "weir run, compare and sweep make one; or name the directory of another",
        )
