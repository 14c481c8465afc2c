"""Directories for what is not finished: they go with the process that made them, however it ends."""

from __future__ import annotations

import fcntl
import os
import shutil
import tempfile
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path

_SUFFIX = ".tmp"


@contextmanager
def temporary_directory(prefix: str, parent: Path | None = None) -> Generator[Path]:
    """A directory in `parent`, or where the system has such things, that is removed at the end of the block.

    A process that is killed cannot remove its own: the next one with the same prefix does. A lock on the
    directory tells whether its process lives. Raises OSError.
    """
    parent = parent or Path(tempfile.gettempdir())
    with _locked(parent):
        for old in parent.glob(f"{prefix}*{_SUFFIX}"):
            _remove_orphan(old)
        place = Path(tempfile.mkdtemp(prefix=prefix, suffix=_SUFFIX, dir=parent))
        descriptor = os.open(place, os.O_RDONLY)
        fcntl.flock(descriptor, fcntl.LOCK_EX)
    try:
        yield place
    finally:
        shutil.rmtree(place, ignore_errors=True)
        os.close(descriptor)


@contextmanager
def _locked(parent: Path) -> Generator[None]:
    """One process at a time: between making a directory and locking it, it looks like an orphan."""
    descriptor = os.open(parent, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def _remove_orphan(place: Path) -> None:
    # Of another user, or gone already.
    with suppress(OSError):
        descriptor = os.open(place, os.O_RDONLY | os.O_DIRECTORY)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            shutil.rmtree(place, ignore_errors=True)
        finally:
            os.close(descriptor)
