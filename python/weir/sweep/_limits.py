"""Memory limits: how much memory runs may take."""

from __future__ import annotations

import math
import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from weir._errors import WeirError
from weir.check import ANY_RUN_B, LESS_MEMORY, size_words

if TYPE_CHECKING:
    from weir.check import Cost

OFF = "WEIR_NO_LIMITS"
"""Environment variable that switches limits off: nothing is refused, no run waits for memory, and none is
ended."""

_SHARE = 0.8
"""Fraction of the available memory that runs may take: estimates have an error."""

_CGROUP = Path("/sys/fs/cgroup")
_MEMINFO = Path("/proc/meminfo")


class LimitError(WeirError):
    """Error about a run that takes more memory than this machine has."""


class MemoryExceededError(WeirError):
    """Error about runs that were ended, because they took more memory than they may. Finished runs are
    kept."""

    exit_code = 1


@dataclass(frozen=True)
class Allowed:
    """Memory that runs may take at a time, all together."""

    bytes: float | None
    """Memory in bytes; None: no limit."""
    stated: bool = False
    """True if the user stated it; otherwise it is a share of what was available."""

    @classmethod
    def chosen(cls, memory: str | None) -> Allowed:
        """Reads the value of `--memory`, such as `8 GB`. Raises WeirError."""
        stated = None if memory is None else _bytes(memory)
        if OFF in os.environ:
            return cls(None)
        if stated is not None:
            return cls(stated, stated=True)
        available = available_bytes()
        return cls(None if available is None else _SHARE * available)

    @property
    def of_worker(self) -> float | None:
        """Limit for a worker elsewhere, in bytes: infinite without a limit, None for 80% of what its machine
        has."""
        return math.inf if self.bytes is None else self.bytes if self.stated else None

    @property
    def now(self) -> float | None:
        """Memory in bytes that may be used now: programs have come and gone since the limit was chosen."""
        if OFF in os.environ:
            return None
        if self.stated or self.bytes is None:
            return self.bytes
        available = available_bytes()
        return self.bytes if available is None else min(self.bytes, _SHARE * available)


UNLIMITED = Allowed(None)


def _bytes(text: str) -> float:
    match = re.fullmatch(r"\s*(?P<number>\d+\.?\d*)\s*(?P<prefix>[kMGT]|[KMGT]i)?B\s*", text)
    number = float(match["number"]) if match else 0.0
    if match is None or number <= 0.0:
        raise WeirError(f"{text!r} is not a size of memory", "write a number and a unit: 8 GB, 500 MB, 2 GiB")
    prefix = match["prefix"] or ""
    power = " kMGT".index(prefix[:1].replace("K", "k") or " ")
    return number * (1024.0 if prefix.endswith("i") else 1000.0) ** power


def available_bytes() -> float | None:
    """Memory in bytes that processes can still get; None if the system does not say. On systems without
    `/proc/meminfo` it is all memory of the machine."""
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


def memory_refusal(cost: Cost, allowed: Allowed | None = None) -> LimitError | None:
    """Error about a run of this cost, if this machine has too little memory for it; else None."""
    allowed = allowed or Allowed.chosen(None)
    most = allowed.now
    if most is None or cost.memory_bytes <= most:
        return None
    there = (
        f"runs may take {size_words(most)}"
        if allowed.stated
        else f"{size_words(most / _SHARE)} are available"
    )
    more = "a larger --memory, or " if allowed.stated else ""
    less = (
        f"write {LESS_MEMORY[cost.mostly]}" if most > ANY_RUN_B else f"any run takes {size_words(ANY_RUN_B)}"
    )
    return LimitError(
        f"a run takes about {size_words(cost.memory_bytes)} of memory, and {there}",
        f"{less}; {more}{OFF}=1 in the environment runs it all the same",
    )
