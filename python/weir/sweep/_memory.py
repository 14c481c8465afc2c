"""Memory that runs take while they go on, counted over all of them."""

from __future__ import annotations

import ctypes
import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from weir import _core
from weir.sweep import _limits as limits

if TYPE_CHECKING:
    from weir.check import MemoryPart
    from weir.sweep._limits import Allowed

Elsewhere = Callable[[_core.Memory], tuple[int, int]]
"""Function that returns the memory of the runs of other processes, and of the largest of them."""


@dataclass(frozen=True)
class Ended:
    """Run that was ended, because it took more memory than it may. Its values are plain: it comes from other
    processes."""

    at_s: float
    """Simulated time at which it was ended, in seconds."""
    bytes: int
    all_bytes: int
    """Memory of all runs at that time, in bytes."""
    others: int
    """Number of other runs under way in the same process."""
    mostly: MemoryPart
    limit: int

    @classmethod
    def of(cls, run: _core.Exceeded, limit: int) -> Ended:
        """Describes a run that exceeded the limit, as plain values."""
        return cls(run.at_s, run.bytes, run.all_bytes, run.others, run.mostly, limit)


@dataclass(frozen=True)
class Budget:
    """Memory budget that the runs of this process share."""

    memory: _core.Memory | None = None
    """Shared memory counter of the core; None: no limit."""
    elsewhere: Elsewhere | None = None

    def exchange(self) -> None:
        """Exchanges memory use with other processes, several times a second while runs are under way."""
        if self.memory is not None and self.elsewhere is not None:
            self.memory.set_elsewhere(*self.elsewhere(self.memory))


def budget(allowed: Allowed) -> Budget:
    """Budget of the only process with runs."""
    return Budget(None if allowed.bytes is None else _core.Memory(int(allowed.bytes)))


def shared_budget(limit: float | None, table: ctypes.Array[ctypes.c_uint64], row: int) -> Budget:
    """Budget of one process among several. Each process has a row of two numbers in the table: the memory of
    its runs, and of the largest of them."""
    if limit is None:
        return Budget()

    def elsewhere(memory: _core.Memory) -> tuple[int, int]:
        table[2 * row], table[2 * row + 1] = memory.taken, memory.largest
        others = [one for one in range(len(table) // 2) if one != row]
        return (
            sum(table[2 * one] for one in others),
            max((table[2 * one + 1] for one in others), default=0),
        )

    return Budget(_core.Memory(int(limit)), elsewhere)


@lru_cache(maxsize=8)
def _stated(limit: float) -> Budget:
    """Budget of all runs of a worker process under this limit."""
    return Budget(_core.Memory(int(limit)))


_of_machine = [Budget()]
"""Budget of a worker process that was told no limit; it has a single one."""


def worker_budget(limit: float | None) -> Budget:
    """Budget of a worker that somebody else has begun, maybe on another machine. None stands for the memory
    that runs on this machine may take. Memory taken by other processes since then counts too: they may be
    workers like this one."""
    if limit is not None:
        return Budget() if math.isinf(limit) else _stated(limit)
    (former,) = _of_machine
    if former.memory is not None and former.memory.taken:
        return former
    begun, allowed = limits.available_bytes(), limits.Allowed.chosen(None).bytes
    if begun is None or allowed is None:
        return Budget()

    def elsewhere(memory: _core.Memory) -> tuple[int, int]:
        now = limits.available_bytes()
        return (0 if now is None else max(0, int(begun - now) - memory.taken)), 0

    _of_machine[0] = Budget(_core.Memory(int(allowed)), elsewhere)
    return _of_machine[0]
