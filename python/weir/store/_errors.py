"""Errors of a store: what is wrong, and what to do about it."""

from __future__ import annotations

import errno
import shutil
import sqlite3
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path

from weir._errors import WeirError

try:
    import resource
except ImportError:  # Windows
    resource = None


class StoreError(WeirError):
    """A store that cannot be used as asked: what is wrong (`message`) and what to do (`hint`)."""


class UnwritableStoreError(StoreError):
    """A store in a place where nothing can be written: it can be opened to be read."""


class DamagedStoreError(StoreError):
    """A store with `problems` that it does not mend by itself: sentences for people."""

    problems: Sequence[str] = ()


NO_ROOM = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})

# Less than this is no room: SQLite calls a full disk an I/O error where its shared memory cannot grow.
_ROOM = 256 * 1024

# Of statements that are right: an error in one is a table or a value that is not as it was made.
_DAMAGED = frozenset(
    {
        sqlite3.SQLITE_CORRUPT,
        sqlite3.SQLITE_NOTADB,
        sqlite3.SQLITE_ERROR,
        sqlite3.SQLITE_CONSTRAINT,
        sqlite3.SQLITE_MISMATCH,
    }
)
_UNLOCKABLE = frozenset({errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP, errno.ENOTSUP})
_UNSHARED = frozenset(
    {
        sqlite3.SQLITE_IOERR_LOCK,
        sqlite3.SQLITE_IOERR_SHMLOCK,
        sqlite3.SQLITE_IOERR_SHMMAP,
        sqlite3.SQLITE_IOERR_SHMOPEN,
        sqlite3.SQLITE_PROTOCOL,
    }
)
_REFUSED = frozenset(
    {sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_AUTH}
)
_WHEN_FULL = frozenset({sqlite3.SQLITE_IOERR, *_REFUSED})
_BUSY = frozenset({sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED})


def damaged(directory: Path, what: str) -> DamagedStoreError:
    """A journal that cannot be read, with a way out where tables are there."""
    if any((directory / "tables").glob("runs-*.parquet")):
        hint = (
            f"`weir results --rebuild --store {directory}` makes a new journal from what can still be read "
            "and from the tables, and sets the damaged one aside"
        )
    else:
        hint = (
            f"`weir results --rebuild --store {directory}` saves what can still be read; "
            "or bring journal.sqlite back from a copy, or name another directory"
        )
    return DamagedStoreError(f"the journal of {directory} is damaged: {what}", hint)


def not_local(directory: Path) -> StoreError:
    """A file system without what several processes need."""
    return StoreError(
        f"{directory} is on a file system where processes cannot share a journal or lock files",
        "name a directory on a local disk",
    )


@contextmanager
def store_errors(directory: Path, doing: str) -> Generator[None]:
    """Errors of SQLite and of the system become a StoreError; `doing` says what could not be done: "this
    chunk could not be recorded"."""
    try:
        yield
    except sqlite3.Error as error:
        raise _of_journal(directory, doing, error) from error
    except UnicodeDecodeError as error:
        # A message of SQLite that quotes what is damaged.
        raise damaged(directory, "it has text that is none") from error
    except OSError as error:
        raise _of_system(directory, doing, error) from error


def _no_room(directory: Path, doing: str) -> StoreError:
    if (most := _limit_of(directory)) is not None:
        return UnwritableStoreError(
            f"no file of {directory} may become larger than {most:,} bytes: {doing}",
            "what was finished before is safe; raise the limit, `ulimit -f`, and give the same command",
        )
    return UnwritableStoreError(
        f"no room on the disk of {directory}: {doing}",
        "what was finished before is safe; make room and give the same command: only what is missing is "
        "computed",
    )


def _of_system(directory: Path, doing: str, error: OSError) -> StoreError:
    if error.errno in NO_ROOM:
        return _no_room(directory, doing)
    reason = error.strerror or str(error)
    if isinstance(error, PermissionError) or error.errno == errno.EROFS:
        return UnwritableStoreError(
            f"{directory} cannot be written: {reason}", "change its permissions or name another directory"
        )
    if error.errno in _UNLOCKABLE:
        return not_local(directory)
    where = f" ({error.filename})" if error.filename else ""
    if isinstance(error, FileExistsError | NotADirectoryError | IsADirectoryError):
        return StoreError(
            f"{directory}: {doing}: {reason}{where}",
            f"move it away; `weir results --rebuild --store {directory}` puts foreign files into aside/",
        )
    return StoreError(f"{directory}: {doing}: {reason}{where}", "what was finished before is safe")


def _of_journal(directory: Path, doing: str, error: sqlite3.Error) -> StoreError:
    code: int = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR)
    kind = code & 0xFF  # the rest says where in SQLite it happened
    if has_no_room(directory, error):
        return _no_room(directory, doing)
    if code in _UNSHARED:
        return not_local(directory)
    if isinstance(error, sqlite3.ProgrammingError):
        # Of how the connection is used: it says nothing about the file.
        return StoreError(
            f"{directory}: {doing}: it was closed", "open it again: weir.Sweep.open, or weir.store.Store.open"
        )
    if kind in _DAMAGED:
        return damaged(directory, str(error))
    message = f"{directory}: {doing}: {error}"
    hint = "what was finished before is safe; look at disk, quota and limits"
    kind_of = StoreError
    if is_busy(error):
        message = f"{directory} is kept locked by another process: {doing}"
        hint = "give the same command again later"
    elif kind in _REFUSED:
        kind_of = UnwritableStoreError
        message = f"the journal of {directory} cannot be opened or written: {error}"
        hint = "change the permissions of the directory and its files, or name another directory"
    return kind_of(message, hint)


def is_busy(error: sqlite3.Error) -> bool:
    """Returns true if another process keeps the journal locked."""
    return getattr(error, "sqlite_errorcode", sqlite3.SQLITE_OK) & 0xFF in _BUSY


def has_no_room(directory: Path, error: Exception) -> bool:
    """Returns true if an error of SQLite means that the disk is full, or that a file may not grow."""
    kind = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_OK) & 0xFF
    if kind not in _WHEN_FULL:
        return kind == sqlite3.SQLITE_FULL
    if _limit_of(directory) is not None:
        return True
    try:
        return shutil.disk_usage(directory).free < _ROOM
    except OSError:
        return False


def _limit_of(directory: Path) -> int | None:
    """The most bytes that a file may have, where the journal has almost as many."""
    if resource is None:
        return None
    most, _ = resource.getrlimit(resource.RLIMIT_FSIZE)
    if most == resource.RLIM_INFINITY:
        return None
    try:
        largest = max((path.stat().st_size for path in directory.glob("journal.sqlite*")), default=0)
    except OSError:
        largest = 0
    return most if most < largest + _ROOM else None
