"""Who has a store open.

Every process that opens a store holds a lock on a file owners/ID.lock until it ends, in whichever
way: a killed process holds no lock. What belongs to a dead owner, claims and temporary files, is
void. The file says on which host and in which process its owner lives.
"""

from __future__ import annotations

import json
import os
import re
import secrets
import socket
from contextlib import suppress
from pathlib import Path
from typing import Any

from weir.store.errors import StoreError
from weir.store.locks import Lock

FOLDER = "owners"
MAINTENANCE = "maintenance.lock"

_NAME = re.compile(r"[0-9a-f]{16}\.lock")
_TEMPORARY = re.compile(r"\..*\.([0-9a-f]{16})\.tmp(?:-wal|-shm)?")


class Owners:
    """Ourselves among the owners of a store."""

    def __init__(self, store: Path) -> None:
        self._store = store
        self._folder = store / FOLDER
        self._lock: Lock | None = None
        self.id = 0

    def enter(self) -> None:
        """Raises OSError where that cannot be written, StoreError if it is in use on another host."""
        self._folder.mkdir(parents=True, exist_ok=True)
        lock = None
        while lock is None:
            self.id = secrets.randbits(62)
            lock = Lock.take(self._path(self.id))
        self._lock = lock
        with suppress(OSError):  # a full disk: the lock counts, not what the file says
            lock.write(json.dumps({"host": _host(), "name": socket.gethostname(), "pid": os.getpid()}))
        for other in self.others():
            there = self._about(other)
            if there.get("host", _host()) != _host():
                raise StoreError(
                    f"{self._store} is in use on another host, {there.get('name')}",
                    "a store is for one host at a time: its journal needs memory that processes share",
                )

    def leave(self) -> None:
        if self._lock is not None:
            with suppress(OSError):  # on Windows an open file stays; whoever opens next removes it
                self._path(self.id).unlink()
            self._lock.release()
            self._lock = None

    def alive(self, owner: int) -> bool:
        """Whether that owner still lives; the file of a dead one is removed."""
        path = self._path(owner)
        try:
            lock = Lock.probe(path)
        except FileNotFoundError:
            return False
        if lock is None:
            return True
        with suppress(OSError):
            path.unlink()  # while we hold it: it may be one who has made it but not yet locked it
        lock.release()
        return False

    def others(self) -> list[int]:
        """Every live owner but us."""
        names = [path.stem for path in self._folder.iterdir() if _NAME.fullmatch(path.name)]
        return [
            owner for owner in (int(name, 16) for name in names) if owner != self.id and self.alive(owner)
        ]

    def maintenance(self, *, wait: bool) -> Lock | None:
        """The right to change what files there are, for one process at a time."""
        return Lock.take(self._folder / MAINTENANCE, wait=wait)

    def temporary(self, path: Path) -> Path:
        """The name under which a file is written before it gets its own: it tells whose it is."""
        return path.with_name(f".{path.name}.{self.id:016x}.tmp")

    def clear(self, folder: Path) -> None:
        """Removes the temporary files that dead owners have left in a folder."""
        for path in folder.glob(".*.tmp*"):
            match = _TEMPORARY.fullmatch(path.name)
            if match and (owner := int(match[1], 16)) != self.id and not self.alive(owner):
                with suppress(OSError):
                    path.unlink()

    def _path(self, owner: int) -> Path:
        return self._folder / f"{owner:016x}.lock"

    def _about(self, owner: int) -> dict[str, Any]:
        try:
            return dict(json.loads(self._path(owner).read_text(encoding="utf-8")))
        except (OSError, TypeError, ValueError):  # gone, or not yet written
            return {}


def _host() -> str:
    """The running system: containers on one kernel share memory, whatever their names."""
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
    except OSError:
        return socket.gethostname()
