"""The memory that runs may take while they go on, counted over all of them."""

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
    from weir.check._cost import Part
    from weir.sweep._limits import Allowed

Elsewhere = Callable[[_core.Memory], tuple[int, int]]
"""What runs of other processes take, and the largest of them."""


@dataclass(frozen=True)
class Ended:
    """A run that took more than it may, and was ended. As plain values: it comes from other processes."""

    at_s: float
    """Simulated time."""
    bytes: int
    all_bytes: int
    """Of all runs at that time."""
    others: int
    """Runs under way in the same process."""
    mostly: Part
    limit: int

    @classmethod
    def of(cls, run: _core.Exceeded, limit: int) -> Ended:
        """What is known of it."""
        return cls(run.at_s, run.bytes, run.all_bytes, run.others, run.mostly, limit)


@dataclass(frozen=True)
class Budget:
    """What the runs of this process share."""

    memory: _core.Memory | None = None
    """None: no limit."""
    elsewhere: Elsewhere | None = None

    def exchange(self) -> None:
        """Asks what other processes take; several times a second while runs are under way."""
        if self.memory is not None and self.elsewhere is not None:
            self.memory.set_elsewhere(*self.elsewhere(self.memory))


def budget(allowed: Allowed) -> Budget:
    """Of the only process with runs."""
    return Budget(None if allowed.bytes is None else _core.Memory(int(allowed.bytes)))


def shared_budget(limit: float | None, table: ctypes.Array[ctypes.c_uint64], row: int) -> Budget:
    """Of one process among several. Each has a row of two numbers in the table: what its runs take, and the
    largest of them."""
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
    """Of all runs of a worker process under this limit."""
    return Budget(_core.Memory(int(limit)))


_of_machine = [Budget()]
"""The only one of a worker process that was told no limit."""


def worker_budget(limit: float | None) -> Budget:
    """Of a worker that somebody else has begun, maybe on another machine. None is what runs on this machine
    may take; what other processes have taken since then counts too: they may be workers like this one."""
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
