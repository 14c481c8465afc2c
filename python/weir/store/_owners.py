"""Owners of a store: the processes that have it open.

Every process that opens a store has a directory owners/ID with a file that it holds locked until it
ends, in whichever way: a killed process holds no lock. In that directory it writes what is to appear
elsewhere whole. What belongs to a dead owner, its claims and its directory, is void.
"""

from __future__ import annotations

import json
import os
import re
import secrets
import shutil
import socket
from collections.abc import Generator, Iterable
from contextlib import contextmanager, suppress
from pathlib import Path

from weir._locks import KIND, Lock
from weir.store._errors import StoreError
from weir.store._patience import SILENT_S, say_waiting

FOLDER = "owners"

_LOCK = "owner.lock"
_HOST = "host.json"
_TRIES = 10

_PATIENCE_S = 300.0
"""Seconds to wait for another process that changes which files there are: it moves the runs of a sweep in
less."""

_MAINTENANCES = {"flock": "maintenance.lock", "filelock": "maintenance.filelock"}
"""Kind of lock to the file of the maintenance lock. A file of one kind may be left in place; it is held to
the other."""

_MAINTENANCE = _MAINTENANCES[KIND]
_NAME = re.compile(r"[0-9a-f]{16}")


_OURS: set[tuple[int, int]] = set()
"""Owners that this process has entered and not left, each with its process: a fork inherits the set."""


class Owners:
    """This process among the owners of a store."""

    def __init__(self, store: Path) -> None:
        self._store = store
        self._folder = store / FOLDER
        self._lock: Lock | None = None
        self.id = secrets.randbits(62)

    def enter(self) -> None:
        """Registers this process. Raises OSError if that cannot be written, StoreError if the store is in use
        on another host."""
        for _ in range(_TRIES):
            if self._is_entered():
                break
            self.id = secrets.randbits(62)
        else:
            raise OSError(f"no place is free in {self._folder}")
        _OURS.add((os.getpid(), self.id))
        with suppress(OSError):  # a full disk: the lock counts, not what the file says
            told = json.dumps([_host(), socket.gethostname()])
            (self._path(self.id) / _HOST).write_text(told, encoding="utf-8")
        for other in self.others():
            host, name = self._about(other)
            if host != _host():
                raise StoreError(
                    f"{self._store} is in use on another host, {name}",
                    "a store is for one host at a time: its journal needs memory that processes share",
                )

    def _is_entered(self) -> bool:
        """Returns false if the directory of this process was taken for a dead one's before it was locked."""
        ours = self._path(self.id)
        ours.mkdir(parents=True)
        lock = Lock(ours / _LOCK)
        try:
            if lock.take():
                self._lock = lock
        except FileNotFoundError:
            return False
        except BaseException:
            _discard(ours, lock)
            raise
        return self._lock is not None

    def leave(self) -> None:
        """Gives everything of this process up; a second call does nothing."""
        if self._lock is not None:
            _OURS.discard((os.getpid(), self.id))
            _discard(self._path(self.id), self._lock)
            self._lock = None

    def alive(self, owner: int) -> bool:
        """Returns true if that owner still lives; the remains of a dead one are removed."""
        place = self._path(owner)
        lock = Lock(place / _LOCK)
        try:
            # The store may be of somebody else: nothing is made where a link leads.
            if place.is_symlink() or not place.is_dir():
                return False
            if not lock.take(shared=True):
                return True
        except FileNotFoundError:
            return False
        _discard(place, lock)
        return False

    def others(self) -> list[int]:
        """Every live owner except this process."""
        names = [path.name for path in self._folder.iterdir() if _NAME.fullmatch(path.name)]
        return [
            owner for owner in (int(name, 16) for name in names) if owner != self.id and self.alive(owner)
        ]

    def refuse_others(self) -> None:
        """Raises StoreError if another process has the store open, or this process once more."""
        others = self.others()
        if any((os.getpid(), other) not in _OURS for other in others):
            raise StoreError(f"another process has {self._store} open", "wait for its end, then try again")
        if others:
            raise StoreError(
                f"this process has {self._store} open once more",
                "close the other first: a result that was run or opened has its store open until `close`",
            )

    def foreign(self) -> list[Path]:
        """Foreign files in the folder of owners, which belong to no owner."""
        return [
            path
            for path in sorted(self._folder.iterdir())
            if path.name not in _MAINTENANCES.values() and not (_NAME.fullmatch(path.name) and path.is_dir())
        ]

    @contextmanager
    def alone(self, *, wait: bool) -> Generator[bool]:
        """Within the block we alone may change what files there are; False if another is at it, unless we
        wait. Raises StoreError if it takes for ever."""
        lock = Lock(self._folder / _MAINTENANCE)
        try:
            ours = lock.take(SILENT_S if wait else 0.0)
            if wait and not ours:
                say_waiting(self._store, _PATIENCE_S)
                ours = lock.take(_PATIENCE_S)
            if wait and not ours:
                minutes = f"{_PATIENCE_S / 60.0:g} minutes"
                raise StoreError(
                    f"another process has been at the files of {self._store} for {minutes}",
                    "wait for its end, or end it, and try again",
                )
            yield ours
        finally:
            lock.release()

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
            host, name = json.loads((self._path(owner) / _HOST).read_text(encoding="utf-8"))
        except (OSError, TypeError, ValueError):
            return _host(), socket.gethostname()
        return str(host), str(name)


def _discard(place: Path, lock: Lock) -> None:
    """Removes the directory of an owner, whose lock is ours."""
    shutil.rmtree(place, ignore_errors=True)
    lock.release()
    # Windows removes no file that is open.
    shutil.rmtree(place, ignore_errors=True)


def _host() -> str:
    """The running system: containers on one kernel share memory, whatever their names."""
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
    except OSError:
        return socket.gethostname()
