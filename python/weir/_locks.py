"""Locks that processes hold until they end, in whichever way, on every system.

A lock is a file. On Unix it is `flock`, else that of `filelock`, which takes longer to be imported than most
commands take to begin.
"""

from __future__ import annotations

import os
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None

if TYPE_CHECKING:
    from filelock import BaseFileLock

KIND = "filelock" if fcntl is None else "flock"
"""Kind of lock. Locks of different kinds do not see each other."""

_EVERY_S = 0.02
"""Seconds between two attempts."""


class Lock:
    """Lock that one process holds at a time, from `take` to `release` or `remove`."""

    def __init__(self, path: Path, mode: int = 0o666) -> None:
        """`mode` is the mode of the file, less the umask. A process that may not open the file finds the lock
        taken."""
        self.path = path
        self._mode = mode
        self._descriptor: int | None = None
        self._other: BaseFileLock | None = None

    def take(self, wait_s: float = 0.0, *, shared: bool = False) -> bool:
        """Takes the lock; returns true if it got it within `wait_s` seconds. The file is made if need be.

        `shared`, where there is such a thing: with others that ask so. Raises OSError: FileNotFoundError
        without its directory, and where the file system has no locks.
        """
        until = time.monotonic() + wait_s
        while not (self._with_flock(shared=shared) if fcntl is not None else self._with_filelock()):
            if time.monotonic() >= until:
                return False
            time.sleep(_EVERY_S)
        return True

    def release(self) -> None:
        """Releases the lock; a second call does nothing."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None
        if self._other is not None:
            self._other.release()
            self._other = None

    def remove(self) -> None:
        """Releases the lock, and removes its file."""
        # Windows removes no file that is open. On Unix nobody else may take it in between.
        if self._descriptor is not None:
            with suppress(OSError):
                self.path.unlink(missing_ok=True)
        self.release()
        if fcntl is None:
            with suppress(OSError):
                self.path.unlink(missing_ok=True)

    def _with_flock(self, *, shared: bool) -> bool:
        assert fcntl is not None
        flags = os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK
        try:
            descriptor = os.open(self.path, os.O_RDWR | flags, self._mode)
        except PermissionError:
            try:
                descriptor = os.open(self.path, os.O_RDONLY | flags & ~os.O_CREAT)
            except PermissionError:
                return False
        try:
            fcntl.flock(descriptor, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
            # Who held it before may have removed it meanwhile.
            if os.fstat(descriptor).st_nlink > 0:
                self._descriptor, descriptor = descriptor, -1
        except BlockingIOError:
            return False
        finally:
            if descriptor >= 0:
                os.close(descriptor)
        return self._descriptor is not None

    def _with_filelock(self) -> bool:
        import warnings

        with warnings.catch_warnings():
            # That a system has neither kind of lock, and files stand for them.
            warnings.simplefilter("ignore")
            from filelock import FileLock, Timeout

        if not self.path.parent.is_dir():
            raise FileNotFoundError(self.path)
        lock = FileLock(self.path, thread_local=False)
        try:
            lock.acquire(timeout=0)
        except (Timeout, PermissionError):
            return False
        self._other = lock
        return True
