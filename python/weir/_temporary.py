"""Files and directories that are not finished: they go with the process that made them, however it ends."""

from __future__ import annotations

import atexit
import os
import secrets
import shutil
import tempfile
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path

from weir._locks import KIND, Lock

_SUFFIX = f".weir-{KIND}.tmp"
"""Suffix of temporary names. It names the kind of lock: a process with another kind would take the file for
an orphan."""

_LOCK = f".weir-{KIND}.lck"
"""Suffix of the lock beside each: a directory cannot be locked everywhere. It is as long as the other suffix,
as names have a limit."""

_MOST_BYTES = 200
"""Longest prefix in bytes: with what follows it is a name of a file, which has at most 255."""

_TRIES = 10

_OURS: dict[Path, Lock] = {}
"""Temporary places of this process, from before one is made until it is gone."""

if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_OURS.clear)


@contextmanager
def temporary_directory(prefix: str, parent: Path | None = None) -> Generator[Path]:
    """A directory in `parent`, or where the system has such things, that is removed at the end of the block.

    A process that is killed cannot remove its own: the next one that makes any in the same place does. A lock
    says whether the process of one is running. Raises OSError.
    """
    with _locked(prefix, parent, directory=True) as place:
        yield place


@contextmanager
def temporary_file(prefix: str, parent: Path) -> Generator[Path]:
    """A file in `parent` that is removed at the end of the block. If it gets another name in the block, it
    stays. Raises OSError."""
    with _locked(prefix, parent, directory=False) as place:
        yield place


def remove_orphans(parent: Path) -> None:
    """Removes what killed processes have left in a directory, and nothing that is in use."""
    with suppress(OSError):
        for kind in (_SUFFIX, _LOCK):
            for old in parent.glob(f"*{kind}"):
                _remove_orphan(old.with_name(old.name.removesuffix(kind) + _SUFFIX))


def remove_ours() -> None:
    """Removes what an interruption between two steps kept this process from removing; for a process that ends
    now."""
    for place, lock in list(_OURS.items()):
        _let_go(place, lock)


atexit.register(remove_ours)


@contextmanager
def _locked(prefix: str, parent: Path | None, *, directory: bool) -> Generator[Path]:
    parent = parent or Path(tempfile.gettempdir())
    prefix = os.fsencode(prefix)[:_MOST_BYTES].decode(errors="ignore")
    remove_orphans(parent)
    place, lock = _made(prefix, parent, directory=directory)
    try:
        yield place
    finally:
        _let_go(place, lock)


def _made(prefix: str, parent: Path, *, directory: bool) -> tuple[Path, Lock]:
    """Makes a place whose lock is taken before it exists: a place without a lock is never in use."""
    for _ in range(_TRIES):
        place = parent / f"{prefix}{secrets.token_hex(4)}{_SUFFIX}"
        lock = _lock_of(place)
        _OURS[place] = lock
        try:
            # Nobody knows its name: who looks for orphans may hold it for an instant.
            if _take(lock):
                if directory:
                    place.mkdir(0o700)
                else:
                    os.close(os.open(place, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
                return place, lock
            del _OURS[place]
        except FileExistsError:
            del _OURS[place]
            lock.release()
        except BaseException:
            _let_go(place, lock)
            raise
    raise OSError(f"no temporary name is free in {parent}")


def _let_go(place: Path, lock: Lock) -> None:
    """Removes what there is of a place; an interruption may have come between making a file and noting it."""
    # Where `rmtree` is interrupted it may close a file twice, and fail.
    with suppress(OSError):
        _remove(place)
    with suppress(OSError):
        lock.remove()
        lock.path.unlink(missing_ok=True)
    # A name that is too long is of nothing.
    if not os.path.lexists(place):
        _OURS.pop(place, None)


def _take(lock: Lock) -> bool:
    try:
        return lock.take(1.0)
    except (FileNotFoundError, PermissionError, NotADirectoryError):
        raise
    except OSError:
        # A file system without locks: nothing is taken for an orphan there.
        return lock.path.exists()


def _lock_of(place: Path) -> Lock:
    return Lock(place.with_name(place.name.removesuffix(_SUFFIX) + _LOCK), 0o600)


def _remove_orphan(place: Path) -> None:
    # Of another user, removed already, or in use.
    with suppress(OSError):
        lock = _lock_of(place)
        if lock.take():
            _remove(place)
            lock.remove()


def _remove(place: Path) -> None:
    if place.is_dir():
        shutil.rmtree(place, ignore_errors=True)
    else:
        place.unlink(missing_ok=True)
