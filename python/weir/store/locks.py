"""Locks that end with the process that holds them, whatever ends it."""

from __future__ import annotations

import errno
import os
import sys
from pathlib import Path

if sys.platform == "win32":
    import msvcrt

    # Beyond the end of the file, so that what it says can be read while it is locked.
    _BYTE = 1 << 30

    def _lock(descriptor: int, *, shared: bool, wait: bool) -> None:
        del shared  # not to be had
        while True:
            os.lseek(descriptor, _BYTE, os.SEEK_SET)
            try:
                msvcrt.locking(descriptor, msvcrt.LK_LOCK if wait else msvcrt.LK_NBLCK, 1)
            except OSError as error:
                if not wait:
                    raise BlockingIOError(errno.EWOULDBLOCK, "locked by another process") from error
            else:
                return

else:
    import fcntl

    def _lock(descriptor: int, *, shared: bool, wait: bool) -> None:
        kind = fcntl.LOCK_SH if shared else fcntl.LOCK_EX
        fcntl.flock(descriptor, kind if wait else kind | fcntl.LOCK_NB)


class Lock:
    """A file held by one process at a time; `release` or the end of the process gives it back.

    Two locks on one file exclude each other also within a process.
    """

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor

    @staticmethod
    def take(path: Path, *, wait: bool = False) -> Lock | None:
        """None if another holds it and `wait` is False. Raises OSError where files cannot be locked."""
        return _take(path, os.O_RDWR | os.O_CREAT, shared=False, wait=wait)

    @staticmethod
    def probe(path: Path) -> Lock | None:
        """As `take` does, but of a file that is there; two who only probe are not in each other's way.

        Raises FileNotFoundError if there is no such file.
        """
        return _take(path, os.O_RDWR, shared=True, wait=False)

    def write(self, text: str) -> None:
        """What others can read in the file."""
        os.ftruncate(self._descriptor, 0)
        os.lseek(self._descriptor, 0, os.SEEK_SET)
        os.write(self._descriptor, text.encode())

    def release(self) -> None:
        """Gives it back; once."""
        os.close(self._descriptor)


def _take(path: Path, flags: int, *, shared: bool, wait: bool) -> Lock | None:
    while True:
        descriptor = os.open(path, flags, 0o666)
        try:
            _lock(descriptor, shared=shared, wait=wait)
            if _is_at(path, descriptor):
                return Lock(descriptor)
        except BlockingIOError:
            os.close(descriptor)
            return None
        except BaseException:
            os.close(descriptor)
            raise
        # Removed between opening and locking, by one who took its owner for dead.
        os.close(descriptor)


def _is_at(path: Path, descriptor: int) -> bool:
    try:
        found = path.stat()
    except FileNotFoundError:
        return False
    ours = os.fstat(descriptor)
    return (found.st_dev, found.st_ino) == (ours.st_dev, ours.st_ino)
