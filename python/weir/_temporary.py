"""Files and directories that are not finished: they go with the process that made them, however it ends."""

from __future__ import annotations

import fcntl
import os
import shutil
import tempfile
import time
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path

_SUFFIX = ".weir.tmp"
_UNLOCKED = ".weir.new"
"""Until the lock is there: a killed process may leave one so."""
_BEING_MADE_S = 60.0
"""Longer than it takes to lock one."""


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
    """The same for a file. It may get another name in the block, which it keeps. Raises OSError."""
    with _locked(prefix, parent, directory=False) as place:
        yield place


def remove_orphans(parent: Path) -> None:
    """Removes what killed processes have left in a directory, and nothing that is in use."""
    with suppress(OSError):
        for old in parent.glob(f"*{_SUFFIX}"):
            _remove_orphan(old)
        for old in parent.glob(f"*{_UNLOCKED}"):
            if time.time() - old.lstat().st_mtime > _BEING_MADE_S:
                _remove_orphan(old)


@contextmanager
def _locked(prefix: str, parent: Path | None, *, directory: bool) -> Generator[Path]:
    parent = parent or Path(tempfile.gettempdir())
    remove_orphans(parent)
    if directory:
        new = Path(tempfile.mkdtemp(prefix=prefix, suffix=_UNLOCKED, dir=parent))
        descriptor = os.open(new, os.O_RDONLY)
    else:
        descriptor, name = tempfile.mkstemp(prefix=prefix, suffix=_UNLOCKED, dir=parent)
        new = Path(name)
    place = new.with_name(f"{new.name.removesuffix(_UNLOCKED)}{_SUFFIX}")
    try:
        # It gets its name when it is locked, so that it is not taken for an orphan. On a file system without
        # locks nothing is.
        with suppress(OSError):
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        new.rename(place)
        yield place
    finally:
        _remove(new)
        _remove(place)
        os.close(descriptor)


def _remove_orphan(place: Path) -> None:
    # Of another user, removed already, or in use.
    with suppress(OSError):
        descriptor = os.open(place, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            _remove(place)
        finally:
            os.close(descriptor)


def _remove(place: Path) -> None:
    if place.is_dir():
        shutil.rmtree(place, ignore_errors=True)
    else:
        place.unlink(missing_ok=True)
