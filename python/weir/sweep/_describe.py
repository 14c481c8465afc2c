"""A result as a whole in words and numbers: its state, the heads of pages, JSON."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from weir import _core
from weir.sweep._recorded import MAXIMUM, OPEN

if TYPE_CHECKING:
    from weir.store import Cost
    from weir.sweep._recorded import RecordedSweep


def state(sweep: RecordedSweep) -> str:
    """How far it is: `18 runs`, `12 of 18 runs; 2 of 6 configurations are not finished`."""
    runs, wanted = sweep.finished["run"].n_unique(), sweep.wanted["run"].n_unique()
    states = sweep.stops["state"].to_list()
    all_, unfinished, unmet = len(states), states.count(OPEN), states.count(MAXIMUM)
    of = f"of {all_:,} configurations"
    parts = [counted(runs, "run") if runs == wanted or sweep.until else f"{runs:,} of {wanted:,} runs"]
    if unfinished:
        parts.append(f"{unfinished:,} {of} are not finished")
    if unmet:
        parts.append(f"{unmet:,} {of} reached {sweep.replications:,} replications before the rule")
    elif sweep.until and not unfinished:
        parts.append("all precise enough")
    if sweep.results_version != _core.results_version:
        parts.append(f"results version {sweep.results_version}, not {_core.results_version}")
    return "; ".join(parts)


def speed(cost: Cost) -> str:
    """`, 190 ns per packet`; nothing where no packet left."""
    return f", {1e9 * cost.cpu_s / cost.packets:.0f} ns per packet" if cost.packets else ""


def counted(number: int, what: str) -> str:
    """`1 run`, `1,000 runs`."""
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def size(count: int) -> str:
    """Bytes for people: `340 kB`."""
    value, unit = float(count), "B"
    for larger in ("kB", "MB", "GB"):
        if value < 999.5:
            break
        value, unit = value / 1000.0, larger
    return f"{value:.3g} {unit}"


def moment(at: datetime | None) -> str:
    """To the minute, UTC."""
    return "" if at is None else at.isoformat(sep=" ", timespec="minutes").removesuffix("+00:00")
