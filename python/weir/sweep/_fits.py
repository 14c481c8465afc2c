"""Checks that the runs of a plan fit into memory, before the first of them; the error where some did not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from operator import itemgetter
from typing import TYPE_CHECKING

from weir._errors import WeirError
from weir.check import LESS_MEMORY, size_words
from weir.sweep._limits import OFF, MemoryExceededError, memory_refusal

if TYPE_CHECKING:
    from weir.store import Store
    from weir.sweep._chunk import Workers
    from weir.sweep._memory import Ended
    from weir.sweep._plan import Plan


def within_limits(plan: Plan, store: Store, workers: Workers) -> Workers:
    """Limits the workers to as many runs at a time as fit into memory, if they share it.

    Raises LimitError if not even one run fits, unless the store has all runs. Raises WeirError if the runs
    must not be kept, and the store is.
    """
    if store.is_kept and plan.unstored:
        raise WeirError(
            f"{plan.unstored[0]} keeps its runs out of the store (stored = False), and these are kept",
            "weir run, compare and sweep do such runs anew each time",
        )
    most = workers.allowed.now
    if not workers.local or most is None:
        return workers
    cost = plan.cost
    refused = memory_refusal(cost, workers.allowed)
    if refused is not None:
        keys = set(plan.keys.ravel().tolist())
        if len(store.finished(keys)) == len(keys):
            return workers
        raise refused
    slots = workers.slots()
    fits = 1 + int((most - cost.memory_bytes) / max(cost.own_bytes, 1.0))
    if fits >= slots:
        return workers
    what = f"{fits} of {workers.what}, {size_words(cost.memory_bytes)} a run"
    return replace(workers, slots=lambda: fits, what=what, ahead=1.0)


def exceeded(
    plan: Plan, store: Store, ended: Sequence[tuple[int, Ended]], *, local: bool
) -> MemoryExceededError:
    """Error about runs that were ended, each with its place in the plan."""
    place, first = min(ended, key=itemgetter(0))
    index = place // plan.replications
    seed = plan.seeds[place % plan.replications]
    scenario = plan.configurations[index].scenario
    which = ", ".join(part for part in (plan.name, plan.configuration_label(index), f"seed {seed}") if part)
    keys = set(plan.keys.ravel().tolist())
    together = first.all_bytes > 1.1 * first.bytes
    taken = f"it had taken {size_words(first.bytes)}"
    if together:
        taken += f", all runs {size_words(first.all_bytes)}"
    more = f"; so ended {len(ended) - 1} more" if len(ended) > 1 else ""
    fewer = ", or do fewer at a time, --threads 1" if together and local else ""
    reached = f"after {first.at_s:.3g} of {scenario.network.duration_s:.3g} s of simulated time"
    safe = f"{len(store.finished(keys)):,} of {len(keys):,} runs are finished and safe"
    return MemoryExceededError(
        f"{which}: the run was ended {reached}: {taken}, and runs may take {size_words(first.limit)}{more}; "
        f"{safe}",
        f"write {LESS_MEMORY[first.mostly]}, or a shorter duration{fewer}; a larger --memory (in Python "
        f"memory=) or {OFF}=1 in the environment lets them take more",
    )
