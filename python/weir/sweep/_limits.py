"""Whether the runs of a plan fit into the memory of this machine, before the first of them."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from weir._errors import WeirError
from weir.check._cost import LESS, size

if TYPE_CHECKING:
    from weir.check import Cost
    from weir.store import Store
    from weir.sweep._chunk import Workers
    from weir.sweep._plan import Plan

OFF = "WEIR_NO_LIMITS"
"""Variable of the environment: set, nothing is refused and no run waits for memory."""

_SHARE = 0.8
"""Of the available memory that runs may take: estimates have an error."""

_CGROUP = Path("/sys/fs/cgroup")
_MEMINFO = Path("/proc/meminfo")


class LimitError(WeirError):
    """A run that takes more than this machine has."""


def available_bytes() -> float | None:
    """Memory that processes can still get; None where the system does not say. On systems without
    `/proc/meminfo`, all that the machine has."""
    found: list[float] = []
    try:
        lines = dict(line.split(":", 1) for line in _MEMINFO.read_text(encoding="ascii").splitlines())
        found.append(float(lines["MemAvailable"].split()[0]) * 1024.0)
    except (OSError, KeyError, ValueError):
        if hasattr(os, "sysconf") and "SC_PHYS_PAGES" in os.sysconf_names:
            found.append(float(os.sysconf("SC_PHYS_PAGES")) * os.sysconf("SC_PAGE_SIZE"))
    try:
        # A container has a limit of its own; "max" is none.
        limit, used = (float((_CGROUP / name).read_text()) for name in ("memory.max", "memory.current"))
        found.append(limit - used)
    except (OSError, ValueError):
        pass
    return min(found, default=None)


def refusal(cost: Cost) -> LimitError | None:
    """Why a run of this cost is not begun on this machine, if so."""
    available = available_bytes()
    if available is None or OFF in os.environ or cost.memory_bytes <= _SHARE * available:
        return None
    return LimitError(
        f"a run takes about {size(cost.memory_bytes)} of memory, and {size(available)} are available",
        f"write {LESS[cost.mostly]}; {OFF}=1 in the environment runs it all the same",
    )


def within_limits(plan: Plan, store: Store, workers: Workers) -> Workers:
    """The workers, so many at a time as fit into the memory of this machine, where they work on it.

    Raises LimitError if not even one run fits, unless the store has all runs.
    """
    available = available_bytes()
    if not workers.local or available is None or OFF in os.environ:
        return workers
    cost = plan.cost
    refused = refusal(cost)
    if refused is not None:
        keys = set(plan.keys.ravel().tolist())
        if len(store.finished(keys)) == len(keys):
            return workers
        raise refused
    slots = workers.slots()
    fits = 1 + int((_SHARE * available - cost.memory_bytes) / max(cost.own_bytes, 1.0))
    if fits >= slots:
        return workers
    what = f"{fits} of {workers.what}, {size(cost.memory_bytes)} a run"
    return replace(workers, slots=lambda: fits, what=what, ahead=1.0)
