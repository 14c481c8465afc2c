"""Who has a store open.

Every process that opens a store has a directory owners/ID with a file that it holds locked until it
ends, in whichever way: a killed process holds no lock. In that directory it writes what is to appear
elsewhere whole. What belongs to a dead owner, its claims and its directory, is void.
"""

from __future__ import annotations

import fcntl
import json
import os
import re
import secrets
import shutil
import socket
from collections.abc import Generator, Iterable
from contextlib import contextmanager, suppress
from pathlib import Path

from weir.store._errors import StoreError

FOLDER = "owners"

_LOCK = "owner.lock"
_MAINTENANCE = "maintenance.lock"
_NAME = re.compile(r"[0-9a-f]{16}")
_PLAIN = os.O_NOFOLLOW | os.O_NONBLOCK
"""A lock of a store that came from elsewhere may be a link or a pipe: neither followed nor waited for."""


class Owners:
    """Ourselves among the owners of a store."""

    def __init__(self, store: Path) -> None:
        self._store = store
        self._folder = store / FOLDER
        self._lock: int | None = None
        self.id = secrets.randbits(62)

    def enter(self) -> None:
        """Raises OSError where that cannot be written, StoreError if it is in use on another host."""
        ours = self._path(self.id)
        # It gets its name when it is locked, so that it is not taken for a dead one's.
        new = ours.with_suffix(".new")
        new.mkdir(parents=True)
        try:
            self._lock = os.open(new / _LOCK, os.O_RDWR | os.O_CREAT, 0o666)
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            with suppress(OSError):  # a full disk: the lock counts, not what the file says
                os.write(self._lock, json.dumps([_host(), socket.gethostname()]).encode())
            new.rename(ours)
        except BaseException:
            shutil.rmtree(new, ignore_errors=True)
            self.leave()
            raise
        for other in self.others():
            host, name = self._about(other)
            if host != _host():
                raise StoreError(
                    f"{self._store} is in use on another host, {name}",
                    "a store is for one host at a time: its journal needs memory that processes share",
                )

    def leave(self) -> None:
        """Gives everything of ours up; twice does nothing."""
        if self._lock is not None:
            shutil.rmtree(self._path(self.id), ignore_errors=True)
            os.close(self._lock)
            self._lock = None

    def alive(self, owner: int) -> bool:
        """Whether that owner still lives; what a dead one has left is removed."""
        try:
            descriptor = os.open(self._path(owner) / _LOCK, os.O_RDONLY | _PLAIN)
        except (FileNotFoundError, NotADirectoryError):
            return False
        try:
            fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
        finally:
            os.close(descriptor)
        shutil.rmtree(self._path(owner), ignore_errors=True)
        return False

    def others(self) -> list[int]:
        """Every live owner but us."""
        names = [path.name for path in self._folder.iterdir() if _NAME.fullmatch(path.name)]
        return [
            owner for owner in (int(name, 16) for name in names) if owner != self.id and self.alive(owner)
        ]

    def refuse_others(self) -> None:
        """Raises StoreError if another process has the store open."""
        if self.others():
            raise StoreError(f"another process has {self._store} open", "wait for its end, then try again")

    def foreign(self) -> list[Path]:
        """What is in the folder of owners and of none of them, but for directories that are being made."""
        return [
            path
            for path in sorted(self._folder.iterdir())
            if path.name != _MAINTENANCE
            and not (_NAME.fullmatch(path.name.removesuffix(".new")) and path.is_dir())
        ]

    @contextmanager
    def alone(self, *, wait: bool) -> Generator[bool]:
        """Within the block we alone may change what files there are; False if another is at it, unless we
        wait."""
        descriptor = os.open(self._folder / _MAINTENANCE, os.O_RDWR | os.O_CREAT | _PLAIN, 0o666)
        try:
            ours = True
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
            except BlockingIOError:
                ours = False
            yield ours
        finally:
            os.close(descriptor)

    def put(self, files: Iterable[tuple[Path, bytes]]) -> None:
        """Writes files that are there as a whole or not at all, and none before all are written."""
        written: dict[Path, Path] = {}
        try:
            for path, data in files:
                written[path] = self._path(self.id) / path.name
                with written[path].open("wb") as file:
                    file.write(data)
                    file.flush()
                    os.fsync(file.fileno())
            for path, temporary in written.items():
                path.parent.mkdir(exist_ok=True)
                temporary.replace(path)
        except BaseException:
            for temporary in written.values():
                temporary.unlink(missing_ok=True)
            raise

    def _path(self, owner: int) -> Path:
        return self._folder / f"{owner:016x}"

    def _about(self, owner: int) -> tuple[str, str]:
        """Host, and its name; ours of one who is gone, or had no room to write it."""
        try:
            host, name = json.loads((self._path(owner) / _LOCK).read_text(encoding="utf-8"))
        except (OSError, TypeError, ValueError):
            return _host(), socket.gethostname()
        return str(host), str(name)


def _host() -> str:
    """The running system: containers on one kernel share memory, whatever their names."""
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
    except OSError:
        return socket.gethostname()
