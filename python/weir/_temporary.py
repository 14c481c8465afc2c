"""Files and directories that are not finished: they go with the process that made them, however it ends."""

from __future__ import annotations

import fcntl
import os
import shutil
import tempfile
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path

_SUFFIX = ".weir.tmp"


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
        if any(parent.glob(f"*{_SUFFIX}")):
            with _turn(parent):
                pass


@contextmanager
def _locked(prefix: str, parent: Path | None, *, directory: bool) -> Generator[Path]:
    parent = parent or Path(tempfile.gettempdir())
    with _turn(parent):
        if directory:
            place = Path(tempfile.mkdtemp(prefix=prefix, suffix=_SUFFIX, dir=parent))
            descriptor = os.open(place, os.O_RDONLY)
        else:
            descriptor, name = tempfile.mkstemp(prefix=prefix, suffix=_SUFFIX, dir=parent)
            place = Path(name)
        _lock(descriptor)
    try:
        yield place
    finally:
        _remove(place)
        os.close(descriptor)


@contextmanager
def _turn(parent: Path) -> Generator[None]:
    """One process at a time: between being made and being locked, a place looks like an orphan."""
    descriptor = os.open(parent, os.O_RDONLY)
    try:
        _lock(descriptor)
        for old in parent.glob(f"*{_SUFFIX}"):
            _remove_orphan(old)
        yield
    finally:
        os.close(descriptor)


def _lock(descriptor: int) -> None:
    # A file system without locks: nothing is taken for an orphan there.
    with suppress(OSError):
        fcntl.flock(descriptor, fcntl.LOCK_EX)


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
